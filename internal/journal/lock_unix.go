//go:build unix

package journal

import (
	"os"
	"syscall"
)

// tryLock takes the lock or returns false at once.
func tryLock(f *os.File, _ string) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// unlock does nothing here: the lock goes with the file.
func unlock(string) {}
