package control

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// spoken makes the messages of requests of those of contexts. As long as a context
// only grows, what is new costs alone.
type spoken struct {
	items  []message.Identity // that were taken in
	msgs   []message.Message
	closed bool // the last answer has all its results, so that their order stays
}

// of returns what a model is told of a context.
func (s *spoken) of(p session.Projection) []message.Message {
	known := len(s.items)
	if !s.closed || known > len(p.Items) || !s.begins(p.Items) {
		*s, known = spoken{}, 0
	}
	news := p.Items[known:]
	for _, it := range session.InCallOrder(news) {
		if m, ok := message.ForModel(it.Message); ok {
			s.msgs = append(s.msgs, m)
		}
	}
	for i := range news {
		s.items = append(s.items, news[i].Message.Identity())
	}
	s.closed = complete(p.Items)
	return s.msgs[:len(s.msgs):len(s.msgs)]
}

func (s *spoken) begins(items []session.Item) bool {
	for i, id := range s.items {
		if id == (message.Identity{}) || id != items[i].Message.Identity() {
			return false
		}
	}
	return true
}

// complete reports whether no result can follow that would belong to the answer
// at the end.
func complete(items []session.Item) bool {
	for i := len(items) - 1; i >= 0; i-- {
		switch m := &items[i].Message; m.Role {
		case message.ToolResult:
		case message.Assistant:
			return len(items)-1-i >= len(m.ToolCalls())
		default:
			return true
		}
	}
	return true
}
