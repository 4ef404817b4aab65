package protocol

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// filler makes values of all kinds.
type filler struct{ *rand.Rand }

func (r filler) text() string {
	return []string{"", "a", "two\nlines\r\n", `"quoted" \ <b>`, "\u2028 \u0000 é 漢 🐦", "half a pair \xed\xa0\x80", strings.Repeat("long ", 40)}[r.IntN(7)]
}

func (r filler) raw() []byte {
	return []byte([]string{`null`, `{}`, `{"a": [1.50, 1e400, "\ud800"]}`, "[\n1\r\n]", `not JSON`, "", `{"bough.bytes":"aGk="}`, `"\u0041"`, " 1 "}[r.IntN(9)])
}

func (r filler) message() message.Message {
	switch r.IntN(4) {
	case 0:
		return message.Message{Role: message.User, Content: []message.Block{message.Text(r.text()), message.Image([]byte(r.text()), "image/png")}, Timestamp: r.Int64N(1 << 50)}
	case 1:
		return message.Message{Role: message.Assistant, API: "a", Provider: "p", Model: "m", Usage: r.usage(), StopReason: message.Stop,
			Content: []message.Block{message.Thinking(r.text(), "sig"), message.ToolCall("c|d", "read", []byte(`{"path": "x"}`))}}
	case 2:
		return message.Message{}
	}
	m, err := message.Decode([]byte(`{"content":"x", "role":"hologram","unknown":[1.0,"\ud800"],"n":1e2}`))
	if err != nil {
		panic(err)
	}
	return m
}

func (r filler) usage() *message.Usage {
	n := r.Int64N(1 << 40)
	yes := r.IntN(2) == 0
	return &message.Usage{Input: r.Int64N(1 << 40), Output: n, CacheWrite1h: 5, Reasoning: &n, TotalTokens: 7, Cost: message.Cost{Input: r.Float64(), Total: 1e-9, FromProvider: &yes}}
}

func (r filler) entry() *session.Entry {
	at := session.Line{Seq: session.Seq(r.Uint64()), Size: r.IntN(1 << 20)}
	line := []byte(`{"type":"custom","id":"2","parentId":"1","timestamp":"2026-03-01T09:00:00.123Z","customType":"x","data":[2.50,"\ud800"],  "z":1}`)
	if r.IntN(4) == 0 {
		line = append(line, '\r')
	}
	e, err := session.Decode(line, at, session.Bytes(line))
	if err != nil {
		panic(err)
	}
	switch r.IntN(4) {
	case 0:
		e = &session.Entry{ID: "made\xed\xa0\x80up", Parent: "p", Type: session.TypeDamaged, Time: time.UnixMilli(5).UTC(),
			Damage: &session.Damage{Kind: session.Lost | session.Moved, Line: 7, Type: "message", Role: "user", Named: "n"}}
		e = e.At(at, session.Bytes(`{"type":"mess`))
	case 1:
		e = (&session.Entry{ID: "long", Type: "message", Role: "user"}).At(at, lack("the line is too long"))
	}
	return e
}

