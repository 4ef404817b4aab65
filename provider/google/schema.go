package google

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/provider"
)

// Google takes the schema of a tool as JSON Schema, but not all of it, and one
// schema that it cannot read makes it refuse every request. Known to be refused
// or to go wrong:
//
//	$ref, $defs        written out in their place; where that has no end, any object
//	$schema, $comment, if, not, patternProperties, …    left out
//	const              an enum of one
//	allOf              merged
//	a type that is a list with object or array in it    without null
//	formats but those of dates and numbers              left out
//	required, of a property that there is not           left out
//
// A tool checks its arguments itself, so what is left out is only a hint less.
type schemaWriter struct {
	b    *provider.Body
	root []byte
	refs []string // that are being written out
	left int      // how many schemas more may be written
	old  bool     // as OpenAPI, for who does not know jsonSchema
}

// jsonSchema is the parameter that takes JSON Schema. Old gateways know another
// one only, which takes less.
const jsonSchema = "parametersJsonSchema"

// What is deeper than maxSchemaDepth, or comes behind maxSchemas, may be anything.
const (
	maxSchemaDepth = 24
	maxSchemas     = 3000
)

// writeParameters writes the parameters of a tool, unless it has none.
func writeParameters(b *provider.Body, schema []byte, old bool) {
	if !hasMembers(rawjson.Get(schema, "properties")) && !hasAny(schema, "allOf", "anyOf", "oneOf", "$ref", "additionalProperties", "patternProperties") {
		return
	}
	w := schemaWriter{b: b, root: schema, left: maxSchemas, old: old}
	if old {
		b.Key("parameters")
	} else {
		b.Key(jsonSchema)
	}
	w.write(schema, 0)
}

func hasMembers(obj []byte) bool {
	for range rawjson.Members(obj) {
		return true
	}
	return false
}

func hasAny(obj []byte, keys ...string) bool {
	for _, k := range keys {
		if rawjson.Get(obj, k) != nil {
			return true
		}
	}
	return false
}

// write writes a schema, which may be true or false, too.
func (w *schemaWriter) write(v []byte, depth int) {
	if rawjson.Kind(v) != '{' || depth > maxSchemaDepth || w.left <= 0 {
		w.b.Raw([]byte(`{}`))
		return
	}
	w.left--
	refs := len(w.refs)
	defer func() { w.refs = w.refs[:refs] }()
	if ref, ok := rawjson.GetString(v, "$ref"); ok {
		w.writeRef(v, ref, depth)
		return
	}
	v = w.merged(v)
	w.b.Open('{')
	seen := map[string]bool{}
	for key, m := range rawjson.Members(v) {
		if !seen[key] {
			seen[key] = true
			w.member(v, key, m, depth)
		}
	}
	w.b.Close('}')
}

// writeRef writes what a reference means, with the words that stand beside it.
func (w *schemaWriter) writeRef(v []byte, ref string, depth int) {
	to := w.resolve(ref)
	if to == nil || slices.Contains(w.refs, ref) {
		to = []byte(`{"type":"object"}`)
	}
	if text := rawjson.Get(v, "description"); rawjson.Kind(text) == '"' && rawjson.Kind(to) == '{' {
		to = rawjson.Set(to, "description", text)
	}
	w.refs = append(w.refs, ref)
	w.write(to, depth+1)
}

// resolve finds what a reference within the schema points to, or nil.
func (w *schemaWriter) resolve(ref string) []byte {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := w.root
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if step == "" {
			continue
		}
		at = rawjson.Get(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return at
}

// merged returns a schema with the parts of its allOf in it.
func (w *schemaWriter) merged(v []byte) []byte {
	all := rawjson.Get(v, "allOf")
	if all == nil {
		return v
	}
	v = rawjson.Delete(v, "allOf")
	for part := range rawjson.Elements(all) {
		if ref, ok := rawjson.GetString(part, "$ref"); ok {
			if slices.Contains(w.refs, ref) {
				continue
			}
			w.refs = append(w.refs, ref)
			part = w.resolve(ref)
		}
		for key, m := range rawjson.Members(part) {
			v = rawjson.Set(v, key, both(key, rawjson.Get(v, key), m))
		}
	}
	return v
}

// both returns what a keyword says in two schemas that both hold.
func both(key string, have, m []byte) []byte {
	switch {
	case have == nil:
		return m
	case key == "properties":
		for name, p := range rawjson.Members(m) {
			if rawjson.Get(have, name) == nil {
				have = rawjson.Set(have, name, p)
			}
		}
	case key == "required":
		var names [][]byte
		for _, list := range [][]byte{have, m} {
			names = slices.AppendSeq(names, rawjson.Elements(list))
		}
		return rawjson.Array(names)
	}
	return have
}

func (w *schemaWriter) member(v []byte, key string, m []byte, depth int) {
	if w.old {
		switch key {
		case "additionalProperties", "default", "prefixItems":
			return
		case "oneOf":
			key = "anyOf"
		case "type":
			for t := range rawjson.Elements(m) {
				m = t
				break
			}
		}
	}
	switch key {
	case "title", "description", "enum", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "default":
		w.b.Set(key, m)
	case "const":
		if rawjson.Get(v, "enum") == nil {
			w.b.Set("enum", rawjson.Array([][]byte{m}))
		}
	case "type":
		w.b.Set(key, oneType(m))
	case "format":
		switch f, _ := rawjson.String(m); f {
		case "date-time", "date", "time", "int32", "int64", "float", "double":
			w.b.Set(key, m)
		}
	case "required":
		w.required(v, m)
	case "properties":
		w.b.Key(key).Open('{')
		seen := map[string]bool{}
		for name, p := range rawjson.Members(m) {
			if !seen[name] {
				seen[name] = true
				w.b.Key(rawjson.ToValid(name))
				w.write(p, depth+1)
			}
		}
		w.b.Close('}')
	case "items":
		if rawjson.Kind(m) == '[' { // of old drafts
			key = "prefixItems"
			w.list(key, m, depth)
			return
		}
		w.b.Key(key)
		w.write(m, depth+1)
	case "additionalProperties":
		if k := rawjson.Kind(m); k == 't' || k == 'f' {
			w.b.Set(key, m)
			return
		}
		w.b.Key(key)
		w.write(m, depth+1)
	case "anyOf", "oneOf", "prefixItems":
		w.list(key, m, depth)
	}
}

func (w *schemaWriter) list(key string, m []byte, depth int) {
	w.b.Key(key).Open('[')
	for e := range rawjson.Elements(m) {
		w.write(e, depth+1)
	}
	w.b.Close(']')
}

// required writes the names that are properties, each once.
func (w *schemaWriter) required(v, m []byte) {
	var names [][]byte
	var seen []string
	for e := range rawjson.Elements(m) {
		name, ok := rawjson.String(e)
		if ok && rawjson.Get(rawjson.Get(v, "properties"), name) != nil && !slices.Contains(seen, name) {
			seen = append(seen, name)
			names = append(names, e)
		}
	}
	if len(names) > 0 {
		w.b.Set("required", rawjson.Array(names))
	}
}

// oneType returns a type that Google takes: a list of types may not have object
// or array in it.
func oneType(m []byte) []byte {
	for t := range rawjson.Elements(m) {
		if s, _ := rawjson.String(t); s == "object" || s == "array" {
			return t
		}
	}
	return m
}
