package google

import (
	"encoding/base64"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Words in places that the API wants filled.
const (
	beginning  = "(The beginning of this conversation is not shown.)"
	goOn       = "(Go on.)"
	noOutput   = "(no output)"
	shown      = "Image in the output of "
	unfitImage = "[an image was left out: its type cannot be sent: "
)

// unsigned stands for the signature of a call that another model has made. Google
// names it for this (its "Thought signatures", the questions at the end).
const unsigned = "skip_thought_signature_validator"

// encoder writes the contents of a request.
type encoder struct {
	b      *provider.Body
	traits traits

	open   string // role of the content that is open, or ""
	last   string // role of the last content, or ""
	called bool   // the content that is open has a call

	asked   []call // calls that the next content answers
	results map[string]message.Message
}

// call is a call as it was sent.
type call struct{ id, name string }

// encode writes messages. What stands behind them is no result.
func encode(e *encoder, b *provider.Body, msgs []message.Message) {
	e.b = b
	for _, m := range msgs {
		if m.Role != message.ToolResult {
			e.respond()
		}
		switch m.Role {
		case message.User:
			for _, b := range m.Content {
				e.userBlock(b)
			}
		case message.Assistant:
			e.answer(m)
		case message.ToolResult:
			if e.results == nil {
				e.results = map[string]message.Message{}
			}
			e.results[m.ToolCallID] = m
		}
	}
	e.respond()
}

// finish ends the contents. The user must come last: the API answers nothing else.
func (e *encoder) finish() {
	if e.last != "user" {
		e.turn("user")
		e.text(goOn)
	}
	e.close()
}

// turn sees to it that a content of a role is open. What follows from one side is
// one content, and the user begins.
func (e *encoder) turn(role string) {
	if e.open == role {
		return
	}
	e.close()
	if e.last == "" && role != "user" {
		e.turn("user")
		e.text(beginning)
		e.close()
	}
	e.b.Open('{')
	e.b.Str("role", role)
	e.b.Key("parts").Open('[')
	e.open, e.last, e.called = role, role, false
}

func (e *encoder) close() {
	if e.open != "" {
		e.b.Close(']')
		e.b.Close('}')
	}
	e.open = ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func (e *encoder) text(s string) { e.part(s, false, "") }

// part writes a part that is a text.
func (e *encoder) part(s string, thought bool, signature string) {
	e.b.Open('{')
	e.b.Str("text", s)
	if thought {
		e.b.Bool("thought", true)
	}
	e.sign(signature)
	e.b.Close('}')
}

func (e *encoder) sign(signature string) {
	if signature != "" && !e.traits.bare {
		e.b.Str("thoughtSignature", signature)
	}
}

// signature returns the signature of a block, or "" if it is none that the API
// could read.
func signature(b message.Block) string {
	if !isBase64(b.Signature) {
		return ""
	}
	return b.Signature
}

func isBase64(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	body := strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	for i := range len(body) {
		switch c := body[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/':
		default:
			return false
		}
	}
	tail := s[len(s)-4:]
	_, err := base64.StdEncoding.DecodeString(tail)
	return err == nil
}

func (e *encoder) userBlock(b message.Block) {
	switch {
	case b.Type == message.TextBlock && !blank(b.Text):
		e.turn("user")
		e.text(b.Text)
	case b.Type == message.ImageBlock && b.Data != "":
		e.turn("user")
		if why := unfit(b); why != "" {
			e.text(why)
			return
		}
		e.image(b)
	}
}

// unfit says in the place of an image why it cannot be sent, "" if it can.
func unfit(b message.Block) string {
	switch b.MimeType {
	case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif":
	default:
		return unfitImage + b.MimeType + "]"
	}
	return ""
}

func (e *encoder) image(b message.Block) {
	e.b.Open('{')
	e.b.Key("inlineData").Open('{')
	e.b.Str("mimeType", b.MimeType)
	e.b.Str("data", b.Data)
	e.b.Close('}')
	e.b.Close('}')
}

// answer writes an answer; one that has nothing to send leaves no trace.
func (e *encoder) answer(m message.Message) {
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			if s := signature(b); s != "" && !e.traits.bare || !blank(b.Text) {
				e.turn("model")
				e.part(b.Text, false, s)
			}
		case message.ThinkingBlock:
			if s := signature(b); !b.Redacted && !e.traits.bare && (s != "" || !blank(b.Text)) {
				e.turn("model")
				e.part(b.Text, true, s)
			}
		case message.ToolCallBlock:
			e.turn("model")
			e.call(b)
		}
	}
}

func (e *encoder) call(b message.Block) {
	c := call{b.ID, functionName(b.Name)}
	e.asked = append(e.asked, c)
	e.b.Open('{')
	e.b.Key("functionCall").Open('{')
	if e.traits.ids {
		e.b.Str("id", c.id)
	}
	e.b.Str("name", c.name)
	e.b.Set("args", b.Args())
	e.b.Close('}')
	s := signature(b)
	if s == "" && e.traits.signed && !e.called {
		s = unsigned
	}
	e.sign(s)
	e.b.Close('}')
	e.called = true
}

// functionName returns the name of a called tool as the API takes it.
func functionName(name string) string {
	name = provider.SafeName(name)
	if c := name[0]; c == '-' || '0' <= c && c <= '9' {
		name = "_" + name[:min(len(name), 127)]
	}
	return name
}

// respond writes the responses to the calls of the last answer, and behind them
// the images that cannot be in a response.
func (e *encoder) respond() {
	if len(e.asked) == 0 {
		return
	}
	asked := e.asked
	e.asked = nil
	e.turn("user")
	var late []late
	for _, c := range asked {
		if l := e.response(c, e.results[c.id]); len(l.images) > 0 {
			late = append(late, l)
		}
	}
	e.close()
	e.results = nil
	for _, l := range late {
		e.turn("user")
		e.text(shown + l.of + ":")
		for _, b := range l.images {
			e.image(b)
		}
	}
}

// late is what follows of a result.
type late struct {
	of     string
	images []message.Block
}

func (e *encoder) response(c call, m message.Message) late {
	l := late{of: c.name}
	var texts []string
	var inside []message.Block
	for _, b := range m.Content {
		switch {
		case b.Type == message.TextBlock && !blank(b.Text):
			texts = append(texts, b.Text)
		case b.Type != message.ImageBlock || b.Data == "":
		case unfit(b) != "":
			texts = append(texts, unfit(b))
		case e.traits.pictures && !strings.HasPrefix(b.MimeType, "image/hei"):
			inside = append(inside, b)
		default:
			l.images = append(l.images, b)
		}
	}
	if len(texts) == 0 {
		texts = []string{noOutput}
	}
	key := "output"
	if m.IsError {
		key = "error"
	}
	e.b.Open('{')
	e.b.Key("functionResponse").Open('{')
	if e.traits.ids {
		e.b.Str("id", c.id)
	}
	e.b.Str("name", c.name)
	e.b.Key("response").Open('{')
	e.b.Str(key, strings.Join(texts, "\n"))
	e.b.Close('}')
	if len(inside) > 0 {
		e.b.Key("parts").Open('[')
		for _, b := range inside {
			e.image(b)
		}
		e.b.Close(']')
	}
	e.b.Close('}')
	e.b.Close('}')
	return l
}