// fill sets a value, and its fields, to something.
func (r filler) fill(v reflect.Value) {
	switch v.Type() {
	case treeType:
		return
	case messageType:
		v.Set(reflect.ValueOf(r.message()))
		return
	case blockType:
		v.Set(reflect.ValueOf([]message.Block{message.Image([]byte("x"+r.text()), "image/png"), message.Image([]byte("y"), "image/gif")}[r.IntN(2)]))
		return
	case usageType:
		v.Set(reflect.ValueOf(*r.usage()))
		return
	case specType:
		t, _ := message.DecodeTool([]byte(`{"name":"n","description":"d","parameters":{ "type":"object"},"strict":true}`))
		t.Prompt, t.Rules = r.text(), []string{r.text()}
		v.Set(reflect.ValueOf(t))
		return
	case headerType:
		h := session.Header{ID: r.text(), Version: r.IntN(4), Timestamp: "2026", CWD: r.text(), ParentSession: r.text()}
		if r.IntN(2) == 0 {
			h, _ = session.DecodeHeader([]byte(`{"version":3,"type":"session","id":"x","cwd":"/a","z": 1.0}`))
		}
		v.Set(reflect.ValueOf(h))
		return
	case entryType:
		v.Set(reflect.ValueOf(r.entry()))
		return
	case timeType:
		v.Set(reflect.ValueOf([]time.Time{{}, time.UnixMilli(r.Int64N(1 << 42)).UTC(), time.Unix(1, 5).UTC()}[r.IntN(3)]))
		return
	case durationType:
		v.SetInt(r.Int64N(int64(time.Hour)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(r.text())
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{0, -1, 1<<63 - 1, r.Int64()}[r.IntN(4)])
	case reflect.Uint8:
		v.SetUint(r.Uint64N(256))
	case reflect.Uint64:
		v.SetUint(r.Uint64())
	case reflect.Float64:
		v.SetFloat([]float64{0, -1.5e-300, r.NormFloat64(), 1e21}[r.IntN(4)])
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem())
		}
	case reflect.Interface:
		if a := []any{nil, "", "text", true, 1.5, map[string]any{"k": []any{nil, "x"}}}[r.IntN(6)]; a != nil {
			v.Set(reflect.ValueOf(a))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(r.raw())
			return
		}
		n := r.IntN(4)
		if n == 3 {
			return // nil
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			r.fill(v.Index(i))
		}
	case reflect.Map:
		if n := r.IntN(3); n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				key.SetString("k" + r.text())
				r.fill(val)
				v.SetMapIndex(key, val)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.fill(v.Field(i))
			}
			if f := v.Field(i); f.Kind() == reflect.Interface && r.IntN(2) == 0 {
				f.Set(reflect.ValueOf(RawID([]string{`{"a": 1}`, `7`, `null`, "[1,\n2]"}[r.IntN(4)])))
			}
		}
	default:
		panic("cannot fill a " + v.Type().String())
	}
}

// words takes the words that a field may be, where only some are allowed.
func (r filler) words(v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		if fv := v.FieldByIndex(f.index); fv.Kind() == reflect.String && f.words != nil {
			fv.SetString(append(f.words, "")[r.IntN(len(f.words)+1)])
			if f.required {
				fv.SetString(f.words[0])
			}
		} else if f.required && fv.Kind() == reflect.Slice && fv.IsNil() {
			fv.Set(reflect.MakeSlice(fv.Type(), 0, 0))
		}
	}
}

// show writes a value with all that counts of it: what is JSON inside to the byte.
func show(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case message.Message:
		return string(x.Role) + " " + string(x.JSON())
	case message.Block:
		return string(x.JSON())
	case message.ToolSpec:
		return fmt.Sprintf("%s %q %q", x.JSON(), x.Prompt, x.Rules)
	case session.Header:
		return fmt.Sprintf("%q %d %q %q %q", x.ID, x.Version, x.Timestamp, x.CWD, x.ParentSession)
	case *session.Entry:
		line, err := x.Raw()
		return fmt.Sprintf("%q %q %q %q %q %v %v %+v %q %v", x.ID, x.Parent, x.Type, x.Role, x.Custom, x.Time, x.Line, x.Damage, line, err != nil)
	case *session.Tree:
		return ""
	case time.Time:
		return x.String()
	}
	var b strings.Builder
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fmt.Fprintf(&b, "%s:%s ", v.Type().Field(i).Name, show(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("%#v", v.Interface())
		}
		for i := range v.Len() {
			fmt.Fprintf(&b, "[%s]", show(v.Index(i)))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			fmt.Fprintf(&b, "%q=%s ", k, show(v.MapIndex(k)))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return "&" + show(v.Elem())
	default:
		return fmt.Sprintf("%T %#v", v.Interface(), v.Interface())
	}
	return b.String()
}

func same(t *testing.T, what string, got, want any, b []byte) {
	t.Helper()
	if reflect.TypeOf(got) != reflect.TypeOf(want) {
		t.Fatalf("%s: %T, want %T", what, got, want)
	}
	if g, w := show(reflect.ValueOf(got)), show(reflect.ValueOf(want)); g != w {
		t.Fatalf("%s: came back as\n%s\nwas\n%s\nby way of %s", what, g, w, b)
	}
	if !rawjson.Valid(b) || strings.ContainsAny(string(b), "\r\n") {
		t.Fatalf("%s: not JSON on one line: %s", what, b)
	}
}

