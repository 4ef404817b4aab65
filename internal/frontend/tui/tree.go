package tui

import (
	"errors"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// treeList is the tree as rows of a picker: previews are made for what is seen.
type treeList struct {
	a        *app
	rows     []render.Row
	previews *render.Previews
}

func (t *treeList) len() int { return len(t.rows) }

func (t *treeList) text(i int) string {
	e := t.rows[i].Entry
	return t.a.view.Tree.Label(e.ID) + " " + t.previews.Of(e).Row
}

func (t *treeList) row(i, width int, _ bool) styled.Line {
	r := t.rows[i]
	l := styled.Line{{Text: r.Prefix, Style: t.a.theme.dim}, {Text: r.Mark, Style: t.a.theme.accent}}
	if s := t.a.view.Tree.Label(r.Entry.ID); s != "" {
		l = append(l, styled.Span{Text: "[" + render.Cut(render.OneLine(s), 40) + "] ", Style: t.a.theme.warning})
	}
	p := t.previews.Of(r.Entry)
	style := styled.Style{}
	switch {
	case p.Mark != "":
		style = t.a.theme.failure
	case p.Dim || p.Who == "tool":
		style = t.a.theme.dim
	}
	return append(l, styled.Span{Text: render.Cut(p.Row, max(width-l.Width(), 1)), Style: style})
}

// openTree shows the tree of the session.
func (a *app) openTree(query string) error {
	if a.view.Tree == nil || a.view.Tree.Len() == 0 {
		return errors.New("nothing has been said yet, so there is no tree")
	}
	w, _ := a.term.Size()
	list := &treeList{a, render.TreeRows(a.view.Tree, a.view.Leaf, render.TreeOptions{ASCII: a.o.ASCII, Width: w}), render.NewPreviews(a.view.Tree)}
	p := &picker{title: "Tree", list: list, fills: true,
		choose: func(a *app, i int) { a.chooseInTree(list.rows[i].Entry) },
		side:   func(i, width, height int) []styled.Line { return a.preview(list.rows[i].Entry, width, height) }}
	for i, r := range list.rows {
		if r.Leaf {
			p.set(i)
		}
	}
	p.query.set(query)
	a.push(p)
	return nil
}

// preview shows an entry, as far as there is room.
func (a *app) preview(e *session.Entry, width, height int) []styled.Line {
	text, err := render.Full(e, false)
	if err != nil {
		return []styled.Line{styled.Of(render.OneLine(err.Error()), a.theme.failure)}
	}
	if most := width * height * 4; len(text) > most {
		text = text[:most]
	}
	rows := markdown.Render(text, markdown.Options{Width: width, Theme: a.theme.text, ASCII: a.o.ASCII})
	return rows[:min(len(rows), height)]
}

// chooseInTree stands at an entry, or before it if a person said it; what is left
// behind may be summed up.
func (a *app) chooseInTree(e *session.Entry) {
	if a.view.Tree.Effective(a.view.Leaf) == e.ID {
		a.flash("already here")
		return
	}
	left := len(a.view.Tree.Below(a.view.Tree.CommonAncestor(a.view.Leaf, e.ID), a.view.Leaf))
	if left == 0 {
		a.goTo(protocol.Navigate{Target: e.ID})
		return
	}
	a.push(&question{text: "Leave this branch? " + render.Plural(left, "entry", "entries") + " of it stay where they are.", choices: []choice{
		{"No summary", func() { a.goTo(protocol.Navigate{Target: e.ID}) }},
		{"Sum up what is left behind", func() { a.goTo(protocol.Navigate{Target: e.ID, Summarize: true}) }},
	}})
}
