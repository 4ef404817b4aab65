package term

import (
	"regexp"
	"testing"
	"time"
	"unicode"

	"github.com/boughdev/bough/internal/styled"
)

// Where only ASCII will do, lines and marks are of it, and take as many columns as
// before; letters of all writings stay.
func TestLinesAndMarksOfASCII(t *testing.T) {
	for r := rune(0x80); r < 0x3000; r++ {
		p := plainRune(r)
		if p != r && (p >= 0x80 || styled.Width(string(r)) != 1) {
			t.Errorf("%U %c, %d columns, becomes %c", r, r, styled.Width(string(r)), p)
		}
		if unicode.IsLetter(r) && p != r {
			t.Errorf("the letter %c becomes %c", r, p)
		}
		if p == r && (r >= 0x2500 && r <= 0x259F || r >= 0x2800 && r <= 0x28FF) {
			t.Errorf("%U stays", r)
		}
	}
	for in, want := range map[string]string{"": "", "plain": "plain", "├─ a · b…": "+- a - b.", "⊟ ← • 你好，é": "- < * 你好，é"} {
		if got := plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestWaitBehindEscape(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"", "", 10 * time.Millisecond}, {"SSH_CONNECTION", "1.2.3.4", 100 * time.Millisecond}, {"SSH_TTY", "/dev/pts/1", 100 * time.Millisecond},
		{"PI_TUI_ESC_TIMEOUT", "40", 40 * time.Millisecond}, {"PI_TUI_ESC_TIMEOUT", "0", 0}, {"PI_TUI_ESC_TIMEOUT", "-1", 10 * time.Millisecond}, {"PI_TUI_ESC_TIMEOUT", "soon", 10 * time.Millisecond},
	} {
		env := map[string]string{tt.name: tt.value}
		if got := escapeTimeout(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%s=%s: %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
}

// With NO_COLOR there is no color at all; letters may be bold, underlined or turned.
func TestNoColors(t *testing.T) {
	style := styled.Style{FG: styled.RGB(1, 2, 3), BG: styled.Index(4), Attr: styled.Bold | styled.Underline | styled.Reverse}
	e := encoder{colors: ColorsOf(func(name string) string {
		return map[string]string{"NO_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}[name]
	})}
	e.row(styled.Of("words", style))
	if got, want := string(e.b), "\x1b[0;1;4;7mwords\x1b[m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, colors := range []Colors{Sixteen, Palette, True} {
		e := encoder{colors: colors}
		e.row(styled.Of("words", style))
		if !regexp.MustCompile(`;[39]\d[;m].*words`).Match(e.b) {
			t.Errorf("%d colors: %q", colors, e.b)
		}
	}
}
