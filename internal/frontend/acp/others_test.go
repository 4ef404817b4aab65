package acp_test

import (
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/frontend/acp"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// What another editor says while the prompt of this one waits is shown as said, and
// not taken for that prompt.
func TestAnotherEditorComesFirst(t *testing.T) {
	p := &puppet{events: make(chan protocol.Event, 20), said: make(chan string, 1), synced: make(chan bool, 1)}
	w := newWorld(t, `[]`)
	p.events <- protocol.Opened{Header: session.Header{ID: "s"}, Tree: session.NewTree()}
	p.events <- protocol.State{}
	e := w.editor(func(_ *editor, o *acp.Options) { o.Door, o.Who = p, "acp 1" })
	id := e.new(w.dir)
	done := make(chan error, 1)
	go func() {
		_, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("mine")}})
		done <- err
	}()
	<-p.said
	<-p.synced
	p.events <- protocol.RunStarted{By: "acp 2"}
	p.events <- protocol.Appended{Entry: spoken("aaaa0001", "", message.User, "theirs", ""), By: "acp 2"}
	p.events <- protocol.Appended{Entry: spoken("aaaa0002", "aaaa0001", message.Assistant, "one", message.Stop)}
	p.events <- protocol.Appended{Entry: spoken("aaaa0003", "aaaa0002", message.User, "mine", ""), By: "acp 1"}
	p.events <- protocol.Appended{Entry: spoken("aaaa0004", "aaaa0003", message.Assistant, "two", message.Stop)}
	p.events <- protocol.RunEnded{}
	e.await(func() bool { return strings.Contains(transcript(e.updates[id]), "two") })
	if got, want := e.transcript(id), "user: theirs\nagent: onetwo"; got != want {
		t.Errorf("the editor shows\n%s\nwant\n%s", got, want)
	}
}

// A call that got no result before its process ended is not shown as going on.
func TestCallsOfAProcessThatEnds(t *testing.T) {
	calls := session.NewEntry("aaaa0001", "", spoken("x", "", message.User, "", "").Time, session.Message{Message: message.Message{Role: message.Assistant,
		Content: []message.Block{message.ToolCall("c1", "write", message.Value(`{"path":"x"}`))}, StopReason: message.ToolUse}})
	p := &puppet{events: make(chan protocol.Event, 20), said: make(chan string, 1), synced: make(chan bool, 1)}
	w := newWorld(t, `[]`)
	p.events <- protocol.Opened{Header: session.Header{ID: "s"}, Tree: session.NewTree()}
	p.events <- protocol.State{}
	e := w.editor(func(_ *editor, o *acp.Options) { o.Door = p })
	id := e.new(w.dir)
	p.events <- protocol.Appended{Entry: calls}
	e.await(func() bool { return strings.Contains(transcript(e.updates[id]), "call c1") })
	p.events <- protocol.Opened{Header: session.Header{ID: "s"}, Tree: tree(calls)}
	p.events <- protocol.State{Leaf: "aaaa0001"}
	e.await(func() bool { return strings.Contains(transcript(e.updates[id]), string(sdk.ToolCallStatusFailed)) })
}
