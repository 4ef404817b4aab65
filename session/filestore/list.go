package filestore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/boughdev/bough/session"
)

// FirstMessageMax is how many bytes of the first message the summaries of a store
// have.
const FirstMessageMax = 200

// List yields what the store has: first what the cache knows and still holds, then
// what must be read, the newest files first. Files that are no sessions or cannot be
// read are left out.
func (s Store) List(ctx context.Context) iter.Seq2[session.Summary, error] {
	return func(yield func(session.Summary, error) bool) {
		dirs, err := s.projects()
		if err != nil {
			yield(session.Summary{}, err)
			return
		}
		l := s.lister(dirs, true, summaries)
		l.run(ctx, yield)
	}
}

// A Listing is all that a store has, the session with the latest message first. What
// a list says of each is made when it is asked for.
type Listing struct {
	Others int // files that are named like sessions and are none

	l     *lister
	order []int32 // places in l.files
}

// Len returns how many sessions there are.
func (l Listing) Len() int { return len(l.order) }

// Session returns what a list says of session i.
func (l Listing) Session(i int) session.Summary {
	sum, _ := l.l.summary(&l.l.files[l.order[i]])
	return sum
}

// Sessions returns all of them.
func (l Listing) Sessions() []session.Summary {
	all := make([]session.Summary, l.Len())
	parallel(context.Background(), len(all), 256, func(from, to int) {
		for i := from; i < to; i++ {
			all[i] = l.Session(i)
		}
	})
	return all
}

// Listing lists what the store has.
func (s Store) Listing(ctx context.Context) (Listing, error) {
	dirs, err := s.projects()
	if err != nil {
		return Listing{}, err
	}
	return s.lister(dirs, true, summaries).listing(ctx)
}

func (l *lister) listing(ctx context.Context) (Listing, error) {
	l.look(ctx)
	l.scan(ctx, func(*listed) bool { return true })
	if err := ctx.Err(); err != nil {
		return Listing{}, err
	}
	l.keep()
	out := Listing{l: l}
	type place struct {
		modified int64
		i        int32
	}
	places := make([]place, 0, len(l.files))
	for i := range l.files {
		switch f := &l.files[i]; {
		case f.state != fresh:
		case f.row.kind&kindMask == noSession:
			out.Others++
		default:
			places = append(places, place{f.row.modified(), int32(i)})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.modified != b.modified {
			return cmp.Compare(b.modified, a.modified)
		}
		return cmp.Compare(l.path(&l.files[b.i]), l.path(&l.files[a.i]))
	})
	out.order = make([]int32, len(places))
	for k, p := range places {
		out.order[k] = p.i
	}
	return out, nil
}

// Recent returns the sessions of a project, the one whose last entry is the latest
// first; a leaf marker counts as an entry. Sessions of another project whose folder
// has the same name are left out.
func (s Store) Recent(ctx context.Context, cwd string) ([]session.Summary, error) {
	l, err := s.lister([]string{s.part(s.Dir(cwd))}, s.Flat != "", summaries).listing(ctx)
	if err != nil {
		return nil, err
	}
	want := clean(cwd)
	found := slices.DeleteFunc(l.Sessions(), func(sum session.Summary) bool { return sum.CWD == "" || !sameFolder(clean(sum.CWD), want) })
	slices.SortStableFunc(found, func(a, b session.Summary) int { return b.Touched.Compare(a.Touched) })
	return found, nil
}

func sameFolder(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Glance returns up to n sessions, the one with the latest message first, as the
// cache has them: at once, and perhaps no longer true. It is for the first screen of
// a list that is on its way.
func (s Store) Glance(n int) []session.Summary {
	c := listCacheOf(s.Cache, s.root(), summaries)
	if c.path == "" {
		return nil
	}
	f, err := os.Open(c.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	h, err := readHead(f, c.kind.magic)
	if err != nil || h.order < 0 || h.rows < 0 || h.rows > listMaxSize/4 {
		return nil
	}
	order := make([]byte, 4+4*h.rows)
	if _, err := f.ReadAt(order, h.end+h.order); err != nil || binary.LittleEndian.Uint32(order) != sumOf(order[4:]) {
		return nil
	}
	var out []session.Summary
	for order = order[4:]; len(order) > 0 && len(out) < n; order = order[4:] {
		at := int64(binary.LittleEndian.Uint32(order))
		i := slices.IndexFunc(h.dirs, func(p listPart) bool { return p.begin <= at && at < p.end })
		head := make([]byte, 1024)
		got, err := f.ReadAt(head, h.end+at)
		if i < 0 || got < 8 || err != nil && err != io.EOF {
			return out
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		if size > h.dirs[i].end-at {
			return out
		}
		row := make([]byte, 8+size)
		if copy(row, head[:got]) < len(row) {
			if _, err := f.ReadAt(row, h.end+at); err != nil {
				return out
			}
		}
		for _, row := range rowsOf(row, 1) {
			if sum, ok := row.summary(); ok {
				sum.Path = filepath.Join(s.folder(h.dirs[i].name), row.name)
				out = append(out, sum)
			}
		}
	}
	return out
}

// root is what the store lists, and what its cache is named by.
func (s Store) root() string {
	root := s.Flat
	if root == "" {
		root = s.Root
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return root
}

// part returns the name in the cache of a folder of sessions, folder the reverse.
func (s Store) part(dir string) string {
	if s.Flat != "" {
		return "."
	}
	return filepath.Base(dir)
}

func (s Store) folder(part string) string {
	if s.Flat != "" {
		return s.Flat
	}
	return filepath.Join(s.Root, part)
}

// projects returns the folders with sessions.
func (s Store) projects() ([]string, error) {
	if s.Flat != "" {
		return []string{"."}, nil
	}
	entries, err := os.ReadDir(s.Root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			dirs = append(dirs, e.Name())
		}
	}
	return dirs, nil
}
