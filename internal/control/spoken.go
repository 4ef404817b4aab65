package control

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// spoken makes the messages of requests of those of contexts. As long as a context
// only grows, what is new costs alone.
type spoken struct {
	items    []session.Item     // that were taken in
	known    []message.Identity // of each of items
	msgs     []message.Message
	from     []*session.Entry // of each of msgs
	system   []message.Message
	declared *message.Message // what system comes to; nil if that is to be found out
}

// of returns what a model is told of a context, and the entries that comes from.
func (s *spoken) of(p session.Projection) ([]message.Message, []*session.Entry) {
	s.take(p.Items)
	n := len(s.msgs)
	return s.msgs[:n:n], s.from[:n:n]
}

// declares returns the prompt and the tools that a context declares; no system
// message if none.
func (s *spoken) declares(p session.Projection) message.Message {
	s.take(p.Items)
	if s.declared == nil {
		m, _ := message.FoldSystem(s.system)
		s.declared = &m
	}
	return *s.declared
}

func (s *spoken) take(items []session.Item) {
	if !s.begins(items) {
		*s = spoken{}
	}
	news := items[len(s.known):]
	for _, it := range session.InCallOrder(news) {
		if m, ok := message.ForModel(it.Message); ok {
			s.msgs, s.from = append(s.msgs, m), append(s.from, it.Entry)
		}
		if it.Message.Role == message.System {
			s.system, s.declared = append(s.system, it.Message), nil
		}
	}
	for i := range news {
		s.known = append(s.known, news[i].Message.Identity())
	}
	s.items = items
}

// begins reports whether a context begins with what was taken in. A result that
// follows may have its place before others.
func (s *spoken) begins(items []session.Item) bool {
	n := len(s.known)
	switch {
	case n > len(items) || n < len(items) && items[n].Message.Role == message.ToolResult:
		return false
	case n > 0 && &items[0] == &s.items[0] && items[n-1].Message.Identity() == s.known[n-1]:
		return true // the same list, which only grows
	}
	for i, id := range s.known {
		if id == (message.Identity{}) || id != items[i].Message.Identity() {
			return false
		}
	}
	return true
}
