package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/styled"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text stays", "a\tb\nc", "a\tb\nc"},
		{"Chinese and emoji stay", "你好 👩‍👩‍👧 é", "你好 👩‍👩‍👧 é"},
		{"colours go", "\x1b[1;31mred\x1b[0m", "red"},
		{"titles go", "\x1b]0;evil\x07ok\x1b]2;x\x1b\\!", "ok!"},
		{"links keep their text", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"strings of all kinds go", "a\x1bPq\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d\x1bXz\x1b\\e", "abcde"},
		{"an open string ends with its line", "a\x1b]0;never closed\nb", "a\nb"},
		{"an open sequence ends with its line", "a\x1b[12\nb", "a\nb"},
		{"two-character sequences go", "a\x1bcb\x1b(0d", "abd"},
		{"escape before escape", "\x1b\x1b[31mx", "x"},
		{"escape within a string", "\x1b]0;a\x1b[31mx", "x"},
		{"C1 goes", "a\u009b31mb\u009d0;t\u009cc\u0085d", "abcd"},
		{"other control characters go", "a\x00b\x07c\x08d\x7fe\rf", "abcdef"},
		{"line ends of Windows", "a\r\nb", "a\nb"},
		{"line separators are line ends", "a\u2028b\u2029c", "a\nb\nc"},
		{"turned text shows it", "a\u202ecba\u202c", "a<U+202E>cba<U+202C>"},
		{"isolates show", "\u2066a\u2069", "<U+2066>a<U+2069>"},
		{"direction marks go", "a\u200eb\u200fc\u061cd", "abcd"},
		{"annotation marks go", "a\ufff9b\ufffac\ufffb", "abc"},
		{"bytes that are no UTF-8", "a\xff\xc3b\xe4\xbd", "a\uFFFD\uFFFDb\uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzCleaner(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\x07", 3)
	f.Add("你\u202e\xe4\xbd\n\x9b\u009b1", 1)
	f.Add("\x1bP\x1b[\x1b\\\x18", 2)
	f.Fuzz(func(t *testing.T, s string, size int) {
		whole := Clean(s)
		if !utf8.ValidString(whole) {
			t.Fatalf("%q is not UTF-8", whole)
		}
		for _, r := range whole {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 || turns(r) {
				t.Fatalf("%q has %U", whole, r)
			}
		}
		if again := Clean(whole); again != whole {
			t.Fatalf("cleaned twice: %q, once %q", again, whole)
		}
		var c Cleaner
		var b strings.Builder
		size = max(size%7, 1)
		for rest := s; rest != ""; {
			n := min(size, len(rest))
			b.WriteString(c.Clean(rest[:n]))
			rest = rest[n:]
		}
		b.WriteString(c.End())
		if got := b.String(); strings.ReplaceAll(got, "\uFFFD", "") != strings.ReplaceAll(whole, "\uFFFD", "") {
			t.Fatalf("in pieces of %d: %q, whole %q", size, got, whole)
		}
	})
}

func TestOneLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"  a\n\n b\t c ", "a b c"},
		{"\x1b[31ma\x1b[0m\nb", "a b"},
		{strings.Repeat("\n", 9000) + "a", "a"},
		{"", ""},
	} {
		if got := OneLine(tt.in); got != tt.want {
			t.Errorf("OneLine(%.20q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	long := OneLine(strings.Repeat("语", 1<<20))
	if !utf8.ValidString(long) || strings.Contains(long, "\uFFFD") || len(long) > lineBytes+3 || !strings.HasSuffix(long, "语...") {
		t.Errorf("a long text: %d bytes, ends in %q", len(long), long[len(long)-9:])
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abc..."},
		{"你好世界", 8, "你好世界"},
		{"你好世界", 7, "你好..."},
		{"你好世界", 6, "你..."},
		{"abcdef", 2, "ab"},
		{"abcdef", 0, ""},
		{"e\u0301e\u0301e\u0301e\u0301", 4, "e\u0301e\u0301e\u0301e\u0301"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5, "👩‍👩‍👧..."},
	} {
		got := Cut(tt.in, tt.width)
		if got != tt.want || styled.Width(got) > max(tt.width, 0) {
			t.Errorf("Cut(%q, %d) = %q, %d columns; want %q", tt.in, tt.width, got, styled.Width(got), tt.want)
		}
	}
	if got := Pad("你", 4) + "|"; got != "你  |" {
		t.Errorf("Pad: %q", got)
	}
}

func TestQuote(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"There is a main.go. Shall I use cobra or flag?", `"There is a main.go..."`},
		{"Done with flag.", `"Done with flag."`},
		{"好好好好好好好好好好好好好", `"好好好好好好好好好好..."`},
		{"", `""`},
	} {
		if got := Quote(tt.in, 24); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}
