package chat

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Words in places that the API wants filled.
const (
	noOutput      = "(no output)"
	imagesFollow  = "(see the image below)"
	imagesOf      = "Image from the result of "
	afterTheTools = "I have the results of the tools."
)

// encoder writes the messages of a request.
type encoder struct {
	b      *provider.Body
	set    settings
	system string // the role of system messages
	mark   int    // the message whose text is marked for the cache, or below 0
	last   int    // the last message, if that is of interest, or below 0
	cache  []byte // the mark

	afterTools bool     // results without images are the last that was written
	begun      bool     // a message of the user has been sent, or what stands for it
	ids        shortIDs // Mistral's
}

func encode(e *encoder, b *provider.Body, msgs []message.Message) {
	e.b = b
	e.messages(msgs)
}

func lastWithText(msgs []message.Message) int {
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Text("") != "" {
			return i
		}
	}
	return -1
}

func (e *encoder) prompt(text string, mark bool) {
	if text == "" {
		return
	}
	e.b.Open('{')
	e.b.Str("role", e.system)
	e.text("content", text, mark)
	e.b.Close('}')
}

// text writes a text, as a part of its own if it is marked.
func (e *encoder) text(key, text string, mark bool) {
	if !mark {
		e.b.Str(key, text)
		return
	}
	e.b.Key(key).Open('[')
	e.part(text, true)
	e.b.Close(']')
}

func (e *encoder) part(text string, mark bool) {
	e.b.Open('{')
	e.b.Str("type", "text")
	e.b.Str("text", text)
	if mark {
		e.b.Set("cache_control", e.cache)
	}
	e.b.Close('}')
}

func (e *encoder) image(b message.Block) {
	e.b.Open('{')
	e.b.Str("type", "image_url")
	e.b.Key("image_url").Open('{')
	e.b.DataURL("url", b.MimeType, b.Data)
	e.b.Close('}')
	e.b.Close('}')
}

func (e *encoder) messages(msgs []message.Message) {
	for i := 0; i < len(msgs); i++ {
		m := msgs[i]
		mark := i == e.mark
		switch m.Role {
		case message.System:
			e.b.Open('{')
			e.b.Str("role", e.system)
			e.text("content", provider.SystemChange(m), mark)
			e.b.Close('}')
			e.afterTools = false
		case message.User:
			parts := sent(m)
			if len(parts) == 0 {
				continue
			}
			if e.afterTools && e.set.assistantAfter {
				e.between()
			}
			e.begun = true
			e.user(parts, mark)
			e.afterTools = false
		case message.Assistant:
			if e.assistant(m, mark, i == e.last) {
				e.afterTools = false
			}
		case message.ToolResult:
			from := i
			for ; i < len(msgs) && msgs[i].Role == message.ToolResult; i++ {
				e.result(msgs[i], i == e.mark)
			}
			e.afterTools = !e.images(msgs[from:i])
			i--
		}
	}
}

// between puts an answer between the results of tools and the user.
func (e *encoder) between() {
	e.b.Open('{')
	e.b.Str("role", "assistant")
	e.b.Str("content", afterTheTools)
	e.b.Close('}')
}

// sent returns the texts and images of a message that can be sent.
func sent(m message.Message) []message.Block {
	var parts []message.Block
	for _, b := range m.Content {
		if b.Type == message.TextBlock && b.Text != "" || isImage(b) {
			parts = append(parts, b)
		}
	}
	return parts
}

func isImage(b message.Block) bool { return b.Type == message.ImageBlock && b.Data != "" }

func (e *encoder) user(parts []message.Block, mark bool) {
	e.b.Open('{')
	e.b.Str("role", "user")
	if len(parts) == 1 && parts[0].Type == message.TextBlock {
		e.text("content", parts[0].Text, mark)
	} else {
		e.b.Key("content").Open('[')
		last := len(parts) - 1
		for last >= 0 && parts[last].Type != message.TextBlock {
			last--
		}
		for i, p := range parts {
			if p.Type == message.ImageBlock {
				e.image(p)
			} else {
				e.part(p.Text, mark && i == last)
			}
		}
		e.b.Close(']')
	}
	e.b.Close('}')
}

// assistant writes an answer, and reports whether it did; one with neither words
// nor calls is not sent, since no server takes it.
func (e *encoder) assistant(m message.Message, mark, last bool) bool {
	calls := m.ToolCalls()
	text := m.Text("")
	if e.set.thinkingAsText {
		text = thinkingText(m) + text
	}
	if text == "" && len(calls) == 0 {
		return false
	}
	if e.set.mistral && !e.begun {
		e.begun = true
		e.user([]message.Block{message.Text(beginning)}, false)
	}
	e.b.Open('{')
	e.b.Str("role", "assistant")
	switch {
	case e.set.mistral && hasThinking(m):
		e.mistralParts(m, text)
	case text != "":
		e.text("content", text, mark)
	case e.set.neverNull:
		e.b.Str("content", "")
	default:
		e.b.Set("content", []byte("null"))
	}
	if !e.set.thinkingAsText && !e.set.mistral {
		e.reasoning(m, calls)
	}
	if last && len(calls) == 0 {
		e.b.Bool("prefix", true)
	}
	if len(calls) > 0 {
		e.b.Key("tool_calls").Open('[')
		for _, c := range calls {
			e.call(c)
		}
		e.b.Close(']')
	}
	e.b.Close('}')
	return true
}

