package render

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/boughdev/bough/internal/styled"
)

// Cut returns a line that takes at most width columns; what was cut off shows as
// dots. A cluster is never split.
func Cut(s string, width int) string {
	switch {
	case width <= 0:
		return ""
	case len(s) <= width: // a byte takes no more than a column
		return s
	case width <= 3:
		return displaywidth.TruncateString(s, width, "")
	}
	return displaywidth.TruncateString(s, width, "...")
}

// Pad fills a line up to width columns with blanks.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-styled.Width(s), 0))
}

// Quote returns the beginning of a text in quotes, cut between words where there
// are any.
func Quote(s string, width int) string {
	s = OneLine(s)
	if styled.Width(s) > width {
		whole := s
		s = displaywidth.TruncateString(s, max(width-3, 1), "")
		if i := strings.LastIndexByte(s, ' '); i > len(s)/2 && !strings.HasPrefix(whole[len(s):], " ") {
			s = s[:i]
		}
		s = strings.TrimRight(s, " .,;:!?-") + "..."
	}
	return `"` + s + `"`
}
