package pifile

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// ErrNoObject is returned for a file that is no JSON object; it is never
// overwritten.
var ErrNoObject = errors.New("not a JSON object; it was left as it is")

// Set returns the JSON document doc with v at the place that path names, or
// without it if v is nil. Everything else stays to the byte; what is new is
// written in the style of the rest. A nil doc is an empty one. Objects that are
// missing on the way are made.
func Set(doc []byte, path []string, v []byte) ([]byte, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(doc, bom))) == 0 {
		doc = []byte("{}\n")
	}
	body := bytes.TrimPrefix(doc, bom)
	if rawjson.Kind(body) != '{' || !rawjson.Valid(body) {
		return nil, ErrNoObject
	}
	start, end := trimmed(body)
	s := style{unit: "  ", lines: true}
	s.learn(body[start:end])
	out := append(slices.Clone(doc[:len(doc)-len(body)]), body[:start]...)
	out = append(out, s.set(slices.Clip(body[start:end]), path, v, "")...)
	return append(out, body[end:]...), nil
}

var bom = []byte("\ufeff")

func trimmed(b []byte) (start, end int) {
	start = len(b) - len(bytes.TrimLeft(b, " \t\r\n"))
	return start, len(bytes.TrimRight(b, " \t\r\n"))
}

// style is how a document is laid out.
type style struct {
	unit  string // of indentation
	lines bool   // members stand on lines of their own
}

func (s *style) learn(obj []byte) {
	for _, v := range rawjson.Members(obj) {
		// Between the brace and the first key.
		head := obj[1 : cap(obj)-cap(v)]
		gap := head[:len(head)-len(bytes.TrimLeft(head, " \t\r\n"))]
		i := bytes.LastIndexByte(gap, '\n')
		if s.lines = i >= 0; s.lines {
			s.unit = string(gap[i+1:])
		}
		return
	}
}

// set changes one member of an object that stands at an indentation.
func (s style) set(obj []byte, path []string, v []byte, indent string) []byte {
	obj = slices.Clip(obj)
	var old []byte
	last := 1 // behind the last member
	for key, val := range rawjson.Members(obj) {
		last = cap(obj) - cap(val) + len(val)
		if key == path[0] {
			old = val
		}
	}
	if v == nil {
		switch {
		case old == nil:
			return obj
		case len(path) == 1:
			return remove(obj, path[0])
		case rawjson.Kind(old) != '{':
			return obj
		}
	}
	inner := indent + s.unit
	switch {
	case len(path) == 1:
		v = s.layout(v, inner)
	case rawjson.Kind(old) == '{':
		v = s.set(old, path[1:], v, inner)
	default:
		v = s.set([]byte("{}"), path[1:], v, inner)
	}
	if old != nil {
		at := cap(obj) - cap(old)
		return slices.Concat(obj[:at], v, obj[at+len(old):])
	}
	member := rawjson.AppendString(nil, path[0])
	member = append(append(member, ": "...), v...)
	comma, tail := ",", obj[last:]
	if last == 1 {
		comma, tail = "", []byte("}")
	}
	switch {
	case !s.lines && comma == "":
		return slices.Concat(obj[:last], member, tail)
	case !s.lines:
		return slices.Concat(obj[:last], []byte(", "), member, tail)
	case comma == "":
		return slices.Concat(obj[:last], []byte("\n"+inner), member, []byte("\n"+indent), tail)
	}
	return slices.Concat(obj[:last], []byte(",\n"+inner), member, tail)
}

// layout writes a value in the style of the document.
func (s style) layout(v []byte, indent string) []byte {
	if !s.lines {
		return v
	}
	var b bytes.Buffer
	if err := json.Indent(&b, v, indent, s.unit); err != nil {
		return v // it is no JSON, which the caller would not write
	}
	return b.Bytes()
}

// remove takes all members of one key out of an object.
func remove(obj []byte, key string) []byte {
	for {
		from, to, at := 1, 1, -1 // what goes: behind the member before, up to its end
		n := 0
		for k, val := range rawjson.Members(obj) {
			end := cap(obj) - cap(val) + len(val)
			if at >= 0 {
				break
			}
			from, to = to, end
			if k == key {
				at = n
			}
			n++
		}
		if at < 0 {
			return obj
		}
		if at == 0 {
			rest := bytes.TrimLeft(obj[to:], " \t\r\n")
			if !bytes.HasPrefix(rest, []byte(",")) {
				return []byte("{}")
			}
			to = len(obj) - len(rest) + 1
		}
		obj = slices.Clip(slices.Concat(obj[:from], obj[to:]))
	}
}

// Line returns the line, counted from 1, on which part begins, a slice of doc.
func Line(doc, part []byte) int {
	at := cap(doc) - cap(part)
	if part == nil || at < 0 || at > len(doc) {
		return 0
	}
	return 1 + bytes.Count(doc[:at], []byte("\n"))
}

// Fault returns the line of the first mistake in a document, 0 if it is JSON.
func Fault(doc []byte) int {
	var v any
	if err, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(doc, &v)); ok {
		return 1 + bytes.Count(doc[:min(int(err.Offset), len(doc))], []byte("\n"))
	}
	return 0
}

// Plain returns JSON with comments and trailing commas as plain JSON, the same
// length and with the same lines: what is not JSON becomes blanks, as does a byte
// order mark.
func Plain(doc []byte) []byte {
	out := slices.Clone(doc)
	if bytes.HasPrefix(out, bom) {
		copy(out, "   ")
	}
	comma := -1 // the last comma with nothing but blanks behind it
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == '/' && bytes.HasPrefix(out[i:], []byte("//")):
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case c == '/' && bytes.HasPrefix(out[i:], []byte("/*")):
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				end = len(out) - i - 4
			}
			for stop := i + end + 4; i < stop; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case !strings.ContainsRune(" \t\r\n", rune(c)):
			comma = -1
		}
	}
	return out
}
