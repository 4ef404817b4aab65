package control

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// stand returns where one stands who asks for an entry: a place between a tool
// call and its results becomes that behind the last result, unless it is wanted
// exactly. Owner's.
func (s *Session) stand(id session.ID, exact bool) (session.ID, error) {
	tree := s.live.Tree()
	if id == "" {
		return "", nil
	}
	if !tree.Has(id) {
		return "", protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", id)
	}
	if exact {
		return id, nil
	}
	end, err := tree.TurnEnd(id, s.branch.Leaf())
	if err != nil {
		return "", &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	return end, nil
}

// sayMoved tells that a place was not taken as it was asked for. Owner's.
func (s *Session) sayMoved(asked, at session.ID) {
	if asked != at {
		s.note("info", "Moved on to %s: the results of a tool turn belong together.", at)
	}
}

// step moves the leaf, as people do who may want to go back. Owner's.
func (s *Session) step(to session.ID) error {
	from := s.branch.Leaf()
	if err := s.moveTo(to); err != nil {
		return err
	}
	if s.branch.Leaf() != from {
		s.visited(from)
	}
	return nil
}

// promptAt starts a run with a message behind an entry. The id of the message is
// settled before anything is done. Owner's.
func (s *Session) promptAt(c protocol.PromptAt) (protocol.PromptedAt, error) {
	fail := func(err error) (protocol.PromptedAt, error) { return protocol.PromptedAt{}, err }
	if err := s.atRest(); err != nil {
		return fail(err)
	}
	at, err := s.stand(c.Parent, c.Exact)
	if err != nil {
		return fail(err)
	}
	text, err := s.expand(c.Text)
	if err != nil {
		return fail(err)
	}
	if text == "" && len(c.Images) == 0 {
		return fail(protocol.Fail(protocol.BadRequest, "A message without words is none."))
	}
	if s.model == nil {
		return fail(errNoModel())
	}
	if err := s.step(at); err != nil {
		return fail(err)
	}
	s.sayMoved(c.Parent, at)
	q := queued{text: text, images: c.Images, id: s.newID(), by: s.author()}
	d, err := s.start(q)
	if err != nil {
		return fail(err)
	}
	return protocol.PromptedAt{Disposition: d, Entry: q.id}, nil
}

// retry starts a run without a message. Owner's.
func (s *Session) retry(c protocol.Retry) (protocol.Disposition, error) {
	if s.op != nil {
		if s.op.summing {
			return "", s.atRest()
		}
		return "", protocol.Fail(protocol.Busy, "A run is going on already.")
	}
	if c.Entry == nil {
		p, err := s.branch.Project()
		if err == nil {
			err = runnable(p)
		}
		if err != nil {
			return "", coded(err)
		}
		return s.start()
	}
	at, err := s.stand(*c.Entry, c.Exact)
	if err != nil {
		return "", err
	}
	p, err := new(session.Projector).Context(s.live.Tree(), at)
	if err == nil {
		err = runnable(p)
	}
	if err != nil {
		return "", coded(err)
	}
	if s.model == nil {
		return "", errNoModel()
	}
	if err := s.step(at); err != nil {
		return "", err
	}
	s.sayMoved(*c.Entry, at)
	return s.start()
}

// runnable reports why a model has nothing to answer in a context, or nil. Answers
// that failed or were stopped do not count.
func runnable(p session.Projection) error {
	for i := len(p.Items) - 1; i >= 0; i-- {
		m := p.Items[i].Message
		if m.Role == message.Assistant && m.StopReason != message.Failed && m.StopReason != message.Aborted {
			return protocol.Fail(protocol.NotRunnable, "The last word here is the model's already. Go back to the question to have it answered again.")
		}
		if _, heard := message.ForModel(m); heard && m.Role != message.System && m.Role != message.Assistant {
			return nil
		}
	}
	return protocol.Fail(protocol.NotRunnable, "There is nothing to answer yet.")
}

// coded gives an error without a code that of trouble with files.
func coded(err error) error {
	if protocol.CodeOf(err) != "" {
		return err
	}
	return &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
}
