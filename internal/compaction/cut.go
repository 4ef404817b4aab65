package compaction

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// cut is where a context is cut, as indexes of its entries.
type cut struct {
	start int // of what has not been summed up yet
	keep  int // the first entry that is kept
	turn  int // the start of the turn that is split, or -1
}

// cut finds where to cut so that about keep tokens stay (docs/spec/session.md
// 7.4). Sound cuts differ from pi's in two points (★14): whether a turn is split
// is decided before the cut moves back over bookkeeping, so a cut at a user
// message never splits the turn before it; and a question whose answer failed is
// summed up only if it is too long itself.
func (c *Context) cut(keep int64, sound bool) (cut, error) {
	at := cut{turn: -1}
	if c.leads() {
		at.start = 1
	}
	at.keep = at.start
	end := len(c.p.Entries)
	first, last := -1, -1
	for i := at.start; i < end; i++ {
		if c.candidate(i) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return at, nil
	}

	at.keep = first
	var sum int64
	for i := end - 1; i >= at.start; i-- {
		size := c.entrySize(i)
		if size == 0 {
			continue
		}
		if sum += size; sum < keep {
			continue
		}
		at.keep = last
		for k := i; k < last; k++ {
			if c.candidate(k) {
				at.keep = k
				break
			}
		}
		only, err := c.onlyOmitted(at.keep + 1)
		if err != nil {
			return at, err
		}
		if only && (!sound || c.entrySize(at.keep) >= keep) {
			at.keep++
		}
		break
	}

	asked := at.keep
	for at.keep > at.start && c.silent(at.keep-1) {
		at.keep--
	}
	if !sound {
		asked = at.keep
	}
	if !c.startsTurn(asked) {
		at.turn = asked
		for at.turn >= at.start && !c.startsTurn(at.turn) {
			at.turn--
		}
		if at.turn < at.start {
			at.turn = -1
		}
	}
	return at, nil
}

// leads reports whether a compaction stands at the head of the context.
func (c *Context) leads() bool {
	return len(c.p.Entries) > 0 && c.p.Entries[0].Type == session.TypeCompaction && c.from[1] > 0
}

func (c *Context) items(i int) []session.Item { return c.p.Items[c.from[i]:c.from[i+1]] }

func (c *Context) entrySize(i int) int64 {
	var sum int64
	for _, n := range c.size[c.from[i]:c.from[i+1]] {
		sum += n
	}
	return sum
}

// candidate reports whether a context may be cut before entry i.
func (c *Context) candidate(i int) bool {
	for _, it := range c.items(i) {
		if it.Message.Role == message.Assistant && it.Entry.Type != session.TypeCompaction {
			return true
		}
	}
	return c.startsTurn(i)
}

// startsTurn reports whether a turn begins with entry i.
func (c *Context) startsTurn(i int) bool {
	for _, it := range c.items(i) {
		switch it.Message.Role {
		case message.User, message.Bash, message.Custom, message.BranchSummary, message.CompactionSummary:
			return it.Entry.Type != session.TypeCompaction
		}
	}
	return false
}

// silent reports whether entry i is no compaction and adds nothing.
func (c *Context) silent(i int) bool {
	return c.from[i] == c.from[i+1] && c.p.Entries[i].Type != session.TypeCompaction
}

// onlyOmitted reports whether all that stands from entry i on is a failed
// attempt that edits have taken away, an answer among it: then nothing behind
// the cut needs the entry at the cut.
func (c *Context) onlyOmitted(i int) (bool, error) {
	answer := false
	omitted := map[session.ID]bool{}
	for _, e := range c.p.Entries[min(i, len(c.p.Entries)):] {
		if c.p.Hidden[e] {
			omitted[e.ID] = true
			answer = answer || e.Role == message.Assistant
		}
	}
	if !answer {
		return false, nil
	}
	for k := i; k < len(c.p.Entries); k++ {
		e := c.p.Entries[k]
		if !c.silent(k) {
			return false, nil
		}
		if e.Type != session.TypeContextEdit {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return false, err
		}
		if edit := body.(session.ContextEdit); edit.Target != "" && !edit.Omit && !omitted[edit.Target] {
			return false, nil
		}
	}
	return true, nil
}
