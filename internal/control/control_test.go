package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool"
)

// models gives one scripted model.
type models struct{ m provider.Model }

func (m models) Available() []provider.Info { return []provider.Info{m.m.Info()} }
func (m models) Model(p, id string) (provider.Model, error) {
	if p == m.m.Info().Provider && id == m.m.Info().ID {
		return m.m, nil
	}
	return nil, fmt.Errorf("no model %s/%s", p, id)
}
func (m models) Default() (provider.Model, string, error) { return m.m, "", nil }
func (m models) Thinking(provider.Info) string            { return "off" }

// world is a hub with a scripted model and a folder of sessions.
type world struct {
	t       *testing.T
	hub     *control.Hub
	store   filestore.Store
	script  *script.Script
	witness *witness
	gate    chan struct{} // "slow" calls wait for it
	shell   func(ctx context.Context, command string, onDelta func(string)) (protocol.BashResult, error)
}

func newWorld(t *testing.T, rules string) *world {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}, script: s, gate: make(chan struct{})}
	read := tool.New(message.ToolSpec{Name: "read", Description: "reads"}, func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
		return message.TextOutput("content of " + a.Path), nil
	})
	slow := tool.New(message.ToolSpec{Name: "slow", Description: "waits"}, func(ctx context.Context, _ struct{}, progress func(message.Output)) (message.Output, error) {
		progress(message.TextOutput("half"))
		select {
		case <-w.gate:
			return message.TextOutput("whole"), nil
		case <-ctx.Done():
			return message.TextOutput("half"), ctx.Err()
		}
	})
	w.witness = &witness{Model: scripted.New(scripted.Info("one"), s), t: t}
	w.hub = control.NewHub(control.Options{
		Models: models{w.witness},
		Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{read, slow}, Run: w.shell, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: p.Dir, Tools: specs})
			}}, nil
		},
		Retry: control.Retry{Max: 2, Base: time.Millisecond},
	})
	t.Cleanup(w.hub.Close)
	return w
}

// front is a front end that keeps what it sees.
type front struct {
	protocol.Client
	leave func()
	t     *testing.T

	mu      sync.Mutex
	view    view.View
	events  []string            // names, guarded by mu
	notices []protocol.Notice   // guarded by mu
	ended   []protocol.RunEnded // guarded by mu
	moved   chan struct{}
}

func (w *world) connect(start control.Start) *front {
	w.t.Helper()
	if start.Store == nil {
		start.Store = w.store
	}
	if start.Open == "" {
		start.New = session.Header{CWD: "/srv"}.Complete()
		start.File = w.store.FilePath(start.New)
	}
	c, err := w.hub.Connect(w.t.Context(), start)
	if err != nil {
		w.t.Fatal(err)
	}
	client, leave := reach(w.t, c)
	f := &front{Client: client, leave: leave, t: w.t, moved: make(chan struct{}, 1)}
	ready := make(chan struct{})
	done := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(done)
		for ev, err := range client.Watch(context.Background(), 0) {
			if err != nil {
				return
			}
			f.mu.Lock()
			f.view.Apply(ev)
			f.events = append(f.events, name(ev))
			switch e := ev.(type) {
			case protocol.Notice:
				f.notices = append(f.notices, e)
			case protocol.RunEnded:
				f.ended = append(f.ended, e)
			}
			f.mu.Unlock()
			if _, ok := ev.(protocol.State); ok {
				once.Do(func() { close(ready) })
			}
			select {
			case f.moved <- struct{}{}:
			default:
			}
		}
	}()
	<-ready
	w.t.Cleanup(func() { leave(); <-done })
	return f
}

func (f *front) Close() { f.leave() }

func name(ev protocol.Event) string {
	n := strings.TrimPrefix(fmt.Sprintf("%T", ev), "protocol.")
	switch e := ev.(type) {
	case protocol.Appended:
		n = "+" + string(e.Entry.Type)
		if e.Entry.Role != "" {
			n = "+" + string(e.Entry.Role)
		}
	case protocol.Delta, protocol.ContextChanged:
		n = ""
	}
	return n
}

