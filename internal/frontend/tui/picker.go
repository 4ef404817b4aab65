package tui

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
)

// A source is what a picker lists. Rows are drawn when they are seen; texts are
// looked at when something is searched.
type source interface {
	len() int
	text(i int) string                         // what is searched
	row(i, width int, chosen bool) styled.Line // without the mark in front
}

// picker lets a person choose one of many: type to search, enter to choose. It costs
// what is seen, and a look at each text with every letter that is typed.
//
//	a.push(&picker{title: "Models", list: models, choose: func(a *app, i int) { … }})
type picker struct {
	title  string
	list   source
	choose func(a *app, i int)                      // closes the picker first; nil: it is there to be read
	act    func(a *app, i int, k term.Key) bool     // other keys; i is -1 if the list is empty
	more   []hint                                   // of those keys
	empty  string                                   // what to do if nothing is listed
	side   func(i, width, height int) []styled.Line // a preview of the chosen one; nil
	fills  bool                                     // takes the whole screen
	filter func(text, query string) bool            // nil: fuzzy
	hears  func(p *picker, ev protocol.Event)       // of what happens in the session while it is open
	asks   func(query string)                       // hears of a new search before the list is asked
	state  func() styled.Line                       // stands behind the title
	detail func(i, width int) []styled.Line         // stands below the list, of the chosen one
	verb   string                                   // what choosing does; "": choose
	stays  bool                                     // choose does not close it
	moved  func(i int)                              // hears which one is stood at; -1: none
	closed func()                                   // hears that nothing was chosen
	most   int                                      // rows of the list; 0: 12

	peek    int8          // the preview: 0 where there is room beside the list, 1 also below it, -1 nowhere
	wait    string        // what is still to come of the list; "": nothing
	confirm *confirmation // a question that waits for an answer

	query  input
	found  []int // what fits, in order; nil before the first drawing
	asked  string
	size   int // of the list when it was searched
	at     int // to found
	first  int // the first row that is shown
	height int // of the list, when it was drawn last
}

// event tells a list that follows the session of what happens in it.
func (p *picker) event(_ *app, ev protocol.Event) {
	if p.hears != nil {
		p.hears(p, ev)
	}
}

// confirmation asks in the line of the title whether to go on: enter does, escape
// does not, and nothing else is heard.
type confirmation struct {
	text string
	do   func()
}

func (p *picker) whole() bool { return p.fills }

func (p *picker) hints() []hint {
	if p.confirm != nil {
		return []hint{{"tui.select.confirm", "yes"}, {"tui.select.cancel", "no"}}
	}
	h := []hint{{"tui.select.cancel", "close"}}
	if p.choose != nil {
		h = []hint{{"tui.select.confirm", cmp.Or(p.verb, "choose")}, h[0]}
	}
	return append(h, p.more...)
}

// search finds what fits. What was chosen stays so, if it still fits.
func (p *picker) search() {
	if p.asks != nil && (p.found == nil || p.asked != p.query.text) {
		p.asks(p.query.text)
	}
	n := p.list.len()
	if p.found != nil && p.asked == p.query.text && p.size == n {
		return
	}
	was := p.chosen()
	if p.asked != p.query.text {
		was = -1 // a new search begins with what fits best
	}
	p.asked, p.size = p.query.text, n
	p.found = make([]int, 0, n)
	words := strings.Fields(strings.ToLower(p.query.text))
	var first, loose []int // texts that begin so, those that have the letters
	for i := range n {
		if len(words) == 0 {
			p.found = append(p.found, i)
			continue
		}
		text := p.list.text(i)
		switch rank := fits(text, words); {
		case p.filter != nil:
			if p.filter(text, p.query.text) {
				p.found = append(p.found, i)
			}
		case rank == 3:
			first = append(first, i)
		case rank == 2:
			p.found = append(p.found, i)
		case rank == 1:
			loose = append(loose, i)
		}
	}
	p.found = append(p.found, loose...)
	if len(first) > 0 {
		p.found = append(first, p.found...)
	}
	p.at = 0
	for at, i := range p.found {
		if i == was {
			p.at = at
		}
	}
}

// fits says how words fit a text: 3 all stand in it and it begins with the first, 2 all
// stand in it, 1 their letters do, in order.
func fits(text string, words []string) int {
	text = strings.ToLower(text)
	best := 2
	for _, w := range words {
		if strings.Contains(text, w) {
			continue
		}
		if !scattered(text, w) {
			return 0
		}
		best = 1
	}
	if best == 2 && strings.HasPrefix(text, words[0]) {
		best = 3
	}
	return best
}

