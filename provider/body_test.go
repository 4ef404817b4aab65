package provider_test

import (
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/provider"
)

func TestBody(t *testing.T) {
	var b provider.Body
	b.Open('{')
	b.Str("a", "<&>\u2028\"\xed\xa0\xbd")
	b.Int("n", -5)
	b.Bool("t", true)
	b.Key("list").Open('[')
	b.Raw([]byte(`{"x":12345678901234567890}`))
	at := b.Len()
	b.String("gone")
	b.Cut(at)
	b.String("")
	b.Open('{')
	b.Close('}')
	b.Close(']')
	b.Set("raw", []byte(`"\ud83d\ude00 \ud83d"`))
	b.DataURL("u", "image/png", "AAA=")
	b.Close('}')
	want := `{"a":"<&>` + "\u2028" + `\"` + "\uFFFD" + `","n":-5,"t":true,"list":[{"x":12345678901234567890},"",{}],"raw":"😀 ` + "\uFFFD" + `","u":"data:image/png;base64,AAA="}`
	if got := string(b.Bytes()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzCleanJSON(f *testing.F) {
	f.Add([]byte(`{"a\ud83d":["\\ud83d","\uD83D\uDE00",1e400]}`))
	f.Add([]byte("[\"\xff\\\"\", \"\\ud800\\\\\"]"))
	f.Fuzz(func(t *testing.T, v []byte) {
		if !rawjson.Valid(v) {
			return
		}
		got := provider.CleanJSON(v)
		if !rawjson.Valid(got) || string(provider.CleanJSON(got)) != string(got) {
			t.Fatalf("%q of %q", got, v)
		}
		if s, ok := rawjson.String(v); ok {
			if c, _ := rawjson.String(got); c != rawjson.ToValid(s) {
				t.Fatalf("%q of %q", c, s)
			}
		}
	})
}