// until waits for something to be true of what the front end sees.
func (f *front) until(what string, ok func() bool) {
	f.t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		f.mu.Lock()
		yes := ok()
		f.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-f.moved:
		case <-deadline:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.t.Fatalf("waited for %s; events: %v", what, f.events)
		}
	}
}

// ends counts finished runs.
func (f *front) ends() (n int) {
	for _, e := range f.events {
		if e == "RunEnded" {
			n++
		}
	}
	return n
}

func (f *front) say(text string) {
	f.t.Helper()
	f.mu.Lock()
	n := f.ends()
	f.mu.Unlock()
	if _, err := protocol.Call(f.t.Context(), f, protocol.Prompt{Text: text}); err != nil {
		f.t.Fatal(err)
	}
	f.until("the end of the run", func() bool { return f.ends() > n })
}

// talk returns the conversation at the leaf, one line a message.
func (f *front) talk() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := session.Project(f.view.Path())
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, it := range session.InCallOrder(p.Items) {
		m := it.Message
		if m.Role == message.System {
			continue
		}
		line := string(m.Role) + ": " + m.Text("")
		for _, c := range m.ToolCalls() {
			line += " -> " + c.Name
		}
		if m.StopReason == message.Aborted || m.StopReason == message.Failed {
			line += " (" + string(m.StopReason) + ")"
		}
		out = append(out, line)
	}
	return out
}

