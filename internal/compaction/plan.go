package compaction

import (
	"slices"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Options say how to compact.
type Options struct {
	KeepRecent int64 // tokens that are to stay, about
	Sound      bool  // never split a turn for the bookkeeping in front of the next
}

// A Plan says what a compaction replaces by a summary, and what it keeps.
type Plan struct {
	FirstKept    session.ID
	TokensBefore int64

	Previous *string        // the summary to go on from, of the compaction before; or nil
	History  []session.Item // to be summed up: whole turns
	Prefix   []session.Item // and the beginning of a turn that is split
	Split    bool           // a turn is split: what is kept begins within it
	Files    Files

	keep int // the entry of the context that FirstKept is
}

// Plan plans a compaction. It returns nil if there is nothing to compact.
func (c *Context) Plan(o Options) (*Plan, error) {
	if c.done || len(c.p.Entries) == 0 {
		return nil, nil
	}
	at, err := c.cut(o.KeepRecent, o.Sound)
	if err != nil || at.keep >= len(c.p.Entries) {
		return nil, err
	}
	p := &Plan{FirstKept: c.p.Entries[at.keep].ID, TokensBefore: c.Tokens, Split: at.turn >= 0, keep: at.keep}
	if p.Split {
		p.History, p.Prefix = c.spoken(at.start, at.turn), c.spoken(at.turn, at.keep)
	} else {
		p.History = c.spoken(at.start, at.keep)
	}
	if len(p.History) == 0 && len(p.Prefix) == 0 {
		return nil, nil
	}
	var files fileSets
	if c.leads() {
		body, err := c.p.Entries[0].Body()
		if err != nil {
			return nil, err
		}
		last := body.(session.Compaction)
		p.Previous = &last.Summary
		if !last.FromHook {
			files.details(last.Details)
		}
	}
	for _, it := range p.History {
		files.calls(it.Message)
	}
	for _, it := range p.Prefix {
		files.calls(it.Message)
	}
	p.Files = files.sorted()
	return p, nil
}

// spoken returns the messages of the entries from i up to k, without those of
// the system and of compactions. It copies only if there are such.
func (c *Context) spoken(i, k int) []session.Item {
	items := c.p.Items[c.from[i]:c.from[max(i, k)]]
	silent := func(it session.Item) bool {
		return it.Message.Role == message.System || it.Entry.Type == session.TypeCompaction
	}
	if !slices.ContainsFunc(items, silent) {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), silent)
}
