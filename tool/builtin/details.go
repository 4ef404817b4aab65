package builtin

import (
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// object writes the details of a result, member by member.
type object struct{ b []byte }

func newObject() *object { return &object{[]byte{'{'}} }

func (o *object) key(k string) {
	if len(o.b) > 1 {
		o.b = append(o.b, ',')
	}
	o.b = append(rawjson.AppendString(o.b, k), ':')
}

func (o *object) raw(k string, v message.Value) { o.key(k); o.b = append(o.b, v...) }
func (o *object) str(k, s string)               { o.key(k); o.b = rawjson.AppendString(o.b, s) }
func (o *object) num(k string, n int)           { o.key(k); o.b = strconv.AppendInt(o.b, int64(n), 10) }
func (o *object) bool(k string, v bool)         { o.key(k); o.b = strconv.AppendBool(o.b, v) }

func (o *object) done() message.Value { return append(o.b, '}') }

// unlessEmpty is done, or nil if there are no members.
func (o *object) unlessEmpty() message.Value {
	if len(o.b) == 1 {
		return nil
	}
	return o.done()
}
