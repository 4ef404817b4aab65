package tui

import (
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// standing is where the conversation stands among the branches of its session.
type standing struct {
	leaf session.ID // that it was found out for
	size int        // of the tree

	branches  int    // 0: not counted
	number    int    // of the branch that goes on from here, as they were begun; 0: not known
	label     string // at the leaf, or nearest above it on this branch
	compacted int    // times, on the way here
}

// standing finds it out when something has changed.
func (a *app) standing() standing {
	t := a.view.Tree
	if t == nil {
		return standing{}
	}
	s := &a.stood
	if s.leaf == a.view.Leaf && s.size == t.Size() {
		return *s
	}
	*s = standing{leaf: a.view.Leaf, size: t.Size()}
	parted := false
	for e, n := t.Get(s.leaf), 0; e != nil && n < t.Size(); e, n = t.Parent(e.ID), n+1 {
		if e.Type == session.TypeCompaction {
			s.compacted++
		}
		if l := t.Label(e.ID); s.label == "" && !parted && l != "" {
			s.label = render.OneLine(l)
		}
		parted = parted || e.ID != s.leaf && len(t.Children(e.ID)) > 1
	}
	if s.size > mostCounted {
		return *s
	}
	here := s.leaf
	if e := render.Above(t, s.leaf); e != nil {
		here = e.ID
	}
	var heads []*session.Entry // of the branches, the way on from here first
	for i, tip := range t.Tips() {
		head, goesOn := tip.Entry, false
		for e, n := tip.Entry, 0; e != nil && n < s.size; e, n = t.Parent(e.ID), n+1 {
			if len(t.Children(e.ID)) > 1 && e != tip.Entry && len(heads) == i {
				heads = append(heads, head)
			}
			head, goesOn = e, goesOn || e.ID == here
		}
		if len(heads) == i {
			heads = append(heads, head)
		}
		if goesOn && s.number == 0 {
			s.number = i + 1
		}
	}
	s.branches = len(heads)
	if s.number > 0 { // as they were begun
		mine := heads[s.number-1]
		s.number = 1
		for _, h := range heads {
			if h.Line.Seq < mine.Line.Seq {
				s.number++
			}
		}
	}
	return *s
}
