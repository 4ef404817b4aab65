package styled

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Width returns how many columns a text takes, by grapheme clusters; characters
// of ambiguous width take one. It is the one measure of all that is drawn.
func Width(s string) int { return displaywidth.String(s) }

type cluster struct {
	text  string
	at    int // in bytes
	width int
}

// clusters cuts a text into what a person sees as one character.
func clusters(s string) iter.Seq[cluster] {
	return func(yield func(cluster) bool) {
		at := 0
		for at < len(s) {
			// Two printable ASCII characters in a row: the first is a cluster.
			if c := s[at]; c >= 0x20 && c < 0x7F && (at+1 == len(s) || s[at+1] < 0x80) {
				if !yield(cluster{s[at : at+1], at, 1}) {
					return
				}
				at++
				continue
			}
			// The rest up to the next pair of them.
			end := at
			for end < len(s) && (s[end] >= 0x80 || end+1 < len(s) && s[end+1] >= 0x80 || s[end] < 0x20) {
				end++
			}
			if end == at {
				end++
			}
			g := displaywidth.StringGraphemes(s[at:end])
			for g.Next() {
				v := g.Value()
				if !yield(cluster{v, at, g.Width()}) {
					return
				}
				at += len(v)
			}
			at = end
		}
	}
}

// Clusters cuts a text into what a person sees as one character, each with where
// it begins.
func Clusters(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for g := range clusters(s) {
			if !yield(g.at, g.text) {
				return
			}
		}
	}
}

// Safe returns a text as a terminal may have it on one row: what it would obey
// becomes a blank or visible. It is the last gate; texts were cleaned before.
func Safe(s string) string {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7F {
			return safe(s)
		}
	}
	return s
}

func safe(s string) string {
	clean := true
	for _, r := range s {
		if unsafe(r) || r == utf8.RuneError {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case unsafe(r): // gone: it has no width
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unsafe reports whether a character steers a terminal or the direction of what
// comes after it.
func unsafe(r rune) bool {
	return r < 0x20 || r >= 0x7F && r < 0xA0 || r >= 0xFFF9 && r <= 0xFFFB || r == 0xFEFF ||
		r == 0x2028 || r == 0x2029 || r == 0x061C || r == 0x200E || r == 0x200F ||
		r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == PictureCell
}

// breaks reports whether a line may be broken between two clusters that no blank
// parts: beside a character of a writing that does not part words.
func breaks(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	r, _ := utf8.DecodeRuneInString(after)
	return (isWide(last) || isWide(r)) && !strings.ContainsRune("（「『【《〈〔“‘([{", last) &&
		!strings.ContainsRune("，。、；：？！）」』】》〉〕…—～”’,.;:?!)]}%", r) && !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf)
}

func isWide(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF)
}
