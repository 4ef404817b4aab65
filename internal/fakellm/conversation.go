package fakellm

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// conversation reads a request, whose body is a JSON object. What it does not
// know it passes over.
func conversation(api script.API, path string, body []byte) script.Conversation {
	c := script.Conversation{API: api, Stream: rawjson.Bool(at(body, "stream"))}
	if m := at(body, "model"); !rawjson.IsNull(m) {
		c.Model = text(m, "")
	}
	var system []string
	switch api {
	case script.Chat, script.Mistral:
		system, c.Items = chatItems(body)
	case script.Anthropic:
		system, c.Items = anthropicItems(body)
	case script.Google:
		system, c.Items = googleItems(body)
	case script.Bedrock:
		c.Model, c.Stream = converseModel(path)
		system, c.Items = bedrockItems(body)
	default:
		system, c.Items = responsesItems(body)
	}
	c.System = strings.Join(system, "\n\n")
	for t := range rawjson.Elements(declared(body)) {
		if spec := at(t, "toolSpec"); spec != nil {
			c.Tools = append(c.Tools, script.Tool{Name: str(at(spec, "name")), Schema: at(spec, "inputSchema", "json")})
			continue
		}
		name, ok := rawjson.String(first(at(t, "function", "name"), at(t, "name")))
		if !ok {
			continue
		}
		schema := first(at(t, "function", "parameters"), at(t, "parameters"), at(t, "input_schema"), at(t, "parametersJsonSchema"))
		c.Tools = append(c.Tools, script.Tool{Name: name, Schema: schema})
	}
	return c
}

// declared returns the list of tools, which Google puts one level deeper.
func declared(body []byte) []byte {
	tools := first(at(body, "tools"), at(body, "toolConfig", "tools"))
	var all [][]byte
	for t := range rawjson.Elements(tools) {
		all = append(all, elements(at(t, "functionDeclarations"))...)
	}
	if len(all) > 0 {
		return rawjson.Array(all)
	}
	return tools
}

// parts joins the texts of a content, a string or a list, by line ends.
func parts(content []byte) string {
	if s, ok := rawjson.String(content); ok {
		return s
	}
	return joined(elements(content))
}

func joined(content [][]byte) string {
	var texts []string
	for _, p := range content {
		s, ok := rawjson.String(p)
		if !ok {
			s, ok = rawjson.String(at(p, "text"))
		}
		if !ok && str(at(p, "type")) == "tool_result" {
			s = parts(at(p, "content"))
		}
		if s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

func elements(v []byte) [][]byte {
	var out [][]byte
	for e := range rawjson.Elements(v) {
		out = append(out, e)
	}
	return out
}

func chatItems(body []byte) (system []string, items []script.Item) {
	for m := range rawjson.Elements(at(body, "messages")) {
		said := parts(at(m, "content"))
		switch str(at(m, "role")) {
		case "system", "developer":
			system = append(system, said)
		case "user":
			items = append(items, script.Item{Role: script.User, Text: said})
		case "assistant":
			it := script.Item{Role: script.Assistant, Text: said}
			for c := range rawjson.Elements(at(m, "tool_calls")) {
				it.Calls = append(it.Calls, script.Call{
					ID:   id(at(c, "id")),
					Name: str(first(at(c, "function", "name"), at(c, "custom", "name"))),
					Args: at(c, "function", "arguments"),
				})
			}
			items = append(items, it)
		case "tool":
			items = append(items, script.Item{Role: script.ToolRole, Text: said, CallID: id(at(m, "tool_call_id"))})
		}
	}
	return system, items
}

// noID stands for the id of a call or result that has none.
const noID = "undefined"

func id(v []byte) string { return text(v, noID) }

func anthropicItems(body []byte) (system []string, items []script.Item) {
	if s := at(body, "system"); s != nil {
		system = append(system, parts(s))
	}
	for m := range rawjson.Elements(at(body, "messages")) {
		blocks := elements(at(m, "content"))
		if s := at(m, "content"); rawjson.Kind(s) == '"' {
			blocks = [][]byte{obj("type", "text", "text", raw(s))}
		}
		switch str(at(m, "role")) {
		case "system":
			system = append(system, joined(blocks))
		case "assistant":
			items = append(items, anthropicAnswer(blocks))
		default:
			items = append(items, anthropicUser(blocks)...)
		}
	}
	return system, items
}

func anthropicAnswer(blocks [][]byte) script.Item {
	it := script.Item{Role: script.Assistant}
	var texts [][]byte
	for _, b := range blocks {
		switch str(at(b, "type")) {
		case "text":
			texts = append(texts, b)
		case "tool_use":
			it.Calls = append(it.Calls, script.Call{ID: id(at(b, "id")), Name: str(at(b, "name")), Args: at(b, "input")})
		}
	}
	it.Text = joined(texts)
	return it
}

// anthropicUser takes the tool results out of a user message.
func anthropicUser(blocks [][]byte) []script.Item {
	var items []script.Item
	var rest [][]byte
	for _, b := range blocks {
		if str(at(b, "type")) != "tool_result" {
			rest = append(rest, b)
			continue
		}
		items = append(items, script.Item{Role: script.ToolRole, Text: parts(at(b, "content")),
			CallID: id(at(b, "tool_use_id")), IsError: rawjson.Bool(at(b, "is_error"))})
	}
	if len(rest) > 0 {
		items = append(items, script.Item{Role: script.User, Text: joined(rest)})
	}
	return items
}

func responsesItems(body []byte) (system []string, items []script.Item) {
	if s, ok := rawjson.String(at(body, "instructions")); ok {
		system = append(system, s)
	}
	input := at(body, "input")
	if rawjson.Kind(input) == '"' {
		return system, []script.Item{{Role: script.User, Text: str(input)}}
	}
	open := false // the last item is an answer that goes on
	answer := func() *script.Item {
		if !open {
			items = append(items, script.Item{Role: script.Assistant})
			open = true
		}
		return &items[len(items)-1]
	}
	for it := range rawjson.Elements(input) {
		typ, role := str(at(it, "type")), str(at(it, "role"))
		switch {
		case typ == "function_call", typ == "custom_tool_call":
			a := answer()
			a.Calls = append(a.Calls, script.Call{ID: id(at(it, "call_id")), Name: str(at(it, "name")), Args: first(at(it, "arguments"), at(it, "input"))})
			continue
		case typ == "reasoning":
			answer()
			continue
		case role == "assistant":
			answer().Text += parts(at(it, "content"))
			continue
		case typ == "function_call_output", typ == "custom_tool_call_output":
			items = append(items, script.Item{Role: script.ToolRole, Text: parts(at(it, "output")), CallID: id(at(it, "call_id"))})
		case role == "system", role == "developer":
			system = append(system, parts(at(it, "content")))
		case role == "user":
			items = append(items, script.Item{Role: script.User, Text: parts(at(it, "content"))})
		default:
			continue
		}
		open = false
	}
	return system, items
}
