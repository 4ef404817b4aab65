package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
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
