package resource

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/boughdev/bough/internal/rawjson"
)

// manifest is an installed package, and what settings leave of it.
type manifest struct {
	dir     string
	origin  Origin
	has     [kinds]*[]string   // what its package.json declares; all nil: folders of the usual names
	declare bool               // package.json has a part for pi
	filters [kinds][]*[]string // of the settings, each narrows
}

// packages are the packages of the settings that are installed. A project's entry
// replaces the user's for the same package, or only filters it.
func (f *finder) packages(off [kinds]bool) []place {
	type wanted struct {
		pack
		scope, base string
		also        []pack // filters over it
	}
	var all []wanted
	own := filepath.Join(f.o.Project, ".pi")
	identity := func(p pack, base string) string { return f.identity(p.source, base) }
	for _, p := range f.o.Own.packages {
		all = append(all, wanted{pack: p, scope: "project", base: own})
	}
	for _, p := range f.o.User.packages {
		id := identity(p, f.o.Agent)
		i := slices.IndexFunc(all, func(w wanted) bool { return identity(w.pack, w.base) == id })
		switch {
		case i < 0:
			all = append(all, wanted{pack: p, scope: "user", base: f.o.Agent})
		case all[i].scope == "project" && !all[i].autoload:
			all[i] = wanted{pack: p, scope: "user", base: f.o.Agent, also: []pack{all[i].pack}}
		}
	}
	var places []place
	for _, w := range all {
		dir := f.installed(w.source, w.base)
		if fi, err := os.Stat(dir); dir == "" || err != nil || !fi.IsDir() {
			if dir == "" || err != nil {
				f.tell(w.source, "this package is not installed and is left out; bough fetches no packages, pi install does")
			}
			continue // a single file is an extension
		}
		m := manifest{dir: dir, origin: Origin{Source: w.source, Scope: w.scope, Package: true, Base: dir}}
		m.read(f)
		for k := range kinds {
			for _, p := range append([]pack{w.pack}, w.also...) {
				m.filters[k] = append(m.filters[k], p.filters[k])
			}
		}
		places = append(places, place{origin: m.origin, pack: &m, off: off})
	}
	return places
}

// read reads the package.json of a package.
func (m *manifest) read(f *finder) {
	file := filepath.Join(m.dir, "package.json")
	doc, err := slurp(file)
	if err != nil || rawjson.Kind(doc) != '{' || !rawjson.Valid(doc) {
		return // the usual folders count
	}
	pi := rawjson.Get(doc, "pi")
	if rawjson.Kind(pi) != '{' {
		return
	}
	m.declare = true
	r := entryReader{file: file}
	for k := range kinds {
		if v := rawjson.Get(pi, kind(k).word()); !isNull(v) {
			l := r.list("pi."+kind(k).word(), v)
			m.has[k] = &l
		}
	}
	f.problems = append(f.problems, r.problems...)
}

// list are the files of a kind that a package has and settings leave.
func (m *manifest) list(f *finder, k kind) []found {
	var all []found
	if !m.declare {
		all = f.folder(filepath.Join(m.dir, k.word()), k, scanNamed, m.origin)
	} else if m.has[k] != nil {
		paths, patterns := partition(*m.has[k])
		for _, s := range paths {
			path := filepath.Join(m.dir, filepath.FromSlash(s))
			if !holds(m.dir, path) {
				f.tell(m.dir, "%s of its package.json leads out of the package: %s", k.word(), s)
				continue
			}
			if fi, err := os.Stat(path); err != nil {
				all = append(all, f.matching(path, k, m.origin)...)
			} else if fi.IsDir() {
				all = append(all, f.folder(path, k, scanNamed, m.origin)...)
			} else if c, ok := f.file(path, k, m.origin); ok {
				all = append(all, c)
			}
		}
		all = slices.DeleteFunc(all, func(c found) bool { return !kept(patterns, m.dir, c.path) })
	}
	for _, filter := range m.filters[k] {
		if filter == nil {
			continue
		}
		wanted, patterns := partition(*filter)
		all = slices.DeleteFunc(all, func(c found) bool {
			switch {
			case len(*filter) == 0:
				return true
			case len(wanted) > 0 && !within(wanted, m.dir, c.path) && !within(forced(patterns), m.dir, c.path):
				return true
			}
			return !kept(patterns, m.dir, c.path)
		})
	}
	return all
}

