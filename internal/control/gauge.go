package control

import (
	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// gauge tells how full the window is, where an event has changed that. Owner's.
func (s *Session) gauge(ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.Appended:
		if e.Foreign {
			return
		}
		switch {
		case e.Entry.Role == message.Assistant, e.Entry.Role == message.User:
		case e.Entry.Type == session.TypeCompaction, e.Entry.Type == session.TypeContextEdit, e.Entry.Type == session.TypeBranchSummary:
		default:
			return
		}
	case protocol.LeafMoved, protocol.ModelChanged:
	default:
		return
	}
	now := s.contextUse()
	if now == nil && s.use == nil || now != nil && s.use != nil && *now == *s.use {
		return
	}
	s.use = now
	for m := range s.watchers {
		m.put(protocol.ContextChanged{Use: now})
	}
}

// contextUse says how full the model's window is at the leaf; nil without a model
// whose window is known. Owner's.
func (s *Session) contextUse() *protocol.ContextUse {
	if s.model == nil {
		return nil
	}
	window := s.model.Info().ContextWindow
	if window <= 0 {
		return nil
	}
	u, ok := compaction.UseNear(s.live.Tree(), s.branch.Leaf())
	var err error
	if !ok {
		u, _, err = s.measure()
	}
	switch {
	case err != nil:
		return nil // the next request says why
	case u.Unasked:
		return &protocol.ContextUse{Window: window}
	}
	return &protocol.ContextUse{Tokens: u.Tokens(), Known: true, Window: window}
}

// measure measures the context at the leaf. Owner's.
func (s *Session) measure() (compaction.Use, session.Projection, error) {
	p, err := s.branch.Project()
	if err != nil {
		return compaction.Use{}, p, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	return compaction.UseOf(s.live.Tree(), s.branch.Leaf(), p), p, nil
}
