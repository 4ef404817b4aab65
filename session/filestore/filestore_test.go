package filestore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/session/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) session.Store {
		return filestore.Store{Root: t.TempDir(), Leases: t.TempDir()}
	})
}

func TestProjectDir(t *testing.T) {
	for _, tt := range []struct{ cwd, want string }{
		{"/home/ana/shop", "--home-ana-shop--"},
		{"/home/ana/shop/", "--home-ana-shop--"},
		{"/home/ana/../ana/shop", "--home-ana-shop--"},
		{"/home//ana/shop", "--home-ana-shop--"},
		{"/", "----"},
		{`/a:b/c\d`, "--a-b-c-d--"},
		{"/--x--", "----x----"},
		{"/home/ana/my proj-é", "--home-ana-my proj-é--"},
		{"/a-b/c", "--a-b-c--"},
		{"/a/b-c", "--a-b-c--"},
		{`C:\Users\me\p`, "--C--Users-me-p--"},
		{`C:\`, "--C----"},
		{`\\srv\share\x`, "---srv-share-x--"},
	} {
		if got := filestore.ProjectDir(tt.cwd); got != tt.want {
			t.Errorf("ProjectDir(%q) = %q, want %q", tt.cwd, got, tt.want)
		}
	}
	long := filestore.ProjectDir("/" + strings.Repeat("é", 200))
	if len(long) > 255 || long == filestore.ProjectDir("/"+strings.Repeat("é", 201)) {
		t.Errorf("a long path gives %q (%d bytes)", long, len(long))
	}
}

// say appends a user message.
func say(t *testing.T, b *session.Branch, text string) *session.Entry {
	t.Helper()
	e, err := b.Append(t.Context(), session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text(text)}}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func begin(t *testing.T, s filestore.Store) *session.Session {
	t.Helper()
	one, err := session.New(s, session.Header{CWD: "/srv/app"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { one.Close() })
	return one
}

func open(t *testing.T, s filestore.Store, id string) *session.Session {
	t.Helper()
	one, err := session.Open(t.Context(), s, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { one.Close() })
	return one
}

func TestNothingIsWrittenBeforeTheFirstMessage(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	one := begin(t, s)
	b := one.Main()
	for _, body := range []session.Body{session.ModelChange{Provider: "p", ModelID: "m"}, session.Info{Name: "x"}, session.Custom{CustomType: "y"}} {
		if _, err := b.Append(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	path := s.FilePath(one.Header())
	if _, err := os.Stat(path); err == nil {
		t.Fatal("there is a file before anything was said")
	}
	say(t, b, "hello")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n != 5 {
		t.Errorf("%d lines, want header and 4 entries:\n%s", n, data)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, want 0600", info.Mode())
	}
}

func TestReadingChangesNothing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"without a final line end": `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}` + "\n" + `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}`,
		"with a torn tail":         `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}` + "\n" + `{"type":"message","id":"a","parentId":null,"message":{"role":"us`,
		"of version 1":             `{"type":"session","id":"s"}` + "\n" + `{"type":"message","message":{"role":"user","content":"x"}}` + "\n",
	} {
		path := filepath.Join(dir, "x.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		one, err := session.Open(t.Context(), filestore.Store{Flat: dir}, path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		one.Main().Project()
		one.Close()
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%s: reading made of it\n%s", name, got)
		}
	}
}

func TestTornTailDoesNoHarm(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	one := begin(t, s)
	first := say(t, one.Main(), "first")
	path := s.FilePath(one.Header())
	one.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"type":"message","id":"torn","parentId":"x","mess`)
	f.Close()

	again := open(t, s, path)
	if got := again.Tree().Leaf(); got != first.ID {
		t.Fatalf("leaf = %s, want %s", got, first.ID)
	}
	say(t, again.Main(), "second")
	third := open(t, s, path)
	if p, err := third.Main().Project(); err != nil || len(p.Items) != 2 {
		t.Errorf("%d messages after the tail was sealed, want 2 (%v)", len(p.Items), err)
	}
	data, _ := os.ReadFile(path)
	if !bytes.Contains(data, []byte(`"torn"`)) {
		t.Error("the torn line is gone; it must stay")
	}
}

