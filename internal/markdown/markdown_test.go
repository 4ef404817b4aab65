package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/styled"
)

var theme = Theme{Heading: styled.Style{Attr: styled.Bold}, Code: styled.Style{FG: styled.Index(6)}, Mark: styled.Style{FG: styled.Index(3)},
	Keyword: styled.Style{FG: styled.Index(5)}, String: styled.Style{FG: styled.Index(2)}, Comment: styled.Style{FG: styled.Index(8)},
	Added: styled.Style{FG: styled.Index(2)}, Removed: styled.Style{FG: styled.Index(1)}}

func rowsOf(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text() + "\n")
	}
	return b.String()
}

const tour = "# A title with `code`\n\nSome **bold** and *slanted* and ~~struck~~ words, a [link](https://example.org/x) and https://example.com alone.\n" +
	"A second line of the same paragraph \\*not slanted\\* &amp; <b>no tags</b>.\n\n### Third\n\n1. one\n2. two is longer than the width allows and goes on below its words\n   - nested\n     more of it\n\n   a paragraph in it\n7. seven\n\n" +
	"- [ ] to do\n- [x] done\n-\n- 你好世界，这是一个很长的中文句子，它没有空格\n\n> quoted\n> > twice\n\n| left | right | middle |\n|:--|--:|:-:|\n| a | 1 | x |\n| 日本 | 22 | a longer cell that has to be broken |\n\n---\n\n" +
	"```go\nfunc main() {\n\tx := \"a \\\" b\" // a comment that goes on for quite a while here\n}\n```\n\n    indented code\n\nThe end 👨‍👩‍👧 e\u0301 \x1b[31mred\x1b[0m \u202eback\u202c.\n"

func TestGolden(t *testing.T) {
	for _, width := range []int{20, 40, 80, 120, 200} {
		lines := Render(tour, Options{Width: width, Theme: theme})
		for _, l := range lines {
			if l.Width() > width {
				t.Errorf("%d columns at %d: %q", l.Width(), width, l.Text())
			}
		}
		golden.Equal(t, fmt.Sprintf("tour_%d.txt", width), rowsOf(lines))
	}
	golden.Equal(t, "tour_ascii.txt", rowsOf(Render(tour, Options{Width: 50, ASCII: true, Links: true})))
}

// What a text looks like hangs on the text, not on the pieces in which it came;
// and what was closed once stays.
func TestStreamLaw(t *testing.T) {
	parts := []string{"word ", "**", "*", "`", "```", "\n", "\n\n", "```go\n", "- ", "-\n", "1. ", "  ", "    ", "\t", "> ", "# ", "| a | b |\n|---|---|\n", "|x|", "---\n", "===\n",
		"你好", "👨‍👩‍👧", "\x1b[1m", "\xff", "[a](b)", "[a]: http://x\n", "https://x.org ", "<div>\n", "\\", "&lt;", "~~~\n", "* * *\n", "+ x\n", "\r\n", "[x] ", "\u202e"}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		source := b.String()
		o := Options{Width: 1 + r.IntN(60), Theme: theme, Links: r.IntN(2) == 0}
		var s Stream
		var before []string
		at := 0
		for at < len(source) {
			at = min(at+1+r.IntN(9), len(source))
			closed, open := s.Set(source[:at], o)
			for i, l := range before {
				if i >= len(closed) || closed[i].Text() != l {
					t.Fatalf("seed %d: row %d was closed as %q\n%q", seed, i, l, source[:at])
				}
			}
			before = nil
			for _, l := range closed {
				before = append(before, l.Text())
			}
			for _, l := range append(closed[:len(closed):len(closed)], open...) {
				if styled.Safe(l.Text()) != l.Text() {
					t.Fatalf("seed %d: row %q is not safe", seed, l.Text())
				}
			}
			if at == len(source) {
				got := fmt.Sprint(append(closed[:len(closed):len(closed)], open...))
				if want := fmt.Sprint(Render(source, o)); got != want {
					t.Fatalf("seed %d: %q\nin pieces:\n%s\nwhole:\n%s", seed, source, got, want)
				}
			}
		}
	}
}

