package tui_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// puppet is a session service that says what a test wants it to say.
type puppet struct {
	events chan protocol.Event
	do     func(protocol.Request) (any, error)

	mu   sync.Mutex
	done []string // guarded by mu
}

func newPuppet(evs ...protocol.Event) *puppet {
	p := &puppet{events: make(chan protocol.Event, 10_000)}
	p.tell(protocol.Opened{Header: session.Header{ID: "puppet", CWD: "/srv"}, Tree: session.NewTree(), Fresh: true}, protocol.State{})
	p.tell(evs...)
	return p
}

func (p *puppet) tell(evs ...protocol.Event) {
	for _, ev := range evs {
		p.events <- ev
	}
}

func (p *puppet) Do(_ context.Context, cmd protocol.Request) (any, error) {
	p.mu.Lock()
	p.done = append(p.done, cmd.Name())
	p.mu.Unlock()
	if p.do != nil {
		return p.do(cmd)
	}
	return nil, protocol.Fail(protocol.UnknownCommand, "puppets do nothing")
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

func said(id, parent string, m message.Message) protocol.Event {
	return protocol.Appended{Entry: session.NewEntry(session.ID(id), session.ID(parent), time.Unix(0, 0), session.Message{Message: m})}
}

func user(s string) message.Message {
	return message.Message{Role: message.User, Content: []message.Block{message.Text(s)}}
}

// Work beside the loop that goes wrong ends the program in order: the terminal is put
// right first, and what happened is kept.
func TestAPanicRestoresTheTerminal(t *testing.T) {
	p := newPuppet()
	p.do = func(cmd protocol.Request) (any, error) {
		if cmd.Name() == "prompt" {
			panic("a fault of ours")
		}
		return nil, protocol.Fail(protocol.UnknownCommand, "no")
	}
	var report string
	s := tuitest.Start(t, p, 80, 24, func(o *tui.Options) {
		o.Crash = func(r string) string { report = r; return "/tmp/crash.txt" }
	})
	s.Shows("bough 0.x")
	s.Type("go", "enter")
	code, err := s.Ended()
	if code != 1 || err == nil || !strings.Contains(err.Error(), "/tmp/crash.txt") || !strings.Contains(report, "hostile_test.go") || strings.Contains(report, "a fault of ours") {
		t.Errorf("code %d, %v; report %q", code, err, report)
	}
	if !strings.HasSuffix(s.Raw(), "\x1b[?25h\x1b[?1049l") {
		t.Errorf("it ends in %q", s.Raw()[max(len(s.Raw())-60, 0):])
	}
}

func TestAnEndedServiceEndsIt(t *testing.T) {
	p := newPuppet()
	close(p.events)
	s := tuitest.Start(t, p, 80, 24)
	if code, err := s.Ended(); code != 1 || err == nil {
		t.Errorf("code %d, %v", code, err)
	}
}

// Entries of shapes that nobody expects are drawn as something.
func TestOddEntries(t *testing.T) {
	p := newPuppet(
		said("a1", "", message.Message{Role: message.ToolResult, ToolName: "orphan\x1b[2J", Content: []message.Block{message.Text("a result without a call")}}),
		said("a2", "a1", message.Message{Role: message.Assistant, StopReason: message.Failed, ErrorMessage: "it \x1b[31mfailed\nhere", Content: []message.Block{message.ToolCall("c1", "", nil), message.ToolCall("c1", "bash", []byte(`{"command":7}`)), message.ToolCall("c2", "edit", []byte(`[]`))}}),
		said("a3", "a2", message.Message{Role: message.ToolResult, ToolCallID: "c2", Details: []byte(`{"diff":["x"]}`), Content: []message.Block{{Type: "hologram"}, message.Image([]byte("x"), "image/\x1bpng")}}),
		said("a4", "a3", message.Message{Role: "wizard", Content: []message.Block{message.Text("unknown role")}}),
		said("a5", "a4", user("")),
		said("a6", "a5", message.Message{Role: message.User, Content: []message.Block{message.Image([]byte("abc"), "image/png")}}),
		protocol.Appended{Entry: session.NewEntry("a7", "a6", time.Unix(0, 0), session.Compaction{Summary: "# sum", FirstKept: "a1", TokensBefore: -1})},
		protocol.Appended{Entry: session.NewEntry("a8", "a7", time.Unix(0, 0), session.CustomMessage{CustomType: "x\x07", Display: true, Content: []message.Block{message.Text("of a program")}})},
		protocol.ToolEnded{CallID: "nobody"}, protocol.Delta{}, protocol.RunEnded{Failure: "why\x1b[2J"}, protocol.Notice{Level: "?", Text: "\x1b]0;x\x07noticed"},
		protocol.BashOutput{ID: 7, Delta: "x"}, protocol.LeafMoved{New: "nowhere"}, protocol.LeafMoved{New: "a8"},
	)
	s := tuitest.Start(t, p, 60, 50)
	defer s.End()
	s.Shows("a result without a call", "unknown role", "[image png", "[compaction]", "of a program", "no result on this branch", "Error: it failed here")
	s.Golden("odd.txt")
}

func TestWhatOthersDoIsMarked(t *testing.T) {
	p := newPuppet()
	s := tuitest.Start(t, p, 60, 20, func(o *tui.Options) { o.Who = "terminal" })
	defer s.End()
	mine := said("a1", "", user("mine")).(protocol.Appended)
	mine.By = "terminal"
	theirs := said("a2", "a1", user("theirs")).(protocol.Appended)
	theirs.By = "phone\x1b[2J"
	p.tell(mine, theirs)
	s.Shows("mine", "from phone", "theirs")
	if strings.Contains(s.String(), "from terminal") {
		t.Error("our own message is marked")
	}
	p.tell(protocol.LeafMoved{Old: "a2", New: "a1", By: "phone"})
	s.Shows(`phone moved: at user "mine"`)
	foreign := said("a3", "a1", user("elsewhere")).(protocol.Appended)
	foreign.Foreign = true
	p.tell(foreign)
	s.Shows("Changed by another program: 1 new entry")
}

// Many deltas, with keys between them: nothing is lost, and every key shows.
func TestDeltasAndKeys(t *testing.T) {
	p := newPuppet(protocol.LoopStarted{}, protocol.AnswerStarted{}, protocol.Delta{Delta: message.Delta{Kind: message.TextStart}})
	s := tuitest.Start(t, p, 80, 24)
	defer s.End()
	var typed strings.Builder
	for i := range 2000 {
		p.tell(protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: fmt.Sprintf("word %d ", i)}})
		if i%20 == 0 {
			k := string(rune('a' + i/20%26))
			typed.WriteString(k)
			s.Type(k)
		}
	}
	s.Shows("word 1999", typed.String()[:70])
}