// forced are the paths with a plus.
func forced(patterns []string) []string {
	var paths []string
	for _, p := range patterns {
		if p[0] == '+' {
			paths = append(paths, p[1:])
		}
	}
	return paths
}

// within reports whether a file is one of the paths or globs, or below one.
func within(wanted []string, base, path string) bool {
	rel, err := filepath.Rel(base, path)
	if err != nil {
		return false
	}
	names := []string{rel}
	for d := filepath.Dir(rel); d != "."; d = filepath.Dir(d) {
		names = append(names, d)
	}
	return slices.ContainsFunc(wanted, func(w string) bool {
		w = filepath.Clean(filepath.FromSlash(w))
		return slices.Contains(names, w) || fitsAny(filepath.ToSlash(w), names[:1])
	})
}

// installed returns where a package lies, if it is installed; "" if its source
// means nothing. npm packages lie in npm/node_modules below the folder of the
// settings, those of git in git/HOST/PATH.
func (f *finder) installed(source, base string) string {
	if name, ok := npmName(source); ok {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return ""
		}
		return filepath.Join(base, "npm", "node_modules", filepath.FromSlash(name))
	}
	if repo, ok := gitRepo(source); ok {
		if !filepath.IsLocal(filepath.FromSlash(repo)) {
			return ""
		}
		return filepath.Join(base, "git", filepath.FromSlash(repo))
	}
	return f.expand(source, base)
}

// identity is what tells whether two sources are the same package.
func (f *finder) identity(source, base string) string {
	if name, ok := npmName(source); ok {
		return "npm:" + name
	}
	if repo, ok := gitRepo(source); ok {
		return "git:" + repo
	}
	return f.expand(source, base)
}

// npmName returns the name of npm:name@version.
func npmName(source string) (string, bool) {
	name, ok := strings.CutPrefix(source, "npm:")
	if !ok {
		return "", false
	}
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	return name, true
}

// gitRepo returns host/path of a git source: git:HOST/PATH@REF, a URL, or
// git@HOST:PATH.
func gitRepo(source string) (string, bool) {
	s, isGit := strings.CutPrefix(source, "git:")
	if u, err := url.Parse(s); err == nil && slices.Contains([]string{"https", "http", "ssh", "git"}, u.Scheme) && u.Host != "" {
		return u.Hostname() + cutRef(u.Path), true
	}
	if at, path, ok := strings.Cut(s, ":"); ok && !strings.Contains(at, "/") && (isGit || strings.HasPrefix(s, "git@")) {
		return at[strings.LastIndexByte(at, '@')+1:] + "/" + cutRef(path), true
	}
	if isGit {
		return cutRef(s), true
	}
	return "", false
}

// cutRef cuts @ref and .git from the end of a path.
func cutRef(path string) string {
	slash := strings.IndexByte(path, '/')
	if i := strings.LastIndexByte(path, '@'); i > slash {
		path = path[:i]
	}
	return strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".git")
}

// Named lists what a project's settings name of skills, templates, themes and
// packages outside of the usual folders, as far as it is there. It is for those
// who watch whether a project changes; nothing in it is read.
func Named(o Options) []string {
	f := finder{o: o}
	base := filepath.Join(o.Project, ".pi")
	var all []string
	add := func(path string) {
		if _, err := os.Stat(path); err == nil && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	for k := range extensions {
		paths, _ := partition(o.Own.lists[k])
		for _, s := range paths {
			path := f.expand(s, base)
			if strings.ContainsAny(s, "*?[{") {
				root, _ := doublestar.SplitPattern(filepath.ToSlash(path))
				path = filepath.FromSlash(root)
			}
			add(path)
		}
	}
	for _, p := range o.Own.packages {
		if dir := f.installed(p.source, base); dir != "" {
			add(dir)
		}
	}
	return all
}
