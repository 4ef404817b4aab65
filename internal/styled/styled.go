// Package styled has text as a screen shows it: lines of spans, each with one
// style, measured in columns. A span holds words and no escape sequences; those are
// made where a line leaves for the terminal, and nowhere else, so that no text can
// bring its own.
//
//	line := styled.Line{{Text: "bough ", Style: bold}, {Text: "0.x"}}
//	rows := styled.Wrap(line, 20, nil, nil)
package styled

import "strings"

// A Color is one of a terminal's. The zero value is its default.
type Color uint32

const (
	byIndex Color = 1 << 24
	byRGB   Color = 2 << 24
)

// Index returns a color of the terminal's palette: the first 16 are the user's own.
func Index(n uint8) Color { return byIndex | Color(n) }

// RGB returns a color by its parts.
func RGB(r, g, b uint8) Color { return byRGB | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Index returns the place in the palette, if the color is one of it.
func (c Color) Index() (n uint8, ok bool) { return uint8(c), c&^0xFFFFFF == byIndex }

// RGB returns the parts of a color that is not of the palette.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&^0xFFFFFF == byRGB
}

// Attr is a set of what letters can be.
type Attr uint8

const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Underline
	Reverse
	Strike
)

// A Style is how a span looks. The zero value is the terminal's own.
type Style struct {
	FG, BG Color
	Attr   Attr
	Link   string // where a click leads; "": nowhere
}

// Over returns s with what top says besides or instead.
func (s Style) Over(top Style) Style {
	if top.FG != 0 {
		s.FG = top.FG
	}
	if top.BG != 0 {
		s.BG = top.BG
	}
	if top.Link != "" {
		s.Link = top.Link
	}
	s.Attr |= top.Attr
	return s
}

// A Span is words of one style.
type Span struct {
	Text  string
	Style Style
}

// A Line is one row. It is not changed once it is made, so parts may be shared.
type Line []Span

// Of makes a line of one span.
func Of(text string, style Style) Line {
	if text == "" {
		return nil
	}
	return Line{{text, style}}
}

// Width returns how many columns a line takes.
func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += Width(s.Text)
	}
	return n
}

// Text returns the words of a line.
func (l Line) Text() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Join puts lines behind each other.
func Join(lines ...Line) Line {
	var l Line
	for _, part := range lines {
		l = append(l, part...)
	}
	return l
}

// Styled returns the line with every span upon a style: what a span says for
// itself stays.
func (l Line) Styled(under Style) Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = Span{s.Text, under.Over(s.Style)}
	}
	return out
}

// Pad fills a line up to width columns with blanks of a style.
func (l Line) Pad(width int, style Style) Line {
	n := width - l.Width()
	if n <= 0 {
		return l
	}
	return Join(l, Line{{strings.Repeat(" ", n), style}})
}

// Cut returns a line that takes at most width columns; what was cut off shows as
// dots. No cluster is split.
func (l Line) Cut(width int) Line {
	if fits(l, width) {
		return l
	}
	dots := ""
	if width > 3 {
		dots = "..."
	}
	cut := l.Slice(0, width-len(dots))
	style := Style{}
	if len(cut) > 0 {
		style = cut[len(cut)-1].Style
	}
	if dots == "" {
		return cut
	}
	return Join(cut, Line{{dots, style}})
}

// fits reports whether a line takes at most width columns. It looks no further
// than it must.
func fits(l Line, width int) bool {
	for _, s := range l {
		if len(s.Text) > 16*width+64 { // may be a megabyte
			n := 0
			for g := range clusters(s.Text) {
				if n += g.width; n > width {
					return false
				}
			}
			width -= n
			continue
		}
		if width -= Width(s.Text); width < 0 {
			return false
		}
	}
	return true
}

// Slice returns the columns from (included) to to. Of a wide character that is cut
// in two a blank stays.
func (l Line) Slice(from, to int) Line {
	var out Line
	col := 0
	for _, s := range l {
		if col >= to {
			break
		}
		var b strings.Builder
		for g := range clusters(s.Text) {
			end := col + g.width
			switch {
			case col >= to && g.width > 0:
			case end <= from || g.width == 0 && col < from:
			case col >= from && end <= to:
				b.WriteString(g.text)
			default:
				b.WriteString(strings.Repeat(" ", min(end, to)-max(col, from)))
			}
			if col = end; col > to {
				break
			}
		}
		if b.Len() > 0 {
			out = append(out, Span{b.String(), s.Style})
		}
	}
	return out
}
