package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"sync"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// Sizes of reading, in bytes.
const (
	chunkSize  = 16 << 20  // what one worker takes at a time
	bufferSize = 256 << 10 // what is read at once; stays in the processor's cache
	frontSize  = 4 << 10   // what is kept of a line that is longer than the buffer

	strictSize    = 1 << 20 // of a shorter file every byte is looked at, which takes a millisecond
	worthKeeping  = 4 << 20 // a shorter file is read faster than its sidecar is found
	worthSkipping = 8 << 20 // of a longer file the end is read first
)

// Index returns the records of all entries up to the end as it is now. What the
// sidecar has of a large file is not read again.
//
// A reading that salvages is made only of a file in which the usual one has found
// damage: a line that is no entry, a parent that is missing, an id that comes twice.
// The usual one knows most lines by their front; so as not to miss damage behind
// that it looks at every byte of a small file, and of the last entry of all others.
func (l *log) Index(ctx context.Context) (*session.Index, error) {
	l.mu.Lock()
	f, old, side := l.f, l.old, l.side
	l.mu.Unlock()
	if old != nil {
		return l.indexOld(ctx, old)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read session file: %w", err)
	}
	size := info.Size()
	x, covered := side.load(f, info)
	had := x.Len()
	junk, err := scanFile(ctx, f, x, covered, size, size <= strictSize)
	if err == nil && size > strictSize && x.Len() > had && !l.isWhole(x.LastLine()) {
		junk++
		if !l.live {
			x = session.NewIndex()
			_, err = scanFile(ctx, f, x, 0, size, true)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read session file: %w", err)
	}
	damaged := junk > 0 || x.Damaged()
	if damaged && l.live {
		return l.salvage(Lines(ctx, f, 0, session.Seq(size), &err), &err)
	}
	if size >= worthKeeping && !damaged && (covered == 0 || x.Len()-had > max(1000, had/20)) {
		side.save(f, info, x) // a cache that cannot be written costs time only
		if mapped, end := side.load(f, info); end == int64(x.End()) {
			return mapped, nil // whose pages the system may take back
		}
	}
	return x, nil
}

// isWhole reports whether a line is JSON to its end, or too long to tell.
func (l *log) isWhole(at session.Line) bool {
	line, err := l.Read(at)
	return err != nil || rawjson.Valid(line)
}

// indexOld is Index of a file of an old version.
func (l *log) indexOld(ctx context.Context, old *oldVersion) (*session.Index, error) {
	x := session.NewIndex()
	s := session.Scan{Strict: true}
	s.Lines(old.data, 0)
	x.Append(&s)
	if l.live && (s.Junk > 0 || x.Damaged()) {
		err := ctx.Err()
		return l.salvage(session.Lines(old.data, 0), &err)
	}
	return x, nil
}

// salvage returns the index of a damaged file. err tells how reading the lines went.
func (l *log) salvage(lines iter.Seq2[session.Line, []byte], err *error) (*session.Index, error) {
	var s session.Salvage
	for at, line := range lines {
		s.Line(line, at)
	}
	if *err != nil {
		return nil, fmt.Errorf("read session file: %w", *err)
	}
	x, xerr := s.Index(l)
	if xerr != nil {
		return nil, fmt.Errorf("read session file: %w", xerr)
	}
	return x, nil
}

// Recent returns the records of the entries in the last n bytes, and whether
// these are all there are.
func (l *log) Recent(ctx context.Context, n int64) (x *session.Index, all bool, err error) {
	l.mu.Lock()
	f, old := l.f, l.old
	l.mu.Unlock()
	if old != nil || l.live {
		x, err := l.Index(ctx)
		return x, true, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("read session file: %w", err)
	}
	if _, covered := l.side.load(f, info); covered == info.Size() || info.Size() <= worthSkipping {
		x, err := l.Index(ctx)
		return x, true, err
	}
	from := max(0, info.Size()-n)
	x = session.NewIndex()
	var s session.Scan
	if err := scanLines(ctx, f, from, info.Size(), info.Size(), &s); err != nil {
		return nil, false, fmt.Errorf("read session file: %w", err)
	}
	x.Append(&s)
	if x.Len() > 0 && !l.isWhole(x.LastLine()) {
		x, err := l.Index(ctx)
		return x, true, err
	}
	return x, from == 0, nil
}

// ReadAhead reads several lines at once.
func (l *log) ReadAhead(b []byte, from session.Seq) (int, error) {
	l.mu.Lock()
	old := l.old
	l.mu.Unlock()
	if old != nil {
		return copy(b, old.data[min(int(from), len(old.data)):]), nil
	}
	n, err := l.readAt(b, int64(from))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// scanFile adds the records of a part of a file that begins at the start of a
// line, and returns how many lines are no entries but hold something.
func scanFile(ctx context.Context, f *os.File, x *session.Index, from, size int64, strict bool) (junk int, err error) {
	chunks := int((size - from + chunkSize - 1) / chunkSize)
	if chunks <= 1 {
		s := session.Scan{Strict: strict}
		err := scanLines(ctx, f, from, size, size, &s)
		x.Append(&s)
		return s.Junk, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	scans := make([]session.Scan, chunks)
	done := make([]chan error, chunks)
	for i := range done {
		done[i] = make(chan error, 1)
	}
	var next int
	var mu sync.Mutex // guards next
	var wg sync.WaitGroup
	for range min(chunks, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= chunks {
					return
				}
				a := from + int64(i)*chunkSize
				scans[i].Strict = strict
				done[i] <- scanLines(ctx, f, a, min(a+chunkSize, size), size, &scans[i])
			}
		})
	}
	for i := range chunks {
		cerr := <-done[i]
		if err == nil && cerr != nil {
			err = cerr
			cancel()
		}
		if err == nil {
			x.Append(&scans[i])
			junk += scans[i].Junk
		}
		scans[i] = session.Scan{} // its records are in x
	}
	wg.Wait()
	return junk, err
}