// Whatever is pressed, it neither falls over nor draws outside of the screen.
func TestAnyKeys(t *testing.T) {
	keys := []string{"enter", "enter", "escape", "tab", "up", "down", "left", "right", "ctrl+up", "ctrl+down", "home", "end", "pageUp", "pageDown", "ctrl+home", "ctrl+end", "backspace", "delete", "ctrl+w", "ctrl+k", "ctrl+u", "ctrl+y",
		"alt+y", "ctrl+-", "ctrl+o", "ctrl+l", "ctrl+p", "ctrl+t", "shift+tab", "alt+enter", "alt+up", "alt+down", "alt+,", "alt+.", "alt+[", "alt+]", "ctrl+]", "shift+enter", "ctrl+x", "alt+b", "alt+f", "alt+d", "alt+m", "alt+j", "alt+k", "alt+n", "alt+p", "ctrl+g", "alt+t", "alt+l", "alt+h", "alt+c", "ctrl+shift+f", "shift+down", "shift+up", "ctrl+left", "ctrl+right", "ctrl+a", "ctrl+s", "ctrl+r", "ctrl+n", "c", "b", "g", "e", "s", "o", "?", "shift+l", "shift+t",
		"a", "/", "/tree\r", "/help\r", "/fork\r", "/name x\r", "/label l\r", "/model\r", "/edit\r", "/retry\r", "!ls\r", "say it\r", "你", "👨‍👩‍👧", "e\u0301", "@", " ", "  ", "\\", "1", "\x1b[<64;5;5M", "\x1b[<65;5;5M", "\x1b[<0;5;5M", "\x1b[<32;9;9M", "\x1b[<0;9;9m",
		"/compare\r", "/resume\r", "/settings\r", "/tools\r", "/prompt\r", "/mcp\r", "/context\r", "/cost\r", "/session\r", "/history\r", "/queue\r", "/thinking\r", "/scoped-models\r", "/hotkeys\r", "/new\r", "/clone\r", "/compact\r", "/files\r", "/branch 1\r", "/summarize\r", "/back\r", "/take\r", "/hide 1\r", "/unhide 1\r", "/copy\r", "/login\r", "/trust\r", "/permissions\r", "/show 1\r"}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			w := tuitest.New(t, story)
			s := w.Start(80, 24, func(o *tui.Options) {
				o.Regular = seed%3 == 0
				o.Keys = []byte(`{"app.exit":[],"app.clear":[],"app.suspend":[]}`)
			})
			for range 250 {
				switch r.IntN(12) {
				case 0:
					s.Resize(1+r.IntN(120), 1+r.IntN(40))
				case 1:
					s.Paste(strings.Repeat("pasted\n", r.IntN(20)))
				default:
					s.Type(keys[r.IntN(len(keys))])
				}
			}
			s.Resize(80, 24)
			s.Type("escape", "escape", "escape")
			if code, err := s.End(); code != 129 || err != nil {
				t.Errorf("seed %d: code %d, %v\n%s", seed, code, err, s.String())
			}
		})
	}
}
