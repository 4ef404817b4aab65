package protocol

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Commands, answers and events as JSON, for those who are not in the process.
//
//	{"type":"prompt","message":"hi"}                                              a command, its fields as RPC names them
//	{"type":"response","command":"prompt","success":true,"data":{…}}              its answer; without data if there is none
//	{"type":"response","command":"prompt","success":false,"error":"…","code":"…"} or why there is no answer
//	{"type":"leaf_moved","old":null,"new":"5d0f2a11"}                             an event, named after its type here
//
// The names of fields are the json tags of the types or, without one, the name of
// the field that begins small. What is nil or an empty text is left out, except
// the id of an entry, which is null then. What is JSON already, such as messages
// and the lines of entries, goes to the other side to the byte. None of it has line
// ends. Fields that are not known are passed over.

// kindOf is what is known of one kind of command or event.
type kindOf struct {
	name   string
	typ    reflect.Type
	answer reflect.Type // of a command
	in     string       // the field of data that an answer is put in which is no object
}

type kinds struct {
	commands, events map[string]kindOf
	eventNames       map[reflect.Type]string
}

// table is made when it is first asked for.
var table = sync.OnceValue(func() kinds {
	k := kinds{map[string]kindOf{}, map[string]kindOf{}, map[reflect.Type]string{}}
	for _, c := range commands() {
		k.commands[c.name] = c
	}
	for _, ev := range events() {
		t := reflect.TypeOf(ev)
		name := snake(t.Name())
		k.events[name] = kindOf{name: name, typ: t}
		k.eventNames[t] = name
	}
	return k
})

func command[R any](c Command[R], in ...string) kindOf {
	return kindOf{c.Name(), reflect.TypeOf(c), reflect.TypeFor[R](), strings.Join(in, "")}
}

// snake writes a type's name as the name of an event: LeafMoved, leaf_moved.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if 'A' <= r && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CommandNames returns the names of all commands, in no order that means anything.
func CommandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// EncodeCommand writes a command.
func EncodeCommand(cmd Request) ([]byte, error) {
	b := rawjson.AppendString([]byte(`{"type":`), cmd.Name())
	return appendFields(b, reflect.ValueOf(cmd))
}

// DecodeCommand reads a command. Its error says what is wrong with it, and has a
// code.
func DecodeCommand(b []byte) (Request, error) {
	b, err := oneLine(b)
	if err != nil {
		return nil, err
	}
	name, ok := rawjson.GetString(b, "type")
	if !ok {
		return nil, Fail(BadRequest, `a command is an object with its name in the field "type"`)
	}
	k, ok := table().commands[name]
	if !ok {
		return nil, Fail(UnknownCommand, "Unknown command: %s", name)
	}
	v := reflect.New(k.typ).Elem()
	switch name {
	case Append{}.Name():
		if rawjson.IsNull(rawjson.Get(b, "message")) {
			if _, ok := rawjson.GetString(b, "role"); !ok {
				return nil, (&misfit{"role", Alternatives([]string{"user", "assistant", "custom"}), rawjson.IsNull(rawjson.Get(b, "role"))}).of(name)
			}
			b = withMessage(b)
		}
	case SetSetting{}.Name():
		// A value is what a person would write, or what it is in JSON.
		if value := rawjson.Get(b, "value"); value != nil && rawjson.Kind(value) != '"' {
			b = rawjson.Set(b, "value", rawjson.AppendString(nil, string(value)))
		}
	}
	if err := readFields(v, b); err != nil {
		return nil, err.of(name)
	}
	if a, ok := v.Interface().(Append); ok {
		var more struct {
			Images []message.Block `json:"images,images"`
		}
		if err := readFields(reflect.ValueOf(&more).Elem(), b); err != nil {
			return nil, err.of(name)
		}
		if len(more.Images) > 0 {
			a.Message = a.Message.WithContent(slices.Concat(a.Message.Content, more.Images))
		}
		return a, nil
	}
	return v.Interface().(Request), nil
}

// withMessage is for an append that has the parts of its message as fields of its
// own, as in RPC. A custom message is shown there unless it says otherwise.
func withMessage(b []byte) []byte {
	if role, _ := rawjson.GetString(b, "role"); role == string(message.Custom) && rawjson.IsNull(rawjson.Get(b, "display")) {
		b = rawjson.Set(b, "display", []byte("true"))
	}
	m := []byte("{}")
	for _, key := range []string{"role", "content", "api", "provider", "model", "usage", "stopReason", "timestamp"} {
		if v := rawjson.Get(b, key); v != nil {
			m = rawjson.Set(m, key, v)
		}
	}
	return rawjson.Set(b, "message", m)
}

