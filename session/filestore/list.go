package filestore

import (
	"bytes"
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
	"sync"
	"sync/atomic"
	"time"

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
		l := s.lister(dirs, true)
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
	return s.lister(dirs, true).listing(ctx)
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
	l, err := s.lister([]string{s.part(s.Dir(cwd))}, s.Flat != "").listing(ctx)
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
	c := listCacheOf(s.Cache, s.root())
	if c.path == "" {
		return nil
	}
	f, err := os.Open(c.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	h, err := readHead(f)
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

func (s Store) lister(dirs []string, whole bool) *lister {
	l := &lister{store: s, cache: listCacheOf(s.Cache, s.root()), dirs: dirs, whole: whole}
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
			w := rowReader{buf: make([]byte, bufferSize)}
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

// A rowReader makes rows of files, one after the other.
type rowReader struct {
	buf []byte
	sum session.Summarizer
	row []byte // as it is encoded
}

// most is how much memory a rowReader keeps between files.
const most = 4 << 20

// read returns the row of a file and how many bytes were read for it. had is an
// older row; if the file is the same and has grown it goes on from there.
func (w *rowReader) read(ctx context.Context, path string, had cachedRow) (row cachedRow, read int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return row, 0, err
	}
	defer f.Close()
	row.name = filepath.Base(path)
	if row.stamp, err = stampOfFile(f); err != nil {
		return row, 0, err
	}
	if len(w.buf) > most {
		w.buf = make([]byte, bufferSize)
	}
	w.sum.First = FirstMessageMax
	size := row.stamp.size
	if w.grown(f, had, row.stamp) {
		err := w.rest(ctx, f, &row, had.stamp.size, 0)
		return w.encode(row), size - had.stamp.size, err
	}
	first := w.buf[:min(size, int64(len(w.buf)))]
	if n, err := f.ReadAt(first, 0); n < len(first) {
		return row, 0, cmp.Or(err, io.ErrUnexpectedEOF) // cut while we read
	}
	h, err := headerIn(first, f, size)
	switch {
	case errors.Is(err, session.ErrNotSession):
		row.kind = noSession
		return w.encode(row), int64(len(first)), nil
	case err != nil:
		return row, 0, err
	case h.Version < session.Version:
		err = w.old(ctx, path, &row)
	default:
		w.sum.Begin(h)
		err = w.rest(ctx, f, &row, 0, len(first))
	}
	return w.encode(row), size, err
}

// encode completes a row.
func (w *rowReader) encode(row cachedRow) cachedRow {
	var modified time.Time
	if row.kind&kindMask != noSession {
		if modified = w.sum.Summary().Modified; modified.IsZero() {
			row.kind |= byFileTime
			modified = row.stamp.time()
		}
	}
	w.row = row.append(w.row[:0], modified)
	head := len(w.row)
	if row.kind&kindMask != noSession {
		w.row = w.sum.Dump(w.row)
	}
	row.raw = string(w.row)
	row.dump = row.raw[head:]
	return row
}

// headerIn finds the header in the beginning of a file, if it is there.
func headerIn(first []byte, f io.ReaderAt, size int64) (session.Header, error) {
	whole := first
	if int64(len(first)) < size {
		whole = first[:bytes.LastIndexByte(first, '\n')+1]
	}
	h, _, err := session.FindHeader(bytes.TrimPrefix(whole, byteOrderMark))
	if err != nil && int64(len(first)) < size {
		return headerOf(f, size)
	}
	return h, err
}

// grown goes back to a file as it was, if that can be gone on with.
func (w *rowReader) grown(f io.ReaderAt, had cachedRow, now stamp) bool {
	was := had.stamp
	if had.kind&kindMask != growing || was.dev != now.dev || was.ino != now.ino || was.size > now.size {
		return false
	}
	print, err := w.printOf(f, was.size)
	return err == nil && print == had.print && w.sum.Restore(had.dump)
}

// printOf is [fingerprint] in brief.
func (w *rowReader) printOf(f io.ReaderAt, size int64) (uint64, error) {
	sum, err := fingerprint(f, size)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(sum), nil
}

// rest folds in the lines from a place on, of which have bytes are in buf.
func (w *rowReader) rest(ctx context.Context, f *os.File, row *cachedRow, from int64, have int) error {
	size := row.stamp.size
	all := from == 0 && int64(have) == size
	ended, err := w.lines(ctx, f, from, size, have)
	if err != nil {
		return err
	}
	row.kind = standing
	if ended && size > 0 {
		row.kind = growing
		if all {
			row.print, err = w.printOf(bytes.NewReader(w.buf[:size]), size)
		} else {
			row.print, err = w.printOf(f, size)
		}
	}
	return err
}

// lines folds in the lines of a part of a file, whose first bytes are in buf, and
// reports whether the last of them has its line end.
func (w *rowReader) lines(ctx context.Context, f *os.File, from, to int64, have int) (ended bool, err error) {
	rest := w.buf[:have] // read, not taken
	if from == 0 {
		rest = bytes.TrimPrefix(rest, byteOrderMark)
	}
	for pos := from + int64(have); ; {
		for {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			w.sum.Line(rest[:i])
			rest = rest[i+1:]
		}
		if pos >= to {
			break
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		held := copy(w.buf, rest)
		switch {
		case held == len(w.buf) && held >= session.MaxLine:
			w.sum.Line(w.buf[:frontSize]) // junk
			if pos, err = nextLine(f, pos, to); err != nil {
				return false, err
			}
			held = 0
		case held == len(w.buf):
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
		n := int(min(to-pos, int64(len(w.buf)-held)))
		if got, err := f.ReadAt(w.buf[held:held+n], pos); got < n {
			return false, cmp.Or(err, io.ErrUnexpectedEOF) // cut while we read
		}
		rest = w.buf[:held+n]
		pos += int64(n)
	}
	if len(rest) > 0 {
		w.sum.Line(rest)
	}
	return len(rest) == 0, nil
}

// nextLine returns where the line behind the one at pos begins.
func nextLine(f io.ReaderAt, pos, to int64) (int64, error) {
	for b := make([]byte, bufferSize); pos < to; {
		n, err := f.ReadAt(b[:min(int64(len(b)), to-pos)], pos)
		if i := bytes.IndexByte(b[:n], '\n'); i >= 0 {
			return pos + int64(i) + 1, nil
		}
		if pos += int64(n); err != nil {
			return pos, err
		}
	}
	return pos, nil
}

// old makes the row of a file of an old version, of what it migrates to.
func (w *rowReader) old(ctx context.Context, path string, row *cachedRow) error {
	l, err := openFile(path, SyncOff)
	if err != nil {
		return err
	}
	defer l.Close()
	w.sum.Begin(l.Header())
	for e, err := range l.Entries(ctx, 0) {
		if err != nil {
			return err
		}
		line, err := e.Raw()
		if err != nil {
			return err
		}
		w.sum.Line(line)
	}
	row.kind = standing
	return nil
}
