package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// branches shows two branches side by side, turn by turn; on narrow screens one below
// the other.
type branches struct {
	tips      [2]session.ID
	c         *comparison // nil: not known yet
	comparing bool
	again     bool
	mover

	side   int          // the one that keys are for
	at     int          // the turn
	top    int          // the first turn that is shown
	open   map[int]bool // turns of which all is shown
	scroll int          // rows of the chosen turn that are passed by
	note   string

	drawn map[int][]styled.Line // turns, for a width, a side and a theme
	width int
	theme string
	tall  int // rows of turns that were shown last
}

// mostOfTurn is how many rows of an answer are shown before it is opened.
const mostOfTurn = 10

func (s *branches) whole() bool { return true }

func (s *branches) hints() []hint {
	return []hint{{"tui.select.up", "turn"}, {"tui.input.tab", "other side"}, {"tui.select.confirm", "go there, take over"}, {"app.tools.expand", "all of it"}, {"tui.select.pageDown", "scroll"}, {"tui.select.cancel", "back"}}
}

func (s *branches) take(c comparison) {
	s.c, s.drawn = &c, nil
	s.at = min(s.at, max(s.turns()-1, 0))
}

func (s *branches) turns() int {
	if s.c == nil {
		return 0
	}
	return max(len(s.c.sides[0].turns), len(s.c.sides[1].turns))
}

func (s *branches) update(a *app, ev term.Event) {
	s.note = ""
	switch e := ev.(type) {
	case term.Mouse:
		switch e.Button {
		case term.WheelUp:
			s.rowsBy(a, -3)
		case term.WheelDown:
			s.rowsBy(a, 3)
		}
	case term.Key:
		s.key(a, e)
	}
}

func (s *branches) key(a *app, k term.Key) {
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	switch {
	case is("tui.select.cancel"):
		a.close(s)
	case s.going:
	case is("tui.select.up"):
		s.stand(s.at - 1)
	case is("tui.select.down"):
		s.stand(s.at + 1)
	case is("tui.select.pageUp"):
		s.rowsBy(a, -max(s.tall-1, 1))
	case is("tui.select.pageDown"):
		s.rowsBy(a, max(s.tall-1, 1))
	case is("tui.editor.cursorLineStart"):
		s.stand(0)
	case is("tui.editor.cursorLineEnd"):
		s.stand(s.turns() - 1)
	case is("tui.input.tab"):
		s.side, s.drawn = 1-s.side, nil
	case is("tui.editor.cursorLeft"):
		s.side, s.drawn = 0, nil
	case is("tui.editor.cursorRight"):
		s.side, s.drawn = 1, nil
	case is("app.tools.expand"):
		if s.open == nil {
			s.open = map[int]bool{}
		}
		s.open[s.at] = !s.open[s.at]
		s.scroll = 0
		delete(s.drawn, s.at)
	case is("tui.select.confirm"):
		s.choose(a)
	}
}

func (s *branches) stand(at int) {
	s.at = min(max(at, 0), max(s.turns()-1, 0))
	s.scroll = 0
}

// rowsBy scrolls. Who scrolls past a turn stands at the next.
func (s *branches) rowsBy(a *app, by int) {
	if s.turns() == 0 || s.width == 0 {
		return
	}
	s.scroll += by
	for s.scroll < 0 && s.at > 0 {
		s.at--
		s.scroll += len(s.turn(a, s.at))
	}
	for s.at < s.turns()-1 && s.scroll >= len(s.turn(a, s.at)) {
		s.scroll -= len(s.turn(a, s.at))
		s.at++
	}
	s.scroll = min(max(s.scroll, 0), max(len(s.turn(a, s.at))-1, 0))
	s.top = s.at
}

