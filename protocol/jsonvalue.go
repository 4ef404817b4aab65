package protocol

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A field is one field of a struct as JSON. The options behind its name in the tag:
//
//	required      it must be there when a command is read
//	not           the JSON has the opposite of the flag
//	images        each block must be an image
//	words=a|b     a text must be one of them; a flag is the first one if it is not set, else the second
type field struct {
	index    []int
	name     string
	required bool
	not      bool
	images   bool
	words    []string
}

var plans sync.Map // []field by reflect.Type

// fieldsOf returns the fields of a struct, those of embedded ones among them.
func fieldsOf(t reflect.Type) []field {
	if p, ok := plans.Load(t); ok {
		return p.([]field)
	}
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		if !sf.IsExported() || sf.Type == treeType {
			continue
		}
		if sf.Anonymous && name == "" {
			for _, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				fields = append(fields, f)
			}
			continue
		}
		f := field{index: sf.Index, name: name}
		if name == "" || name == "-" { // what is no part of pi's form is part of ours
			f.name = small(sf.Name)
		}
		for opt := range strings.SplitSeq(opts, ",") {
			switch {
			case opt == "required":
				f.required = true
			case opt == "not":
				f.not = true
			case opt == "images":
				f.images = true
			case strings.HasPrefix(opt, "words="):
				f.words = strings.Split(opt[len("words="):], "|")
			}
		}
		fields = append(fields, f)
	}
	plans.Store(t, fields)
	return fields
}

