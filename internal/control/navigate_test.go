package control_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// exampleLines is the path of the worked example of docs/spec/session.md 8, with a
// side branch X.
var exampleLines = []string{
	`{"type":"session","version":3,"id":"example","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv"}`,
	user("A", "", "ask A"), assistant("B", "A", "say B"), user("C", "B", "ask C"), assistant("D", "C", "say D"),
	`{"type":"compaction","id":"K","parentId":"D","timestamp":"2026-03-01T09:00:00.000Z","summary":"sum K","firstKeptEntryId":"A","tokensBefore":9,"details":{"readFiles":["cr"],"modifiedFiles":["cm"]}}`,
	user("E", "K", "ask E"),
	`{"type":"message","id":"F","parentId":"E","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"say F"},{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"f.go"}}],"api":"x","provider":"scripted","model":"one","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":1}}`,
	`{"type":"message","id":"R","parentId":"F","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"edit","content":[{"type":"text","text":"done R"}],"isError":false,"timestamp":1}}`,
	user("X", "B", "ask X"),
	`{"type":"label","id":"L","parentId":"R","timestamp":"2026-03-01T09:00:00.000Z","targetId":"B","label":"x"}`,
}

func user(id, parent, text string) string {
	p := `"` + parent + `"`
	if parent == "" {
		p = "null"
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":%q}],"timestamp":1}}`, id, p, text)
}

func assistant(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":%q}],"api":"x","provider":"scripted","model":"one","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1}}`, id, parent, text)
}

// file writes a session's lines and returns its path.
func (w *world) file(lines ...string) string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "example.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

const summaryRule = `{"rules":[
 {"when":{"user":"<conversation>"},"reply":{"text":"## Goal\nIt was tried.","usage":{"input":100,"output":7}}},
 {"reply":{"text":"Good."}}]}`

func (f *front) navigate(c protocol.Navigate) protocol.Navigated {
	f.t.Helper()
	n, err := protocol.Call(f.t.Context(), f, c)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// between returns the events of moves and summaries, and the entries, since an
// earlier call.
func (f *front) between(from int) ([]string, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, e := range f.events[from:] {
		if e != "" {
			out = append(out, e)
		}
	}
	return out, len(f.events)
}

func TestTheExampleOfBranchSummaries(t *testing.T) {
	for _, tt := range []struct {
		name         string
		from, target session.ID
		asked        []string // what the summariser reads, in order; nil: it is not asked
		leaf         session.ID
		text         string
		files        string
	}{
		{"up to an answer", "L", "B", []string{"ask C", "say D", "sum K", "ask E", "say F"}, "B", "", `["f.go"]`},
		{"up to a question", "L", "C", []string{"say D", "sum K", "ask E", "say F"}, "B", "ask C", `["f.go"]`},
		{"up to the root", "L", "A", []string{"say B", "ask C", "say D", "sum K", "ask E", "say F"}, "", "ask A", `["f.go"]`},
		{"down", "B", "L", nil, "L", "", ""},
		{"across", "X", "E", []string{"ask X"}, "K", "ask E", `[]`},
		{"nothing but a label", "L", "R", nil, "R", "", ""},
		{"where one stands", "L", "L", nil, "L", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, summaryRule)
			path := w.file(exampleLines...)
			f := w.connect(control.Start{Open: path})
			f.navigate(protocol.Navigate{Target: tt.from, At: true, Exact: true})
			at := 0
			f.until("the first move", func() bool { return f.view.Leaf == tt.from })
			_, at = f.between(0)
			n := f.navigate(protocol.Navigate{Target: tt.target, Summarize: true})
			if n.Text != tt.text || n.Old != tt.from || n.Aborted {
				t.Errorf("%+v", n)
			}
			f.until("the move", func() bool { return f.view.Leaf == n.Leaf })
			reqs := w.witness.requests()
			if tt.asked == nil {
				if len(reqs) > 0 || n.Summary != "" || n.Leaf != tt.leaf {
					t.Errorf("asked %v, %+v", reqs, n)
				}
				return
			}
			if len(reqs) != 1 || len(reqs[0]) != 2 {
				t.Fatalf("asked %v", reqs)
			}
			rest := reqs[0][1]
			for _, s := range tt.asked {
				_, after, ok := strings.Cut(rest, s)
				if !ok {
					t.Fatalf("%q is missing, or in the wrong place, in %s", s, reqs[0][1])
				}
				rest = after
			}
			if said := strings.Count(reqs[0][1], "ask ") + strings.Count(reqs[0][1], "say ") + strings.Count(reqs[0][1], "sum "); said != len(tt.asked) {
				t.Errorf("%d messages, want %d: %s", said, len(tt.asked), reqs[0][1])
			}
			f.mu.Lock()
			e := f.view.Tree.Get(n.Summary)
			f.mu.Unlock()
			body, err := e.Body()
			if err != nil {
				t.Fatal(err)
			}
			sum := body.(session.BranchSummary)
			if e.Parent != tt.leaf || n.Leaf != e.ID || sum.From != tt.from || sum.FromHook || sum.Usage.Output != 7 || !strings.Contains(sum.Summary, "\n\n## Goal\nIt was tried.") {
				t.Errorf("%+v below %q: %+v", n, e.Parent, sum)
			}
			if want := `{"readFiles":[],"modifiedFiles":` + tt.files + `}`; string(sum.Details) != want {
				t.Errorf("details %s, want %s", sum.Details, want)
			}
			f.until("the end", func() bool { return f.events[len(f.events)-1] == "LeafMoved" })
			if got, _ := f.between(at); fmt.Sprint(got) != "[BranchSummaryStarted +branch_summary BranchSummaryEnded LeafMoved]" {
				t.Errorf("events %v", got)
			}
		})
	}
}

func TestALabelGoesWithTheMove(t *testing.T) {
	w := newWorld(t, summaryRule)
	f := w.connect(control.Start{Open: w.file(exampleLines...)})
	label := func(id session.ID) session.Label {
		f.until("the label", func() bool { return f.view.Tree.Has(id) })
		body, err := f.view.Tree.Get(id).Body()
		if err != nil {
			t.Fatal(err)
		}
		return body.(session.Label)
	}
	n := f.navigate(protocol.Navigate{Target: "D", Summarize: true, Label: " tried\nit "})
	if got := label(n.Leaf); got.Target != n.Summary || got.Text != "tried it" {
		t.Errorf("%+v, want it on %s", got, n.Summary)
	}
	n = f.navigate(protocol.Navigate{Target: "C", Label: "again"})
	if got := label(n.Leaf); got.Target != "C" || f.view.Tree.Get(n.Leaf).Parent != "B" {
		t.Errorf("%+v below %s", got, f.view.Tree.Get(n.Leaf).Parent)
	}
}

func TestAPlaceIsKeptAtOnce(t *testing.T) {
	w := newWorld(t, summaryRule)
	path := w.file(exampleLines...)
	f := w.connect(control.Start{Open: path})
	f.navigate(protocol.Navigate{Target: "D", Persist: true})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.Split(strings.TrimSpace(string(data)), "\n")
	if line := last[len(last)-1]; !strings.Contains(line, `"bough.leaf"`) || !strings.Contains(line, `"parentId":"D"`) {
		t.Errorf("the last line is %s", line)
	}
	f.navigate(protocol.Navigate{Target: "B"})
	if again, _ := os.ReadFile(path); string(again) != string(data) {
		t.Errorf("a move was written at once: %s", again[len(data):])
	}
}

const heldSummary = `{"rules":[
 {"when":{"user":"<conversation>"},"reply":{"text":"It was tried, and it took long.","at":[{"chunk":1,"do":"hold","name":"h"}]}},
 {"reply":{"text":"Good."}}]}`

func TestAnAbortedSummaryChangesNothing(t *testing.T) {
	w := newWorld(t, heldSummary)
	path := w.file(exampleLines...)
	before, _ := os.ReadFile(path)
	f := w.connect(control.Start{Open: path})
	result := make(chan protocol.Navigated, 1)
	go func() {
		n, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: "B", Summarize: true})
		if err != nil {
			t.Error(err)
		}
		result <- n
	}()
	if err := w.script.AwaitHold(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	if st, err := protocol.Call(t.Context(), f, protocol.GetState{}); err != nil || st.Running || !st.Compacting || st.Leaf != "L" {
		t.Errorf("meanwhile: %+v, %v", st, err)
	}
	for _, cmd := range []protocol.Request{protocol.Prompt{Text: "hi", WhenBusy: protocol.AsFollowUp}, protocol.Navigate{Target: "A"}, protocol.Back{}, protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"X"}}, protocol.Retry{}} {
		if _, err := f.Do(t.Context(), cmd); protocol.CodeOf(err) != protocol.Compacting && protocol.CodeOf(err) != protocol.Busy {
			t.Errorf("%s meanwhile: %v", cmd.Name(), err)
		}
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Abort{}); err != nil {
		t.Fatal(err)
	}
	if n := <-result; !n.Aborted || n.Leaf != "L" || n.Summary != "" || n.Text != "" {
		t.Errorf("%+v", n)
	}
	after, _ := os.ReadFile(path)
	if string(before) != string(after) {
		t.Errorf("the file has grown: %s", after[len(before):])
	}
	f.until("the end", func() bool { return slices.Contains(f.events, "BranchSummaryEnded") })
	if got, _ := f.between(0); slices.Contains(got, "LeafMoved") {
		t.Errorf("events %v", got)
	}
	f.say("hi") // and all goes on
}

func TestAFailedSummaryChangesNothing(t *testing.T) {
	for _, tt := range []struct{ name, reply, err string }{
		{"refused", `{"error":"bad-request"}`, "could not be summed up, so nothing has changed"},
		{"cut off", `{"text":"## Goal","stop":"length"}`, "cut off"},
		{"a tool call", `{"toolCalls":[{"name":"read","args":{"path":"a"}}]}`, "called a tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, `{"rules":[{"when":{"user":"<conversation>"},"reply":`+tt.reply+`},{"reply":{"text":"Good."}}]}`)
			path := w.file(exampleLines...)
			before, _ := os.ReadFile(path)
			f := w.connect(control.Start{Open: path})
			_, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: "B", Summarize: true})
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v, want %q", err, tt.err)
			}
			st, err := protocol.Call(t.Context(), f, protocol.GetState{})
			if after, _ := os.ReadFile(path); err != nil || st.Leaf != "L" || st.Compacting || string(after) != string(before) {
				t.Errorf("%+v, %v", st, err)
			}
		})
	}
}

func TestASummaryIsTriedAgain(t *testing.T) {
	w := newWorld(t, `{"rules":[{"when":{"user":"<conversation>"},"times":2,"reply":{"error":"overloaded"}},{"when":{"user":"<conversation>"},"reply":{"text":"It was tried."}}]}`)
	f := w.connect(control.Start{Open: w.file(exampleLines...)})
	n := f.navigate(protocol.Navigate{Target: "B", Summarize: true})
	f.until("the move", func() bool { return f.view.Leaf == n.Leaf })
	f.until("all of it", func() bool { return slices.Contains(f.events, "SummaryRetryEnded") })
	got, _ := f.between(0)
	want := "BranchSummaryStarted SummaryRetryScheduled SummaryRetryStarted SummaryRetryScheduled SummaryRetryStarted SummaryRetryEnded +branch_summary BranchSummaryEnded LeafMoved"
	if s := strings.Join(got, " "); !strings.HasSuffix(s, want) {
		t.Errorf("events %s, want %s", s, want)
	}
}

func TestASummaryNeedsAModel(t *testing.T) {
	w := newWorld(t, summaryRule)
	w.hub.Close()
	w.hub = control.NewHub(control.Options{})
	t.Cleanup(w.hub.Close)
	f := w.connect(control.Start{Open: w.file(exampleLines...)})
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: "B", Summarize: true}); protocol.CodeOf(err) != protocol.NoModel {
		t.Errorf("%v", err)
	}
	if n := f.navigate(protocol.Navigate{Target: "B"}); n.Leaf != "B" {
		t.Errorf("%+v", n)
	}
}

func TestBackAndForward(t *testing.T) {
	w := newWorld(t, summaryRule)
	path := w.file(exampleLines...)
	f := w.connect(control.Start{Open: path})
	g := w.connect(control.Start{Open: path})                                  // another client of the same session
	refused(w.connect(control.Start{}), protocol.Back{}, protocol.NotRunnable) // from the start
	for _, id := range []session.ID{"D", "B", "B", "", "X"} {
		f.navigate(protocol.Navigate{Target: id, At: true})
	}
	stands := func(f *front, cmd protocol.Command[protocol.Navigated], want session.ID) {
		t.Helper()
		n, err := protocol.Call(t.Context(), f, cmd)
		if err != nil || n.Leaf != want {
			t.Errorf("%s: %+v, %v; want %q", cmd.Name(), n, err, want)
		}
	}
	stands(f, protocol.Back{}, "")
	stands(g, protocol.Back{}, "B")
	stands(f, protocol.Back{}, "D")
	stands(f, protocol.Forward{}, "B")
	f.say("more")
	said := func() session.ID { st, _ := protocol.Call(t.Context(), f, protocol.GetState{}); return st.Leaf }()
	stands(f, protocol.Back{}, "D")
	stands(f, protocol.Forward{}, said)
	stands(f, protocol.Forward{}, "")
	stands(f, protocol.Forward{}, "X")
	if _, err := protocol.Call(t.Context(), f, protocol.Forward{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("forward from the end: %v", err)
	}
	stands(f, protocol.Back{}, "")
	f.navigate(protocol.Navigate{Target: "D", At: true}) // forgets what lay before
	if _, err := protocol.Call(t.Context(), f, protocol.Forward{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("forward after a move: %v", err)
	}
}

func TestTheImagesOfAMessageComeBack(t *testing.T) {
	w := newWorld(t, summaryRule)
	f := w.connect(control.Start{})
	image := message.Block{Type: message.ImageBlock, Data: "iVBORw0KGgo=", MimeType: "image/png"}
	if _, err := protocol.Call(t.Context(), f, protocol.Prompt{Text: "see", Images: []message.Block{image, image}}); err != nil {
		t.Fatal(err)
	}
	f.until("the end", func() bool { return f.ends() > 0 })
	var asked session.ID
	for _, e := range f.view.Path() {
		if e.Role == message.User {
			asked = e.ID
		}
	}
	for _, summarize := range []bool{false, true} {
		n := f.navigate(protocol.Navigate{Target: asked, Summarize: summarize})
		if n.Text != "see" || len(n.Images) != 2 || n.Images[1].Data != image.Data {
			t.Errorf("summarize %v: %+v", summarize, n)
		}
		if _, err := protocol.Call(t.Context(), f, protocol.Back{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A service that ends while a branch is summed up ends at once, and nothing has moved.
func TestTheEndComesBeforeTheSummary(t *testing.T) {
	w := newWorld(t, heldSummary)
	path := w.file(exampleLines...)
	before, _ := os.ReadFile(path)
	f := w.connect(control.Start{Open: path})
	result := make(chan error, 1)
	go func() {
		_, err := protocol.Call(context.Background(), f, protocol.Navigate{Target: "B", Summarize: true})
		result <- err
	}()
	if err := w.script.AwaitHold(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	w.hub.Close()
	if err := <-result; err != nil && !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("%v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Errorf("the file has grown: %s", after[len(before):])
	}
}

// Whoever gives up waiting does not stop the summary.
func TestWhoWaitsForASummaryMayGo(t *testing.T) {
	w := newWorld(t, heldSummary)
	f := w.connect(control.Start{Open: w.file(exampleLines...)})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := protocol.Call(ctx, f, protocol.Navigate{Target: "B", Summarize: true})
		result <- err
	}()
	if err := w.script.AwaitHold(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.script.Release("h")
	f.until("the move", func() bool { return slices.Contains(f.events, "LeafMoved") })
	f.wantTalk("user: ask A", "assistant: say B", "branchSummary: ")
}
