package render

import (
	"testing"

	"github.com/boughdev/bough/session"
)

func TestTitle(t *testing.T) {
	for _, tt := range []struct{ name, first, want string }{
		{"A  name\n", "first", "A name"},
		{"", "first\nline", "first line"},
		{"", "", "(no messages)"},
		{"", "<file name=\"/srv/app/main.go\">\npackage main\n</file>\n\nwhat is this?", "@main.go what is this?"},
		{"", "<file name=\"/a/x.go\">\na</file>\n<file name=\"C:\\y.go\">\nb", "@x.go @y.go"},
		{"", "<file name=\"cut", `<file name="cut`},
		{"", "\x1b[2Jevil", "evil"},
		{"", "<skill name=\"pdf\" location=\"/a/SKILL.md\">\nRead it.\n</skill>\n\nthe tables\nin x.pdf", "/skill:pdf the tables in x.pdf"},
		{"", "<skill name=\"pdf\" location=\"/a/SKILL.md\">\nRead", "/skill:pdf"},
		{"", "<skill name=\"cut", `<skill name="cut`},
	} {
		if got := Title(session.Summary{Name: tt.name, FirstMessage: tt.first}); got != tt.want {
			t.Errorf("title of %q, %q is %q, want %q", tt.name, tt.first, got, tt.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 12_345: "12 kB", 999_600: "1.0 MB", 3_400_000: "3.4 MB", 1 << 40: "1.1 TB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestCutLeft(t *testing.T) {
	for _, tt := range []struct {
		s     string
		width int
		want  string
	}{{"/srv/app", 8, "/srv/app"}, {"/srv/application", 8, "...ation"}, {"/端口端口", 7, "...端口"}, {"abc", 2, "ab"}} {
		if got := CutLeft(tt.s, tt.width); got != tt.want {
			t.Errorf("%q in %d is %q, want %q", tt.s, tt.width, got, tt.want)
		}
	}
}
