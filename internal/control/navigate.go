package control

import (
	"context"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// atRest reports why the leaf cannot be moved now, or nil. Owner's.
func (s *Session) atRest() error {
	switch {
	case s.op == nil:
		return nil
	case s.op.compacts:
		return protocol.Fail(protocol.Compacting, "The conversation is being compacted. Wait for that, or stop it first.")
	case s.op.summing:
		return protocol.Fail(protocol.Compacting, "A branch is being summed up. Wait for that, or stop it first.")
	}
	return protocol.Fail(protocol.Busy, "Stop the run first: moving would change what it answers to.")
}

// destination finds out where a move leads, and the entry that it is chosen by, from
// which on what is left behind is looked for. Owner's.
func (s *Session) destination(c protocol.Navigate) (n protocol.Navigated, chosen session.ID, err error) {
	n = protocol.Navigated{Old: s.branch.Leaf(), Leaf: c.Target}
	tree := s.live.Tree()
	if c.Target != "" && !tree.Has(c.Target) {
		return n, "", protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", c.Target)
	}
	edits := false
	if c.Target != "" && !c.At && tree.Effective(n.Old) != c.Target {
		d, err := tree.Destination(c.Target)
		if err != nil {
			return n, "", &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		}
		n.Leaf, n.Text, n.Images, edits = d.Leaf, d.Text, d.Images, d.Edit
	}
	if !c.Exact && n.Leaf != "" {
		end, err := tree.TurnEnd(n.Leaf, n.Old)
		if err != nil {
			return n, "", &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		}
		if end != n.Leaf {
			if c.Strict {
				return n, "", protocol.Fail(protocol.NotRunnable, "Entry %s lies between a tool call and its results, which belong together. Stand at %s, the last result of that turn.", n.Leaf, end)
			}
			n.Leaf, n.Moved = end, true
		}
	}
	if edits {
		return n, c.Target, nil
	}
	return n, n.Leaf, nil
}

// navigate moves the leaf. Without a summary and a label nothing is written but,
// after a while, where it stands.
func (s asked) navigate(ctx context.Context, c protocol.Navigate) (protocol.Navigated, error) {
	return await(ctx, s, func(done func(protocol.Navigated, error)) {
		if err := s.atRest(); err != nil {
			done(protocol.Navigated{}, err)
			return
		}
		n, chosen, err := s.destination(c)
		if err != nil {
			done(n, err)
			return
		}
		var left []*session.Entry
		if c.Summarize && n.Leaf != n.Old {
			left, _ = compaction.Left(s.live.Tree(), n.Old, chosen)
		}
		if len(left) == 0 {
			done(s.arrive(c, n, nil))
			return
		}
		if s.model == nil {
			done(n, errNoModel("A summary needs a model."))
			return
		}
		target := n.Leaf
		s.sumUp(target, left, compaction.BranchOptions{Instructions: c.Instructions, Replace: c.ReplaceInstructions}, func(sum *session.BranchSummary, err error) {
			if err != nil {
				n.Leaf, n.Moved, n.Text, n.Images = s.branch.Leaf(), false, "", nil
				n.Aborted = isCancelled(err)
				s.emit(protocol.BranchSummaryEnded{Target: target, Aborted: n.Aborted, Error: failureOf(err)})
				if n.Aborted {
					err = nil
				}
				done(n, err)
				return
			}
			n, err := s.arrive(c, n, sum)
			done(n, err)
		})
	})
}

// arrive moves the leaf, and appends the summary and the label that go with the
// move. Owner's.
func (s *Session) arrive(c protocol.Navigate, n protocol.Navigated, sum *session.BranchSummary) (protocol.Navigated, error) {
	if n.Leaf == n.Old {
		return n, nil
	}
	before, target := s.branch.Leaf(), n.Leaf
	if err := s.branch.Move(n.Leaf); err != nil {
		return n, &protocol.Error{Code: protocol.UnknownEntry, Text: err.Error(), Err: err}
	}
	s.visited(before)
	s.startMark()
	err := s.bring(c, &n, sum)
	n.Leaf = s.branch.Leaf()
	if c.Summarize && s.op != nil {
		s.emit(protocol.BranchSummaryEnded{Target: target, Entry: n.Summary, Error: failureOf(err)})
	}
	s.emit(protocol.LeafMoved{Old: before, New: n.Leaf, By: s.author()})
	s.settleIn(before)
	if c.Persist && err == nil {
		s.keepPlace(s.ctx)
	}
	return n, err
}

// bring appends what goes with a move. Owner's.
func (s *Session) bring(c protocol.Navigate, n *protocol.Navigated, sum *session.BranchSummary) error {
	named := c.Target
	if sum != nil {
		sum.From = n.Old
		e, err := s.append(*sum)
		if err != nil {
			return err
		}
		n.Summary, named = e.ID, e.ID
	}
	text := session.CleanName(c.Label)
	if text == "" || named == "" {
		return nil
	}
	_, err := s.append(session.Label{Target: named, Text: text})
	return err
}

// moveTo sets the leaf and tells of it. Owner's.
func (s *Session) moveTo(leaf session.ID) error {
	old := s.branch.Leaf()
	if err := s.branch.Move(leaf); err != nil {
		return &protocol.Error{Code: protocol.UnknownEntry, Text: err.Error(), Err: err}
	}
	if leaf = s.branch.Leaf(); old != leaf {
		s.emit(protocol.LeafMoved{Old: old, New: leaf, By: s.author()})
		s.startMark()
		s.settleIn(old)
	}
	return nil
}
