package export

import (
	"iter"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// A piece is an entry of a conversation; an answer comes with the results of its
// calls.
type piece struct {
	entry *session.Entry
	body  session.Body

	// Of an answer: the results that follow it, by call, and those of no call.
	results map[string]message.Message
	others  []message.Message
}

// pieces yields what a path says, in its order. Secrets are out already.
func (s *source) pieces(path []*session.Entry) iter.Seq2[piece, error] {
	return func(yield func(piece, error) bool) {
		answered := false // results belong to the answer above
		for i, e := range path {
			if e.IsLeafMarker() {
				continue
			}
			if e.Lost() {
				s.report.Left++
				continue
			}
			if e.Role == message.ToolResult && answered {
				s.report.Entries++
				continue
			}
			body, err := s.read(e)
			if err != nil {
				yield(piece{}, err)
				return
			}
			s.report.Entries++
			p := piece{entry: e, body: body}
			switch {
			case e.Role == message.Assistant:
				answered = true
				if err := s.join(&p, path[i+1:]); err != nil {
					yield(piece{}, err)
					return
				}
			case e.Type == session.TypeMessage || e.Type == session.TypeCompaction:
				answered = false
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// read returns what an entry says.
func (s *source) read(e *session.Entry) (session.Body, error) {
	if s.o.Redact == nil {
		return e.Body()
	}
	line, err := e.Raw()
	if err != nil {
		return nil, err
	}
	clean, err := session.Decode(s.o.Redact.line(line), e.Line, nil)
	if err != nil {
		return e.Body() // of a line that says nothing
	}
	return clean.Body()
}

// join collects the results that follow an answer.
func (s *source) join(p *piece, behind []*session.Entry) error {
	b, ok := p.body.(session.Message)
	if !ok {
		return nil
	}
	calls := map[string]bool{}
	for _, c := range b.Message.ToolCalls() {
		calls[c.ID] = true
	}
	p.results = map[string]message.Message{}
	for _, e := range behind {
		if e.Role != message.ToolResult {
			if e.Type == session.TypeMessage || e.Type == session.TypeCompaction {
				return nil
			}
			continue
		}
		if e.Lost() {
			continue
		}
		body, err := s.read(e)
		if err != nil {
			return err
		}
		r, ok := body.(session.Message)
		if !ok {
			continue
		}
		id := r.Message.ToolCallID
		if _, twice := p.results[id]; calls[id] && !twice {
			p.results[id] = r.Message
		} else {
			p.others = append(p.others, r.Message)
		}
	}
	return nil
}

// totals are what the exported part took.
func (s *source) totals() (session.Stats, []session.Share, error) {
	t := s.tree
	if s.o.Leaf != "" {
		t = session.NewTree()
		for _, e := range s.tree.Path(s.o.Leaf) {
			t.Add(e)
		}
	}
	stats, err := t.Stats()
	if err != nil {
		return stats, nil, err
	}
	shares, err := t.Shares()
	return stats, shares, err
}

// stand is where the conversation that is exported ends.
func (s *source) stand() session.ID {
	switch {
	case s.o.Leaf != "":
		return s.o.Leaf
	case s.o.Stand != "":
		return s.o.Stand
	}
	return s.tree.Leaf()
}
