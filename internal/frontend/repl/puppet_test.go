package repl_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// puppet is a session service that says what a test wants it to say.
type puppet struct {
	answer func(*puppet, protocol.Request) (any, error)
	events chan protocol.Event

	mu   sync.Mutex
	done []string // commands, with the text of prompts
}

func newPuppet(answer func(*puppet, protocol.Request) (any, error)) *puppet {
	return newPuppetIn(protocol.State{}, answer)
}

// newPuppetIn is a puppet whose session stands as state says.
func newPuppetIn(state protocol.State, answer func(*puppet, protocol.Request) (any, error)) *puppet {
	p := &puppet{answer: answer, events: make(chan protocol.Event, 100)}
	p.tell(protocol.Opened{Header: session.Header{ID: "puppet"}, Fresh: true}, state)
	return p
}

func (p *puppet) tell(evs ...protocol.Event) {
	for _, ev := range evs {
		p.events <- ev
	}
}

func (p *puppet) Do(_ context.Context, cmd protocol.Request) (any, error) {
	name := cmd.Name()
	if c, ok := cmd.(protocol.Prompt); ok {
		name += " " + c.Text
	}
	p.mu.Lock()
	p.done = append(p.done, name)
	p.mu.Unlock()
	return p.answer(p, cmd)
}

func (p *puppet) commands() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.done, ", ")
}

func (p *puppet) Watch(ctx context.Context, _ session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		for {
			select {
			case ev, ok := <-p.events:
				if !ok {
					yield(nil, protocol.ErrClosed)
					return
				}
				if !yield(ev, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (p *puppet) run(t *testing.T, in string, o repl.Options) (string, string, int, error) {
	t.Helper()
	var out, errs bytes.Buffer
	o.In, o.Out, o.Err, o.Quiet = strings.NewReader(in), &out, &errs, true
	code, err := repl.Run(t.Context(), p, o)
	return out.String(), errs.String(), code, err
}

// says is a whole run with one answer.
func says(s string) []protocol.Event {
	return []protocol.Event{protocol.LoopStarted{}, protocol.AnswerStarted{},
		protocol.Delta{Delta: message.Delta{Kind: message.TextStart}}, protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: s}},
		protocol.Delta{Delta: message.Delta{Kind: message.TextEnd}}, protocol.TurnEnded{Answer: message.Message{StopReason: message.Stop, Content: []message.Block{message.Text(s)}}}, protocol.RunEnded{}}
}

func TestAMessageThatMissesItsRunIsSaidAfterAll(t *testing.T) {
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		switch c := cmd.(type) {
		case protocol.Prompt:
			p.tell(protocol.QueueChanged{Queue: protocol.Queue{FollowUp: []string{c.Text}}}, protocol.RunEnded{})
			return protocol.Queued, nil
		case protocol.SendQueue:
			p.tell(protocol.QueueChanged{})
			p.tell(says("here it is")...)
			return protocol.Started, nil
		}
		return nil, errors.New("unexpected")
	})
	out, errs, code, err := p.run(t, "late", repl.Options{})
	if want := "prompt late, send_queue"; p.commands() != want || out != "here it is\n" || errs != "" || code != 0 || err != nil {
		t.Errorf("commands %s; %q, %q, code %d, %v", p.commands(), out, errs, code, err)
	}
}

func TestBlocksThatInterleave(t *testing.T) {
	d := func(kind message.DeltaKind, index int, text string) protocol.Event {
		return protocol.Delta{Delta: message.Delta{Kind: kind, Index: index, Text: text}}
	}
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		p.tell(protocol.LoopStarted{}, protocol.AnswerStarted{}, d(message.TextStart, 0, ""), d(message.TextDelta, 0, "\n\none\n"), d(message.TextDelta, 0, "\n"),
			d(message.TextStart, 1, ""), d(message.TextDelta, 1, "a\x1b[3"), d(message.TextDelta, 0, "two"), d(message.TextDelta, 1, "1mb"),
			d(message.TextEnd, 0, ""), d(message.TextDelta, 1, "c\n\n"), d(message.TextEnd, 1, ""),
			protocol.ToolStarted{CallID: "1", Tool: "read", Args: []byte(`{"path":"a"}`)}, protocol.ToolStarted{CallID: "2", Tool: "read", Args: []byte(`{"path":"b"}`)},
			protocol.ToolEnded{CallID: "2", Tool: "read", Output: message.ErrorOutput("no b")},
			protocol.Notice{Level: "info", Text: "by the way"},
			protocol.ToolEnded{CallID: "1", Tool: "read", Output: message.ErrorOutput("no a\nat all")},
			protocol.ToolStarted{CallID: "3", Tool: "wait"},
			protocol.RunEnded{Aborted: true})
		return protocol.Started, nil
	})
	out, _, code, err := p.run(t, "go", repl.Options{})
	want := "one\na\n\n\ntwo\nbc\n[read a]\nby the way\n[read a] error: no a\n[read b] error: no b\n[wait]\n(stopped; what was said is kept)\n"
	if out != want || code != 1 || err != nil {
		t.Errorf("code %d, %v\n%q, want\n%q", code, err, out, want)
	}
}

