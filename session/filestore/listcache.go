package filestore

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/boughdev/bough/session"
)

// A list cache is one file for all sessions of a root: for each session file how
// it looked and what a list says of it, by folders, so that the list of one project
// reads no more than its part. It lies in the cache folder, may be deleted or cut
// at any time, and is believed only as far as its sums are right and the files are
// as it says.
//
//	magic 8 | sum 4 | length of the head 4 | head | rows of each folder | order
//
//	head   the number of folders, then for each: its name, how many rows, where
//	       they begin (8) and end (8); then where the order begins (8), and
//	       how many sessions it has (8)
//	row    sum 4 | length 4 | time of the last message, ms 8 | kind 1 | device |
//	       inode | size | time of the file, ns 8 | print 8 | name | dump of the
//	       session.Summarizer, or of the session.Biller
//	order  sum 4 | where the row of each session begins 4, latest message first
//
// Places are counted from the end of the head, numbers without a width are
// varints, others are little-endian; sums are CRC-32C of what follows.
type listCache struct {
	path string
	kind cacheKind
	dirs map[string][]cachedRow // by folder; by file name in each
}

// A cachedRow is what is known of one file.
type cachedRow struct {
	raw   string // as it stands in a cache, without sum and length
	name  string // of the file
	stamp stamp
	kind  rowKind
	print uint64 // of what was read
	dump  string // of a session
}

// A stamp tells whether a file is still as it was.
type stamp struct {
	dev, ino    uint64
	size, mtime int64 // bytes; Unix nanoseconds
}

func (s stamp) time() time.Time { return time.Unix(0, s.mtime).UTC() }

type rowKind uint8

const (
	noSession  rowKind = iota
	growing            // a session whose rows can go on behind its size
	standing           // a session that must be read again whole if it changes
	kindMask   = 3
	byFileTime = 4 // the time of the last message is that of the file
)

const listMaxSize = 1 << 30

// A cacheKind says what dumps a cache has. There is one file of each for a root.
type cacheKind struct {
	magic string // changes with the form, and with that of dumps
	ext   string
	fold  func() fold
}

// A fold makes a dump of the lines of a session.
type fold interface {
	Begin(session.Header)
	Line([]byte) bool
	Summary() session.Summary
	Dump([]byte) []byte
	Restore(string) bool
}

var (
	summaries = cacheKind{"boughls\x01", ".list", func() fold { return &session.Summarizer{First: FirstMessageMax} }}
	bills     = cacheKind{"boughbl\x01", ".bills", func() fold {
		return &session.Biller{Summarizer: session.Summarizer{First: FirstMessageMax}}
	}}
)

// listCacheOf returns the cache of a root, with nothing read.
func listCacheOf(cache, root string, kind cacheKind) *listCache {
	c := &listCache{kind: kind, dirs: map[string][]cachedRow{}}
	if cache != "" {
		sum := sha256.Sum256([]byte(root))
		c.path = filepath.Join(cache, "lists", hex.EncodeToString(sum[:16])+kind.ext)
	}
	return c
}

// listHead is the head of a cache file.
type listHead struct {
	end         int64 // of the head in the file
	dirs        []listPart
	order, rows int64
}

// listPart says where the rows of a folder are.
type listPart struct {
	name       string
	rows       int
	begin, end int64
}

// readHead reads the head of an open cache.
func readHead(f io.ReaderAt, magic string) (h listHead, err error) {
	b := make([]byte, 16<<10)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return h, err
	}
	b = b[:n]
	if n < 16 || string(b[:8]) != magic {
		return h, os.ErrInvalid
	}
	h.end = int64(binary.LittleEndian.Uint32(b[12:]))
	if h.end < 16 || h.end > listMaxSize {
		return h, os.ErrInvalid
	}
	if h.end > int64(n) {
		b = make([]byte, h.end)
		if _, err := f.ReadAt(b, 0); err != nil {
			return h, err
		}
	}
	b = b[:h.end]
	if binary.LittleEndian.Uint32(b[8:]) != sumOf(b[12:]) {
		return h, os.ErrInvalid
	}
	r := reader{rest: string(b[16:])}
	h.dirs = make([]listPart, r.count(19))
	for i := range h.dirs {
		h.dirs[i] = listPart{r.text(), r.count(0), int64(r.fixed()), int64(r.fixed())}
	}
	h.order, h.rows = int64(r.fixed()), int64(r.fixed())
	if r.bad || r.rest != "" {
		return h, os.ErrInvalid
	}
	return h, nil
}

