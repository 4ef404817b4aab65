package providertest

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// CheckResponses tells what OpenAI would refuse about a Responses request.
func CheckResponses(body []byte) []string {
	f := findings{}
	if !f.body(body) {
		return f
	}
	seen := map[string]bool{}
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		name, _ := rawjson.GetString(t, "name")
		f.tool(seen, name, rawjson.Get(t, "parameters"))
	}
	var (
		c         calls
		n         int
		ids       = map[string]bool{}
		reasoning = "" // an item that something must follow
	)
	for item := range rawjson.Elements(rawjson.Get(body, "input")) {
		at := fmt.Sprintf("input.%d", n)
		f.repeated(at+".", item)
		n++
		text := func(key string) string { s, _ := rawjson.GetString(item, key); return s }
		id := text("id")
		if rawjson.Get(item, "id") != nil {
			if id == "" || len(id) > 64 || ids[id] {
				f.add("%s: item id %q", at, id)
			}
			ids[id] = true
		}
		kind := text("type")
		if kind == "" {
			kind = "message"
		}
		own := kind == "function_call" || kind == "message" && text("role") == "assistant"
		if reasoning != "" && !own && kind != "reasoning" {
			f.add("%s: reasoning %s is not followed by what it led to", at, reasoning)
		}
		if reasoning = ""; kind == "reasoning" {
			reasoning = at
		}
		switch kind {
		case "message":
			if text("role") != "assistant" {
				c.other(&f, at)
			}
			f.responsesMessage(at, text("role"), id, rawjson.Get(item, "content"))
		case "reasoning":
			if rawjson.Kind(rawjson.Get(item, "summary")) != '[' {
				f.add("%s: reasoning without a summary", at)
			}
		case "function_call":
			call := text("call_id")
			c.call(&f, at, call)
			if len(call) > 64 || id != "" && !strings.HasPrefix(id, "fc") {
				f.add("%s: call %q, item %q", at, call, id)
			}
			f.toolName(at, text("name"))
			f.arguments(at, rawjson.Get(item, "arguments"))
		case "function_call_output":
			c.result(&f, at, text("call_id"))
			f.responsesContent(at, rawjson.Get(item, "output"), "input_text", true)
		default:
			f.add("%s: an item of type %q", at, kind)
		}
	}
	if reasoning != "" {
		f.add("reasoning %s comes last", reasoning)
	}
	if n == 0 {
		f.add("no input")
	}
	c.other(&f, "the end")
	return f
}

func (f *findings) responsesMessage(at, role, id string, content []byte) {
	switch role {
	case "system", "developer":
		f.responsesContent(at, content, "input_text", false)
	case "user":
		f.responsesContent(at, content, "input_text", true)
	case "assistant":
		if id != "" && !strings.HasPrefix(id, "msg") {
			f.add("%s: message id %q", at, id)
		}
		f.responsesContent(at, content, "output_text", false)
	default:
		f.add("%s: role %q", at, role)
	}
}

func (f *findings) responsesContent(at string, v []byte, textType string, images bool) {
	if s, ok := rawjson.String(v); ok {
		if s == "" {
			f.add("%s: empty content", at)
		}
		return
	}
	n := 0
	for p := range rawjson.Elements(v) {
		n++
		switch t, _ := rawjson.GetString(p, "type"); {
		case t == textType:
			if s, _ := rawjson.GetString(p, "text"); s == "" {
				f.add("%s: an empty text", at)
			}
		case t == "input_image" && images:
			s, _ := rawjson.GetString(p, "image_url")
			f.dataURL(at, s)
			f.imageType(at, strings.TrimPrefix(strings.SplitN(s, ";", 2)[0], "data:"))
		default:
			f.add("%s: a part of type %q", at, t)
		}
	}
	if n == 0 {
		f.add("%s: no content", at)
	}
}
