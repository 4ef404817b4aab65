package control_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// A meter is a model with a window: it counts what it is sent, refuses what is too
// long, and tells its usage. Each prompt is answered after so many tool calls.
type meter struct {
	info  provider.Info
	calls int // before each answer
	words int // of an answer
	word  string
	scale int   // tokens for four bytes; 0: 1
	real  int64 // what it takes, if that is not its window

	// summary answers a request for a summary. Nil: with a short one.
	summary func(ctx context.Context, n int, req provider.Request) (text string, stop message.StopReason, err error)

	cut bool // the next answer is cut off in a call, with the window full; guarded by mu

	mu        sync.Mutex
	sizes     map[message.Identity]int // guarded by mu
	asked     int                      // guarded by mu
	summaries int                      // guarded by mu
	refused   int                      // guarded by mu
	largest   int64                    // guarded by mu
	last      provider.Request         // guarded by mu
}

func newMeter(window int64) *meter {
	return &meter{info: provider.Info{ID: "one", API: "scripted", Provider: "scripted", Reasoning: true, Input: []string{"text"}, ContextWindow: window, MaxTokens: min(window/4, 8000)},
		word: "word ", words: 40, sizes: map[message.Identity]int{}}
}

func (m *meter) Info() provider.Info { return m.info }

// tokens is the size of a request. Guarded by mu.
func (m *meter) tokens(req provider.Request) int64 {
	n := 0
	for i := range req.Messages {
		id := req.Messages[i].Identity()
		size, ok := m.sizes[id]
		if !ok || id == (message.Identity{}) {
			size = len(message.EncodeContent(req.Messages[i].Content)) + 20
			for _, s := range req.Messages[i].Sections {
				if s.Text != nil {
					size += len(*s.Text)
				}
			}
			m.sizes[id] = size
		}
		n += size
	}
	return int64(n * max(m.scale, 1) / 4)
}

func isSummaryRequest(req provider.Request) bool {
	return strings.Contains(req.Messages[0].Text(""), "sum up")
}

func (m *meter) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		m.mu.Lock()
		size := m.tokens(req)
		m.asked++
		n := m.asked
		sum := isSummaryRequest(req)
		if sum {
			m.summaries++
			n = m.summaries
		} else {
			m.last = req
		}
		most := max(m.real, m.info.ContextWindow)
		fits := most == 0 || size <= most
		if !fits {
			m.refused++
		} else {
			m.largest = max(m.largest, size)
		}
		cut := m.cut && !sum
		m.cut = m.cut && sum
		m.mu.Unlock()
		if cut {
			call := message.ToolCall("cut", "work", message.Value(`{}`))
			_ = yield(message.Delta{Kind: message.ToolCallStart, ID: call.ID, Name: call.Name}, nil) && yield(message.Delta{Kind: message.ToolCallEnd, Block: &call}, nil) &&
				yield(message.Delta{Kind: message.Info, StopReason: message.Length, Usage: &message.Usage{Input: m.info.ContextWindow - 10, Output: 10, TotalTokens: m.info.ContextWindow}}, nil)
			return
		}
		if !fits {
			yield(message.Delta{}, &provider.Error{Kind: provider.Overflow, Status: 400, Message: fmt.Sprintf("prompt is too long: %d tokens", size)})
			return
		}
		text, stop := strings.Repeat(m.word, m.words), message.Stop
		told := int64(len(text) * max(m.scale, 1) / 4)
		usage := &message.Usage{Input: size, Output: told, TotalTokens: size + told}
		if sum {
			text = fmt.Sprintf("## Goal\nsummary %d", n)
			if m.summary != nil {
				var err error
				if text, stop, err = m.summary(ctx, n, req); err != nil {
					yield(message.Delta{}, err)
					return
				}
			}
		}
		if stop == message.ToolUse || !sum && m.callsSince(req) < m.calls {
			call := message.ToolCall(fmt.Sprintf("c%d", n), "work", message.Value(`{}`))
			if !yield(message.Delta{Kind: message.ToolCallStart, ID: call.ID, Name: call.Name}, nil) || !yield(message.Delta{Kind: message.ToolCallEnd, Block: &call}, nil) {
				return
			}
			yield(message.Delta{Kind: message.Info, Usage: usage, StopReason: message.ToolUse}, nil)
			return
		}
		if text != "" && (!yield(message.Delta{Kind: message.TextStart}, nil) || !yield(message.Delta{Kind: message.TextDelta, Text: text}, nil)) {
			return
		}
		yield(message.Delta{Kind: message.Info, Usage: usage, StopReason: stop}, nil)
	}
}