func sumOf(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// read reads the rows of some folders; nil means all. What is damaged is as if it
// were not there.
func (c *listCache) read(dirs []string) {
	if c.path == "" {
		return
	}
	f, err := os.Open(c.path)
	if err != nil {
		return
	}
	defer f.Close()
	h, err := readHead(f, c.kind.magic)
	if err != nil {
		return
	}
	parts := h.dirs
	if dirs != nil {
		parts = slices.DeleteFunc(slices.Clone(parts), func(p listPart) bool { return !slices.Contains(dirs, p.name) })
	}
	if len(parts) == 0 {
		return
	}
	info, err := f.Stat()
	if err != nil || info.Size() > listMaxSize {
		return
	}
	begin, end := parts[0].begin, parts[0].end
	for _, p := range parts {
		begin, end = min(begin, p.begin), max(end, p.end)
	}
	if begin < 0 || end < begin || end > info.Size()-h.end {
		return
	}
	data := make([]byte, end-begin)
	if _, err := f.ReadAt(data, h.end+begin); err != nil {
		return
	}
	for _, p := range parts {
		if p.begin <= p.end && p.begin >= begin {
			c.dirs[p.name] = rowsOf(data[p.begin-begin:p.end-begin], p.rows)
		}
	}
}

// rowsOf reads the rows of a folder. data is kept and must not change.
func rowsOf(data []byte, n int) []cachedRow {
	rows := make([]cachedRow, 0, min(n, len(data)/8))
	for len(data) >= 8 {
		size := int64(binary.LittleEndian.Uint32(data[4:]))
		if size > int64(len(data)-8) {
			break
		}
		raw := data[8 : 8+size]
		if sumOf(raw) != binary.LittleEndian.Uint32(data) {
			break
		}
		row, ok := rowOf(unsafe.String(unsafe.SliceData(raw), len(raw)))
		if !ok {
			break
		}
		rows = append(rows, row)
		data = data[8+size:]
	}
	return rows
}

// rowOf reads a row, of which it returns parts.
func rowOf(raw string) (row cachedRow, ok bool) {
	r := reader{rest: raw}
	r.fixed()
	row = cachedRow{raw: raw, kind: rowKind(r.byte())}
	row.stamp = stamp{r.uvarint(), r.uvarint(), int64(r.uvarint()), int64(r.fixed())}
	row.print = r.fixed()
	row.name = r.text()
	row.dump = r.rest
	return row, !r.bad
}

// append appends what a cache has of a row before the dump.
func (row *cachedRow) append(b []byte, modified time.Time) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(modified.UnixMilli()))
	b = append(b, byte(row.kind))
	b = binary.AppendUvarint(b, row.stamp.dev)
	b = binary.AppendUvarint(b, row.stamp.ino)
	b = binary.AppendUvarint(b, uint64(row.stamp.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(row.stamp.mtime))
	b = binary.LittleEndian.AppendUint64(b, row.print)
	b = binary.AppendUvarint(b, uint64(len(row.name)))
	return append(b, row.name...)
}

// modified is when the last message came, in Unix milliseconds.
func (row *cachedRow) modified() int64 { return int64(binary.LittleEndian.Uint64([]byte(row.raw[:8]))) }

// summary returns what a list says of the session of a row, without its path.
func (row *cachedRow) summary() (session.Summary, bool) {
	if row.kind&kindMask == noSession {
		return session.Summary{}, false
	}
	s, ok := session.SummaryOf(row.dump)
	s.Size = row.stamp.size
	if row.kind&byFileTime != 0 {
		s.Modified = row.stamp.time()
	}
	return s, ok
}