func (f *front) wantTalk(want ...string) {
	f.t.Helper()
	if got := f.talk(); fmt.Sprint(got) != fmt.Sprint(want) {
		f.t.Errorf("conversation:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const readRule = `{"rules":[
 {"when":{"user":"^read","turn":0},"reply":{"text":"Reading.","toolCalls":[{"name":"read","args":{"path":"a"}},{"name":"read","args":{"path":"b"}}]}},
 {"when":{"toolResult":"."},"reply":{"text":"I read: {{toolResult}}"}},
 {"when":{"user":"^slow","turn":0},"reply":{"toolCalls":[{"name":"slow","args":{}},{"name":"read","args":{"path":"quick"}}]}},
 {"when":{"user":"^hold"},"reply":{"text":"This is a long answer that stops.","at":[{"chunk":1,"do":"hold","name":"h"}]}},
 {"when":{"user":"^flaky"},"times":2,"reply":{"error":"overloaded"}},
 {"when":{"user":"^broken"},"reply":{"error":"bad-request"}},
 {"when":{"user":"^down"},"reply":{"error":"server"}}
]}`

func TestAPromptWithTools(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("read them")
	f.wantTalk("user: read them", "assistant: Reading. -> read -> read", "toolResult: content of a", "toolResult: content of b", "assistant: I read: content of b")
	f.mu.Lock()
	defer f.mu.Unlock()
	var got []string
	for _, e := range f.events {
		if e != "" && !strings.HasPrefix(e, "Tool") && e != "+toolResult" {
			got = append(got, e)
		}
	}
	want := "[Opened State RunStarted LoopStarted TurnStarted +model_change +thinking_level_change +system +user AnswerStarted +assistant TurnEnded TurnStarted AnswerStarted +assistant TurnEnded LoopEnded RunEnded]"
	if fmt.Sprint(got) != want {
		t.Errorf("events %v\nwant   %s", got, want)
	}
}

func TestBranchingForgets(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("read them")
	f.mu.Lock()
	var question session.ID
	for _, e := range f.view.Path() {
		if e.Role == message.User {
			question = e.ID
		}
	}
	old := f.view.Leaf
	f.mu.Unlock()
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: question, At: true}); err != nil {
		t.Fatal(err)
	}
	f.say("read again")
	f.wantTalk("user: read them", "user: read again", "assistant: Reading. -> read -> read", "toolResult: content of a", "toolResult: content of b", "assistant: I read: content of b")
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.view.Tree.Children(question)); n != 2 {
		t.Errorf("the question has %d children, want 2", n)
	}
	if !f.view.Tree.Has(old) {
		t.Error("the old branch is gone")
	}
}

func TestAPlaceInsideAToolTurn(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("read them")
	f.mu.Lock()
	var answer, last session.ID
	for _, e := range f.view.Path() {
		switch {
		case e.Role == message.Assistant && answer == "":
			answer = e.ID
		case e.Role == message.ToolResult:
			last = e.ID
		}
	}
	f.mu.Unlock()
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: answer, At: true, Strict: true}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("strict: %v, want not_runnable", err)
	}
	n, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: answer, At: true})
	if err != nil || n.Leaf != last || !n.Moved {
		t.Errorf("moved to %s (%v), want the last result %s", n.Leaf, err, last)
	}
	n, err = protocol.Call(t.Context(), f, protocol.Navigate{Target: answer, At: true, Exact: true})
	if err != nil || n.Leaf != answer {
		t.Errorf("exact: at %s (%v), want %s", n.Leaf, err, answer)
	}
	f.say("go on")
	// The scripted model is told of the missing results; the file is not.
	for _, line := range f.talk() {
		if strings.HasPrefix(line, "toolResult") {
			t.Errorf("a result was invented: %s", line)
		}
	}
}

func TestAbortKeepsWhatWasSaid(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.Prompt{Text: "hold"}); err != nil {
		t.Fatal(err)
	}
	f.until("some of the answer", func() bool { return f.view.Answer != nil && f.view.Answer.Text("") != "" })
	if _, err := protocol.Call(t.Context(), f, protocol.Abort{}); err != nil {
		t.Fatal(err)
	}
	f.until("the end", func() bool { return f.ends() == 1 })
	f.wantTalk("user: hold", "assistant: This is a long a (aborted)")
	f.say("read them")
}

func TestAbortOfATool(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.Prompt{Text: "slow"}); err != nil {
		t.Fatal(err)
	}
	// The quick call's result is recorded before the slow one is over.
	f.until("the quick result, and the slow call at work", func() bool {
		return len(f.view.Tools) == 1 && len(f.view.Tools[0].Output.Content) > 0 && f.view.Tree.Last().Role == message.ToolResult
	})
	if _, err := protocol.Call(t.Context(), f, protocol.Abort{}); err != nil {
		t.Fatal(err)
	}
	f.until("the end", func() bool { return f.ends() == 1 })
	f.wantTalk("user: slow", "assistant:  -> slow -> read", "toolResult: halfAborted.", "toolResult: content of quick", "assistant:  (aborted)")
}

func TestQueues(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	ctx := t.Context()
	if _, err := protocol.Call(ctx, f, protocol.Prompt{Text: "slow"}); err != nil {
		t.Fatal(err)
	}
	f.until("the tool", func() bool { return len(f.view.Tools) > 0 })
	if _, err := protocol.Call(ctx, f, protocol.Prompt{Text: "no"}); protocol.CodeOf(err) != protocol.Busy {
		t.Errorf("a second prompt: %v, want busy", err)
	}
	if d, err := protocol.Call(ctx, f, protocol.Prompt{Text: "later", WhenBusy: protocol.AsFollowUp}); err != nil || d != protocol.Queued {
		t.Errorf("follow-up: %v, %v", d, err)
	}
	if d, err := protocol.Call(ctx, f, protocol.Steer{Text: "steer"}); err != nil || d != protocol.Queued {
		t.Errorf("steer: %v, %v", d, err)
	}
	close(w.gate)
	f.until("the end", func() bool { return f.ends() == 1 })
	f.wantTalk("user: slow", "assistant:  -> slow -> read", "toolResult: whole", "toolResult: content of quick",
		"user: steer", "assistant: Echo: steer", "user: later", "assistant: Echo: later")
}

func TestRetryOfTransientFailures(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("flaky")
	f.wantTalk("user: flaky", "assistant: Echo: flaky")
	f.say("down")
	if got := f.talk(); !strings.Contains(got[len(got)-1], "(error)") {
		t.Errorf("the last failure is not kept: %v", got)
	}
	n := 0
	f.mu.Lock()
	for _, e := range f.events {
		if e == "RetryStarted" {
			n++
		}
	}
	f.mu.Unlock()
	if n != 4 {
		t.Errorf("%d retries, want 2 and 2", n)
	}
	f.say("broken")
	if got := f.talk(); !strings.Contains(got[len(got)-1], "(error)") {
		t.Errorf("a rejected request is retried: %v", got)
	}
}

func TestRetryAsksAgain(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.Retry{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("retry of nothing: %v", err)
	}
	f.say("hello")
	f.mu.Lock()
	var question session.ID
	for _, e := range f.view.Path() {
		if e.Role == message.User {
			question = e.ID
		}
	}
	f.mu.Unlock()
	if _, err := protocol.Call(t.Context(), f, protocol.Retry{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("retry of an answer: %v", err)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: question, At: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Retry{}); err != nil {
		t.Fatal(err)
	}
	f.until("the second run", func() bool { return f.ends() == 2 })
	f.wantTalk("user: hello", "assistant: Echo: hello")
}

func TestTwoFrontEndsSeeTheSame(t *testing.T) {
	w := newWorld(t, readRule)
	a := w.connect(control.Start{})
	a.say("read them")
	b := w.connect(control.Start{Open: a.view.File})
	b.until("the entries", func() bool { return b.view.Leaf == a.view.Leaf })
	b.say("more")
	a.until("the other's run", func() bool { return a.ends() == 2 })
	if x, y := fmt.Sprint(a.talk()), fmt.Sprint(b.talk()); x != y {
		t.Errorf("one sees %s\nthe other %s", x, y)
	}
}

func TestForkCloneAndNew(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	ctx := t.Context()
	f.say("first")
	f.say("second")
	f.mu.Lock()
	first := f.view.File
	var second session.ID
	for _, e := range f.view.Path() {
		if e.Role == message.User {
			second = e.ID
		}
	}
	f.mu.Unlock()
	got, err := protocol.Call(ctx, f, protocol.Fork{Entry: second})
	if err != nil || got.Text != "second" {
		t.Fatalf("fork = %+v, %v", got, err)
	}
	f.until("the fork", func() bool { return f.view.File != first && f.view.Leaf != "" })
	f.wantTalk("user: first", "assistant: Echo: first")
	f.say("third")
	if f.view.Header.ParentSession != first {
		t.Errorf("the fork's parent is %q, want %q", f.view.Header.ParentSession, first)
	}
	fork := f.view.File
	if _, err := protocol.Call(ctx, f, protocol.Clone{}); err != nil {
		t.Fatal(err)
	}
	f.until("the clone", func() bool { return f.view.File != fork && f.view.Leaf != "" })
	f.wantTalk("user: first", "assistant: Echo: first", "user: third", "assistant: Echo: third")
	if _, err := protocol.Call(ctx, f, protocol.NewSession{}); err != nil {
		t.Fatal(err)
	}
	f.until("the new session", func() bool { return f.view.Tree.Size() == 0 })
	if _, err := protocol.Call(ctx, f, protocol.SwitchSession{Session: first}); err != nil {
		t.Fatal(err)
	}
	f.until("the first session", func() bool { return f.view.File == first && f.view.Leaf != "" })
	f.wantTalk("user: first", "assistant: Echo: first", "user: second", "assistant: Echo: second")
}

func TestThePositionSurvives(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("first")
	f.mu.Lock()
	file, at := f.view.File, f.view.Leaf
	f.mu.Unlock()
	f.say("second")
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: at}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	again := w.connect(control.Start{Open: file})
	if again.view.Leaf != at {
		t.Errorf("reopened at %s, want %s", again.view.Leaf, at)
	}
	again.say("third")
	again.wantTalk("user: first", "assistant: Echo: first", "user: third", "assistant: Echo: third")
}

func TestTheLimitOfTurns(t *testing.T) {
	w := newWorld(t, `{"rules":[{"when":{},"reply":{"toolCalls":[{"name":"read","args":{"path":"x"}}]}}]}`)
	w.hub = control.NewHub(control.Options{Models: models{scripted.New(scripted.Info("one"), w.script)}, MaxTurns: 3})
	t.Cleanup(w.hub.Close)
	f := w.connect(control.Start{})
	f.say("go")
	n := 0
	for _, l := range f.talk() {
		if strings.HasPrefix(l, "assistant") {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d answers, want 3", n)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Retry{}); err != nil {
		t.Errorf("/retry after the limit: %v", err)
	}
	f.until("the second run", func() bool { return f.ends() == 2 })
}

// A watcher that takes nothing holds nobody up and gets everything in the end.
func TestASlowWatcher(t *testing.T) {
	w := newWorld(t, `{"rules":[{"when":{"user":"long"},"reply":{"text":"x","repeat":200000}}]}`)
	f := w.connect(control.Start{})
	slow, watching, said := make(chan string), make(chan struct{}), make(chan struct{})
	go func() {
		var v view.View
		first := true
		for ev, err := range f.Watch(context.Background(), 0) {
			if err != nil {
				break
			}
			if first {
				close(watching)
				<-said
				first = false
			}
			v.Apply(ev)
			if _, ok := ev.(protocol.RunEnded); ok {
				break
			}
		}
		p, _ := session.Project(v.Path())
		slow <- p.Items[len(p.Items)-1].Message.Text("")
	}()
	<-watching
	f.say("long")
	close(said)
	if got := <-slow; len(got) != 200000 {
		t.Errorf("the slow watcher has %d bytes of the answer, want 200000", len(got))
	}
}

func TestWireRecordsAreJSON(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	done, watching := make(chan int), make(chan struct{})
	go func() {
		var wire protocol.Wire
		n, began := 0, false
		for ev, err := range f.Watch(context.Background(), 0) {
			if err != nil {
				break
			}
			if !began {
				close(watching)
				began = true
			}
			for _, r := range wire.Records(ev) {
				if !json.Valid(r) {
					t.Errorf("no JSON: %s", r)
				}
				n++
			}
			if _, ok := ev.(protocol.RunEnded); ok {
				break
			}
		}
		done <- n
	}()
	<-watching
	f.say("read them")
	if n := <-done; n < 20 {
		t.Errorf("%d records", n)
	}
}

// What a front end shows as done is in the file: also the system message, which
// is appended before there is one.
func TestToldWhenWritten(t *testing.T) {
	w := newWorld(t, `{"rules":[{"reply":{"text":"hi"}}]}`)
	f := w.connect(control.Start{})
	told := make(chan error, 1)
	watching := make(chan struct{})
	go func() {
		for ev, err := range f.Watch(context.Background(), 0) {
			if err != nil {
				told <- err
				return
			}
			switch e := ev.(type) {
			case protocol.State:
				select {
				case <-watching:
				default:
					close(watching)
				}
			case protocol.Appended:
				if e.Entry.Type == session.TypeMessage && e.Entry.Line.Seq == 0 {
					told <- fmt.Errorf("the %s message was told of before it was written", e.Entry.Role)
					return
				}
			case protocol.RunEnded:
				told <- nil
				return
			}
		}
	}()
	<-watching
	f.say("hello")
	if err := <-told; err != nil {
		t.Error(err)
	}
}

// A tool result is in the session file as soon as its call has ended, not when
// the slowest has.
func TestAResultIsInTheFileAtOnce(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.Prompt{Text: "slow"}); err != nil {
		t.Fatal(err)
	}
	f.until("the quick result", func() bool { last := f.view.Tree.Last(); return last != nil && last.Role == message.ToolResult })
	file := func() string {
		found, err := filepath.Glob(filepath.Join(w.store.Root, "*", "*.jsonl"))
		if err != nil || len(found) != 1 {
			t.Fatalf("session files %v, %v", found, err)
		}
		b, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if s := file(); strings.Count(s, "content of quick") != 1 || strings.Contains(s, "whole") {
		t.Errorf("while the slow call runs the file is\n%s", s)
	}
	close(w.gate)
	f.until("the end", func() bool { return f.ends() == 1 })
	s := file()
	if quick, slow := strings.Index(s, "content of quick"), strings.Index(s, "whole"); slow < quick {
		t.Errorf("results at %d and %d of\n%s", quick, slow, s)
	}
	f.wantTalk("user: slow", "assistant:  -> slow -> read", "toolResult: whole", "toolResult: content of quick", "assistant: I read: content of quick")
}