func TestCommandsAndAnswersComeBack(t *testing.T) {
	for _, k := range commands() {
		for seed := range uint64(60) {
			r := filler{rand.New(rand.NewPCG(seed, 1))}
			what := fmt.Sprintf("%s, seed %d", k.name, seed)
			v := reflect.New(k.typ).Elem()
			r.fill(v)
			r.words(v)
			b, err := EncodeCommand(v.Interface().(Request))
			if err != nil {
				t.Fatal(what, err)
			}
			back, err := DecodeCommand(b)
			if err != nil {
				t.Fatal(what, err, string(b))
			}
			same(t, what, back, v.Interface(), b)

			a := reflect.New(k.answer).Elem()
			r.fill(a)
			b, err = EncodeAnswer(k.name, a.Interface(), nil)
			if err != nil {
				t.Fatal(what, err)
			}
			got, err := DecodeAnswer(k.name, b)
			if err != nil {
				t.Fatal(what, err, string(b))
			}
			same(t, what, got, a.Interface(), b)
		}
	}
}

func TestEventsComeBack(t *testing.T) {
	for _, ev := range events() {
		for seed := range uint64(60) {
			r := filler{rand.New(rand.NewPCG(seed, 2))}
			v := reflect.New(reflect.TypeOf(ev)).Elem()
			r.fill(v)
			b, err := EncodeEvent(v.Interface().(Event))
			if err != nil {
				t.Fatalf("%T, seed %d: %v", ev, seed, err)
			}
			got, err := DecodeEvent(b)
			if err != nil {
				t.Fatalf("%T, seed %d: %v: %s", ev, seed, err, b)
			}
			same(t, fmt.Sprintf("%T, seed %d", ev, seed), got, v.Interface(), b)
		}
	}
}

// All that the package has is in the lists, and no two fields have one name.
func TestAllIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, k := range commands() {
		listed[k.typ.Name()] = true
		distinct(t, k.typ)
		if k.answer.Kind() == reflect.Struct {
			distinct(t, k.answer)
		} else if k.in == "" {
			t.Errorf("the answer to %s, a %s, has no name", k.name, k.answer)
		}
	}
	for _, ev := range events() {
		listed[reflect.TypeOf(ev).Name()] = true
		distinct(t, reflect.TypeOf(ev))
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "answers" && f.Name.Name != "event" {
				continue
			}
			n++
			if of := f.Recv.List[0].Type.(*ast.Ident); !listed[of.Name] {
				t.Errorf("%s is not in kinds.go", of.Name)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d commands and events", n)
	}
}

func distinct(t *testing.T, typ reflect.Type) {
	seen := map[string]bool{"type": true}
	for _, f := range fieldsOf(typ) {
		if seen[f.name] {
			t.Errorf("%s has two fields %q", typ, f.name)
		}
		seen[f.name] = true
	}
}

