package filestore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// texts returns what users said on a path, in order.
func texts(t *testing.T, b *session.Branch) (said []string) {
	t.Helper()
	p, err := b.Project()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range p.Items {
		if it.Message.Role == message.User {
			said = append(said, it.Message.Text(""))
		}
	}
	return said
}

// Whatever other programs do to the file of a live session, the session can be
// gone on with, and what is still known is in a file afterwards.
func TestAFileThatIsReplacedUnderALiveSession(t *testing.T) {
	for _, tt := range []struct {
		name    string
		do      func(t *testing.T, path string)
		kept    []string // what is on the path afterwards
		elsewhr bool     // and in another file
		lost    bool
	}{
		{"by a copy of it", func(t *testing.T, path string) { replace(t, path, read(t, path)) }, []string{"one", "two", "three"}, false, false},
		{"by an older copy", func(t *testing.T, path string) {
			replace(t, path, bytes.Join(bytes.SplitAfter(read(t, path), []byte("\n"))[:2], nil))
		}, []string{"one", "two", "three"}, false, false},
		{"by another session", func(t *testing.T, path string) {
			replace(t, path, []byte(`{"type":"session","version":3,"id":"other","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv"}`+"\n"))
		}, []string{"one", "two", "three"}, true, false},
		{"by what is no session", func(t *testing.T, path string) { replace(t, path, []byte("notes\n")) }, []string{"one", "two", "three"}, true, false},
		{"emptied", func(t *testing.T, path string) { write(t, path, nil) }, []string{"three"}, true, true},
		{"cut behind the first message", func(t *testing.T, path string) {
			write(t, path, bytes.Join(bytes.SplitAfter(read(t, path), []byte("\n"))[:2], nil))
		}, []string{"one", "three"}, false, true},
		{"deleted with its folder", func(t *testing.T, path string) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, []string{"one", "two", "three"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := filestore.Store{Root: t.TempDir()}
			live := begin(t, s)
			b := live.Main()
			say(t, b, "one")
			say(t, b, "two")
			path := s.FilePath(live.Header())
			lost := 0
			live.Replaced = func(n int) { lost = n }
			tt.do(t, path)
			before := len(read0(path))

			if _, err := live.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			say(t, b, "three")
			if got := texts(t, b); !slices.Equal(got, tt.kept) {
				t.Errorf("the live session has %q, want %q", got, tt.kept)
			}
			if (lost > 0) != tt.lost {
				t.Errorf("%d entries are told to be lost", lost)
			}
			now := live.Log().(interface{ Path() string }).Path()
			if (now != path) != tt.elsewhr {
				t.Errorf("the session lies in %s", now)
			}
			if tt.elsewhr && len(read0(path)) != before {
				t.Error("the file in its place was touched")
			}
			if got := texts(t, open(t, s, now).Main()); !slices.Equal(got, tt.kept) {
				t.Errorf("the file has %q, want %q", got, tt.kept)
			}
		})
	}
}

// Without having looked before it: an append alone goes the same ways.
func TestAnAppendToAReplacedFile(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	live := begin(t, s)
	b := live.Main()
	say(t, b, "one")
	path := s.FilePath(live.Header())
	replace(t, path, read(t, path))
	say(t, b, "two")
	if got := texts(t, open(t, s, path).Main()); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the file has %q", got)
	}
}

// pi migrates a file in place and gives ids by chance.
func TestAnotherProgramMigratesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	write(t, path, []byte(`{"type":"session","id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv"}`+"\n"+
		`{"type":"message","message":{"role":"user","content":"one"}}`+"\n"+
		`{"type":"message","message":{"role":"user","content":"two"}}`+"\n"))
	live := open(t, filestore.Store{}, path)
	b := live.Main()
	write(t, path, []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv"}`+"\n"+
		`{"type":"message","id":"r1","parentId":null,"message":{"role":"user","content":"one"}}`+"\n"+
		`{"type":"message","id":"r2","parentId":"r1","message":{"role":"user","content":"two"}}`+"\n"))
	e := say(t, b, "three")
	if e.Parent != "r2" {
		t.Errorf("what is new hangs below %q, want r2", e.Parent)
	}
	again := open(t, filestore.Store{}, path)
	if got := texts(t, again.Main()); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("the file has %q", got)
	}
	if n := again.Tree().Len(); n != 3 {
		t.Errorf("the file has %d entries, want 3", n)
	}
}

func TestAnEmptyFileBecomesTheSession(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.jsonl")
	h := session.Header{CWD: "/srv"}.Complete()
	s := filestore.Store{Flat: dir, Path: path, PathID: h.ID}
	write(t, path, nil)
	live, err := session.New(s, h)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	other, err := session.New(s, h)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	say(t, live.Main(), "one")
	if got := texts(t, open(t, s, path).Main()); !slices.Equal(got, []string{"one"}) {
		t.Errorf("the file has %q", got)
	}
	// Who comes later gets a file beside it.
	say(t, other.Main(), "two")
	if got := other.Log().(interface{ Path() string }).Path(); got == path || filepath.Dir(got) != dir {
		t.Errorf("the second session lies in %s", got)
	}
}

// The first words of a session that has no place to be kept wait for one.
func TestWhatCannotBeSavedYetIsKept(t *testing.T) {
	root := filepath.Join(t.TempDir(), "file")
	write(t, root, nil) // where a folder should be
	s := filestore.Store{Root: root}
	live := begin(t, s)
	b := live.Main()
	var unsaved *session.UnsavedError
	if _, err := b.Append(t.Context(), session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text("one")}}}); !errors.As(err, &unsaved) {
		t.Fatalf("an append without a place: %v, want *UnsavedError", err)
	}
	if got := texts(t, b); !slices.Equal(got, []string{"one"}) || live.Unsaved() != 1 {
		t.Errorf("%q are kept, %d unsaved", got, live.Unsaved())
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	say(t, b, "two")
	if got := texts(t, open(t, s, s.FilePath(live.Header())).Main()); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the file has %q", got)
	}
}

// A link to a file of an old version stays one.
func TestMigrationThroughALink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "old.jsonl"), filepath.Join(t.TempDir(), "link.jsonl")
	write(t, path, []byte(`{"type":"session","id":"s","cwd":"/srv"}`+"\n"+`{"type":"message","message":{"role":"user","content":"one"}}`+"\n"))
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	say(t, open(t, filestore.Store{}, link).Main(), "two")
	if to, err := os.Readlink(link); err != nil || to != path {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
	if !strings.Contains(string(read(t, path)), "two") {
		t.Error("the file has not what was said")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read0(path string) []byte {
	b, _ := os.ReadFile(path) // may not be there
	return b
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// replace puts a new file in the place of one.
func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	write(t, path+".new", data)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
