package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendCanonical(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"white space goes", " { \"a\" : [ 1 , 2 ] } ", `{"a":[1,2]}`},
		{"keys in the order of their UTF-16 units", `{"\uffff":1,"😀":2,"é":3,"a":4,"10":5,"9":6}`, `{"10":5,"9":6,"a":4,"é":3,"😀":2,"￿":1}`},
		{"the last of repeated keys", `{"b":1,"a":2,"b":{"c":3}}`, `{"a":2,"b":{"c":3}}`},
		{"numbers as ECMAScript writes them", `[1.0,-0,1E3,12345678901234567890,1e21,0.0000001,1e999,-1e999,5e-324]`, `[1,0,1000,12345678901234567000,1e+21,1e-7,null,null,5e-324]`},
		{"only what must be is escaped", `"\/\u003c\u2028\u007f\u0000\u001F\b\"\\"`, "\"/<\u2028\u007f\\u0000\\u001f\\b\\\"\\\\\""},
		{"half a pair stays an escape", `"\uD83Dx\uDE00\uD83D\uDE00"`, `"\ud83dx\ude00😀"`},
		{"bytes that are no UTF-8", "\"a\xffb\xe2\x82c\xed\xa0\x80\"", "\"a\uFFFDb\uFFFDc\uFFFD\uFFFD\uFFFD\""},
		{"empty ones", `[{},[],"",null,true,false]`, `[{},[],"",null,true,false]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(AppendCanonical(nil, []byte(tt.value))); got != tt.want {
				t.Errorf("canonical %s, want %s", got, tt.want)
			}
		})
	}
}

// JSON.stringify puts keys that are array indexes first and keeps the order of
// the others.
func TestAppendStringify(t *testing.T) {
	got := string(AppendStringify(nil, []byte(`{ "b": 1, "10": 2, "a": 1.50, "9": 3, "01": 4, "4294967295": 5, "b": 6 }`)))
	if want := `{"9":3,"10":2,"b":6,"a":1.5,"01":4,"4294967295":5}`; got != want {
		t.Errorf("stringify %s, want %s", got, want)
	}
}

// Depth costs time and memory only in proportion.
func TestDeepValues(t *testing.T) {
	const depth = 300_000
	for _, tt := range []struct{ name, open, inner, close string }{
		{"arrays", `[`, `1`, `]`},
		{"objects", `{"a":`, `1`, `}`},
		{"arrays with something behind", `[[`, `1`, `],2]`},
		{"objects with something behind", `{"a":`, `1`, `,"b":[{}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := []byte(strings.Repeat(tt.open, depth) + tt.inner + strings.Repeat(tt.close, depth))
			if !Valid(v) {
				t.Fatal("not valid")
			}
			if got := AppendCanonical(nil, v); !bytes.Equal(got, v) {
				t.Error("canonical form differs")
			}
		})
	}
}

func TestSetAndDelete(t *testing.T) {
	for _, tt := range []struct{ name, obj, set, deleted string }{
		{"a value in its place, the rest as it stands", `{ "x":1.50 ,"k": [1, 2],"y":"\ud800"}`, `{ "x":1.50 ,"k": null,"y":"\ud800"}`, `{"x":1.50,"y":"\ud800"}`},
		{"a new one at the end", `{"x":1}`, `{"x":1,"k":null}`, `{"x":1}`},
		{"the first member", `{ }`, `{ "k":null}`, `{}`},
		{"the last of repeated keys", `{"k":1,"k":2}`, `{"k":1,"k":null}`, `{}`},
		{"a key written with escapes", `{"\u006b":1}`, `{"\u006b":null}`, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Set([]byte(tt.obj), "k", []byte("null"))); got != tt.set {
				t.Errorf("set %s, want %s", got, tt.set)
			}
			if got := string(Delete([]byte(tt.obj), "k")); got != tt.deleted {
				t.Errorf("delete %s, want %s", got, tt.deleted)
			}
		})
	}
}

func TestCompareUTF16(t *testing.T) {
	ordered := []string{"", "a", "ab", "b", "é", "\ud7ff", "\xed\xa0\x80", "😀", "😁", "\ue000", "\uffff"}
	for i, a := range ordered {
		for k, b := range ordered {
			got := CompareUTF16(a, b)
			if got < 0 != (i < k) || got > 0 != (i > k) {
				t.Errorf("compare %q and %q: %d", a, b, got)
			}
		}
	}
}

// What is valid is what encoding/json takes; the canonical form says the same
// and does not change again.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}],"a":"\ud800"}`, `[1e400,-0.0,1E+5]`, `"\u00e9\n"`, "\"\xff\"", `{"a":}`, `[01]`, `{"a":1,}`, `[:`, `[}`, `[,,`, `{"a":[1}`, `[a"[",{`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		valid := Valid(v)
		if s := AppendStringify(nil, v); !Valid(s) {
			t.Fatalf("%q, stringified, is not valid: %q", v, s)
		}
		if std := json.Valid(v); std != valid && utf8.Valid(v) && bytes.Count(v, []byte("["))+bytes.Count(v, []byte("{")) < 1000 {
			t.Fatalf("valid %t, encoding/json says %t", valid, std)
		}
		if !valid {
			return
		}
		once := AppendCanonical(nil, v)
		if !Valid(once) {
			t.Fatalf("canonical form is not valid: %s", once)
		}
		if twice := AppendCanonical(nil, once); !bytes.Equal(once, twice) {
			t.Fatalf("canonical form of\n%s is\n%s", once, twice)
		}
		if again := AppendCanonical(nil, AppendStringify(nil, v)); !bytes.Equal(once, again) {
			t.Fatalf("stringified, the canonical form is\n%s, not\n%s", again, once)
		}
	})
}
