package styled

// Wrap breaks a line between words, and between Chinese or Japanese characters, so
// that no row is wider than width columns. A word that has no room on any row is
// broken between clusters. The first row begins with first, the others with rest;
// the line is cleaned, as [Safe] has it.
func Wrap(l Line, width int, first, rest Line) []Line {
	w := wrapper{width: max(width, 1), row: Join(first), rest: rest, indent: rest.Width()}
	w.col = w.row.Width()
	w.begun = w.col
	if w.col >= w.width || w.indent >= w.width { // the text comes first
		w.row, w.rest, w.col, w.indent, w.begun = nil, nil, 0, 0, 0
	}
	for _, s := range l {
		w.span(Span{Safe(s.Text), s.Style})
	}
	w.flush()
	return append(w.rows, w.row)
}

type wrapper struct {
	width, indent int
	rest          Line

	rows  []Line
	row   Line
	col   int
	begun int // the column where the row's own words begin

	gap, word   Line
	gapW, wordW int
	last        string // the cluster before
}

func (w *wrapper) span(s Span) {
	start := 0 // of what is not in the word yet
	take := func(end int) {
		if end > start {
			w.word = append(w.word, Span{s.Text[start:end], s.Style})
			start = end
		}
	}
	for g := range clusters(s.Text) {
		if g.text == " " {
			take(g.at)
			w.flush()
			w.addGap(s.Style)
			start = g.at + 1
			w.last = " "
			continue
		}
		if room := w.width - w.indent; w.wordW > 0 && (breaks(w.last, g.text) || w.wordW+g.width > room) {
			take(g.at)
			w.flush()
		}
		w.wordW += g.width
		w.last = g.text
	}
	take(len(s.Text))
}

func (w *wrapper) addGap(style Style) {
	if n := len(w.gap); n > 0 && w.gap[n-1].Style == style {
		w.gap[n-1].Text += " "
	} else {
		w.gap = append(w.gap, Span{" ", style})
	}
	w.gapW++
}

// flush puts the word on the row, or on the next one if it has no room.
func (w *wrapper) flush() {
	if len(w.word) == 0 {
		return
	}
	switch {
	case w.col+w.gapW+w.wordW <= w.width || w.col == w.begun && w.gapW == 0 && w.wordW > w.width-w.indent:
		w.put(w.gap)
		w.col += w.gapW
	case w.col == w.begun && w.gapW > 0 && w.wordW <= w.width-w.col: // blanks at the front, too many
		// fall through to the words without them
	case w.col > w.begun || len(w.rows) == 0:
		mark := Broken
		if w.gapW > 0 {
			mark = Wrapped
		}
		w.rows = append(w.rows, w.row.With(mark, w.indent))
		w.row, w.col, w.begun = Join(w.rest), w.indent, w.indent
	}
	w.put(w.word)
	w.col += w.wordW
	w.gap, w.word, w.gapW, w.wordW = nil, nil, 0, 0
}

func (w *wrapper) put(l Line) {
	for _, s := range l {
		if n := len(w.row); n > 0 && w.row[n-1].Style == s.Style && len(w.row[n-1].Text) < 4096 {
			w.row[n-1].Text += s.Text
		} else {
			w.row = append(w.row, s)
		}
	}
}
