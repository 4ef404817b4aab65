package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/session"
)

// What cannot be saved is not sent: it comes back to the editor, a banner says why and
// what to do, and goes when there is nothing wrong any more.
func TestNothingIsSentThatCannotBeSaved(t *testing.T) {
	w := tuitest.New(t, `[]`)
	w.Store.Root = filepath.Join(t.TempDir(), "sessions")
	if err := os.WriteFile(w.Store.Root, []byte("no folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.Start(100, 24)
	s.Type("keep these words", "enter")
	s.Shows("Not saved: ", "is no folder", "Error: Nothing was sent, since the session cannot be saved")
	s.Until("the words in the editor", func(screen string) bool {
		return strings.Count(screen, "keep these words") == 1 && !strings.Contains(screen, "Echo")
	})
	if err := os.Remove(w.Store.Root); err != nil {
		t.Fatal(err)
	}
	s.Hides("Not saved: ")
	s.Type("enter")
	s.Shows("Echo: keep these words")
}

// A session that may only be read says so as long as it is open.
func TestASessionThatIsOnlyRead(t *testing.T) {
	w := tuitest.New(t, `[]`)
	path := filepath.Join(t.TempDir(), "newer.jsonl")
	lines := `{"type":"session","version":99,"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/srv/app"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"said long ago","timestamp":1767225601000}}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.Connect(path)
	s := tuitest.Start(t, c, 100, 24)
	t.Cleanup(func() { s.End(); c.Close() })
	s.Shows("said long ago", "Not saved: ", "only read")
	s.Type("not in here", "enter")
	s.Shows("Error: Nothing was sent", "not in here")
	if b, err := os.ReadFile(path); err != nil || string(b) != lines {
		t.Errorf("the file is %q, %v", b, err)
	}
}

// What another program appends is told of at once and stays told until it was looked
// at; where the conversation stands and what is typed stay.
func TestChangedByAnotherProgram(t *testing.T) {
	touched := make(chan func(), 2)
	w := tuitest.New(t, `[]`, func(o *control.Options) {
		o.Changes = func(_ string, changed func()) func() { touched <- changed; return func() {} }
	})
	start := control.Start{Store: w.Store, Dir: w.Dir, Who: "me", New: session.Header{CWD: "/srv/app"}.Complete()}
	start.File = w.Store.FilePath(start.New)
	c, err := w.Hub.Connect(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	s := tuitest.Start(t, c, 100, 30)
	t.Cleanup(func() { s.End(); c.Close() })
	s.Shows("stub-large")
	s.Type("hello", "enter")
	s.Shows("Echo: hello")
	changed := <-touched
	s.Type("a draft")
	f, err := os.OpenFile(start.File, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"f0000001", "f0000002"} {
		if _, err := f.WriteString(`{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"of another program"}}` + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	changed()
	s.Shows("Changed by another program: 2 new entries on another branch.", "f0000002 goes there", "a draft", "Echo: hello")
	s.Type("ctrl+u", "/tree", "enter")
	s.Shows("of another program")
	s.Type("esc")
	s.Hides("Changed by another program")
}