func scattered(text, word string) bool {
	for _, r := range word {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return !strings.ContainsFunc(word, unicode.IsSpace)
}

// chosen is what stands under the cursor, -1 if nothing does.
func (p *picker) chosen() int {
	if p.at < len(p.found) {
		return p.found[p.at]
	}
	return -1
}

// set chooses a row.
func (p *picker) set(i int) {
	p.search()
	for at, f := range p.found {
		if f == i {
			p.at = at
		}
	}
}

// changed says that the list is another one.
func (p *picker) changed() { p.size = -1 }

func (p *picker) update(a *app, ev term.Event) {
	p.search()
	switch e := ev.(type) {
	case term.Paste:
		p.query.paste(e.Text)
	case term.Mouse:
		if e.Button == term.WheelUp {
			p.move(-3, false)
		} else if e.Button == term.WheelDown {
			p.move(3, false)
		}
	case term.Key:
		p.key(a, e)
	}
	if p.moved != nil && a.top() == p {
		p.search()
		p.moved(p.chosen())
	}
}

func (p *picker) key(a *app, k term.Key) {
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	if c := p.confirm; c != nil {
		if yes := is("tui.select.confirm"); yes || is("tui.select.cancel") {
			if p.confirm = nil; yes {
				c.do()
			}
		}
		return
	}
	switch {
	case is("tui.select.cancel"):
		if k.Name == "escape" && !p.query.empty() {
			p.query = input{}
			return
		}
		a.close(p)
		if p.closed != nil {
			p.closed()
		}
	case is("tui.select.confirm"):
		if i := p.chosen(); i >= 0 && p.choose != nil {
			if !p.stays {
				a.close(p)
			}
			p.choose(a, i)
		}
	case p.side != nil && p.query.empty() && is("bough.tree.preview"):
		p.turnPreview(a)
	case p.act != nil && p.act(a, p.chosen(), k):
	case is("tui.select.up"):
		p.move(-1, true)
	case is("tui.select.down"):
		p.move(1, true)
	case is("tui.select.pageUp"):
		p.move(-max(p.height, 1), false)
	case is("tui.select.pageDown"):
		p.move(max(p.height, 1), false)
	default:
		p.query.key(a.keys, k)
	}
}

func (p *picker) move(by int, around bool) {
	n := len(p.found)
	if n == 0 {
		return
	}
	p.at += by
	switch {
	case p.at < 0 && around:
		p.at = n - 1
	case p.at >= n && around:
		p.at = 0
	default:
		p.at = min(max(p.at, 0), n-1)
	}
}

// turnPreview shows or hides the preview.
func (p *picker) turnPreview(a *app) {
	w, _ := a.term.Size()
	switch shown := p.peek > 0 || p.peek == 0 && w >= besideFrom; {
	case shown:
		p.peek = -1
	default:
		p.peek = 1
	}
}

// besideFrom is the width from which on a preview stands beside a list.
const besideFrom = 100

func (p *picker) head(a *app, width int) styled.Line {
	if p.confirm != nil {
		return styled.Of(p.confirm.text, a.theme.failure).Cut(width)
	}
	head, count := styled.Of(a.t(p.title)+" ", a.theme.title), styled.Of(p.count(), a.theme.dim)
	if p.state != nil {
		// Where there is no room for all, the count stays.
		if words := p.state().Cut(width - head.Width() - count.Width() - 1); len(words) > 0 {
			head = styled.Join(head, words, styled.Of(" ", styled.Style{}))
		}
	}
	return styled.Join(head, count).Cut(width)
}

func (p *picker) view(a *app, width, height int) panel {
	p.search()
	var out panel
	if p.fills {
		out.rows = append(out.rows, styled.Join(margin, p.head(a, width-1)))
	} else {
		out.rows = append(out.rows, a.border(p.head(a, width-6), "", width, a.theme.frame))
	}
	if height >= 9 || p.confirm != nil {
		out.rows = append(out.rows, styled.Join(margin, a.help(p.hints(), width-1)))
	}
	line, x := p.query.draw(max(width-3, 1), styled.Style{})
	out.x, out.y, out.cursor = x+3, len(out.rows), true
	out.rows = append(out.rows, styled.Join(styled.Of(" > ", a.theme.accent), line))
	room := max(height-len(out.rows), 1)
	if most := cmp.Or(p.most, 12); !p.fills {
		room = min(room, most)
	}
	chosen := p.chosen()
	var below []styled.Line
	if p.detail != nil && chosen >= 0 && room >= 6 {
		below = p.detail(chosen, max(width-3, 1))
		below = below[:min(len(below), room/2)]
		for i := range below {
			below[i] = styled.Join(styled.Of("   ", styled.Style{}), below[i]).Cut(width)
		}
	}
	list, side := width, 0
	if p.side != nil && p.peek >= 0 && width >= besideFrom {
		list = width / 2
		side = width - list - 2
	} else if p.side != nil && p.peek > 0 && chosen >= 0 && room >= 8 {
		below = append([]styled.Line{a.border(nil, "", width, a.theme.subtle)}, p.side(chosen, width-2, room-room/2-1)...)
		below = below[:min(len(below), room-room/2)]
		for i := range below[1:] {
			below[i+1] = styled.Join(margin, below[i+1])
		}
	}
	room -= len(below)
	p.height = min(room, max(len(p.found), 1))
	if side > 0 {
		p.height = room
	}
	p.first = min(max(p.first, p.at-p.height+1, 0), p.at)
	var preview []styled.Line
	if chosen >= 0 && side > 0 {
		preview = p.side(chosen, side, p.height)
	}
	for y := range p.height {
		l := p.line(a, y, list)
		if side > 0 {
			bar := "│"
			if a.o.ASCII {
				bar = "|"
			}
			l = styled.Join(l.Pad(list, styled.Style{}), styled.Of(bar+" ", a.theme.subtle))
			if y < len(preview) {
				l = styled.Join(l, preview[y].Cut(side))
			}
		}
		out.rows = append(out.rows, l)
	}
	out.rows = append(out.rows, below...)
	return out
}

// line draws the row of the list that is shown as the y-th.
func (p *picker) line(a *app, y, width int) styled.Line {
	at := p.first + y
	if at >= len(p.found) {
		if len(p.found) == 0 && y == 0 {
			return styled.Of("   "+a.t(p.nothing()), a.theme.dim).Cut(width)
		}
		return nil
	}
	chosen := at == p.at
	mark := styled.Of("   ", styled.Style{})
	if chosen {
		mark = styled.Of(" > ", a.theme.cursor)
	}
	l := styled.Join(mark, p.list.row(p.found[at], max(width-4, 1), chosen)).Cut(width)
	if chosen {
		l = l.Styled(a.theme.selection).Pad(width, a.theme.selection)
	}
	return l
}

func (p *picker) count() string {
	if len(p.found) == 0 {
		return ""
	}
	return fmt.Sprintf("(%d/%d)", p.at+1, len(p.found))
}

func (p *picker) nothing() string {
	switch {
	case p.wait != "":
		return p.wait
	case !p.query.empty():
		return "nothing fits; backspace takes letters back"
	case p.empty != "":
		return p.empty
	}
	return "there is nothing to choose"
}

// texts is a source of rows that are known already: what is chosen, and words
// beside it.
type texts []struct{ name, beside string }

func (t texts) len() int          { return len(t) }
func (t texts) text(i int) string { return t[i].name + " " + t[i].beside }

// table draws texts in two columns.
type table struct {
	texts
	a     *app
	names int // columns
}

func (t table) row(i, width int, _ bool) styled.Line {
	names := t.names
	if names == 0 {
		names = 24
	}
	return beside(styled.Of(t.texts[i].name, styled.Style{}), styled.Of(t.texts[i].beside, t.a.theme.muted), names, width)
}

// beside draws a name and what there is to say of it, in two columns. Where there is
// little room the name is whole, and the rest goes.
func beside(name, words styled.Line, names, width int) styled.Line {
	if len(words) == 0 || words.Width() == 0 {
		return name.Cut(width)
	}
	names = min(names, max(width/2, 8))
	if width >= 50 {
		name = name.Cut(names)
	}
	return styled.Join(name.Pad(names, styled.Style{}), styled.Of(" ", styled.Style{}), words).Cut(width)
}

// brief makes one line of words of others, of which there may be a megabyte.
func brief(s string) string {
	const most = 4096
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return render.OneLine(s)
}

// toTheRight writes a text at the right end of so many columns.
func toTheRight(s string, columns int) string {
	return strings.Repeat(" ", max(columns-styled.Width(s), 0)) + s
}
