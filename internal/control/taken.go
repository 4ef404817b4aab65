package control

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// takeable reports why an entry has nothing that could be taken, or nil.
func takeable(e *session.Entry) error {
	if e == nil {
		return protocol.Fail(protocol.UnknownEntry, "Entry not found")
	}
	switch e.Type {
	case session.TypeCustomMessage, session.TypeCompaction, session.TypeBranchSummary:
	case session.TypeMessage:
		if e.Role == message.System {
			return protocol.Fail(protocol.BadRequest, "Instructions are not taken: each branch has its own.")
		}
	default:
		return protocol.Fail(protocol.BadRequest, "That entry says nothing, so there is nothing to take.")
	}
	blocks, err := takenContent(e)
	if err == nil && blocks == nil {
		err = protocol.Fail(protocol.BadRequest, "That entry says nothing that a model may hear, so there is nothing to take.")
	}
	return err
}

// takenMessage makes of an entry of another branch a message of this one. It is
// heard as the user's, so that every model takes it at every place. Owner's.
func (s *Session) takenMessage(id session.ID) (session.Body, error) {
	e := s.live.Tree().Get(id)
	blocks, err := takenContent(e)
	if err != nil {
		return nil, err
	}
	details := append([]byte(`{"from":`), rawjson.Quote(string(id))...)
	return session.CustomMessage{CustomType: takenType, Content: blocks, Display: true, Details: append(details, '}')}, nil
}

// takenContent returns what an entry says in text and images, after a line that
// says who says it; nil if it says nothing. Tool calls and their results become
// text.
func takenContent(e *session.Entry) ([]message.Block, error) {
	p, err := new(session.Projector).Collected([]*session.Entry{e})
	if err != nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	if len(p) == 0 {
		return nil, nil
	}
	raw := p[0].Message
	m, ok := message.ForModel(raw)
	if !ok {
		return nil, nil // kept from models
	}
	text := "From another branch of this conversation, " + speaker(raw) + ":"
	var blocks []message.Block
	said := false
	say := func(more string) {
		if session.TrimSpace(more) == "" {
			return
		}
		said = true
		if text != "" {
			text += "\n\n"
		}
		text += more
	}
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			say(b.Text)
		case message.ToolCallBlock:
			say(fmt.Sprintf("(called %s with %s)", b.Name, b.Args()))
		case message.ImageBlock:
			said = true
			if text != "" {
				blocks, text = append(blocks, message.Text(text)), ""
			}
			blocks = append(blocks, b)
		}
	}
	if !said {
		return nil, nil
	}
	if text != "" {
		blocks = append(blocks, message.Text(text))
	}
	return blocks, nil
}

// speaker says who says a message.
func speaker(m message.Message) string {
	switch m.Role {
	case message.User:
		return "the user"
	case message.Assistant:
		return "the assistant"
	case message.ToolResult:
		if m.IsError {
			return strings.TrimSpace("the tool "+m.ToolName) + ", which failed"
		}
		return strings.TrimSpace("the tool " + m.ToolName)
	case message.Bash:
		return "a command of the user"
	case message.BranchSummary, message.CompactionSummary:
		return "a summary"
	}
	return "a message"
}
