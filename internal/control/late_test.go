package control

import (
	"context"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// lateModel answers with the last word it heard. At the end of its first answer
// it does something in the owner, when the run has just found no next step.
type lateModel struct {
	s    *Session
	do   func()
	done bool
}

func (m *lateModel) Info() provider.Info { return provider.Info{Provider: "late", ID: "late"} }

func (m *lateModel) Stream(_ context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		said := req.Messages[len(req.Messages)-1].Text("")
		for _, d := range []message.Delta{{Kind: message.TextStart}, {Kind: message.TextDelta, Text: "Echo: " + said}, {Kind: message.TextEnd},
			{Kind: message.Info, StopReason: message.Stop}} {
			if !yield(d, nil) {
				return
			}
		}
		if m.done {
			return
		}
		m.done = true
		// What follows comes by mail as the record of the answer, the end of the
		// turn, the question for the next step.
		m.s.post(func() {
			m.wait(1)
			m.s.mail <- func() {
				m.wait(2)
				m.s.mail <- m.do
			}
		})
	}
}

func (m *lateModel) wait(letters int) {
	for len(m.s.mail) < letters {
		runtime.Gosched()
	}
}

type lateModels struct{ m *lateModel }

func (l lateModels) Available() []provider.Info                { return nil }
func (l lateModels) Model(_, _ string) (provider.Model, error) { return l.m, nil }
func (l lateModels) Default() (provider.Model, string, error)  { return l.m, "", nil }
func (l lateModels) Thinking(provider.Info) string             { return "off" }

// A message that is queued between the last step of a run and its end is said.
func TestALateMessageIsSaidAllTheSame(t *testing.T) {
	for _, tt := range []struct {
		name   string
		all    bool
		queue  []protocol.Prompt
		cancel bool
		want   string
	}{
		{"a follow-up", false, []protocol.Prompt{{Text: "late", WhenBusy: protocol.AsFollowUp}}, false, "early, Echo: early, late, Echo: late"},
		{"steering", false, []protocol.Prompt{{Text: "late", WhenBusy: protocol.AsSteering}}, false, "early, Echo: early, late, Echo: late"},
		{"one after the other", false, []protocol.Prompt{{Text: "a", WhenBusy: protocol.AsFollowUp}, {Text: "b", WhenBusy: protocol.AsFollowUp}}, false,
			"early, Echo: early, a, Echo: a, b, Echo: b"},
		{"all at once", true, []protocol.Prompt{{Text: "a", WhenBusy: protocol.AsFollowUp}, {Text: "b", WhenBusy: protocol.AsFollowUp}}, false,
			"early, Echo: early, a, b, Echo: b"},
		{"not after an abort", false, []protocol.Prompt{{Text: "late", WhenBusy: protocol.AsFollowUp}}, true, "early, Echo: early"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &lateModel{}
			h := NewHub(Options{Models: lateModels{m}, AllFollowUp: tt.all})
			defer h.Close()
			c, err := h.Connect(t.Context(), Start{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			m.s = c.session()
			m.do = func() {
				for _, p := range tt.queue {
					if did, err := m.s.promptText(p); did != protocol.Queued || err != nil {
						t.Errorf("%s: %v, %v", p.Text, did, err)
					}
				}
				if tt.cancel {
					m.s.op.cancel()
				}
			}
			if _, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "early"}); err != nil {
				t.Fatal(err)
			}
			ends, queue := 0, protocol.Queue{}
			for ev, err := range c.Watch(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				switch e := ev.(type) {
				case protocol.QueueChanged:
					queue = e.Queue
				case protocol.State: // it may be over already
					if queue = e.Queue; !e.Running {
						ends++
					}
				case protocol.RunEnded:
					ends++
				}
				if ends > 0 {
					break
				}
			}
			var said []string
			m.s.do(t.Context(), func() {
				for _, e := range m.s.branch.Path() {
					if b, err := e.Body(); err == nil && (e.Role == message.User || e.Role == message.Assistant) {
						said = append(said, b.(session.Message).Message.Text(""))
					}
				}
			})
			if got := strings.Join(said, ", "); got != tt.want {
				t.Errorf("said %s, want %s", got, tt.want)
			}
			if n := len(queue.Steering) + len(queue.FollowUp); n > 0 != tt.cancel {
				t.Errorf("%d messages are left in the queue", n)
			}
		})
	}
}
