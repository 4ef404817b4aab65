package provider

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
)

// Body writes the JSON of a request in the order of the calls, so that
// conversations that begin alike give bodies that begin alike. What is not
// Unicode, half surrogate pairs above all, is replaced: servers refuse it.
//
//	var b provider.Body
//	b.Open('{')
//	b.Str("role", "user")
//	b.Key("content").Open('[')
//	…
//	b.Close(']')
//	b.Close('}')
type Body struct{ buf []byte }

// next puts a comma before a member or an element that is not the first.
func (b *Body) next() {
	if n := len(b.buf); n > 0 {
		switch b.buf[n-1] {
		case '{', '[', ':':
		default:
			b.buf = append(b.buf, ',')
		}
	}
}

// Open begins an object, '{', or an array, '['.
func (b *Body) Open(c byte) { b.next(); b.buf = append(b.buf, c) }

// Close ends an object, '}', or an array, ']'.
func (b *Body) Close(c byte) { b.buf = append(b.buf, c) }

// Key begins a member; its value must follow.
func (b *Body) Key(k string) *Body {
	b.next()
	b.buf = rawjson.AppendString(b.buf, k)
	b.buf = append(b.buf, ':')
	return b
}

// String writes a string.
func (b *Body) String(s string) {
	b.next()
	b.buf = rawjson.AppendString(b.buf, rawjson.ToValid(s))
}

// Raw writes a value that is JSON already.
func (b *Body) Raw(v []byte) { b.next(); b.buf = append(b.buf, CleanJSON(v)...) }

// Elements writes the values that were written to e.
func (b *Body) Elements(e *Body) {
	if e.Len() > 0 {
		b.next()
		b.buf = append(b.buf, e.buf...)
	}
}

// Grow makes room for n more bytes.
func (b *Body) Grow(n int) { b.buf = slices.Grow(b.buf, n) }

// Str writes a member that is a string.
func (b *Body) Str(k, s string) { b.Key(k).String(s) }

// Int writes a member that is an integer.
func (b *Body) Int(k string, n int64) { b.Key(k); b.buf = strconv.AppendInt(b.buf, n, 10) }

// Bool writes a member that is true or false.
func (b *Body) Bool(k string, v bool) { b.Key(k); b.buf = strconv.AppendBool(b.buf, v) }

// Set writes a member whose value is JSON already.
func (b *Body) Set(k string, v []byte) { b.Key(k).Raw(v) }

// DataURL writes a member that is the data URL of an image in base64.
func (b *Body) DataURL(k, mimeType, data string) {
	b.Str(k, "data:"+cmp.Or(mimeType, "image/png")+";base64,"+data)
}

// Len returns how much has been written.
func (b *Body) Len() int { return len(b.buf) }

// Cut takes back all that was written behind the first n bytes.
func (b *Body) Cut(n int) { b.buf = b.buf[:n] }

// Insert puts s, which is part of a value, at the place n in what was written.
func (b *Body) Insert(n int, s string) { b.buf = slices.Insert(b.buf, n, []byte(s)...) }

// Bytes returns what was written.
func (b *Body) Bytes() []byte { return b.buf }

// CleanJSON returns valid JSON with the strings rewritten that are not Unicode;
// v itself if there are none, as nearly always.
func CleanJSON(v []byte) []byte {
	if utf8.Valid(v) && !bytes.Contains(v, []byte(`\ud`)) && !bytes.Contains(v, []byte(`\uD`)) {
		return v
	}
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); {
		if v[i] != '"' {
			out = append(out, v[i])
			i++
			continue
		}
		end := i + 1
		for end < len(v) && v[end] != '"' {
			if v[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(v))
		if s, ok := rawjson.String(v[i:end]); ok {
			out = rawjson.AppendString(out, rawjson.ToValid(s))
		} else {
			out = append(out, v[i:end]...)
		}
		i = end
	}
	return out
}