// Who comes while a run goes on sees, below the header, what goes on.
func TestComingInMidRun(t *testing.T) {
	half := message.Message{Role: message.Assistant, Content: []message.Block{message.Text("half an ")}}
	for _, tt := range []struct {
		name  string
		state protocol.State
		then  []protocol.Event
		want  string
	}{
		{"a call", protocol.State{Running: true, Tools: []protocol.ToolStarted{{CallID: "1", Tool: "read", Args: []byte(`{"path":"a"}`)}}},
			[]protocol.Event{protocol.ToolEnded{CallID: "1", Tool: "read", Output: message.ErrorOutput("no a")}, protocol.RunEnded{}}, "[read a] error: no a\n"},
		{"an answer", protocol.State{Running: true, Answer: &half},
			[]protocol.Event{protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: "answer"}}, protocol.Delta{Delta: message.Delta{Kind: message.TextEnd}}, protocol.RunEnded{}}, "half an answer\n"},
		{"a question", protocol.State{Running: true, Open: []protocol.Asked{{ID: "q", Text: "May it?"}}},
			[]protocol.Event{protocol.Answered{ID: "q"}, protocol.RunEnded{}}, "May it?\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPuppetIn(tt.state, nil)
			p.tell(tt.then...)
			close(p.events)
			var out bytes.Buffer
			in, _ := io.Pipe() // nothing is typed
			_, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: &out, Err: io.Discard, Terminal: true, NoColor: true, Version: "1"})
			_, after, headed := strings.Cut(out.String(), "/help for commands\n(a run goes on here; ctrl+c stops it)\n")
			if !headed || !strings.HasPrefix(after, tt.want) {
				t.Errorf("it shows %q, %v; want %q below the header", out.String(), err, tt.want)
			}
		})
	}
}

func TestNoticesAndOtherPrograms(t *testing.T) {
	entry := session.NewEntry("aaaa", "", time.Unix(0, 0), session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text("x")}}})
	marker := session.NewEntry("bbbb", "aaaa", time.Unix(0, 0), session.Custom{CustomType: session.LeafMarker})
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		p.tell(protocol.Notice{Level: "warning", Text: "disk\x1b[2J full"}, protocol.Appended{Entry: entry, Foreign: true}, protocol.Appended{Entry: marker, Foreign: true})
		p.tell(says("hello")...)
		return protocol.Started, nil
	})
	typist, in := newTypist("go", "/quit")
	code, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: typist, Terminal: true, NoColor: true, Quiet: true})
	want := "> go\ndisk full\nhello\n(1 new entry by another program; /tree shows them)\n> /quit\n"
	if got := typist.String(); got != want || code != 0 || err != nil {
		t.Errorf("code %d, %v\n%q, want\n%q", code, err, got, want)
	}
}

func TestAnEndedServiceEndsTheConversation(t *testing.T) {
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		close(p.events)
		return protocol.Started, nil
	})
	if _, _, code, err := p.run(t, "go", repl.Options{}); !errors.Is(err, protocol.ErrClosed) || code != 1 {
		t.Errorf("code %d, %v", code, err)
	}
}

