package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold returns what stands for a letter of either case. An ASCII letter stands only
// for itself and its other case, so that what is ASCII can be looked for bytewise.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if l := unicode.ToLower(r); l >= utf8.RuneSelf {
		return l
	}
	return r
}

// blank reports whether a phrase takes the rune for white space.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// A Needle is a text that is looked for: in letters of either case, and with any
// white space where it has some.
type Needle struct {
	runes []rune // folded; white space is one blank
	ascii bool
	orbit bool // case is taken as regular expressions do
}

// NewNeedle returns the needle of a text. Blanks at its ends do not count.
func NewNeedle(text string) Needle {
	text = strings.Join(strings.FieldsFunc(text, blank), " ")
	n := Needle{ascii: true}
	for _, r := range text {
		r = fold(r)
		n.runes = append(n.runes, r)
		n.ascii = n.ascii && r < utf8.RuneSelf
	}
	return n
}

// Text returns the needle as it is looked for.
func (n Needle) Text() string { return string(n.runes) }

// Empty reports whether there is nothing to look for.
func (n Needle) Empty() bool { return len(n.runes) == 0 }

// Index returns where the needle stands first in s from a place on; -1 if nowhere.
func (n Needle) Index(s string, from int) (start, end int) {
	if len(n.runes) == 0 {
		return -1, -1
	}
	first := n.runes[0]
	for i := from; i < len(s); {
		c := rune(s[i])
		size := 1
		switch {
		case c < utf8.RuneSelf:
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
		case n.ascii && first != ' ':
			i++
			continue
		default:
			c, size = utf8.DecodeRuneInString(s[i:])
			c = fold(c)
		}
		if c == first || first == ' ' && blank(c) {
			if end := n.match(s, i); end >= 0 {
				return i, end
			}
		}
		i += size
	}
	return -1, -1
}

// match returns where the needle ends if it stands at i, or -1.
func (n Needle) match(s string, i int) int {
	for _, want := range n.runes {
		if i >= len(s) {
			return -1
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if want == ' ' {
			if !blank(r) {
				return -1
			}
			for i += size; i < len(s); i += size {
				if r, size = utf8.DecodeRuneInString(s[i:]); !blank(r) {
					break
				}
			}
			continue
		}
		if fold(r) != want {
			return -1
		}
		i += size
	}
	return i
}

// In reports whether the needle stands in s.
func (n Needle) In(s string) bool {
	start, _ := n.Index(s, 0)
	return start >= 0
}
