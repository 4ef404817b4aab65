package rawjson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFront(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"all of it", `{"a":1,"b":"x"}`, `a=1 b="x"`},
		{"cut in a string", `{"a":"x","b":"y`, `a="x" b~"y`},
		{"cut behind a string", `{"a":"x","b":"y"`, `a="x" b="y"`},
		{"cut behind a number, which might go on", `{"a":"x","b":1`, `a="x" b~1`},
		{"cut in an object", `{"a":"x","m":{"role":"user","c":[`, `a="x" m~{"role":"user","c":[`},
		{"cut in a key", `{"a":"x","b`, `a="x"`},
		{"cut behind a colon", `{"a":"x","b":`, `a="x" b~`},
		{"another line begins in a string", `{"a":"x","b":"y{"a":"z"}`, `a="x" b~"y{"a":"z"}`},
		{"another line begins behind a comma", `{"a":"x",{"a":"z"}`, `a="x"`},
		{"a quote was lost", `{"a":"x,"b":"y"}`, `a~"x,"b":"y"}`},
		{"white space", ` { "a" : "x" , "b" : [ `, `a="x" b~[ `},
		{"no object", `["a"]`, ``},
		{"nothing", ``, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			Front([]byte(tt.text), func(key string, v []byte, whole bool) {
				sign := "~"
				if whole {
					sign = "="
				}
				got = append(got, key+sign+string(v))
			})
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

// Strings are looked at eight bytes at a time; that must find what one by one
// would.
func TestValidAgreesWithEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := []string{`"`, `\`, `\"`, `\\`, `\u00e9`, "\x1f", "\x00", "\x7f", "\x80", "\xff", "\n", "é", " ", "a", "abcdefgh", "!", "#", "[", "]"}
	valid := 0
	for n := range 20000 {
		var b strings.Builder
		for range r.IntN(24) {
			b.WriteString(some[r.IntN(len(some))])
		}
		text := fmt.Sprintf(`{"k":"%s"}`, b.String())
		want := json.Valid([]byte(text))
		if want {
			valid++
		}
		if got := Valid([]byte(text)); got != want {
			t.Fatalf("%d: Valid(%q) = %v, want %v", n, text, got, want)
		}
	}
	if valid < 1000 {
		t.Errorf("only %d of the texts are valid", valid)
	}
}
