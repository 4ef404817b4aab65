package workspace_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/workspace"
)

// desk is a lender that has some files open.
type desk struct {
	mu    sync.Mutex
	open  map[string]string // guarded by mu
	asked int               // guarded by mu
	fails error             // of what is written
}

func (d *desk) ReadText(_ context.Context, path string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	if t, ok := d.open[path]; ok {
		return t, nil
	}
	return "", workspace.ErrNotLent
}

func (d *desk) WriteText(_ context.Context, path, text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return d.fails
	}
	if _, ok := d.open[path]; !ok {
		return workspace.ErrNotLent
	}
	d.open[path] = text
	return nil
}

func (d *desk) Run(context.Context, workspace.Command) (workspace.Exit, error) {
	return workspace.Exit{}, workspace.ErrNotLent
}

func TestLent(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		if err := os.WriteFile(at(name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	d := &desk{open: map[string]string{at("open"): "edited", at("binary"): "edited", at("marked"): "edited"}}
	var here workspace.Lender = d
	ws := workspace.Lend(workspace.NewLocal(dir), func() workspace.Lender { return here })
	long := strings.Repeat("é", 8<<10) // a character lies across the end of what is looked at
	put("open", "saved")
	put("closed", "saved")
	put("binary", "a\x00b")
	put("marked", "\ufeffsaved")
	put("latin", "caf\xe9")
	put("long", "x"+long)
	read := func(name string) string {
		t.Helper()
		f, err := ws.Open(t.Context(), at(name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != int64(len(b)) || info.Mode() != 0o640 {
			t.Errorf("%s: info %v, %v", name, info, err)
		}
		return string(b)
	}
	for name, want := range map[string]string{"open": "edited", "closed": "saved", "binary": "a\x00b", "marked": "\ufeffsaved", "latin": "caf\xe9", "long": "x" + long} {
		if got := read(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	d.open[at("long")] = "edited"
	if got := read("long"); got != "edited" {
		t.Errorf("a long text = %q", got)
	}
	if _, err := ws.Open(t.Context(), dir); !errors.Is(err, workspace.ErrFolder) {
		t.Errorf("a folder: %v", err)
	}

	add := func(name string) error {
		return ws.Update(t.Context(), at(name), func(old fs.File) ([]byte, error) {
			if old == nil {
				return []byte("new"), nil
			}
			b, err := io.ReadAll(old)
			return append(b, '!'), err
		})
	}
	for name, want := range map[string]string{"open": "saved", "closed": "saved!", "binary": "a\x00b!", "latin": "caf\xe9!", "sub/made": "new"} {
		if err := add(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b, _ := os.ReadFile(at(name)); string(b) != want {
			t.Errorf("on disk %s = %q, want %q", name, b, want)
		}
	}
	if d.open[at("open")] != "edited!" || d.open[at("binary")] != "edited" {
		t.Errorf("the lender has %q", d.open)
	}
	d.fails = errors.New("it is locked")
	if err := add("open"); err == nil || !strings.Contains(err.Error(), "it is locked") {
		t.Errorf("a lender that cannot write: %v", err)
	}
	here, d.asked = nil, 0
	if got := read("open"); got != "saved" || d.asked != 0 {
		t.Errorf("without a lender: %q, asked %d times", got, d.asked)
	}
	if _, ok := ws.Saved().(*workspace.Local); !ok {
		t.Error("what is saved is not what is on the disk")
	}
}

// Changes of a file come one after the other, whoever makes them.
func TestLentInOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("."), 0o644); err != nil {
		t.Fatal(err)
	}
	d := &desk{open: map[string]string{path: "."}}
	ws := workspace.Lend(workspace.NewLocal(dir), func() workspace.Lender { return d })
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			err := ws.Update(t.Context(), path, func(old fs.File) ([]byte, error) {
				b, err := io.ReadAll(old)
				return append(b, 'x'), err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := d.open[path]; got != "."+strings.Repeat("x", 50) {
		t.Errorf("the lender has %q", got)
	}
}
