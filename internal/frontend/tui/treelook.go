package tui

import (
	"fmt"
	"slices"

	"github.com/boughdev/bough/internal/render"
)

// treeMemory is what the tree of a session looked like when it was closed.
type treeMemory struct {
	filter render.Filter
	layout treeLayout
	times  int
}

// String is a look in words that readLook reads: filter, layout, times.
func (m treeMemory) String() string {
	return fmt.Sprintf("%s %s %d", m.filter, layoutNames[m.layout], m.times)
}

func readLook(s string) (m treeMemory, ok bool) {
	var filter, layout string
	if n, err := fmt.Sscanf(s, "%s %s %d", &filter, &layout, &m.times); n != 3 || err != nil {
		return treeMemory{}, false
	}
	at := slices.Index(layoutNames, layout)
	m.filter, m.layout = render.Filter(filter), treeLayout(at)
	return m, at >= 0 && slices.Contains(render.Filters(), m.filter) && m.times >= 0 && m.times < 3
}

// recallLook fetches how the tree of a session looked last.
func (a *app) recallLook(of string) {
	if _, known := a.trees[of]; known || a.o.TreeLook == nil {
		return
	}
	a.beside(func() func() {
		m, ok := readLook(a.o.TreeLook(of))
		return func() {
			if _, newer := a.trees[of]; ok && !newer {
				a.trees[of] = m
				a.treesKept[of] = m
			}
		}
	})
}

// keepLooks keeps how the trees look that were changed. It is the last thing done:
// nobody is there any more who could be told of a fault.
func (a *app) keepLooks() {
	if a.o.KeepTreeLook == nil {
		return
	}
	for of, m := range a.trees {
		if m != a.treesKept[of] {
			_ = a.o.KeepTreeLook(of, m.String())
		}
	}
}
