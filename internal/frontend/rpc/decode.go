package rpc

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// call is one line of the input: a command.
type call struct {
	id     []byte // JSON, as it was given; nil without one
	name   string
	fields map[string][]byte // JSON; of repeated ones the last
	view   []byte            // JSON; nil if it names none
	coded  bool              // a failure may have a code
}

// decode reads a line. err is for a line that is no JSON; what is no command has
// the name "".
func decode(line []byte) (call, error) {
	if !utf8.Valid(line) {
		line = []byte(rawjson.ToValid(string(line)))
	}
	line = rawjson.Trim(line)
	if !rawjson.Valid(line) {
		return call{}, fmt.Errorf("Failed to parse command: %s", fault(line))
	}
	if rawjson.Kind(line) != '{' {
		return call{}, nil
	}
	c := call{fields: map[string][]byte{}}
	for key, v := range rawjson.Members(line) {
		c.fields[key] = v
	}
	c.id = c.fields["id"]
	c.name, _ = rawjson.String(c.fields["type"])
	return c, nil
}

// fault says what is wrong with a line that is no JSON.
func fault(line []byte) string {
	if len(line) == 0 {
		return "the line is empty"
	}
	at, _ := rawjson.Prefix(line)
	return fmt.Sprintf("no JSON at byte %d of the line", at)
}

// kind is what a field must be.
type kind int

const (
	text kind = iota
	flag
	images
	count   // how many
	place   // an entry, or null for the place before the first
	texts   // a list of them
	content // a text, or blocks
	entity  // an object
	either  // a text or a list of them
	moment  // Unix milliseconds
	anything
)

func (k kind) String() string {
	return [...]string{"a text", "true or false", "a list of images, each {\"type\":\"image\",\"data\":BASE64,\"mimeType\":TYPE}",
		"a whole number from 0 on", "the id of an entry, or null for the place before the first", "a list of texts",
		"a text, or a list of blocks, each {\"type\":\"text\",\"text\":TEXT} or an image", "an object", "a text or a list of texts", "a time in Unix milliseconds", "a value"}[k]
}

// field is one of a command's.
type field struct {
	name     string
	kind     kind
	optional bool     // null is like absent then
	words    []string // the texts that it may be; nil: any
}

// check reports what is wrong with the fields of a command. Fields that are not
// known are passed over.
func (c call) check(fields []field) error {
	for _, f := range fields {
		v := c.fields[f.name]
		if v == nil || f.optional && rawjson.IsNull(v) {
			if f.optional {
				continue
			}
			return protocol.Fail(protocol.BadRequest, "%s lacks the field %q, which is %s", c.name, f.name, f.kind)
		}
		if !f.takes(v) {
			return protocol.Fail(protocol.BadRequest, "the field %q of %s must be %s", f.name, c.name, f.kind)
		}
		if s, _ := rawjson.String(v); f.words != nil && !slices.Contains(f.words, s) {
			return protocol.Fail(protocol.BadRequest, "the field %q of %s must be %s", f.name, c.name, protocol.Alternatives(f.words))
		}
	}
	return nil
}

// odd are the fields of a command that it does not have, which are passed over.
func (c call) odd(fields []field) (names []string) {
	for name := range c.fields {
		known := name == "id" || name == "type" || name == "view"
		if !known && !slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (f field) takes(v []byte) bool {
	switch f.kind {
	case text:
		return rawjson.Kind(v) == '"'
	case flag:
		s := string(v)
		return s == "true" || s == "false"
	case count:
		n, ok := rawjson.Number(v)
		return ok && n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n)
	case moment:
		n, ok := rawjson.Number(v)
		return ok && n >= 0 && n <= 1<<53 && n == math.Trunc(n)
	case place:
		s, ok := rawjson.String(v)
		return ok && s != "" || rawjson.IsNull(v)
	case texts:
		return isList(v, func(e []byte) bool { return rawjson.Kind(e) == '"' })
	case either:
		return rawjson.Kind(v) == '"' || isList(v, func(e []byte) bool { return rawjson.Kind(e) == '"' })
	case content:
		return rawjson.Kind(v) == '"' || isList(v, func(e []byte) bool { return isText(e) || isImage(e) })
	case entity:
		return rawjson.Kind(v) == '{'
	case anything:
		return true
	}
	return isList(v, isImage)
}

func isList(v []byte, each func([]byte) bool) bool {
	if rawjson.Kind(v) != '[' {
		return false
	}
	for e := range rawjson.Elements(v) {
		if !each(e) {
			return false
		}
	}
	return true
}

func isText(v []byte) bool {
	typ, _ := rawjson.GetString(v, "type")
	_, has := rawjson.GetString(v, "text")
	return typ == "text" && has
}

func isImage(v []byte) bool {
	typ, _ := rawjson.GetString(v, "type")
	data, hasData := rawjson.GetString(v, "data")
	mime, hasType := rawjson.GetString(v, "mimeType")
	return typ == "image" && hasData && hasType && mime != "" && isBase64(data)
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil && s != ""
}

func (c call) text(name string) string {
	s, _ := rawjson.String(c.fields[name])
	return s
}

// count is a number, 0 without it.
func (c call) count(name string) int {
	n, _ := rawjson.Number(c.fields[name])
	return int(n)
}

// place is where an entry is named: nil without the field, "" for null.
func (c call) place(name string) *session.ID {
	v, ok := c.fields[name]
	if !ok {
		return nil
	}
	s, _ := rawjson.String(v)
	id := session.ID(s)
	return &id
}

// texts is a list, or the one text in its place.
func (c call) texts(name string) (list []string) {
	v := c.fields[name]
	if s, ok := rawjson.String(v); ok {
		return []string{s}
	}
	for e := range rawjson.Elements(v) {
		s, _ := rawjson.String(e)
		list = append(list, s)
	}
	return list
}

// commandID is the id in the form that events of a command repeat it in.
func (c call) commandID() any {
	if c.id == nil {
		return nil
	}
	return protocol.RawID(c.id)
}

func (c call) flag(name string) bool { return rawjson.Bool(c.fields[name]) }

func (c call) images() []message.Block {
	v := c.fields["images"]
	if rawjson.Kind(v) != '[' {
		return nil
	}
	return message.DecodeContent(v)
}
