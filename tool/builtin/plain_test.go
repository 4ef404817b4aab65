package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func plainText(dropCR bool, pieces ...string) string {
	p := plain{dropCR: dropCR}
	var b []byte
	for _, s := range pieces {
		b = p.add(b, []byte(s))
	}
	return string(p.flush(b))
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
	}{
		{"text", "a\tb\nc \u00e9 \u4e2d \U0001F600", "a\tb\nc \u00e9 \u4e2d \U0001F600"},
		{"carriage returns", "10%\r20%\r\n", "10%\r20%\r\n"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38:5:1mx\x1b[m", "red x"},
		{"cursor and modes", "\x1b[?25l\x1b[2J\x1b[1;1Hx\x1b[ q\x1b[!p", "x"},
		{"titles and links", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"},
		{"other strings", "\x1bPq#0;2\x1b\\a\x1b_Gf=1;AAAA\x1b\\b\x1b^x\x1b\\c\x1bXx\x1b\\d", "abcd"},
		{"short sequences", "\x1b7\x1b(B\x1b#8\x1b=\x1bcx", "x"},
		{"C1 controls", "a\u009b31mb\u009dtitle\u009cc\u0085d", "abcd"},
		{"a string that does not end", "\x1b]0;title\nnext\n", "\nnext\n"},
		{"a sequence that is broken off", "\x1b[31\u00e9x\x1b[1\nb", "\u00e9x\nb"},
		{"escape upon escape", "\x1b\x1b[31mx\x1b]a\x1b[32my", "xy"},
		{"an escape at the end", "x\x1b", "x"},
		{"control characters", "a\x00b\x07c\bd\x0be\x7ff", "abcdef"},
		{"bytes that are no text", "a\xffb\xe2\x82\xc3(\xf0\x9f\x98", "a\uFFFDb\uFFFD\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD"},
		{"half pairs", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plainText(false, tt.in); got != tt.want {
				t.Errorf("whole: %q, want %q", got, tt.want)
			}
			if got := plainText(false, strings.Split(tt.in, "")...); got != tt.want {
				t.Errorf("in characters: %q, want %q", got, tt.want)
			}
		})
	}
	if got := plainText(true, "a\r\nb\rc"); got != "a\nbc" {
		t.Errorf("without carriage returns: %q", got)
	}
}

// However output is cut into pieces, the text is the same, valid and without
// controls; plain text stays as it is.
func FuzzPlain(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\x1b]0;t\x07\u00e9\u009b1m\xff\xe2\x82\r\n"), 3, true)
	f.Add([]byte("\x1bP\x1b\x1b\\\xc2\x9c\x9c\x1b(\x00B"), 1, false)
	f.Add([]byte("plain \u4e2d text\t\n"), 2, false)
	f.Fuzz(func(t *testing.T, b []byte, size int, dropCR bool) {
		whole := plainText(dropCR, string(b))
		if size < 1 {
			size = 1
		}
		var pieces []string
		for rest := string(b); rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got := plainText(dropCR, pieces...); got != whole {
			t.Fatalf("in pieces of %d: %q, whole: %q", size, got, whole)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("not valid: %q", whole)
		}
		for _, r := range whole {
			if r < ' ' && r != '\n' && r != '\t' && (r != '\r' || dropCR) || r >= 0x7F && r < 0xA0 {
				t.Fatalf("%q in %q", r, whole)
			}
		}
		if again := plainText(dropCR, whole); again != whole {
			t.Fatalf("%q becomes %q", whole, again)
		}
	})
}
