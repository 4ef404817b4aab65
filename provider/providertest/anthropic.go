package providertest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// CheckAnthropic tells what Anthropic would refuse about a Messages request.
func CheckAnthropic(body []byte) []string {
	f := findings{}
	if !f.body(body) {
		return f
	}
	limit, _ := rawjson.Number(rawjson.Get(body, "max_tokens"))
	if limit < 1 {
		f.add("max_tokens is missing")
	}
	if budget, ok := rawjson.Number(rawjson.Get(rawjson.Get(body, "thinking"), "budget_tokens")); ok && (budget < 1024 || budget >= limit) {
		f.add("thinking.budget_tokens is %v of %v", budget, limit)
	}
	marks := 0
	mark := func(v []byte) {
		if rawjson.Get(v, "cache_control") != nil {
			marks++
		}
	}
	seen := map[string]bool{}
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		name, _ := rawjson.GetString(t, "name")
		f.tool(seen, name, rawjson.Get(t, "input_schema"))
		mark(t)
	}
	for s := range rawjson.Elements(rawjson.Get(body, "system")) {
		f.anthropicText("system", s)
		mark(s)
	}
	var c calls
	before := "assistant"
	n := 0
	for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
		at := fmt.Sprintf("messages.%d", n)
		role, _ := rawjson.GetString(m, "role")
		if role == before || role != "user" && role != "assistant" && role != "system" {
			f.add("%s: role %q after %q", at, role, before)
		}
		before = role
		blocks := 0
		results := true // nothing but results so far
		for b := range rawjson.Elements(rawjson.Get(m, "content")) {
			blocks++
			mark(b)
			t, _ := rawjson.GetString(b, "type")
			if t != "tool_result" && results {
				results = false
				if role == "user" {
					c.other(&f, at)
				}
			} else if t == "tool_result" && !results {
				f.add("%s: a result behind other blocks", at)
			}
			f.anthropicBlock(&c, at, role, t, b)
		}
		if role == "user" {
			c.other(&f, at)
		}
		if blocks == 0 {
			f.add("%s: no content", at)
		}
		n++
	}
	if n == 0 {
		f.add("no messages")
	}
	c.other(&f, "the end")
	if images := bytes.Count(body, []byte(`{"type":"image","source":`)); images > 100 {
		f.add("%d images", images)
	}
	if marks > 4 {
		f.add("%d cache marks", marks)
	}
	return f
}

func (f *findings) anthropicBlock(c *calls, at, role, t string, b []byte) {
	text := func(key string) string { s, _ := rawjson.GetString(b, key); return s }
	f.repeated(at+".", b)
	switch role + " " + t {
	case "user text", "assistant text", "system text":
		f.anthropicText(at, b)
	case "user image":
		f.anthropicImage(at, b)
	case "user tool_result":
		c.result(f, at, text("tool_use_id"))
		content := rawjson.Get(b, "content")
		failed := rawjson.Bool(rawjson.Get(b, "is_error"))
		for p := range rawjson.Elements(content) {
			switch t, _ := rawjson.GetString(p, "type"); {
			case t == "text":
				f.anthropicText(at, p)
			case t == "image" && !failed:
				f.anthropicImage(at, p)
			default:
				f.add("%s: a part of type %q in a result, error %v", at, t, failed)
			}
		}
		if s, ok := rawjson.String(content); failed && (ok && s == "" || rawjson.IsNull(content)) {
			f.add("%s: an error without words", at)
		}
	case "assistant tool_use":
		id := text("id")
		c.call(f, at, id)
		f.alphabet(at+": call id", id)
		if len(id) > 64 {
			f.add("%s: call id %q is too long", at, id)
		}
		f.toolName(at, text("name"))
		if rawjson.Kind(rawjson.Get(b, "input")) != '{' {
			f.add("%s: the input is no object", at)
		}
	case "assistant thinking":
		if text("signature") == "" {
			f.add("%s: thinking without signature", at)
		}
		if rawjson.Get(b, "cache_control") != nil {
			f.add("%s: a cache mark on thinking", at)
		}
	case "assistant redacted_thinking":
		if text("data") == "" {
			f.add("%s: redacted thinking without data", at)
		}
	default:
		f.add("%s: a block of type %q from %s", at, t, role)
	}
}

func (f *findings) anthropicText(at string, b []byte) {
	if s, _ := rawjson.GetString(b, "text"); strings.TrimSpace(s) == "" {
		f.add("%s: a text without words", at)
	}
}

func (f *findings) anthropicImage(at string, b []byte) {
	src := rawjson.Get(b, "source")
	kind, _ := rawjson.GetString(src, "media_type")
	f.imageType(at, kind)
	data, _ := rawjson.GetString(src, "data")
	f.base64(at, data)
	if len(data) > 10<<20 {
		f.add("%s: an image of %d bytes", at, len(data))
	}
}
