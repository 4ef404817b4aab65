// Package rawjson reads JSON as it stands, in the bytes of a session line, and
// changes parts of it without touching the rest.
//
// encoding/json cannot be used for that: it loses integers above 2^53, the order
// of keys, repeated keys and lone surrogates, and it decodes what nobody asked
// for. Here a value is a slice of the line it stands in. A string is decoded to
// WTF-8: UTF-8 in which half a surrogate pair, which JSON can write as an escape
// and session files do contain, is the three bytes that UTF-8 would give it.
// [AppendString] turns it back into the escape, so nothing is lost on the way.
//
// All functions but [Valid] expect valid JSON and give nothing (nil, false, no
// elements) for a value of another kind. With JSON that is not valid they end all
// the same and give what they made out. None recurses, so depth is no limit.
package rawjson

import (
	"bytes"
	"iter"
)

// Kind tells what a value is by its first byte: '{', '[', '"', 't', 'f', 'n',
// '0' for every number, or 0 if there is none.
func Kind(v []byte) byte {
	v = trimLeft(v)
	if len(v) == 0 {
		return 0
	}
	switch c := v[0]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// IsNull reports whether v is absent or null.
func IsNull(v []byte) bool { k := Kind(v); return k == 0 || k == 'n' }

// Bool reports whether v is true.
func Bool(v []byte) bool { return Kind(v) == 't' }

// Truthy reports whether ECMAScript takes v for true.
func Truthy(v []byte) bool {
	switch Kind(v) {
	case '{', '[', 't':
		return true
	case '"':
		s, _ := String(v)
		return s != ""
	case '0':
		n, ok := Number(v)
		return !ok || n != 0 // beyond a double it is infinite
	}
	return false
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func trimLeft(v []byte) []byte {
	for len(v) > 0 && space(v[0]) {
		v = v[1:]
	}
	return v
}

// Trim cuts JSON's white space from both ends.
func Trim(v []byte) []byte {
	v = trimLeft(v)
	for len(v) > 0 && space(v[len(v)-1]) {
		v = v[:len(v)-1]
	}
	return v
}

// skip returns the index behind the value that begins at i, which must not be
// white space. It trusts the JSON to be valid but never runs past the end.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return i
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r', ':', '"', '{', '[':
			return i
		}
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	i++
	for i < len(b) {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return len(b)
		}
		end := i + j
		slashes := 0
		for k := end - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return len(b)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && space(b[i]) {
		i++
	}
	return i
}

// Members yields the members of an object in the order they stand, repeated
// keys included.
func Members(obj []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for m := range members(obj) {
			if !yield(m.name(obj), obj[m.val:m.end]) {
				return
			}
		}
	}
}

// member is where one member of an object stands: key, value and end of value.
type member struct{ key, keyEnd, val, end int }

func (m member) name(obj []byte) string {
	raw := obj[m.key:m.keyEnd]
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 && ascii(raw) {
		return string(raw[1 : len(raw)-1])
	}
	s, _ := String(raw)
	return s
}

func (m member) is(obj []byte, key string) bool {
	raw := obj[m.key:m.keyEnd]
	if len(raw) == len(key)+2 && string(raw[1:len(raw)-1]) == key {
		return true
	}
	return bytes.IndexByte(raw, '\\') >= 0 && m.name(obj) == key
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func members(obj []byte) iter.Seq[member] {
	return membersFrom(obj, 0, func(i int) int { return skip(obj, i) })
}

// membersFrom yields the members of the object that begins at b[i]; end tells
// where a value ends.
func membersFrom(b []byte, i int, end func(int) int) iter.Seq[member] {
	return func(yield func(member) bool) {
		i := skipSpace(b, i)
		if i >= len(b) || b[i] != '{' {
			return
		}
		i = skipSpace(b, i+1)
		for i < len(b) && b[i] == '"' {
			m := member{key: i}
			m.keyEnd = skipString(b, i)
			i = skipSpace(b, m.keyEnd)
			if i >= len(b) || b[i] != ':' {
				return
			}
			m.val = skipSpace(b, i+1)
			m.end = end(m.val)
			if !yield(m) {
				return
			}
			i = skipSpace(b, m.end)
			if i < len(b) && b[i] == ',' {
				i = skipSpace(b, i+1)
				continue
			}
			return
		}
	}
}

// Elements yields the elements of an array.
func Elements(arr []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(arr, 0)
		if i >= len(arr) || arr[i] != '[' {
			return
		}
		i = skipSpace(arr, i+1)
		for i < len(arr) && arr[i] != ']' {
			end := skip(arr, i)
			if end == i || !yield(arr[i:end]) {
				return
			}
			i = skipSpace(arr, end)
			if i < len(arr) && arr[i] == ',' {
				i = skipSpace(arr, i+1)
			}
		}
	}
}

// Get returns the value of the last member with that key, or nil.
func Get(obj []byte, key string) []byte {
	var v []byte
	for m := range members(obj) {
		if m.is(obj, key) {
			v = obj[m.val:m.end]
		}
	}
	return v
}

// GetString returns the value of the last member with that key if it is a string.
func GetString(obj []byte, key string) (string, bool) { return String(Get(obj, key)) }

// Set returns obj with v as the value of key, everything else as it stands. The
// last member of that key is changed (and counts, so earlier ones may stay); a
// new one goes to the end.
func Set(obj []byte, key string, v []byte) []byte {
	last, found, n := member{}, false, 0
	for m := range members(obj) {
		n++
		if m.is(obj, key) {
			last, found = m, true
		}
	}
	out := make([]byte, 0, len(obj)+len(key)+len(v)+8)
	if found {
		out = append(out, obj[:last.val]...)
		out = append(out, v...)
		return append(out, obj[last.end:]...)
	}
	end := bytes.LastIndexByte(obj, '}')
	if end < 0 {
		return append(out, obj...)
	}
	out = append(out, obj[:end]...)
	if n > 0 {
		out = append(out, ',')
	}
	out = AppendString(out, key)
	out = append(out, ':')
	out = append(out, v...)
	return append(out, obj[end:]...)
}

// Delete returns obj without the members of that key.
func Delete(obj []byte, key string) []byte {
	out := make([]byte, 0, len(obj))
	out = append(out, '{')
	for m := range members(obj) {
		if m.is(obj, key) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, obj[m.key:m.end]...)
	}
	return append(out, '}')
}

// Array joins values to an array.
func Array(elems [][]byte) []byte {
	out := []byte{'['}
	for i, e := range elems {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return append(out, ']')
}
