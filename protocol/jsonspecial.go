package protocol

import (
	"encoding/base64"
	"errors"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// special is how values of one type are written and read that are more than their
// fields.
type special struct {
	want  string // what the JSON must be
	write func([]byte, reflect.Value) ([]byte, error)
	read  func(reflect.Value, []byte) error
}

var (
	idType   = reflect.TypeFor[session.ID]()
	timeType = reflect.TypeFor[time.Time]()
	treeType = reflect.TypeFor[*session.Tree]()

	durationType = reflect.TypeFor[time.Duration]()
	messageType  = reflect.TypeFor[message.Message]()
	blockType    = reflect.TypeFor[message.Block]()
	usageType    = reflect.TypeFor[message.Usage]()
	specType     = reflect.TypeFor[message.ToolSpec]()
	headerType   = reflect.TypeFor[session.Header]()
	entryType    = reflect.TypeFor[*session.Entry]()
	rawIDType    = reflect.TypeFor[RawID]()
)

// rawIDName is the field of an id that is JSON as a client of RPC gave it.
const rawIDName = "rawId"

var errMisfit = errors.New("not what it should be")

// specialOf returns what is special about a type.
func specialOf(t reflect.Type) (special, bool) {
	switch t {
	case idType:
		return special{"the id of an entry", writeID, readID}, true
	case rawIDType:
		return special{"any JSON", writeRawID, nil}, true
	case timeType:
		return special{"a time such as 2026-03-01T09:00:00Z", writeTime, readTime}, true
	case durationType:
		return special{"a number of milliseconds", writeDuration, readDuration}, true
	case messageType:
		return special{"a message", writeMessage, readMessage}, true
	case blockType:
		return special{"a block of content", writeBlock, readBlock}, true
	case usageType:
		return special{"an object", writeUsage, readUsage}, true
	case specType:
		return special{"an object", writeSpec, readSpec}, true
	case headerType:
		return special{"the header of a session", writeHeader, readHeader}, true
	case entryType:
		return special{"an entry", writeEntry, readEntry}, true
	}
	return special{}, false
}

func writeID(b []byte, v reflect.Value) ([]byte, error) {
	if v.Len() == 0 {
		return append(b, "null"...), nil
	}
	return rawjson.AppendString(b, v.String()), nil
}

func readID(v reflect.Value, raw []byte) error {
	s, ok := rawjson.String(raw)
	if !ok && !rawjson.IsNull(raw) {
		return errMisfit
	}
	v.SetString(s)
	return nil
}

func writeRawID(b []byte, v reflect.Value) ([]byte, error) {
	return appendRaw(b, []byte(v.String())), nil
}

func writeTime(b []byte, v reflect.Value) ([]byte, error) {
	t := v.Interface().(time.Time)
	return append(t.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano), '"'), nil
}

func readTime(v reflect.Value, raw []byte) error {
	s, _ := rawjson.String(raw)
	t, err := time.Parse(time.RFC3339Nano, s)
	v.Set(reflect.ValueOf(t))
	return err
}

func writeDuration(b []byte, v reflect.Value) ([]byte, error) {
	return strconv.AppendFloat(b, float64(v.Int())/1e6, 'f', -1, 64), nil
}

func readDuration(v reflect.Value, raw []byte) error {
	ms, ok := rawjson.Number(raw)
	if !ok || math.Abs(ms) > math.MaxInt64/1e6 {
		return errMisfit
	}
	v.SetInt(int64(math.Round(ms * 1e6)))
	return nil
}

func writeMessage(b []byte, v reflect.Value) ([]byte, error) {
	return appendRaw(b, v.Interface().(message.Message).JSON()), nil
}

func readMessage(v reflect.Value, raw []byte) error {
	m, err := message.Decode(readRaw(raw))
	v.Set(reflect.ValueOf(m))
	return err
}

func writeBlock(b []byte, v reflect.Value) ([]byte, error) {
	return appendRaw(b, v.Interface().(message.Block).JSON()), nil
}

func readBlock(v reflect.Value, raw []byte) error {
	v.Set(reflect.ValueOf(message.DecodeBlock(readRaw(raw))))
	return nil
}

