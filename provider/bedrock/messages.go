package bedrock

import (
	"encoding/base64"
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
	b      *provider.Body
	family family

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
		case message.User:
			e.lateImages()
			for _, b := range m.Content {
				if b.Type == message.TextBlock && !blank(b.Text) || isImage(b) {
					e.turn("user")
					e.part(b)
				}
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
		e.marks = append(e.marks, e.b.Len()-e.shift)
	}
	if e.role != "" {
		e.b.Close(']')
		e.b.Close('}')
	}
	e.role = ""
}

// markCache puts a mark at the end of the user's last two messages, the first of
// which is where the last request ended.
func (e *encoder) markCache() {
	for i := len(e.marks) - 1; i >= max(0, len(e.marks)-2); i-- {
		e.b.Insert(e.marks[i]+e.shift, ","+string(cachePoint))
	}
}

// text writes a text that is known to have words in it.
func (e *encoder) text(s string) {
	e.b.Open('{')
	e.b.Str("text", s)
	e.b.Close('}')
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil && s != ""
}

func isImage(b message.Block) bool { return b.Type == message.ImageBlock && b.Data != "" }

// part writes a text or an image.
func (e *encoder) part(b message.Block) {
	if b.Type == message.TextBlock {
		e.text(b.Text)
		return
	}
	format, ok := strings.CutPrefix(b.MimeType, "image/")
	switch format {
	case "png", "jpeg", "gif", "webp":
	case "jpg":
		format = "jpeg"
	default:
		ok = false
	}
	if !ok {
		e.text(unfitImage + b.MimeType + "]")
		return
	}
	e.b.Open('{')
	e.b.Key("image").Open('{')
	e.b.Str("format", format)
	e.b.Key("source").Open('{')
	e.b.Str("bytes", b.Data)
	e.b.Close('}')
	e.b.Close('}')
	e.b.Close('}')
}

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
			e.b.Key("toolUse").Open('{')
			e.b.Str("toolUseId", b.ID)
			e.b.Str("name", toolName(b.Name))
			e.b.Set("input", b.Args())
			e.b.Close('}')
			e.b.Close('}')
		}
	}
}

// thought writes a block of the model's own thinking. Claude's without its
// signature, which an answer lacks that broke off, is a text; others have none.
func (e *encoder) thought(b message.Block) {
	switch {
	case e.family.noReplay, b.Redacted && !isBase64(b.Signature):
	case b.Redacted:
		e.turn("assistant")
		e.b.Open('{')
		e.b.Key("reasoningContent").Open('{')
		e.b.Str("redactedContent", b.Signature)
		e.b.Close('}')
		e.b.Close('}')
	case e.family.claude && b.Signature == "":
		if !blank(b.Text) {
			e.turn("assistant")
			e.text(b.Text)
		}
	case e.family.claude || !blank(b.Text):
		e.turn("assistant")
		e.b.Open('{')
		e.b.Key("reasoningContent").Open('{')
		e.b.Key("reasoningText").Open('{')
		e.b.Str("text", b.Text)
		if e.family.claude {
			e.b.Str("signature", b.Signature)
		}
		e.b.Close('}')
		e.b.Close('}')
		e.b.Close('}')
	}
}

// result writes a tool result. Claude takes no images in one that failed, so
// they follow behind all results.
func (e *encoder) result(m message.Message) {
	e.turn("user")
	e.b.Open('{')
	e.b.Key("toolResult").Open('{')
	e.b.Str("toolUseId", m.ToolCallID)
	e.b.Key("content").Open('[')
	apart := m.IsError && e.family.claude
	empty, late := true, false
	for _, b := range m.Content {
		switch {
		case b.Type == message.TextBlock && !blank(b.Text):
		case isImage(b) && apart:
			late = true
			continue
		case isImage(b):
		default:
			continue
		}
		e.part(b)
		empty = false
	}
	if empty {
		e.text(noOutput)
	}
	e.b.Close(']')
	if m.IsError {
		e.b.Str("status", "error")
	} else {
		e.b.Str("status", "success")
	}
	e.b.Close('}')
	e.b.Close('}')
	if late {
		e.late = append(e.late, m)
	}
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
