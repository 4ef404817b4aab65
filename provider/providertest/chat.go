package providertest

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
)

// CheckChat tells what OpenAI would refuse about a Chat Completions request.
func CheckChat(body []byte) []string {
	f := findings{}
	if !f.body(body) {
		return f
	}
	seen := map[string]bool{}
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		fn := rawjson.Get(t, "function")
		name, _ := rawjson.GetString(fn, "name")
		f.tool(seen, name, rawjson.Get(fn, "parameters"))
	}
	if rawjson.Get(body, "max_tokens") != nil && rawjson.Get(body, "max_completion_tokens") != nil {
		f.add("both max_tokens and max_completion_tokens")
	}
	var c calls
	n := 0
	for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
		at := fmt.Sprintf("messages.%d", n)
		f.repeated(at+".", m)
		role, _ := rawjson.GetString(m, "role")
		if role != "tool" {
			c.other(&f, at)
		}
		content := rawjson.Get(m, "content")
		switch role {
		case "system", "developer", "user":
			f.chatContent(at, content, role == "user")
		case "assistant":
			asked := 0
			for t := range rawjson.Elements(rawjson.Get(m, "tool_calls")) {
				asked++
				fn := rawjson.Get(t, "function")
				id, _ := rawjson.GetString(t, "id")
				name, _ := rawjson.GetString(fn, "name")
				c.call(&f, at, id)
				if len(id) > 64 {
					f.add("%s: call id %q is too long", at, id)
				}
				f.toolName(at, name)
				f.arguments(at, rawjson.Get(fn, "arguments"))
			}
			if rawjson.Get(m, "tool_calls") != nil && asked == 0 {
				f.add("%s: an empty list of calls", at)
			}
			if s, isText := rawjson.String(content); asked == 0 || !rawjson.IsNull(content) && !(isText && s == "") {
				f.chatContent(at, content, false)
			}
		case "tool":
			id, _ := rawjson.GetString(m, "tool_call_id")
			c.result(&f, at, id)
			f.chatContent(at, content, false)
		default:
			f.add("%s: role %q", at, role)
		}
		n++
	}
	if n == 0 {
		f.add("no messages")
	}
	c.other(&f, "the end")
	return f
}

func (f *findings) chatContent(at string, v []byte, images bool) {
	if s, ok := rawjson.String(v); ok {
		if s == "" {
			f.add("%s: empty content", at)
		}
		return
	}
	n := 0
	for p := range rawjson.Elements(v) {
		n++
		t, _ := rawjson.GetString(p, "type")
		switch {
		case t == "text":
			if s, _ := rawjson.GetString(p, "text"); s == "" {
				f.add("%s: an empty text", at)
			}
		case t == "image_url" && images:
			s, _ := rawjson.GetString(rawjson.Get(p, "image_url"), "url")
			f.dataURL(at, s)
		default:
			f.add("%s: a part of type %q", at, t)
		}
	}
	if n == 0 {
		f.add("%s: no content", at)
	}
}