// choose asks what to do with the chosen side.
func (s *branches) choose(a *app) {
	if s.c == nil {
		return
	}
	side := s.c.sides[s.side]
	name := string(rune('A' + s.side))
	q := &question{text: name + ": " + render.Quote(s.named(a, side), 60)}
	here := a.view.Tree.Effective(a.view.Leaf) == a.view.Tree.Effective(side.tip)
	if !here {
		q.choices = append(q.choices, choice{a.t("Go there: to the end of %s", name), func() { s.goTo(a, side.tip) }})
	}
	if s.at < len(side.turns) {
		t := side.turns[s.at]
		last := t.Entries[len(t.Entries)-1].ID
		if last != a.view.Tree.Effective(side.tip) {
			q.choices = append(q.choices, choice{a.t("Go to right after turn %d of %s", s.at+1, name), func() { s.goTo(a, last) }})
		}
		if t.Answer != nil && a.view.Tree.CommonAncestor(a.view.Leaf, t.Answer.ID) != t.Answer.ID {
			q.choices = append(q.choices, choice{a.t("Bring the answer of turn %d to where you are", s.at+1), func() {
				a.bringOver(protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{t.Answer.ID}}, s.said)
			}})
		}
	}
	if a.view.Tree.CommonAncestor(a.view.Leaf, side.tip) != side.tip && len(side.turns) > 0 {
		q.choices = append(q.choices, choice{a.t("Bring a summary of %s to where you are", name), func() {
			a.bringOver(protocol.Take{What: protocol.TakeSummary, Entries: []session.ID{a.view.Tree.Effective(side.tip)}}, s.said)
		}})
	}
	if len(q.choices) == 0 {
		s.note = a.t("you are at the end of %s; the other side has more to choose", name)
		return
	}
	q.choices = append(q.choices, choice{"Nothing", nil})
	a.push(q)
}

func (s *branches) said(a *app, err error, done string) {
	if err != nil {
		done = a.sentence(err)
	}
	s.note = done
}

// goTo goes to an entry as the tree does, with its question.
func (s *branches) goTo(a *app, id session.ID) {
	e := a.view.Tree.Get(id)
	if e == nil {
		return
	}
	move := func(n protocol.Navigate) { s.move(a, n, s.said, a.closeTrees) }
	n := protocol.Navigate{Target: id, At: true}
	if len(left(a.view.Tree, a.view.Leaf, id)) == 0 || a.o.SkipSummary != nil && a.o.SkipSummary() {
		move(n)
		return
	}
	summed := n
	summed.Summarize = true
	a.push(&question{text: "Leave this branch? It stays in the tree.", choices: []choice{
		{"No summary", func() { move(n) }},
		{"With a summary of what is left", func() { move(summed) }},
	}})
}

// closeTrees closes the tree and the view of branches.
func (a *app) closeTrees() {
	for _, s := range append([]screen(nil), a.screens...) {
		switch t := s.(type) {
		case *branches:
			a.close(t)
		case *treeScreen:
			t.leaveTree(a)
		}
	}
}

// narrow reports whether there is no room for two columns.
func (s *branches) narrow() bool { return s.width < 100 }

func (s *branches) view(a *app, width, height int) panel {
	if s.width != width || s.theme != a.theme.name {
		s.width, s.theme, s.drawn = width, a.theme.name, nil
	}
	var out panel
	add := func(lines ...styled.Line) {
		for _, l := range lines {
			out.rows = append(out.rows, l.Cut(width))
		}
	}
	add(styled.Join(styled.Of(" "+a.t("Two branches"), a.theme.title), styled.Of(s.count(a), a.theme.dim)))
	if height >= 10 {
		add(styled.Join(margin, a.help(s.hints(), width-1)))
	}
	if s.c == nil {
		add(styled.Of(" "+a.t("comparing"), a.theme.dim))
		return out
	}
	add(styled.Line{{Text: " " + a.t("they part after") + " ", Style: a.theme.dim}, {Text: render.Cut(cmp.Or(s.c.place, a.t("the start, before the first message")), 400)}})
	if height >= 12 {
		add(s.heads(a)...)
		add(a.border(nil, "", width, a.theme.border))
	}
	s.tall = max(height-len(out.rows)-1, 1)
	add(s.body(a)...)
	for len(out.rows) < height-1 {
		out.rows = append(out.rows, nil)
	}
	if height > len(out.rows) {
		foot := s.note
		if foot == "" {
			foot = a.status.flash
		}
		add(styled.Line{{Text: " " + a.t("turn %d of %d, side %c", min(s.at+1, s.turns()), s.turns(), 'A'+s.side), Style: a.theme.dim}, {Text: "  " + foot, Style: a.theme.warning}})
	}
	return out
}

