package resource

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/boughdev/bough/internal/workspace"
)

const (
	skillFile  = "SKILL.md"
	maxFolders = 5000
	maxRules   = 1 << 20
)

// scanMode says which files below a folder count.
type scanMode int

const (
	scanAuto   scanMode = iota // a folder of ours
	scanNamed                  // one that settings or a package name: templates also deeper
	scanAgents                 // .agents/skills: single files only below the top
)

// scan is a walk through one folder.
type scan struct {
	f       *finder
	kind    kind
	mode    scanMode
	origin  Origin
	real    string // of the top
	ignore  []workspace.Ignore
	seen    map[string]bool // real folders
	folders int
	out     []found
}

// folder lists the files of a kind in a folder, sorted by path. A folder that is
// missing has none.
func (f *finder) folder(dir string, k kind, mode scanMode, origin Origin) []found {
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil // far cheaper than to follow its links
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	s := scan{f: f, kind: k, mode: mode, origin: origin, real: real, seen: map[string]bool{}}
	if k == skills {
		if c, ok := s.skill(dir, real); ok {
			return []found{c}
		}
	}
	s.walk(dir, real, 0)
	if s.folders > f.maxFolders {
		f.tell(dir, "there are more than %d folders in it; the rest was not searched", f.maxFolders)
	}
	return s.out
}

// walk looks through a folder at a depth below the top.
func (s *scan) walk(dir, real string, depth int) {
	if s.seen[real] {
		return
	}
	s.seen[real] = true
	list, err := os.ReadDir(dir)
	if err != nil {
		s.f.tell(dir, "cannot be searched: %v", cause(err))
		return
	}
	rules := len(s.ignore)
	s.obey(dir, list)
	for _, e := range list {
		name := e.Name()
		if name[0] == '.' || name == "node_modules" {
			continue
		}
		path, to := filepath.Join(dir, name), filepath.Join(real, name)
		isDir, isFile := e.IsDir(), e.Type().IsRegular()
		if e.Type()&os.ModeSymlink != 0 {
			fi, err := os.Stat(path)
			if err != nil {
				continue // it leads nowhere
			}
			if to, err = filepath.EvalSymlinks(path); err != nil {
				continue
			}
			isDir, isFile = fi.IsDir(), fi.Mode().IsRegular()
			if isDir && holds(to, s.real) {
				continue // a way back up
			}
		}
		switch {
		case s.ignored(path, isDir):
		case isDir:
			s.enter(path, to, depth)
		case isFile:
			s.single(path, to, depth)
		}
	}
	s.ignore = s.ignore[:rules]
}

// enter looks into a folder below the top.
func (s *scan) enter(path, real string, depth int) {
	s.folders++
	switch {
	case s.folders > s.f.maxFolders:
		return
	case s.kind == skills:
		if c, ok := s.skill(path, real); ok {
			s.out = append(s.out, c)
			return
		}
	case s.kind == extensions:
		if depth == 0 {
			s.out = append(s.out, found{path: path, real: real, name: filepath.Base(path), origin: s.origin})
		}
		return
	case s.mode != scanNamed:
		return
	}
	s.walk(path, real, depth+1)
}

// skill returns the skill that a folder is, if it is one.
func (s *scan) skill(dir, real string) (found, bool) {
	path := filepath.Join(dir, skillFile)
	fi, err := os.Lstat(path)
	if err != nil {
		return found{}, false
	}
	to := filepath.Join(real, skillFile)
	if fi.Mode()&os.ModeSymlink != 0 {
		if to, err = filepath.EvalSymlinks(path); err != nil {
			return found{}, false
		}
		fi, err = os.Stat(to)
	}
	if err != nil || !fi.Mode().IsRegular() {
		return found{}, false
	}
	return found{path: path, real: to, name: filepath.Base(dir), origin: s.origin, named: true}, true
}

// single takes up a file if it may be one of the kind.
func (s *scan) single(path, real string, depth int) {
	if s.kind == skills && (depth == 0) == (s.mode == scanAgents) || s.kind == extensions && depth > 0 {
		return
	}
	if c, ok := s.f.file(path, s.kind, s.origin); ok {
		c.real = real
		s.out = append(s.out, c)
	}
}

// file returns what a single file is, if it may be one of the kind.
func (f *finder) file(path string, k kind, origin Origin) (found, bool) {
	name := filepath.Base(path)
	ext := filepath.Ext(name)
	switch k {
	case skills, prompts:
		if ext != ".md" {
			return found{}, false
		}
	case themes:
		if ext != ".json" {
			return found{}, false
		}
	case extensions:
		if !slices.Contains([]string{".ts", ".js", ".mjs", ".cjs", ".mts"}, ext) {
			return found{}, false
		}
	}
	c := found{path: path, name: strings.TrimSuffix(name, ext), origin: origin}
	if k == skills && name == skillFile {
		c.name = filepath.Base(filepath.Dir(path))
	}
	var err error
	if c.real, err = filepath.EvalSymlinks(path); err != nil {
		c.real = path
	}
	return c, true
}

// obey reads the ignore files of a folder.
func (s *scan) obey(dir string, list []os.DirEntry) {
	for _, name := range []string{".gitignore", ".ignore", ".fdignore"} {
		_, has := slices.BinarySearchFunc(list, name, func(e os.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		if !has {
			continue
		}
		if text, err := readRules(filepath.Join(dir, name)); err == nil {
			s.ignore = append(s.ignore, workspace.ParseIgnore(filepath.ToSlash(dir), text))
		}
	}
}

// readRules reads an ignore file; one that cannot be read says nothing.
func readRules(path string) (string, error) {
	r, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxRules))
	return string(b), err
}

func (s *scan) ignored(path string, dir bool) bool {
	if len(s.ignore) == 0 {
		return false
	}
	path = filepath.ToSlash(path)
	for _, g := range slices.Backward(s.ignore) {
		if out, decided := g.Says(path, dir); decided {
			return out
		}
	}
	return false
}

// holds reports whether a folder is path or above it.
func holds(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// matching lists the files that a glob with an absolute path fits.
func (f *finder) matching(glob string, k kind, origin Origin) []found {
	glob = filepath.ToSlash(glob)
	base, pattern := doublestar.SplitPattern(glob)
	var out []found
	left := f.maxFolders
	var walk func(dir, rel string)
	walk = func(dir, rel string) {
		if left--; left < 0 {
			return
		}
		list, err := os.ReadDir(dir)
		if err != nil {
			return // what is missing fits nothing
		}
		for _, e := range list {
			name := e.Name()
			if name == "node_modules" || name[0] == '.' && !strings.HasPrefix(pattern, ".") {
				continue
			}
			path, below := filepath.Join(dir, name), rel+name
			fits, _ := doublestar.Match(pattern, below) // a glob that is none fits nothing
			switch {
			case fits && e.IsDir():
				out = append(out, f.folder(path, k, scanNamed, origin)...)
			case fits:
				if c, ok := f.file(path, k, origin); ok {
					out = append(out, c)
				}
			case e.IsDir():
				walk(path, below+"/")
			}
		}
	}
	walk(filepath.FromSlash(base), "")
	return out
}
