package session

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A Thread is a session in a list in which forks and clones stand below what they
// were made of.
type Thread struct {
	*Summary
	Depth int
	Last  bool // nothing follows it below its parent
}

// Threads orders a list so that each session stands below the one that its header
// names, and those below one, as those below none, by the latest activity in what
// hangs on them. A session whose parent is not in the list is below none, and so is
// the oldest of those that name each other in a circle (docs/spec/session.md 10.2).
// same gives a path the form in which paths are compared; nil leaves them as they are.
func Threads(list []Summary, same func(path string) string) []Thread {
	up := parents(list, same)
	for i := range list {
		cutCircle(list, up, i)
	}
	below := make([][]int, len(list))
	var roots []int
	for i, p := range up {
		if p < 0 {
			roots = append(roots, i)
		} else {
			below[p] = append(below[p], i)
		}
	}
	// Every session after all that hang on it.
	order := make([]int, 0, len(list))
	for todo := slices.Clone(roots); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], below[i]...)
		order = append(order, i)
	}
	active := make([]time.Time, len(list))
	for _, i := range slices.Backward(order) {
		active[i] = list[i].Modified
		for _, c := range below[i] {
			if active[c].After(active[i]) {
				active[i] = active[c]
			}
		}
	}
	byActivity := func(is []int) {
		slices.SortFunc(is, func(a, b int) int {
			return cmp.Or(active[b].Compare(active[a]), strings.Compare(list[b].Path, list[a].Path), strings.Compare(list[b].ID, list[a].ID))
		})
	}
	byActivity(roots)
	type place struct {
		i, depth int
		last     bool
	}
	var todo []place
	push := func(is []int, depth int) {
		for k, i := range slices.Backward(is) {
			todo = append(todo, place{i, depth, k == len(is)-1})
		}
	}
	push(roots, 0)
	out := make([]Thread, 0, len(list))
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		out = append(out, Thread{&list[p.i], p.depth, p.last})
		byActivity(below[p.i])
		push(below[p.i], p.depth+1)
	}
	return out
}

// parents returns for each session the one in the list that its header names, or -1.
func parents(list []Summary, same func(string) string) []int {
	at := make(map[string]int, len(list))
	for i := range list {
		if list[i].Path != "" {
			at[list[i].Path] = i
		}
	}
	up := make([]int, len(list))
	lost := false
	for i := range list {
		up[i] = -1
		if p := list[i].ParentSession; p != "" {
			if j, ok := at[p]; ok {
				up[i] = j
			} else {
				lost = true
			}
		}
	}
	if lost && same != nil {
		real := make(map[string]int, len(list))
		for i := range list {
			real[same(list[i].Path)] = i
		}
		for i := range list {
			if p := list[i].ParentSession; p != "" && up[i] < 0 {
				if j, ok := real[same(p)]; ok {
					up[i] = j
				}
			}
		}
	}
	for i := range up {
		if up[i] == i {
			up[i] = -1
		}
	}
	return up
}

// cutCircle makes the oldest session of a circle that i hangs on one without a
// parent.
func cutCircle(list []Summary, up []int, i int) {
	// Two walkers, one twice as fast as the other, meet in a circle.
	slow, fast := i, i
	for {
		for range 2 {
			if fast = up[fast]; fast < 0 {
				return
			}
		}
		if slow = up[slow]; slow == fast {
			break
		}
	}
	oldest := slow
	for k := up[slow]; k != slow; k = up[k] {
		a, b := &list[k], &list[oldest]
		if cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Path, b.Path)) < 0 {
			oldest = k
		}
	}
	up[oldest] = -1
}
