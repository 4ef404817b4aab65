package filestore

import (
	"os"
	"syscall"
)

// fdatasync forces the file's data, and what is needed to find it, to the disk.
// The file may be closed meanwhile; then it is synced before that or not at all.
func fdatasync(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		for {
			if failed = syscall.Fdatasync(int(fd)); failed != syscall.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return failed
}
