package compaction

import (
	"slices"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Left returns the entries that a move from the leaf old to target leaves
// behind, oldest first: the path to old below the common ancestor of both, which
// is returned too. "" is the place before the first entry.
func Left(t *session.Tree, old, target session.ID) (entries []*session.Entry, ancestor session.ID) {
	ancestor = t.CommonAncestor(old, target)
	return t.Below(ancestor, old), ancestor
}

// A Branch is a stretch of conversation that is left, measured for a summary.
type Branch struct {
	items []session.Item
	size  []int64
	files fileSets // of the summaries among the entries
}

// MeasureBranch measures entries as [Left] returns them. A nil estimate is
// [message.Estimate].
func MeasureBranch(p *session.Projector, entries []*session.Entry, estimate Estimate) (*Branch, error) {
	if estimate == nil {
		estimate = message.Estimate
	}
	items, err := p.Collected(entries)
	if err != nil {
		return nil, err
	}
	items = slices.DeleteFunc(items, func(it session.Item) bool {
		return it.Message.Role == message.ToolResult // the call tells enough
	})
	b := &Branch{items: items, size: make([]int64, len(items))}
	for i, it := range items {
		b.size[i] = estimate(it.Message)
	}
	for _, e := range entries {
		if e.Type != session.TypeBranchSummary {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return nil, err
		}
		if s := body.(session.BranchSummary); !s.FromHook {
			b.files.details(s.Details)
		}
	}
	return b, nil
}

// A BranchPlan says what a branch summary covers.
type BranchPlan struct {
	Items  []session.Item
	Tokens int64 // of Items
	Files  Files
}

// Plan takes messages from the newest back as long as budget tokens last; 0
// sets no limit. A summary that no longer fits ends it too, but is taken while a
// tenth of the budget is left (docs/spec/session.md 8).
func (b *Branch) Plan(budget int64) BranchPlan {
	var p BranchPlan
	files := b.files.clone()
	at := len(b.items)
	for at > 0 {
		it, size := b.items[at-1], b.size[at-1]
		files.calls(it.Message)
		if budget > 0 && p.Tokens+size > budget {
			summary := it.Entry.Type == session.TypeCompaction || it.Entry.Type == session.TypeBranchSummary
			if summary && 10*p.Tokens < 9*budget {
				at--
				p.Tokens += size
			}
			break
		}
		at--
		p.Tokens += size
	}
	p.Items, p.Files = b.items[at:], files.sorted()
	return p
}
