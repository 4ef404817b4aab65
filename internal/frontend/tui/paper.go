package tui

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// paper shows a text to be read, and may ask for an answer below it.
type paper struct {
	title   string
	text    string // Markdown, or plain
	plain   bool
	choices []choice
	back    func(a *app) // after it was closed without an answer; nil: nothing

	at     int // to choices
	top    int
	width  int // that rows were drawn for
	theme  *theme
	rows   []styled.Line
	height int
}

func (p *paper) whole() bool { return true }

func (p *paper) hints() []hint {
	if len(p.choices) > 0 {
		if len(p.rows) <= p.height {
			return []hint{{"tui.select.confirm", "choose"}, {"tui.select.cancel", "close"}}
		}
		return []hint{{"tui.select.confirm", "choose"}, {"tui.select.pageDown", "read on"}, {"tui.select.cancel", "close"}}
	}
	if len(p.rows) <= p.height {
		return []hint{{"tui.select.cancel", "close"}}
	}
	return []hint{{"tui.select.cancel", "close"}, {"tui.select.down", "down"}, {"tui.select.pageDown", "page"}}
}

func (p *paper) update(a *app, ev term.Event) {
	switch e := ev.(type) {
	case term.Mouse:
		if e.Button == term.WheelUp {
			p.scroll(-3)
		} else if e.Button == term.WheelDown {
			p.scroll(3)
		}
	case term.Key:
		p.key(a, e)
	}
}

func (p *paper) key(a *app, k term.Key) {
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	n := len(p.choices)
	switch {
	case is("tui.select.cancel"):
		a.close(p)
		if p.back != nil {
			p.back(a)
		}
	case is("tui.select.pageUp"):
		p.scroll(-max(p.height-1, 1))
	case is("tui.select.pageDown"):
		p.scroll(max(p.height-1, 1))
	case is("tui.altScreen.top"):
		p.top = 0
	case is("tui.altScreen.bottom"):
		p.scroll(len(p.rows))
	case n == 0 && is("tui.select.up"):
		p.scroll(-1)
	case n == 0 && is("tui.select.down"):
		p.scroll(1)
	case n == 0 && is("tui.select.confirm"):
		a.close(p)
		if p.back != nil {
			p.back(a)
		}
	case n > 0 && is("tui.select.up"):
		p.at = (p.at + n - 1) % n
	case n > 0 && is("tui.select.down"):
		p.at = (p.at + 1) % n
	case n > 0 && is("tui.select.confirm"):
		p.take(a, p.at)
	case n > 0 && len(k.Text) == 1 && k.Text[0] >= '1' && int(k.Text[0]-'1') < n:
		p.take(a, int(k.Text[0]-'1'))
	}
}

func (p *paper) take(a *app, i int) {
	a.close(p)
	if f := p.choices[i].do; f != nil {
		f()
	}
}

func (p *paper) scroll(by int) { p.top = min(max(p.top+by, 0), max(len(p.rows)-p.height, 0)) }

func (p *paper) draw(a *app, width int) {
	if p.width == width && p.theme == a.theme {
		return
	}
	p.width, p.theme = width, a.theme
	if p.plain {
		p.rows = nil
		for l := range strings.SplitSeq(render.Clean(p.text), "\n") {
			p.rows = append(p.rows, styled.Wrap(styled.Of(l, styled.Style{}), width, nil, nil)...)
		}
		return
	}
	p.rows = markdown.Render(render.Clean(p.text), markdown.Options{Width: width, Theme: a.theme.text, ASCII: a.o.ASCII})
}

func (p *paper) view(a *app, width, height int) panel {
	p.draw(a, max(width-2, 1))
	var answers []styled.Line
	below, y := 0, 0
	if n := len(p.choices); n > 0 {
		answers, y = a.choiceRows(p.choices, p.at, width, max(height/2, n))
		below = len(answers) + 1
	}
	p.height = max(height-2-below, 1)
	p.scroll(0)
	where := ""
	if len(p.rows) > p.height {
		where = fmt.Sprintf(" %d/%d ", min(p.top+p.height, len(p.rows)), len(p.rows))
	}
	out := panel{rows: []styled.Line{a.border(styled.Of(a.t(p.title), a.theme.title), where, width, a.theme.border)}}
	for y := range p.height {
		var l styled.Line
		if at := p.top + y; at < len(p.rows) {
			l = styled.Join(margin, p.rows[at]).Cut(width)
		}
		out.rows = append(out.rows, l)
	}
	if below > 0 {
		out.rows = append(out.rows, a.border(nil, "", width, a.theme.warning))
		out.y = len(out.rows) + y
		out.rows = append(out.rows, answers...)
	}
	out.rows = append(out.rows, styled.Join(margin, a.help(p.hints(), width-1)))
	if over := len(out.rows) - height; over > 0 && below > 0 { // the answers go before the text
		out.rows = append(out.rows[:1:1], out.rows[1+min(over, p.height):]...)
		out.y -= min(over, p.height)
	}
	return out
}

// choiceRows draws answers, and says in which row the chosen one stands. Each has as
// many rows as its words want; if there is no room for that, only the chosen one.
func (a *app) choiceRows(choices []choice, at, width, room int) (rows []styled.Line, y int) {
	blank := styled.Of("     ", styled.Style{})
	draw := func(i int, whole bool) []styled.Line {
		mark := "   "
		if i == at {
			mark = " > "
		}
		front := styled.Line{{Text: mark, Style: a.theme.cursor}, {Text: string(rune('1'+i)) + " ", Style: a.theme.dim}}
		words := styled.Of(a.t(choices[i].text), styled.Style{})
		own := []styled.Line{styled.Join(front, words).Cut(width)}
		if whole {
			own = styled.Wrap(words, width-1, front, blank)
		}
		for k := range own {
			if i == at {
				own[k] = own[k].Styled(a.theme.selection).Pad(width, a.theme.selection)
			}
		}
		return own
	}
	all := 0
	for i := range choices {
		all += len(draw(i, true))
	}
	for i := range choices {
		if i == at {
			y = len(rows)
		}
		whole := all <= room || i == at && len(draw(i, true))+len(choices)-1 <= room
		rows = append(rows, draw(i, whole)...)
	}
	return rows, y
}
