package styled

// A Mark is what a row says of itself without showing it. It stands at the row's end
// as a span without text.
type Mark uint8

const (
	Wrapped Mark = 1 + iota // the text goes on in the next row, behind a blank
	Broken                  // it goes on in the next row, in the middle of a word
	Chopped                 // likewise, and each blank counts
	Message                 // a message begins here
)

// With adds a mark to a row. front is how many columns the next row has before the
// text goes on, where that matters.
func (l Line) With(m Mark, front int) Line {
	return append(l[:len(l):len(l)], Span{Style: Style{FG: byMark | Color(m) | Color(front&0xFFFF)<<8}})
}

// Has reports whether a row has a mark, and what it says of the next row's front.
func (l Line) Has(m Mark) (front int, ok bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if fg := l[i].Style.FG; l[i].Text == "" && fg&^0xFFFFFF == byMark && fg&0xFF == Color(m) {
			return int(fg >> 8 & 0xFFFF), true
		}
	}
	return 0, false
}

// Part cuts a row in three at two columns. A character that lies across one of them
// belongs to the middle.
func (l Line) Part(from, to int) (before, in, after Line) {
	col := 0
	for _, s := range l {
		if s.Text == "" {
			after = append(after, s)
			continue
		}
		one, two := 0, 0 // where in the text the middle begins and ends
		for g := range clusters(s.Text) {
			end := col + g.width
			switch {
			case end <= from:
				one = g.at + len(g.text)
			case col < to && from < to:
				two = g.at + len(g.text)
			}
			col = end
		}
		two = max(two, one)
		for _, p := range []struct {
			l    *Line
			text string
		}{{&before, s.Text[:one]}, {&in, s.Text[one:two]}, {&after, s.Text[two:]}} {
			if p.text != "" {
				*p.l = append(*p.l, Span{p.text, s.Style})
			}
		}
	}
	return before, in, after
}
