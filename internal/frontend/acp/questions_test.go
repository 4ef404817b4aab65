package acp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
)

const writing = `[
 {"when":{"user":"^write"},"reply":[{"toolCalls":[{"id":"w1","name":"write","args":{"path":"a.txt","content":"new"}}]},{"text":"Well."}]},
 {"when":{"user":"^again"},"reply":[{"toolCalls":[{"id":"w2","name":"write","args":{"path":"a.txt","content":"newer"}}]},{"text":"Well."}]},
 {"reply":{"text":"You said {{user}}."}}
]`

func (e *editor) mode(id sdk.SessionId, mode string) {
	e.t.Helper()
	if _, err := e.conn.SetSessionMode(e.t.Context(), sdk.SetSessionModeRequest{SessionId: id, ModeId: sdk.SessionModeId(mode)}); err != nil {
		e.t.Fatal(err)
	}
}

func (w *world) exists(name string) bool {
	_, err := os.Stat(filepath.Join(w.dir, name))
	return err == nil
}

func TestPermission(t *testing.T) {
	for _, tt := range []struct {
		name    string
		ask     func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)
		written bool
		status  string
		stop    sdk.StopReason
		asked   int // for two writes
	}{
		{"allowed once", choose(sdk.PermissionOptionKindAllowOnce), true, "completed", sdk.StopReasonEndTurn, 2},
		{"allowed for the session", choose(sdk.PermissionOptionKindAllowAlways), true, "completed", sdk.StopReasonEndTurn, 1},
		{"rejected", choose(sdk.PermissionOptionKindRejectOnce), false, "failed", sdk.StopReasonEndTurn, 2},
		{"cancelled", func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}, nil
		}, false, "failed", sdk.StopReasonCancelled, 2},
		{"answered with an error", func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
			return sdk.RequestPermissionResponse{}, sdk.NewMethodNotFound("session/request_permission")
		}, false, "failed", sdk.StopReasonEndTurn, 2},
		{"answered with what was not offered", func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected("perhaps")}, nil
		}, false, "failed", sdk.StopReasonCancelled, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, writing)
			e := w.editor()
			e.ask = tt.ask
			id := e.new(w.dir)
			e.mode(id, "ask")
			if r := e.say(id, "write it"); r != tt.stop {
				t.Errorf("stop reason %s, want %s", r, tt.stop)
			}
			if got := w.exists("a.txt"); got != tt.written {
				t.Errorf("written: %t", got)
			}
			if got := e.transcript(id); !strings.Contains(got, "call w1: write a.txt, edit, "+tt.status) {
				t.Errorf("the editor shows\n%s", got)
			}
			if r := e.say(id, "again"); r != tt.stop {
				t.Errorf("stop reason %s of the second, want %s", r, tt.stop)
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			if len(e.asked) != tt.asked {
				t.Fatalf("asked %d times", len(e.asked))
			}
			q := e.asked[0]
			if q.ToolCall.ToolCallId != "w1" || *q.ToolCall.Title != "write a.txt" || q.ToolCall.Content[0].Diff.NewText != "new" || q.ToolCall.Locations[0].Path != filepath.Join(w.dir, "a.txt") {
				t.Errorf("asked about %+v", q.ToolCall)
			}
			var kinds []string
			for _, o := range q.Options {
				kinds = append(kinds, string(o.Kind))
			}
			if got := strings.Join(kinds, " "); got != "allow_once allow_always reject_once" {
				t.Errorf("options %s", got)
			}
		})
	}
}

// Who never answers can still cancel.
func TestCancelWhileAsked(t *testing.T) {
	w := newWorld(t, writing)
	e := w.editor()
	e.ask = func(ctx context.Context, _ sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
		<-ctx.Done() // the question is taken back
		return sdk.RequestPermissionResponse{}, ctx.Err()
	}
	id := e.new(w.dir)
	e.mode(id, "ask")
	done := make(chan sdk.StopReason, 1)
	go func() { done <- e.say(id, "write it") }()
	e.await(func() bool { return len(e.asked) == 1 })
	if err := e.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r != sdk.StopReasonCancelled {
		t.Errorf("stop reason %s", r)
	}
	if w.exists("a.txt") {
		t.Error("it was written")
	}
}