// save writes the cache anew with the rows of c. With whole set these are all
// there are; otherwise folders that c has nothing of stay as they are in the file.
// Another process may do the same: one of the two files is the cache then, and
// both are right. If it cannot be written the next list takes longer.
func (c *listCache) save(whole bool) {
	if !whole {
		had := listCache{path: c.path, kind: c.kind, dirs: map[string][]cachedRow{}}
		had.read(nil)
		for name, rows := range had.dirs {
			if _, ok := c.dirs[name]; !ok {
				c.dirs[name] = rows
			}
		}
	}
	type place struct {
		modified int64
		at       uint32
	}
	var order []place
	at := int64(0)
	names := slices.Sorted(maps.Keys(c.dirs))
	head := binary.AppendUvarint(make([]byte, 16), uint64(len(names)))
	for _, name := range names {
		rows := c.dirs[name]
		slices.SortFunc(rows, func(a, b cachedRow) int { return strings.Compare(a.name, b.name) })
		head = binary.AppendUvarint(head, uint64(len(name)))
		head = append(head, name...)
		head = binary.AppendUvarint(head, uint64(len(rows)))
		head = binary.LittleEndian.AppendUint64(head, uint64(at))
		for i := range rows {
			if rows[i].kind&kindMask != noSession {
				order = append(order, place{rows[i].modified(), uint32(at)})
			}
			at += 8 + int64(len(rows[i].raw))
		}
		head = binary.LittleEndian.AppendUint64(head, uint64(at))
	}
	if at > listMaxSize {
		return
	}
	head = binary.LittleEndian.AppendUint64(head, uint64(at))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(order)))
	copy(head, c.kind.magic)
	binary.LittleEndian.PutUint32(head[12:], uint32(len(head)))
	binary.LittleEndian.PutUint32(head[8:], sumOf(head[12:]))
	slices.SortFunc(order, func(a, b place) int { return cmp.Or(cmp.Compare(b.modified, a.modified), cmp.Compare(a.at, b.at)) })
	last := make([]byte, 4, 4+4*len(order))
	for _, o := range order {
		last = binary.LittleEndian.AppendUint32(last, o.at)
	}
	binary.LittleEndian.PutUint32(last, sumOf(last[4:]))

	replaceCache(c.path, func(w *bufio.Writer) {
		w.Write(head) // bufio keeps the first error for Flush
		var b []byte
		for _, name := range names {
			for _, row := range c.dirs[name] {
				b = binary.LittleEndian.AppendUint32(append(b[:0], 0, 0, 0, 0), uint32(len(row.raw)))
				b = append(b, row.raw...)
				binary.LittleEndian.PutUint32(b, sumOf(b[8:]))
				w.Write(b)
			}
		}
		w.Write(last)
	})
}

// replaceCache puts a file in the place of path, whole or not at all.
func replaceCache(path string, write func(*bufio.Writer)) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return
	}
	w := bufio.NewWriterSize(f, 1<<16)
	write(w)
	err = w.Flush()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name()) // ours, and of no use
	}
	sweep(dir)
}

// sweep removes what processes left behind that were killed while they wrote a
// cache.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".new-") {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, e.Name())) // a cache of nobody
		}
	}
}

// reader reads numbers and texts; once it is bad it gives nothing.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.rest) {
		r.bad, r.rest = true, ""
		return ""
	}
	t := r.rest[:n]
	r.rest = r.rest[n:]
	return t
}

func (r *reader) byte() byte {
	if t := r.take(1); t != "" {
		return t[0]
	}
	return 0
}

func (r *reader) fixed() (n uint64) {
	t := r.take(8)
	for i := range len(t) {
		n |= uint64(t[i]) << (8 * i)
	}
	return n
}

func (r *reader) uvarint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		n |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return n
		}
	}
	r.bad, r.rest = true, ""
	return 0
}

// count reads how many things of at least that size follow.
func (r *reader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.rest)/max(size, 1)) && size > 0 || n > listMaxSize {
		r.bad, r.rest = true, ""
		return 0
	}
	return int(n)
}

func (r *reader) text() string { return r.take(r.count(1)) }
