//go:build !unix

package journal

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// held has the paths of the files that this process holds.
var held sync.Map

// tryLock takes a file that this process does not hold, and no other that lives:
// their numbers stand in the names.
func tryLock(_ *os.File, path string) (bool, error) {
	parts := strings.Split(filepath.Base(path), "-")
	if len(parts) < 3 {
		return false, nil
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil {
		return false, nil
	}
	if pid != os.Getpid() {
		if p, err := os.FindProcess(pid); err == nil {
			p.Release()
			return false, nil
		}
	}
	_, taken := held.LoadOrStore(path, true)
	return !taken, nil
}

func unlock(path string) { held.Delete(path) }
