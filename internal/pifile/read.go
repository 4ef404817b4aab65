package pifile

import (
	"errors"
	"io/fs"
	"os"
)

// maxFile is how large a file may be, in bytes: nobody writes more by hand.
const maxFile = 64 << 20

var (
	errNoFile = errors.New("it is no regular file")
	errLarge  = errors.New("it is larger than 64 MB")
)

// Read returns what is in a file. A pipe or a device may keep a reader waiting
// or never end, so it is an error, as is a file that is too large.
func Read(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case fi.IsDir():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is a folder")}
	case !fi.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNoFile}
	case fi.Size() > maxFile:
		return nil, &fs.PathError{Op: "read", Path: path, Err: errLarge}
	}
	return os.ReadFile(path)
}
