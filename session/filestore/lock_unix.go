//go:build unix

package filestore

import (
	"errors"
	"os"
	"syscall"
)

// lockFile keeps other programs that ask for the lock out for the time of one
// append. A file system without locks is no hindrance.
func lockFile(f *os.File) (unlock func(), err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		switch err {
		case nil:
			return func() { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }, nil
		case syscall.EINTR:
			continue
		case syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS, syscall.EBADF:
			return func() {}, nil
		}
		return nil, err
	}
}

// tryLock takes the lock or returns false at once.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// isReadOnly reports whether a file could not be opened because its file system
// is read only.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
