package providertest

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// CheckMistral tells what Mistral would refuse about a request in its own form of
// Chat Completions, which it reads more strictly than others.
func CheckMistral(body []byte) []string {
	f := findings{}
	if !f.body(body) {
		return f
	}
	for k := range rawjson.Members(body) {
		switch k {
		case "model", "stream", "max_tokens", "reasoning_effort", "prompt_cache_key", "tools", "messages":
		default:
			f.add("the API knows no %s", k)
		}
	}
	seen := map[string]bool{}
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		fn := rawjson.Get(t, "function")
		name, _ := rawjson.GetString(fn, "name")
		f.tool(seen, name, rawjson.Get(fn, "parameters"))
	}
	var c calls
	before, n, unfinished := "", 0, false
	for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
		at := fmt.Sprintf("messages.%d", n)
		n++
		f.repeated(at+".", m)
		role, _ := rawjson.GetString(m, "role")
		if role != "tool" {
			c.other(&f, at)
		}
		switch before + " " + role {
		case " assistant", " tool", "system assistant", "system tool", "user tool", "tool user", "tool system":
			f.add("%s: unexpected role %q after %q", at, role, before)
		}
		before = role
		content := rawjson.Get(m, "content")
		unfinished = role == "assistant" && !rawjson.Bool(rawjson.Get(m, "prefix"))
		switch role {
		case "system":
			f.mistralContent(at, content, "text")
		case "user":
			f.mistralContent(at, content, "text image_url")
		case "tool":
			id, _ := rawjson.GetString(m, "tool_call_id")
			c.result(&f, at, id)
			f.mistralContent(at, content, "text image_url")
		case "assistant":
			for k := range rawjson.Members(m) {
				switch k {
				case "role", "content", "tool_calls", "prefix":
				default:
					f.add("%s: an answer has no %s", at, k)
				}
			}
			asked := 0
			for t := range rawjson.Elements(rawjson.Get(m, "tool_calls")) {
				asked++
				fn := rawjson.Get(t, "function")
				id, _ := rawjson.GetString(t, "id")
				name, _ := rawjson.GetString(fn, "name")
				c.call(&f, at, id)
				if len(id) != 9 || strings.ContainsAny(id, "_-") {
					f.add("%s: call id %q has not nine letters and digits", at, id)
				}
				f.alphabet(at+": call id", id)
				f.toolName(at, name)
				f.arguments(at, rawjson.Get(fn, "arguments"))
				if rawjson.Get(t, "extra_content") != nil {
					f.add("%s: a call has no extra_content", at)
				}
			}
			if s, isText := rawjson.String(content); asked == 0 || !isText || s != "" {
				f.mistralContent(at, content, "text thinking")
			}
		default:
			f.add("%s: role %q", at, role)
		}
	}
	if n == 0 {
		f.add("no messages")
	}
	c.other(&f, "the end")
	if unfinished {
		f.add("an answer without prefix comes last")
	}
	return f
}

// mistralContent checks a content, in which parts of some types may stand.
func (f *findings) mistralContent(at string, v []byte, types string) {
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
		if !strings.Contains(" "+types+" ", " "+t+" ") {
			f.add("%s: a part of type %q", at, t)
		}
		switch t {
		case "text":
			if s, _ := rawjson.GetString(p, "text"); s == "" {
				f.add("%s: an empty text", at)
			}
		case "image_url":
			s, _ := rawjson.GetString(rawjson.Get(p, "image_url"), "url")
			f.dataURL(at, s)
		case "thinking":
			f.mistralContent(at, rawjson.Get(p, "thinking"), "text")
		}
	}
	if n == 0 {
		f.add("%s: no content", at)
	}
}
