//go:build unix

package filestore

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// mapping is a file in memory. It is given back when nobody holds it any more.
type mapping struct{ data []byte }

func mapFile(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 || info.Size() > 1<<40 {
		return nil, errors.New("nothing to map")
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	m := &mapping{b}
	runtime.AddCleanup(m, func(b []byte) { syscall.Munmap(b) }, b)
	return m, nil
}

// identity tells which file it is.
func identity(info fs.FileInfo) (dev, ino uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), uint64(s.Ino)
	}
	return 0, 0
}

// fileState is what an append must know of a file: which it is, and its size.
type fileState struct {
	dev, ino uint64
	size     int64
}

func (s fileState) same(o fileState) bool { return s.dev == o.dev && s.ino == o.ino }

func stateOf(info fs.FileInfo) fileState {
	dev, ino := identity(info)
	return fileState{dev, ino, info.Size()}
}

// statFile tells of the file at a path.
func statFile(path string) (fileState, error) {
	var st syscall.Stat_t
	for {
		switch err := syscall.Stat(path, &st); err {
		case nil:
			return fileState{uint64(st.Dev), uint64(st.Ino), st.Size}, nil
		case syscall.EINTR:
		default:
			return fileState{}, &fs.PathError{Op: "stat", Path: path, Err: err}
		}
	}
}
