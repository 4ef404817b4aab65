package styled

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, text  string
		width       int
		first, rest string
		want        string
	}{
		{"between words", "one two three", 8, "", "", "one two|three"},
		{"a list hangs", "one two three", 8, "- ", "  ", "- one|  two|  three"},
		{"a long word is cut", "abcdefghij", 4, "", "", "abcd|efgh|ij"},
		{"a long word behind another", "xy abcdefghij", 4, "", "", "xy|abcd|efgh|ij"},
		{"Chinese has no blanks", "你好世界再见", 5, "", "", "你好|世界|再见"},
		{"no row begins with a full stop", "你好世界。", 8, "", "", "你好世|界。"},
		{"blanks within stay", "a  b", 8, "", "", "a  b"},
		{"emoji of several characters", "👨‍👩‍👧👨‍👩‍👧", 3, "", "", "👨‍👩‍👧|👨‍👩‍👧"},
		{"nothing", "", 8, "> ", "> ", "> "},
		{"no room for the front", "abc", 2, "12345", "12345", "ab|c"},
		{"what a terminal obeys", "a\x1b[2Jb\tc", 20, "", "", "a[2Jb c"},
		{"one column", "你a", 1, "", "", "你|a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rows []string
			for _, l := range Wrap(Of(tt.text, Style{}), tt.width, Of(tt.first, Style{}), Of(tt.rest, Style{})) {
				rows = append(rows, l.Text())
			}
			if got := strings.Join(rows, "|"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// words makes a text of what is hard to lay out.
func words(r *rand.Rand, n int) string {
	parts := []string{"a", "word", " ", "  ", "你", "好。", "é", "e\u0301", "👨‍👩‍👧", "🇩🇪", "\x1b[31m", "\t", "\u202e", "\xff", "longerthanthat", "שלום", "ｆ", "❤️", "\r\n", "\u200d"}
	var b strings.Builder
	for range n {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func unblanked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// Whatever is wrapped, no row is too wide, nothing but blanks is lost, and no row
// has what a terminal obeys.
func TestWrapLaw(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		line := Line{{words(r, r.IntN(20)), Style{}}, {words(r, r.IntN(20)), Style{Attr: Bold}}}
		width := 2 + r.IntN(30)
		all := ""
		for _, row := range Wrap(line, width, nil, nil) {
			if row.Width() > width {
				t.Fatalf("seed %d: %q takes %d columns, not %d", seed, row.Text(), row.Width(), width)
			}
			if Safe(row.Text()) != row.Text() {
				t.Fatalf("seed %d: %q is not safe", seed, row.Text())
			}
			all += row.Text()
		}
		if want := Safe(line[0].Text) + Safe(line[1].Text); unblanked(all) != unblanked(want) {
			t.Fatalf("seed %d: %q of %q", seed, all, want)
		}
	}
}

// A slice takes just the columns that were asked for, and both parts of a line are
// the line where no wide character is cut.
func TestSliceLaw(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		line := Of(Safe(words(r, r.IntN(30))), Style{})
		all := line.Width()
		from := r.IntN(all + 1)
		to := from + r.IntN(all-from+1)
		if got := line.Slice(from, to).Width(); got != to-from {
			t.Fatalf("seed %d: %q from %d to %d takes %d columns", seed, line.Text(), from, to, got)
		}
		if cut := line.Cut(to); cut.Width() > to {
			t.Fatalf("seed %d: %q cut to %d takes %d", seed, line.Text(), to, cut.Width())
		}
	}
}

func TestClustersAreTheText(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := words(r, r.IntN(30))
		all, width := "", 0
		for g := range clusters(s) {
			if s[g.at:g.at+len(g.text)] != g.text {
				t.Fatalf("seed %d: %q is not at %d of %q", seed, g.text, g.at, s)
			}
			all += g.text
			width += g.width
		}
		if all != s || width != Width(s) {
			t.Fatalf("seed %d: %q, %d columns, of %q, %d columns", seed, all, width, s, Width(s))
		}
	}
}

func TestColors(t *testing.T) {
	if n, ok := Index(7).Index(); n != 7 || !ok {
		t.Error("a color of the palette")
	}
	if r, g, b, ok := RGB(1, 2, 3).RGB(); r != 1 || g != 2 || b != 3 || !ok {
		t.Error("a color by its parts")
	}
	if _, ok := RGB(1, 2, 3).Index(); ok {
		t.Error("it is not of the palette")
	}
	if _, _, _, ok := Color(0).RGB(); ok {
		t.Error("the default is neither")
	}
}

func TestOneMegabyteWithoutABlank(t *testing.T) {
	s := strings.Repeat("x", 1<<20)
	if rows := Wrap(Of(s, Style{}), 80, nil, nil); len(rows) != (1<<20+79)/80 {
		t.Errorf("%d rows", len(rows))
	}
	if got := Of(s, Style{}).Cut(10).Text(); got != "xxxxxxx..." {
		t.Errorf("cut is %q", got)
	}
}
