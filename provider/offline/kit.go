package offline

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// kit is the tools that a request offers.
type kit []message.ToolSpec

// tool returns the first offered tool of one of the names.
func (k kit) tool(names ...string) (message.ToolSpec, bool) {
	for _, name := range names {
		if i := slices.IndexFunc(k, func(t message.ToolSpec) bool { return t.Name == name }); i >= 0 {
			return k[i], true
		}
	}
	return message.ToolSpec{}, false
}

// param returns the first of the names that a tool has as an argument, the very
// first one if its schema says nothing.
func param(t message.ToolSpec, names ...string) string {
	properties := rawjson.Get(t.Parameters, "properties")
	for _, name := range names {
		if rawjson.Get(properties, name) != nil {
			return name
		}
	}
	return names[0]
}

// begin answers with the calls of one step, or says which tool is missing.
func (k kit) begin(l lang, step []task) reply {
	var a reply
	var said []string
	for _, t := range step {
		c, ok := k.call(t)
		if !ok {
			said = append(said, l.missing(t))
			continue
		}
		said = append(said, l.announce(t))
		a.calls = append(a.calls, c)
	}
	a.text = strings.Join(said, "\n")
	return a
}

// call makes the tool call for a task. Where a tool of its own is not offered
// the shell does the work.
func (k kit) call(t task) (message.Block, bool) {
	switch t.kind {
	case readFile:
		if tool, ok := k.tool("read", "read_file"); ok {
			return call(tool.Name, text(pathParam(tool), t.path)), true
		}
		return k.shell("cat -- " + shellQuote(t.path))
	case writeFile:
		if tool, ok := k.tool("write", "write_file"); ok {
			return call(tool.Name, text(pathParam(tool), t.path), text(param(tool, "content", "text"), t.text)), true
		}
		return k.shell("printf '%s' " + shellQuote(t.text) + " > " + shellQuote(t.path))
	case editFile:
		tool, ok := k.tool("edit", "edit_file")
		if !ok {
			return message.Block{}, false
		}
		if param(tool, "edits", "oldText", "old_string", "old_text") == "edits" {
			edit := rawjson.Set(rawjson.Set([]byte(`{}`), "oldText", rawjson.Quote(t.text)), "newText", rawjson.Quote(t.new))
			return call(tool.Name, text(pathParam(tool), t.path), member{"edits", rawjson.Array([][]byte{edit})}), true
		}
		return call(tool.Name, text(pathParam(tool), t.path), text(param(tool, "oldText", "old_string", "old_text"), t.text),
			text(param(tool, "newText", "new_string", "new_text"), t.new)), true
	case runCommand:
		return k.shell(t.text)
	case searchText:
		if tool, ok := k.tool("grep"); ok {
			args := []member{text(param(tool, "pattern", "query"), t.text)}
			if t.path != "" {
				args = append(args, text(pathParam(tool), t.path))
			}
			if param(tool, "pattern", "literal") == "literal" || rawjson.Get(rawjson.Get(tool.Parameters, "properties"), "literal") != nil {
				args = append(args, member{"literal", []byte("true")})
			}
			return call(tool.Name, args...), true
		}
		return k.shell("grep -rnIF --exclude-dir=.git -e " + shellQuote(t.text) + " -- " + shellQuote(orDot(t.path)))
	case findFiles:
		if tool, ok := k.tool("find", "glob"); ok {
			args := []member{text(param(tool, "pattern", "glob"), t.text)}
			if t.path != "" {
				args = append(args, text(pathParam(tool), t.path))
			}
			return call(tool.Name, args...), true
		}
		return k.shell("find " + shellQuote(orDot(t.path)) + " -name " + shellQuote(t.text) + " -not -path '*/.git/*'")
	default:
		if tool, ok := k.tool("ls", "list_dir"); ok {
			return call(tool.Name, text(pathParam(tool), orDot(t.path))), true
		}
		return k.shell("ls -A -- " + shellQuote(orDot(t.path)))
	}
}

func (k kit) shell(command string) (message.Block, bool) {
	tool, ok := k.tool("bash", "shell")
	if !ok {
		return message.Block{}, false
	}
	return call(tool.Name, text(param(tool, "command", "cmd", "script"), command)), true
}

func pathParam(t message.ToolSpec) string {
	return param(t, "path", "file_path", "filePath", "filename", "file")
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// shellQuote makes s one word of a shell command; plain words stay as they are.
func shellQuote(s string) string {
	plain := s != "" && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "~") && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/+@%", r))
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
