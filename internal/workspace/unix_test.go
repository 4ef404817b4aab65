//go:build unix

package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/boughdev/bough/internal/workspace"
)

func change(t *testing.T, ws workspace.Workspace, path, text string) error {
	t.Helper()
	return ws.Update(t.Context(), path, func(fs.File) ([]byte, error) { return []byte(text), nil })
}

func TestUpdateKeeps(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	in := func(name string) string { return filepath.Join(dir, name) }

	t.Run("the mode", func(t *testing.T) {
		put(t, in("script"), "old")
		want := fs.FileMode(0o750) | fs.ModeSetgid
		if err := os.Chmod(in("script"), want); err != nil {
			t.Fatal(err)
		}
		if err := change(t, ws, in("script"), "new"); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(in("script")); info.Mode() != want {
			t.Errorf("mode = %v, want %v", info.Mode(), want)
		}
	})
	t.Run("links, of which the target changes", func(t *testing.T) {
		put(t, in("d/real"), "old")
		must(t, os.Symlink("d", in("dlink")))
		must(t, os.Symlink("dlink/real", in("link")))
		must(t, change(t, ws, in("link"), "new"))
		if to, err := os.Readlink(in("link")); err != nil || to != "dlink/real" {
			t.Errorf("link = %q, %v", to, err)
		}
		if b, _ := os.ReadFile(in("d/real")); string(b) != "new" {
			t.Errorf("target has %q", b)
		}
	})
	t.Run("links to nothing, of which the target is made", func(t *testing.T) {
		must(t, os.Symlink("d/coming", in("early")))
		must(t, change(t, ws, in("early"), "new"))
		if b, _ := os.ReadFile(in("d/coming")); string(b) != "new" {
			t.Errorf("target has %q", b)
		}
	})
	t.Run("hard links", func(t *testing.T) {
		put(t, in("one"), "old, and longer")
		must(t, os.Link(in("one"), in("two")))
		must(t, change(t, ws, in("one"), "new"))
		if b, _ := os.ReadFile(in("two")); string(b) != "new" {
			t.Errorf("the other name has %q", b)
		}
	})
	t.Run("the owner", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can make files of others")
		}
		put(t, in("theirs"), "old")
		must(t, os.Chown(in("theirs"), 1234, 4321))
		must(t, change(t, ws, in("theirs"), "new"))
		info, _ := os.Stat(in("theirs"))
		if s := info.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 4321 {
			t.Errorf("owner = %d:%d", s.Uid, s.Gid)
		}
	})
	list, _ := filepath.Glob(in(".bough-*"))
	if len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

func TestReadOnlyFilesAreRefused(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), "old")
	must(t, os.Chmod(filepath.Join(dir, "f"), 0o444))
	if err := change(t, workspace.NewLocal(dir), filepath.Join(dir, "f"), "new"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("err = %v", err)
	}
}

func TestSpecialFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o666))
	for _, path := range []string{pipe, os.DevNull} {
		if _, err := ws.Open(t.Context(), path); !errors.Is(err, workspace.ErrSpecial) {
			t.Errorf("open %s: %v", path, err)
		}
		if err := change(t, ws, path, "x"); !errors.Is(err, workspace.ErrSpecial) {
			t.Errorf("change %s: %v", path, err)
		}
	}
}

func TestLinksInACircle(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("b", filepath.Join(dir, "a")))
	must(t, os.Symlink("a", filepath.Join(dir, "b")))
	ws := workspace.NewLocal(dir)
	if err := change(t, ws, filepath.Join(dir, "a"), "x"); err == nil || !strings.Contains(err.Error(), "links") {
		t.Errorf("err = %v", err)
	}
}
