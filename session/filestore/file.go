package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/session"
)

// maxHeader is how far into a file its header is looked for.
const maxHeader = 1 << 20

// byteOrderMark is what some editors put before a text. It is never written.
var byteOrderMark = []byte("\uFEFF")

// ErrNewer is returned by an append to a file of a later version.
var ErrNewer = errors.New("the session file has a newer version than this program knows, so it is only read; a copy of it (/clone, bough --fork) can be gone on with")

// ErrNoHeader is returned by an append to a file whose header cannot be read.
var ErrNoHeader = errors.New("the session file has no header that can be read, so nothing is written to it; bough doctor --repair makes a whole session of it")

// ErrReadOnly is returned by an append to a file that may only be read.
var ErrReadOnly = errors.New("the session file may only be read; a copy of it (bough --fork) can be gone on with")

// log is one session file.
type log struct {
	path   string
	header session.Header
	policy Policy
	sync   *syncer
	looked bool // the file may only be read
	live   bool // see Store.Live
	bare   bool // the file has no header that pi would take

	mu     sync.Mutex
	f      *os.File    // guarded by mu
	id     fs.FileInfo // what f is; guarded by mu
	state  fileState   // the same, for comparing; guarded by mu
	sealed int64       // size at which the file is known to end in a line feed; guarded by mu
	old    *oldVersion // the migrated form of a file not yet written; guarded by mu
	side   sidecar     // set before anybody has the log

	fault func([]byte) (int, error) // writes in place of f, in tests
}

func openFile(path string, policy Policy) (*log, error) { return openLog(path, policy, false) }

func openLog(path string, policy Policy, live bool) (*log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	looked := errors.Is(err, fs.ErrPermission) || isReadOnly(err)
	if looked {
		f, err = openToRead(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open session file %s: %w", path, session.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("open session file: %w", err)
	}
	l := &log{path: path, policy: policy, f: f, looked: looked, live: live}
	if err := l.start(); err != nil {
		f.Close() // the error of reading is the one to tell
		return nil, fmt.Errorf("open session file %s: %w", path, err)
	}
	l.sync = newSyncer(f, policy)
	return l, nil
}

func (l *log) start() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%w: it is a folder", session.ErrNotSession)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no file", session.ErrNotSession)
	}
	l.id, l.state = info, stateOf(info)
	l.header, err = headerOf(l.f, info.Size())
	if l.live && errors.Is(err, session.ErrNotSession) {
		l.bare = true
		l.header, err = headerFor(l.f, info.Size(), l.path)
	}
	if err != nil {
		return err
	}
	if l.header.Version < session.Version {
		l.old, err = readOld(l.f, l.header)
		if err == nil {
			l.header = l.old.header
		}
	}
	return err
}

// openToRead opens a file, and nothing else: to open a pipe may take for ever.
func openToRead(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is no file", session.ErrNotSession, path)
	}
	return os.Open(path)
}

// readHeader reads no more of a file than its header needs.
func readHeader(path string) (session.Header, error) {
	f, err := openToRead(path)
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return session.Header{}, err
	}
	return headerOf(f, info.Size())
}

// headerOf finds the header. It may stand behind lines that are not JSON.
func headerOf(f io.ReaderAt, size int64) (session.Header, error) {
	for n := int64(4 << 10); ; n *= 4 {
		n = min(n, size)
		head := make([]byte, n)
		if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
			return session.Header{}, err
		}
		whole := head
		if n < size {
			// The last line may be cut off here.
			whole = head[:bytes.LastIndexByte(head, '\n')+1]
		}
		h, _, err := session.FindHeader(bytes.TrimPrefix(whole, byteOrderMark))
		if err == nil || n == size || n >= maxHeader {
			return h, err
		}
	}
}

func (l *log) Header() session.Header { return l.header }

// Path returns where the file is.
func (l *log) Path() string { return l.path }

// Read returns the bytes of a line.
func (l *log) Read(at session.Line) ([]byte, error) {
	l.mu.Lock()
	old := l.old
	l.mu.Unlock()
	if old != nil {
		return old.read(at)
	}
	if at.Size > session.MaxLine {
		return nil, session.ErrTooLong
	}
	b := make([]byte, at.Size)
	if _, err := l.readAt(b, int64(at.Seq)-int64(at.Size)); err != nil {
		return nil, fmt.Errorf("read session file: %w", err)
	}
	return bytes.Trim(b, "\n"), nil
}