func (e *encoder) call(c message.Block) {
	e.b.Open('{')
	e.b.Str("id", e.callID(c.ID))
	e.b.Str("type", "function")
	e.b.Key("function").Open('{')
	e.b.Str("name", provider.SafeName(c.Name))
	e.b.Str("arguments", string(provider.CleanJSON(c.Args())))
	e.b.Close('}')
	if c.Signature != "" && !e.set.mistral && !reasoningDetail(c.Signature) {
		e.b.Key("extra_content").Open('{')
		e.b.Key("google").Open('{')
		e.b.Str("thought_signature", c.Signature)
		e.b.Close('}')
		e.b.Close('}')
	}
	e.b.Close('}')
}

func thinkingText(m message.Message) string {
	var b strings.Builder
	for _, t := range m.Content {
		if t.Type == message.ThinkingBlock && t.Text != "" {
			b.WriteString("<thinking>\n" + t.Text + "\n</thinking>\n")
		}
	}
	return b.String()
}

// reasoning writes the chain of thought back in the field it came in.
func (e *encoder) reasoning(m message.Message, calls []message.Block) {
	var (
		field   string
		texts   []string
		details [][]byte
	)
	for _, t := range m.Content {
		if t.Type != message.ThinkingBlock {
			continue
		}
		if sig := []byte(t.Signature); rawjson.Kind(sig) == '[' && rawjson.Valid(sig) {
			for d := range rawjson.Elements(sig) {
				details = append(details, d)
			}
			continue
		}
		switch t.Signature {
		case "reasoning_content", "reasoning", "reasoning_text":
			if field == "" {
				field = t.Signature
			}
			texts = append(texts, t.Text)
		}
	}
	for _, c := range calls { // where older files have them
		if reasoningDetail(c.Signature) {
			details = append(details, []byte(c.Signature))
		}
	}
	if field != "" {
		e.b.Str(field, strings.Join(texts, "\n"))
	}
	if len(details) > 0 {
		e.b.Set("reasoning_details", rawjson.Array(details))
	}
	if e.set.alwaysReasoning && field != "reasoning_content" {
		e.b.Str("reasoning_content", "")
	}
}

// reasoningDetail reports whether a signature is an object of reasoning_details.
func reasoningDetail(sig string) bool {
	if !strings.HasPrefix(sig, "{") || !rawjson.Valid([]byte(sig)) {
		return false
	}
	t, _ := rawjson.GetString([]byte(sig), "type")
	return strings.HasPrefix(t, "reasoning.")
}

// result writes the text of a tool result.
func (e *encoder) result(m message.Message, mark bool) {
	text := m.Text("\n")
	if text == "" {
		text = noOutput
		if len(imagesIn(m)) > 0 {
			text = imagesFollow
		}
	}
	e.b.Open('{')
	e.b.Str("role", "tool")
	e.b.Str("tool_call_id", e.callID(m.ToolCallID))
	if e.set.resultName && m.ToolName != "" {
		e.b.Str("name", provider.SafeName(m.ToolName))
	}
	if e.set.mistral && len(imagesIn(m)) > 0 {
		e.mistralResult(text, m)
	} else {
		e.text("content", text, mark)
	}
	e.b.Close('}')
}

func (e *encoder) callID(id string) string {
	if e.set.mistral {
		return e.ids.of(id)
	}
	return id
}

// images writes the images of results, which the API takes from the user only,
// and reports whether there were any.
func (e *encoder) images(results []message.Message) bool {
	if e.set.mistral {
		return false // they stand in the results
	}
	begun := false
	for _, m := range results {
		images := imagesIn(m)
		if len(images) == 0 {
			continue
		}
		if !begun {
			if e.set.assistantAfter {
				e.between()
			}
			e.b.Open('{')
			e.b.Str("role", "user")
			e.b.Key("content").Open('[')
			begun = true
		}
		e.part(imagesOf+m.ToolName+":", false)
		for _, b := range images {
			e.image(b)
		}
	}
	if begun {
		e.b.Close(']')
		e.b.Close('}')
	}
	return begun
}

func imagesIn(m message.Message) []message.Block {
	var out []message.Block
	for _, b := range m.Content {
		if isImage(b) {
			out = append(out, b)
		}
	}
	return out
}

func callID(id string, openAI bool) string {
	const most = 40
	if call, item, two := strings.Cut(id, "|"); two {
		one := provider.SafeID(call+"_"+item, len(call)+len(item)+1)
		if len(one) <= most {
			return one
		}
		return provider.SafeID(call, most-9) + "_" + provider.ShortHash(id)
	}
	if openAI && rawjson.UTF16Len(id) > most {
		return provider.SafeID(id, most)
	}
	if len(id) > 64 {
		return provider.SafeID(id, 64)
	}
	return id
}
