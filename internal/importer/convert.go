package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// converter makes entries of the rows of a tree.
type converter struct {
	tree  *Tree
	calls map[*row][]message.Block // of answers
	left  []byte                   // members of an object: fields without a place, by entry
}

// body is what the entry of a row says.
func (c *converter) body(r *row) session.Body {
	if r.message == nil {
		return session.Custom{CustomType: ImportType, Data: append(append([]byte(`{"v":1,"line":`), r.raw...), '}')}
	}
	m := message.Message{Timestamp: r.when.UnixMilli()}
	used := []string{"role", "content"}
	role, _ := rawjson.GetString(r.message, "role")
	keep := false // the content, since it holds something that was not understood
	switch role {
	case "system", "developer":
		m.Role, m.IsText = message.System, true
		blocks, all := content(rawjson.Get(r.message, "content"))
		m.Content, keep = []message.Block{message.Text(message.Message{Content: blocks}.Text(""))}, !all
	case "user":
		m.Role = message.User
		var all bool
		m.Content, all = content(rawjson.Get(r.message, "content"))
		keep = !all
	case "assistant":
		var more []string
		more, keep = c.answer(r, &m)
		used = append(used, more...)
	case "tool", "function":
		var more []string
		more, keep = c.result(r, role, &m)
		used = append(used, more...)
	default:
		return session.Custom{CustomType: ImportType, Data: append(append([]byte(`{"v":1,"line":`), r.raw...), '}')}
	}
	c.keep(r, used, keep)
	return session.Message{Message: m}
}

// answer fills in an answer of a model, and returns the fields that it took.
func (c *converter) answer(r *row, m *message.Message) (used []string, keep bool) {
	m.Role, m.API = message.Assistant, "openai-completions"
	for _, key := range []string{"reasoning_content", "reasoning"} {
		if s, ok := rawjson.GetString(r.message, key); ok {
			used = append(used, key)
			if s != "" && len(m.Content) == 0 {
				m.Content = append(m.Content, message.Thinking(s, ""))
			}
		}
	}
	blocks, all := content(rawjson.Get(r.message, "content"))
	m.Content = append(m.Content, blocks...)
	if s, ok := rawjson.GetString(r.message, "refusal"); ok {
		used = append(used, "refusal")
		m.Content = append(m.Content, message.Text(s))
	}
	calls, whole := toolCalls(r)
	m.Content = append(m.Content, calls...)
	c.calls[r] = calls
	if whole {
		used = append(used, "tool_calls", "function_call")
	}
	m.Provider, _ = rawjson.GetString(r.message, "provider")
	m.Model, _ = rawjson.GetString(r.message, "model")
	if !r.flat {
		p, _ := rawjson.GetString(r.raw, "provider")
		id, _ := rawjson.GetString(r.raw, "model")
		m.Provider, m.Model = cmp.Or(m.Provider, p), cmp.Or(m.Model, id)
	}
	used = append(used, "provider", "model")
	m.Provider, m.Model = cmp.Or(m.Provider, "unknown"), cmp.Or(m.Model, "unknown")
	finish, ok := rawjson.GetString(r.message, "finish_reason")
	if !ok {
		finish, _ = rawjson.GetString(r.raw, "finish_reason")
	}
	switch {
	case finish == "length":
		m.StopReason = message.Length
	case len(calls) > 0:
		m.StopReason = message.ToolUse
	default:
		m.StopReason = message.Stop
	}
	m.Usage = usage(rawjson.Get(r.message, "usage"))
	return used, !all
}

// lastModel is the model of the last answer that names one, with its provider.
func (c *converter) lastModel() session.ModelChange {
	for _, r := range slices.Backward(c.tree.rows) {
		if r.message == nil {
			continue
		}
		for _, obj := range [][]byte{r.message, r.raw} {
			p, _ := rawjson.GetString(obj, "provider")
			m, _ := rawjson.GetString(obj, "model")
			if p != "" && m != "" {
				return session.ModelChange{Provider: p, ModelID: m}
			}
		}
	}
	return session.ModelChange{}
}

// result fills in the result of a tool.
func (c *converter) result(r *row, role string, m *message.Message) (used []string, keep bool) {
	m.Role = message.ToolResult
	m.ToolCallID, _ = rawjson.GetString(r.message, "tool_call_id")
	m.ToolName, _ = rawjson.GetString(r.message, "name")
	for up := r.up; up != nil; up = up.up {
		calls := c.calls[up]
		if len(calls) == 0 {
			continue
		}
		for _, b := range calls {
			if b.ID == m.ToolCallID || role == "function" && b.Name == m.ToolName {
				m.ToolCallID, m.ToolName = b.ID, cmp.Or(b.Name, m.ToolName)
			}
		}
		break
	}
	m.ToolName = cmp.Or(m.ToolName, "unknown")
	var all bool
	m.Content, all = content(rawjson.Get(r.message, "content"))
	return []string{"tool_call_id", "name"}, !all
}

// toolCalls returns the calls of an answer, and whether all of them was understood.
func toolCalls(r *row) (calls []message.Block, whole bool) {
	whole = true
	add := func(id string, f []byte) {
		name, ok := rawjson.GetString(f, "name")
		args := rawjson.Get(f, "arguments")
		if s, is := rawjson.String(args); is {
			args = rawjson.Trim([]byte(rawjson.ToValid(s)))
			if len(args) == 0 {
				args = []byte("{}")
			}
		}
		b := message.ToolCall(id, name, bytes.Clone(args))
		if rawjson.Kind(args) != '{' || !rawjson.Valid(args) {
			b = message.ToolCall(id, name, []byte("{}"))
			b.ArgumentsError = "the arguments were no JSON object"
			ok = ok && args == nil
		}
		whole = whole && ok
		calls = append(calls, b)
	}
	for v := range rawjson.Elements(rawjson.Get(r.message, "tool_calls")) {
		id, _ := rawjson.GetString(v, "id")
		if id == "" {
			id = fmt.Sprintf("call_%s_%d", r.id, len(calls))
		}
		add(id, rawjson.Get(v, "function"))
	}
	if f := rawjson.Get(r.message, "function_call"); rawjson.Kind(f) == '{' {
		add("call_"+string(r.id), f)
	}
	return calls, whole
}