// callsSince counts the calls since the last words of the user. A summary says
// nothing about those before it.
func (m *meter) callsSince(req provider.Request) (n int) {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		switch msg := req.Messages[i]; {
		case msg.Role == message.User && !strings.HasPrefix(msg.Text(""), message.CompactionIntro):
			return n
		case msg.Role == message.User:
			return m.calls // it must come to an end
		case msg.Role == message.ToolResult:
			n++
		}
	}
	return n
}

func (m *meter) counts() (asked, summaries, refused int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked, m.summaries, m.refused
}

// metered is a world with such a model. Its tool returns as many words as the model
// wants.
func metered(t testing.TB, m *meter, words func() int, o control.Options) *control.Hub {
	t.Helper()
	work := tool.New(message.ToolSpec{Name: "work", Description: "works"}, func(context.Context, struct{}, func(message.Output)) (message.Output, error) {
		return message.TextOutput(strings.Repeat(m.word, words())), nil
	})
	o.Models = models{m}
	o.Compaction.Enabled = true
	o.Setup = func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
		return control.Plain{Kit: []tool.Tool{work}, Instructions: func(specs []message.ToolSpec) prompt.State {
			return prompt.Build(prompt.Options{Dir: "/srv", Tools: specs})
		}}, nil
	}
	hub := control.NewHub(o)
	t.Cleanup(hub.Close)
	return hub
}

// A talker speaks with a session and keeps what it is told.
type talker struct {
	*control.Conn
	t      testing.TB
	next   func() (protocol.Event, error, bool)
	events []string
	keep   bool
	told   []protocol.Event
}

func talkerAt(t testing.TB, hub *control.Hub, start control.Start) *talker {
	t.Helper()
	if start.Open == "" {
		start.New = session.Header{CWD: "/srv"}.Complete()
	}
	c, err := hub.Connect(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(c.Watch(t.Context(), 0))
	t.Cleanup(func() { stop(); c.Close() })
	k := &talker{Conn: c, t: t, next: next, keep: true}
	k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.State); return ok })
	return k
}

// until takes events up to one.
func (k *talker) until(is func(protocol.Event) bool) protocol.Event {
	k.t.Helper()
	for {
		ev, err, ok := k.next()
		if !ok || err != nil {
			k.t.Fatalf("the events ended: %v; so far %v", err, k.events)
		}
		if k.keep {
			if n := name(ev); n != "" {
				k.events = append(k.events, n)
			}
			k.told = append(k.told, ev)
		}
		if is(ev) {
			return ev
		}
	}
}

// say says something and waits for the end of the run.
func (k *talker) say(text string) protocol.RunEnded {
	k.t.Helper()
	if _, err := protocol.Call(k.t.Context(), k, protocol.Prompt{Text: text}); err != nil {
		k.t.Fatal(err)
	}
	return k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.RunEnded); return ok }).(protocol.RunEnded)
}

// tree returns all entries, read anew, and the leaf.
func (k *talker) tree() (*session.Tree, session.ID) {
	k.t.Helper()
	for ev, err := range k.Watch(k.t.Context(), 0) {
		if err != nil {
			k.t.Fatal(err)
		}
		if o, ok := ev.(protocol.Opened); ok {
			st, err := protocol.Call(k.t.Context(), k, protocol.GetState{})
			if err != nil {
				k.t.Fatal(err)
			}
			return o.Tree, st.Leaf
		}
	}
	k.t.Fatal("no session was told of")
	return nil, ""
}