func (s *branches) count(a *app) string {
	if s.c == nil {
		return ""
	}
	if n := len(s.c.both); n > 0 {
		return "  " + a.t("both change %s", strings.Join(s.c.both, ", "))
	}
	return ""
}

// heads say what each branch is, and what it came to.
func (s *branches) heads(a *app) []styled.Line {
	var lines [2][]styled.Line
	for i, side := range s.c.sides {
		name := styled.Style{}
		mark := "  "
		if i == s.side {
			name, mark = a.theme.title, "> "
		}
		where := ""
		if a.view.Tree.Effective(a.view.Leaf) == a.view.Tree.Effective(side.tip) {
			where = "  " + a.t("(you are here)")
		}
		lines[i] = append(lines[i],
			styled.Line{{Text: mark, Style: a.theme.cursor}, {Text: string(rune('A'+i)) + " ", Style: a.theme.warning}, {Text: render.Cut(s.named(a, side), 400), Style: name}, {Text: where, Style: a.theme.accent}},
			styled.Of("    "+s.facts(a, side), a.theme.dim))
		if len(side.only) > 0 {
			lines[i] = append(lines[i], styled.Line{{Text: "    " + a.t("only here:") + " ", Style: a.theme.dim}, {Text: strings.Join(side.only, ", ")}})
		}
	}
	return s.beside(a, lines[0], lines[1])
}

func (s *branches) named(a *app, side branchSide) string {
	return cmp.Or(side.name, a.t("nothing yet: it ends where they part"))
}

func (s *branches) facts(a *app, side branchSide) string {
	parts := []string{a.n(side.Turns, "%d turn", "%d turns"), a.n(side.Calls, "%d call", "%d calls"), a.t("%s tokens", render.Count(side.Tally.Tokens()))}
	if c := render.Dollars(side.Tally.Cost); c != "" {
		parts = append(parts, c)
	}
	if n := len(side.Changed); n > 0 {
		parts = append(parts, a.n(n, "%d file changed", "%d files changed"))
	}
	if side.Last != nil && !side.Last.Time.IsZero() {
		parts = append(parts, a.ago(a.o.Now().Sub(side.Last.Time)))
	}
	if side.Bad {
		parts = append(parts, a.t("ends badly"))
	}
	return strings.Join(parts, a.t(", "))
}

// beside puts two columns next to each other, or below each other without room.
func (s *branches) beside(a *app, one, other []styled.Line) []styled.Line {
	if s.narrow() {
		return append(append([]styled.Line(nil), one...), other...)
	}
	w := s.column()
	bar := "│ "
	if a.o.ASCII {
		bar = "| "
	}
	var out []styled.Line
	for y := range max(len(one), len(other)) {
		var l styled.Line
		if y < len(one) {
			l = one[y].Cut(w)
		}
		l = styled.Join(l.Pad(w, styled.Style{}), styled.Of(bar, a.theme.subtle))
		if y < len(other) {
			l = styled.Join(l, other[y].Cut(w))
		}
		out = append(out, l)
	}
	return out
}

// column is how wide one of two columns is.
func (s *branches) column() int { return (s.width - 2) / 2 }

// body draws the turns that have room, from the chosen one's neighbours on.
func (s *branches) body(a *app) []styled.Line {
	if s.turns() == 0 {
		return []styled.Line{styled.Of(" "+a.t("neither has said anything yet"), a.theme.dim)}
	}
	if s.scroll > 0 || s.at < s.top {
		s.top = s.at
	}
	for { // all of the chosen turn is to be seen, or its beginning
		n := 0
		for i := s.top; i <= s.at; i++ {
			n += len(s.turn(a, i))
		}
		if n <= s.tall || s.top >= s.at {
			break
		}
		s.top++
	}
	if s.scroll == 0 { // no room is left empty at the end
		n := 0
		for i := s.turns() - 1; i >= s.top && n <= s.tall; i-- {
			n += len(s.turn(a, i))
		}
		for s.top > 0 && n+len(s.turn(a, s.top-1)) <= s.tall {
			s.top--
			n += len(s.turn(a, s.top))
		}
	}
	var out []styled.Line
	for i := s.top; i < s.turns() && len(out) < s.tall+s.scroll; i++ {
		out = append(out, s.turn(a, i)...)
	}
	out = out[min(s.scroll, len(out)):]
	return out[:min(len(out), s.tall)]
}

