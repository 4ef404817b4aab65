package session

import (
	"slices"
)

// children has the children of all records of an index of a certain length, one
// list behind the other.
type children struct {
	size  int     // of the index
	start []int32 // of a record's list in list; one more at the end
	list  []int32 // first records
	roots []int32
}

// gather makes the lists, if the index has grown.
func (t *Tree) gather() {
	t.x.learn()
	t.x.settle()
	n := t.x.Len()
	k := &t.kids
	if k.start != nil && k.size == n {
		return
	}
	k.size, k.roots = n, nil
	k.start = make([]int32, n+1)
	for i := range int32(n) {
		if t.x.at(i).flags&again == 0 {
			if p := t.x.up(i); p >= 0 {
				k.start[p+1]++
			} else {
				k.roots = append(k.roots, i)
			}
		}
	}
	for i := range n {
		k.start[i+1] += k.start[i]
	}
	k.list = make([]int32, k.start[n])
	at := slices.Clone(k.start)
	for i := range int32(n) {
		if t.x.at(i).flags&again == 0 {
			if p := t.x.up(i); p >= 0 {
				k.list[at[p]] = i
				at[p]++
			}
		}
	}
	for i := range n {
		t.order(k.list[k.start[i]:k.start[i+1]])
	}
}

// order sorts the children of a record by time; those whose times are equal, or
// cannot be read, stay in the order of the log.
func (t *Tree) order(list []int32) {
	before := func(a, b int32) bool {
		x, y := t.x.at(t.x.last(a)).time, t.x.at(t.x.last(b)).time
		return x != noTime && y != noTime && x < y
	}
	sorted := true
	for i := 1; i < len(list) && sorted; i++ {
		sorted = !before(list[i], list[i-1])
	}
	if sorted {
		return
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		switch {
		case before(a, b):
			return -1
		case before(b, a):
			return 1
		}
		return 0
	})
}

func (k *children) of(i int32) []int32 { return k.list[k.start[i]:k.start[i+1]] }

// Roots returns the entries without a parent in the order of the log: those that
// name none, themselves, or one that does not exist.
func (t *Tree) Roots() []*Entry {
	t.gather()
	return t.nodes(t.kids.roots)
}

// Children returns the entries below the one of that id by time, equal times in
// the order of the log. "" gives the roots.
func (t *Tree) Children(id ID) []*Entry {
	if id == "" {
		return t.Roots()
	}
	i := t.first(id)
	if i < 0 {
		return nil
	}
	t.gather()
	return t.nodes(t.kids.of(i))
}

func (t *Tree) nodes(list []int32) []*Entry {
	if len(list) == 0 {
		return nil
	}
	out := make([]*Entry, len(list))
	for k, n := range list {
		out[k] = t.node(n)
	}
	return out
}

// A Step is one entry of a [Tree.Walk].
type Step struct {
	Entry    *Entry // good until visit returns
	Depth    int    // number of entries above
	Children int    // number of entries below it at once
	OnPath   bool   // on the path to the leaf that was given
}

// Walk calls visit for every entry, parents first, children in order, until it
// returns false. It is for those who go over a whole tree: nothing is remembered.
func (t *Tree) Walk(leaf ID, visit func(Step) bool) {
	t.gather()
	onPath := make([]bool, t.x.Len())
	for i := t.first(leaf); i >= 0 && !onPath[i]; i = t.x.up(i) {
		onPath[i] = true
	}
	type place struct{ node, depth int32 }
	var stack []place
	for _, r := range slices.Backward(t.kids.roots) {
		stack = append(stack, place{r, 0})
	}
	var scratch Entry
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		kids := t.kids.of(p.node)
		n := t.x.last(p.node)
		e := t.made[n]
		if r := t.x.at(n); e == nil && !r.needsLine() {
			r.fill(&scratch, t.src)
			e = &scratch
		} else if e == nil {
			e = t.make(n)
		}
		if !visit(Step{e, int(p.depth), len(kids), onPath[p.node]}) {
			return
		}
		for _, c := range slices.Backward(kids) {
			stack = append(stack, place{c, p.depth + 1})
		}
	}
}
