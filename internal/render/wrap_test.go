package render

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/styled"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
	}{
		{"words", "one two three four five", "one two three four\nfive"},
		{"what fits exactly", "one two three four f", "one two three four f"},
		{"lines of its own", "one\n\ntwo three four five six\n", "one\n\ntwo three four five\nsix\n"},
		{"a word that is too long", "see https://example.com/a/long/path now", "see\nhttps://example.com/a/long/path\nnow"},
		{"blanks within a line stay", "one  two", "one  two"},
		{"blanks at an end go", "one two  \nthree ", "one two\nthree"},
		{"an item of a list", "- one two three four five", "- one two three four\n  five"},
		{"a numbered one", "10. one two three four", "10. one two three\n    four"},
		{"an indented one", "  * one two three four", "  * one two three\n    four"},
		{"an indented line", "  one two three four five", "  one two three four\n  five"},
		{"code four columns in", "    one two three four five", "    one two three four five"},
		{"rows of a table", "| one | two | three | four |", "| one | two | three | four |"},
		{"code in a fence", "```go\none two three four five six\n```\none two three four five", "```go\none two three four five six\n```\none two three four\nfive"},
		{"a fence in a fence", "````\n```\none two three four five\n````\none two three four five", "````\n```\none two three four five\n````\none two three four\nfive"},
		{"a fence of another kind", "~~~\n```\none two three four five\n~~~\none two three four five", "~~~\n```\none two three four five\n~~~\none two three four\nfive"},
		{"Chinese", "我是一套规则不是语言模型也不联网", "我是一套规则不是语言\n模型也不联网"},
		{"Chinese and punctuation", "我是一套规则不是语言，模型", "我是一套规则不是语\n言，模型"},
		{"Chinese and quotes", "我是一套规则不是语“言”", "我是一套规则不是语\n“言”"},
		{"Chinese and English", "读取 hello.txt的内容是：hello", "读取 hello.txt的内容\n是：hello"},
		{"combining marks", "e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"},
		{"a tab", "a\tb c d e f g h i j", "a       b c d e f g\nh i j"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(tt.want, "a       b", "a\tb")
			if got := Wrap(tt.in, 20); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if got := Wrap("one two", 0); got != "one two" {
		t.Errorf("without a width: %q", got)
	}
	w := Wrapper{Width: 31, Hang: 10}
	if got, want := w.Wrap("/back     go to where you stood before")+w.End(), "/back     go to where you stood\n          before"; got != want {
		t.Errorf("a hanging line:\n%s\nwant\n%s", got, want)
	}
}

// However a text is cut into pieces, it comes out the same, and nothing but white
// space changes.
func TestWrapInPieces(t *testing.T) {
	words := []string{"a", "hello", "world", "你好", "，世界", "```", "-", "1.", "\n", "\n\n", "    ", "\t", "é", "（你）", "|", "~~~"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		var in strings.Builder
		for range r.IntN(60) {
			in.WriteString(words[r.IntN(len(words))])
			if r.IntN(3) > 0 {
				in.WriteByte(' ')
			}
		}
		whole := Wrap(in.String(), 24)
		w := Wrapper{Width: 24}
		var b strings.Builder
		for s := in.String(); s != ""; {
			n := r.IntN(4)
			at := 0
			for i := range s {
				if at = i; n == 0 && i > 0 {
					break
				}
				n = max(n-1, 0)
			}
			if at == 0 {
				at = len(s)
			}
			b.WriteString(w.Wrap(s[:at]))
			s = s[at:]
		}
		b.WriteString(w.End())
		if b.String() != whole {
			t.Fatalf("seed %d: in pieces\n%q, whole\n%q", seed, b.String(), whole)
		}
		if squeezed(whole) != squeezed(in.String()) {
			t.Fatalf("seed %d: %q became %q", seed, in.String(), whole)
		}
	}
}

func TestNoLineIsTooWide(t *testing.T) {
	words := []string{"a", "hello", "world", "你好", "，世界", "-", "1.", "\n", "é", "（你）", "世界和平"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		var in strings.Builder
		for range r.IntN(60) {
			in.WriteString(words[r.IntN(len(words))] + " ")
		}
		for line := range strings.Lines(Wrap(in.String(), 24)) {
			if styled.Width(strings.TrimRight(line, "\n")) > 24 {
				t.Fatalf("seed %d: %q is too wide", seed, line)
			}
		}
	}
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

func TestWrapOfALongWordIsLinear(t *testing.T) {
	s := strings.Repeat("x", 1<<22)
	if got := Wrap(s, 80); squeezed(got) != s {
		t.Errorf("%d bytes came out of %d", len(got), len(s))
	}
}
