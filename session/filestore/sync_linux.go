package filestore

import (
	"os"
	"syscall"
)

// fdatasync forces the file's data, and what is needed to find it, to the disk.
func fdatasync(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
