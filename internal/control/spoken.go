package control

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// spoken makes the messages of requests of those of contexts. As long as a context
// only grows, what is new costs alone.
type spoken struct {
	items []message.Identity // that were taken in
	msgs  []message.Message
	from  []*session.Entry // of each of msgs
}

// of returns what a model is told of a context, and the entries that comes from.
func (s *spoken) of(p session.Projection) ([]message.Message, []*session.Entry) {
	known := len(s.items)
	if !s.begins(p.Items) {
		*s, known = spoken{}, 0
	}
	news := p.Items[known:]
	for _, it := range session.InCallOrder(news) {
		if m, ok := message.ForModel(it.Message); ok {
			s.msgs, s.from = append(s.msgs, m), append(s.from, it.Entry)
		}
	}
	for i := range news {
		s.items = append(s.items, news[i].Message.Identity())
	}
	n := len(s.msgs)
	return s.msgs[:n:n], s.from[:n:n]
}

// begins reports whether a context begins with what was taken in. A result that
// follows may have its place before others.
func (s *spoken) begins(items []session.Item) bool {
	known := len(s.items)
	if known > len(items) || known < len(items) && items[known].Message.Role == message.ToolResult {
		return false
	}
	for i, id := range s.items {
		if id == (message.Identity{}) || id != items[i].Message.Identity() {
			return false
		}
	}
	return true
}
