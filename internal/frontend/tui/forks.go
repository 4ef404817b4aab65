package tui

import (
	"errors"
	"fmt"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// forks lists messages of the user to begin a new session before (docs/spec/frontends.md
// D14): those of this branch, or of all.
type forks struct {
	a        *app
	p        *picker
	here     []*session.Entry
	all      []*session.Entry // nil: not looked up yet
	whole    bool             // all are listed
	onPath   map[session.ID]bool
	numbers  render.Numbers
	previews *render.Previews
}

func (f *forks) list() []*session.Entry {
	if f.whole {
		return f.all
	}
	return f.here
}

func (f *forks) len() int          { return len(f.list()) }
func (f *forks) text(i int) string { return f.previews.Of(f.list()[i]).Text }

func (f *forks) row(i, width int, _ bool) styled.Line {
	e, t := f.list()[i], f.a.theme
	l := styled.Line{{Text: fmt.Sprintf("%5s ", f.number(e)), Style: t.dim}}
	if f.whole && !f.onPath[e.ID] {
		l = append(l, styled.Span{Text: "(" + f.branch(e) + ") ", Style: t.warning})
	}
	return append(l, styled.Span{Text: render.Cut(f.previews.Of(e).Text, max(width-l.Width(), 1))})
}

func (f *forks) number(e *session.Entry) string {
	if n, ok := f.numbers.Of(e.ID); ok {
		return fmt.Sprintf("#%d", n)
	}
	return ""
}

// branch names the branch of an entry: by a label below where it parts from ours, or
// by where that is.
func (f *forks) branch(e *session.Entry) string {
	t, name := f.a.view.Tree, ""
	for at, n := e, 0; at != nil && !f.onPath[at.ID] && n < t.Len(); at, n = t.Parent(at.ID), n+1 {
		if l := t.Label(at.ID); l != "" {
			name = render.Cut(brief(l), 20)
		}
		if name == "" && f.onPath[at.Parent] {
			return f.a.t("from %s", f.number(t.Get(at.Parent)))
		}
	}
	if name == "" {
		return f.a.t("other root")
	}
	return name
}

// pickFork lists the messages of the user on this branch, the newest chosen.
func (a *app) pickFork() error {
	f := &forks{a: a, previews: a.previews(a.view.Tree), numbers: render.NumbersOf(a.view.Tree), onPath: map[session.ID]bool{}}
	a.look.whole()
	for _, e := range a.look.path {
		f.onPath[e.ID] = true
		if e.Role == message.User {
			f.here = append(f.here, e)
		}
	}
	if len(f.here) == 0 {
		return errors.New("you have said nothing on this branch yet")
	}
	f.p = &picker{title: "New session from before", list: f, choose: func(a *app, i int) { a.forkAt(f.list()[i].ID) }, act: f.act, state: f.state,
		more: []hint{{"tui.input.tab", "this branch or all"}}}
	f.p.set(len(f.here) - 1)
	a.push(f.p)
	return nil
}

func (f *forks) state() styled.Line {
	if f.whole {
		return styled.Of(f.a.t("all branches"), f.a.theme.accent)
	}
	return styled.Of(f.a.t("this branch"), f.a.theme.dim)
}

func (f *forks) act(a *app, i int, k term.Key) bool {
	if !a.keys.is(k, "tui.input.tab") {
		return false
	}
	var was *session.Entry
	if i >= 0 {
		was = f.list()[i]
	}
	if f.all == nil {
		for e := range a.view.Tree.All() {
			if e.Role == message.User {
				f.all = append(f.all, e)
			}
		}
	}
	f.whole = !f.whole
	f.p.changed()
	for at, e := range f.list() {
		if e == was || was != nil && e.ID == was.ID {
			f.p.set(at)
		}
	}
	return true
}
