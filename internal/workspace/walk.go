package workspace

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is a file or folder that [Walk] comes by.
type Entry struct {
	Rel  string // below the folder of the walk, with forward slashes
	Path string // the whole path, for the workspace
	Type fs.FileMode
	Err  error // why a folder, which is Rel, could not be listed
}

// Walk yields what is below a folder, in the order of the relative paths, a
// folder before what is in it. Links are not followed. Left out are .git and what
// .gitignore, .ignore and .git/info/exclude leave out, those of the folders above
// included: in a repository up to its root, elsewhere up to the workspace's
// folder. The last pair may carry an error.
func Walk(ctx context.Context, ws Workspace, dir string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		base := withSlash(filepath.ToSlash(dir))
		w := walker{ctx: ctx, ws: ws, yield: yield, strip: len(base)}
		list, err := ws.ReadDir(ctx, dir)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		w.list(base, list, above(ctx, ws, dir))
		if w.err != nil {
			yield(Entry{}, w.err)
		}
	}
}

// above collects the rules of the folders that dir is in.
func above(ctx context.Context, ws Workspace, dir string) *level {
	has := func(dir, name string) bool {
		_, err := ws.Stat(ctx, filepath.Join(dir, name))
		return err == nil
	}
	if has(dir, ".git") {
		return nil
	}
	var dirs []string // of the innermost first
	found := false
	for at := dir; !found; {
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
		dirs = append(dirs, at)
		found = has(at, ".git")
	}
	if !found {
		end := slices.Index(dirs, ws.Dir())
		dirs = dirs[:end+1]
	}
	var l *level
	for _, at := range slices.Backward(dirs) {
		l = enter(ctx, ws, l, withSlash(filepath.ToSlash(at)), func(name string) bool { return has(at, name) })
	}
	return l
}

type walker struct {
	ctx   context.Context
	ws    Workspace
	yield func(Entry, error) bool
	strip int // length of what paths have before the relative one
	err   error
}

func withSlash(dir string) string {
	if strings.HasSuffix(dir, "/") {
		return dir
	}
	return dir + "/"
}

// list walks the entries of a folder, whose path base has forward slashes and
// one at the end; false means that the walk is over.
func (w *walker) list(base string, entries []fs.DirEntry, l *level) bool {
	l = enter(w.ctx, w.ws, l, base, func(name string) bool {
		_, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		return ok
	})
	sortAsPaths(entries)
	for _, e := range entries {
		name := e.Name()
		if name == ".git" {
			continue
		}
		full := base + name
		if l.ignores(full, name, e.IsDir()) {
			continue
		}
		found := Entry{Rel: full[w.strip:], Path: filepath.FromSlash(full), Type: e.Type()}
		if !w.yield(found, nil) || e.IsDir() && !w.enter(found, full, l) {
			return false
		}
	}
	return true
}

func (w *walker) enter(e Entry, full string, l *level) bool {
	entries, err := w.ws.ReadDir(w.ctx, e.Path)
	if w.ctx.Err() != nil {
		w.err = w.ctx.Err()
		return false
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.Err = err
		return w.yield(e, nil)
	}
	return w.list(full+"/", entries, l)
}

// sortAsPaths sorts so that a walk comes by paths in their order as strings: a
// folder stands where its name with a slash does.
func sortAsPaths(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		x, y := a.Name(), b.Name()
		n := min(len(x), len(y))
		if x[:n] != y[:n] {
			return strings.Compare(x, y)
		}
		return int(next(a, n)) - int(next(b, n))
	})
}

// next returns the byte behind the first n of an entry's path.
func next(e fs.DirEntry, n int) byte {
	switch {
	case len(e.Name()) > n:
		return e.Name()[n]
	case e.IsDir():
		return '/'
	}
	return 0
}
