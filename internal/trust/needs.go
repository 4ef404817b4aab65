package trust

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

const (
	maxFiles = 2000 // that are looked at of one item
	maxRead  = 1 << 20
)

// Item is a file or folder that needs trust.
type Item struct {
	Path  string
	Files []File // what it is made of; itself if it is a file
	More  bool   // there are more files than were looked at

	// Notes tell what it does that is not plain to see: commands, tools, servers.
	Notes []string
}

// Size is the size of all files, in bytes.
func (i Item) Size() int64 {
	var n int64
	for _, f := range i.Files {
		n += f.Size
	}
	return n
}

// File is a file of an item.
type File struct {
	Path string
	Size int64
	time int64 // of the last change, see changeTime; 0: unknown
}

// Needs lists what in a project needs trust, in a fixed order
// (docs/spec/frontends.md H-60). What settings name counts only beside them.
func Needs(p Places, dir string) []Item {
	var items []Item
	own := filepath.Join(dir, ".pi")
	if Real(own) != Real(p.Agent) {
		for _, name := range []string{"settings.json", "mcp.json", "SYSTEM.md", "APPEND_SYSTEM.md", "skills", "prompts", "themes", "extensions"} {
			if i, ok := item(filepath.Join(own, name)); ok {
				items = append(items, i)
			}
		}
	}
	if p.Named != nil && len(items) > 0 && items[0].Path == filepath.Join(own, "settings.json") {
		for _, path := range p.Named(dir) {
			if i, ok := item(path); ok && !slices.ContainsFunc(items, func(have Item) bool { return have.Path == path }) {
				items = append(items, i)
			}
		}
	}
	home := filepath.Clean(p.Home)
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if d != home {
			if i, ok := item(filepath.Join(d, ".agents", "skills")); ok {
				items = append(items, i)
			}
		}
		if d == filepath.Dir(d) {
			return items
		}
	}
}

func item(path string) (Item, bool) {
	fi, err := os.Stat(path)
	if err != nil {
		return Item{}, false
	}
	i := Item{Path: path}
	if fi.Mode().IsRegular() {
		i.Files = []File{{path, fi.Size(), changeTime(fi)}}
		i.Notes = notes(path)
		return i, true
	}
	if !fi.IsDir() {
		i.Notes = []string{"it is no file and will not be used"} // a pipe or a device
		return i, true
	}
	i.walk(path, map[string]bool{})
	return i, true
}

// walk collects the files of a folder, those behind links too.
func (i *Item) walk(dir string, seen map[string]bool) {
	real := Real(dir)
	if seen[real] {
		return
	}
	seen[real] = true
	list, err := os.ReadDir(dir)
	if err != nil {
		return // what cannot be read cannot be used either
	}
	for _, e := range list {
		if i.More {
			return
		}
		path := filepath.Join(dir, e.Name())
		fi, err := e.Info()
		if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			fi, err = os.Stat(path)
		}
		switch {
		case err != nil || e.Name() == ".git" || e.Name() == "node_modules":
		case fi.IsDir():
			i.walk(path, seen)
		case !fi.Mode().IsRegular():
		case len(i.Files) == maxFiles:
			i.More = true
		default:
			i.Files = append(i.Files, File{path, fi.Size(), changeTime(fi)})
		}
	}
}

// notes tell what a file of settings or servers does.
func notes(path string) []string {
	base := filepath.Base(path)
	if base != "settings.json" && base != "mcp.json" {
		return nil
	}
	doc, err := head(path, maxRead)
	if err != nil {
		return nil
	}
	doc = pifile.Plain(doc)
	if rawjson.Kind(doc) != '{' || !rawjson.Valid(doc) {
		return []string{"it is no JSON and will not be used"}
	}
	if base == "mcp.json" {
		return servers(doc)
	}
	return settings(doc)
}

// settings tells of the settings that run or choose programs.
func settings(doc []byte) []string {
	var out []string
	for _, key := range []string{"shellPath", "shellCommandPrefix", "externalEditor", "defaultProvider", "defaultModel", "sessionDir"} {
		if s, ok := rawjson.GetString(doc, key); ok {
			out = append(out, key+": "+line(s))
		}
	}
	for _, key := range []string{"defaultTools", "packages", "extensions", "skills", "prompts", "themes"} {
		if v := rawjson.Get(doc, key); rawjson.Kind(v) == '[' {
			if words := texts(v); len(words) > 0 {
				out = append(out, key+": "+line(strings.Join(words, ", ")))
			}
		}
	}
	return append(out, commands(doc, "")...)
}

// commands tells of values that begin with an exclamation mark and so are run.
func commands(v []byte, key string) []string {
	var out []string
	for name, m := range rawjson.Members(v) {
		at := strings.TrimPrefix(key+"."+name, ".")
		switch rawjson.Kind(m) {
		case '{':
			out = append(out, commands(m, at)...)
		case '"':
			if s, _ := rawjson.String(m); strings.HasPrefix(s, "!") {
				out = append(out, fmt.Sprintf("runs for %s: %s", line(at), line(s[1:])))
			}
		}
	}
	return out
}

// servers tells of MCP servers.
func servers(doc []byte) []string {
	var out []string
	for _, key := range []string{"mcpServers", "servers"} {
		for name, v := range rawjson.Members(object(rawjson.Get(doc, key))) {
			if rawjson.Kind(v) != '{' {
				continue
			}
			if cmd, ok := rawjson.GetString(v, "command"); ok {
				words := append([]string{cmd}, texts(rawjson.Get(v, "args"))...)
				out = append(out, fmt.Sprintf("MCP server %s runs: %s", line(name), line(strings.Join(words, " "))))
			} else if url, ok := rawjson.GetString(v, "url"); ok {
				out = append(out, fmt.Sprintf("MCP server %s at %s", line(name), line(url)))
			}
		}
	}
	return append(out, commands(doc, "")...)
}

func object(v []byte) []byte {
	if rawjson.Kind(v) != '{' {
		return []byte("{}")
	}
	return v
}

func texts(v []byte) []string {
	if rawjson.Kind(v) != '[' {
		return nil
	}
	var words []string
	for e := range rawjson.Elements(v) {
		if rawjson.Kind(e) == '{' {
			e = rawjson.Get(e, "source")
		}
		if s, ok := rawjson.String(e); ok {
			words = append(words, s)
		}
	}
	return words
}

// line makes foreign text fit for one line of a terminal.
func line(s string) string {
	const most = 160
	n := 0
	s = strings.Map(func(r rune) rune {
		if n++; n > most {
			return -1
		}
		if r < ' ' || r >= 0x7F && r < 0xA0 || slices.Contains([]rune{0x2028, 0x2029, 0xFEFF}, r) || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return '?'
		}
		return r
	}, s)
	if n > most {
		s += "..."
	}
	return s
}

func head(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// FirstLines returns the beginning of a file for people to look at.
func FirstLines(path string, n int) []string {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	b, err := head(path, 16<<10)
	if err != nil {
		return []string{fmt.Sprintf("cannot be read: %v", err)}
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return []string{"not a text"}
	}
	var out []string
	for l := range bytes.Lines(b) {
		if len(out) == n {
			return append(out, "...")
		}
		out = append(out, line(strings.TrimRight(string(l), "\r\n")))
	}
	return out
}