// readAt reads the file, also after it was closed: whoever has a tree of the log reads
// its entries when they are wanted, and the session may be left meanwhile.
func (l *log) readAt(b []byte, at int64) (int, error) {
	l.mu.Lock()
	f, id := l.f, l.id
	l.mu.Unlock()
	n, err := f.ReadAt(b, at)
	if !errors.Is(err, fs.ErrClosed) {
		return n, err
	}
	f, ferr := openToRead(l.path)
	if ferr != nil {
		return n, err
	}
	defer f.Close()
	if is, ferr := f.Stat(); ferr != nil || !os.SameFile(is, id) {
		return n, err
	}
	return f.ReadAt(b, at)
}

// Entries yields the entries behind after. A last line without its line end
// counts if it is whole; if not, it may still be on its way, and is read again
// next time.
func (l *log) Entries(ctx context.Context, after session.Seq) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		l.mu.Lock()
		f, old := l.f, l.old
		l.mu.Unlock()
		info, err := f.Stat()
		if err != nil {
			yield(nil, fmt.Errorf("read session file: %w", err))
			return
		}
		// A file that was deleted is still open, and made again by an append.
		now, serr := os.Stat(l.path)
		if serr == nil && !os.SameFile(now, info) || info.Size() < int64(after) && old == nil || old != nil && info.Size() != old.size {
			yield(nil, session.ErrReplaced)
			return
		}
		if old != nil {
			old.entries(after, l)(yield)
			return
		}
		for at, line := range Lines(ctx, f, after, session.Seq(info.Size()), &err) {
			e, derr := session.Decode(line, at, l)
			if derr == nil && !yield(e, nil) {
				return
			}
			if derr == nil || !l.live {
				continue
			}
			for e := range session.Recover(line, at, l) {
				if !yield(e, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(nil, fmt.Errorf("read session file: %w", err))
		}
	}
}

// Lines yields the lines of a part of a file that begins at the start of one. The
// bytes are good until the next step; of a line longer than [session.MaxLine] they
// are its front and its last byte. What goes wrong is in err afterwards.
func Lines(ctx context.Context, f io.ReaderAt, from, to session.Seq, err *error) iter.Seq2[session.Line, []byte] {
	return func(yield func(session.Line, []byte) bool) {
		if from >= to {
			return
		}
		buf := make([]byte, 0, min(to-from, 1<<20))
		pos := from
		for pos < to {
			if *err = ctx.Err(); *err != nil {
				return
			}
			if len(buf) == cap(buf) { // a line longer than the buffer
				at, line, lerr := longLine(f, pos-session.Seq(len(buf)), pos, to)
				if lerr != nil {
					*err = lerr
					return
				}
				if !yield(at, line) {
					return
				}
				buf, pos = buf[:0], at.Seq
				continue
			}
			n, rerr := f.ReadAt(buf[len(buf):min(cap(buf), len(buf)+int(to-pos))], int64(pos))
			buf = buf[:len(buf)+n]
			pos += session.Seq(n)
			last := rerr != nil || pos >= to
			start := pos - session.Seq(len(buf))
			whole := bytes.LastIndexByte(buf, '\n') + 1
			if last {
				whole = len(buf)
			}
			for at, line := range session.Lines(buf[:whole], start) {
				if !yield(at, line) {
					return
				}
			}
			buf = buf[:copy(buf, buf[whole:])]
			if rerr == io.EOF {
				return // cut while we read
			}
			if rerr != nil {
				*err = rerr
				return
			}
		}
	}
}

// longLine reads a line that begins at start and goes on behind pos.
func longLine(f io.ReaderAt, start, pos, to session.Seq) (session.Line, []byte, error) {
	end, ended := pos, false
	for buf := make([]byte, 1<<20); end < to && !ended; {
		n, err := f.ReadAt(buf[:min(len(buf), int(to-end))], int64(end))
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			n, ended = i, true
		}
		end += session.Seq(n)
		if err == io.EOF {
			break // cut while we read
		}
		if err != nil {
			return session.Line{}, nil, err
		}
	}
	at := session.Line{Seq: end, Size: int(end - start)}
	if ended {
		at = session.Line{Seq: end + 1, Size: int(end-start) + 1}
	}
	read := func(b []byte, from session.Seq) error {
		_, err := f.ReadAt(b, int64(from))
		if err == io.EOF {
			err = nil
		}
		return err
	}
	if at.Size <= session.MaxLine {
		line := make([]byte, end-start)
		return at, line, read(line, start)
	}
	line := make([]byte, frontSize+1)
	if err := read(line[:frontSize], start); err != nil {
		return at, nil, err
	}
	return at, line, read(line[frontSize:], end-1)
}

