package pifile_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/pifile"
)

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 65<<20); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"a folder", dir, "it is a folder"},
		{"a device without an end", "/dev/zero", "it is no regular file"},
		{"a file that nobody wrote by hand", large, "it is larger than 64 MB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := os.Stat(tt.path); err != nil {
				t.Skip(err)
			}
			if _, err := pifile.Read(tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read: %v, want %q", err, tt.want)
			}
			err := pifile.Update(t.Context(), tt.path, 0o600, pifile.LockOptions{}, func([]byte) ([]byte, error) {
				t.Error("there was something to change")
				return nil, context.Canceled
			})
			if err == nil {
				t.Error("Update changed it")
			}
		})
	}
	if _, err := pifile.Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of nothing: %v", err)
	}
}
