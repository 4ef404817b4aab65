package resource

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// place is somewhere to look for resources.
type place struct {
	origin Origin
	root   string           // a folder with a folder for each kind; "" if files are named
	skills []string         // more folders of skills, with the rules of .agents/skills
	lists  [kinds]*[]string // paths that are named, relative to from
	from   string
	filter [kinds][]string // !pattern, +path and -path for what is found and named
	pack   *manifest
	off    [kinds]bool
}

// places are all places in the order of precedence (docs/spec/frontends.md H-40).
func (f *finder) places() []place {
	o := f.o
	ps := []place{{origin: Origin{Source: "local", Scope: "temporary"}, lists: [kinds]*[]string{&o.Skills, &o.Prompts, &o.Themes, nil}}}
	off := [kinds]bool{skills: o.NoSkills, prompts: o.NoPrompts, themes: o.NoThemes}
	if o.Project != "" {
		own := filepath.Join(o.Project, ".pi")
		ps = append(ps, f.scope("project", own, o.Own, f.agentsSkills(), off)...)
	}
	ps = append(ps, f.scope("user", o.Agent, o.User, []string{filepath.Join(o.Home, ".agents", "skills")}, off)...)
	return append(ps, f.packages(off)...)
}

// scope are the places of a user or of a project: what its settings name, then
// its folders.
func (f *finder) scope(name, base string, e Entries, agents []string, off [kinds]bool) []place {
	named := place{origin: Origin{Source: "local", Scope: name}, from: base, off: off}
	auto := place{origin: Origin{Source: "auto", Scope: name, Base: base}, root: base, from: base, skills: agents, off: off}
	for k := range kinds {
		paths, patterns := partition(e.lists[k])
		named.lists[k] = &paths
		named.filter[k], auto.filter[k] = patterns, patterns
	}
	return []place{named, auto}
}

// agentsSkills are the folders .agents/skills of a project: its own and those
// above it, up to the root of its repository.
func (f *finder) agentsSkills() []string {
	var dirs []string
	for d := filepath.Clean(f.o.Project); ; d = filepath.Dir(d) {
		dir := filepath.Join(d, ".agents", "skills")
		if d != filepath.Clean(f.o.Home) { // that is the user's own
			dirs = append(dirs, dir)
		}
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil || d == filepath.Dir(d) {
			return dirs
		}
	}
}

// partition parts the paths of a list from what only filters.
func partition(list []string) (paths, patterns []string) {
	for _, s := range list {
		if strings.ContainsRune("!+-", rune(s[0])) && len(s) > 1 {
			patterns = append(patterns, s)
		} else {
			paths = append(paths, s)
		}
	}
	return paths, patterns
}

// list returns the files of a kind in a place, filtered.
func (f *finder) list(p place, k kind) []found {
	if p.off[k] {
		return nil
	}
	if p.pack != nil {
		return p.pack.list(f, k)
	}
	var all []found
	if p.lists[k] != nil {
		all = f.named(p, k)
	}
	if p.root != "" {
		all = append(all, f.folder(filepath.Join(p.root, k.word()), k, scanAuto, p.origin)...)
	}
	if k == skills {
		for _, dir := range p.skills {
			o := p.origin
			o.Base = filepath.Dir(dir)
			all = append(all, f.folder(dir, k, scanAgents, o)...)
		}
	}
	return slices.DeleteFunc(all, func(c found) bool { return !kept(p.filter[k], p.from, c.path) })
}

// named are the files of the paths that settings or the command line name.
func (f *finder) named(p place, k kind) []found {
	var all []found
	for _, s := range *p.lists[k] {
		path := f.expand(s, p.from)
		fi, err := os.Stat(path)
		switch {
		case err != nil && strings.ContainsAny(s, "*?[{"):
			all = append(all, f.matching(path, k, p.origin)...)
		case err != nil && k == extensions:
		case err != nil:
			f.tell(path, "%s: %v", whose(p.origin, k), cause(err))
		case fi.IsDir():
			mode := scanNamed
			if p.origin.Scope == "temporary" {
				mode = scanAuto
			}
			got := f.folder(path, k, mode, p.origin)
			if len(got) == 0 && k != extensions {
				f.tell(path, "%s: there is none in this folder", whose(p.origin, k))
			}
			all = append(all, got...)
		default:
			if c, ok := f.file(path, k, p.origin); ok {
				c.named = true
				all = append(all, c)
			} else if k != extensions {
				f.tell(path, "%s: a %s file is wanted", whose(p.origin, k), endings(k))
			}
		}
	}
	return all
}

// whose says who named a path.
func whose(o Origin, k kind) string {
	switch {
	case o.Scope == "temporary":
		return []string{"--skill", "--prompt-template", "--theme", "--extension"}[k]
	case o.Scope == "project":
		return k.word() + " of the project's settings"
	}
	return k.word() + " of the user's settings"
}

func endings(k kind) string {
	if k == themes {
		return ".json"
	}
	return ".md"
}

// expand makes an absolute path of what was written.
func (f *finder) expand(s, from string) string {
	switch {
	case s == "~":
		s = f.o.Home
	case strings.HasPrefix(s, "~/"):
		s = filepath.Join(f.o.Home, s[2:])
	}
	s = filepath.FromSlash(s)
	if !filepath.IsAbs(s) {
		s = filepath.Join(from, s)
	}
	return filepath.Clean(s)
}

// kept reports whether filters leave a file in: !pattern takes out, +path puts
// back in, -path takes out for good. They are about the file or, for a skill, its
// folder: the path below base, the whole path, or the name.
func kept(filters []string, base, path string) bool {
	if len(filters) == 0 {
		return true
	}
	names := []string{path}
	if filepath.Base(path) == skillFile {
		names = append(names, filepath.Dir(path))
	}
	for _, n := range names {
		if rel, err := filepath.Rel(base, n); err == nil && base != "" {
			names = append(names, rel)
		}
	}
	exact := func(p string) bool {
		return slices.Contains(names, filepath.Clean(filepath.FromSlash(p)))
	}
	in := true
	for _, p := range filters {
		if p[0] == '!' && fitsAny(p[1:], names) {
			in = false
		}
	}
	for _, p := range filters {
		if p[0] == '+' && exact(p[1:]) {
			in = true
		}
	}
	for _, p := range filters {
		if p[0] == '-' && exact(p[1:]) {
			in = false
		}
	}
	return in
}

// fitsAny reports whether a glob fits one of the paths, or its last part.
func fitsAny(glob string, paths []string) bool {
	glob = strings.TrimPrefix(glob, "./")
	return slices.ContainsFunc(paths, func(p string) bool {
		p = filepath.ToSlash(p)
		whole, _ := doublestar.Match(glob, p) // a glob that is none fits nothing
		last, _ := doublestar.Match(glob, p[strings.LastIndexByte(p, '/')+1:])
		return whole || last
	})
}
