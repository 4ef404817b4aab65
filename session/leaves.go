package session

import (
	"slices"
)

// A Tip is the end of a branch: something was said there, and nothing below it.
type Tip struct {
	Entry    *Entry
	Last     *Entry // the last bookkeeping in the log that hangs on Entry, or Entry
	Fork     ID     // the nearest entry above below which several branches go on; "" if there is none
	Depth    int    // entries on the path to Entry, itself included
	Messages int    // message entries among them
}

// Tips returns the ends of all branches, those first that were added to last. It
// costs a look at each record.
func (t *Tree) Tips() []Tip {
	t.x.learn()
	t.x.settle()
	n := int32(t.x.Len())
	const unseen = -2
	// Of the first record of each id: the nearest above it that says something, how
	// deep it is, and how many messages stand there and above.
	up, depth, said := make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range up {
		up[i] = unseen
	}
	speaks := func(i int32) bool { return speaking(t.x.at(t.x.last(i)).kind) }
	var way []int32
	for i := range n {
		if t.x.at(i).flags&again != 0 {
			continue
		}
		way = way[:0]
		for k := i; k >= 0 && up[k] == unseen; k = t.x.up(k) {
			up[k] = noRecord // which ends a walk in records that are damaged
			way = append(way, k)
		}
		for _, k := range slices.Backward(way) {
			if p := t.x.up(k); p >= 0 {
				depth[k], said[k] = depth[p], said[p]
				if up[k] = up[p]; speaks(p) {
					up[k] = p
				}
			}
			depth[k]++
			if t.x.at(t.x.last(k)).kind == kindMessage {
				said[k]++
			}
		}
	}
	branches, tail := make([]int32, n), make([]int32, n) // tail is a record plus one
	for i := range n {
		if r := t.x.at(i); r.flags&again != 0 || up[i] < 0 {
			continue
		}
		if speaks(i) {
			branches[up[i]]++
		} else if t.x.at(t.x.last(i)).flags&marker == 0 {
			tail[up[i]] = i + 1
		}
	}
	var tips []Tip
	for i := n - 1; i >= 0; i-- {
		if t.x.at(i).flags&again != 0 || !speaks(i) || branches[i] > 0 {
			continue
		}
		e := t.node(i)
		tip := Tip{Entry: e, Last: e, Depth: int(depth[i]), Messages: int(said[i])}
		if tail[i] > 0 {
			tip.Last = t.node(tail[i] - 1)
		}
		for k, steps := up[i], n; k >= 0 && steps > 0; k, steps = up[k], steps-1 {
			if branches[k] > 1 {
				tip.Fork = t.node(k).ID
				break
			}
		}
		tips = append(tips, tip)
	}
	slices.SortStableFunc(tips, func(a, b Tip) int { return b.Last.Time.Compare(a.Last.Time) })
	return tips
}
