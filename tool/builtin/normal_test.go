package builtin

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A normalised text is that of whole lines, and all of it comes from somewhere.
func FuzzNormalise(f *testing.F) {
	f.Add("it\u2019s  \n\u201cq\u201d \u00a0\u2014x\u2011y")
	f.Add("\uFB01 e\u0301\u2019\u0301 \u1100\u1161\u11a8 \uFF21\n\t\n")
	f.Add("\u0344\u0f73 \u3000\xff\xe2\x82")
	f.Fuzz(func(t *testing.T, source string) {
		n := normalise(source)
		var want strings.Builder
		for line := range strings.Lines(source) {
			body := strings.TrimSuffix(line, "\n")
			want.WriteString(plainSigns(norm.NFKC.String(strings.TrimRightFunc(body, unicode.IsSpace))))
			want.WriteString(line[len(body):])
		}
		if n.text != want.String() {
			t.Fatalf("%q, want %q", n.text, want.String())
		}
		at, from := 0, 0
		for _, r := range n.runs {
			if r.at != at || r.source != from {
				t.Fatalf("run %+v at %d of %d", r, at, from)
			}
			if r.plain && n.text[r.at:r.at+r.len] != source[r.source:r.source+r.width] {
				t.Fatalf("%q is %q", source[r.source:r.source+r.width], n.text[r.at:r.at+r.len])
			}
			at, from = at+r.len, from+r.width
		}
		if at != len(n.text) || from != len(source) {
			t.Fatalf("runs end at %d of %d and %d of %d", at, len(n.text), from, len(source))
		}
	})
}
