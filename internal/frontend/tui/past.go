package tui

import (
	"slices"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// What the model does not see of the path, or sees otherwise: what was summed up
// (docs/spec/frontends.md D2-05), left out, or given other words (D2-06).

// edit is how the model sees an entry that was edited.
type edit struct {
	how     render.Seen
	instead string // the words it sees
}

// whose is the tree that the path is of.
func (t *transcript) whose() *session.Tree {
	if t.tree != nil {
		return t.tree
	}
	return t.app.view.Tree
}

// learn takes in the edits among entries of the path. What stands later counts, so
// those that are known already stay if earlier ones come.
func (t *transcript) learn(entries []*session.Entry, earlier bool) {
	found := map[session.ID]*edit{}
	for _, e := range entries {
		if e.Type != session.TypeContextEdit {
			continue
		}
		body, err := e.Body()
		b, ok := body.(session.ContextEdit)
		if err != nil || !ok || b.Target == "" {
			continue
		}
		switch {
		case b.Omit:
			found[b.Target] = &edit{how: render.LeftOut}
		case render.Restores(t.whose(), b):
			found[b.Target] = nil
		default:
			m := message.Message{Content: message.DecodeContent(b.Content)}
			found[b.Target] = &edit{how: render.Replaced, instead: m.Text("\n")}
		}
	}
	if t.edits == nil {
		t.edits = map[session.ID]*edit{}
	}
	for id, e := range found {
		if _, known := t.edits[id]; !known || !earlier {
			t.edits[id] = e
			if target := t.whose().Get(id); target != nil && t.drawn != nil {
				delete(t.drawn, target)
			}
		}
	}
}

// marked draws a block with what is to be known of how the model sees it.
func (t *transcript) marked(at int, d drawing, open bool) drawing {
	a := t.app
	e := t.path[at]
	switch ed := t.edits[e.ID]; {
	case ed == nil && at < t.keptAt:
		d.lines = through(d.lines, styled.Style{FG: a.theme.dim.FG})
	case ed == nil:
		return d
	case ed.how == render.LeftOut:
		d.lines = append(through(d.lines, styled.Style{FG: a.theme.dim.FG, Attr: styled.Strike}), a.markLine(a.t("left out: the model does not see it")))
	default:
		words := a.t("edited: the model sees other words")
		if !open {
			words += a.more()
		}
		d.lines = append(append([]styled.Line(nil), d.lines...), a.markLine(words))
		if open {
			bar := styled.Of(" | ", a.theme.warning)
			for _, l := range a.document("", ed.instead, false).make(max(t.width-3, 1)) {
				d.lines = append(d.lines, styled.Join(bar, l).Cut(t.width))
			}
		}
	}
	if d.stable > 0 {
		d.stable = len(d.lines)
	}
	return d
}

func (a *app) markLine(words string) styled.Line {
	return styled.Of(" "+words, a.theme.warning).Cut(a.look.width)
}

// through gives rows another look.
func through(lines []styled.Line, style styled.Style) []styled.Line {
	out := make([]styled.Line, len(lines))
	for i, l := range lines {
		row := make(styled.Line, len(l))
		for k, s := range l {
			row[k] = styled.Span{Text: s.Text, Style: s.Style.Over(style)}
		}
		out[i] = row
	}
	return out
}

// older is the part of the path that was summed up, which one row stands for until
// somebody opens it.
type older struct {
	first session.ID // the first entry that was kept; "": nothing was summed up
	open  bool
	text  string // of the row, once it was counted
}

func (t *transcript) olderOf(e *session.Entry) older {
	body, err := e.Body()
	c, ok := body.(session.Compaction)
	if err != nil || !ok {
		return older{}
	}
	first := c.FirstKept
	if first == "" || !slash.OnPath(t.whose(), e.ID, first) {
		first = e.ID
	}
	if p := t.whose().Parent(first); p == nil {
		return older{}
	}
	return older{first: first}
}

// olderText says how much was summed up.
func (t *transcript) olderText() string {
	if t.older.text != "" {
		return t.older.text
	}
	tree := t.whose()
	messages, points := 0, 0
	for e := tree.Parent(t.older.first); e != nil; e = tree.Parent(e.ID) {
		if e.Role == message.User || e.Role == message.Assistant {
			messages++
		}
		if n := len(tree.Children(e.ID)); n > 1 {
			points += n - 1
		}
	}
	t.older.text = t.app.n(messages, "older part: %d message", "older part: %d messages")
	if points > 0 {
		t.older.text += t.app.n(points, ", %d other branch", ", %d other branches")
	}
	return t.older.text
}

// isOlder reports whether an item is that row.
func (t *transcript) isOlder(i int) bool { return i < len(t.list) && t.list[i].older }

// toggleOlder opens or closes what was summed up. What was looked up of it is let go
// when it closes.
func (t *transcript) toggleOlder(open bool) {
	t.unlead()
	defer t.lead()
	t.older.open = open
	t.drawn = nil
	n := slices.IndexFunc(t.list, func(i item) bool { return i.older })
	if open || n <= 0 {
		return
	}
	t.path, t.list = t.path[t.keptAt:], t.list[n:]
	for i := range t.list {
		if t.list[i].at >= 0 {
			t.list[i].at -= t.keptAt
		}
	}
	if t.top < n {
		t.off = 0
	}
	t.top, t.seen, t.keptAt = max(t.top-n, 0), max(t.seen-n, 0), 0
	t.focused = max(t.focused-n, 0)
	t.replay()
}

func (t *transcript) olderRow() drawing {
	a := t.app
	words := t.olderText()
	if t.older.open {
		words += a.t(", above; the model does not see it any more")
	} else {
		words += a.more()
	}
	mark := " + "
	if t.older.open {
		mark = " - "
	}
	return whole([]styled.Line{nil, styled.Line{{Text: mark, Style: a.theme.accent}, {Text: words, Style: a.theme.dim}}.Cut(t.width)})
}

// summedUp takes up a compaction that has just been made. What it stands for stays in
// sight.
func (t *transcript) summedUp(e *session.Entry) {
	t.list = slices.DeleteFunc(t.list, func(i item) bool { return i.older })
	t.older, t.keptAt, t.drawn = t.olderOf(e), 0, nil
	t.older.open = true
	at := slices.IndexFunc(t.path, func(p *session.Entry) bool { return p.ID == t.older.first })
	if at < 0 {
		return
	}
	t.keptAt = at
	n := slices.IndexFunc(t.list, func(i item) bool { return i.at >= at })
	if n < 0 {
		n = len(t.list)
	}
	t.list = slices.Insert(t.list, n, item{at: -1, older: true})
	if n <= t.top {
		t.top++
	}
	if n <= t.said {
		t.said++
	}
}
