package compaction

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Files are the paths that a stretch of conversation has touched, by the calls
// of the tools read, edit and write. The lists are sorted by UTF-16 units.
type Files struct{ Read, Edited, Written []string }

// Lists returns what a summary tells of the files: those that were only read,
// and those that were changed.
func (f Files) Lists() (read, modified []string) {
	modified = slices.Concat(f.Edited, f.Written)
	slices.SortFunc(modified, rawjson.CompareUTF16)
	modified = slices.Compact(modified)
	read = slices.DeleteFunc(slices.Clone(f.Read), func(path string) bool {
		_, found := slices.BinarySearchFunc(modified, path, rawjson.CompareUTF16)
		return found
	})
	return read, modified
}

// Blocks are the lists as they stand behind a summary, each after a blank line; ""
// without files.
func (f Files) Blocks() string { return blocks(f.Lists()) }

func blocks(read, modified []string) string {
	var b strings.Builder
	block := func(tag string, paths []string) {
		if len(paths) > 0 {
			b.WriteString("\n\n<" + tag + ">\n" + strings.Join(paths, "\n") + "\n</" + tag + ">")
		}
	}
	block("read-files", read)
	block("modified-files", modified)
	return b.String()
}

// Details are the lists as they are stored with a summary.
func (f Files) Details() message.Value {
	list := func(paths []string) []byte {
		elems := make([][]byte, len(paths))
		for i, p := range paths {
			elems[i] = rawjson.Quote(p)
		}
		return rawjson.Array(elems)
	}
	read, modified := f.Lists()
	b := append([]byte(`{"readFiles":`), list(read)...)
	b = append(append(b, `,"modifiedFiles":`...), list(modified)...)
	return append(b, '}')
}

// fileSets collects paths. The zero value is empty.
type fileSets struct{ read, edited, written map[string]bool }

func put(set *map[string]bool, path string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[path] = true
}

func (s *fileSets) sorted() Files {
	list := func(set map[string]bool) []string {
		paths := make([]string, 0, len(set))
		for p := range set {
			paths = append(paths, p)
		}
		slices.SortFunc(paths, rawjson.CompareUTF16)
		return paths
	}
	return Files{Read: list(s.read), Edited: list(s.edited), Written: list(s.written)}
}

// details takes up the lists of a summary made before; "modified" does not tell
// edited and written apart.
func (s *fileSets) details(v message.Value) {
	for path := range rawjson.Elements(rawjson.Get(v, "readFiles")) {
		if p, ok := rawjson.String(path); ok {
			put(&s.read, p)
		}
	}
	for path := range rawjson.Elements(rawjson.Get(v, "modifiedFiles")) {
		if p, ok := rawjson.String(path); ok {
			put(&s.edited, p)
		}
	}
}

// calls takes up the tool calls of an answer, and those that a tool result says
// were made within it.
func (s *fileSets) calls(m message.Message) {
	switch m.Role {
	case message.Assistant:
		for _, b := range m.Content {
			if b.Type == message.ToolCallBlock {
				s.call(b.Name, b.Arguments)
			}
		}
	case message.ToolResult:
		raw := m.JSON()
		if !bytes.Contains(raw, []byte("nestedCalls")) && !bytes.Contains(raw, []byte(`\u`)) {
			return
		}
		for call := range rawjson.Elements(rawjson.Get(rawjson.Get(raw, "nestedCalls"), "calls")) {
			name, _ := rawjson.GetString(call, "name")
			s.call(name, rawjson.Get(call, "arguments"))
		}
	}
}

func (s *fileSets) call(name string, args message.Value) {
	var set *map[string]bool
	switch name {
	case "read":
		set = &s.read
	case "edit":
		set = &s.edited
	case "write":
		set = &s.written
	default:
		return
	}
	if path, _ := rawjson.GetString(args, "path"); path != "" {
		put(set, path)
	}
}

func (s fileSets) clone() fileSets {
	return fileSets{maps.Clone(s.read), maps.Clone(s.edited), maps.Clone(s.written)}
}

// moreFiles begins the line that stands for files that are not listed.
const moreFiles = "(and "

// blocksWithin are the blocks in so many tokens at most, about; 0 sets no limit.
// What was changed comes before what was only read.
func (f Files) blocksWithin(tokens int64) string {
	all := f.Blocks()
	if tokens <= 0 || weight(all) <= tokens {
		return all
	}
	read, modified := f.Lists()
	fit := func(paths []string) []string {
		for i, p := range paths {
			if tokens -= weight(p) + 1; tokens < 0 {
				return append(slices.Clone(paths[:i]), fmt.Sprintf("%s%d more)", moreFiles, len(paths)-i))
			}
		}
		return paths
	}
	modified = fit(modified)
	read = fit(read)
	return blocks(read, modified)
}

// Touched are the files that messages have touched.
type Touched struct{ sets fileSets }

// Add takes up the calls of a message.
func (t *Touched) Add(m message.Message) { t.sets.calls(m) }

// Files returns what was touched so far.
func (t *Touched) Files() Files { return t.sets.sorted() }
