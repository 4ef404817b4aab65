package filestore

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/boughdev/bough/session"
)

// ReadHeader returns the header of a session file without reading more of it than
// it must, or [session.ErrNotSession].
func ReadHeader(path string) (session.Header, error) { return readHeader(path) }

// Files returns the paths of all files of the store that may be sessions, by folder
// and name; whether they are, their content tells.
func (s Store) Files() ([]string, error) {
	dirs, err := s.projects()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, d := range dirs {
		f, err := os.Open(s.folder(d))
		if err != nil {
			continue // a folder that went away, or is not ours to read
		}
		for _, name := range candidates(f) {
			paths = append(paths, filepath.Join(s.folder(d), name))
		}
		f.Close() // it was only looked at
	}
	return paths, nil
}

// SalvageHeader returns what a file that has no header where it belongs is opened
// with by a store that is [Store.Live].
func SalvageHeader(path string) (session.Header, error) {
	f, err := openToRead(path)
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return session.Header{}, err
	}
	return headerFor(f, info.Size(), path)
}

// WriteNew makes a file that must not exist, whole or not at all; the error for one
// that does is [fs.ErrExist]. The folder must be there.
func WriteNew(path string, write func(w io.Writer) error) error {
	t, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(t.Name()) // gone already, or of no use
	w := bufio.NewWriterSize(t, 1<<20)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = t.Sync()
	}
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err = os.Link(t.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without hard links.
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return os.Rename(t.Name(), path)
}
