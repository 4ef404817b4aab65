package control_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// Each request begins with the one before it, byte for byte: from turn to turn,
// with results that came in another order than they were asked for, after a
// reload and a resume, and on another branch from the place where it leaves.
func TestRequestsBeginAlike(t *testing.T) {
	w := newWorld(t, `[
		{"when":{"user":"both","turn":0},"reply":{"toolCalls":[{"name":"slow","args":{}},{"name":"read","args":{"path":"a"}},{"name":"read","args":{"path":"b"}}]}},
		{"reply":{"text":"fine"}}]`)
	c := w.connect(control.Start{})
	n := c.ends()
	if _, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "both"}); err != nil {
		t.Fatal(err)
	}
	c.until("the results of the fast tools", func() bool { return slices.Contains(c.events, "+toolResult") })
	close(w.gate)
	c.until("the end of the run", func() bool { return c.ends() > n })
	c.say("two")
	c.mu.Lock()
	at := c.view.Leaf
	c.mu.Unlock()
	if _, err := protocol.Call(t.Context(), c, protocol.Reload{}); err != nil {
		t.Fatal(err)
	}
	c.say("three")
	c.mu.Lock()
	id := c.view.Header.ID
	c.mu.Unlock()
	c.Close()
	again := w.connect(control.Start{Open: id})
	again.say("four")
	if _, err := protocol.Call(t.Context(), again, protocol.Navigate{Target: at, At: true}); err != nil {
		t.Fatal(err)
	}
	again.say("another three")

	asked := w.witness.requests()
	if len(asked) != 6 {
		t.Fatalf("%d requests, want 6", len(asked))
	}
	begins := func(what string, long, short []string) {
		t.Helper()
		if len(long) <= len(short) || !slices.Equal(long[:len(short)], short) {
			t.Errorf("%s: the request does not begin with the one before:\n%s\n---\n%s", what, strings.Join(short, "\n"), strings.Join(long, "\n"))
		}
	}
	begins("the results of tools", asked[1], asked[0])
	begins("the next prompt", asked[2], asked[1])
	begins("after a reload", asked[3], asked[2])
	begins("after a resume", asked[4], asked[3])
	begins("another branch", asked[5], asked[2])
	var order []string
	for _, raw := range asked[1] {
		if m, _ := message.Decode([]byte(raw)); m.Role == message.ToolResult {
			order = append(order, m.Text(""))
		}
	}
	if got := strings.Join(order, ", "); got != "whole, content of a, content of b" {
		t.Errorf("results in the order %s", got)
	}
}
