package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
)

const working = `[
 {"when":{"user":"^change","turn":0},"reply":{"thinking":"Where is it?","text":"I look.","toolCalls":[{"id":"c1","name":"read","args":{"path":"a.txt"}}]}},
 {"when":{"user":"^change","turn":1},"reply":{"toolCalls":[{"id":"c2","name":"edit","args":{"path":"a.txt","edits":[{"oldText":"two","newText":"2"}]}},{"id":"c3","name":"write","args":{"path":"b.txt","content":"new\n"}}]}},
 {"when":{"user":"^change","turn":2},"reply":{"toolCalls":[{"id":"c4","name":"bash","args":{"command":"echo hi; exit 3"}}]}},
 {"when":{"user":"^change","turn":3},"reply":{"text":"Done."}},
 {"when":{"user":"^run"},"reply":[{"toolCalls":[{"id":"r1","name":"bash","args":{"command":"make"}}]},{"text":"It ran."}]},
 {"when":{"user":"^long"},"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"gate","maxMs":60000}]}},
 {"when":{"user":"^cut"},"reply":{"text":"half","stop":"length"}},
 {"when":{"user":"^fail"},"reply":{"error":"auth"}},
 {"reply":{"text":"You said {{user}}."}}
]`

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

const changed = "thought: Where is it?\n" +
	"agent: I look.\n" +
	"call c1: read a.txt, read, completed at a.txt \"```\\none\\ntwo\\nthree\\n```\"\n" +
	"call c2: edit a.txt, edit, completed at a.txt:2 {\"two\" -> \"2\"}\n" +
	"call c3: write b.txt, edit, completed at b.txt {\"(new)\" -> \"new\\n\"}\n" +
	"call c4: echo hi; exit 3, execute, failed \"```\\nhi\\n\\nCommand exited with code 3\\n```\"\n" +
	"agent: Done."

func TestPromptWithTools(t *testing.T) {
	w := newWorld(t, working)
	w.write("a.txt", "one\ntwo\nthree\n")
	e := w.editor()
	id := e.new(w.dir)
	if r := e.say(id, "change it"); r != sdk.StopReasonEndTurn {
		t.Errorf("stop reason %s", r)
	}
	if got := e.transcript(id); got != changed {
		t.Errorf("the editor shows\n%s\nwant\n%s", got, changed)
	}
	if got := w.read("a.txt"); got != "one\n2\nthree\n" {
		t.Errorf("a.txt = %q", got)
	}
}

// What is loaded is what was seen while it was said.
func TestLoadRepeatsWhatWasStreamed(t *testing.T) {
	w := newWorld(t, working)
	w.write("a.txt", "one\ntwo\nthree\n")
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "change it")
	want := "user: change it\n" + e.transcript(id)
	for range 2 { // as it is open, and by another editor
		e.mu.Lock()
		delete(e.updates, id)
		e.mu.Unlock()
		if _, err := e.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: w.dir, McpServers: []sdk.McpServer{}}); err != nil {
			t.Fatal(err)
		}
		if got := e.transcript(id); got != want {
			t.Errorf("loaded\n%s\nwant\n%s", got, want)
		}
		e.end()
		e = w.editor()
	}
	if _, err := e.conn.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: id, Cwd: w.dir}); err != nil {
		t.Fatal(err)
	}
	e.say(id, "and on")
	if got := e.transcript(id); got != "agent: You said and on." {
		t.Errorf("resumed: %s", got)
	}
	r, err := e.conn.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &w.dir})
	if err != nil || len(r.Sessions) != 1 || r.Sessions[0].SessionId != id || r.Sessions[0].Title == nil || *r.Sessions[0].Title != "change it" {
		t.Errorf("listed %+v, %v", r.Sessions, err)
	}
}

func TestStopReasons(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor()
	id := e.new(w.dir)
	if r := e.say(id, "cut it"); r != sdk.StopReasonMaxTokens {
		t.Errorf("a cut answer: %s", r)
	}
	_, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("fail")}})
	if !isCode(err, -32000) {
		t.Errorf("a refused key: %v", err)
	}
	if r := e.say(id, "hello"); r != sdk.StopReasonEndTurn {
		t.Errorf("after a failure: %s", r)
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor()
	id := e.new(w.dir)
	said := make(chan sdk.PromptResponse, 1)
	go func() {
		r, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("long")}})
		if err != nil {
			t.Error(err)
		}
		said <- r
	}()
	e.await(func() bool { return strings.Contains(transcript(e.updates[id]), "one") })
	_, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("me too")}})
	if !isCode(err, -32602) {
		t.Errorf("a second prompt: %v", err)
	}
	if err := e.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if r := <-said; r.StopReason != sdk.StopReasonCancelled {
		t.Errorf("cancelled: %s", r.StopReason)
	}
	if r := e.say(id, "hello"); r != sdk.StopReasonEndTurn {
		t.Errorf("after a cancel: %s", r)
	}
	if got := e.transcript(id); !strings.HasSuffix(got, "You said hello.") {
		t.Errorf("the editor shows\n%s", got)
	}
}

func TestTwoSessionsAtOnce(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor()
	one, two := e.new(w.dir), e.new(w.dir)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.say(one, "long")
	}()
	e.await(func() bool { return len(e.updates[one]) > 1 })
	e.say(two, "hello")
	w.script.Release("gate")
	<-done
	if a, b := e.transcript(one), e.transcript(two); a != "agent: one two three" || b != "agent: You said hello." {
		t.Errorf("the editor shows\n%s\nand\n%s", a, b)
	}
	if _, err := e.conn.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: one}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: one, Prompt: []sdk.ContentBlock{sdk.TextBlock("hello")}}); !isCode(err, -32002) {
		t.Errorf("a closed session: %v", err)
	}
}

func TestFork(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "one")
	r, err := e.conn.UnstableForkSession(t.Context(), sdk.UnstableForkSessionRequest{SessionId: id, Cwd: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	e.say(r.SessionId, "two")
	e.say(id, "three")
	for id, want := range map[sdk.SessionId]string{
		id:          "user: one\nagent: You said one.\nuser: three\nagent: You said three.",
		r.SessionId: "user: one\nagent: You said one.\nuser: two\nagent: You said two.",
	} {
		e.mu.Lock()
		delete(e.updates, id)
		e.mu.Unlock()
		if _, err := e.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: w.dir, McpServers: []sdk.McpServer{}}); err != nil {
			t.Fatal(err)
		}
		if got := e.transcript(id); got != want {
			t.Errorf("loaded\n%s\nwant\n%s", got, want)
		}
	}
}
