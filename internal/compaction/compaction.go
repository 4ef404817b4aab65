// Package compaction decides what of a conversation is to be summed up: where a
// compaction cuts the context of a leaf, and what the summary of a branch that is
// left has to cover. It has summaries written by whoever it is given to ask, and
// appends nothing.
//
// The rules are pi's (docs/spec/session.md 7 and 8), so that both programs cut a
// session at the same places:
//
//	system  user  assistant  result  assistant  user  assistant  result  assistant
//	        └────────── History ──────────────┘└──── Prefix ──────────┘└─ kept ──┘
//	                                             of a turn that is split
package compaction

import (
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Estimate guesses how many tokens a message takes; see [message.Estimate].
type Estimate func(message.Message) int64

// A Context is what a model has before it at one leaf, measured.
type Context struct {
	// Tokens is its size: what the model itself told last, if that still holds,
	// and an estimate of the rest (docs/spec/session.md 7.2).
	Tokens int64

	p    session.Projection
	done bool    // the path ends in a compaction
	from []int   // p.Items[from[i]:from[i+1]] come from p.Entries[i]
	size []int64 // of p.Items, estimated
}

// Measure measures the context of a path; p is its projection. A nil estimate
// is [message.Estimate].
func Measure(path []*session.Entry, p session.Projection, estimate Estimate) *Context {
	if estimate == nil {
		estimate = message.Estimate
	}
	c := &Context{p: p, from: make([]int, len(p.Entries)+1), size: make([]int64, len(p.Items))}
	c.done = len(path) > 0 && path[len(path)-1].Type == session.TypeCompaction
	n := 0
	for i, e := range p.Entries {
		c.from[i] = n
		for n < len(p.Items) && p.Items[n].Entry == e {
			c.size[n] = estimate(p.Items[n].Message)
			n++
		}
	}
	c.from[len(p.Entries)] = n
	c.Tokens = c.tokens(path, estimate)
	return c
}

func (c *Context) tokens(path []*session.Entry, estimate Estimate) int64 {
	var behind int64
	for i := len(c.p.Items) - 1; i >= 0; i-- {
		if told := toldTokens(c.p.Items[i].Message); told > 0 {
			if holds(path, c.p.Items[i].Entry) {
				return told + behind
			}
			break
		}
		behind += c.size[i]
	}
	var sum int64
	var system []message.Message
	for i, it := range c.p.Items {
		if it.Message.Role == message.System {
			system = append(system, it.Message)
		} else {
			sum += c.size[i]
		}
	}
	if fold, ok := message.FoldSystem(system); ok {
		sum += estimate(fold)
	}
	return sum
}

// holds reports whether what an answer told of the context's size still holds
// at the end of the path: no edit or compaction stands behind it.
func holds(path []*session.Entry, answer *session.Entry) bool {
	for i := len(path) - 1; i >= 0; i-- {
		switch {
		case path[i] == answer:
			return true
		case path[i].Type == session.TypeContextEdit, path[i].Type == session.TypeCompaction:
			return false
		}
	}
	return false
}

// toldTokens returns the size of the context that an answer tells of, or 0. An
// answer that broke off tells nothing, nor does one without a total whose parts
// are incomplete.
func toldTokens(m message.Message) int64 {
	if m.Role != message.Assistant || m.StopReason == message.Aborted || m.StopReason == message.Failed || m.Usage == nil {
		return 0
	}
	if m.Usage.TotalTokens != 0 {
		return m.Usage.TotalTokens
	}
	usage := m.Field("usage")
	for _, part := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		if rawjson.Kind(rawjson.Get(usage, part)) != '0' {
			return 0
		}
	}
	return m.Usage.ContextTokens()
}
