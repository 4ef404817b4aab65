package fakellm

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// googleCall reads a path like …/models/ID:streamGenerateContent.
func googleCall(path string) (model string, stream, ok bool) {
	path, method, ok := strings.Cut(path, ":")
	if !ok || method != "generateContent" && method != "streamGenerateContent" {
		return "", false, false
	}
	model = path[strings.LastIndexByte(path, '/')+1:]
	if id, err := url.PathUnescape(model); err == nil {
		model = id
	}
	return model, method == "streamGenerateContent", true
}

// googleEncoder speaks Google's generateContent. It has no events for the begin
// and end of a block: each event brings some parts, and a call comes whole.
type googleEncoder struct{ *script.Reply }

// chunk is one event; finish is nil but in the last one.
func (e *googleEncoder) chunk(parts []raw, finish any) raw {
	candidate := []any{"content", obj("role", "model", "parts", arr(parts...))}
	if finish != nil {
		candidate = append(candidate, "finishReason", finish)
	}
	prompt := e.Usage.Input + e.Usage.CacheRead + e.Usage.CacheWrite // writes are not told apart
	usage := []any{"promptTokenCount", prompt, "cachedContentTokenCount", e.Usage.CacheRead, "totalTokenCount", prompt}
	if finish != nil {
		usage = []any{"promptTokenCount", prompt, "cachedContentTokenCount", e.Usage.CacheRead, "candidatesTokenCount", e.Usage.Output - e.Usage.Reasoning,
			"thoughtsTokenCount", e.Usage.Reasoning, "totalTokenCount", prompt + e.Usage.Output}
	}
	return obj("candidates", arr(obj(append(candidate, "index", 0)...)), "usageMetadata", obj(usage...),
		"modelVersion", e.Model, "responseId", fmt.Sprintf("fake_%d", e.N))
}

func (e *googleEncoder) event(parts ...raw) []event { return []event{{"", e.chunk(parts, nil)}} }

func (e *googleEncoder) stop() string {
	switch e.Stop {
	case "stop", "toolUse":
		return "STOP"
	case "length":
		return "MAX_TOKENS"
	}
	return strings.ToUpper(e.Stop)
}

func (e *googleEncoder) part(b script.Block, text string) raw {
	if b.Type == script.Thinking {
		return obj("text", text, "thought", true)
	}
	return obj("text", text)
}

func (e *googleEncoder) call(b script.Block) raw {
	args := any(b.Text) // what is no object cannot be said in this API
	switch v := []byte(b.Text); {
	case strings.TrimSpace(b.Text) == "":
		args = obj()
	case rawjson.Valid(v):
		args = raw(v)
	}
	call := []any{"name", b.Name, "args", args}
	if !strings.HasPrefix(b.ID, "call_fake_") { // else it is invented, and here the client does that
		call = append([]any{"id", b.ID}, call...)
	}
	return obj("functionCall", obj(call...), "thoughtSignature", signature(b))
}

func (e *googleEncoder) start() []event { return nil }

func (e *googleEncoder) open(int) []event { return nil }

func (e *googleEncoder) piece(i int, text string) []event {
	if b := e.Blocks[i]; b.Type != script.ToolCall {
		return e.event(e.part(b, text))
	}
	return nil
}

func (e *googleEncoder) close(i int) []event {
	switch b := e.Blocks[i]; b.Type {
	case script.ToolCall:
		return e.event(e.call(b))
	case script.Thinking:
		return e.event(obj("text", "", "thought", true, "thoughtSignature", signature(b)))
	}
	return nil
}

func (e *googleEncoder) finish() []event {
	return []event{{"", e.chunk([]raw{obj("text", "")}, e.stop())}}
}

func (e *googleEncoder) fail(f *script.Failure) []event {
	return []event{{"", f.JSON(script.Google, e.N)}}
}

func (e *googleEncoder) whole() raw {
	var parts []raw
	for _, b := range e.Blocks {
		switch b.Type {
		case script.ToolCall:
			parts = append(parts, e.call(b))
		case script.Thinking:
			parts = append(parts, obj("text", b.Text, "thought", true, "thoughtSignature", signature(b)))
		default:
			parts = append(parts, e.part(b, b.Text))
		}
	}
	return e.chunk(parts, e.stop())
}

// googleItems reads contents. A call without id is known by its place, and a
// response without one answers the first open call of its name.
func googleItems(body []byte) (system []string, items []script.Item) {
	if s := at(body, "systemInstruction"); s != nil {
		system = append(system, joined(elements(at(s, "parts"))))
	}
	var open []script.Call
	for i, m := range elements(at(body, "contents")) {
		var texts [][]byte
		var answer script.Item
		for k, p := range elements(at(m, "parts")) {
			switch call, response := at(p, "functionCall"), at(p, "functionResponse"); {
			case call != nil:
				c := script.Call{ID: text(at(call, "id"), fmt.Sprintf("call_%d_%d", i, k)), Name: str(at(call, "name")), Args: at(call, "args")}
				answer.Calls = append(answer.Calls, c)
				open = append(open, c)
			case response != nil:
				items = append(items, googleResult(response, &open))
			case !rawjson.Bool(at(p, "thought")):
				texts = append(texts, p)
			}
		}
		if answer.Text = joined(texts); str(at(m, "role")) == "model" {
			answer.Role = script.Assistant
			items = append(items, answer)
		} else if len(texts) > 0 {
			items = append(items, script.Item{Role: script.User, Text: answer.Text})
		}
	}
	return system, items
}

func googleResult(v []byte, open *[]script.Call) script.Item {
	response := at(v, "response")
	it := script.Item{Role: script.ToolRole, CallID: text(at(v, "id"), noID), Text: str(at(response, "output"))}
	if failure, ok := rawjson.String(at(response, "error")); ok {
		it.Text, it.IsError = failure, true
	}
	for i, c := range *open {
		if c.ID == it.CallID || it.CallID == noID && c.Name == str(at(v, "name")) {
			it.CallID = c.ID
			*open = append((*open)[:i:i], (*open)[i+1:]...)
			break
		}
	}
	return it
}

func (f *findings) google(body []byte) {
	before := ""
	for i, m := range elements(at(body, "contents")) {
		role := str(at(m, "role"))
		if role != "user" && role != "model" {
			f.add("contents.%d: role %s", i, role)
		}
		if role == "model" && before != "user" {
			f.add("contents.%d: the model's turn must follow the user's", i)
		}
		before = role
		responses, parts := 0, elements(at(m, "parts"))
		if len(parts) == 0 {
			f.add("contents.%d: no parts", i)
		}
		for _, p := range parts {
			if at(p, "functionResponse") != nil {
				responses++
			}
		}
		if responses > 0 && responses < len(parts) {
			f.add("contents.%d: function responses beside other parts", i)
		}
	}
	if before == "model" {
		f.add("the last content is the model's")
	}
}
