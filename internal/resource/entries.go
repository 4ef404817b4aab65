package resource

import (
	"fmt"
	"io"
	"slices"

	"github.com/boughdev/bough/internal/config"
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

// Entries is what the settings of one place say of resources.
type Entries struct {
	lists    [kinds][]string
	packages []pack
}

// pack is a package that settings name.
type pack struct {
	source   string
	filters  [kinds]*[]string // nil: all that it has
	autoload bool             // false: only a filter over the user's package
}

// EntriesOf returns what settings say of resources, the user's and the project's.
func EntriesOf(s config.Settings) (user, own Entries) {
	for k, l := range [kinds]config.Lists{skills: s.Skills, prompts: s.Prompts, themes: s.Themes, extensions: s.Extensions} {
		user.lists[k], own.lists[k] = filled(l.User), filled(l.Project)
	}
	return user.with(s.Packages.User), own.with(s.Packages.Project)
}

func (e Entries) with(packages []config.Package) Entries {
	for _, p := range packages {
		w := pack{source: p.Source, autoload: p.AutoLoad}
		for k, l := range [kinds][]string{skills: p.Skills, prompts: p.Prompts, themes: p.Themes, extensions: p.Extensions} {
			if l != nil {
				l = filled(l)
				w.filters[k] = &l
			}
		}
		e.packages = append(e.packages, w)
	}
	return e
}

// filled is a list without empty texts, which would name the folder itself.
func filled(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
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

// entryReader reads the lists of a package.json.
type entryReader struct {
	file     string
	problems []Problem
}

func (r *entryReader) wrong(key, want string) {
	r.problems = append(r.problems, Problem{Path: r.file, Message: fmt.Sprintf("%s is passed over: it must be %s", key, want)})
}

func isNull(v []byte) bool { return v == nil || rawjson.Kind(v) == 'n' }

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
