package providertest

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// CheckGoogle tells what Google would refuse about a generateContent request.
// Which model it is for is not in it, so that ids and signatures are only checked
// where there are any: all calls have ids, or none.
func CheckGoogle(body []byte) []string {
	f := findings{}
	if !f.document(body) {
		return f
	}
	seen := map[string]bool{}
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		f.repeated("tools.", t)
		for d := range rawjson.Elements(rawjson.Get(t, "functionDeclarations")) {
			f.googleDeclaration(seen, d)
		}
	}
	if p := rawjson.Get(body, "systemInstruction"); p != nil {
		f.googleParts("systemInstruction", "system", rawjson.Get(p, "parts"), nil)
	}
	config := rawjson.Get(body, "generationConfig")
	if limit, ok := rawjson.Number(rawjson.Get(config, "maxOutputTokens")); ok && limit < 1 {
		f.add("maxOutputTokens is %v", limit)
	}
	f.googleThinking(rawjson.Get(config, "thinkingConfig"))
	c := googleCalls{}
	before, n := "", 0
	for m := range rawjson.Elements(rawjson.Get(body, "contents")) {
		at := fmt.Sprintf("contents.%d", n)
		n++
		f.repeated(at+".", m)
		role, _ := rawjson.GetString(m, "role")
		answers := len(c.open) > 0 // the content before has calls
		switch {
		case role != "user" && role != "model":
			f.add("%s: role %q", at, role)
		case role == "model" && before != "user":
			f.add("%s: the model follows %q", at, before)
		case role == "user" && before == "user" && !c.responded:
			f.add("%s: the user follows the user", at)
		}
		before = role
		c.responded = false
		f.googleParts(at, role, rawjson.Get(m, "parts"), &c)
		if answers && (!c.responded || len(c.open) > 0) {
			f.add("%s: no response yet to %q", at, c.open)
			c.open = nil
		}
	}
	switch {
	case n == 0:
		f.add("no contents")
	case before != "user":
		f.add("the model comes last")
	}
	return f
}

func (f *findings) googleDeclaration(seen map[string]bool, d []byte) {
	f.repeated("declaration.", d)
	name, _ := rawjson.GetString(d, "name")
	f.googleName("tools", name)
	if seen[name] {
		f.add("tools: %q is declared twice", name)
	}
	seen[name] = true
	if s, _ := rawjson.GetString(d, "description"); s == "" {
		f.add("tools: %q has no description", name)
	}
	schema := rawjson.Get(d, "parametersJsonSchema")
	if schema == nil {
		return
	}
	if t, _ := rawjson.GetString(schema, "type"); t != "object" {
		f.add("tools: %q: the schema is no object's", name)
	}
	f.googleSchema("tools: "+name, schema)
}

// googleSchema finds keywords that are known to be refused, at any depth.
func (f *findings) googleSchema(at string, schema []byte) {
	f.repeated(at+".", schema)
	for key, v := range rawjson.Members(schema) {
		switch key {
		case "properties":
			for name, p := range rawjson.Members(v) {
				f.googleSchema(at+"."+name, p)
			}
		case "anyOf", "oneOf", "prefixItems":
			for e := range rawjson.Elements(v) {
				f.googleSchema(at+"."+key, e)
			}
		case "items", "additionalProperties":
			f.googleSchema(at+"."+key, v)
		case "type":
			for t := range rawjson.Elements(v) {
				if s, _ := rawjson.String(t); s == "object" || s == "array" {
					f.add("%s: a list of types with %s in it", at, s)
				}
			}
		case "required":
			for e := range rawjson.Elements(v) {
				name, _ := rawjson.String(e)
				if rawjson.Get(rawjson.Get(schema, "properties"), name) == nil {
					f.add("%s: %q is required and no property", at, name)
				}
			}
		case "title", "description", "enum", "format", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "default":
		default:
			f.add("%s: the keyword %s", at, key)
		}
	}
}

func (f *findings) googleThinking(v []byte) {
	if v == nil {
		return
	}
	budget, hasBudget := rawjson.Number(rawjson.Get(v, "thinkingBudget"))
	level := rawjson.Get(v, "thinkingLevel")
	if hasBudget == (level != nil) {
		f.add("thinkingConfig has not one of budget and level: %s", v)
	}
	if hasBudget && (budget < -1 || budget > 32768) {
		f.add("thinkingBudget is %v", budget)
	}
	if s, _ := rawjson.String(level); level != nil && (s == "" || s != strings.ToUpper(s)) {
		f.add("thinkingLevel is %s", level)
	}
	if rawjson.Bool(rawjson.Get(v, "includeThoughts")) && hasBudget && budget == 0 {
		f.add("thoughts are asked for and forbidden")
	}
}

