package slash

import (
	"slices"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// NotCompacted says so.
const NotCompacted = "Nothing is compacted on this path: the model sees all of it."

// LastCompaction is the one that governs what the model sees at a place, or nil.
func LastCompaction(t *session.Tree, leaf session.ID) *session.Entry {
	for e := t.Get(leaf); e != nil; e = t.Parent(e.ID) {
		if e.Type == session.TypeCompaction {
			return e
		}
	}
	return nil
}

// SummaryOf returns the words of a compaction or the summary of a branch.
func SummaryOf(e *session.Entry) (string, bool, error) {
	body, err := e.Body()
	if err != nil {
		return "", false, err
	}
	switch b := body.(type) {
	case session.Compaction:
		return b.Summary, true, nil
	case session.BranchSummary:
		return b.Summary, true, nil
	}
	return "", false, nil
}

// HowSeen says what is not plain about how the model sees an entry from a place, or "".
func HowSeen(t *session.Tree, leaf session.ID, e *session.Entry) string {
	chain, err := render.Chain(t, leaf)
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(chain, func(l render.Link) bool { return l.Entry.ID == e.ID })
	switch {
	case i < 0 && e.Speaks() && !OnPath(t, leaf, e.ID):
		return "on another branch"
	case i < 0:
	case chain[i].Compacted:
		return "compacted: the model sees the summary instead"
	case chain[i].Omitted:
		return "left out: the model does not see it"
	case chain[i].Edited:
		return "edited: the model sees other words"
	}
	return ""
}

// OnPath reports whether an entry lies on the way to a place.
func OnPath(t *session.Tree, leaf, id session.ID) bool {
	for e := t.Get(leaf); e != nil; e = t.Parent(e.ID) {
		if e.ID == id {
			return true
		}
	}
	return false
}

// WordsSeen returns the words of a message as the model sees it, or those that it has
// if the model does not see it; false if it is none.
func WordsSeen(t *session.Tree, leaf, id session.ID) (string, bool, error) {
	p, err := new(session.Projector).Context(t, leaf)
	if err != nil {
		return "", false, err
	}
	own, err := session.Project([]*session.Entry{t.Get(id)})
	if err != nil {
		return "", false, err
	}
	for _, items := range [][]session.Item{p.Items, own.Items} {
		for _, it := range items {
			if it.Entry.ID != id {
				continue
			}
			switch it.Message.Role {
			case message.User, message.Assistant, message.ToolResult, message.Custom:
				return it.Message.Text("\n"), true, nil
			}
		}
	}
	return "", false, nil
}
