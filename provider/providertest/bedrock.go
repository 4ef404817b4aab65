package providertest

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// CheckBedrock tells what Amazon Bedrock would refuse about a Converse request to
// Claude.
func CheckBedrock(body []byte) []string {
	f := findings{}
	if !f.document(body) {
		return f
	}
	if n, ok := rawjson.Number(rawjson.Get(rawjson.Get(body, "inferenceConfig"), "maxTokens")); ok && n < 1 {
		f.add("maxTokens is %v", n)
	}
	limit, _ := rawjson.Number(rawjson.Get(rawjson.Get(body, "inferenceConfig"), "maxTokens"))
	extra := rawjson.Get(body, "additionalModelRequestFields")
	if budget, ok := rawjson.Number(rawjson.Get(rawjson.Get(extra, "thinking"), "budget_tokens")); ok && (budget < 1024 || budget >= limit) {
		f.add("thinking.budget_tokens is %v of %v", budget, limit)
	}
	for k := range rawjson.Members(body) {
		switch k {
		case "messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields":
		default:
			f.add("the API knows no %s", k)
		}
	}
	marks := 0
	tools := map[string]bool{}
	for t := range rawjson.Elements(rawjson.Get(rawjson.Get(body, "toolConfig"), "tools")) {
		f.one("toolConfig", t)
		if rawjson.Get(t, "cachePoint") != nil {
			marks++
			continue
		}
		spec := rawjson.Get(t, "toolSpec")
		name, _ := rawjson.GetString(spec, "name")
		f.tool(tools, name, rawjson.Get(rawjson.Get(spec, "inputSchema"), "json"))
		if len(name) > 64 {
			f.add("tool name %q is too long", name)
		}
		if d := rawjson.Get(spec, "description"); d != nil {
			if s, _ := rawjson.String(d); s == "" {
				f.add("tool %s has an empty description", name)
			}
		}
	}
	if rawjson.Get(body, "toolConfig") != nil && len(tools) == 0 {
		f.add("toolConfig without tools")
	}
	for s := range rawjson.Elements(rawjson.Get(body, "system")) {
		if rawjson.Get(s, "cachePoint") != nil {
			marks++
		} else {
			f.bedrockText("system", s)
		}
	}
	var c calls
	before, n, used := "assistant", 0, false
	for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
		at := fmt.Sprintf("messages.%d", n)
		n++
		role, _ := rawjson.GetString(m, "role")
		if role == before || role != "user" && role != "assistant" {
			f.add("%s: role %q after %q", at, role, before)
		}
		before = role
		blocks, results, last := 0, true, ""
		for b := range rawjson.Elements(rawjson.Get(m, "content")) {
			blocks++
			last = f.one(at, b)
			if last == "toolResult" && !results {
				f.add("%s: a result behind other blocks", at)
			}
			if last != "toolResult" && results {
				results = false
				if role == "user" {
					c.other(&f, at)
				}
			}
			if last == "cachePoint" {
				if marks++; blocks == 1 || role != "user" {
					f.add("%s: a cache point with nothing before it, or of %s", at, role)
				}
				continue
			}
			used = used || last == "toolUse" || last == "toolResult"
			f.bedrockBlock(&c, at, role, last, rawjson.Get(b, last), b)
		}
		if role == "user" {
			c.other(&f, at)
		}
		if blocks == 0 {
			f.add("%s: no content", at)
		}
	}
	if n == 0 {
		f.add("no messages")
	}
	c.other(&f, "the end")
	if used && len(tools) == 0 {
		f.add("calls or results, but no toolConfig")
	}
	if marks > 4 {
		f.add("%d cache points", marks)
	}
	return f
}

// one returns the name of the one member that a union has.
func (f *findings) one(at string, v []byte) string {
	name, n := "", 0
	for k := range rawjson.Members(v) {
		name = k
		n++
	}
	if n != 1 {
		f.add("%s: %d members in %s", at, n, v)
	}
	return name
}

func (f *findings) bedrockBlock(c *calls, at, role, kind string, v, whole []byte) {
	text := func(key string) string { s, _ := rawjson.GetString(v, key); return s }
	f.repeated(at+".", v)
	switch role + " " + kind {
	case "user text", "assistant text":
		f.bedrockText(at, whole)
	case "user image":
		f.bedrockImage(at, v)
	case "user toolResult":
		c.result(f, at, text("toolUseId"))
		if s := text("status"); s != "success" && s != "error" {
			f.add("%s: status %q", at, s)
		}
		parts := 0
		for p := range rawjson.Elements(rawjson.Get(v, "content")) {
			parts++
			switch kind := f.one(at, p); {
			case kind == "text":
				f.bedrockText(at, p)
			case kind == "image" && text("status") == "success":
				f.bedrockImage(at, rawjson.Get(p, "image"))
			default:
				f.add("%s: %s in a result, status %s", at, kind, text("status"))
			}
		}
		if parts == 0 {
			f.add("%s: a result without content", at)
		}
	case "assistant toolUse":
		id := text("toolUseId")
		c.call(f, at, id)
		f.alphabet(at+": call id", id)
		if len(id) > 64 {
			f.add("%s: call id %q is too long", at, id)
		}
		f.toolName(at, text("name"))
		if len(text("name")) > 64 {
			f.add("%s: tool name %q is too long", at, text("name"))
		}
		if rawjson.Kind(rawjson.Get(v, "input")) != '{' {
			f.add("%s: the input is no object", at)
		}
	case "assistant reasoningContent":
		switch f.one(at, v) {
		case "reasoningText":
			if s, _ := rawjson.GetString(rawjson.Get(v, "reasoningText"), "signature"); s == "" {
				f.add("%s: thinking without signature", at)
			}
		case "redactedContent":
			f.base64(at, text("redactedContent"))
		default:
			f.add("%s: thinking in %s", at, v)
		}
	default:
		f.add("%s: a block %q from %s", at, kind, role)
	}
}

func (f *findings) bedrockText(at string, b []byte) {
	if s, _ := rawjson.GetString(b, "text"); strings.TrimSpace(s) == "" {
		f.add("%s: a text without words", at)
	}
}

func (f *findings) bedrockImage(at string, v []byte) {
	switch format, _ := rawjson.GetString(v, "format"); format {
	case "png", "jpeg", "gif", "webp":
	default:
		f.add("%s: an image of format %q", at, format)
	}
	data, _ := rawjson.GetString(rawjson.Get(v, "source"), "bytes")
	f.base64(at, data)
}
