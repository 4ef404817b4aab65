package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/styled"
)

// A Wrapper breaks the lines of a text between words, and between Chinese or
// Japanese characters, so that none is wider than Width columns. What belongs to
// an item of a list stands below its words. Code is left as it is: what stands in
// a fence or four columns in, and rows of tables.
//
// The text must be clean and may come in pieces that break anywhere; the last
// word of a piece comes out with the next one, or at the end. A Wrapper whose
// Width is 0 changes nothing.
type Wrapper struct {
	Width int
	Hang  int // columns to begin the lines with that a break begins; 0: by what the line is

	line  string // the beginning of the line that comes in, for what it is
	fence string // that ends the code
	asIs  bool   // this line is not to be broken
	hang  int    // of this line
	told  bool   // asIs and hang are known
	col   int    // where the line that goes out stands
	gap   []byte // white space that comes out with the next word
	word  []byte
}

const (
	lineHead = 64   // how much of a line tells what it is
	longWord = 4096 // bytes of a word that is not waited for any longer
)

// Wrap returns what can be shown of the next piece.
func (w *Wrapper) Wrap(piece string) string {
	if w.Width <= 0 {
		return piece
	}
	var b strings.Builder
	b.Grow(len(piece) + 16)
	for _, r := range piece {
		switch {
		case r == '\n':
			w.flush(&b)
			b.WriteByte('\n')
			w.next()
		case r == ' ' || r == '\t':
			w.flush(&b)
			w.gap = append(w.gap, byte(r))
		default:
			if len(w.word) > 0 && breaks(w.word, r) || len(w.word) > longWord {
				w.flush(&b)
			}
			w.word = utf8.AppendRune(w.word, r)
		}
		if r != '\n' && len(w.line) < lineHead {
			w.line += string(r)
		}
	}
	return b.String()
}

// End returns what was held back. The text may go on behind it.
func (w *Wrapper) End() string {
	var b strings.Builder
	w.flush(&b)
	return b.String()
}

// Fresh says that something else has begun a new line.
func (w *Wrapper) Fresh() { w.col, w.gap = 0, w.gap[:0] }

// next begins a line.
func (w *Wrapper) next() {
	head := strings.TrimLeft(w.line, " ")
	mark := head[:len(head)-len(strings.TrimLeft(head, "`"))]
	if mark == "" {
		mark = head[:len(head)-len(strings.TrimLeft(head, "~"))]
	}
	switch {
	case len(w.line)-len(head) > 3 || len(mark) < 3:
	case w.fence == "":
		w.fence = mark
	case strings.HasPrefix(mark, w.fence) && strings.TrimSpace(head) == mark:
		w.fence = ""
	}
	w.line, w.gap, w.col, w.told = "", w.gap[:0], 0, false
}

// flush writes the word, and a line break before it if it has no room.
func (w *Wrapper) flush(b *strings.Builder) {
	if len(w.word) == 0 {
		return
	}
	if !w.told {
		w.tell(string(w.word))
	}
	word := styled.Width(string(w.word))
	if at := gapEnd(w.col, w.gap); !w.asIs && w.col > w.hang && at+word > w.Width {
		b.WriteString("\n" + strings.Repeat(" ", w.hang))
		w.col, w.gap = w.hang, w.gap[:0]
	}
	b.Write(w.gap)
	b.Write(w.word)
	w.col = gapEnd(w.col, w.gap) + word
	w.gap, w.word = w.gap[:0], w.word[:0]
}

// gapEnd is the column behind white space that begins at a column.
func gapEnd(col int, gap []byte) int {
	for _, c := range gap {
		if c == '\t' {
			col = (col/8 + 1) * 8
		} else {
			col++
		}
	}
	return col
}

// tell finds out how the line is to be broken, when its first word is known.
func (w *Wrapper) tell(word string) {
	w.told = true
	in := gapEnd(0, w.gap)
	item := 0
	if isItem(word) {
		item = styled.Width(word) + 1
	}
	w.asIs = w.fence != "" || item == 0 && in > 3 || strings.HasPrefix(word, "|") || strings.HasPrefix(word, "```") || strings.HasPrefix(word, "~~~")
	w.hang = min(in+item, w.Width/2)
	if w.Hang > 0 {
		w.hang = min(w.Hang, w.Width-1)
	}
}

// isItem reports whether a word is the mark of an item of a list.
func isItem(word string) bool {
	switch word {
	case "-", "*", "+", "•":
		return true
	}
	n := strings.TrimRight(word, ".)")
	return len(n) > 0 && len(n) <= 3 && len(word) == len(n)+1 && strings.Trim(n, "0123456789") == ""
}

// breaks reports whether a line may be broken between a word and a character.
func breaks(word []byte, r rune) bool {
	last, _ := utf8.DecodeLastRune(word)
	return (isWide(last) || isWide(r)) && !strings.ContainsRune("（「『【《〈〔“‘([{", last) &&
		!strings.ContainsRune("，。、；：？！）」』】》〉〕…—～”’,.;:?!)]}%", r) && !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf)
}

// isWide reports whether a character is of a writing that does not part words.
func isWide(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF)
}

// Wrap breaks the lines of a whole text.
func Wrap(s string, width int) string {
	w := Wrapper{Width: width}
	return w.Wrap(s) + w.End()
}