// Tail yields the entries behind after and goes on with those that come.
func (l *log) Tail(ctx context.Context, after session.Seq) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		tick := time.NewTicker(tailInterval)
		defer tick.Stop()
		for {
			for e, err := range l.Entries(ctx, after) {
				if err == nil {
					after = e.Line.Seq
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// tailInterval is how often a file is looked at for what others append.
const tailInterval = time.Second

// ReadOnly returns why nothing can be appended, or nil: ErrNewer, ErrNoHeader or
// ErrReadOnly.
func (l *log) ReadOnly() error {
	switch {
	case l.header.Version > session.Version:
		return ErrNewer
	case l.bare:
		return ErrNoHeader
	case l.looked:
		return ErrReadOnly
	}
	return nil
}

// Append writes one line, with one write.
func (l *log) Append(ctx context.Context, after session.Seq, line []byte) (session.Line, error) {
	if err := l.ReadOnly(); err != nil {
		return session.Line{}, err
	}
	l.mu.Lock()
	at, err := l.append(after, line)
	l.mu.Unlock()
	if err != nil {
		return at, err
	}
	return at, l.sync.appended(line)
}

// append does the work; mu is held.
func (l *log) append(after session.Seq, line []byte) (session.Line, error) {
	if err := lockFile(l.f); err != nil {
		return session.Line{}, fmt.Errorf("lock session file: %w", err)
	}
	defer func() { unlockFile(l.f) }() // of the file that l.f is by then
	if l.old != nil {
		was := l.f
		if err := l.migrate(after); err != nil {
			return session.Line{}, err
		}
		if l.f != was { // the lock was on the file that was replaced, and went with it
			if err := lockFile(l.f); err != nil {
				return session.Line{}, fmt.Errorf("lock session file: %w", err)
			}
		}
	}
	now, err := statFile(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info, err := l.recreate()
		if err != nil {
			return session.Line{}, fmt.Errorf("the session file was deleted and cannot be made again: %w", err)
		}
		now = stateOf(info)
	case err != nil:
		return session.Line{}, fmt.Errorf("append to session file: %w", err)
	case !now.same(l.state), now.size < int64(after), now.size < l.sealed:
		return session.Line{}, session.ErrReplaced
	}
	size := now.size
	if size > int64(after) {
		other, err := l.entryBehind(after, size)
		if err != nil {
			return session.Line{}, err
		}
		if other {
			return session.Line{}, session.ErrConflict
		}
	}
	buf := make([]byte, 0, len(line)+2)
	if size != l.sealed && size > 0 {
		var last [1]byte
		if _, err := l.f.ReadAt(last[:], size-1); err != nil {
			return session.Line{}, fmt.Errorf("read session file: %w", err)
		}
		if last[0] != '\n' {
			buf = append(buf, '\n')
		}
	}
	buf = append(append(buf, line...), '\n')
	l.sealed = -1
	write := l.f.Write
	if l.fault != nil {
		write = l.fault
	}
	if _, err := write(buf); err != nil {
		return session.Line{}, fmt.Errorf("append to session file: %w", err)
	}
	// A program that takes no lock, as pi, may have come in between: where the
	// line really is the system knows.
	end, err := l.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return session.Line{}, fmt.Errorf("append to session file: %w", err)
	}
	l.sealed = end
	return session.Line{Seq: session.Seq(end), Size: len(buf)}, nil
}

// entryBehind reports whether an entry stands behind after. Rests of torn lines
// do not count.
func (l *log) entryBehind(after session.Seq, size int64) (bool, error) {
	var err error
	for at, line := range Lines(context.Background(), l.f, after, session.Seq(size), &err) {
		if _, derr := session.Decode(line, at, l); derr == nil {
			return true, nil
		}
	}
	return false, err
}

// recreate makes the file again that somebody deleted, from what is still open.
func (l *log) recreate() (fs.FileInfo, error) {
	info, err := l.f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := l.f.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, err
	}
	path := target(l.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := writeNew(path, data, true); err != nil {
		return nil, err
	}
	return l.reopen()
}

// reopen goes over to the file that is at the path now.
func (l *log) reopen() (fs.FileInfo, error) {
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	l.f.Close() // what was written to it is in the new one
	l.f, l.id, l.state, l.sealed = f, info, stateOf(info), -1
	l.sync.use(f)
	return info, nil
}

// Close forces what was written to the disk, unless that is switched off, and
// closes the file.
func (l *log) Close() error {
	l.sync.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}

// headerFor makes a header for reading a file that has none where it belongs. What
// it does not tell is taken from the file's name.
func headerFor(f io.ReaderAt, size int64, path string) (session.Header, error) {
	head := make([]byte, min(size, maxHeader))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return session.Header{}, err
	}
	h, err := session.SalvageHeader(head[:n])
	if err == nil && h.ID == "" {
		h.ID = strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if _, id, ok := strings.Cut(h.ID, "_"); ok {
			h.ID = id
		}
	}
	return h, err
}
