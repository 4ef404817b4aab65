//go:build unix

package filestore

import (
	"errors"
	"os"
	"syscall"
)

// lockFile keeps other programs that ask for the lock out until unlockFile, for
// the time of one append. A file system without locks is no hindrance.
func lockFile(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err {
		case syscall.EINTR:
		case nil, syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS, syscall.EBADF:
			return nil
		default:
			return err
		}
	}
}

func unlockFile(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// tryLock takes the lock or returns false at once.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// trySharedLock reports whether nobody has the lock of a file.
func trySharedLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// alive reports whether there is a process of that number.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}

// isReadOnly reports whether a file could not be opened because its file system
// is read only.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
