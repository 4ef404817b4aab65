package filestore

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/boughdev/bough/session"
)

// A Head is a session file as far as its header.
type Head struct {
	Path   string
	Header session.Header
	Info   fs.FileInfo
}

// minAffix is how much of the end of an id must be given.
const minAffix = 4

// Find returns the sessions that a word for one may mean, for somebody in the folder
// cwd: those of the first kind of which there are any, the one written to last first
// (docs/spec/session.md 10.3). The kinds are: the word is the id of a session of
// cwd; it begins or ends such an id; and the same for sessions of other folders.
// The end of an id must be at least four characters.
func (s Store) Find(ctx context.Context, cwd, word string) ([]Head, error) {
	want := clean(cwd)
	return s.heads(ctx, func(id, in string) int {
		kind := 0
		switch {
		case id == word:
		case word != "" && strings.HasPrefix(id, word), len(word) >= minAffix && strings.HasSuffix(id, word):
			kind = 1
		default:
			return -1
		}
		if in == "" || !sameFolder(clean(in), want) {
			kind += 2
		}
		return kind
	})
}

// WithID returns the sessions of exactly that id, the one written to last first.
// Copies of a file, and what programs make that begin at the same time, may be
// several.
func (s Store) WithID(ctx context.Context, id string) ([]Head, error) {
	return s.heads(ctx, func(have, _ string) int {
		if have == id {
			return 0
		}
		return -1
	})
}

// heads returns the sessions of the lowest kind that there is; those of a negative
// one are left out. Of a file that the cache does not know only the header is read.
func (s Store) heads(ctx context.Context, kind func(id, cwd string) int) ([]Head, error) {
	dirs, err := s.projects()
	if err != nil {
		return nil, err
	}
	l := s.lister(dirs, true, summaries)
	l.look(ctx)
	kinds := make([]int, len(l.files))
	parallel(ctx, len(l.files), 16, func(from, to int) {
		for i := from; i < to; i++ {
			f := &l.files[i]
			kinds[i] = -1
			switch f.state {
			case fresh:
				if sum, ok := f.row.summary(); ok {
					kinds[i] = kind(sum.ID, sum.CWD)
				}
			case stale:
				if h, err := readHeader(l.path(f)); err == nil {
					kinds[i] = kind(h.ID, h.CWD)
				}
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	best := -1
	for _, k := range kinds {
		if k >= 0 && (best < 0 || k < best) {
			best = k
		}
	}
	var found []Head
	for i, k := range kinds {
		if k < 0 || k != best {
			continue
		}
		path := l.path(&l.files[i])
		info, err := os.Stat(path)
		if err != nil {
			continue // it went away
		}
		if h, err := readHeader(path); err == nil {
			found = append(found, Head{path, h, info})
		}
	}
	// Files of one moment: their names begin with the time at which they were made.
	slices.SortStableFunc(found, func(a, b Head) int {
		return cmp.Or(b.Info.ModTime().Compare(a.Info.ModTime()), strings.Compare(b.Path, a.Path))
	})
	return found, nil
}

// Open opens the session of that id, or, if id is a path, of that file. Of several
// of an id it is the one that was written to last.
func (s Store) Open(ctx context.Context, id string) (session.Log, error) {
	if IsPath(id) {
		return logOf(s.openFile(id))
	}
	found, err := s.WithID(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("open session %s: %w", id, session.ErrNotFound)
	}
	return logOf(s.openFile(found[0].Path))
}
