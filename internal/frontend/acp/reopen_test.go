package acp_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/frontend/acp"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// puppet is a session whose events are written by the test, and whose syncs go
// astray.
type puppet struct {
	events chan protocol.Event
	said   chan string
	synced chan bool
}

func (p *puppet) Open(context.Context, protocol.Open) (protocol.Client, func(), error) {
	return p, func() {}, nil
}

func (p *puppet) Do(_ context.Context, cmd protocol.Request) (any, error) {
	switch c := cmd.(type) {
	case protocol.Prompt:
		p.said <- c.Text
		return protocol.Started, nil
	case protocol.Sync:
		p.synced <- true
		return protocol.None{}, nil
	case protocol.Abort:
		return protocol.None{}, nil
	}
	return nil, protocol.Fail(protocol.UnknownCommand, "There is no %s.", cmd.Name())
}

func (p *puppet) Watch(ctx context.Context, _ session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		for {
			select {
			case ev := <-p.events:
				if !yield(ev, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

func tree(entries ...*session.Entry) *session.Tree {
	t := session.NewTree()
	for _, e := range entries {
		t.Add(e)
	}
	return t
}

func spoken(id, parent string, role message.Role, text string, stop message.StopReason) *session.Entry {
	m := message.Message{Role: role, Content: []message.Block{message.Text(text)}, StopReason: stop}
	return session.NewEntry(session.ID(id), session.ID(parent), time.Unix(0, 0), session.Message{Message: m})
}

// A session that is opened anew in the middle of an answer goes on where it was, and
// the prompt is answered, though its mark is lost.
func TestReopenedInMidAnswer(t *testing.T) {
	user := spoken("aaaa0001", "", message.User, "count", "")
	half := message.Message{Role: message.Assistant, Content: []message.Block{message.Text("one two")}}
	for _, tt := range []struct {
		name string
		then []protocol.Event
		want string
		stop sdk.StopReason
		err  bool
	}{
		{"and goes on", []protocol.Event{
			protocol.Opened{Header: session.Header{ID: "s"}, Tree: tree(user)}, protocol.State{Leaf: "aaaa0001", Running: true, Answer: &half},
			protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: " three"}}, protocol.RunEnded{},
		}, "agent: one two three", sdk.StopReasonEndTurn, false},
		{"and was over", []protocol.Event{
			protocol.Opened{Header: session.Header{ID: "s"}, Tree: tree(user, spoken("aaaa0002", "aaaa0001", message.Assistant, "one two three", message.Stop))}, protocol.State{Leaf: "aaaa0002"},
		}, "agent: one two three", sdk.StopReasonEndTurn, false},
		{"and broke off", []protocol.Event{
			protocol.Opened{Header: session.Header{ID: "s"}, Tree: tree(user, spoken("aaaa0002", "aaaa0001", message.Assistant, "one two", message.Aborted))}, protocol.State{Leaf: "aaaa0002"},
		}, "agent: one two", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &puppet{events: make(chan protocol.Event, 20), said: make(chan string, 1), synced: make(chan bool, 1)}
			w := newWorld(t, `[]`)
			p.events <- protocol.Opened{Header: session.Header{ID: "s"}, Tree: session.NewTree()}
			p.events <- protocol.State{}
			e := w.editor(func(_ *editor, o *acp.Options) { o.Door = p })
			id := e.new(w.dir)
			type answer struct {
				r   sdk.PromptResponse
				err error
			}
			done := make(chan answer, 1)
			go func() {
				r, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("count")}})
				done <- answer{r, err}
			}()
			<-p.said
			<-p.synced
			p.events <- protocol.RunStarted{By: acp.Who}
			p.events <- protocol.AnswerStarted{Message: message.Message{Role: message.Assistant}}
			p.events <- protocol.Delta{Delta: message.Delta{Kind: message.TextStart}}
			p.events <- protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: "one"}}
			e.await(func() bool { return strings.Contains(transcript(e.updates[id]), "one") })
			for _, ev := range tt.then {
				p.events <- ev
			}
			a := <-done
			if (a.err != nil) != tt.err || a.r.StopReason != tt.stop {
				t.Errorf("answered with %+v, %v", a.r, a.err)
			}
			if got := e.transcript(id); got != tt.want {
				t.Errorf("the editor shows\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
