package providertest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
)

// findings collects what a server would refuse.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// body checks what all APIs ask of a request that says all in its body.
func (f *findings) body(body []byte) bool {
	if !f.document(body) {
		return false
	}
	if s, _ := rawjson.GetString(body, "model"); s == "" {
		f.add("model is missing")
	}
	if !rawjson.Bool(rawjson.Get(body, "stream")) {
		f.add("stream is not asked for")
	}
	return true
}

// document checks what all APIs ask of the JSON of a request.
func (f *findings) document(body []byte) bool {
	if !rawjson.Valid(body) || rawjson.Kind(body) != '{' {
		f.add("the body is no JSON object")
		return false
	}
	if !utf8.Valid(body) {
		f.add("the body is not UTF-8")
	}
	if n := len(body); n > 32<<20 {
		f.add("the body has %d bytes", n)
	}
	f.surrogates(body)
	f.repeated("", body)
	return true
}

// surrogates finds half pairs that are written as escapes.
func (f *findings) surrogates(body []byte) {
	if !bytes.Contains(bytes.ToLower(body), []byte(`\ud`)) {
		return
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(body) && body[end] != '"' {
			if body[end] == '\\' {
				end++
			}
			end++
		}
		if s, ok := rawjson.String(body[i:min(end+1, len(body))]); ok && !utf8.ValidString(s) {
			f.add("half a surrogate pair in %q", s)
		}
		i = end
	}
}

// repeated finds members that come twice.
func (f *findings) repeated(path string, obj []byte) {
	var seen []string
	for k := range rawjson.Members(obj) {
		if slices.Contains(seen, k) {
			f.add("%s%s comes twice", path, k)
		}
		seen = append(seen, k)
	}
}

func (f *findings) toolName(at, name string) {
	if n := len(name); n == 0 || n > 128 {
		f.add("%s: tool name %q", at, name)
	}
	f.alphabet(at+": tool name", name)
}

func (f *findings) alphabet(at, s string) {
	for _, c := range s {
		if !(c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			f.add("%s: %q in %q", at, c, s)
			return
		}
	}
}

// tool checks a declaration.
func (f *findings) tool(seen map[string]bool, name string, schema []byte) {
	f.toolName("tools", name)
	if seen[name] {
		f.add("tools: %q is declared twice", name)
	}
	seen[name] = true
	if t, _ := rawjson.GetString(schema, "type"); t != "object" {
		f.add("tools: %q: the schema is no object's", name)
	}
}

// arguments checks the arguments of a call, a JSON text.
func (f *findings) arguments(at string, v []byte) {
	s, ok := rawjson.String(v)
	if !ok || !rawjson.Valid([]byte(s)) || rawjson.Kind([]byte(s)) != '{' {
		f.add("%s: the arguments are no text of an object: %s", at, v)
	}
}

// imageType checks the types that Anthropic and OpenAI have in common.
func (f *findings) imageType(at, kind string) {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		f.add("%s: an image of type %q", at, kind)
	}
}

func (f *findings) dataURL(at, s string) {
	kind, data, ok := strings.Cut(strings.TrimPrefix(s, "data:"), ";base64,")
	if !strings.HasPrefix(s, "data:image/") || !ok || kind == "" || data == "" {
		f.add("%s: no data URL of an image: %.40q", at, s)
		return
	}
	f.base64(at, data)
}

func (f *findings) base64(at, data string) {
	if _, err := base64.StdEncoding.DecodeString(data); err != nil || data == "" {
		f.add("%s: no base64: %.40q", at, data)
	}
}

// calls follows tool calls and their results.
type calls struct {
	open []string
	seen map[string]bool
}

func (c *calls) call(f *findings, at, id string) {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	if id == "" {
		f.add("%s: a call without id", at)
	}
	if c.seen[id] {
		f.add("%s: call id %q comes twice", at, id)
	}
	c.seen[id] = true
	c.open = append(c.open, id)
}

func (c *calls) result(f *findings, at, id string) {
	i := slices.Index(c.open, id)
	if i < 0 {
		f.add("%s: a result of %q, which is no open call", at, id)
		return
	}
	c.open = slices.Delete(c.open, i, i+1)
}

// other is for everything that must not stand between calls and results.
func (c *calls) other(f *findings, at string) {
	if len(c.open) > 0 {
		f.add("%s: no result yet of %q", at, c.open)
	}
	c.open = nil
}
