package rpc

import (
	"bytes"
	"encoding/json"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// object is a JSON object being written.
type object struct{ b []byte }

func newObject() *object { return &object{[]byte{'{'}} }

func (o *object) raw(key string, v []byte) *object {
	if len(o.b) > 1 {
		o.b = append(o.b, ',')
	}
	o.b = append(rawjson.AppendString(o.b, key), ':')
	o.b = append(o.b, v...)
	return o
}

func (o *object) str(key, s string) *object { return o.raw(key, rawjson.Quote(s)) }

func (o *object) num(key string, n float64) *object { return o.raw(key, rawjson.AppendNumber(nil, n)) }

func (o *object) flag(key string, v bool) *object {
	if v {
		return o.raw(key, []byte("true"))
	}
	return o.raw(key, []byte("false"))
}

func (o *object) texts(key string, list []string) *object {
	elems := make([][]byte, len(list))
	for i, s := range list {
		elems[i] = rawjson.Quote(s)
	}
	return o.raw(key, rawjson.Array(elems))
}

// optional leaves empty texts out.
func (o *object) optional(key, s string) *object {
	if s == "" {
		return o
	}
	return o.str(key, s)
}

// place writes the id of an entry, null for the place before the first.
func (o *object) place(key string, id session.ID) *object {
	if id == "" {
		return o.raw(key, []byte("null"))
	}
	return o.str(key, string(id))
}

// json writes a value that is JSON already, if there is one.
func (o *object) json(key, v string) *object {
	if !rawjson.Valid([]byte(v)) {
		return o
	}
	return o.raw(key, flat([]byte(v)))
}

// flat is JSON of others on one line.
func flat(v []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v // nested too deep
	}
	return b.Bytes()
}

func (o *object) list(key string, elems [][]byte) *object { return o.raw(key, rawjson.Array(elems)) }

// done closes the object.
func (o *object) done() []byte { return append(o.b, '}') }

// done replies with an object.
func done(o *object) reply {
	return func() ([]byte, error) { return o.done(), nil }
}

// value replies with a value that encodes itself.
func value(v any) reply {
	return func() ([]byte, error) { return rawjson.Encode(v) }
}

// null replies with null.
func null() ([]byte, error) { return nil, errNull }
