package session

// Context is [Projector.Project] of the path to leaf, and costs no more than the
// entries that make the context: a path of a million entries with a compaction
// near its end is not walked to its root.
func (p *Projector) Context(t *Tree, leaf ID) (Projection, error) {
	i := t.first(leaf)
	t.x.settle()
	if i < 0 || t.x.cyclic {
		return p.Project(t.Path(leaf))
	}
	out := Projection{Thinking: "off"}
	above := t.x.at(i)
	for _, set := range []int32{above.model, above.thinking} {
		if set < 0 || int(set) >= t.x.Len() {
			continue
		}
		if err := p.settings(&out, []*Entry{t.entry(set)}); err != nil {
			return out, err
		}
	}
	entries, err := t.selected(p, i)
	if err != nil {
		return out, err
	}
	return out, p.speak(&out, entries)
}

// selected returns the entries that make the context of the path to node i.
func (t *Tree) selected(p *Projector, i int32) ([]*Entry, error) {
	at := t.x.at(i).compaction
	if at < 0 || int(at) >= t.x.Len() {
		return t.Path(t.node(i).ID), nil
	}
	compaction := t.entry(at)
	c := t.first(compaction.ID)
	if c < 0 || compaction.Type != TypeCompaction {
		return p.selected(t.Path(t.node(i).ID)) // a file of records that was damaged
	}
	r, err := p.read(compaction)
	if err != nil {
		return nil, err
	}
	var after []*Entry
	for n := 0; i != c && i >= 0 && n < t.x.Len(); n++ {
		after = append(after, t.node(i))
		i = t.x.up(i)
	}
	entries := []*Entry{compaction}
	entries = append(entries, reversed(t.kept(c, r.firstKept))...)
	return append(entries, reversed(after)...), nil
}

// kept returns what a compaction at node c keeps from the entry of that id on, the
// last entry first; nothing if that is not above c.
func (t *Tree) kept(c int32, first ID) []*Entry {
	f := t.first(first)
	if f < 0 || f == c || t.x.at(f).depth >= t.x.at(c).depth {
		return nil
	}
	steps := int(t.x.at(c).depth) - int(t.x.at(f).depth)
	if steps > t.x.Len() {
		return nil // a file of records that was damaged
	}
	above := make([]int32, 0, steps)
	i := c
	for range steps {
		if i = t.x.up(i); i < 0 {
			return nil
		}
		above = append(above, i)
	}
	if i != f {
		return nil
	}
	kept := make([]*Entry, 0, steps)
	for _, i := range above {
		if t.x.at(t.x.last(i)).role != roleSystem {
			kept = append(kept, t.node(i))
		}
	}
	return kept
}

func reversed(list []*Entry) []*Entry {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}