// turn draws a turn of both.
func (s *branches) turn(a *app, i int) []styled.Line {
	if rows, ok := s.drawn[i]; ok && i != s.at {
		return rows
	}
	if s.drawn == nil || len(s.drawn) > 400 {
		s.drawn = map[int][]styled.Line{}
	}
	w := s.column()
	if s.narrow() {
		w = s.width
	}
	var cols [2][]styled.Line
	for k, side := range s.c.sides {
		if i < len(side.turns) {
			cols[k] = s.half(a, side.turns[i], i, k, w)
		} else if i == len(side.turns) {
			cols[k] = []styled.Line{styled.Of("    "+a.t("(%c ends here)", 'A'+k), a.theme.dim)}
		}
	}
	rows := append(s.beside(a, cols[0], cols[1]), nil)
	if i != s.at {
		s.drawn[i] = rows
	}
	return rows
}

// half draws a turn of one branch.
func (s *branches) half(a *app, t render.Turn, i, side, width int) []styled.Line {
	mark := styled.Of("  ", styled.Style{})
	style := styled.Style{}
	if i == s.at && side == s.side {
		mark, style = styled.Of("> ", a.theme.cursor), a.theme.selection
	}
	previews := a.previews(a.view.Tree)
	said := a.t("(goes on)")
	if t.Said != nil {
		said = previews.Of(t.Said).Text
	}
	head := styled.Line{{Text: fmt.Sprintf("%c%d ", 'A'+side, i+1), Style: a.theme.warning}, {Text: render.Cut(said, 1000), Style: a.theme.accent}}
	first := styled.Join(mark, head.Cut(width-4)).Styled(style)
	if style.BG != 0 {
		first = first.Pad(width, style)
	}
	out := []styled.Line{first}
	f := render.FactsOf(func(yield func(*session.Entry) bool) {
		for _, e := range t.Entries {
			if !yield(e) {
				return
			}
		}
	})
	var parts []string
	if f.Calls > 0 {
		parts = append(parts, a.n(f.Calls, "%d call", "%d calls"))
	}
	if n := f.Tally.Tokens(); n > 0 {
		parts = append(parts, a.t("%s tokens", render.Count(n)))
	}
	if c := render.Dollars(f.Tally.Cost); c != "" {
		parts = append(parts, c)
	}
	if len(f.Changed) > 0 {
		parts = append(parts, a.t("changes %s", render.OneLine(strings.Join(f.Changed, ", "))))
	}
	if len(parts) > 0 {
		out = append(out, styled.Of("    "+strings.Join(parts, a.t(", ")), a.theme.dim).Cut(width))
	}
	text := a.t("(no answer)")
	if t.Answer != nil {
		full, err := render.Full(t.Answer, false)
		if err != nil {
			full = render.OneLine(err.Error())
		}
		if text = full; len(text) > mostPreviewed {
			text = strings.ToValidUTF8(text[:mostPreviewed], "") + "\n\n" + a.t("[more]")
		}
	}
	rows := markdown.Render(text, a.markdownOptions(max(width-5, 1)))
	if most := mostOfTurn; len(rows) > most && !s.open[i] {
		rest := len(rows) - most + 1
		rows = append(rows[:most-1:most-1], styled.Of(a.n(rest, "%d row more; %s", "%d rows more; %s", a.keys.name("app.tools.expand")), a.theme.dim))
	}
	for _, r := range rows {
		out = append(out, styled.Join(styled.Of("    ", styled.Style{}), r).Cut(width))
	}
	return out
}
