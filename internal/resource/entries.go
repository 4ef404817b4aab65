package resource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
)

// kind is what a file may be.
type kind int

const (
	skills kind = iota
	prompts
	themes
	extensions
	kinds int = iota
)

// word is the key of a kind in settings and packages, and the name of its folder.
func (k kind) word() string { return []string{"skills", "prompts", "themes", "extensions"}[k] }

// Entries is what a settings.json says of resources.
type Entries struct {
	lists    [kinds][]string
	packages []pack

	skillCommands *bool // enableSkillCommands
}

// pack is a package that settings name.
type pack struct {
	source   string
	filters  [kinds]*[]string // nil: all that it has
	autoload bool             // false: only a filter over the user's package
}

func (e Entries) noSkillCommands(over Entries) bool {
	if over.skillCommands != nil {
		e = over
	}
	return e.skillCommands != nil && !*e.skillCommands
}

// ReadEntries reads a settings file. A file that is missing has none; one that
// cannot be read is told by those who read the settings.
func ReadEntries(file string) (Entries, []Problem) {
	r := entryReader{file: file}
	doc, err := slurp(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Entries{}, nil
	} else if err != nil {
		return Entries{}, []Problem{{Path: file, Message: err.Error()}}
	}
	doc = bytes.TrimPrefix(doc, []byte("\ufeff"))
	if rawjson.Kind(doc) != '{' || !rawjson.Valid(doc) {
		return Entries{}, nil
	}
	var e Entries
	for k := range kinds {
		word := kind(k).word()
		v := rawjson.Get(doc, word)
		if kind(k) == skills && rawjson.Kind(v) == '{' { // as it was once written
			e.skillCommands = r.flag("skills.enableSkillCommands", rawjson.Get(v, "enableSkillCommands"))
			word, v = "skills.customDirectories", rawjson.Get(v, "customDirectories")
		}
		e.lists[k] = r.list(word, v)
	}
	if b := r.flag("enableSkillCommands", rawjson.Get(doc, "enableSkillCommands")); b != nil {
		e.skillCommands = b
	}
	for i, v := range r.elements("packages", rawjson.Get(doc, "packages")) {
		if p, ok := r.pack("packages["+strconv.Itoa(i)+"]", v); ok {
			e.packages = append(e.packages, p)
		}
	}
	return e, r.problems
}

// slurp reads a file, and nothing that only looks like one.
func slurp(file string) ([]byte, error) {
	f, err := openFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return b, cause(err)
}

type entryReader struct {
	file     string
	problems []Problem
}

func (r *entryReader) wrong(key, want string) {
	r.problems = append(r.problems, Problem{Path: r.file, Message: fmt.Sprintf("%s is passed over: it must be %s", key, want)})
}

func isNull(v []byte) bool { return v == nil || rawjson.Kind(v) == 'n' }

func (r *entryReader) flag(key string, v []byte) *bool {
	switch s := string(bytes.TrimSpace(v)); {
	case isNull(v):
		return nil
	case s == "true", s == "false":
		b := s == "true"
		return &b
	}
	r.wrong(key, "true or false")
	return nil
}

func (r *entryReader) elements(key string, v []byte) [][]byte {
	if isNull(v) {
		return nil
	}
	if rawjson.Kind(v) != '[' {
		r.wrong(key, "a list")
		return nil
	}
	return slices.Collect(rawjson.Elements(v))
}

func (r *entryReader) list(key string, v []byte) []string {
	list := []string{}
	for i, e := range r.elements(key, v) {
		if s, ok := rawjson.String(e); ok && s != "" {
			list = append(list, s)
		} else {
			r.wrong(fmt.Sprintf("%s[%d]", key, i), "a text that is not empty")
		}
	}
	return list
}

func (r *entryReader) pack(key string, v []byte) (pack, bool) {
	p := pack{autoload: true}
	if s, ok := rawjson.String(v); ok && s != "" {
		p.source = s
		return p, true
	}
	if rawjson.Kind(v) == '{' {
		p.source, _ = rawjson.String(rawjson.Get(v, "source"))
	}
	if p.source == "" {
		r.wrong(key, "the source of a package, or an object with a source")
		return p, false
	}
	if b := r.flag(key+".autoload", rawjson.Get(v, "autoload")); b != nil {
		p.autoload = *b
	}
	for k := range kinds {
		word := kind(k).word()
		if list := rawjson.Get(v, word); !isNull(list) {
			l := r.list(key+"."+word, list)
			p.filters[k] = &l
		}
	}
	return p, true
}
