package filestore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/boughdev/bough/session"
)

// A rowReader makes rows of files, one after the other.
type rowReader struct {
	buf []byte
	sum fold
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
