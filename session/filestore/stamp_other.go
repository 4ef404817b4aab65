//go:build !linux

package filestore

import (
	"io/fs"
	"os"
	"runtime"
)

// stampOf returns the stamp of the regular file at a path, or false if there is
// none. A list asks this of every file.
func stampOf(path string) (stamp, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return stamp{}, false
	}
	return stampFrom(info), true
}

// stampOfFile is [stampOf] for an open file.
func stampOfFile(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return stamp{}, fs.ErrInvalid
	}
	return stampFrom(info), nil
}

func stampFrom(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if runtime.GOOS != "windows" {
		s.dev, s.ino = identity(info)
	}
	return s
}
