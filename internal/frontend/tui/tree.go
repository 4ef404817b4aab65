package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// treeScreen is the tree of the session (docs/spec/frontends.md D11). Its rows are
// made beside the loop where there are many (treegrow.go); what stands in them is
// looked up when they are seen.
type treeScreen struct {
	rows []render.Row
	kids []int32               // of each row
	of   map[session.ID]int32  // the row of an entry
	want session.ID            // what is chosen, also while rows are made anew
	at   int                   // the chosen row
	top  int                   // the first row that is shown
	room int                   // rows that were shown last
	list int                   // where they began on the screen
	fold map[session.ID]bool   //
	sum  *render.Facts         // of the whole session; nil: not known yet
	tips int                   // ends of branches
	fact map[session.ID]*facts // of branches, by their first entry
	turn map[session.ID]*facts // of turns, by their message

	filter  render.Filter
	layout  treeLayout
	times   int // 0 none, 1 of labels, 2 of all rows
	more    bool
	preview bool
	side    sidePane
	mark    session.ID // the branch that another one is to be compared with
	note    string     // what failed, or what was done, until the next key

	query  input
	typing bool // of the query, though it is empty
	find   *finding
	label  *input // being written
	enter  bool   // was pressed while something was looked for

	grower
	mover
}

type treeLayout int

const (
	spine treeLayout = iota
	classic
	turns
)

var layoutNames = []string{"spine", "classic", "turns"}

// openTree shows the tree of the session.
func (a *app) openTree(words string) error {
	a.lookedAtForeign()
	if a.view.Tree == nil || len(render.Next(a.view.Tree, "")) == 0 {
		return errors.New("nothing has been said yet, so there is no tree")
	}
	c := slash.Command{Rest: words}
	c.Name = "tree"
	switches := []string{"--classic", "--turns"}
	for _, f := range render.Filters() {
		switches = append(switches, "--"+string(f))
	}
	args, err := c.Args(switches...)
	if err != nil {
		return err
	}
	t := &treeScreen{fold: map[session.ID]bool{}, fact: map[session.ID]*facts{}, turn: map[session.ID]*facts{}, filter: render.Default}
	t.a = a
	if a.o.TreeFilter != nil {
		t.filter = render.Filter(a.o.TreeFilter())
	}
	if m, ok := a.trees[a.view.Header.ID]; ok {
		t.filter, t.layout, t.times = m.filter, m.layout, m.times
	}
	for _, f := range render.Filters() {
		if args.Is["--"+string(f)] {
			t.filter = f
		}
	}
	switch {
	case args.Is["--classic"]:
		t.layout = classic
	case args.Is["--turns"]:
		t.layout = turns
	}
	if e := render.Above(a.view.Tree, a.view.Leaf); e != nil {
		t.want = e.ID
	}
	a.push(t)
	t.begin(a)
	if text := args.Text(); text != "" {
		t.query.set(text)
		t.search(a)
	}
	return nil
}

func (t *treeScreen) whole() bool { return true }

func (t *treeScreen) hints() []hint {
	h := []hint{{"tui.select.confirm", "go there"}, {"bough.tree.preview", "read it"}, {"tui.select.cancel", "close"}, {"app.tree.foldOrUp", "fold"},
		{"app.tree.filter.cycleForward", "filter"}, {"bough.tree.compare", "compare"}}
	if !t.more {
		return h
	}
	return append(h, []hint{{"app.tree.unfoldOrDown", "unfold"}, {"bough.tree.prevSibling", "branch before"}, {"bough.tree.nextSibling", "next branch"}, {"bough.tree.nextPoint", "next fork"}, {"bough.tree.prevPoint", "fork before"},
		{"bough.tree.nextLabel", "next label"}, {"bough.tree.leaf", "to where you are"}, {"app.tree.editLabel", "label"},
		{"app.tree.toggleLabelTimestamp", "times"}, {"bough.tree.layout", "layout"}, {"bough.tree.take", "bring here"}, {"bough.tree.fork", "new session"}, {"bough.tree.clone", "new session up to it"},
		{"bough.tree.hide", "hide from the model"}, {"app.message.copy", "copy"},
		{"app.tree.filter.noTools", "no tools"}, {"app.tree.filter.userOnly", "yours"}, {"app.tree.filter.labeledOnly", "labelled"}, {"app.tree.filter.all", "all"}, {"app.tree.filter.default", "default"}}...)
}

