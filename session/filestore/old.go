package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/boughdev/bough/session"
)

// oldVersion is a file of version 1 or 2 as it will be after its migration. Its
// lines have their places there from the start.
type oldVersion struct {
	version int
	header  session.Header
	size    int64 // of the file when it was read
	lines   map[session.Seq][]byte
	order   []session.Line
	data    []byte // the new file
}

func readOld(f *os.File, h session.Header) (*oldVersion, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	data = data[:n]
	o := &oldVersion{version: h.Version, size: int64(n), lines: map[session.Seq][]byte{}}
	for _, line := range session.Migrate(h, bytes.TrimPrefix(data, byteOrderMark)) {
		o.data = append(append(o.data, line...), '\n')
		at := session.Line{Seq: session.Seq(len(o.data)), Size: len(line) + 1}
		o.lines[at.Seq] = line
		o.order = append(o.order, at)
	}
	o.header, _, err = session.FindHeader(o.data)
	if errors.Is(err, session.ErrNotSession) { // a file that is opened without one
		o.header, err = h, nil
		o.header.Version = session.Version
	}
	return o, err
}

// Migrating reports whether the entries are those of a migration that is not yet
// written.
func (l *log) Migrating() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.old != nil
}

func (o *oldVersion) read(at session.Line) ([]byte, error) {
	if at.Size < 0 || at.Seq > session.Seq(len(o.data)) || session.Seq(at.Size) > at.Seq {
		return nil, fmt.Errorf("read migrated session: no line ends at %d", at.Seq)
	}
	return bytes.Trim(o.data[at.Seq-session.Seq(at.Size):at.Seq], "\n"), nil
}

func (o *oldVersion) entries(after session.Seq, src session.Source) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for _, at := range o.order {
			if at.Seq <= after {
				continue
			}
			if e, err := session.Decode(o.lines[at.Seq], at, src); err == nil && !yield(e, nil) {
				return
			}
		}
	}
}

// migrate replaces the file by its new form, keeping the old one beside it. At
// each moment one of the two is whole at the path. mu and the file's lock are
// held. If another program has changed the file meanwhile it is to be read anew.
func (l *log) migrate(after session.Seq) error {
	info, err := os.Stat(l.path)
	if err != nil {
		return fmt.Errorf("migrate session file: %w", err)
	}
	if !os.SameFile(info, l.id) || info.Size() != l.old.size {
		return session.ErrReplaced
	}
	for _, at := range l.old.order {
		if at.Seq > after {
			if _, err := session.Decode(l.old.lines[at.Seq], at, l); err == nil {
				return session.ErrConflict
			}
		}
	}
	if err := l.replace(info.Mode().Perm()); err != nil {
		return fmt.Errorf("migrate session file: %w", err)
	}
	l.old = nil
	_, err = l.reopen()
	return err
}

func (l *log) replace(mode fs.FileMode) error {
	path := target(l.path)
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".migrate-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already, or of no use
	_, err = f.Write(l.old.data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := keepOld(path, l.old.version); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// keepOld gives the file a second name, which does not end in .jsonl.
func keepOld(path string, version int) error {
	for n := 0; ; n++ {
		bak := path + ".v" + strconv.Itoa(version) + ".bak"
		if n > 0 {
			bak += "." + strconv.Itoa(n)
		}
		err := os.Link(path, bak)
		if err == nil {
			return nil
		}
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		// A file system without hard links.
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(bak, data, 0o600)
	}
}
