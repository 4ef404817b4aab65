package rawjson

import (
	"math/rand/v2"
	"testing"
)

// A string is written eight bytes at a time as it would be piece by piece.
func TestAppendStringInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	some := []string{`"`, `\`, "\n", "\x00", "\x1f", "\x7f", "\xff", "é", "\xe2\x82", "0", "abcdefghi", "#", "]", " ", "\u2028", "\xed\xa0\x80", "😀", "!"}
	for range 20000 {
		s, want, wantLine := "", []byte{'"'}, []byte{'"'}
		for range r.IntN(12) {
			p := some[r.IntN(len(some))]
			if s != "" && s[len(s)-1] >= 0x80 && p[0] >= 0x80 {
				p = "-" // pieces could become one character
			}
			s += p
			q := AppendString(nil, p)
			want = append(want, q[1:len(q)-1]...)
			q = AppendLineString(nil, p)
			wantLine = append(wantLine, q[1:len(q)-1]...)
		}
		if got := string(AppendString(nil, s)); got != string(want)+`"` {
			t.Fatalf("%q is %s, want %s", s, got, want)
		}
		if got := string(AppendLineString(nil, s)); got != string(wantLine)+`"` {
			t.Fatalf("%q is %s, want %s", s, got, wantLine)
		}
	}
}