// chosen is the entry under the cursor, nil without rows.
func (t *treeScreen) chosen() *session.Entry {
	if t.at < len(t.rows) {
		return t.rows[t.at].Entry
	}
	return nil
}

// stand moves the cursor.
func (t *treeScreen) stand(at int) {
	if len(t.rows) == 0 {
		return
	}
	t.at = min(max(at, 0), len(t.rows)-1)
	t.want = t.rows[t.at].Entry.ID
	t.side.scroll = 0
}

func (t *treeScreen) view(a *app, width, height int) panel {
	var out panel
	add := func(l styled.Line) { out.rows = append(out.rows, l.Cut(width)) }
	line, x := t.query.draw(max(width-12, 1), styled.Style{})
	if t.label != nil {
		line, x = t.label.draw(max(width-12, 1), styled.Style{})
	}
	add(t.head(a, width))
	list := height - 3 // without head, search, status
	help := t.help(a, width)
	if most := max(list-5, 0); len(help) > most {
		help = help[:min(most, 1)]
	}
	out.rows = append(out.rows, help...)
	list -= len(help)
	if t.label != nil {
		add(styled.Join(styled.Of(render.Pad(" "+a.t("label:"), 9), a.theme.warning), line))
		out.x, out.y, out.cursor = 9+x, len(out.rows)-1, true
	} else {
		add(styled.Join(t.searchHead(a), line, t.found(a)))
		out.x, out.y, out.cursor = 9+x, len(out.rows)-1, true
	}
	list = max(list, 1)
	if height < 3 {
		list = 1
		out.rows = nil
		out.cursor = false
	}
	t.list = len(out.rows)
	left, right, below := width, 0, 0
	if t.preview {
		if width >= 100 {
			left = width/2 - 1
			right = width - left - 2
		} else {
			below = list / 2
		}
	}
	t.room = max(list-below, 1)
	t.top = min(max(t.top, t.at-t.room+1, 0), t.at, max(len(t.rows)-1, 0))
	if over := t.top + t.room - len(t.rows); over > 0 {
		t.top = max(t.top-over, 0)
	}
	var pane []styled.Line
	switch {
	case right > 0:
		pane = t.pane(a, right, t.room)
	case below > 1:
		pane = t.pane(a, width-1, below-1)
	}
	bar := "│ "
	if a.o.ASCII {
		bar = "| "
	}
	for y := range t.room {
		l := t.row(a, t.top+y, left)
		if right > 0 {
			l = styled.Join(l.Pad(left, styled.Style{}), styled.Of(bar, a.theme.subtle))
			if y < len(pane) {
				l = styled.Join(l, pane[y])
			}
		}
		add(l)
	}
	if below > 0 {
		out.rows = append(out.rows, a.border(nil, "", width, a.theme.border))
		for y := range below - 1 {
			if y < len(pane) {
				add(styled.Join(margin, pane[y]))
			} else {
				add(nil)
			}
		}
	}
	if height >= 3 {
		add(t.foot(a))
	}
	t.needFacts(a)
	return out
}

// head says what session it is and what it holds.
func (t *treeScreen) head(a *app, width int) styled.Line {
	l := styled.Of(" "+a.t("Session tree"), a.theme.title)
	if width < 60 {
		l = styled.Of(" "+a.t("Tree"), a.theme.title)
	}
	if n := render.OneLine(a.view.Tree.Name()); n != "" {
		l = append(l, styled.Span{Text: "  " + render.Cut(n, max(width/3, 10))})
	}
	var parts []string
	if t.tips > 0 {
		parts = append(parts, a.n(t.tips, "%d branch", "%d branches"))
	}
	if t.sum != nil {
		parts = append(parts, a.n(t.sum.Entries, "%d entry", "%d entries"))
		if c := render.Dollars(t.sum.Tally.Cost); c != "" {
			parts = append(parts, c)
		}
	}
	l = append(l, styled.Span{Text: "  " + strings.Join(parts, a.t(", ")), Style: a.theme.dim})
	right := a.t("layout: %s", a.t(layoutNames[t.layout]))
	if gap := width - l.Width() - styled.Width(right) - 1; gap > 1 {
		l = append(l, styled.Span{Text: strings.Repeat(" ", gap) + right, Style: a.theme.dim})
	}
	return l
}