func TestMigrationHappensWithTheFirstAppend(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old.jsonl")
	old := `{"type":"session","id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv"}` + "\n" +
		`{"type":"message","message":{"role":"user","content":"one"}}` + "\n" +
		"torn{\n" +
		`{"type":"message","message":{"role":"hookMessage","customType":"x","content":"two"}}` + "\n"
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	s := filestore.Store{Flat: dir}
	one, two := open(t, s, path), open(t, s, path)
	if a, b := one.Tree().Leaf(), two.Tree().Leaf(); a != b || a == "" {
		t.Fatalf("two programs migrate to %q and %q", a, b)
	}
	say(t, one.Main(), "three")
	if bak, err := os.ReadFile(path + ".v1.bak"); err != nil || string(bak) != old {
		t.Errorf("the old file is not kept: %q, %v", bak, err)
	}
	fresh := open(t, s, path)
	p, err := fresh.Main().Project()
	if err != nil || len(p.Items) != 3 {
		t.Errorf("%d messages after the migration, want 3 (%v)", len(p.Items), err)
	}
	if p.Items[1].Message.Role != message.Custom {
		t.Errorf("hookMessage became %s, want custom", p.Items[1].Message.Role)
	}
	data, _ := os.ReadFile(path)
	if !bytes.Contains(data, []byte("torn{\n")) {
		t.Error("the line that cannot be read is gone; it must stay")
	}
	say(t, two.Main(), "four")
	if got := texts(t, open(t, s, path).Main()); !slices.Equal(got, []string{"one", "four"}) {
		t.Errorf("who comes later stands at %q, want the end as it was for it", got)
	}
}

func TestADeletedFileIsMadeAgain(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	one := begin(t, s)
	b := one.Main()
	say(t, b, "first")
	path := s.FilePath(one.Header())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	say(t, b, "second")
	again := open(t, s, path)
	if p, err := again.Main().Project(); err != nil || len(p.Items) != 2 {
		t.Errorf("%d messages in the file that was made again, want 2 (%v)", len(p.Items), err)
	}
}

func TestTheLeafSurvives(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	one := begin(t, s)
	b := one.Main()
	first := say(t, b, "first")
	say(t, b, "second")
	if err := b.Move(first.ID); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := b.Mark(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	path := s.FilePath(one.Header())
	data, _ := os.ReadFile(path)
	if n := bytes.Count(data, []byte("bough.leaf")); n != 1 {
		t.Errorf("%d markers for one visit, want 1", n)
	}
	again := open(t, s, path)
	if got := again.Tree().Leaf(); got != first.ID {
		t.Errorf("leaf = %s, want %s", got, first.ID)
	}
	third := say(t, again.Main(), "third")
	if third.Parent != first.ID {
		t.Errorf("the next entry hangs below %s, want the target %s", third.Parent, first.ID)
	}
}

func TestAppendsOfOthersAreTold(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	one := begin(t, s)
	root := say(t, one.Main(), "first")
	var told []string
	one.Foreign = func(es []*session.Entry) {
		for _, e := range es {
			told = append(told, string(e.ID))
		}
	}
	two := open(t, s, s.FilePath(one.Header()))
	other := say(t, two.Main(), "other")
	mine := say(t, one.Branch(root.ID), "mine")
	if fmt.Sprint(told) != fmt.Sprint([]session.ID{other.ID}) {
		t.Errorf("told of %v, want %v", told, other.ID)
	}
	if mine.Parent != root.ID || len(one.Tree().Children(root.ID)) != 2 {
		t.Errorf("two writers make %d branches, want 2", len(one.Tree().Children(root.ID)))
	}
}

func TestListIsNotHinderedByBadFiles(t *testing.T) {
	s := filestore.Store{Root: t.TempDir()}
	one := begin(t, s)
	say(t, one.Main(), "hello")
	dir := s.Dir("/srv/app")
	os.WriteFile(filepath.Join(dir, "garbage.jsonl"), []byte("no\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o600)
	os.Symlink("/nowhere", filepath.Join(dir, "dangling.jsonl"))
	os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700)
	n := 0
	for sum, err := range s.List(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if sum.ID == one.Header().ID {
			n++
		}
	}
	recent, err := s.Recent(t.Context(), "/srv/app")
	if n != 1 || err != nil || len(recent) != 1 {
		t.Errorf("listed %d times, recent %v, %v", n, recent, err)
	}
}
