package filestore

import (
	"io/fs"
	"os"
	"syscall"
)

// stampOf returns the stamp of the regular file at a path, or false if there is
// none. A list asks this of every file.
func stampOf(path string) (stamp, bool) {
	var st syscall.Stat_t
	for {
		switch syscall.Stat(path, &st) {
		case nil:
			return stampFrom(&st), st.Mode&syscall.S_IFMT == syscall.S_IFREG
		case syscall.EINTR:
		default:
			return stamp{}, false
		}
	}
}

// stampOfFile is [stampOf] for an open file.
func stampOfFile(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return stamp{}, fs.ErrInvalid
	}
	return stampFrom(st), nil
}

func stampFrom(st *syscall.Stat_t) stamp {
	return stamp{uint64(st.Dev), st.Ino, st.Size, st.Mtim.Nano()}
}
