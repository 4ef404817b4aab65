package acp_test

import (
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/frontend/acp"
)

func lending(fs, terminal bool) func(*editor, *acp.Options) {
	return func(e *editor, _ *acp.Options) {
		e.caps = sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: fs, WriteTextFile: fs}, Terminal: terminal}
	}
}

// What is open and not saved is what tools see, and what they write goes by way of
// the editor.
func TestFilesOfTheEditor(t *testing.T) {
	w := newWorld(t, working)
	w.write("a.txt", "one\ntwo, saved\nthree\n")
	path := filepath.Join(w.dir, "a.txt")
	e := w.editor(lending(true, false))
	e.buffers[path] = "one\ntwo, not saved\n"
	id := e.new(w.dir)
	e.say(id, "change it")
	e.mu.Lock()
	got, made := e.buffers[path], e.buffers[filepath.Join(w.dir, "b.txt")]
	e.mu.Unlock()
	if got != "one\n2, not saved\n" || made != "new\n" {
		t.Errorf("the editor has a.txt %q, b.txt %q", got, made)
	}
	if s := e.transcript(id); !strings.Contains(s, `one\ntwo, not saved\n`) {
		t.Errorf("the editor shows\n%s", s)
	}
	if got := w.read("a.txt"); got != "one\n2, not saved\n" {
		t.Errorf("a.txt = %q", got)
	}
}

// Files outside of the editor's folders, and images, are none of its business.
func TestFilesThatAreNotLent(t *testing.T) {
	out := t.TempDir()
	w := newWorld(t, `[{"when":{"user":"^look"},"reply":[
		{"toolCalls":[{"name":"write","args":{"path":"`+out+`/x.txt","content":"out"}},{"name":"write","args":{"path":"bom.txt","content":"\ufeffold"}}]},
		{"toolCalls":[{"name":"read","args":{"path":"`+out+`/x.txt"}},{"name":"read","args":{"path":"bom.txt"}}]},
		{"text":"Seen."}]}]`)
	w.write("bom.txt", "\ufeffold")
	e := w.editor(lending(true, false))
	e.buffers[filepath.Join(w.dir, "bom.txt")] = "the editor's"
	id := e.new(w.dir)
	e.say(id, "look")
	e.mu.Lock()
	_, wrote := e.buffers[filepath.Join(out, "x.txt")]
	e.mu.Unlock()
	if wrote {
		t.Error("a file outside went through the editor")
	}
	if got := w.read("bom.txt"); got != "\ufeffold" {
		t.Errorf("bom.txt = %q", got)
	}
}

func TestTerminalOfTheEditor(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor(lending(false, true))
	id := e.new(w.dir)
	e.say(id, "run it")
	want := "call r1: make, execute, failed terminal t1\nagent: It ran."
	if got := e.transcript(id); got != want {
		t.Errorf("the editor shows\n%s\nwant\n%s", got, want)
	}
	r := e.runs[0]
	if r.Args[len(r.Args)-1] != "make" || *r.Cwd != w.dir {
		t.Errorf("asked for %+v", r)
	}
	e.mu.Lock()
	delete(e.updates, id)
	e.mu.Unlock()
	if _, err := e.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: w.dir, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if got := e.transcript(id); !strings.Contains(got, "from the editor\\n\\nCommand exited with code 3") {
		t.Errorf("loaded\n%s", got)
	}
}

func TestCancelEndsTheTerminal(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor(lending(false, true))
	e.hang = true
	id := e.new(w.dir)
	done := make(chan sdk.StopReason, 1)
	go func() { done <- e.say(id, "run it") }()
	e.await(func() bool { return len(e.runs) == 1 })
	if err := e.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r != sdk.StopReasonCancelled {
		t.Errorf("stop reason %s", r)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.killed != 1 {
		t.Errorf("%d terminals were killed", e.killed)
	}
}

// A command that the editor has begun is ended, also if that was still on its way when
// the prompt was cancelled.
func TestCancelBeforeTheTerminalIsThere(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor(lending(false, true))
	e.hang, e.slow = true, make(chan struct{})
	id := e.new(w.dir)
	done := make(chan sdk.StopReason, 1)
	go func() { done <- e.say(id, "run it") }()
	e.await(func() bool { return len(e.runs) == 1 })
	if err := e.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.conn.ListSessions(t.Context(), sdk.ListSessionsRequest{}); err != nil { // the cancel was taken before
		t.Fatal(err)
	}
	close(e.slow)
	if r := <-done; r != sdk.StopReasonCancelled {
		t.Errorf("stop reason %s", r)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.killed != 1 {
		t.Errorf("%d terminals were killed", e.killed)
	}
}
