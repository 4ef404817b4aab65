// Package workspacetest is the test that every workspace passes.
package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/workspace"
)

// Run tests the files of the workspaces that open returns, each in an empty
// folder.
func Run(t *testing.T, open func(t *testing.T) workspace.Workspace) {
	for name, test := range map[string]func(*testing.T, workspace.Workspace){
		"a new file is made with the folders above it": newFile,
		"a refused change leaves all as it was":        refused,
		"folders are no files":                         folders,
		"changes of a file do not get lost":            manyChanges,
		"a reader waits for a change under way":        readWaits,
		"who waits gives up when told":                 givesUp,
		"a name is resolved below the folder":          resolves,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func at(ws workspace.Workspace, name string) string { return filepath.Join(ws.Dir(), name) }

func write(t *testing.T, ws workspace.Workspace, name, text string) {
	t.Helper()
	err := ws.Update(t.Context(), at(ws, name), func(fs.File) ([]byte, error) { return []byte(text), nil })
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, ws workspace.Workspace, name string) string {
	t.Helper()
	f, err := ws.Open(t.Context(), at(ws, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func newFile(t *testing.T, ws workspace.Workspace) {
	write(t, ws, "a/b/c.txt", "one\r\n\xff")
	if got := read(t, ws, "a/b/c.txt"); got != "one\r\n\xff" {
		t.Errorf("read %q", got)
	}
	list, err := ws.ReadDir(t.Context(), at(ws, "a/b"))
	if err != nil || len(list) != 1 || list[0].Name() != "c.txt" {
		t.Errorf("the folder has %v, %v; want c.txt alone", list, err)
	}
	info, err := ws.Stat(t.Context(), at(ws, "a/b/c.txt"))
	if err != nil || info.Size() != 6 || info.IsDir() {
		t.Errorf("stat = %v, %v", info, err)
	}
}

func refused(t *testing.T, ws workspace.Workspace) {
	no := errors.New("no")
	err := ws.Update(t.Context(), at(ws, "x/new.txt"), func(old fs.File) ([]byte, error) {
		if old != nil {
			t.Error("there is an old file where none was")
		}
		return nil, no
	})
	if !errors.Is(err, no) {
		t.Errorf("err = %v", err)
	}
	if _, err := ws.Stat(t.Context(), at(ws, "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of a refused file: %v", err)
	}
	write(t, ws, "old.txt", "old")
	if err := ws.Update(t.Context(), at(ws, "old.txt"), func(fs.File) ([]byte, error) { return nil, no }); !errors.Is(err, no) {
		t.Errorf("err = %v", err)
	}
	if got := read(t, ws, "old.txt"); got != "old" {
		t.Errorf("after a refused change: %q", got)
	}
}

func folders(t *testing.T, ws workspace.Workspace) {
	write(t, ws, "dir/f", "")
	if _, err := ws.Open(t.Context(), at(ws, "dir")); !errors.Is(err, workspace.ErrFolder) {
		t.Errorf("open: %v", err)
	}
	err := ws.Update(t.Context(), at(ws, "dir"), func(fs.File) ([]byte, error) { return nil, nil })
	if !errors.Is(err, workspace.ErrFolder) {
		t.Errorf("update: %v", err)
	}
	if _, err := ws.Open(t.Context(), at(ws, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if _, err := ws.ReadDir(t.Context(), at(ws, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("list: %v", err)
	}
}

func manyChanges(t *testing.T, ws workspace.Workspace) {
	const n = 40
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			err := ws.Update(t.Context(), at(ws, "log"), func(old fs.File) ([]byte, error) {
				if old == nil {
					return fmt.Appendf(nil, "%d\n", i), nil
				}
				b, err := io.ReadAll(old)
				return fmt.Appendf(b, "%d\n", i), err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(read(t, ws, "log"), "\n"); got != n {
		t.Errorf("%d lines after %d changes", got, n)
	}
}

func readWaits(t *testing.T, ws workspace.Workspace) {
	write(t, ws, "f", "old")
	started, finish := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := ws.Update(t.Context(), at(ws, "f"), func(fs.File) ([]byte, error) {
			close(started)
			<-finish
			return []byte("new"), nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-started
	time.AfterFunc(20*time.Millisecond, func() { close(finish) })
	if got := read(t, ws, "f"); got != "new" {
		t.Errorf("read %q beside a change", got)
	}
	wg.Wait()
}

func givesUp(t *testing.T, ws workspace.Workspace) {
	write(t, ws, "f", "old")
	err := ws.Update(t.Context(), at(ws, "f"), func(fs.File) ([]byte, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := ws.Open(ctx, at(ws, "f")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("open: %v", err)
		}
		err := ws.Update(ctx, at(ws, "f"), func(fs.File) ([]byte, error) { return nil, nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("update: %v", err)
		}
		return []byte("new"), nil
	})
	if got := read(t, ws, "f"); err != nil || got != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

func resolves(t *testing.T, ws workspace.Workspace) {
	for name, want := range map[string]string{"a/b.txt": at(ws, "a/b.txt"), "./a/../b": at(ws, "b"), "@c": at(ws, "c"), at(ws, "d"): at(ws, "d")} {
		if got, err := ws.Resolve(name); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
}
