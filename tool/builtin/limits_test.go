package builtin

import (
	"strings"
	"testing"
)

func TestHead(t *testing.T) {
	long := strings.Repeat("x", maxBytes)
	for _, tt := range []struct {
		name, text, want string
		lines            int
		by               string
		first            bool
		kept             int
	}{
		{"nothing", "", "", 10, "", false, 0},
		{"what fits stays as it is", "a\nb\n", "a\nb\n", 2, "", false, 2},
		{"too many lines", "a\nb\nc\n", "a\nb", 2, "lines", false, 2},
		{"too many lines, the last without an end", "a\nb\nc", "a\nb", 2, "lines", false, 2},
		{"exactly the bytes", long, long, 10, "", false, 1},
		{"a line that does not fit any more", "a\n" + long, "a", 10, "bytes", false, 1},
		{"a first line that does not fit", long + "x\nb", "", 10, "bytes", true, 0},
		{"only the last line end goes over", long + "\n", long, 10, "", false, 1},
		{"empty lines count", "\n\n\n", "\n", 2, "lines", false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, c := head(tt.text, lineCount(tt.text), len(tt.text), tt.lines)
			if got != tt.want || c.by != tt.by || c.firstBytes != tt.first || c.outputLines != tt.kept || c.outputBytes != len(got) {
				t.Errorf("head = %.20q (%d), %+v", got, len(got), c)
			}
		})
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("x", maxBytes)
	many := strings.Repeat("l\n", maxLines)
	for _, tt := range []struct {
		name, text, want, by string
		partial              bool
		kept                 int
	}{
		{"nothing", "", "", "", false, 0},
		{"what fits stays as it is", "a\nb\n", "a\nb\n", "", false, 2},
		{"too many lines", "a\n" + many, strings.TrimSuffix(many, "\n"), "lines", false, maxLines},
		{"a line that does not fit any more", long + "\nb\n", "b", "bytes", false, 1},
		{"a last line that does not fit", "a\n" + long + "y", long[1:] + "y", "bytes", true, 1},
		{"no part of a character is kept", "\u00e9" + long[1:], long[1:], "bytes", true, 1},
		{"the last line end does not count", long + "\n", long, "", false, 1},
		{"empty last lines count", long + "\n\n\n", "\n", "bytes", false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, c := tail(tt.text, lineCount(tt.text), len(tt.text))
			if got != tt.want || c.by != tt.by || c.lastPartial != tt.partial || c.outputLines != tt.kept || c.outputBytes != len(got) {
				t.Errorf("tail = %.20q (%d), %+v", got, len(got), c)
			}
		})
	}
}

func TestTruncationJSON(t *testing.T) {
	_, c := tail(strings.Repeat("l\n", 3000), 3000, 6000)
	const want = `{"truncated":true,"truncatedBy":"lines","totalLines":3000,"totalBytes":6000,"outputLines":2000,"outputBytes":3999,` +
		`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200}`
	if got := string(c.json()); got != want {
		t.Errorf("json = %s", got)
	}
}
