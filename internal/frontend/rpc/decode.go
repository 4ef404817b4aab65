package rpc

import (
	"encoding/base64"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// call is one line of the input: a command.
type call struct {
	id     []byte // JSON, as it was given; nil without one
	name   string
	fields map[string][]byte // JSON; of repeated ones the last
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
)

func (k kind) String() string {
	return [...]string{"a text", "true or false", "a list of images, each {\"type\":\"image\",\"data\":BASE64,\"mimeType\":TYPE}"}[k]
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
			return fmt.Errorf("%s lacks the field %q, which is %s", c.name, f.name, f.kind)
		}
		if !f.takes(v) {
			return fmt.Errorf("the field %q of %s must be %s", f.name, c.name, f.kind)
		}
		if s, _ := rawjson.String(v); f.words != nil && !slices.Contains(f.words, s) {
			return fmt.Errorf("the field %q of %s must be one of %q", f.name, c.name, f.words)
		}
	}
	return nil
}

func (f field) takes(v []byte) bool {
	switch f.kind {
	case text:
		return rawjson.Kind(v) == '"'
	case flag:
		s := string(v)
		return s == "true" || s == "false"
	}
	if rawjson.Kind(v) != '[' {
		return false
	}
	for b := range rawjson.Elements(v) {
		typ, _ := rawjson.GetString(b, "type")
		data, hasData := rawjson.GetString(b, "data")
		mime, hasType := rawjson.GetString(b, "mimeType")
		if typ != "image" || !hasData || !hasType || mime == "" || !isBase64(data) {
			return false
		}
	}
	return true
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil && s != ""
}

func (c call) text(name string) string {
	s, _ := rawjson.String(c.fields[name])
	return s
}

func (c call) flag(name string) bool { return rawjson.Bool(c.fields[name]) }

func (c call) images() []message.Block {
	v := c.fields["images"]
	if rawjson.Kind(v) != '[' {
		return nil
	}
	return message.DecodeContent(v)
}
