package filestore

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/boughdev/bough/session"
)

// spare is what must be free besides, for what follows: an answer, or the list of what
// waits.
const spare = 64 << 10

// Room reports why a file could not grow by n bytes, or nil.
func (l *log) Room(n int) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	size := int64(0)
	if info, err := os.Stat(l.path); err == nil {
		size = info.Size()
	}
	if err := room(l.path, size, int64(n)+spare); err != nil {
		return fmt.Errorf("append to session file: %w", err)
	}
	return nil
}

// Room reports why the session of that header could not be created with n bytes, or
// nil.
func (s Store) Room(h session.Header, n int) error {
	dir := filepath.Dir(s.FilePath(h))
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("create session: %s is no folder", dir)
		}
		up := filepath.Dir(dir)
		if err == nil || up == dir {
			break
		}
		dir = up
	}
	if err := roomIn(dir, int64(n)+spare); err != nil {
		return fmt.Errorf("create session in %s: %w", dir, err)
	}
	return nil
}
