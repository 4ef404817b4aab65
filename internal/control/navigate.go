package control

import (
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// navigate moves the leaf. Nothing is written but, after a while, where it
// stands. Owner's.
func (s *Session) navigate(c protocol.Navigate) (protocol.Navigated, error) {
	if s.op != nil {
		return protocol.Navigated{}, protocol.Fail(protocol.Busy, "Stop the run first: moving would change what it answers to.")
	}
	n := protocol.Navigated{Old: s.branch.Leaf(), Leaf: c.Target}
	tree := s.live.Tree()
	if c.Target != "" && !tree.Has(c.Target) {
		return n, protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", c.Target)
	}
	if c.Target != "" && !c.At && tree.Effective(n.Old) != c.Target {
		d, err := tree.Destination(c.Target)
		if err != nil {
			return n, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		}
		n.Leaf, n.Text, n.Images = d.Leaf, d.Text, d.Images
	}
	if !c.Exact && n.Leaf != "" {
		end, err := tree.TurnEnd(n.Leaf, n.Old)
		if err != nil {
			return n, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		}
		if end != n.Leaf {
			if c.Strict {
				return n, protocol.Fail(protocol.NotRunnable, "Entry %s lies between a tool call and its results, which belong together. Stand at %s, the last result of that turn.", n.Leaf, end)
			}
			n.Leaf, n.Moved = end, true
		}
	}
	return n, s.moveTo(n.Leaf)
}

// moveTo sets the leaf and tells of it. Owner's.
func (s *Session) moveTo(leaf session.ID) error {
	old := s.branch.Leaf()
	if err := s.branch.Move(leaf); err != nil {
		return &protocol.Error{Code: protocol.UnknownEntry, Text: err.Error(), Err: err}
	}
	if old != leaf {
		s.emit(protocol.LeafMoved{Old: old, New: leaf})
		s.startMark()
	}
	return nil
}
