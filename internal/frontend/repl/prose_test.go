package repl

import (
	"slices"
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"sentences", "One is done. Two is not! Is it? Yes.", "One is done.|Two is not!|Is it?|Yes."},
		{"what only looks like an end", "See e.g. main.go, v1.2.3 of it.", "See e.g. main.go, v1.2.3 of it."},
		{"Chinese", "你好。世界！", "你好。|世界！"},
		{"a heading", "# Plan\n\n## Next ##\n", "heading 1: Plan|heading 2: Next"},
		{"lists", "- one\n  - two\n* [ ] three\n- [x] four\n1. five\n", "item: one|item, level 2: two|item: open: three|item: done: four|1. five"},
		{"code", "```go\nx := `a`\n\n- y\n```\nafter\n", "code, go:|x := `a`||- y|end of code|after"},
		{"code in code", "````\n```\n````\n", "code:|```|end of code"},
		{"a table", "| a | b |\n|---|:-:|\n| 1 | 2 |\n", "row: a; b|row: 1; 2"},
		{"lines that draw", "---\n***\ntext\n", "text"},
		{"letters", "a **bold. Very** and *thin* `co*de` __init__.py", "a bold.|Very and thin co*de __init__.py"},
		{"stars of their own", "2 * 3, a**b, *.go and *.md", "2 * 3, a**b, *.go and *.md"},
		{"a link", "see [the page](https://a.example/x) or [b](b), a[0](1)", "see the page (https://a.example/x) or b, a0 (1)"},
		{"a quote", "> said\n", "quote: said"},
		{"an open mark", "a ` b [c ] *d", "a ` b [c ] *d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p prose
			if got := strings.Join(append(p.add(tt.text), p.end()...), "|"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// However a text is cut into pieces, the same lines come out.
func TestProseInPieces(t *testing.T) {
	text := []rune("# A plan\n\nFirst do `a. B`.  Then **that. And** this!\n\n- one. Two.\n  - three\n```sh\nls. A\n```\n| a. B | c |\n|--|--|\nEnd. 好。完")
	var p prose
	whole := append(p.add(string(text)), p.end()...)
	if len(whole) != 14 {
		t.Fatalf("%d lines: %q", len(whole), whole)
	}
	for size := 1; size < len(text); size++ {
		var p prose
		var got []string
		for piece := range slices.Chunk(text, size) {
			got = append(got, p.add(string(piece))...)
		}
		if got = append(got, p.end()...); !slices.Equal(got, whole) {
			t.Fatalf("pieces of %d: %q, want %q", size, got, whole)
		}
	}
}

// A megabyte that comes without a blank is no trouble, and not held back.
func TestProseWithoutAnEnd(t *testing.T) {
	var p prose
	n := 0
	for range 1 << 16 {
		for _, l := range p.add("0123456789abcdef") {
			n += len(l)
		}
	}
	if len(p.held) > 2*longest || n+len(p.held) != 1<<20 {
		t.Errorf("%d written, %d held", n, len(p.held))
	}
}

func FuzzProse(f *testing.F) {
	f.Add("a **b** [c](d) `e`\n```\nf", 3)
	f.Add("*\xff.  A|", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		var p prose
		n = min(max(n, 0), len(s))
		for _, l := range append(append(p.add(s[:n]), p.add(s[n:])...), p.end()...) {
			if strings.Contains(l, "\n") {
				t.Fatalf("%q is no line", l)
			}
		}
	})
}