// scanLines adds the records of the lines that begin in [from, to). The file is
// read up to size at most.
func scanLines(ctx context.Context, f io.ReaderAt, from, to, size int64, s *session.Scan) error {
	r := &lineReader{f: f, pos: from, size: size, buf: make([]byte, 0, bufferSize)}
	if from > 0 {
		// The line that from lies in belongs to those before, unless it begins there.
		r.pos = from - 1
		if err := r.skip(to); err != nil {
			return err
		}
	}
	for r.at < to && r.at < size {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.lines(to, s); err != nil {
			return err
		}
	}
	return nil
}

// lineReader reads a file line by line without holding a long line whole.
type lineReader struct {
	f    io.ReaderAt
	size int64  // of the file
	pos  int64  // what is read next
	at   int64  // where the bytes of buf begin: always at the start of a line
	buf  []byte // read, not taken
}

// fill reads on. It returns io.EOF at the end.
func (r *lineReader) fill() error {
	free := r.buf[len(r.buf):cap(r.buf)]
	if left := r.size - r.pos; int64(len(free)) > left {
		free = free[:left]
	}
	if len(free) == 0 {
		return io.EOF
	}
	n, err := r.f.ReadAt(free, r.pos)
	r.buf = r.buf[:len(r.buf)+n]
	r.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil // cut while we read, or just its end: seen with the next call
	}
	return err
}

// skip goes on to the start of the next line, or to a place behind to if none
// begins before that: a very long line is not read once for each part it lies in.
func (r *lineReader) skip(to int64) error {
	for {
		r.buf = r.buf[:0]
		if r.at = r.pos; r.at >= to {
			return nil
		}
		begin := r.pos
		err := r.fill()
		if i := bytes.IndexByte(r.buf, '\n'); i >= 0 {
			r.at = begin + int64(i) + 1
			r.buf = r.buf[:copy(r.buf, r.buf[i+1:])]
			return nil
		}
		if err != nil {
			r.at = r.size
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// lines takes the whole lines of what is read, up to those that begin at to.
func (r *lineReader) lines(to int64, s *session.Scan) error {
	err := r.fill()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	whole := bytes.LastIndexByte(r.buf, '\n') + 1
	ended := r.pos >= r.size || errors.Is(err, io.EOF)
	switch {
	case ended:
		whole = len(r.buf)
	case whole == 0 && len(r.buf) == cap(r.buf):
		return r.long(s)
	}
	rest := r.buf[:whole]
	for len(rest) > 0 && r.at < to {
		n, line := len(rest), rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			n, line = i+1, rest[:i]
		}
		s.Line(line, r.at, n)
		r.at += int64(n)
		rest = rest[n:]
	}
	if r.at >= to {
		return nil
	}
	if ended {
		r.at = r.size
	}
	r.buf = r.buf[:copy(r.buf, r.buf[whole:])]
	return nil
}

// long takes a line that is longer than the buffer. If its front and last byte
// are those of an entry they are all that is held of it.
func (r *lineReader) long(s *session.Scan) error {
	begin := r.at
	front := bytes.Clone(r.buf[:min(frontSize, len(r.buf))])
	last := r.buf[len(r.buf)-1]
	for {
		r.buf = r.buf[:0]
		at := r.pos
		err := r.fill()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		i := bytes.IndexByte(r.buf, '\n')
		if i < 0 && err == nil {
			last = r.buf[len(r.buf)-1]
			continue
		}
		end := r.size // without a line end
		if i >= 0 {
			end = at + int64(i)
			if i > 0 {
				last = r.buf[i-1]
			}
			r.at = end + 1
			r.buf = r.buf[:copy(r.buf, r.buf[i+1:])]
		} else {
			r.at = r.size
		}
		size := int(r.at - begin)
		if (!s.Strict || size > session.MaxLine) && s.Long(front, last, begin, size) {
			return nil
		}
		if size > session.MaxLine {
			s.Junk++
			return nil
		}
		line := make([]byte, end-begin)
		if _, err := r.f.ReadAt(line, begin); err != nil {
			return err
		}
		s.Line(line, begin, int(r.at-begin))
		return nil
	}
}