func TestAnAnswerThatHasBegunIsShown(t *testing.T) {
	m := message.Message{Role: message.Assistant, Content: []message.Block{message.Thinking("hm", ""), message.Text("half of ")}}
	p := newPuppetIn(protocol.State{Running: true, Answer: &m}, func(*puppet, protocol.Request) (any, error) { return nil, errors.New("unexpected") })
	p.tell(protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Index: 1, Text: "it"}},
		protocol.Delta{Delta: message.Delta{Kind: message.TextEnd, Index: 1}}, protocol.RunEnded{})
	if out, errs, code, err := p.run(t, "", repl.Options{}); out != "half of it\n" || errs != "" || code != 0 || err != nil {
		t.Errorf("code %d, %v: %q, %q", code, err, out, errs)
	}
}

// What others say while we wait for an answer is shown as theirs, and what we said
// ourselves is repeated where it is answered.
func TestWhoSaidWhat(t *testing.T) {
	user := func(id session.ID, text, by string) protocol.Event {
		m := message.Message{Role: message.User, Content: []message.Block{message.Text(text)}}
		return protocol.Appended{Entry: session.NewEntry(id, "", time.Unix(0, 0), session.Message{Message: m}), By: by}
	}
	appended := func(id, parent session.ID, body session.Body, by string) protocol.Event {
		return protocol.Appended{Entry: session.NewEntry(id, parent, time.Unix(0, 0), body), By: by}
	}
	run := func(first protocol.Event, answer string) []protocol.Event {
		evs := says(answer)
		return append([]protocol.Event{protocol.RunStarted{}, first}, evs...)
	}
	for _, tt := range []struct {
		name string
		did  protocol.Disposition
		evs  [][]protocol.Event
		want string
	}{
		{"ours", protocol.Started, [][]protocol.Event{run(user("aaaa", "mine", "repl 1"), "one")}, "one\n"},
		{"theirs comes first", protocol.Queued, [][]protocol.Event{run(user("aaaa", "yours", "repl 2"), "one"), run(user("bbbb", "mine", "repl 1"), "two")},
			"(queued: it is said when the answer is there; /queue shows what waits)\n(repl) yours\none\nmine\ntwo\n"},
		{"theirs comes between", protocol.Started, [][]protocol.Event{append([]protocol.Event{user("aaaa", "mine", "repl 1"), user("bbbb", "yours", "print 7")}, says("both")...)},
			"(print 7) yours\nboth\n"},
		{"theirs moves", protocol.Started, [][]protocol.Event{{user("aaaa", "mine", "repl 1")}, says("one"), {protocol.LeafMoved{Old: "aaaa", By: "repl 1"}, protocol.LeafMoved{Old: "aaaa", By: "repl 2"}}},
			"one\n(repl moved: at the start, before the first message; next prompt starts branch\n2)\n"},
		{"theirs is another model", protocol.Started, [][]protocol.Event{{user("aaaa", "mine", "repl 1")}, says("one"), {
			appended("bbbb", "aaaa", session.ModelChange{Provider: "stub", ModelID: "small"}, "tui 2"),
			appended("cccc", "bbbb", session.ModelChange{Provider: "stub", ModelID: "large"}, "repl 1"),
			protocol.PermissionsChanged{Permissions: protocol.Permissions{Mode: "ask"}, By: "tui 2"},
			protocol.PermissionsChanged{Permissions: protocol.Permissions{Mode: "auto"}, By: "repl 1"}}},
			"one\n(tui chose the model stub/small)\n(tui changed the permissions: ask)\n"},
		{"theirs has no name", protocol.Started, [][]protocol.Event{run(user("aaaa", "mine", ""), "one")}, "one\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
				if _, ok := cmd.(protocol.Prompt); ok {
					for _, evs := range tt.evs {
						p.tell(evs...)
					}
					close(p.events)
				}
				return tt.did, nil
			})
			in, typed := io.Pipe()
			defer typed.Close()
			go io.WriteString(typed, "mine\n") // is read whole, or the test fails
			var out strings.Builder
			if _, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: &out, Err: &out, Terminal: true, NoColor: true, Quiet: true, Width: 79, Who: "repl 1"}); !errors.Is(err, protocol.ErrClosed) {
				t.Fatal(err)
			}
			got := ""
			for line := range strings.Lines(strings.ReplaceAll(out.String(), "> ", "")) { // the prompts are of no interest
				got += strings.TrimLeft(line, "\n")
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
