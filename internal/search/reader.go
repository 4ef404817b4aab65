package search

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/boughdev/bough/session"
)

// A reader goes through the lines of files that pass a filter, one file after the
// other.
type reader struct {
	filter filter
	each   func(line []byte) // the bytes are good until it returns
	enough func() bool       // nil: the whole file is wanted

	buf    []byte
	pieces []piece // room for those of a line
	read   int64   // bytes
}

// Sizes of buffers, in bytes: to begin with, and what is kept between files.
const (
	bufferSize = 256 << 10
	keepBuffer = 4 << 20
)

// parallel calls do for 0 to n-1 on all processors, each with a reader of its own,
// in about that order, until it returns false.
func parallel(ctx context.Context, n int, do func(r *reader, i int) bool) (read int64) {
	var next, bytes atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			r := &reader{buf: make([]byte, bufferSize)}
			defer func() { bytes.Add(r.read) }()
			for ctx.Err() == nil {
				if i := int(next.Add(1)) - 1; i >= n || !do(r, i) {
					return
				}
			}
		})
	}
	wg.Wait()
	return bytes.Load()
}

// file goes through the file of a session.
func (r *reader) file(ctx context.Context, s *session.Summary) error {
	if s.Path == "" {
		return nil // a session without a file
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if len(r.buf) > keepBuffer {
		r.buf = make([]byte, bufferSize)
	}
	size := info.Size()
	held := 0 // bytes of an unfinished line at the front of buf
	for pos := int64(0); pos < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if held == len(r.buf) {
			if held >= session.MaxLine {
				return nil // nobody reads such a line
			}
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
		n, err := f.ReadAt(r.buf[held:min(int64(len(r.buf)), int64(held)+size-pos)], pos)
		if n == 0 && err != nil {
			return nil // cut while we read
		}
		if pos == 0 && isOld(r.buf[:n]) {
			return r.oldFile(f, size)
		}
		pos += int64(n)
		r.read += int64(n)
		b := r.buf[:held+n]
		whole := bytes.LastIndexByte(b, '\n') + 1
		if pos >= size {
			whole = len(b)
		}
		r.filter.lines(b[:whole], r.each)
		if r.enough != nil && r.enough() {
			return nil
		}
		held = copy(r.buf, b[whole:])
	}
	return nil
}

// isOld reports whether a file that begins like this is of an old version, whose
// entries have no ids.
func isOld(b []byte) bool {
	h, _, err := session.FindHeader(bytes.TrimPrefix(b, []byte("\uFEFF")))
	return err == nil && h.Version < session.Version
}

func (r *reader) oldFile(f io.ReaderAt, size int64) error {
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return err
	}
	r.read += int64(n)
	_, entries, err := session.Load(bytes.TrimPrefix(data[:n], []byte("\uFEFF")))
	if err != nil {
		return nil // no session any more
	}
	for _, e := range entries {
		if line, err := e.Raw(); err == nil {
			r.each(line)
		}
	}
	return nil
}
