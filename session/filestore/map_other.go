//go:build !unix

package filestore

import (
	"io/fs"
	"os"
)

// mapping is a file in memory.
type mapping struct{ data []byte }

func mapFile(path string) (*mapping, error) {
	b, err := os.ReadFile(path)
	return &mapping{b}, err
}

// identity tells which file it is, as far as that is known here.
func identity(info fs.FileInfo) (dev, ino uint64) { return 0, uint64(info.ModTime().UnixNano()) }

// fileState is what an append must know of a file: which it is, and its size.
type fileState struct {
	info fs.FileInfo
	size int64
}

func (s fileState) same(o fileState) bool { return os.SameFile(s.info, o.info) }

func stateOf(info fs.FileInfo) fileState { return fileState{info, info.Size()} }

// statFile tells of the file at a path.
func statFile(path string) (fileState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return stateOf(info), nil
}