func TestLargeBlocksAreCutInTheSamePlaces(t *testing.T) {
	for name, source := range map[string]string{
		"no blank":     strings.Repeat("x", 1<<20),
		"one line":     strings.Repeat("some words ", 20000),
		"lines":        strings.Repeat("a line\n", 30000),
		"code":         "```go\n" + strings.Repeat("x := 1 // one\n", 20000) + "```\n\nbehind it\n",
		"one code row": "```\n" + strings.Repeat("你", 100000),
		"a list":       strings.Repeat("- item\n", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Width: 80, Theme: theme}
			var s Stream
			var closed, open []styled.Line
			for at := 0; at < len(source); at += 30_000 {
				closed, open = s.Set(source[:min(at+30_000, len(source))], o)
			}
			if len(s.rest) > largest {
				t.Errorf("%d bytes are drawn anew each time", len(s.rest))
			}
			got := rowsOf(append(closed, open...))
			if want := rowsOf(Render(source, o)); got != want {
				t.Errorf("%d bytes in pieces, %d whole", len(got), len(want))
			}
			if name == "code" && (!strings.HasSuffix(got, "\n\nbehind it\n") || strings.Count(got, "x := 1") != 20000) {
				t.Errorf("%d rows of code; ends in %q", strings.Count(got, "x := 1"), got[len(got)-40:])
			}
		})
	}
}

func TestHighlight(t *testing.T) {
	for _, tt := range []struct{ lang, source, want string }{
		{"go", `return "x" // y`, `K:return| |S:"x"| |C:// y`},
		{"python", "def f(): # it's\n", `K:def| f(): |C:# it's`},
		{"py", `'''a`, `S:'''a`},
		{"sh", `echo "${#x}"`, `echo |S:"${#x}"`},
		{"sql", `SELECT 1`, `K:SELECT| 1`},
		{"rust", `fn f<'a>()`, `K:fn| f<'a>()`},
		{"nothing known", `return "x"`, `return "x"`},
		{"go", `returned`, `returned`},
		{"go", "\"open", "\"open"},
	} {
		var parts []string
		for _, s := range Highlight(tt.source, tt.lang, theme)[0] {
			mark := map[styled.Style]string{theme.Keyword: "K:", theme.String: "S:", theme.Comment: "C:"}[s.Style]
			if s.Style == (styled.Style{}) {
				mark = ""
			}
			parts = append(parts, mark+s.Text)
		}
		if got := strings.Join(parts, "|"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.lang, got, tt.want)
		}
	}
}

func TestLinksThatMayBeOpened(t *testing.T) {
	for url, want := range map[string]bool{"https://x.org/a": true, "javascript:alert(1)": false, "https://x.org/\x1b]8;;": false, "file:///etc/passwd": true, "http://ü": false} {
		if leads(url) != want {
			t.Errorf("%q leads: %v", url, !want)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add(tour, uint8(20))
	f.Add("|a|\n|-|\n|\x1b]8;;x\x07|", uint8(3))
	f.Fuzz(func(t *testing.T, source string, width uint8) {
		for _, l := range Render(source, Options{Width: int(width), Theme: theme}) {
			if styled.Safe(l.Text()) != l.Text() {
				t.Fatalf("%q is not safe", l.Text())
			}
			if width > 1 && l.Width() > int(width) {
				t.Fatalf("%q takes %d columns of %d", l.Text(), l.Width(), width)
			}
		}
	})
}

// A growing answer: what one more delta costs.
func BenchmarkStream(b *testing.B) {
	source := strings.Repeat(tour, 20)
	for b.Loop() {
		var s Stream
		for at := 12; at < len(source); at += 12 {
			s.Set(source[:at], Options{Width: 80, Theme: theme})
		}
	}
	b.SetBytes(int64(len(source)))
}
