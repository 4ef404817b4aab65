package session

import (
	"slices"

	"github.com/boughdev/bough/message"
)

// TurnEnd returns the last result of the tool turn that an entry lies in: an
// answer that calls tools, the results of these calls, and bookkeeping between
// them. A place inside is none to stand at, since no model accepts calls without
// results. The entry itself is returned if it lies in no tool turn, or if
// nothing of the turn follows it. Where the turn itself forks, prefer says which
// way to go: towards that entry (docs/spec/README.md 18).
func (t *Tree) TurnEnd(id, prefer ID) (ID, error) {
	open, err := t.openCalls(id)
	if err != nil {
		return id, err
	}
	toward := map[ID]bool{}
	for _, e := range t.Path(prefer) {
		toward[e.ID] = true
	}
	end := id
	for at := id; len(open) > 0; {
		next, err := t.inTurn(t.Children(at), toward, open)
		if err != nil || next == nil {
			return end, err
		}
		at = next.ID
		if next.Role == message.ToolResult {
			end = at
		}
	}
	return end, nil
}

// openCalls returns the calls that lack a result at an entry. An entry that ends
// a turn, or lies in none, has none.
func (t *Tree) openCalls(id ID) (map[string]bool, error) {
	path := t.Path(id)
	answered := map[string]bool{}
	for _, e := range slices.Backward(path) {
		if !e.Speaks() || e.Role == message.System {
			continue
		}
		if e.Role != message.ToolResult && e.Role != message.Assistant {
			return nil, nil
		}
		body, err := e.Body()
		if err != nil {
			return nil, err
		}
		m := body.(Message).Message
		if e.Role == message.ToolResult {
			answered[m.ToolCallID] = true
			continue
		}
		if m.StopReason == message.Failed || m.StopReason == message.Aborted {
			return nil, nil // its calls were never run
		}
		open := map[string]bool{}
		for _, c := range m.ToolCalls() {
			if !answered[c.ID] {
				open[c.ID] = true
			}
		}
		return open, nil
	}
	return nil, nil
}

// inTurn picks the entry with which a tool turn goes on, and takes its call off
// open. Of several the one on the preferred path goes first.
func (t *Tree) inTurn(children []*Entry, toward map[ID]bool, open map[string]bool) (*Entry, error) {
	children = slices.Clone(children)
	slices.SortStableFunc(children, func(a, b *Entry) int {
		switch {
		case toward[a.ID] == toward[b.ID]:
			return 0
		case toward[a.ID]:
			return -1
		}
		return 1
	})
	for _, c := range children {
		if c.Role == message.ToolResult {
			body, err := c.Body()
			if err != nil {
				return nil, err
			}
			if call := body.(Message).Message.ToolCallID; open[call] {
				delete(open, call)
				return c, nil
			}
			continue
		}
		if (!c.Speaks() || c.Role == message.System) && !c.IsLeafMarker() {
			return c, nil
		}
	}
	return nil, nil
}
