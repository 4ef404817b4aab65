package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
)

// Whatever comes in, what goes out is one record on one line that repeats the id.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"id":"1","type":"prompt","message":"hello","images":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"streamingBehavior":"steer"}`,
		`{"id":{"a":[1.50,null]},"type":"bash","command":"ls","excludeFromContext":true}`,
		`{"id":"\ud800","type":"get_entries","since":"x"}`, "{\"id\":\"\u2028\",\"type\":\"set_session_name\",\"name\":\"\xff\"}",
		`{"id":1,"id":2,"type":"x","type":"fork","entryId":"a"}`, `null`, `5`, `[]`, `"x"`, ``, ` `, `{"type":`, "{\"type\":\"a\",\r\"id\":\r1}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return // no line
		}
		c, err := decode(line)
		if (err == nil) != rawjson.Valid(line) {
			t.Fatalf("decode: %v, though valid is %v", err, rawjson.Valid(line))
		}
		cmd, _, known := find(c.name)
		if known && c.check(cmd.fields) == nil {
			for _, fd := range cmd.fields { // what passed the check is what it should be
				if v := c.fields[fd.name]; !fd.optional && (v == nil || !fd.takes(v)) {
					t.Fatalf("%s: field %s is %s", c.name, fd.name, v)
				}
			}
			c.images()
		}
		for _, a := range []answer{success(c, disposition("started"), nil), success(c, nil, nil), success(c, null, nil), failure(c, errors.New("no\nway"))} {
			rec := a.make()
			if bytes.IndexByte(rec, '\n') >= 0 || !rawjson.Valid(rec) {
				t.Fatalf("not a record: %q", rec)
			}
			if id := rawjson.Get(rec, "id"); !bytes.Equal(id, c.id) {
				t.Fatalf("id %q, want %q", id, c.id)
			}
		}
	})
}

func TestCheck(t *testing.T) {
	image := `{"type":"image","data":"aGk=","mimeType":"image/png"}`
	for _, tt := range []struct {
		line string
		ok   bool
	}{
		{`{"type":"prompt","message":""}`, true},
		{`{"type":"prompt","message":"x","images":null,"streamingBehavior":null}`, true},
		{`{"type":"prompt","message":"x","images":[]}`, true},
		{`{"type":"prompt","message":"x","images":[` + image + `,` + image + `]}`, true},
		{`{"type":"prompt","message":"x","images":[` + image + `,5]}`, false},
		{`{"type":"prompt","message":"x","images":` + image + `}`, false},
		{`{"type":"prompt","message":"x","images":[{"type":"text","data":"aGk=","mimeType":"image/png"}]}`, false},
		{`{"type":"prompt","message":"x","images":[{"type":"image","data":"not base64!","mimeType":"image/png"}]}`, false},
		{`{"type":"prompt","message":null}`, false},
		{`{"type":"prompt","message":{}}`, false},
		{`{"type":"prompt","message":"x","streamingBehavior":"follow_up"}`, false},
		{`{"type":"bash","command":"x","excludeFromContext":false}`, true},
		{`{"type":"bash","command":"x","excludeFromContext":"false"}`, false},
		{`{"type":"set_auto_retry","enabled":true}`, true},
		{`{"type":"set_auto_retry"}`, false},
		{`{"type":"compact"}`, true},
		{`{"type":"compact","customInstructions":7}`, false},
		{`{"type":"fork","entryId":["a"]}`, false},
	} {
		c, err := decode([]byte(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		cmd, _, known := find(c.name)
		if err := c.check(cmd.fields); !known || (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.line, err)
		}
	}
}

// A record is what encoding/json would read, but texts stay as they are.
func TestRecordsKeepTexts(t *testing.T) {
	c, err := decode([]byte("{\"id\":\"<&\u2028\",\"type\":\"get_state\"}"))
	if err != nil {
		t.Fatal(err)
	}
	rec := success(c, value(map[string]string{"a": "<b>&\u2028"}), nil).make()
	if !bytes.Contains(rec, []byte("<&\u2028")) || bytes.Contains(rec, []byte(`\u003c`)) || !json.Valid(rec) {
		t.Errorf("record %s", rec)
	}
}

// Fields that a command does not have are passed over, and told of once.
func TestOddFields(t *testing.T) {
	var told bytes.Buffer
	s := &server{o: Options{Err: &told}}
	for range 2 {
		for _, line := range []string{
			`{"type":"append_message","entryId":"a","role":"user","content":"x","id":1,"view":"v1"}`,
			`{"type":"run_turn","entryId":"a","parentId":"b","\u001b[2J":1}`,
		} {
			c, err := decode([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			cmd, _, _ := find(c.name)
			s.tellOdd(c, cmd.fields)
		}
	}
	want := `bough: append_message has no field "entryId", which is passed over
bough: run_turn has no field "\x1b[2J", which is passed over
bough: run_turn has no field "parentId", which is passed over
`
	if told.String() != want {
		t.Errorf("it says\n%swant\n%s", &told, want)
	}
	told.Reset()
	for i := range 100 {
		s.tellOdd(call{name: "sync", fields: map[string][]byte{strings.Repeat("x", i+1): nil}}, nil)
	}
	if n := strings.Count(told.String(), "\n"); n != oddities-3 {
		t.Errorf("%d more were told of", n)
	}
}

func TestAlternatives(t *testing.T) {
	c, err := decode([]byte(`{"type":"append_message","role":"system","content":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := find(c.name)
	if err := c.check(cmd.fields); err == nil || err.Error() != `the field "role" of append_message must be "user", "assistant" or "custom"` {
		t.Error(err)
	}
}
