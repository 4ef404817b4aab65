package term

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term/termtest"
)

func rows(texts ...string) []styled.Line {
	var out []styled.Line
	for _, s := range texts {
		out = append(out, styled.Of(s, styled.Style{}))
	}
	return out
}

func screenOf(w, h int, full bool) (*screen, *termtest.Terminal) {
	s := &screen{width: w, height: h, full: full, shows: true, enc: encoder{colors: True, links: true}}
	t := termtest.New(w, h)
	t.Write([]byte("\x1b[?7l"))
	return s, t
}

// Whatever is drawn after whatever, the terminal shows the last frame.
func TestWholeScreenLaw(t *testing.T) {
	words := []string{"", "a", "some words", "你好世界", "👨‍👩‍👧 family", "e\u0301tude", strings.Repeat("x", 20), strings.Repeat("宽", 10), "a much too long row that is cut by the terminal"}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		w, h := 20, 2+r.IntN(6)
		s, emulator := screenOf(w, h, true)
		for range 12 {
			var texts []string
			for range r.IntN(h + 2) {
				texts = append(texts, styled.Of(words[r.IntN(len(words))], styled.Style{}).Cut(w).Text())
			}
			f := Frame{Rows: rows(texts...), Cursor: true, X: r.IntN(w), Y: r.IntN(h)}
			emulator.Write(s.frame(f))
			want := make([]string, h)
			copy(want, texts[max(len(texts)-h, 0):])
			if got := emulator.Rows(); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Fatalf("seed %d:\n%q, want\n%q", seed, got, want)
			}
			if r.IntN(6) == 0 {
				s.valid = false
			}
		}
	}
}

// What leaves upwards stands in the history in order, and below it the live rows.
func TestHistoryLaw(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		w, h := 20, 3+r.IntN(8)
		s, emulator := screenOf(w, h, false)
		emulator.Write([]byte("$ bough\r\n"))
		want := []string{"$ bough"}
		n := 0
		for range 15 {
			var above, live []string
			for range r.IntN(5) * r.IntN(2) {
				n++
				above = append(above, fmt.Sprintf("said %d 你", n))
			}
			for i := range r.IntN(h) {
				live = append(live, fmt.Sprintf("live %d %d", i, r.IntN(3)))
			}
			y := max(r.IntN(len(live)+1)-1, 0)
			emulator.Write(s.frame(Frame{Above: rows(above...), Rows: rows(live...), Cursor: r.IntN(4) > 0, X: 3, Y: y}))
			want = append(want, above...)
			got := strings.TrimRight(strings.Join(append(emulator.History(), emulator.Rows()...), "\n"), "\n")
			if all := strings.TrimRight(strings.Join(append(append([]string{}, want...), live...), "\n"), "\n"); got != all {
				t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, all)
			}
		}
	}
}

func TestOnlyWhatDiffersIsSent(t *testing.T) {
	s, _ := screenOf(20, 5, true)
	f := Frame{Rows: rows("one", "two", "three"), Cursor: true, X: 1, Y: 1}
	s.frame(f)
	if b := s.frame(f); b != nil {
		t.Errorf("the same frame sends %q", b)
	}
	f.Rows = rows("one", "TWO", "three")
	if got, want := string(s.frame(f)), "\x1b[?2026h\x1b[?25l\x1b[2;1HTWO\x1b[K\x1b[2;2H\x1b[?25h\x1b[?2026l"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNothingOfATextIsObeyed(t *testing.T) {
	s, emulator := screenOf(30, 3, true)
	emulator.Write(s.frame(Frame{Rows: rows("\x1b[2J\x1b]0;title\x07\u009b31mX\u202e\r\nY\u0085\x7f"), Title: "a\x07\x1b]0;b"}))
	if got, want := emulator.Rows()[0], "[2J]0;title31mX  Y"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if raw := emulator.Raw(); strings.Contains(raw, "\x1b]0;title") || strings.Contains(raw, "\x1b]0;b") {
		t.Errorf("%q", raw)
	}
}

func TestColors(t *testing.T) {
	line := styled.Line{{Text: "x", Style: styled.Style{FG: styled.RGB(255, 0, 10), BG: styled.Index(236), Attr: styled.Bold, Link: "https://a.b"}}, {Text: "y"}}
	for colors, want := range map[Colors]string{
		True:     "\x1b]8;;https://a.b\x1b\\\x1b[0;1;38;2;255;0;10;48;5;236mx\x1b]8;;\x1b\\\x1b[0my",
		Palette:  "\x1b]8;;https://a.b\x1b\\\x1b[0;1;38;5;196;48;5;236mx\x1b]8;;\x1b\\\x1b[0my",
		Sixteen:  "\x1b]8;;https://a.b\x1b\\\x1b[0;1;91;40mx\x1b]8;;\x1b\\\x1b[0my",
		NoColors: "\x1b]8;;https://a.b\x1b\\\x1b[0;1mx\x1b]8;;\x1b\\\x1b[0my",
	} {
		e := encoder{colors: colors, links: true}
		e.row(line)
		if got := string(e.b); got != want {
			t.Errorf("%d: %q, want %q", colors, got, want)
		}
	}
	for env, want := range map[string]Colors{"NO_COLOR=1": NoColors, "TERM=xterm-256color": Palette, "COLORTERM=truecolor": True, "TERM=xterm": Sixteen, "TERM=xterm-kitty": True, "TERM=dumb": NoColors} {
		name, value, _ := strings.Cut(env, "=")
		if got := ColorsOf(func(s string) string { return map[string]string{name: value}[s] }); got != want {
			t.Errorf("%s: %d, want %d", env, got, want)
		}
	}
}
