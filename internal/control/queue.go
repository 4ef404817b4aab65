package control

import (
	"slices"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// queued is a message that waits to be delivered. Its id is that of the entry
// which it will be, so that it is never said twice; "" if it never waited.
type queued struct {
	text   string
	images []message.Block
	id     session.ID
	by     string // the front end that it comes from; ""
}

// newID returns an id that no entry has or will have. Owner's.
func (s *Session) newID() session.ID {
	is := func(id session.ID) func(queued) bool { return func(q queued) bool { return q.id == id } }
	return session.NewID(func(id session.ID) bool {
		return s.live.Tree().Has(id) || slices.ContainsFunc(s.steering, is(id)) || slices.ContainsFunc(s.followUp, is(id)) || slices.ContainsFunc(s.taken, is(id))
	})
}

func (s *Session) enqueue(q *[]queued, m queued) (protocol.Disposition, error) {
	m.id, m.by = s.newID(), s.author()
	if s.op != nil {
		s.op.queued = true
	}
	*q = append(*q, m)
	s.queueChanged()
	return protocol.Queued, nil
}

func (s *Session) queueChanged() {
	s.keepQueue()
	s.emit(protocol.QueueChanged{Queue: s.queue()})
}

func (s *Session) clearQueue() (protocol.Queue, error) {
	q := s.queue()
	s.steering, s.followUp = nil, nil
	s.queueChanged()
	return q, nil
}

// find returns the queue that a message waits in and its place there.
func (s *Session) findQueued(id session.ID) (*[]queued, int, error) {
	for _, q := range []*[]queued{&s.steering, &s.followUp} {
		if i := slices.IndexFunc(*q, func(m queued) bool { return m.id == id }); i >= 0 {
			return q, i, nil
		}
	}
	return nil, 0, protocol.Fail(protocol.NotFound, "That message does not wait any more.")
}

func (s *Session) dropQueued(id session.ID) (protocol.Queue, error) {
	q, i, err := s.findQueued(id)
	if err != nil {
		return protocol.Queue{}, err
	}
	*q = slices.Delete(slices.Clone(*q), i, i+1)
	s.queueChanged()
	return s.queue(), nil
}

func (s *Session) editQueued(c protocol.EditQueued) (protocol.Queue, error) {
	q, i, err := s.findQueued(c.ID)
	if err != nil {
		return protocol.Queue{}, err
	}
	text, err := s.expand(c.Text)
	if err != nil {
		return protocol.Queue{}, err
	}
	if text == "" && len((*q)[i].images) == 0 {
		return protocol.Queue{}, protocol.Fail(protocol.BadRequest, "A message without words is none. Drop it instead.")
	}
	*q = slices.Clone(*q)
	(*q)[i].text = text
	s.queueChanged()
	return s.queue(), nil
}

// sendQueue starts a run with what waits. Owner's.
func (s *Session) sendQueue() (protocol.Disposition, error) {
	switch {
	case s.op != nil:
		return "", protocol.Fail(protocol.Busy, "A run is going on: what waits is said in it.")
	case len(s.steering)+len(s.followUp) == 0:
		return "", protocol.Fail(protocol.NotRunnable, "No message waits.")
	case s.model == nil:
		return s.start() // which says so
	}
	return s.start(s.takeNext()...)
}

// takeNext takes out of the queues what is said next. Owner's.
func (s *Session) takeNext() []queued {
	from, all := &s.steering, s.opts.AllSteering
	if len(*from) == 0 {
		from, all = &s.followUp, s.opts.AllFollowUp
	}
	n := 1
	if all {
		n = len(*from)
	}
	next := (*from)[:n:n]
	*from = (*from)[n:]
	s.taken = append(s.taken, next...)
	s.emit(protocol.QueueChanged{Queue: s.queue()})
	return next
}

// wasSaid is called when something that was taken out of the queues may be in the
// session's file. Owner's.
func (s *Session) wasSaid() {
	if len(s.taken) == 0 || s.live.Unsaved() > 0 {
		return
	}
	n := len(s.taken)
	s.taken = slices.DeleteFunc(s.taken, func(q queued) bool { return s.live.Tree().Has(q.id) })
	if len(s.taken) < n {
		s.keepQueue()
	}
}

// putBack lets messages wait again that were taken out of the queues and not said.
// Owner's.
func (s *Session) putBack() {
	var back []queued
	for _, q := range s.taken {
		if !s.live.Tree().Has(q.id) {
			back = append(back, q)
		}
	}
	if len(back) == 0 {
		return
	}
	s.taken = slices.DeleteFunc(s.taken, func(q queued) bool { return !s.live.Tree().Has(q.id) })
	s.steering = append(back, s.steering...)
	s.queueChanged()
}

// queue is what waits, as people are told. Owner's.
func (s *Session) queue() protocol.Queue {
	q := protocol.Queue{Steering: []string{}, FollowUp: []string{}}
	for _, m := range s.steering {
		q.Steering = append(q.Steering, m.text)
		q.Items = append(q.Items, protocol.Waiting{ID: m.id, Text: m.text, Images: len(m.images), By: m.by})
	}
	for _, m := range s.followUp {
		q.FollowUp = append(q.FollowUp, m.text)
		q.Items = append(q.Items, protocol.Waiting{ID: m.id, Text: m.text, Images: len(m.images), FollowUp: true, By: m.by})
	}
	return q
}
