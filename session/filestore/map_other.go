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
