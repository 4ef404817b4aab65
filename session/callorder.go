package session

import (
	"slices"

	"github.com/boughdev/bough/message"
)

// InCallOrder returns items with the results of each answer in the order of its
// calls. In the log they stand in the order in which the calls ended, since each
// is written as soon as it is there; models and people are shown the other.
func InCallOrder(items []Item) []Item {
	var out []Item // nil as long as nothing had to move
	for i := 0; i < len(items); i++ {
		if items[i].Message.Role != message.Assistant {
			continue
		}
		n := i + 1
		for n < len(items) && items[n].Message.Role == message.ToolResult {
			n++
		}
		if n-i <= 2 {
			continue // one result
		}
		place := map[string]int{}
		for k, c := range items[i].Message.ToolCalls() {
			place[c.ID] = k
		}
		order := func(a, b Item) int { return at(place, a) - at(place, b) }
		if slices.IsSortedFunc(items[i+1:n], order) {
			continue
		}
		if out == nil {
			out = slices.Clone(items)
		}
		slices.SortStableFunc(out[i+1:n], order)
	}
	if out == nil {
		return items
	}
	return out
}

func at(place map[string]int, it Item) int {
	if k, ok := place[it.Message.ToolCallID]; ok {
		return k
	}
	return len(place) // of no call of this answer: behind the others
}