// An answer of another front end takes the question back; what is said there is
// shown here.
func TestAnotherFrontEnd(t *testing.T) {
	w := newWorld(t, writing)
	e := w.editor()
	e.ask = func(ctx context.Context, _ sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
		<-ctx.Done()
		return sdk.RequestPermissionResponse{}, ctx.Err()
	}
	id := e.new(w.dir)
	e.say(id, "hello")
	e.mode(id, "ask")
	other, err := w.hub.Connect(t.Context(), control.Start{Store: w.store, Open: string(id), Who: "rpc"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	done := make(chan sdk.StopReason, 1)
	go func() { done <- e.say(id, "write it") }()
	e.await(func() bool { return len(e.asked) == 1 })
	state, err := protocol.Call(t.Context(), other, protocol.GetState{})
	if err != nil || len(state.Open) != 1 {
		t.Fatalf("state %+v, %v", state, err)
	}
	q := state.Open[0]
	if _, err := protocol.Call(t.Context(), other, protocol.Answer{Question: q.ID, Choice: q.Choices[0].ID}); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r != sdk.StopReasonEndTurn || !w.exists("a.txt") {
		t.Errorf("stop reason %s, written %t", r, w.exists("a.txt"))
	}
	if _, err := protocol.Call(t.Context(), other, protocol.Prompt{Text: "from elsewhere"}); err != nil {
		t.Fatal(err)
	}
	e.await(func() bool { return strings.HasSuffix(transcript(e.updates[id]), "You said from elsewhere.") })
	want := "agent: You said hello.\ncall w1: write a.txt, edit, completed at a.txt {\"(new)\" -> \"new\"}\nagent: Well.\nuser: from elsewhere\nagent: You said from elsewhere."
	if got := e.transcript(id); got != want {
		t.Errorf("the editor shows\n%s\nwant\n%s", got, want)
	}
	if r := e.say(id, "and here"); r != sdk.StopReasonEndTurn {
		t.Errorf("stop reason %s", r)
	}
}

// A mode, a model and a thinking level can be chosen, by either of the protocol's
// ways, and others' choices are told.
func TestChoices(t *testing.T) {
	w := newWorld(t, writing)
	e := w.editor()
	r, err := e.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: w.dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Modes == nil || r.Modes.CurrentModeId != "auto" || len(r.Modes.AvailableModes) != 4 || r.Models == nil || r.Models.CurrentModelId != "scripted/one" {
		t.Fatalf("modes %+v, models %+v", r.Modes, r.Models)
	}
	set := func(option, value string) []sdk.SessionConfigOption {
		t.Helper()
		r2, err := e.conn.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
			SessionId: r.SessionId, ConfigId: sdk.SessionConfigId(option), Value: sdk.SessionConfigValueId(value)}})
		if err != nil {
			t.Fatal(err)
		}
		return r2.ConfigOptions
	}
	set("mode", "read-only")
	e.await(func() bool {
		for _, u := range e.updates[r.SessionId] {
			if u.CurrentModeUpdate != nil && u.CurrentModeUpdate.CurrentModeId == "read-only" {
				return true
			}
		}
		return false
	})
	set("model", "scripted/one")
	for _, o := range set("thinking", "high") {
		if o.Select.Id == "thinking" && o.Select.CurrentValue != "high" || o.Select.Id == "mode" && o.Select.CurrentValue != "read-only" {
			t.Errorf("option %s is %s", o.Select.Id, o.Select.CurrentValue)
		}
	}
	if r := e.say(r.SessionId, "write it"); r != sdk.StopReasonEndTurn || w.exists("a.txt") {
		t.Errorf("read-only: %s, written %t", r, w.exists("a.txt"))
	}
	if _, err := e.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: r.SessionId, ModeId: "wild"}); !isCode(err, -32602) {
		t.Errorf("a mode that there is not: %v", err)
	}
}

