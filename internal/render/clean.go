package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Cleaner takes out of a text what a terminal would obey instead of show:
// escape sequences, control characters, annotation marks. Characters that turn
// the direction of writing become visible. Line feeds and tabs stay.
//
// The text may come in pieces that break anywhere. A line feed ends every escape
// sequence, so one that is never closed hides no more than its line. The zero
// value is ready.
type Cleaner struct {
	state cleanState
	part  string // bytes of a character that is not whole yet
}

type cleanState int

const (
	plain   cleanState = iota
	escaped            // behind ESC
	control            // in a control sequence, ESC [
	command            // in a command string such as ESC ]
	closing            // behind ESC in a command string
)

// Clean returns what is to be shown of the next piece.
func (c *Cleaner) Clean(piece string) string {
	if c.state == plain && c.part == "" && harmless(piece) {
		return piece
	}
	s := c.part + piece
	c.part = ""
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s) {
			c.part = s
			break
		}
		c.rune(&b, r)
		s = s[n:]
	}
	return b.String()
}

// End ends the text and returns what was held back.
func (c *Cleaner) End() string {
	part := c.part
	shown := c.state == plain
	*c = Cleaner{}
	if part == "" || !shown {
		return ""
	}
	return "\uFFFD"
}

// harmless reports whether s is printable ASCII with line feeds and tabs.
func harmless(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7F || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

func (c *Cleaner) rune(b *strings.Builder, r rune) {
	if r == '\n' {
		c.state = plain
		b.WriteByte('\n')
		return
	}
	switch c.state {
	case escaped:
		c.state = plain
		switch {
		case r == '[':
			c.state = control
		case strings.ContainsRune("]PX^_", r):
			c.state = command
		case r >= 0x20 && r <= 0x2F, r == 0x1B:
			c.state = escaped
		case r >= 0x30 && r <= 0x7E:
		default:
			c.show(b, r)
		}
	case control:
		switch {
		case r >= 0x20 && r <= 0x3F:
		case r >= 0x40 && r <= 0x7E:
			c.state = plain
		default:
			c.state = plain
			c.show(b, r)
		}
	case command:
		switch r {
		case 0x07, 0x9C, 0x18, 0x1A:
			c.state = plain
		case 0x1B:
			c.state = closing
		}
	case closing:
		c.state = plain
		if r != '\\' {
			c.state = escaped
			c.rune(b, r)
		}
	default:
		c.show(b, r)
	}
}

// show writes a character that stands outside of sequences, or begins one.
func (c *Cleaner) show(b *strings.Builder, r rune) {
	switch {
	case r == 0x1B:
		c.state = escaped
	case r == 0x9B:
		c.state = control
	case r == 0x90, r == 0x98, r >= 0x9D && r <= 0x9F:
		c.state = command
	case r == '\t':
		b.WriteByte('\t')
	case r < 0x20, r >= 0x7F && r < 0xA0, r >= 0xFFF9 && r <= 0xFFFB, r == 0xFEFF:
	case r == 0x2028, r == 0x2029:
		b.WriteByte('\n')
	case r == 0x061C, r == 0x200E, r == 0x200F:
	case turns(r):
		fmt.Fprintf(b, "<U+%04X>", r)
	default:
		b.WriteRune(r)
	}
}

// turns reports whether a character overrides, embeds or isolates a direction of
// writing, so that a text reads other than it is.
func turns(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// Clean returns what is to be shown of a whole text.
func Clean(s string) string {
	var c Cleaner
	return c.Clean(s) + c.End()
}

// lineBytes is how much of a text one line can need.
const lineBytes = 4096

// OneLine makes one line of a text: cleaned, each run of white space one blank.
// Of a long text it takes the beginning, which is longer than any line, and
// closes with dots.
func OneLine(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	long := len(s) > lineBytes
	if long {
		s = s[:lineBytes]
		for len(s) > 0 && !utf8.FullRuneInString(s[lastRune(s):]) {
			s = s[:lastRune(s)]
		}
	}
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if long {
		s += "..."
	}
	return s
}

// lastRune returns where the last character of s begins, whole or not.
func lastRune(s string) int {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return len(s) - 1
}
