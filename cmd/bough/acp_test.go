package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// acpEditor is an editor that runs the program and keeps what it is told.
type acpEditor struct {
	acp.Client // no files and no terminals
	answer     acp.PermissionOptionKind
	t          *testing.T
	conn       *acp.ClientSideConnection
	end        func()
	moved      chan struct{} // something was told; holds one

	mu    sync.Mutex
	said  map[acp.SessionId]string // guarded by mu
	calls map[acp.SessionId]string // titles and states; guarded by mu
	asked int                      // guarded by mu
}

func (e *acpEditor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	defer func() {
		select {
		case e.moved <- struct{}{}:
		default:
		}
	}()
	e.mu.Lock()
	defer e.mu.Unlock()
	text := func(b acp.ContentBlock) {
		if b.Text != nil {
			e.said[n.SessionId] += b.Text.Text
		}
	}
	switch u := n.Update; {
	case u.UserMessageChunk != nil:
		e.said[n.SessionId] += "> "
		text(u.UserMessageChunk.Content)
		e.said[n.SessionId] += "\n"
	case u.AgentMessageChunk != nil:
		text(u.AgentMessageChunk.Content)
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
		e.calls[n.SessionId] += string(u.ToolCallUpdate.ToolCallId) + " " + string(*u.ToolCallUpdate.Status) + "\n"
	}
	return nil
}

func (e *acpEditor) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	for _, o := range r.Options {
		if o.Kind == e.answer {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// startACP starts the program with the script of its home.
func startACP(t *testing.T, home, dir string, args ...string) *acpEditor {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("bough", append([]string{"acp"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "BOUGH_OFFLINE=1", "BOUGH_SCRIPT=" + filepath.Join(home, "script.json")}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read, wrote := io.Pipe()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		io.Copy(wrote, out) // what cannot be read ends the conversation
		wrote.Close()
	}()
	e := &acpEditor{answer: acp.PermissionOptionKindAllowOnce, t: t, moved: make(chan struct{}, 1), said: map[acp.SessionId]string{}, calls: map[acp.SessionId]string{}}
	e.conn = acp.NewClientSideConnection(e, in, read)
	e.conn.SetLogger(slog.New(slog.DiscardHandler))
	var once sync.Once
	e.end = func() {
		once.Do(func() {
			in.Close()
			<-copied
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &stderr)
			}
			if s := stderr.String(); s != "" {
				t.Errorf("on standard error: %s", s)
			}
		})
	}
	t.Cleanup(e.end)
	if _, err := e.conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		t.Fatal(err)
	}
	return e
}

// until waits until what was said in a session holds a text.
func (e *acpEditor) until(id acp.SessionId, text string) {
	e.t.Helper()
	for {
		e.mu.Lock()
		there := strings.Contains(e.said[id], text)
		e.mu.Unlock()
		if there {
			return
		}
		select {
		case <-e.moved:
		case <-e.conn.Done():
			e.t.Fatalf("the program has ended, and %q was not said", text)
		}
	}
}

func (e *acpEditor) take(id acp.SessionId) (said, calls string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	said, calls = e.said[id], e.calls[id]
	delete(e.said, id)
	delete(e.calls, id)
	return said, calls
}

// A whole conversation of an editor with the program.
func TestACP(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	script := filepath.Join(home, "script.json")
	err := os.WriteFile(script, []byte(`[
		{"when":{"user":"^write"},"reply":[{"toolCalls":[{"id":"w1","name":"write","args":{"path":"made.txt","content":"hi"}}]},{"text":"Written."}]},
		{"when":{"user":"^parrot"},"reply":[{"toolCalls":[{"id":"p1","name":"mcp__the_parrot__say","args":{"words":"hello"}}]},{"text":"It said {{toolResult}}."}]},
		{"when":{"user":"^long"},"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"never","maxMs":600000}]}},
		{"reply":{"text":"You said {{user}}."}}]`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	e := startACP(t, home, dir, "--model", "scripted/one", "--permission-mode", "ask")
	conn, ctx := e.conn, t.Context()
	parrot, err := exec.LookPath("mcpserver")
	if err != nil {
		t.Fatal(err)
	}
	server := acp.McpServer{Stdio: &acp.McpServerStdio{Name: "the parrot", Command: parrot, Args: []string{}, Env: []acp.EnvVariable{{Name: "ACCENT", Value: "${HOME}: "}}}}
	made, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{server}})
	if err != nil {
		t.Fatal(err)
	}
	id := made.SessionId
	if made.Modes.CurrentModeId != "ask" {
		t.Errorf("mode %s", made.Modes.CurrentModeId)
	}
	say := func(id acp.SessionId, text string) acp.StopReason {
		t.Helper()
		r, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return r.StopReason
	}
	say(id, "write it")
	if said, calls := e.take(id); said != "Written." || calls != "w1 pending\nw1 in_progress\nw1 completed\n" && calls != "w1 in_progress\nw1 completed\n" || e.asked != 1 {
		t.Errorf("said %q, calls %q, asked %d times", said, calls, e.asked)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "made.txt")); string(b) != "hi" {
		t.Errorf("made.txt = %q", b)
	}
	say(id, "parrot")
	if said, _ := e.take(id); said != "It said ${HOME}: hello." {
		t.Errorf("the editor's server: %q", said)
	}
	for command, want := range map[string]string{"/tree": "assistant: It said", "/history": "[1] user", "/cost": "session", "/branch 99": "99"} {
		say(id, command)
		if said, _ := e.take(id); !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q in it", command, said, want)
		}
	}
	fork, err := conn.UnstableForkSession(ctx, acp.UnstableForkSessionRequest{SessionId: id, Cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	say(fork.SessionId, "hello")
	list, err := conn.ListSessions(ctx, acp.ListSessionsRequest{Cwd: &dir})
	if err != nil || len(list.Sessions) != 2 {
		t.Errorf("listed %+v, %v", list, err)
	}
	e.take(fork.SessionId)
	if _, err := conn.CloseSession(ctx, acp.CloseSessionRequest{SessionId: fork.SessionId}); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.LoadSession(ctx, acp.LoadSessionRequest{SessionId: fork.SessionId, Cwd: dir, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if said, calls := e.take(fork.SessionId); said != "> write it\nWritten.> parrot\nIt said ${HOME}: hello.> hello\nYou said hello." || calls != "w1 completed\np1 completed\n" {
		t.Errorf("loaded %q, calls %q", said, calls)
	}
	done := make(chan acp.StopReason, 1)
	go func() { done <- say(id, "long") }()
	e.until(id, "one")
	if err := conn.Cancel(ctx, acp.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r != acp.StopReasonCancelled {
		t.Errorf("stop reason %s", r)
	}
	e.end()
}

// Two editors at one session see the same.
func TestACPTwoEditors(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	script := filepath.Join(home, "script.json")
	if err := os.WriteFile(script, []byte(`[{"reply":{"text":"You said {{user}}."}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	one := startACP(t, home, dir, "--model", "scripted/one")
	made, err := one.conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	say := func(e *acpEditor, text string) {
		t.Helper()
		if _, err := e.conn.Prompt(t.Context(), acp.PromptRequest{SessionId: made.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	say(one, "hello")
	two := startACP(t, home, dir)
	if _, err := two.conn.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: made.SessionId, Cwd: dir, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	say(two, "from two")
	one.until(made.SessionId, "> from two\nYou said from two.")
	say(one, "from one")
	two.until(made.SessionId, "> from one\nYou said from one.")
	two.end()
	say(one, "alone")
	one.end()
}
