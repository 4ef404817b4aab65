package tui

import (
	"slices"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// grower makes the rows of a tree, one time after the other: what has changed
// meanwhile is seen by the next.
type grower struct {
	a              *app
	growing, stale bool
	partial        bool                // only what is near the leaf is there yet
	silent         map[session.ID]bool // of answers; whoever grows has it
	shown          *render.Previews
	shownOf        *session.Tree

	counting bool // what branches came to
}

// facts are what a branch or a turn came to.
type facts struct {
	render.Facts
	known  bool
	stale  bool
	answer string // of a turn
}

const (
	atOnce = 1500 // entries of which rows are made without leaving the loop
	nearby = 400  // entries that are shown at once of more
)

// begin makes the first rows. Of a large session those near the leaf are there at
// once.
func (t *treeScreen) begin(a *app) {
	t.silent = map[session.ID]bool{}
	if a.view.Tree.Size() > atOnce {
		from := a.view.Leaf
		for range nearby {
			p := a.view.Tree.Parent(from)
			if p == nil {
				break
			}
			from = p.ID
		}
		o := t.options(a)
		o.From, o.Most = from, 2*nearby
		t.partial = true
		t.take(grown(a.view.Tree, a.view.Leaf, t.want, o))
	}
	t.grow(a)
	t.count(a)
}

// options are how the tree is drawn now. They are for one goroutine.
func (t *treeScreen) options(a *app) render.TreeOptions {
	w, _ := a.term.Size()
	o := render.TreeOptions{Filter: t.filter, ASCII: a.o.ASCII, Width: w, Folded: map[session.ID]bool{}}
	for id := range t.fold {
		o.Folded[id] = true
	}
	if t.layout == classic {
		o.Layout = render.Classic
	}
	if t.layout == turns {
		o.Filter = render.UserOnly
	}
	var hits map[session.ID]*hitText
	if f := t.find; f != nil && f.wrong == "" && f.ready {
		hits = f.hits
		o.Match = func(e *session.Entry) bool { _, ok := hits[e.ID]; return ok }
		o.Points = !f.flat
		o.Flat = f.flat
	}
	silent := t.silent
	o.Silent = func(e *session.Entry) bool {
		if _, ok := hits[e.ID]; ok {
			return false
		}
		is, known := silent[e.ID]
		if !known {
			is = render.IsSilent(e)
			silent[e.ID] = is
		}
		return is
	}
	return o
}

// crop is rows as they are needed on the screen.
type crop struct {
	rows []render.Row
	kids []int32
	of   map[session.ID]int32
	want session.ID // what was chosen when they were made
	at   int        // and its row
}

func grown(tree *session.Tree, leaf, want session.ID, o render.TreeOptions) crop {
	c := crop{rows: render.TreeRows(tree, leaf, o), want: want}
	c.kids = make([]int32, len(c.rows))
	c.of = make(map[session.ID]int32, len(c.rows))
	for i, r := range c.rows {
		c.of[r.Entry.ID] = int32(i)
		if r.Above >= 0 {
			c.kids[r.Above]++
		}
	}
	c.at = len(c.rows) - 1
	for e, n := tree.Get(want), 0; e != nil && n < tree.Size(); e, n = tree.Parent(e.ID), n+1 {
		if i, ok := c.of[e.ID]; ok {
			c.at = int(i)
			break
		}
	}
	return c
}

// grow makes the rows anew.
func (t *treeScreen) grow(a *app) {
	t.stale = true
	if t.growing {
		return
	}
	t.stale = false
	o, leaf := t.options(a), a.view.Leaf
	if a.view.Tree.Size() <= atOnce {
		t.take(grown(a.view.Tree, leaf, t.want, o))
		t.entered(a)
		return
	}
	t.growing = true
	tree, want := a.view.Tree.Snapshot(), t.want
	a.beside(func() func() {
		c := grown(tree, leaf, want, o)
		return func() {
			t.growing = false
			if t.stale {
				t.grow(a)
				if t.partial {
					return
				}
			}
			t.partial = false
			t.take(c)
			t.entered(a)
		}
	})
}

// take shows other rows. The cursor stays with its entry, or goes to the nearest one
// above it that is listed, or to the last; and where it stands on the screen.
func (t *treeScreen) take(c crop) {
	down := t.at - t.top
	t.rows, t.kids, t.of = c.rows, c.kids, c.of
	t.at = len(t.rows) - 1
	if c.want == t.want {
		t.at = c.at
	} else if at, ok := t.listed(t.want); ok {
		t.at = at
	}
	t.at = max(t.at, 0)
	t.top = t.at - down
	if f := t.find; f != nil && f.ready && len(t.rows) > 0 { // stand at something that was found
		for t.rows[t.at].Point && t.at < len(t.rows)-1 {
			t.at++
		}
		if f.over {
			t.want = t.rows[t.at].Entry.ID
		}
	}
}

// listed is the row of an entry or of the nearest one above it that has a row.
func (t *treeScreen) listed(id session.ID) (int, bool) {
	for range 1 << 20 {
		if i, ok := t.of[id]; ok {
			return int(i), true
		}
		p := t.a.view.Tree.Parent(id)
		if p == nil {
			break
		}
		id = p.ID
	}
	return 0, false
}

// count adds up the whole session, for its head.
func (t *treeScreen) count(a *app) {
	tree := a.view.Tree.Snapshot()
	a.beside(func() func() {
		f := &render.Facts{}
		for e := range tree.All() {
			if e.Speaks() && e.Role != message.System {
				f.Entries++
			}
			if b, ok, err := e.Bill(); ok && err == nil {
				f.Tally.Add(b)
			}
		}
		tips := len(tree.Tips())
		return func() { t.sum, t.tips = f, tips }
	})
}

// mostFacts is how many branches are added up at once: those that are seen.
const mostFacts = 64

// needFacts has what is seen added up, if it is not known yet.
func (t *treeScreen) needFacts(a *app) {
	if t.counting {
		return
	}
	var branches, turnsSeen []session.ID
	for _, r := range t.rows[min(t.top, len(t.rows)):min(t.top+t.room, len(t.rows))] {
		switch {
		case t.layout == turns && r.Entry.Role == message.User:
			if f := t.turn[r.Entry.ID]; f == nil || f.stale {
				turnsSeen = append(turnsSeen, r.Entry.ID)
			}
		case r.Head:
			if f := t.fact[r.Entry.ID]; f == nil || f.stale {
				branches = append(branches, r.Entry.ID)
			}
		}
	}
	if e := t.chosen(); t.preview && e != nil && t.side.id != e.ID {
		t.look(a, e)
	}
	if len(branches)+len(turnsSeen) == 0 {
		return
	}
	branches, turnsSeen = branches[:min(len(branches), mostFacts)], turnsSeen[:min(len(turnsSeen), mostFacts)]
	t.counting = true
	tree, leaf := a.view.Tree.Snapshot(), a.view.Leaf
	a.beside(func() func() {
		previews := a.previews(tree)
		got, of := map[session.ID]*facts{}, map[session.ID]*facts{}
		for _, id := range branches {
			got[id] = &facts{Facts: render.FactsOf(render.Subtree(tree, id)), known: true}
		}
		for _, id := range turnsSeen {
			turn := render.TurnAt(tree, id, leaf)
			f := &facts{Facts: render.FactsOf(slices.Values(turn)), known: true}
			for _, t := range render.TurnsOf(turn, render.IsSilent) {
				if t.Answer != nil {
					f.answer = render.Cut(previews.Of(t.Answer).Text, 200)
				}
			}
			of[id] = f
		}
		return func() {
			t.counting = false
			for id, f := range got {
				t.fact[id] = f
			}
			for id, f := range of {
				t.turn[id] = f
			}
		}
	})
}

// forget has what stands above a new entry added up once more when it is seen.
func (t *treeScreen) forget(a *app, id session.ID) {
	for e := a.view.Tree.Get(id); e != nil; e = a.view.Tree.Parent(e.ID) {
		for _, m := range []map[session.ID]*facts{t.fact, t.turn} {
			if f := m[e.ID]; f != nil {
				f.stale = true
			}
		}
	}
	if t.sum != nil && a.view.Tree.Size() <= mostCounted {
		t.count(a)
	}
}