// help is the lines of help, of the keys as they are.
func (t *treeScreen) help(a *app, width int) []styled.Line {
	mark := func(key, words string) styled.Line {
		return styled.Line{{Text: key, Style: a.theme.key}, {Text: " " + a.t(words), Style: a.theme.dim}}
	}
	sep := styled.Of(" · ", a.theme.dim)
	first := styled.Join(margin, mark("/", "search"))
	if t.label != nil {
		return []styled.Line{styled.Join(margin, a.help([]hint{{"tui.select.confirm", "keep the label; an empty one takes it away"}, {"tui.select.cancel", "leave it"}}, width-1))}
	}
	var out []styled.Line
	l := styled.Join(first, sep, mark("?", "more"))
	if t.more {
		l = styled.Join(first, sep, mark("?", "less"), sep, mark("1-9", "n-th branch"))
	}
	for _, h := range t.hints() {
		key := a.keys.name(h.action)
		if key == "" {
			continue
		}
		next := mark(key, h.words)
		if l.Width()+3+next.Width() > width {
			if !t.more {
				break
			}
			out = append(out, l)
			l = styled.Join(margin, next)
			continue
		}
		l = styled.Join(l, sep, next)
	}
	return append(out, l)
}

func (t *treeScreen) searchHead(a *app) styled.Line {
	return styled.Of(render.Pad(" "+a.t("search:"), 9), a.theme.accent)
}

// found says how far a search has come, or what is wrong with it.
func (t *treeScreen) found(a *app) styled.Line {
	f := t.find
	switch {
	case f == nil && t.query.empty() && !t.typing:
		return styled.Of(a.t("type any word of any branch"), a.theme.dim)
	case f == nil:
		return nil
	case f.wrong != "":
		return styled.Of("  "+a.told(f.wrong), a.theme.failure)
	case !f.over && f.size > 0:
		return styled.Of("  "+a.t("searching %d%%, %d found", 100*f.seen/f.size, f.found), a.theme.dim)
	case !f.over:
		return styled.Of("  "+a.t("searching"), a.theme.dim)
	case len(f.hits) == 0:
		return styled.Of("  "+a.t("nothing has it, on no branch"), a.theme.warning)
	}
	return styled.Of("  "+a.t("%d found", len(f.hits)), a.theme.dim)
}

// foot is the line of the status.
func (t *treeScreen) foot(a *app) styled.Line {
	at := 0
	if len(t.rows) > 0 {
		at = t.at + 1
	}
	l := styled.Of(fmt.Sprintf(" (%d/%d) [%s]", at, len(t.rows), a.t(string(t.filter))), a.theme.dim)
	if len(t.rows) == 0 && t.find == nil && !t.growing {
		l = append(l, styled.Span{Text: " " + a.t("nothing is listed by this filter; %s is the default one", a.keys.name("app.tree.filter.default")), Style: a.theme.warning})
	}
	if t.partial {
		l = append(l, styled.Span{Text: " " + a.t("reading the rest"), Style: a.theme.dim})
	}
	if t.mark != "" {
		words := " " + a.t("A: %s; %s on another compares", render.Quote(t.previews(a).Of(a.view.Tree.Get(t.mark)).Row, 16), a.keys.name("bough.tree.compare"))
		l = append(l, styled.Span{Text: words, Style: a.theme.warning})
	}
	switch {
	case t.note != "":
		l = append(l, styled.Span{Text: "  " + t.note, Style: a.theme.warning})
	case a.status.flash != "":
		l = append(l, styled.Span{Text: "  " + a.status.flash})
	}
	return l
}

// row draws a row: the cursor, bars, what it says, and what its branch came to.
func (t *treeScreen) row(a *app, i, width int) styled.Line {
	if i >= len(t.rows) {
		return nil
	}
	r := t.rows[i]
	chosen := i == t.at
	cursor := styled.Of("  ", styled.Style{})
	if chosen {
		cursor = styled.Of("> ", a.theme.cursor)
	}
	front, mark := t.front(a, r)
	l := styled.Join(cursor, styled.Of(front, a.theme.dim), styled.Of(mark, a.theme.accent))
	if t.mark == r.Entry.ID {
		l = append(l, styled.Span{Text: "[A] ", Style: a.theme.warning})
	}
	label := a.view.Tree.Label(r.Entry.ID)
	if label != "" {
		l = append(l, styled.Span{Text: "[" + render.Cut(render.OneLine(label), 40) + "] ", Style: a.theme.warning})
	}
	if s := t.time(a, r, label != ""); s != "" {
		l = append(l, styled.Span{Text: s + " ", Style: a.theme.dim})
	}
	right := t.right(a, r)
	room := width - l.Width()
	if room-right.Width()-2 < 30 {
		if t.rows[i].Leaf && room > 24 {
			right = styled.Of(t.here(a, t.rows[i]), a.theme.accent)
		} else {
			right = nil
		}
	}
	if len(right) > 0 {
		room -= right.Width() + 2
	}
	l = styled.Join(l, t.words(a, r).Cut(max(room, 0)))
	if len(right) > 0 {
		l = styled.Join(l.Pad(width-right.Width()-1, styled.Style{}), right)
	}
	l = l.Cut(width)
	if chosen {
		style := a.theme.selection
		style.Attr |= styled.Bold
		l = l.Styled(style).Pad(width, a.theme.selection)
	}
	return l
}