// What is said while somebody else's run goes on is said after it.
func TestPromptInAnothersRun(t *testing.T) {
	w := newWorld(t, working)
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "hello")
	other, err := w.hub.Connect(t.Context(), control.Start{Store: w.store, Open: string(id), Who: "rpc"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, cancel := range []bool{false, true} {
		e.mu.Lock()
		delete(e.updates, id)
		e.mu.Unlock()
		if _, err := protocol.Call(t.Context(), other, protocol.Prompt{Text: "long"}); err != nil {
			t.Fatal(err)
		}
		e.await(func() bool { return strings.Contains(transcript(e.updates[id]), "one") })
		done := make(chan sdk.StopReason, 1)
		go func() { done <- e.say(id, "me too") }()
		waits(t, other)
		if cancel {
			if err := e.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
				t.Fatal(err)
			}
			if r := <-done; r != sdk.StopReasonCancelled {
				t.Errorf("stop reason %s", r)
			}
			if q, err := protocol.Call(t.Context(), other, protocol.GetQueue{}); err != nil || len(q.Items) != 0 {
				t.Errorf("what waits: %+v, %v", q, err)
			}
			continue
		}
		w.script.Release("gate")
		if r := <-done; r != sdk.StopReasonEndTurn {
			t.Errorf("stop reason %s", r)
		}
		if got, want := e.transcript(id), "user: long\nagent: one two threeYou said me too."; got != want {
			t.Errorf("the editor shows\n%s\nwant\n%s", got, want)
		}
	}
}

// waits returns when a message waits.
func waits(t *testing.T, c protocol.Client) {
	t.Helper()
	for ev, err := range c.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := ev.(type) {
		case protocol.State:
			if len(e.Queue.Items) == 1 {
				return
			}
		case protocol.QueueChanged:
			if len(e.Items) == 1 {
				return
			}
		}
	}
}

// A question about no tool call is asked too.
func TestBudgetQuestion(t *testing.T) {
	for kind, want := range map[sdk.PermissionOptionKind]string{
		sdk.PermissionOptionKindAllowOnce:  "Again.",
		sdk.PermissionOptionKindRejectOnce: "",
	} {
		rules, err := script.Parse([]byte(`[{"reply":[{"text":"Once.","usage":{"input":1000000,"output":1000}},{"text":"Again."}]}]`))
		if err != nil {
			t.Fatal(err)
		}
		info := scripted.Info("one")
		info.Cost = provider.Price{Input: 1, Output: 1}
		w := newWorld(t, `[]`, func(o *control.Options) {
			o.Models = models{scripted.New(info, rules)}
			o.Budget.PerSession = sdk.Ptr(0.5)
		})
		e := w.editor()
		e.ask = choose(kind)
		id := e.new(w.dir)
		e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("one")}})
		e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("two")}})
		e.mu.Lock()
		n := len(e.asked)
		e.mu.Unlock()
		got := e.transcript(id)
		if n == 0 || !strings.Contains(got, "call question q1: The budget for a session") || strings.Contains(got, "Again.") != (want != "") {
			t.Errorf("%s: asked %d times, the editor shows\n%s", kind, n, got)
		}
	}
}

// A conversation of thousands of messages is loaded as a whole.
func TestLoadMuch(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"Yes."}}]`)
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "first")
	s, err := session.Open(t.Context(), w.store, string(id))
	if err != nil {
		t.Fatal(err)
	}
	b := s.Branch(s.Tree().Leaf())
	for i := range 400 {
		m := message.Message{Role: message.User, Content: []message.Block{message.Text("said")}, Timestamp: int64(i)}
		if i%2 == 1 {
			m.Role = message.Assistant
		}
		if _, err := b.Append(t.Context(), session.Message{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	e.end()
	e = w.editor()
	if _, err := e.conn.LoadSession(t.Context(), load(string(id), w.dir)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(e.transcript(id), "said"); got != 400 {
		t.Errorf("%d messages", got)
	}
}