// EncodeOpen writes what to open, DecodeOpen reads it.
func EncodeOpen(o Open) ([]byte, error) {
	return appendFields([]byte(`{"type":"open"`), reflect.ValueOf(o))
}

// DecodeOpen reads what EncodeOpen has written.
func DecodeOpen(b []byte) (o Open, err error) {
	b, err = oneLine(b)
	if err != nil {
		return o, err
	}
	if rawjson.Kind(b) != '{' {
		return o, Fail(BadRequest, `what to open is an object, {"session":"ID"}`)
	}
	if err := readFields(reflect.ValueOf(&o).Elem(), b); err != nil {
		return o, err.of("open")
	}
	return o, nil
}

// EncodeAnswer writes the answer to a command of that name, or why there is none.
func EncodeAnswer(name string, answer any, err error) ([]byte, error) {
	b := []byte(`{"type":"response"`)
	if name != "" {
		b = rawjson.AppendString(append(b, `,"command":`...), name)
	}
	if err != nil {
		b = rawjson.AppendString(append(b, `,"success":false,"error":`...), err.Error())
		if code := CodeOf(err); code != "" {
			b = rawjson.AppendString(append(b, `,"code":`...), string(code))
		}
		return append(b, '}'), nil
	}
	b = append(b, `,"success":true`...)
	k := table().commands[name]
	if k.answer == reflect.TypeFor[None]() {
		return append(b, '}'), nil
	}
	v := reflect.ValueOf(answer)
	if !v.IsValid() || v.Type() != k.answer {
		return nil, fmt.Errorf("%s was answered with a %T", name, answer)
	}
	b = append(b, `,"data":`...)
	if k.in != "" {
		b = append(rawjson.AppendString(append(b, '{'), k.in), ':')
	}
	b, err = appendValue(b, v, nil)
	if k.in != "" {
		b = append(b, '}')
	}
	return append(b, '}'), err
}

// DecodeAnswer reads the answer to a command of that name. What went wrong there
// comes back as an *Error.
func DecodeAnswer(name string, b []byte) (any, error) {
	if !rawjson.Valid(b) || rawjson.Kind(b) != '{' {
		return nil, fmt.Errorf("the answer to %s is no JSON object", name)
	}
	if !rawjson.Bool(rawjson.Get(b, "success")) {
		text, _ := rawjson.GetString(b, "error")
		code, _ := rawjson.GetString(b, "code")
		if text == "" {
			return nil, fmt.Errorf("the answer to %s is neither a success nor an error", name)
		}
		return nil, &Error{Code: Code(code), Text: text}
	}
	k, ok := table().commands[name]
	if !ok {
		return nil, Fail(UnknownCommand, "Unknown command: %s", name)
	}
	v := reflect.New(k.answer).Elem()
	if k.answer == reflect.TypeFor[None]() {
		return None{}, nil
	}
	data := rawjson.Get(b, "data")
	if k.in != "" {
		data = rawjson.Get(data, k.in)
	}
	if err := readValue(v, data, nil); err != nil {
		return nil, err.of("the answer to " + name)
	}
	return v.Interface(), nil
}

// EncodeEvent writes an event. Opened comes without its tree, whose entries follow
// as Appended.
func EncodeEvent(ev Event) ([]byte, error) {
	name, ok := table().eventNames[reflect.TypeOf(ev)]
	if !ok {
		return nil, fmt.Errorf("the event %T is not known", ev)
	}
	b := rawjson.AppendString([]byte(`{"type":`), name)
	return appendFields(b, reflect.ValueOf(ev))
}

// UnknownEvent is returned for an event that this version does not know.
type UnknownEvent string

func (e UnknownEvent) Error() string { return fmt.Sprintf("Unknown event: %s", string(e)) }

// DecodeEvent reads an event.
func DecodeEvent(b []byte) (Event, error) {
	b, err := oneLine(b)
	if err != nil {
		return nil, err
	}
	name, _ := rawjson.GetString(b, "type")
	k, ok := table().events[name]
	if !ok {
		return nil, UnknownEvent(name)
	}
	v := reflect.New(k.typ).Elem()
	if err := readFields(v, b); err != nil {
		return nil, err.of(name)
	}
	return v.Interface().(Event), nil
}

// oneLine takes the line ends out of JSON, which can only stand between its
// tokens, so that no part of it brings one along.
func oneLine(b []byte) ([]byte, error) {
	b = rawjson.Trim(b)
	if !rawjson.Valid(b) {
		at, _ := rawjson.Prefix(b)
		return nil, Fail(BadRequest, "no JSON at byte %d", at)
	}
	if bytes.ContainsAny(b, "\r\n") {
		b = slices.DeleteFunc(bytes.Clone(b), func(c byte) bool { return c == '\r' || c == '\n' })
	}
	return b, nil
}
