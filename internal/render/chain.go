package render

import (
	"bytes"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Counted reports whether an entry has a number in a chain: messages of all
// roles and summaries do, bookkeeping does not, nor does a system message that
// only changes the one above it (docs/spec/frontends.md E-06).
func Counted(t *session.Tree, e *session.Entry) bool {
	if !e.Speaks() || e.Type == session.TypeMessage && e.Role == "" {
		return false
	}
	if e.Role != message.System {
		return true
	}
	for a := t.Parent(e.ID); a != nil; a = t.Parent(a.ID) {
		if a.Role == message.System {
			return false
		}
	}
	return true
}

// Restores reports whether an edit gives a message its own content back.
func Restores(t *session.Tree, edit session.ContextEdit) bool {
	e := t.Get(edit.Target)
	if e == nil {
		return false
	}
	body, err := e.Body()
	if err != nil {
		return false
	}
	m, ok := body.(session.Message)
	return ok && bytes.Equal(m.Message.Field("content"), edit.Content)
}

// A Link is one entry of a chain, the numbered path to a place in the tree.
type Link struct {
	Entry    *session.Entry
	Index    int // from 0
	Branches int // ways on from here
	Label    string

	// How the model sees it: not any more, since it was compacted; not at all;
	// with other words.
	Compacted, Omitted, Edited bool
}

// Chain returns the counted entries on the path to leaf, oldest first.
func Chain(t *session.Tree, leaf session.ID) ([]Link, error) {
	path := t.Path(leaf)
	p, err := session.Project(path)
	if err != nil {
		return nil, err
	}
	seen := make(map[*session.Entry]bool, len(p.Entries))
	edited := map[session.ID]bool{}
	for _, e := range p.Entries {
		seen[e] = true
		if e.Type != session.TypeContextEdit {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return nil, err
		}
		if edit, ok := body.(session.ContextEdit); ok {
			edited[edit.Target] = !edit.Omit && !Restores(t, edit)
		}
	}
	var chain []Link
	for _, e := range path {
		if !Counted(t, e) {
			continue
		}
		chain = append(chain, Link{Entry: e, Index: len(chain), Branches: len(Next(t, e.ID)), Label: t.Label(e.ID),
			Compacted: !seen[e] && e.Role != message.System, Omitted: p.Hidden[e], Edited: edited[e.ID]})
	}
	return chain, nil
}

// IndexOf returns the number that an entry has in every chain it is part of, or
// -1 if it is not counted.
func IndexOf(t *session.Tree, id session.ID) int {
	e := t.Get(id)
	if e == nil || !Counted(t, e) {
		return -1
	}
	n := 0
	for a := t.Parent(id); a != nil; a = t.Parent(a.ID) {
		if Counted(t, a) {
			n++
		}
	}
	return n
}

// Next returns the counted entries that follow one, however much bookkeeping
// lies between. "" gives those that follow nothing. Two or more of them make a
// branch point.
func Next(t *session.Tree, id session.ID) []*session.Entry {
	var next []*session.Entry
	stack := backwards(t.Children(id))
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if Counted(t, e) {
			next = append(next, e)
			continue
		}
		stack = append(stack, backwards(t.Children(e.ID))...)
	}
	return next
}

func backwards(es []*session.Entry) []*session.Entry {
	out := make([]*session.Entry, len(es))
	for i, e := range es {
		out[len(es)-1-i] = e
	}
	return out
}

// Above returns the entry itself if it is counted, else the nearest one above
// it that is, or nil.
func Above(t *session.Tree, id session.ID) *session.Entry {
	for e := t.Get(id); e != nil; e = t.Parent(e.ID) {
		if Counted(t, e) {
			return e
		}
	}
	return nil
}

// Numbers are the counted entries of a whole tree in the order of the log: #0,
// #1, … . What is added later gets later numbers; none changes.
type Numbers struct {
	Entries []*session.Entry

	of map[session.ID]int
}

// NumbersOf counts the entries of a tree.
func NumbersOf(t *session.Tree) Numbers {
	n := Numbers{of: map[session.ID]int{}}
	for e := range t.All() {
		if Counted(t, e) {
			n.of[e.ID] = len(n.Entries)
			n.Entries = append(n.Entries, e)
		}
	}
	return n
}

// NumberOf returns the number of one entry without counting all the others for
// it.
func NumberOf(t *session.Tree, id session.ID) (int, bool) {
	n := 0
	for e := range t.All() {
		if !Counted(t, e) {
			continue
		}
		if e.ID == id {
			return n, true
		}
		n++
	}
	return 0, false
}

// Of returns the number of an entry, or false if it is not counted.
func (n Numbers) Of(id session.ID) (int, bool) {
	i, ok := n.of[id]
	return i, ok
}

// Tip returns the place where the newest words below an entry stand: the counted
// entry that was added last on any branch from it, or the entry itself.
func (n Numbers) Tip(t *session.Tree, id session.ID) session.ID {
	tip, at := id, -1
	stack := []session.ID{id}
	for len(stack) > 0 {
		from := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range Next(t, from) {
			if k, ok := n.of[e.ID]; ok && k > at {
				tip, at = e.ID, k
			}
			stack = append(stack, e.ID)
		}
	}
	return tip
}

// Nearest returns the nearest branch point on the path to leaf and the ways on
// from there. "" with ways is the place before the first entry; without ways
// there is no branch point.
func Nearest(t *session.Tree, leaf session.ID) (session.ID, []*session.Entry) {
	path := t.Path(leaf)
	for i := len(path) - 1; i >= 0; i-- {
		if !Counted(t, path[i]) {
			continue
		}
		if ways := Next(t, path[i].ID); len(ways) > 1 {
			return path[i].ID, ways
		}
	}
	if ways := Next(t, ""); len(ways) > 1 {
		return "", ways
	}
	return "", nil
}
