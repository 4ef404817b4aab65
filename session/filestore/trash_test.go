package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/session"
)

func TestTrash(t *testing.T) {
	root := t.TempDir()
	s := Store{Root: root, Leases: t.TempDir(), Cache: t.TempDir()}
	trash := Trash{Dir: filepath.Join(t.TempDir(), "trash")}
	dir := filepath.Join(root, "--srv-ä b%--")
	path := filepath.Join(dir, "one.jsonl")
	data := strings.ReplaceAll(testHeader, "%s", "x")
	write(t, path, data)
	write(t, path+".v1.bak", "old")
	write(t, path+".v2.bak.3", "older")
	write(t, path+".notes", "not ours")
	list := func() []Trashed {
		t.Helper()
		l, err := trash.List(t.Context(), s.Cache)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := list(); len(l) != 0 {
		t.Errorf("in an empty trash: %v", l)
	}

	// The live session stays.
	release, err := s.Lease(t.Context(), path, "here")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trash.Put(t.Context(), s, path); err == nil {
		t.Fatal("a session that is open was moved")
	} else if _, ok := errors.AsType[*session.LeasedError](err); !ok {
		t.Errorf("open: %v", err)
	}
	release()

	one, err := trash.Put(t.Context(), s, path)
	if err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 1 || filepath.Base(left[0]) != "one.jsonl.notes" {
		t.Errorf("left: %v", left)
	}
	if _, err := trash.Put(t.Context(), s, path); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	l := list()
	if len(l) != 1 || l[0].Name != one.Name || l[0].Path != path || l[0].Session.ID != "x" || l[0].Deleted.Unix() != one.Deleted.Unix() {
		t.Errorf("listed %+v, want %+v", l, one)
	}

	// Another one of that name, which then is in the way.
	write(t, path, data+"two\n")
	two, err := trash.Put(t.Context(), s, path)
	if err != nil || two.Name == one.Name {
		t.Fatalf("the second: %+v, %v", two, err)
	}
	write(t, path, "three")
	if _, err := trash.Restore(one, ""); !errors.Is(err, session.ErrExists) {
		t.Errorf("restore over a file: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "three" {
		t.Errorf("it is now %q", b)
	}
	elsewhere := filepath.Join(root, "new folder", "two.jsonl")
	if got, err := trash.Restore(two, elsewhere); err != nil || got != elsewhere {
		t.Errorf("restore elsewhere: %s, %v", got, err)
	}
	os.Remove(path)
	if got, err := trash.Restore(one, ""); err != nil || got != path {
		t.Errorf("restore: %s, %v", got, err)
	}
	for file, want := range map[string]string{path: data, path + ".v1.bak": "old", path + ".v2.bak.3": "older", elsewhere: data + "two\n"} {
		if b, err := os.ReadFile(file); string(b) != want {
			t.Errorf("%s is %q, %v", file, b, err)
		}
	}
	if l := list(); len(l) != 0 {
		t.Errorf("still in the trash: %v", l)
	}
	if notes, _ := filepath.Glob(filepath.Join(trash.Dir, "*", "*")); len(notes) != 0 {
		t.Errorf("left in the trash: %v", notes)
	}
}

// Without hard links a file is copied whole before it goes away.
func TestMoveByCopying(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, from, "data")
	write(t, to, "in the way")
	if err := copyFile(from, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	os.Remove(to)
	if err := copyFile(from, to); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(from)
	b, _ := os.Stat(to)
	if got, _ := os.ReadFile(to); string(got) != "data" || !a.ModTime().Equal(b.ModTime()) {
		t.Errorf("copied %q of %v", got, b.ModTime())
	}
}

func TestCanonical(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real", "a.jsonl"), "x")
	os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link"))
	os.Symlink(filepath.Join(dir, "real", "a.jsonl"), filepath.Join(dir, "real", "b.jsonl"))
	same := Canonical()
	want := same(filepath.Join(dir, "real", "a.jsonl"))
	for _, p := range []string{"link/a.jsonl", "link/b.jsonl", "real/../link/b.jsonl"} {
		if got := same(filepath.Join(dir, p)); got != want {
			t.Errorf("%s is %s, want %s", p, got, want)
		}
	}
	if got := same(filepath.Join(dir, "link", "gone.jsonl")); got != filepath.Join(filepath.Dir(want), "gone.jsonl") {
		t.Errorf("a file that is not there: %s", got)
	}
}
