package anthropic

import (
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Words in places that the API wants filled.
const (
	beginning   = "(The beginning of this conversation is not shown.)"
	noOutput    = "(no output)"
	failedImage = "Image from the failed call of "
	unfitImage  = "[an image was left out: its type cannot be sent: "
)

// encoder writes the messages of a request.
type encoder struct {
	b              *provider.Body
	emptySignature bool // thinking without signature can go back

	begun bool              // there is a message; the first must be the user's
	role  string            // of the message that is open, or ""
	marks []int             // where the last block of each of the user's messages ends
	late  []message.Message // failed results whose images are to follow
	shift int               // of marks: how much stands before the messages
}

func encode(e *encoder, b *provider.Body, msgs []message.Message) {
	e.b = b
	e.messages(msgs)
}

func (e *encoder) messages(msgs []message.Message) {
	for _, m := range msgs {
		switch m.Role {
		case message.System: // in place, so it has words
			e.turn("system")
			e.text(provider.SystemChange(m))
		case message.User:
			e.lateImages()
			for _, b := range m.Content {
				e.userBlock(b)
			}
		case message.Assistant:
			e.answer(m)
		case message.ToolResult:
			e.result(m)
		}
	}
}

// finish ends the messages, of which there must be one.
func (e *encoder) finish() {
	if !e.begun {
		e.turn("user")
		e.text(beginning)
	}
	e.endTurn()
}

// turn sees to it that a message of a role is open.
func (e *encoder) turn(role string) {
	if e.role == role {
		return
	}
	e.endTurn()
	if !e.begun && role != "user" {
		e.turn("user")
		e.text(beginning)
		e.endTurn()
	}
	e.begun = true
	e.b.Open('{')
	e.b.Str("role", role)
	e.b.Key("content").Open('[')
	e.role = role
}

func (e *encoder) endTurn() {
	if e.role == "user" {
		e.lateImages()
		e.marks = append(e.marks, e.b.Len()-1-e.shift)
	}
	if e.role != "" {
		e.b.Close(']')
		e.b.Close('}')
	}
	e.role = ""
}

// markCache marks the last block of the user's last two messages.
func (e *encoder) markCache(mark []byte) {
	for i := len(e.marks) - 1; i >= max(0, len(e.marks)-2); i-- {
		e.b.Insert(e.marks[i]+e.shift, `,"cache_control":`+string(mark))
	}
}

// text writes a text that is known to have words in it.
func (e *encoder) text(s string) {
	e.b.Open('{')
	e.b.Str("type", "text")
	e.b.Str("text", s)
	e.b.Close('}')
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func (e *encoder) userBlock(b message.Block) {
	switch {
	case b.Type == message.TextBlock && !blank(b.Text), isImage(b):
		e.turn("user")
		e.part(b)
	}
}

// part writes a text or an image.
func (e *encoder) part(b message.Block) {
	if b.Type == message.TextBlock {
		e.text(b.Text)
		return
	}
	switch b.MimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		e.text(unfitImage + b.MimeType + "]")
		return
	}
	e.b.Open('{')
	e.b.Str("type", "image")
	e.b.Key("source").Open('{')
	e.b.Str("type", "base64")
	e.b.Str("media_type", b.MimeType)
	e.b.Str("data", b.Data)
	e.b.Close('}')
	e.b.Close('}')
}

func isImage(b message.Block) bool { return b.Type == message.ImageBlock && b.Data != "" }

// answer writes an answer; one that has nothing to send leaves no trace.
func (e *encoder) answer(m message.Message) {
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			if !blank(b.Text) {
				e.turn("assistant")
				e.text(b.Text)
			}
		case message.ThinkingBlock:
			e.thought(b)
		case message.ToolCallBlock:
			e.turn("assistant")
			e.b.Open('{')
			e.b.Str("type", "tool_use")
			e.b.Str("id", b.ID)
			e.b.Str("name", provider.SafeName(b.Name))
			e.b.Set("input", b.Args())
			e.b.Close('}')
		}
	}
}

// thought writes a block of the model's own thinking. Without its signature,
// which an answer lacks that broke off, it is a text.
func (e *encoder) thought(b message.Block) {
	switch {
	case b.Redacted:
		if b.Signature == "" {
			return
		}
		e.turn("assistant")
		e.b.Open('{')
		e.b.Str("type", "redacted_thinking")
		e.b.Str("data", b.Signature)
		e.b.Close('}')
	case b.Signature != "" || e.emptySignature && !blank(b.Text):
		e.turn("assistant")
		e.b.Open('{')
		e.b.Str("type", "thinking")
		e.b.Str("thinking", b.Text)
		e.b.Str("signature", b.Signature)
		e.b.Close('}')
	case !blank(b.Text):
		e.turn("assistant")
		e.text(b.Text)
	}
}

// result writes a tool result. The API takes no images in one that failed, so
// they follow behind all results.
func (e *encoder) result(m message.Message) {
	var parts []message.Block
	images := false
	for _, b := range m.Content {
		switch {
		case b.Type == message.TextBlock && !blank(b.Text):
			parts = append(parts, b)
		case isImage(b) && m.IsError:
			images = true
		case isImage(b):
			images = true
			parts = append(parts, b)
		}
	}
	if m.IsError && images {
		e.late = append(e.late, m)
	}
	e.turn("user")
	e.b.Open('{')
	e.b.Str("type", "tool_result")
	e.b.Str("tool_use_id", m.ToolCallID)
	switch {
	case len(parts) == 0:
		e.b.Str("content", noOutput)
	case images && !m.IsError:
		e.b.Key("content").Open('[')
		for _, p := range parts {
			e.part(p)
		}
		e.b.Close(']')
	default:
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = p.Text
		}
		e.b.Str("content", strings.Join(texts, "\n"))
	}
	if m.IsError {
		e.b.Bool("is_error", true)
	}
	e.b.Close('}')
}

func (e *encoder) lateImages() {
	for _, m := range e.late {
		e.text(failedImage + m.ToolName + " (" + m.ToolCallID + "):")
		for _, b := range m.Content {
			if isImage(b) {
				e.part(b)
			}
		}
	}
	e.late = nil
}
