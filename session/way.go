package session

import (
	"maps"
	"slices"
)

// A Way is the path to an entry as those need it who copy it: where its lines are,
// and no more. Of a path of a million entries it takes a few bytes each.
type Way struct {
	t    *Tree
	recs []int32
	on   []uint64 // a bit for each record
}

// A Stop is an entry of a Way.
type Stop struct {
	Line   Line
	Type   Type // "" for one that this package does not know
	Marker bool // see Entry.IsLeafMarker
}

// Way returns the path to leaf, or all entries of the log if leaf is "". It
// returns false for a log that is damaged: there [Tree.Path] and [Tree.Whole] know
// better what is whose.
func (t *Tree) Way(leaf ID) (*Way, bool) {
	if t.Damaged() || t.src == nil {
		return nil, false
	}
	w := &Way{t: t, on: make([]uint64, (t.x.Len()+63)/64)}
	if leaf == "" {
		w.recs = make([]int32, t.x.Len())
		for i := range w.recs {
			w.recs[i] = int32(i)
		}
	} else {
		for i := t.first(leaf); i >= 0 && len(w.recs) < t.x.Len(); i = t.x.up(i) {
			w.recs = append(w.recs, i)
		}
		slices.Reverse(w.recs)
	}
	for _, i := range w.recs {
		if t.x.at(i).off < 0 || t.made[i] != nil && t.made[i].Line.Seq == 0 {
			return nil, false // not in the log yet
		}
		w.on[i/64] |= 1 << (i % 64)
	}
	return w, true
}

// Len returns the number of entries.
func (w *Way) Len() int { return len(w.recs) }

// At returns entry i, from the root on.
func (w *Way) At(i int) Stop {
	r := w.t.x.at(w.recs[i])
	return Stop{r.line(), kinds[min(int(r.kind), len(kinds)-1)], r.flags&marker != 0}
}

// Labels returns the labels of entries on the way, on whatever branch they were
// set, in the order of [Tree.Labels]. Those for which skip is true are passed over.
func (w *Way) Labels(skip func(Stop) bool) []LabelState {
	w.t.fold()
	targets := make(map[key]ID, len(w.t.labels))
	for id := range w.t.labels {
		k, _ := keyOf([]byte(id))
		targets[k] = id
	}
	var states []LabelState
	if len(targets) == 0 {
		return nil
	}
	for n, i := range w.recs {
		if id, ok := targets[w.t.x.at(i).id]; ok && !skip(w.At(n)) {
			states = append(states, w.t.labelState(id))
		}
	}
	slices.SortFunc(states, byFirst)
	return states
}

// NewIDs returns ids that no entry on the way has.
func (w *Way) NewIDs(n int) []ID {
	for {
		fresh := map[key]ID{}
		for len(fresh) < n {
			id := NewID(func(ID) bool { return false })
			k, _ := keyOf([]byte(id))
			fresh[k] = id
		}
		if !slices.ContainsFunc(w.recs, func(i int32) bool { _, taken := fresh[w.t.x.at(i).id]; return taken }) {
			return slices.Collect(maps.Values(fresh))
		}
	}
}

// Read fills b with the bytes of the log from that place on, as far as there are
// any.
func (w *Way) Read(b []byte, from Seq) (int, error) {
	if ahead, ok := w.t.src.(Ahead); ok {
		return ahead.ReadAhead(b, from)
	}
	return 0, nil
}

// WayBelow returns the path to an entry and all that follows it, in the order of
// the log. The log must be one of which there is a [Tree.Way].
func (t *Tree) WayBelow(id ID) *Way {
	w, _ := t.Way(id)
	if w == nil {
		return nil
	}
	root := t.first(id)
	const unknown, out, in = 0, 1, 2
	known := make([]uint8, t.x.Len())
	known[root] = in
	var stack []int32
	for i := range int32(t.x.Len()) {
		k := i
		for ; k >= 0 && known[k] == unknown; k = t.x.up(k) {
			stack = append(stack, k)
		}
		is := uint8(out)
		if k >= 0 {
			is = known[k]
		}
		for _, s := range stack {
			known[s] = is
		}
		stack = stack[:0]
		if known[i] == in {
			w.on[i/64] |= 1 << (i % 64)
		}
	}
	w.recs = w.recs[:0]
	for i := range int32(t.x.Len()) {
		if w.on[i/64]&(1<<(i%64)) != 0 {
			w.recs = append(w.recs, i)
		}
	}
	return w
}