// front is the bars of a row and the mark of what can be folded.
func (t *treeScreen) front(a *app, r render.Row) (front, mark string) {
	if !r.Folds {
		return r.Prefix, r.Mark
	}
	sign := map[bool]string{false: "⊟", true: "⊞"}[r.Folded]
	if a.o.ASCII {
		sign = map[bool]string{false: "-", true: "+"}[r.Folded]
	}
	if !r.Head {
		if !r.Folded {
			return r.Prefix, r.Mark
		}
		return r.Prefix, sign + " "
	}
	// A connector is three columns: its corner, a line, a blank.
	body, _ := strings.CutSuffix(r.Prefix, " ")
	_, size := utf8.DecodeLastRuneInString(body)
	return body[:len(body)-size] + sign + " ", r.Mark
}

// words are what a row says.
func (t *treeScreen) words(a *app, r render.Row) styled.Line {
	p := t.previews(a).Of(r.Entry)
	text := p.Row
	style := styled.Style{}
	switch {
	case r.Point, p.Dim, p.Who == "tool", p.Who == "":
		style = a.theme.dim
	case p.Who == "summary", p.Who == "compaction", p.Who == "taken":
		style = a.theme.thinking
	}
	tail := ""
	if mark := a.t(p.Mark); mark != "" && !strings.HasSuffix(p.Row, "("+mark+")") {
		tail = " (" + mark + ")"
	}
	if f := t.find; f != nil {
		if h, ok := f.text(r.Entry, a.view.Tree.Label(r.Entry.ID)); ok {
			return t.hit(a, p, h, style)
		}
	}
	if len(text) > 2000 { // more than any row has columns
		text = render.Cut(text[:2000], 1000)
	}
	var l styled.Line
	who, rest, ok := strings.Cut(text, ": ")
	if ok && (p.Who == "user" || p.Who == "assistant") && who == a.t(p.Who) {
		whose := a.theme.dim
		if p.Who == "user" {
			whose = a.theme.accent
		}
		l = styled.Line{{Text: who + ": ", Style: whose}, {Text: rest, Style: style}}
	} else {
		l = styled.Of(text, style)
	}
	if f := t.turn[r.Entry.ID]; t.layout == turns && f != nil && f.answer != "" {
		l = append(l, styled.Span{Text: "  " + f.answer, Style: a.theme.dim})
	}
	if r.Folded {
		inside := fmt.Sprintf(" +%d", r.Inside)
		if r.Holds {
			inside += map[bool]string{true: " *", false: " •"}[a.o.ASCII]
		}
		l = styled.Join(styled.Of(strings.TrimSpace(inside)+" ", a.theme.warning), l)
	}
	if tail != "" || p.Mark != "" {
		l = append(l, styled.Span{Text: tail, Style: a.theme.failure})
	}
	if p.Mark == "error" && p.Who == "assistant" {
		l = l.Styled(a.theme.failure)
	}
	return l
}

// hit says what was found, with what stands around it.
func (t *treeScreen) hit(a *app, p render.Preview, h hitText, style styled.Style) styled.Line {
	if h.match == "" || strings.Contains(p.Row[:min(len(p.Row), 60)], h.match) {
		return t.marked(a, p.Row, style)
	}
	role := a.t(h.role)
	if h.tool != "" {
		role += " " + render.OneLine(h.tool)
	}
	before := render.CutLeft(h.before, 24)
	return styled.Join(styled.Of(role+": ", a.theme.dim), styled.Of(before, style), styled.Of(h.match, a.theme.hit), t.marked(a, h.after, style))
}

