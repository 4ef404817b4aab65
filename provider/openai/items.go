package openai

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Words in places that the API wants filled.
const (
	noOutput   = "(no output)"
	unfitImage = "[an image was left out: its type cannot be sent: "
)

// fit reports whether the API takes images of a type; "" counts as PNG.
func fit(mimeType string) bool {
	switch mimeType {
	case "", "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// encoder writes the items of a request.
type encoder struct {
	b           *provider.Body
	info        provider.Info
	system      string // the role of system messages
	needsSecret bool   // reasoning without its encrypted content is refused

	next  int             // the index of the message to come
	used  map[string]bool // ids of items
	noted map[string]bool // ids that are not to stay; nil if all are
}

func encode(e *encoder, b *provider.Body, msgs []message.Message) {
	e.b = b
	for _, m := range msgs {
		e.message(e.next, m)
		e.next++
	}
}

// first reports whether an id has not come before, and notes it.
func (e *encoder) first(id string) bool {
	switch {
	case e.used[id] || e.noted[id]:
		return false
	case e.noted != nil:
		e.noted[id] = true
		return true
	case e.used == nil:
		e.used = map[string]bool{}
	}
	e.used[id] = true
	return true
}

// words writes a system message.
func (e *encoder) words(text string) {
	if text == "" {
		return
	}
	e.b.Open('{')
	e.b.Str("role", e.system)
	e.b.Str("content", text)
	e.b.Close('}')
}

func (e *encoder) message(i int, m message.Message) {
	switch m.Role {
	case message.System:
		e.words(provider.SystemChange(m))
	case message.User:
		parts := sent(m)
		if len(parts) == 0 {
			return
		}
		e.b.Open('{')
		e.b.Str("role", "user")
		e.b.Key("content").Open('[')
		e.parts(parts)
		e.b.Close(']')
		e.b.Close('}')
	case message.Assistant:
		e.answer(i, m)
	case message.ToolResult:
		e.result(m)
	}
}

// sent returns the texts and images of a message that can be sent.
func sent(m message.Message) []message.Block {
	var parts []message.Block
	for _, b := range m.Content {
		if b.Type == message.TextBlock && b.Text != "" || b.Type == message.ImageBlock && b.Data != "" {
			parts = append(parts, b)
		}
	}
	return parts
}

func (e *encoder) parts(parts []message.Block) {
	for _, p := range parts {
		e.b.Open('{')
		switch {
		case p.Type == message.TextBlock:
			e.b.Str("type", "input_text")
			e.b.Str("text", p.Text)
		case !fit(p.MimeType):
			e.b.Str("type", "input_text")
			e.b.Str("text", unfitImage+p.MimeType+"]")
		default:
			e.b.Str("type", "input_image")
			e.b.Str("detail", "auto")
			e.b.DataURL("image_url", p.MimeType, p.Data)
		}
		e.b.Close('}')
	}
}

// answer writes the items of an answer. Reasoning may stand only before what it
// led to; at the end of an answer that broke off it goes.
func (e *encoder) answer(i int, m message.Message) {
	same := e.info.Same(m)
	own := same
	kept := e.b.Len() // up to here nothing need be taken back
	for k, b := range m.Content {
		switch b.Type {
		case message.ThinkingBlock:
			if !own || !e.reasoning(b) {
				own = false // ids would ask for the reasoning that is not there
			}
			continue
		case message.TextBlock:
			if b.Text == "" {
				continue
			}
			e.text(b, own, same, fmt.Sprintf("msg_%d_%d", i, k))
		case message.ToolCallBlock:
			e.call(b, own, same)
		default:
			continue
		}
		kept = e.b.Len()
	}
	e.b.Cut(kept)
}

// reasoning writes an item as it came, and reports whether it could.
func (e *encoder) reasoning(b message.Block) bool {
	item := []byte(b.Signature)
	if rawjson.Kind(item) != '{' || !rawjson.Valid(item) {
		return false
	}
	if t, _ := rawjson.GetString(item, "type"); t != "reasoning" {
		return false
	}
	if secret, _ := rawjson.GetString(item, "encrypted_content"); secret == "" && e.needsSecret {
		return false
	}
	if id, ok := rawjson.GetString(item, "id"); ok && !e.first(id) {
		return false
	}
	if rawjson.Kind(rawjson.Get(item, "summary")) != '[' {
		item = rawjson.Set(item, "summary", []byte("[]"))
	}
	e.b.Raw(item)
	return true
}

// text writes a message item: own, if its id can go back, of the same model.
func (e *encoder) text(b message.Block, own, same bool, otherwise string) {
	id, phase := signature(b.Signature)
	if !own {
		id = ""
	}
	switch {
	case id == "":
		id = otherwise
	case len(id) > 64 || !strings.HasPrefix(id, "msg"):
		id = "msg_" + provider.ShortHash(id)
	}
	for !e.first(id) {
		id = "msg_" + provider.ShortHash(otherwise+id)
	}
	e.b.Open('{')
	e.b.Str("type", "message")
	e.b.Str("role", "assistant")
	e.b.Key("content").Open('[')
	e.b.Open('{')
	e.b.Str("type", "output_text")
	e.b.Str("text", b.Text)
	e.b.Set("annotations", []byte("[]"))
	e.b.Close('}')
	e.b.Close(']')
	e.b.Str("status", "completed")
	e.b.Str("id", id)
	if phase != "" && same {
		e.b.Str("phase", phase)
	}
	e.b.Close('}')
}

// signature reads the signature of a text.
func signature(s string) (id, phase string) {
	v := []byte(s)
	if rawjson.Kind(v) != '{' || !rawjson.Valid(v) {
		return s, ""
	}
	id, _ = rawjson.GetString(v, "id")
	phase, _ = rawjson.GetString(v, "phase")
	return id, phase
}

func (e *encoder) call(b message.Block, own, same bool) {
	call, item, _ := strings.Cut(b.ID, "|")
	e.b.Open('{')
	e.b.Str("type", "function_call")
	if own && strings.HasPrefix(item, "fc_") && len(item) <= 64 && provider.SafeID(item, 64) == item && e.first(item) {
		e.b.Str("id", item)
	}
	e.b.Str("call_id", call)
	e.b.Str("name", provider.SafeName(b.Name))
	if same && b.Namespace != "" {
		e.b.Str("namespace", b.Namespace)
	}
	e.b.Str("arguments", string(provider.CleanJSON(b.Args())))
	e.b.Close('}')
}

func (e *encoder) result(m message.Message) {
	call, _, _ := strings.Cut(m.ToolCallID, "|")
	e.b.Open('{')
	e.b.Str("type", "function_call_output")
	e.b.Str("call_id", call)
	parts := sent(m)
	images := false
	for _, p := range parts {
		images = images || p.Type == message.ImageBlock
	}
	if images {
		e.b.Key("output").Open('[')
		e.parts(parts)
		e.b.Close(']')
	} else {
		text := m.Text("\n")
		if text == "" {
			text = noOutput
		}
		e.b.Str("output", text)
	}
	e.b.Close('}')
}
