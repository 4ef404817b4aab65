package tui

import (
	"strings"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// selection is what was marked with the mouse: from a cell of the conversation to
// another. Cells are known by their block and row, so that it stays with its text
// when that scrolls.
type selection struct {
	from, to spot
	down     bool // the button is still held
	bar      bool // on the scroll bar
}

type spot struct{ item, row, col int }

func (s spot) before(o spot) bool {
	return s.item < o.item || s.item == o.item && (s.row < o.row || s.row == o.row && s.col < o.col)
}

// any reports whether more than nothing is marked.
func (s selection) any() bool { return s.from != s.to }

func (s selection) ends() (first, last spot) {
	if s.to.before(s.from) {
		return s.to, s.from
	}
	return s.from, s.to
}

// mouse takes what the mouse does to the conversation. With shift the terminal has it.
func (a *app) mouse(m term.Mouse) {
	t := &a.look
	switch {
	case a.o.Regular || a.wheel(m):
	case m.Button != term.LeftButton && m.Action != term.Release || m.Mod&term.Shift != 0:
	case m.Action == term.Press:
		w, _ := a.term.Size()
		t.chosen = selection{}
		if t.barShown && m.X == w-1 && m.Y < t.rows {
			t.chosen = selection{bar: true, down: true}
			t.toShare(m.Y)
			return
		}
		if at, ok := t.spot(m.X, m.Y); ok {
			t.chosen = selection{from: at, to: at, down: true}
		}
	case !t.chosen.down:
	case t.chosen.bar:
		t.chosen.down = m.Action != term.Release
		t.toShare(m.Y)
	case m.Action == term.Move:
		switch {
		case m.Y <= 0:
			t.scroll(-1, a.room())
		case m.Y >= t.rows:
			t.scroll(1, a.room())
		}
		if at, ok := t.spot(m.X, min(max(m.Y, 0), len(t.items)-1)); ok {
			t.chosen.to = at
		}
	case m.Action == term.Release:
		t.chosen.down = false
		switch {
		case !t.chosen.any():
			t.chosen = selection{}
			t.click(m.Y)
		case a.o.CopyOnSelect:
			a.copyText(t.chosenText())
		default:
			a.flash("%s copies it", a.keys.name("app.message.copy"))
		}
	}
}

// spot is what stands at a cell of the screen.
func (t *transcript) spot(x, y int) (spot, bool) {
	if y < 0 || y >= len(t.items) {
		return spot{}, false
	}
	i := t.items[y]
	first, last := y, y
	for first > 0 && t.items[first-1] == i {
		first--
	}
	for last+1 < len(t.items) && t.items[last+1] == i {
		last++
	}
	row := y - first
	switch {
	case t.follows: // its end is seen
		row = len(t.of(i).lines) - 1 - (last - y)
	case i == t.top:
		row += t.off
	}
	return spot{i, max(row, 0), x}, true
}

// columns are those of a row of a block that are marked; ok is false if none are.
func (s selection) columns(item, row int) (from, to int, ok bool) {
	first, last := s.ends()
	here := spot{item, row, 0}
	if !s.any() || here.item < first.item || here.item == first.item && row < first.row || here.item > last.item || here.item == last.item && row > last.row {
		return 0, 0, false
	}
	to = 1 << 20
	if item == first.item && row == first.row {
		from = first.col
	}
	if item == last.item && row == last.row {
		to = last.col + 1
	}
	return from, to, true
}

// choose marks the columns of a row, as far as something stands there.
func (t *transcript) choose(l styled.Line, item, row int) styled.Line {
	from, to, ok := t.chosen.columns(item, row)
	if !ok {
		return l
	}
	to = min(to, styled.Width(strings.TrimRight(l.Text(), " ")))
	before, in, after := l.Part(max(from, 1), to)
	for i := range in {
		in[i].Style.Attr |= styled.Reverse
	}
	return styled.Join(before, in, after)
}

// mostChosen is how many rows are copied at most.
const mostChosen = 100_000

// chosenText is the text that is marked, without the breaks that the width made.
func (t *transcript) chosenText() string {
	var b strings.Builder
	first, last := t.chosen.ends()
	glue, front := "", 0
	rows := 0
	for i := first.item; i <= last.item && i < t.count() && rows < mostChosen; i++ {
		for row, l := range t.of(i).lines {
			from, to, ok := t.chosen.columns(i, row)
			if !ok {
				continue
			}
			rows++
			from = max(from, 1) // the margin is none of the text
			if glue != "\n" && b.Len() > 0 {
				from = max(from, front)
			}
			_, in, _ := l.Part(from, to)
			text := plainOf(in)
			if glue != "\n" && b.Len() > 0 {
				text = afterBreak(text, front > 0)
			}
			_, broken := l.Has(styled.Broken)
			columns, chopped := l.Has(styled.Chopped)
			if !chopped {
				text = strings.TrimRight(text, " ")
			}
			if rows > 1 {
				b.WriteString(glue)
			}
			b.WriteString(text)
			_, wrapped := l.Has(styled.Wrapped)
			front = 0
			switch {
			case wrapped:
				glue = " "
			case broken:
				glue = ""
			case chopped:
				glue = ""
				front = columns + 1
				if columns == margin.Width() { // it is the margin
					front = columns
				}
			default:
				glue = "\n"
			}
		}
	}
	return strings.Trim(b.String(), "\n")
}

// afterBreak is a row that goes on with the one before, without what stands before
// its text.
func afterBreak(s string, exact bool) string {
	if exact {
		return s
	}
	s = strings.TrimLeft(s, " ")
	for _, bar := range []string{"│ ", "| "} {
		s = strings.TrimPrefix(s, bar)
	}
	return s
}

// plainOf is the text of a row without its pictures.
func plainOf(l styled.Line) string {
	var b strings.Builder
	for _, s := range l {
		if _, _, ok := s.Picture(); !ok {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}