// googleCalls follows function calls and their responses.
type googleCalls struct {
	open      []googleCall // of the last content of the model
	ids       map[string]bool
	without   bool // a call had no id
	responded bool // the content had a response
}

type googleCall struct{ id, name string }

func (f *findings) googleParts(at, role string, parts []byte, c *googleCalls) {
	n, others := 0, 0
	for p := range rawjson.Elements(parts) {
		n++
		f.repeated(at+".", p)
		sign, signed := rawjson.GetString(p, "thoughtSignature")
		if signed && sign != "skip_thought_signature_validator" {
			f.base64(at+": signature", sign)
		}
		if (signed || rawjson.Get(p, "thought") != nil) && role != "model" {
			f.add("%s: a thought of the %s", at, role)
		}
		kinds := 0
		for _, k := range []string{"text", "inlineData", "functionCall", "functionResponse"} {
			if rawjson.Get(p, k) != nil {
				kinds++
			}
		}
		if kinds != 1 {
			f.add("%s: a part of %d kinds: %s", at, kinds, p)
		}
		call, response := rawjson.Get(p, "functionCall"), rawjson.Get(p, "functionResponse")
		switch {
		case call != nil:
			f.googleCall(at, role, call, c)
		case response != nil:
			f.googleResponse(at, role, response, c)
			continue
		case rawjson.Get(p, "inlineData") != nil:
			if role != "user" {
				f.add("%s: an image of the %s", at, role)
			}
			f.googleImage(at, p, "heic", "heif")
		default:
			if s, _ := rawjson.GetString(p, "text"); strings.TrimSpace(s) == "" && !signed {
				f.add("%s: a text without words", at)
			}
		}
		others++
	}
	if n == 0 {
		f.add("%s: no parts", at)
	}
	if c != nil && c.responded && others > 0 {
		f.add("%s: other parts beside responses", at)
	}
}

func (f *findings) googleName(at, name string) {
	f.toolName(at, name)
	if name != "" && (name[0] == '-' || name[0] <= '9') {
		f.add("%s: the tool name %q does not begin with a letter", at, name)
	}
}

func (f *findings) googleCall(at, role string, v []byte, c *googleCalls) {
	f.repeated(at+".call.", v)
	name, _ := rawjson.GetString(v, "name")
	id, hasID := rawjson.GetString(v, "id")
	f.googleName(at, name)
	if role != "model" || c == nil {
		f.add("%s: a call of the %s", at, role)
		return
	}
	if rawjson.Kind(rawjson.Get(v, "args")) != '{' {
		f.add("%s: the arguments are no object", at)
	}
	switch {
	case !hasID:
		c.without = true
		if len(c.ids) > 0 {
			f.add("%s: a call without id among others with one", at)
		}
	case c.without:
		f.add("%s: a call with id among others without", at)
	case id == "" || len(id) > 64 || c.ids[id]:
		f.add("%s: call id %q", at, id)
	}
	if hasID {
		f.alphabet(at+": call id", id)
		if c.ids == nil {
			c.ids = map[string]bool{}
		}
		c.ids[id] = true
	}
	c.open = append(c.open, googleCall{id, name})
}

func (f *findings) googleResponse(at, role string, v []byte, c *googleCalls) {
	f.repeated(at+".response.", v)
	name, _ := rawjson.GetString(v, "name")
	id, _ := rawjson.GetString(v, "id")
	if role != "user" || c == nil {
		f.add("%s: a response of the %s", at, role)
		return
	}
	c.responded = true
	if len(c.open) == 0 || c.open[0] != (googleCall{id, name}) {
		f.add("%s: a response of %s %q, open are %q", at, name, id, c.open)
	} else {
		c.open = c.open[1:]
	}
	if rawjson.Kind(rawjson.Get(v, "response")) != '{' {
		f.add("%s: the response is no object", at)
	}
	for p := range rawjson.Elements(rawjson.Get(v, "parts")) {
		f.googleImage(at, p)
	}
}

func (f *findings) googleImage(at string, p []byte, more ...string) {
	v := rawjson.Get(p, "inlineData")
	kind, _ := rawjson.GetString(v, "mimeType")
	data, _ := rawjson.GetString(v, "data")
	good := false
	for _, k := range append([]string{"png", "jpeg", "webp"}, more...) {
		good = good || kind == "image/"+k
	}
	if !good {
		f.add("%s: an image of type %q", at, kind)
	}
	f.base64(at, data)
}
