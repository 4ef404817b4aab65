package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nothing that stands in the place of a settings file stops anything, is taken
// for one, or is overwritten.
func TestWhatIsNoSettingsFile(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	for _, tt := range []struct {
		name  string
		make  func(path string) error
		want  string // of the one problem; "" for none
		saved bool
	}{
		{"a folder", func(p string) error { return os.Mkdir(p, 0o700) }, "is no file; nothing in it is used", false},
		{"a FIFO", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "is no file; nothing in it is used", false},
		{"100 MB", func(p string) error {
			if err := os.WriteFile(p, []byte("{}"), 0o600); err != nil {
				return err
			}
			return os.Truncate(p, 100<<20)
		}, "is larger than 1 MB; nothing in it is used", false},
		{"a link to nothing", func(p string) error { return os.Symlink(p+".gone", p) }, "", true},
		{"a link to itself", func(p string) error { return os.Symlink(p, p) }, "cannot be read (too many levels of symbolic links); nothing in it is used", false},
		{"deep nesting", func(p string) error { return os.WriteFile(p, []byte(`{"x":`+deep+`,"defaultModel":"m"}`), 0o600) }, "", true},
		{"a folder that is a file", func(p string) error {
			if err := os.Remove(filepath.Dir(p)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Dir(p), nil, 0o600)
		}, "cannot be read (not a directory); nothing in it is used", false},
		{"binary", func(p string) error { return os.WriteFile(p, []byte("\x00\xff{}"), 0o600) }, "is no JSON object; nothing in it is used", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Paths{Agent: filepath.Join(t.TempDir(), "agent")}
			if err := os.Mkdir(p.Agent, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.make(p.SettingsFile()); err != nil {
				t.Fatal(err)
			}
			_, problems := Load(p, "", false)
			got := ""
			for _, p := range problems {
				got += p.Message
			}
			if got != tt.want {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
			if err := Save(t.Context(), p.SettingsFile(), Change{[]string{"defaultModel"}, "n"}); (err == nil) != tt.saved {
				t.Errorf("save: %v", err)
			}
		})
	}
}
