package control

import (
	"bytes"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// hide takes a message out of what the model sees. Owner's.
func (s *Session) hide(id session.ID) (protocol.Hidden, error) {
	if err := s.editable(id); err != nil {
		return protocol.Hidden{}, err
	}
	if s.edits()[id] == leftOut {
		return protocol.Hidden{}, protocol.Fail(protocol.BadRequest, "That message is hidden already; unhide it to bring it back.")
	}
	return s.edit(session.ContextEdit{Target: id, Omit: true})
}

// unhide makes the model see a message again as it was, whether it was left out or
// replaced. Owner's.
func (s *Session) unhide(id session.ID) (protocol.Hidden, error) {
	edits := s.edits()
	if id == "" {
		path := s.branch.Path()
		for i := len(path) - 1; i >= 0 && id == ""; i-- {
			if edit, ok := editOf(path[i]); ok && edits[edit.Target] != asItWas && !s.failedAnswer(edit.Target) {
				id = edit.Target
			}
		}
		if id == "" {
			return protocol.Hidden{}, protocol.Fail(protocol.NotRunnable, "Nothing is hidden here.")
		}
	}
	if err := s.editable(id); err != nil {
		return protocol.Hidden{}, err
	}
	if edits[id] == asItWas {
		return protocol.Hidden{}, protocol.Fail(protocol.BadRequest, "The model sees that message already.")
	}
	content, err := s.ownContent(id)
	if err != nil {
		return protocol.Hidden{}, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	return s.edit(session.ContextEdit{Target: id, Content: content})
}

// ownContent is the content of a message as it stands in the session. Owner's.
func (s *Session) ownContent(id session.ID) (message.Value, error) {
	body, err := s.live.Tree().Get(id).Body()
	if err != nil {
		return nil, err
	}
	var content message.Value
	switch b := body.(type) {
	case session.Message:
		content = b.Message.Field("content")
	case session.CustomMessage:
		content = message.EncodeContent(b.Content)
	}
	if content == nil {
		content = message.Value(`[]`)
	}
	return content, nil
}

// rewrite makes the model see other words in place of those of a message. What a
// message has besides words it keeps, since results belong to their calls. What a
// model thought goes: its signature is one of the old words. Owner's.
func (s *Session) rewrite(c protocol.EditContext) (protocol.Hidden, error) {
	if err := s.editable(c.Entry); err != nil {
		return protocol.Hidden{}, err
	}
	text := strings.TrimSpace(c.Text)
	if text == "" {
		return protocol.Hidden{}, protocol.Fail(protocol.BadRequest, "A message cannot be replaced by nothing; hide it instead.")
	}
	body, err := s.live.Tree().Get(c.Entry).Body()
	if err != nil {
		return protocol.Hidden{}, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	var blocks []message.Block
	switch b := body.(type) {
	case session.Message:
		blocks = b.Message.Content
	case session.CustomMessage:
		blocks = b.Content
	}
	content := []message.Block{message.Text(text)}
	for _, b := range blocks {
		if b.Type == message.ImageBlock || b.Type == message.ToolCallBlock {
			content = append(content, b)
		}
	}
	return s.edit(session.ContextEdit{Target: c.Entry, Content: message.EncodeContent(content)})
}

// edit appends an edit. What servers refused is tried anew after it. Owner's.
func (s *Session) edit(x session.ContextEdit) (protocol.Hidden, error) {
	s.omitted = nil
	e, err := s.append(x)
	if err != nil {
		return protocol.Hidden{}, err
	}
	return protocol.Hidden{Entry: x.Target, Edit: e.ID}, nil
}

// editable reports why the message cannot be hidden here, or nil.
func (s *Session) editable(id session.ID) error {
	if s.op != nil {
		return protocol.Fail(protocol.Busy, "A run is going on. Stop it first.")
	}
	for _, e := range s.branch.Path() {
		if e.ID != id {
			continue
		}
		if e.Type == session.TypeCustomMessage || e.Role == message.User || e.Role == message.Assistant || e.Role == message.ToolResult {
			return nil
		}
		return protocol.Fail(protocol.BadRequest, "Only what you, the model and the tools said can be hidden.")
	}
	return protocol.Fail(protocol.UnknownEntry, "That entry is not on the way to here, so the model does not see it.")
}

// seen is how the model sees a message.
type seen uint8

const (
	asItWas seen = iota
	leftOut
	replaced
)

// edits returns how the model sees the messages of the path that edits are about.
// Owner's.
func (s *Session) edits() map[session.ID]seen {
	how := map[session.ID]seen{}
	for _, e := range s.branch.Path() {
		edit, ok := editOf(e)
		if !ok {
			continue
		}
		how[edit.Target] = replaced
		if edit.Omit {
			how[edit.Target] = leftOut
		} else if s.live.Tree().Has(edit.Target) {
			own, err := s.ownContent(edit.Target)
			if err == nil && bytes.Equal(own, edit.Content) {
				how[edit.Target] = asItWas
			}
		}
	}
	return how
}

// failedAnswer reports whether an entry is an answer that a retry has hidden.
func (s *Session) failedAnswer(id session.ID) bool {
	e := s.live.Tree().Get(id)
	if e == nil || e.Role != message.Assistant {
		return false
	}
	body, err := e.Body()
	if err != nil {
		return false
	}
	m, ok := body.(session.Message)
	return ok && m.Message.StopReason == message.Failed
}

func editOf(e *session.Entry) (session.ContextEdit, bool) {
	if e.Type != session.TypeContextEdit {
		return session.ContextEdit{}, false
	}
	body, err := e.Body()
	if err != nil {
		return session.ContextEdit{}, false
	}
	edit, ok := body.(session.ContextEdit)
	return edit, ok
}
