package control

import (
	"slices"

	"github.com/boughdev/bough/message"
)

// inOrder returns the results that can be recorded now, if they are recorded in
// the order of their calls: what was ready before its turn waits. Owner's.
func (r *run) inOrder(result message.Message) []message.Message {
	is := func(id string) func(message.Message) bool {
		return func(m message.Message) bool { return m.ToolCallID == id }
	}
	if !slices.Contains(r.due, result.ToolCallID) {
		return []message.Message{result}
	}
	r.early = append(r.early, result)
	var now []message.Message
	for len(r.due) > 0 {
		i := slices.IndexFunc(r.early, is(r.due[0]))
		if i < 0 {
			break
		}
		now = append(now, r.early[i])
		r.early, r.due = slices.Delete(r.early, i, i+1), r.due[1:]
	}
	return now
}

// expect takes down the calls of an answer. Owner's.
func (r *run) expect(answer message.Message) {
	r.due, r.early = nil, nil
	for _, c := range answer.ToolCalls() {
		r.due = append(r.due, c.ID)
	}
}

// byCalls puts the results behind each answer in the order of its calls.
func byCalls(msgs []message.Message) []message.Message {
	msgs = slices.Clone(msgs)
	for i, m := range msgs {
		calls := m.ToolCalls()
		if m.Role != message.Assistant || len(calls) < 2 {
			continue
		}
		end := i + 1
		for end < len(msgs) && msgs[end].Role == message.ToolResult {
			end++
		}
		place := func(m message.Message) int {
			return slices.IndexFunc(calls, func(c message.Block) bool { return c.ID == m.ToolCallID })
		}
		slices.SortStableFunc(msgs[i+1:end], func(a, b message.Message) int { return place(a) - place(b) })
	}
	return msgs
}