// marked marks the words that are looked for.
func (t *treeScreen) marked(a *app, text string, style styled.Style) styled.Line {
	if len(text) > 1000 {
		text = render.Cut(text[:1000], 500)
	}
	var l styled.Line
	last := 0
	for _, m := range t.find.expr.Marks(text) {
		l = append(l, styled.Span{Text: text[last:m[0]], Style: style}, styled.Span{Text: text[m[0]:m[1]], Style: a.theme.hit})
		last = m[1]
	}
	return append(l, styled.Span{Text: text[last:], Style: style})
}

// time is when an entry was said, or labelled, if times are switched on.
func (t *treeScreen) time(a *app, r render.Row, labelled bool) string {
	if t.times == 0 || t.times == 1 && !labelled {
		return ""
	}
	at := r.Entry.Time
	if t.times == 1 {
		for _, l := range a.view.Tree.Labels() {
			if l.Target == r.Entry.ID {
				at, _ = session.ParseTime(l.Time)
			}
		}
	}
	return stamp(at, a.o.Now())
}

// stamp writes a moment briefly: 14:05, 11/28 09:16, 25/11/28 09:16.
func stamp(at, now time.Time) string {
	if at.IsZero() {
		return "-"
	}
	at = at.In(now.Location())
	switch y, m, d := at.Date(); {
	case y == now.Year() && m == now.Month() && d == now.Day():
		return at.Format("15:04")
	case y == now.Year():
		return at.Format("01/02 15:04")
	}
	return at.Format("06/01/02 15:04")
}

// here marks the row of where we are, or the nearest one above it that is listed.
func (t *treeScreen) here(a *app, r render.Row) string {
	words := "you are here"
	if e := render.Above(a.view.Tree, a.view.Leaf); e != nil && e.ID != r.Entry.ID && r.Entry.ID != a.view.Leaf {
		words = "you are below here"
	}
	if a.o.ASCII {
		return "<- " + a.t(words)
	}
	return "← " + a.t(words)
}

// right is what stands at the end of a row: where we are, or what a branch came to.
func (t *treeScreen) right(a *app, r render.Row) styled.Line {
	if r.Leaf {
		return styled.Of(t.here(a, r), a.theme.accent)
	}
	var f *facts
	switch {
	case t.layout == turns && r.Entry.Role == message.User:
		f = t.turn[r.Entry.ID]
	case r.Head:
		f = t.fact[r.Entry.ID]
	}
	if f == nil || !f.known {
		return nil
	}
	return f.line(a, t.layout == turns)
}

// line writes facts of a branch, or of a turn.
func (f *facts) line(a *app, turn bool) styled.Line {
	var parts []string
	if turn {
		if f.Calls > 0 {
			parts = append(parts, a.n(f.Calls, "%d call", "%d calls"))
		}
	} else {
		parts = append(parts, a.n(f.Turns, "%d turn", "%d turns"))
	}
	if c := render.Dollars(f.Tally.Cost); c != "" {
		parts = append(parts, c)
	}
	if n := len(f.Changed); n > 0 {
		parts = append(parts, a.n(n, "%d file", "%d files"))
	}
	if f.Last != nil && !f.Last.Time.IsZero() {
		parts = append(parts, a.age(a.o.Now().Sub(f.Last.Time)))
	}
	l := styled.Of(strings.Join(parts, "  "), a.theme.dim)
	if f.Bad {
		mark := "✗ "
		if a.o.ASCII {
			mark = "! "
		}
		l = styled.Join(styled.Of(mark, a.theme.failure), l)
	}
	return l
}

// previews remembers what calls answers made, for the rows that name their results.
func (t *treeScreen) previews(a *app) *render.Previews {
	if t.shown == nil || t.shownOf != a.view.Tree {
		t.shown, t.shownOf = a.previews(a.view.Tree), a.view.Tree
	}
	return t.shown
}

// event takes in what happens while the tree is open: rows follow, the cursor stays
// with its entry.
func (t *treeScreen) event(a *app, ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.Opened:
		a.close(t)
		return
	case protocol.Appended:
		t.forget(a, e.Entry.ID)
		if t.find != nil && t.find.wrong == "" {
			t.search(a)
			return
		}
	case protocol.LeafMoved:
	case protocol.RunEnded:
		t.stopped()
		return
	default:
		return
	}
	if slices.Contains(a.screens, screen(t)) {
		t.grow(a)
	}
}
