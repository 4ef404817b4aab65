package rawjson

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestInside(t *testing.T) {
	for _, tt := range []struct{ obj, want string }{
		{`{"a":1,"m":{"role":"x","content":[{"b":"}"}]},"z":2}`, `{"role":"x","content":[{"b":"}"}]}`},
		{`{"m":{ } }`, `{ }`},
		{`{"m":{},"m":{"role":"y"}}`, `{"role":"y"}`},
		{`{"m":"text","n":1}`, `"text"`},
		{`{"m":null}`, `null`},
		{`{"m":{"role":"x"}`, `{"role":"x"}`},
		{`[1]`, ``},
		{`{"n":{"m":1}}`, ``},
		{`{"\u006d":{"role":"q"}}`, `{"role":"q"}`},
	} {
		role := ""
		got := Inside([]byte(tt.obj), "m", func(name string, v []byte) {
			switch name {
			case "":
				role = ""
			case "role":
				role, _ = String(v)
			}
		})
		want := Get([]byte(tt.obj), "m")
		wantRole, _ := GetString(want, "role")
		if string(got) != tt.want || !bytes.Equal(got, want) || role != wantRole {
			t.Errorf("%s: %q with role %q, want %q with role %q", tt.obj, got, role, tt.want, wantRole)
		}
	}
}

// Whatever the bytes are, it ends, and agrees with Get on valid JSON.
func TestInsideOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte(`{}[]":,\m 1ntx`)
	for range 200000 {
		b := make([]byte, r.IntN(24))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		got := Inside(b, "m", func(string, []byte) {})
		if Valid(b) && !bytes.Equal(got, Get(b, "m")) {
			t.Fatalf("%q: %q, want %q", b, got, Get(b, "m"))
		}
	}
}