// What a person writes by hand, as docs/spec/rpc.md has it.
func TestCommandsByHand(t *testing.T) {
	root, at := session.ID(""), session.ID("aaaa0003")
	said, err := message.Decode([]byte(`{"role":"user","content":"hi","timestamp":5}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line string
		want Request
	}{
		{`{"type":"prompt","message":"hi"}`, Prompt{Text: "hi"}},
		{"{\r\n \"type\": \"prompt\",\n \"message\": \"a\\nb\", \"id\": 7, \"streamingBehavior\": \"steer\"\n}\n", Prompt{Text: "a\nb", WhenBusy: AsSteering}},
		{`{"type":"prompt","message":"hi","images":null,"view":"v1"}`, Prompt{Text: "hi"}},
		{`{"type":"navigate","entryId":"aaaa0003","summarize":true,"position":"at"}`, Navigate{Target: at, Summarize: true, At: true}},
		{`{"type":"navigate","entryId":null}`, Navigate{}},
		{`{"type":"prompt_at","parentId":null,"message":"x"}`, PromptAt{Text: "x"}},
		{`{"type":"set_model","provider":"p","modelId":"m"}`, SetModel{Provider: "p", ID: "m"}},
		{`{"type":"set_label","entryId":"aaaa0003","label":null}`, SetLabel{Entry: at}},
		{`{"type":"run_turn"}`, Retry{}},
		{`{"type":"run_turn","entryId":null}`, Retry{Entry: &root}},
		{`{"type":"append_message","role":"user","content":"hi","timestamp":5,"moveLeaf":false,"parentId":"aaaa0003"}`, Append{Parent: &at, Message: said, Stay: true}},
		{`{"type":"append_message","role":"user","content":"hi","timestamp":5,"images":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`,
			Append{Message: said.WithContent([]message.Block{message.Text("hi"), message.DecodeBlock([]byte(`{"type":"image","data":"aGk=","mimeType":"image/png"}`))})}},
		{`{"type":"list_sessions","scope":"all"}`, ListSessions{All: true}},
		{`{"type":"bash","command":"ls","id":"1"}`, Bash{Command: "ls", ID: "1"}},
	} {
		got, err := DecodeCommand([]byte(tt.line))
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		same(t, tt.line, got, tt.want, []byte("{}"))
	}
}

func TestCommandsThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		line, want string
		code       Code
	}{
		{``, `no JSON at byte 0`, BadRequest},
		{`{"type":`, `no JSON at byte 8`, BadRequest},
		{`null`, `a command is an object with its name in the field "type"`, BadRequest},
		{`[]`, `a command is an object with its name in the field "type"`, BadRequest},
		{`{"type":5}`, `a command is an object with its name in the field "type"`, BadRequest},
		{`{"type":"fly"}`, `Unknown command: fly`, UnknownCommand},
		{`{"type":"prompt"}`, `prompt lacks the field "message", which is a text`, BadRequest},
		{`{"type":"prompt","message":null}`, `prompt lacks the field "message", which is a text`, BadRequest},
		{`{"type":"prompt","message":{}}`, `the field "message" of prompt must be a text`, BadRequest},
		{`{"type":"prompt","message":"","streamingBehavior":"follow_up"}`, `the field "streamingBehavior" of prompt must be "steer" or "followUp"`, BadRequest},
		{`{"type":"prompt","message":"","images":[{"type":"image","data":"!","mimeType":"image/png"}]}`, `the field "images" of prompt must be a list of images, each {"type":"image","data":BASE64,"mimeType":TYPE}`, BadRequest},
		{`{"type":"prompt","message":"","images":[5]}`, `the field "images" of prompt must be a list of images, each {"type":"image","data":BASE64,"mimeType":TYPE}`, BadRequest},
		{`{"type":"navigate"}`, `navigate lacks the field "entryId", which is the id of an entry`, BadRequest},
		{`{"type":"navigate","entryId":["a"]}`, `the field "entryId" of navigate must be the id of an entry`, BadRequest},
		{`{"type":"navigate","entryId":"a","summarize":"yes"}`, `the field "summarize" of navigate must be true or false`, BadRequest},
		{`{"type":"navigate","entryId":"a","position":"behind"}`, `the field "position" of navigate must be "auto" or "at"`, BadRequest},
		{`{"type":"take_entries","what":"answer","entryIds":["a",5]}`, `the field "entryIds[1]" of take_entries must be the id of an entry`, BadRequest},
		{`{"type":"list_sessions","limit":1.5}`, `the field "limit" of list_sessions must be a whole number`, BadRequest},
		{`{"type":"list_sessions","limit":1e99}`, `the field "limit" of list_sessions must be a whole number`, BadRequest},
		{`{"type":"append_message","role":"user","content":"x","images":[5]}`, `the field "images" of append_message must be a list of images, each {"type":"image","data":BASE64,"mimeType":TYPE}`, BadRequest},
		{`{"type":"append_message","role":5,"content":"x"}`, `the field "role" of append_message must be "user", "assistant" or "custom"`, BadRequest},
		{`{"type":"append_message","content":"x"}`, `append_message lacks the field "role", which is "user", "assistant" or "custom"`, BadRequest},
		{`{"type":"append_message","role":"user","content":"x","parentId":""}`, `the field "parentId" of append_message must be the id of an entry`, BadRequest},
		{`{"type":"navigate","entryId":""}`, `the field "entryId" of navigate must be the id of an entry`, BadRequest},
	} {
		cmd, err := DecodeCommand([]byte(tt.line))
		if err == nil || err.Error() != tt.want || CodeOf(err) != tt.code {
			t.Errorf("%s: %v, %v", tt.line, cmd, err)
		}
	}
}

func TestAnswersByHand(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer any
		err    error
		want   string
	}{
		{"prompt", Started, nil, `{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`},
		{"abort", None{}, nil, `{"type":"response","command":"abort","success":true}`},
		{"prompt", nil, Fail(Busy, "a run goes on"), `{"type":"response","command":"prompt","success":false,"error":"a run goes on","code":"busy"}`},
		{"clear_queue", Queue{Steering: []string{}}, nil, `{"type":"response","command":"clear_queue","success":true,"data":{"steering":[]}}`},
	} {
		got, err := EncodeAnswer(tt.name, tt.answer, tt.err)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s, %v", got, err)
		}
		back, err := DecodeAnswer(tt.name, got)
		if tt.err != nil {
			if CodeOf(err) != CodeOf(tt.err) || err.Error() != tt.err.Error() {
				t.Errorf("%s came back as %v", got, err)
			}
		} else if err != nil || !reflect.DeepEqual(back, tt.answer) {
			t.Errorf("%s came back as %v, %v", got, back, err)
		}
	}
	for _, b := range []string{``, `null`, `{}`, `{"success":false}`, `{"success":true}`, `{"success":true,"data":{"disposition":5}}`, `{"success":true,"data":[]}`} {
		if v, err := DecodeAnswer("prompt", []byte(b)); err == nil {
			t.Errorf("%s is %v", b, v)
		}
	}
	if b, err := EncodeAnswer("prompt", Queue{}, nil); err == nil {
		t.Errorf("the answer of another command is %s", b)
	}
}

func TestEventOfTomorrow(t *testing.T) {
	if ev, err := DecodeEvent([]byte(`{"type":"hologram","x":1}`)); err != UnknownEvent("hologram") {
		t.Errorf("%v, %v", ev, err)
	}
}

// Whatever is decoded can be written, and is the same when it is read again.
func FuzzDecodeCommand(f *testing.F) {
	for _, s := range []string{
		`{"type":"prompt","message":"hello","images":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"streamingBehavior":"steer"}`,
		`{"type":"append_message","role":"custom","content":[{"type":"text","text":"\ud800"}],"details":{"a":1.50}}`,
		`{"type":"bash","command":"x","id":{"a":[null]},"rawId":7}`, `{"type":"take_entries","what":"entries","entryIds":[null,"\u2028"]}`,
		"{\"type\":\"set_tools\",\"on\":[\"a\",\r\n\"b\"]}", `{"type":"run_turn","entryId":null,"exact":false}`, `[]`, `{"type":"x"}`, "{\"type\":\"steer\",\"message\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		cmd, err := DecodeCommand(line)
		if err != nil {
			if CodeOf(err) == "" || !rawjson.Valid(rawjson.Quote(err.Error())) {
				t.Fatalf("%q has no code", err)
			}
			return
		}
		b, err := EncodeCommand(cmd)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeCommand(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		same(t, cmd.Name(), again, cmd, b)
	})
}

// Values of settings are texts, or JSON as it is.
func TestValuesOfSettings(t *testing.T) {
	for value, want := range map[string]string{`true`: "true", `5`: "5", `"5"`: "5", `[1, "a"]`: `[1, "a"]`, `"two words"`: "two words"} {
		cmd, err := DecodeCommand([]byte(`{"type":"set_setting","key":"k","value":` + value + `}`))
		if set, _ := cmd.(SetSetting); err != nil || set.Value != want {
			t.Errorf("%s: %+v, %v", value, cmd, err)
		}
	}
}
