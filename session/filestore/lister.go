package filestore

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/boughdev/bough/session"
)

// A lister brings the rows of some folders up to date.
type lister struct {
	store Store
	cache *listCache
	dirs  []string // names in the cache
	paths []string // the same, with a separator at the end
	whole bool     // these are all folders
	files []listed // by folder and name

	read  atomic.Int64 // bytes, for deciding whether the cache is written
	known int          // rows that the cache had and that still hold
}

// A listed file is one that may be a session.
type listed struct {
	dir   int32
	state freshness
	name  string
	stamp stamp
	row   *cachedRow // of the cache, or read; nil if there is none
}

type freshness uint8

const (
	gone  freshness = iota // no regular file
	stale                  // to be read
	fresh                  // row is right
)

// worthOfFile is what reading a file costs besides its bytes, in bytes.
const worthOfFile = 40 << 10

func (s Store) lister(dirs []string, whole bool, kind cacheKind) *lister {
	l := &lister{store: s, cache: listCacheOf(s.Cache, s.root(), kind), dirs: dirs, whole: whole}
	for _, d := range dirs {
		l.paths = append(l.paths, s.folder(d)+string(filepath.Separator))
	}
	return l
}

func (l *lister) path(f *listed) string { return l.paths[f.dir] + f.name }

// summary returns what a list says of a file.
func (l *lister) summary(f *listed) (session.Summary, bool) {
	if f.state != fresh {
		return session.Summary{}, false
	}
	sum, ok := f.row.summary()
	if ok {
		sum.Path = l.path(f)
	}
	return sum, ok
}

// run yields the summaries, and keeps what was read if that is worth it.
func (l *lister) run(ctx context.Context, yield func(session.Summary, error) bool) {
	l.look(ctx)
	on := true
	for i := range l.files {
		if sum, ok := l.summary(&l.files[i]); ok && on {
			on = yield(sum, nil)
		}
	}
	if on {
		l.scan(ctx, func(f *listed) bool {
			sum, ok := l.summary(f)
			return !ok || yield(sum, nil)
		})
		if err := ctx.Err(); err != nil {
			yield(session.Summary{}, err)
		}
	}
	l.keep()
}

// bigFolder is how many files of a folder one processor looks at.
const bigFolder = 512

// look finds the files and how they are, and takes from the cache what still holds.
func (l *lister) look(ctx context.Context) {
	var read sync.WaitGroup
	read.Go(func() {
		if l.whole {
			l.cache.read(nil)
		} else {
			l.cache.read(l.dirs)
		}
	})
	in := make([][]listed, len(l.dirs))
	parallel(ctx, len(l.dirs), 1, func(i, _ int) {
		d, err := openFolder(l.paths[i])
		if err != nil {
			return // a folder that went away, or is not ours to read
		}
		defer d.Close()
		names := candidates(d.f)
		in[i] = make([]listed, len(names))
		for k, name := range names {
			in[i][k] = listed{dir: int32(i), name: name}
		}
		if len(in[i]) <= bigFolder {
			stat(d, in[i])
		}
	})
	n := 0
	for i, files := range in {
		n += len(files)
		if len(files) > bigFolder {
			parallel(ctx, len(files), bigFolder/4, func(from, to int) {
				if d, err := openFolder(l.paths[i]); err == nil {
					stat(d, files[from:to])
					d.Close()
				}
			})
		}
	}
	read.Wait()
	l.files = make([]listed, 0, n)
	for i, files := range in {
		rows := l.cache.dirs[l.dirs[i]]
		for _, f := range files {
			for len(rows) > 0 && rows[0].name < f.name {
				rows = rows[1:]
			}
			if len(rows) > 0 && rows[0].name == f.name {
				f.row = &rows[0]
				if f.state == stale && f.row.stamp == f.stamp {
					f.state = fresh
					l.known++
				}
			}
			l.files = append(l.files, f)
		}
	}
}

// stat looks at files of a folder. A dangling link must not hide the others.
func stat(d *folder, files []listed) {
	for i := range files {
		f := &files[i]
		var ok bool
		if f.stamp, ok = d.stamp(f.name); ok {
			f.state = stale
		}
	}
}

// candidates returns the names in a folder that may be session files, in order.
func candidates(f *os.File) []string {
	var names []string
	for {
		some, err := f.Readdirnames(1024)
		for _, n := range some {
			if strings.HasSuffix(n, ".jsonl") {
				names = append(names, n)
			}
		}
		if err != nil {
			slices.Sort(names)
			return names
		}
	}
}

// scan reads what is stale in parallel, the newest files first, and calls each, in
// the order in which they are done, until it returns false.
func (l *lister) scan(ctx context.Context, each func(*listed) bool) {
	var todo []*listed
	for i := range l.files {
		if f := &l.files[i]; f.state == stale {
			todo = append(todo, f)
		}
	}
	slices.SortFunc(todo, func(a, b *listed) int { return cmp.Compare(b.stamp.mtime, a.stamp.mtime) })
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan *listed, 64)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		wg.Go(func() {
			w := rowReader{buf: make([]byte, bufferSize), sum: l.cache.kind.fold()}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(todo) {
					return
				}
				l.refresh(ctx, &w, todo[i])
				select {
				case done <- todo[i]:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	on := true
	for f := range done {
		if on = on && each(f); !on {
			cancel()
		}
	}
}

// refresh reads what is new of one file.
func (l *lister) refresh(ctx context.Context, w *rowReader, f *listed) {
	var had cachedRow
	if f.row != nil {
		had = *f.row
	}
	row, read, err := w.read(ctx, l.path(f), had)
	l.read.Add(read + worthOfFile)
	if err != nil {
		f.state = gone // it cannot be read, or went away
		return
	}
	f.state, f.row = fresh, &row
}

// keep writes the cache if to read again what was read would take longer, or if
// much of it is no longer there.
func (l *lister) keep() {
	size, had := int64(0), 0
	for _, rows := range l.cache.dirs {
		had += len(rows)
		for i := range rows {
			size += int64(len(rows[i].raw))
		}
	}
	lost := had - l.known
	if l.cache.path == "" || l.read.Load() <= size/4 && lost <= had/4 {
		return
	}
	n := make([]int, len(l.dirs))
	for i := range l.files {
		n[l.files[i].dir]++
	}
	for i, dir := range l.dirs {
		l.cache.dirs[dir] = make([]cachedRow, 0, n[i])
	}
	for i := range l.files {
		if f := &l.files[i]; f.state == fresh {
			dir := l.dirs[f.dir]
			l.cache.dirs[dir] = append(l.cache.dirs[dir], *f.row)
		}
	}
	l.cache.save(l.whole)
}

// parallel calls do for parts of a range, of that size but for the last, on all
// processors.
func parallel(ctx context.Context, n, size int, do func(from, to int)) {
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			from := int(next.Add(int64(size))) - size
			if from >= n {
				return
			}
			do(from, min(from+size, n))
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+size-1)/size) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
