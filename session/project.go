package session

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A Projection is what one path comes to: the fold of a path that a model sees.
type Projection struct {
	// Entries make the context: the whole path, or, when it has a compaction,
	// the last one, what it keeps, and what follows (docs/spec/session.md 6.2).
	Entries []*Entry
	// Items are their messages in order, edits applied.
	Items []Item
	// Model and Thinking are the latest on the whole path.
	Model    ModelChange
	Thinking string // "off" if never set
}

// An Item is one message of the context and the entry it comes from.
type Item struct {
	Entry   *Entry
	Message message.Message
}

// Messages returns the messages of the context.
func (p Projection) Messages() []message.Message {
	msgs := make([]message.Message, len(p.Items))
	for i, it := range p.Items {
		msgs[i] = it.Message
	}
	return msgs
}

// Project folds a path, root first, as [Tree.Path] gives it. What it returns
// hangs on the path alone. It fails only if a line cannot be read.
func Project(path []*Entry) (Projection, error) {
	p := Projection{Thinking: "off"}
	if err := p.settings(path); err != nil {
		return p, err
	}
	entries, err := selected(path)
	if err != nil {
		return p, err
	}
	p.Entries = entries

	edits := map[ID]ContextEdit{}
	for _, e := range entries {
		if e.Type != TypeContextEdit {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return p, err
		}
		if edit := body.(ContextEdit); edit.Target != "" {
			edits[edit.Target] = edit
		}
	}
	for i, e := range entries {
		edit, edited := edits[e.ID]
		if edited && edit.Omit || !e.Speaks() {
			continue
		}
		msgs, err := e.messages(i == 0)
		if err != nil {
			return p, err
		}
		for _, m := range msgs {
			if edited {
				m = edit.apply(m)
			}
			p.Items = append(p.Items, Item{e, m})
		}
	}
	return p, nil
}

// settings finds model and thinking level, from the end of the path.
func (p *Projection) settings(path []*Entry) error {
	model, thinking := false, false
	for i := len(path) - 1; i >= 0 && !(model && thinking); i-- {
		e := path[i]
		if e.Type == TypeThinking && !thinking || e.Type == TypeModel && !model || e.Role == message.Assistant && !model {
			body, err := e.Body()
			if err != nil {
				return err
			}
			switch b := body.(type) {
			case ThinkingChange:
				p.Thinking, thinking = b.Level, true
			case ModelChange:
				p.Model, model = b, true
			case Message:
				p.Model, model = ModelChange{b.Message.Provider, b.Message.Model}, true
			}
		}
	}
	return nil
}

// selected returns the entries that make the context of a path.
func selected(path []*Entry) ([]*Entry, error) {
	at := -1
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Type == TypeCompaction {
			at = i
			break
		}
	}
	if at < 0 {
		return path, nil
	}
	body, err := path[at].Body()
	if err != nil {
		return nil, err
	}
	first := body.(Compaction).FirstKept
	entries := []*Entry{path[at]}
	keeping := false
	for _, e := range path[:at] {
		if e.ID == first {
			keeping = true
		}
		if keeping && e.Role != message.System {
			entries = append(entries, e)
		}
	}
	return append(entries, path[at+1:]...), nil
}

// messages returns what an entry adds to the context, without edits. A
// compaction speaks only where it leads.
func (e *Entry) messages(leads bool) ([]message.Message, error) {
	line, err := e.Raw()
	if err != nil {
		return nil, err
	}
	switch e.Type {
	case TypeMessage:
		m, err := message.Decode(rawjson.Get(line, "message"))
		if err != nil {
			return nil, nil // no object with a role: silent (rule R3)
		}
		return []message.Message{withContent(m)}, nil
	case TypeCustomMessage:
		m := e.derived(message.Custom, line, "customType", "content", "display", "details")
		return []message.Message{withContent(m)}, nil
	case TypeBranchSummary:
		if s := rawjson.Get(line, "summary"); !rawjson.Truthy(s) {
			return nil, nil
		}
		return []message.Message{e.derived(message.BranchSummary, line, "summary", "fromId")}, nil
	case TypeCompaction:
		if !leads {
			return nil, nil
		}
		var msgs []message.Message
		if sys := rawjson.Get(line, "systemMessage"); rawjson.Truthy(sys) {
			if m, err := message.Decode(sys); err == nil {
				msgs = append(msgs, withContent(m))
			}
		}
		m := e.derived(message.CompactionSummary, line, "summary", "tokensBefore")
		if _, ok := rawjson.GetString(line, "summary"); !ok {
			m = m.WithField("summary", message.Value(`""`)) // rule R10
		}
		return append(msgs, m), nil
	}
	return nil, nil
}

// derived makes a message of some fields of an entry that is not a message.
func (e *Entry) derived(role message.Role, line []byte, keys ...string) message.Message {
	b := append([]byte(`{"role":`), rawjson.Quote(string(role))...)
	for _, k := range keys {
		if v := rawjson.Get(line, k); v != nil {
			b = append(b, ',')
			b = rawjson.AppendString(b, k)
			b = append(b, ':')
			b = append(b, v...)
		}
	}
	b = append(b, `,"timestamp":`...)
	if e.Time.IsZero() {
		b = append(b, "null"...)
	} else {
		b = fmt.Appendf(b, "%d", e.Time.UnixMilli())
	}
	b = append(b, '}')
	m, err := message.Decode(b)
	if err != nil {
		panic("session: derived message without a role") // it has one, above
	}
	return m
}

// withContent gives a message whose content is null or absent an empty one.
func withContent(m message.Message) message.Message {
	if m.HasContent() {
		return m
	}
	switch m.Role {
	case message.System:
		return m.WithField("content", message.Value(`""`))
	case message.User, message.Assistant, message.ToolResult, message.Custom:
		return m.WithField("content", message.Value(`[]`))
	}
	return m
}

// apply returns the message with the content of the edit.
func (c ContextEdit) apply(m message.Message) message.Message {
	switch m.Role {
	case message.User, message.Custom:
		return m.WithField("content", c.Content)
	case message.Assistant, message.ToolResult:
		if s, ok := rawjson.String(c.Content); ok {
			return m.WithContent([]message.Block{message.Text(s)})
		}
		return m.WithField("content", c.Content)
	}
	return m
}