// isImage reports whether a block is an image that can be shown.
func isImage(b message.Block) bool {
	_, err := base64.StdEncoding.DecodeString(b.Data)
	return b.Type == message.ImageBlock && b.MimeType != "" && b.Data != "" && err == nil
}

func writeUsage(b []byte, v reflect.Value) ([]byte, error) {
	return append(b, v.Interface().(message.Usage).JSON()...), nil
}

func readUsage(v reflect.Value, raw []byte) error {
	u := message.DecodeUsage(raw)
	if u == nil {
		return errMisfit
	}
	v.Set(reflect.ValueOf(*u))
	return nil
}

// sentSpec is the declaration of a tool with what is no part of it.
type sentSpec struct {
	Spec   []byte
	Prompt string
	Rules  []string
}

func writeSpec(b []byte, v reflect.Value) ([]byte, error) {
	t := v.Interface().(message.ToolSpec)
	return appendFields(append(b, '{'), reflect.ValueOf(sentSpec{t.JSON(), t.Prompt, t.Rules}))
}

func readSpec(v reflect.Value, raw []byte) error {
	var s sentSpec
	if readFields(reflect.ValueOf(&s).Elem(), raw) != nil {
		return errMisfit
	}
	t, ok := message.DecodeTool(s.Spec)
	if !ok {
		return errMisfit
	}
	t.Prompt, t.Rules = s.Prompt, s.Rules
	v.Set(reflect.ValueOf(t))
	return nil
}

func writeHeader(b []byte, v reflect.Value) ([]byte, error) {
	h := v.Interface().(session.Header)
	line := h.Line()
	if is, err := session.DecodeHeader(line); err == nil && is.Version != h.Version {
		line = rawjson.Set(line, "version", strconv.AppendInt(nil, int64(h.Version), 10))
	}
	return appendRaw(b, line), nil
}

func readHeader(v reflect.Value, raw []byte) error {
	h, err := session.DecodeHeader(readRaw(raw))
	v.Set(reflect.ValueOf(h))
	return err
}

// sentEntry is an entry. What its line says is not said again, unless the log is
// damaged and it is something else.
type sentEntry struct {
	Seq  session.Seq
	Size int
	Line []byte // as it stands in the log
	Lack string // why there is no line
	As   *madeUp
}

// madeUp is what an entry is taken for.
type madeUp struct {
	ID     session.ID
	Parent session.ID `json:"parentId"`
	Type   session.Type
	Role   message.Role
	Custom string `json:"customType"`
	Time   time.Time
	Damage *session.Damage
}

// lack is the source of a line that could not be read where it was.
type lack string

func (l lack) Read(session.Line) ([]byte, error) { return nil, errors.New(string(l)) }

func writeEntry(b []byte, v reflect.Value) ([]byte, error) {
	e := v.Interface().(*session.Entry)
	if e == nil {
		return append(b, "null"...), nil
	}
	s := sentEntry{Seq: e.Line.Seq, Size: e.Line.Size}
	line, err := e.Raw()
	if err != nil {
		s.Lack = err.Error()
	} else {
		s.Line = line
	}
	if err != nil || e.Damage != nil || len(line) == 0 {
		s.As = &madeUp{e.ID, e.Parent, e.Type, e.Role, e.Custom, e.Time, e.Damage}
	}
	return appendFields(append(b, '{'), reflect.ValueOf(s))
}

func readEntry(v reflect.Value, raw []byte) error {
	if rawjson.IsNull(raw) {
		return nil
	}
	var s sentEntry
	if rawjson.Kind(raw) != '{' || readFields(reflect.ValueOf(&s).Elem(), raw) != nil {
		return errMisfit
	}
	at := session.Line{Seq: s.Seq, Size: s.Size}
	if s.As == nil {
		e, err := session.Decode(s.Line, at, session.Bytes(s.Line))
		v.Set(reflect.ValueOf(e))
		return err
	}
	var src session.Source = session.Bytes(s.Line)
	if s.Lack != "" {
		src = lack(s.Lack)
	}
	e := &session.Entry{ID: s.As.ID, Parent: s.As.Parent, Type: s.As.Type, Role: s.As.Role, Custom: s.As.Custom, Time: s.As.Time, Damage: s.As.Damage}
	v.Set(reflect.ValueOf(e.At(at, src)))
	return nil
}
