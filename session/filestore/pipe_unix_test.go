//go:build unix

package filestore

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/boughdev/bough/session"
)

// What is no file is not opened, which might take for ever.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for _, mode := range []uint32{0o600, 0o400} {
		syscall.Unlink(path) // of the round before
		if err := syscall.Mkfifo(path, mode); err != nil {
			t.Skip("there are no pipes:", err)
		}
		if _, err := (Store{Live: true}).Open(t.Context(), path); !errors.Is(err, session.ErrNotSession) {
			t.Errorf("mode %o: open: %v", mode, err)
		}
		if _, err := ReadHeader(path); !errors.Is(err, session.ErrNotSession) {
			t.Errorf("mode %o: header: %v", mode, err)
		}
		if _, err := SalvageHeader(path); !errors.Is(err, session.ErrNotSession) {
			t.Errorf("mode %o: salvage: %v", mode, err)
		}
	}
}