// small is a field's name as JSON has it: FollowUp, followUp; CWD, cwd; CallID, callId.
func small(name string) string {
	if rest, ok := strings.CutSuffix(name, "ID"); ok {
		name = rest + "Id"
	}
	r := []rune(name)
	for i := range r {
		if i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) || unicode.IsLower(r[i]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

// appendFields goes on with an object that has a member already.
func appendFields(b []byte, v reflect.Value) ([]byte, error) {
	var err error
	for _, f := range fieldsOf(v.Type()) {
		fv := v.FieldByIndex(f.index)
		if leftOut(fv) && !(f.required && fv.Kind() == reflect.String) {
			continue
		}
		name := f.name
		if _, ok := fv.Interface().(RawID); ok && fv.Kind() == reflect.Interface {
			name = rawIDName
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, name), ':')
		if b, err = appendValue(b, fv, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return append(b, '}'), nil
}

// leftOut reports whether a field is left out: nil, an empty text, no time.
func leftOut(v reflect.Value) bool {
	if v.Type() == idType {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return v.Len() == 0
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		return v.IsNil()
	case reflect.Struct:
		return v.Type() == timeType && v.IsZero()
	}
	return false
}

func appendValue(b []byte, v reflect.Value, f *field) ([]byte, error) {
	if s, ok := specialOf(v.Type()); ok {
		return s.write(b, v)
	}
	switch v.Kind() {
	case reflect.String:
		return rawjson.AppendString(b, v.String()), nil
	case reflect.Bool:
		on := v.Bool()
		if f != nil && len(f.words) == 2 {
			return rawjson.AppendString(b, f.words[flagIndex(on)]), nil
		}
		return fmt.Appendf(b, "%t", on != (f != nil && f.not)), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Appendf(b, "%d", v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Appendf(b, "%d", v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return rawjson.AppendNumber(b, v.Float()), nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		return appendValue(b, v.Elem(), f)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return appendRaw(b, v.Bytes()), nil
		}
		return appendList(b, v)
	case reflect.Map:
		return appendMap(b, v)
	case reflect.Struct:
		return appendFields(append(b, '{'), v)
	}
	return nil, fmt.Errorf("a %s has no JSON", v.Type())
}

func flagIndex(on bool) int {
	if on {
		return 1
	}
	return 0
}

func appendList(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, v.Index(i), nil); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendMap(b []byte, v reflect.Value) (_ []byte, err error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, key.String()), ':')
		if b, err = appendValue(b, v.MapIndex(key), nil); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// asBytes is the one member of an object that stands for bytes which cannot go as
// they are, because they are no JSON, null, or have line ends. They are in base64.
const asBytes = "bough.bytes"

// appendRaw writes what is JSON as it stands.
func appendRaw(b, v []byte) []byte {
	if bytes.ContainsAny(v, "\r\n") || len(rawjson.Trim(v)) != len(v) || !rawjson.Valid(v) || rawjson.IsNull(v) || unraw(v) != nil {
		b = append(append(b, `{"`+asBytes+`":"`...), base64.StdEncoding.EncodeToString(v)...)
		return append(b, `"}`...)
	}
	return append(b, v...)
}

// readRaw gives back what appendRaw was given, as a copy.
func readRaw(v []byte) []byte {
	if text := unraw(v); text != nil {
		if b, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
			return b
		}
	}
	return bytes.Clone(v)
}

// unraw returns the base64 of an object that stands for bytes, or nil.
func unraw(v []byte) []byte {
	if len(v) > 64 && !bytes.HasPrefix(v, []byte(`{"`+asBytes+`"`)) {
		return nil
	}
	n, text := 0, []byte(nil)
	for key, m := range rawjson.Members(v) {
		if s, ok := rawjson.String(m); ok && key == asBytes {
			text = []byte(s)
		}
		n++
	}
	if n != 1 || text == nil {
		return nil
	}
	return text
}

// A misfit says which value is not what it should be.
type misfit struct {
	path string // "images[0]"; "" is the value itself
	want string // "a text"
	lack bool   // it is not there
}

func (m *misfit) of(what string) error {
	switch {
	case m.path == "":
		return Fail(BadRequest, "%s must be %s", what, m.want)
	case m.lack:
		return Fail(BadRequest, "%s lacks the field %q, which is %s", what, m.path, m.want)
	}
	return Fail(BadRequest, "the field %q of %s must be %s", m.path, what, m.want)
}

func (m *misfit) below(name string) *misfit {
	switch {
	case m.path == "":
		m.path = name
	case m.path[0] == '[':
		m.path = name + m.path
	default:
		m.path = name + "." + m.path
	}
	return m
}

func readFields(v reflect.Value, obj []byte) *misfit {
	fields := fieldsOf(v.Type())
	there := make([]bool, len(fields))
	for key, raw := range rawjson.Members(obj) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		if i < 0 {
			if i = slices.IndexFunc(fields, func(f field) bool { return f.name == "id" }); i >= 0 && key == rawIDName {
				if fv := v.FieldByIndex(fields[i].index); fv.Kind() == reflect.Interface {
					fv.Set(reflect.ValueOf(RawID(readRaw(raw))))
				}
			}
			continue
		}
		f := fields[i]
		fv := v.FieldByIndex(f.index)
		if rawjson.IsNull(raw) && !takesNull(fv.Type()) {
			continue // as if it were absent
		}
		if takesNull(fv.Type()) && string(raw) == `""` { // of a script that found no entry
			return &misfit{path: f.name, want: want(fv.Type(), &f)}
		}
		there[i] = true
		if err := readValue(fv, raw, &f); err != nil {
			return err.below(f.name)
		}
		if blocks, ok := fv.Interface().([]message.Block); ok && f.images && !isImages(blocks) {
			return &misfit{path: f.name, want: want(fv.Type(), &f)}
		}
	}
	for i, f := range fields {
		if f.required && !there[i] {
			return &misfit{f.name, want(v.FieldByIndex(f.index).Type(), &f), true}
		}
	}
	return nil
}

// takesNull reports whether null means something: the place before the first entry.
func takesNull(t reflect.Type) bool {
	return t == idType || t.Kind() == reflect.Pointer && t.Elem() == idType
}

func readValue(v reflect.Value, raw []byte, f *field) *misfit {
	if s, ok := specialOf(v.Type()); ok {
		if raw == nil || s.read(v, raw) != nil {
			return &misfit{want: s.want}
		}
		return nil
	}
	bad := &misfit{want: want(v.Type(), f)}
	switch v.Kind() {
	case reflect.String:
		s, ok := rawjson.String(raw)
		if !ok || f != nil && f.words != nil && !slices.Contains(f.words, s) {
			return bad
		}
		v.SetString(s)
	case reflect.Bool:
		if f != nil && len(f.words) == 2 {
			s, ok := rawjson.String(raw)
			if !ok || !slices.Contains(f.words, s) {
				return bad
			}
			v.SetBool(s == f.words[1])
			return nil
		}
		if k := rawjson.Kind(raw); k != 't' && k != 'f' {
			return bad
		}
		v.SetBool(rawjson.Bool(raw) != (f != nil && f.not))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if rawjson.Kind(raw) != '0' || json.Unmarshal(raw, v.Addr().Interface()) != nil {
			return bad
		}
	case reflect.Float32, reflect.Float64:
		n, ok := rawjson.Number(raw)
		if !ok && !rawjson.IsNull(raw) {
			return bad
		}
		v.SetFloat(n)
	case reflect.Pointer:
		if rawjson.IsNull(raw) && v.Type().Elem() != idType {
			return nil
		}
		p := reflect.New(v.Type().Elem())
		if err := readValue(p.Elem(), raw, f); err != nil {
			return err
		}
		v.Set(p)
	case reflect.Interface:
		if a := readAny(raw); a != nil {
			v.Set(reflect.ValueOf(a))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(readRaw(raw))
			return nil
		}
		return readList(v, raw, bad)
	case reflect.Map:
		return readMap(v, raw, bad)
	case reflect.Struct:
		if rawjson.Kind(raw) != '{' {
			return bad
		}
		return readFields(v, raw)
	default:
		return bad
	}
	return nil
}

func readList(v reflect.Value, raw []byte, bad *misfit) *misfit {
	if rawjson.Kind(raw) != '[' {
		return bad
	}
	list := reflect.MakeSlice(v.Type(), 0, 0)
	for e := range rawjson.Elements(raw) {
		n := reflect.New(v.Type().Elem()).Elem()
		if err := readValue(n, e, nil); err != nil {
			return err.below(fmt.Sprintf("[%d]", list.Len()))
		}
		list = reflect.Append(list, n)
	}
	v.Set(list)
	return nil
}

func isImages(blocks []message.Block) bool {
	return !slices.ContainsFunc(blocks, func(b message.Block) bool { return !isImage(b) })
}

func readMap(v reflect.Value, raw []byte, bad *misfit) *misfit {
	if rawjson.Kind(raw) != '{' {
		return bad
	}
	m := reflect.MakeMap(v.Type())
	for key, e := range rawjson.Members(raw) {
		n := reflect.New(v.Type().Elem()).Elem()
		if err := readValue(n, e, nil); err != nil {
			return err.below(key)
		}
		m.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), n)
	}
	v.Set(m)
	return nil
}

// readAny reads any JSON.
func readAny(raw []byte) any {
	switch rawjson.Kind(raw) {
	case '"':
		s, _ := rawjson.String(raw)
		return s
	case 't', 'f':
		return rawjson.Bool(raw)
	case '0':
		n, _ := rawjson.Number(raw)
		return n
	case '[':
		list := []any{}
		for e := range rawjson.Elements(raw) {
			list = append(list, readAny(e))
		}
		return list
	case '{':
		m := map[string]any{}
		for key, e := range rawjson.Members(raw) {
			m[key] = readAny(e)
		}
		return m
	}
	return nil
}

// Alternatives are words to choose from, for people: "a", "b" or "c".
func Alternatives(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// want says in words what a value must be.
func want(t reflect.Type, f *field) string {
	if s, ok := specialOf(t); ok {
		return s.want
	}
	if f != nil && f.images {
		return `a list of images, each {"type":"image","data":BASE64,"mimeType":TYPE}`
	}
	if f != nil && f.words != nil {
		return Alternatives(f.words)
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Pointer:
		return want(t.Elem(), f)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "any JSON"
		}
		return "a list, each " + want(t.Elem(), nil)
	case reflect.Interface:
		return "any JSON"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a whole number"
}