// content reads the content of a message: a text, or parts. It returns false if a
// part was not understood; then a text says what it was.
func content(v []byte) (blocks []message.Block, all bool) {
	if s, ok := rawjson.String(v); ok {
		if s == "" {
			return nil, true
		}
		return []message.Block{message.Text(s)}, true
	}
	if rawjson.IsNull(v) {
		return nil, true
	}
	if rawjson.Kind(v) != '[' {
		return []message.Block{message.Text(string(v))}, false
	}
	all = true
	for part := range rawjson.Elements(v) {
		b, ok := contentPart(part)
		all = all && ok
		blocks = append(blocks, b)
	}
	return blocks, all
}

func contentPart(part []byte) (message.Block, bool) {
	if s, ok := rawjson.String(part); ok {
		return message.Text(s), true
	}
	typ, _ := rawjson.GetString(part, "type")
	switch typ {
	case "text", "input_text", "output_text":
		if s, ok := rawjson.GetString(part, "text"); ok {
			return message.Text(s), true
		}
	case "refusal":
		if s, ok := rawjson.GetString(part, "refusal"); ok {
			return message.Text(s), true
		}
	case "image_url", "input_image":
		url, ok := rawjson.GetString(part, "image_url")
		if !ok {
			url, _ = rawjson.GetString(rawjson.Get(part, "image_url"), "url")
		}
		if mime, data, ok := dataURL(url); ok {
			return message.Block{Type: message.ImageBlock, Data: data, MimeType: mime}, true
		}
		return message.Text("[image: " + url + "]"), false
	case "image":
		data, ok := rawjson.GetString(part, "data")
		if mime, is := rawjson.GetString(part, "mimeType"); ok && is {
			return message.Block{Type: message.ImageBlock, Data: data, MimeType: mime}, true
		}
	}
	return message.Text("[" + cmp.Or(typ, "part") + "]"), false
}

// dataURL takes a data URL in base64 apart.
func dataURL(url string) (mime, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	mime, data, ok = strings.Cut(rest, ";base64,")
	return mime, data, ok && mime != ""
}

// usage reads the usage of an answer as OpenAI tells it. Without one all is zero.
func usage(v []byte) *message.Usage {
	num := func(obj []byte, key string) int64 { f, _ := rawjson.Number(rawjson.Get(obj, key)); return int64(f) }
	u := &message.Usage{Output: num(v, "completion_tokens"), CacheRead: num(rawjson.Get(v, "prompt_tokens_details"), "cached_tokens")}
	u.Input = max(num(v, "prompt_tokens")-u.CacheRead, 0)
	u.TotalTokens = u.Input + u.CacheRead + u.Output
	return u
}

// keep notes the fields of a row that have no place in its entry.
func (c *converter) keep(r *row, used []string, content bool) {
	var fields, inMessage []byte
	add := func(to *[]byte, key string, v []byte) {
		if len(*to) > 0 {
			*to = append(*to, ',')
		}
		*to = rawjson.AppendString(*to, key)
		*to = append(append(*to, ':'), v...)
	}
	for key, v := range rawjson.Members(r.message) {
		switch {
		case key == "content" && content:
		case slices.Contains(used, key):
			continue
		case r.flat && lineKey(key):
			continue
		case rawjson.IsNull(v), key == "finish_reason" && rawjson.Kind(v) == '"':
			continue
		case slices.Contains(timeKeys, key) && isTime(v):
			continue
		}
		add(&inMessage, key, v)
	}
	if !r.flat {
		for key, v := range rawjson.Members(r.raw) {
			switch {
			case lineKey(key), key == "message":
			case slices.Contains(timeKeys, key) && isTime(v):
			case (key == "provider" || key == "model") && slices.Contains(used, key) && rawjson.Kind(v) == '"':
			default:
				add(&fields, key, v)
			}
		}
	}
	if len(inMessage) > 0 {
		add(&fields, "message", append(append([]byte{'{'}, inMessage...), '}'))
	}
	if len(fields) > 0 {
		add(&c.left, string(r.id), append(append([]byte{'{'}, fields...), '}'))
	}
}

func isTime(v []byte) bool { _, ok := timeOf(v); return ok }

// lineKey reports whether a field of a line says where it stands in the tree.
func lineKey(key string) bool { return key == "id" || slices.Contains(parentKeys, key) }

// account says where the session comes from.
func (c *converter) account(now time.Time) []byte {
	source := c.tree.Path
	if abs, err := filepath.Abs(source); err == nil {
		source = abs
	}
	b := append([]byte(`{"v":1,"format":"headerless","source":`), rawjson.Quote(source)...)
	b = fmt.Appendf(b, `,"sha256":"%x","time":"%s","entries":%d,"branches":%d,"left":%d`,
		c.tree.sum, session.FormatTime(now), c.tree.Entries, c.tree.Branches, c.tree.Left)
	if len(c.left) > 0 {
		b = append(append(append(b, `,"fields":{`...), c.left...), '}')
	}
	return append(b, '}')
}

// setString sets a text field of an object.
func setString(obj []byte, key, s string) []byte {
	return rawjson.Set(obj, key, rawjson.AppendLineString(nil, s))
}
