package control

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// add appends a message below an entry and runs nothing. While something goes on
// the leaf stays where that works. Owner's.
func (s *Session) add(c protocol.Append) (protocol.Added, error) {
	leaf := s.branch.Leaf()
	body, err := addition(c)
	if err != nil {
		return protocol.Added{Leaf: leaf}, err
	}
	at := leaf
	if c.Parent != nil {
		if at, err = s.stand(*c.Parent, false); err != nil {
			return protocol.Added{Leaf: leaf}, err
		}
	}
	stay := c.Stay
	if s.op != nil && !stay {
		if at == "" || slices.ContainsFunc(s.branch.Path(), func(e *session.Entry) bool { return e.ID == at }) {
			return protocol.Added{Leaf: leaf}, s.atRest()
		}
		stay = true
	}
	if c.Parent != nil {
		s.sayMoved(*c.Parent, at)
	}
	if !stay {
		if err := s.step(at); err != nil {
			return protocol.Added{Leaf: leaf}, err
		}
		e, err := s.append(body)
		if err != nil {
			return protocol.Added{Leaf: s.branch.Leaf()}, err
		}
		return protocol.Added{Entry: e.ID, Leaf: s.branch.Leaf()}, nil
	}
	e, err := s.appendBeside(at, body)
	if err != nil {
		return protocol.Added{Leaf: leaf}, err
	}
	return protocol.Added{Entry: e.ID, Leaf: leaf}, nil
}

// appendBeside appends an entry below another one and leaves the leaf where it is.
// Owner's.
func (s *Session) appendBeside(at session.ID, body session.Body) (*session.Entry, error) {
	b := s.live.Branch(s.branch.Leaf())
	if err := b.Move(at); err != nil {
		return nil, &protocol.Error{Code: protocol.UnknownEntry, Text: err.Error(), Err: err}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 5*time.Second)
	defer cancel()
	e, err := b.AppendAs(ctx, s.newID(), body)
	if e == nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	s.untold = append(s.untold, untold{id: e.ID, by: s.author(), beside: true})
	s.announce()
	s.tell(err)
	s.hub.stir(s)
	if s.op == nil {
		s.startMark() // the end of the file is elsewhere now
	}
	return e, nil
}

// latest is the end of the year 9999 in Unix milliseconds.
const latest = 253402300799999

// addition makes an entry of a message that a front end brings along, if it is one
// that every model and pi can read.
func addition(c protocol.Append) (session.Body, error) {
	bad := func(format string, args ...any) (session.Body, error) {
		return nil, protocol.Fail(protocol.BadRequest, format, args...)
	}
	m := c.Message
	if m.Timestamp < 0 || m.Timestamp > latest {
		return bad("The time of a message is in milliseconds since 1970, up to the year 9999.")
	}
	if m.Timestamp == 0 {
		m.Timestamp = time.Now().UnixMilli()
	}
	of := m.Role
	if c.Custom != "" {
		of = message.Custom
	}
	for _, b := range m.Content {
		switch {
		case b.Type == message.TextBlock && (b.HasText() || b.Text != ""), b.Type == message.ImageBlock && b.Data != "" && b.MimeType != "":
		case b.Type == message.ThinkingBlock && of == message.Assistant:
		case b.Type == message.ToolCallBlock:
			return bad("A message that is added must not call tools: nobody would run them.")
		default:
			return bad("A message of role %s cannot have such content (type %q): it is texts and images.", of, string(b.Type))
		}
	}
	unfinished := m.StopReason == message.Failed || m.StopReason == message.Aborted
	if !says(m.Content) && (of != message.Assistant || !unfinished) {
		return bad("A message without words is none.")
	}
	// Only what is known is written, whatever the front end has sent besides.
	out := message.Message{Role: of, Content: m.Content, IsText: m.IsText, Timestamp: m.Timestamp}
	switch of {
	case message.Custom:
		if c.Custom == "" {
			return bad("A custom message needs customType, the name of whoever it is of.")
		}
		details, err := oneLine(c.Details)
		if err != nil {
			return bad("The details of the message are no JSON.")
		}
		return session.CustomMessage{CustomType: c.Custom, Content: m.Content, IsText: m.IsText, Display: c.Display, Details: details}, nil
	case message.User:
		return session.Message{Message: out}, nil
	case message.Assistant:
		if m.API == "" || m.Provider == "" || m.Model == "" {
			return bad("A message of the assistant needs api, provider and model: who said it.")
		}
		out.API, out.Provider, out.Model = m.API, m.Provider, m.Model
		out.Usage, out.StopReason, out.ErrorMessage = m.Usage, m.StopReason, m.ErrorMessage
		switch m.StopReason {
		case "":
			out.StopReason = message.Stop
		case message.Stop, message.Length, message.Failed, message.Aborted:
		default:
			return bad("An answer that is added cannot have ended with %q: it is stop, length, error or aborted.", string(m.StopReason))
		}
		return session.Message{Message: out}, nil
	}
	return bad("A message of role %q cannot be added: it is user, assistant or custom.", string(m.Role))
}

// says reports whether there is anything in content.
func says(content []message.Block) bool {
	return slices.ContainsFunc(content, func(b message.Block) bool { return b.Type != message.TextBlock || b.Text != "" })
}

// oneLine returns JSON without line ends between its parts; nil for nothing.
func oneLine(v json.RawMessage) (json.RawMessage, error) {
	if len(v) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
