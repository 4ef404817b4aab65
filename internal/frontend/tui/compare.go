package tui

import (
	"errors"
	"slices"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// branchSide is one of two branches that are compared, from where they part.
type branchSide struct {
	tip   session.ID
	name  string // its label, or what its first message says; "": there is nothing yet
	turns []render.Turn
	render.Facts
	only []string // files that only this one changed
}

// comparison is what two branches did since they parted.
type comparison struct {
	part  session.ID // "": they have nothing in common
	place string     // what was said there; "": it is the start
	sides [2]branchSide
	both  []string // files that both changed
}

// compared finds out what two branches did. It may take a while.
func compared(in lang.Language, t *session.Tree, a, b session.ID) comparison {
	c := comparison{part: t.CommonAncestor(a, b)}
	previews := render.NewPreviews(t).In(in)
	if e := render.Above(t, c.part); e != nil {
		c.place = previews.Of(e).Row
	}
	for i, tip := range []session.ID{a, b} {
		s := branchSide{tip: tip}
		below := t.Below(c.part, tip)
		s.turns = render.TurnsOf(below, render.IsSilent)
		s.Facts = render.FactsOf(slices.Values(below))
		for e := t.Get(tip); e != nil && e.ID != c.part; e = t.Parent(e.ID) {
			if l := render.OneLine(t.Label(e.ID)); l != "" {
				s.name = "[" + l + "] "
				break
			}
		}
		if len(s.turns) > 0 {
			first := s.turns[0].Entries[0]
			if said := s.turns[0].Said; said != nil {
				first = said
			}
			s.name += previews.Of(first).Row
		}
		c.sides[i] = s
	}
	for i := range c.sides {
		for _, f := range c.sides[i].Changed {
			switch {
			case !slices.Contains(c.sides[1-i].Changed, f):
				c.sides[i].only = append(c.sides[i].only, render.OneLine(f))
			case i == 0:
				c.both = append(c.both, render.OneLine(f))
			}
		}
	}
	return c
}

// compare marks a branch, or compares the marked one with another.
func (t *treeScreen) compare(a *app) {
	e := t.chosen()
	switch {
	case e == nil:
	case t.mark == "":
		t.mark = e.ID
	case t.mark == e.ID:
		t.mark = ""
	default:
		mark := t.mark
		t.mark = ""
		a.compare(a.tip(mark), a.tip(e.ID))
	}
}

// tip is the end of the branch that an entry lies in: where we are, if that is below
// it, or else the newest.
func (a *app) tip(id session.ID) session.ID {
	if a.view.Tree.CommonAncestor(id, a.view.Leaf) == id {
		return a.view.Leaf
	}
	return a.newest(id)
}

// compareCommand compares two branches: those of two entries, that of one with where
// we are, or the two newest ways on from the last place where branches part.
func (a *app) compareCommand(c slash.Command) error {
	args, err := c.Args()
	if err != nil {
		return err
	}
	var ids []session.ID
	for _, w := range args.Words {
		id, err := a.entry(w)
		if err != nil {
			return err
		}
		ids = append(ids, a.tip(id))
	}
	switch len(ids) {
	case 0:
		_, ways := render.Nearest(a.view.Tree, a.view.Leaf)
		if len(ways) < 2 {
			return errors.New("there is one branch only; /tree goes back to where another may begin")
		}
		for i := len(ways) - 1; i >= 0 && len(ids) < 2; i-- {
			ids = append(ids, a.tip(ways[i].ID))
		}
		slices.Reverse(ids)
		for i, w := range ways { // the way that we are on comes first
			if a.view.Tree.CommonAncestor(w.ID, a.view.Leaf) == w.ID && !slices.Contains(ids, a.tip(w.ID)) {
				ids[0] = a.tip(ways[i].ID)
			}
		}
	case 1:
		ids = append([]session.ID{a.view.Leaf}, ids...)
	case 2:
	default:
		return errors.New("/compare takes two entries, one of each branch")
	}
	a.compare(ids[0], ids[1])
	return nil
}

// compare opens the view of two branches.
func (a *app) compare(one, other session.ID) {
	t := a.view.Tree
	if t.Effective(one) == t.Effective(other) {
		a.noted(a.t("both lie on the same branch; choose an entry of another one"))
		return
	}
	s := &branches{tips: [2]session.ID{one, other}}
	a.push(s)
	s.compare(a)
}

// noted tells something where it is seen: in the tree if that is open.
func (a *app) noted(words string) {
	for _, s := range a.screens {
		if t, ok := s.(*treeScreen); ok {
			t.note = words
			return
		}
	}
	a.flash("%s", words)
}

// compare has the branches compared.
func (s *branches) compare(a *app) {
	if s.comparing {
		s.again = true
		return
	}
	s.comparing, s.again = true, false
	tree, tips := a.view.Tree.Snapshot(), s.tips
	a.beside(func() func() {
		c := compared(a.o.Lang, tree, tips[0], tips[1])
		return func() {
			s.comparing = false
			s.take(c)
			if s.again {
				s.compare(a)
			}
		}
	})
}

// event takes in what happens meanwhile: a branch that grows does so here.
func (s *branches) event(a *app, ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.Opened:
		a.close(s)
	case protocol.Appended:
		for i, tip := range s.tips {
			if e.Entry.Parent == tip {
				s.tips[i] = e.Entry.ID
				s.compare(a)
			}
		}
	case protocol.RunEnded:
		s.stopped()
	}
}
