package fakellm

import (
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
)

// raw is the text of a JSON value.
type raw []byte

// obj writes an object of keys and values in turn.
func obj(pairs ...any) raw {
	b := raw{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, pairs[i].(string)), ':')
		b = appendValue(b, pairs[i+1])
	}
	return append(b, '}')
}

// arr writes an array.
func arr[V any](values ...V) raw {
	b := raw{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}

func appendValue(b raw, v any) raw {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case raw:
		return append(b, v...)
	case string:
		return rawjson.AppendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	}
	panic("fakellm: no JSON for such a value")
}

// orNull returns s, or null for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// text is String(v) of a JSON value, absent if there is none.
func text(v []byte, absent string) string {
	if v == nil {
		return absent
	}
	if s, ok := rawjson.String(v); ok {
		return s
	}
	return string(rawjson.AppendStringify(nil, v))
}

// first returns the first value that is not null, as ?? does, else nil.
func first(values ...[]byte) []byte {
	for _, v := range values {
		if !rawjson.IsNull(v) {
			return v
		}
	}
	return nil
}

// at returns the value behind a path of keys, or nil.
func at(v []byte, keys ...string) []byte {
	for _, k := range keys {
		v = rawjson.Get(v, k)
	}
	return v
}

func str(v []byte) string { s, _ := rawjson.String(v); return s }

// length returns the number of elements of an array.
func length(v []byte) int {
	n := 0
	for range rawjson.Elements(v) {
		n++
	}
	return n
}
