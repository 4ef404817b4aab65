package rawjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestVisit(t *testing.T) {
	for _, tt := range []struct{ name, obj, want string }{
		{"members in order", `{"a":1,"b":"x"}`, `a=1 b="x"`},
		{"what is in an object comes first", `{"a":{"b":{"c":{"d":1}}},"e":[]}`, `a.b.c.d=1 a.b.c={"d":1} a.b={"c":{"d":1}} a={"b":{"c":{"d":1}}} e=[]`},
		{"no deeper than four", `{"a":{"b":{"c":{"d":{"e":1}}}}}`, `a.b.c.d={"e":1} a.b.c={"d":{"e":1}} a.b={"c":{"d":{"e":1}}} a={"b":{"c":{"d":{"e":1}}}}`},
		{"nothing in lists", `{"a":[{"b":1},[2],{}],"c":{"d":[{"e":{}}]},"f":0}`, `a=[{"b":1},[2],{}] c.d=[{"e":{}}] c={"d":[{"e":{}}]} f=0`},
		{"empty objects", `{"a":{},"b":{"c":{}}}`, `a={} b.c={} b={"c":{}}`},
		{"white space", " { \"a\" : { \"b\" : 1 } , \"c\" : [ ] } ", `a.b=1 a={ "b" : 1 } c=[ ]`},
		{"keys come again", `{"a":1,"a":2}`, `a=1 a=2`},
		{"a key with an escape is odd", `{"\u0061":1,"b\\":{"c":2}}`, `=1 .c=2 ={"c":2} odd`},
		{"quotes and colons in keys", `{"a:":1,"":2}`, `a:=1 =2`},
		{"an empty object", `{}`, ``},
		{"no object", `[1]`, `invalid`},
		{"invalid", `{"a":1,}`, `a=1 invalid`},
		{"more behind it", `{"a":1}{`, `a=1 invalid`},
		{"nothing", ``, `invalid`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			var v Visitor
			v.Visit([]byte(`{"x":[{`)) // what was before makes no difference
			v.See = func(path [][]byte, v []byte) {
				got = append(got, fmt.Sprintf("%s=%s", bytes.Join(path, []byte{'.'}), v))
			}
			odd, ok := v.Visit([]byte(tt.obj))
			if odd {
				got = append(got, "odd")
			}
			if !ok {
				got = append(got, "invalid")
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

// A visitor finds in valid objects what Members finds, and never reads beyond.
func FuzzVisit(f *testing.F) {
	f.Add([]byte(`{"type":"message","message":{"role":"user","usage":{"cost":{"total":1e-3}}},"x":[{"y":{}}]}`))
	f.Add([]byte(`{"a":{"b":{"c":{"d":{"e":{"f":1}}}}},"a":{"b":2}}`))
	f.Add([]byte("{\"\\u0061\" :\t{ } , \"\":[[]]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got []string
		v := Visitor{See: func(path [][]byte, v []byte) {
			if len(path) == 1 {
				got = append(got, string(path[0])+"="+string(v))
			}
		}}
		odd, ok := v.Visit(b)
		if want := Valid(b) && Kind(b) == '{'; ok != want {
			t.Fatalf("ok is %v, want %v", ok, want)
		}
		if !ok || odd {
			return
		}
		var want []string
		for m := range members(b) {
			want = append(want, string(b[m.key+1:m.keyEnd-1])+"="+string(b[m.val:m.end]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("members %q, want %q", got, want)
		}
	})
}
