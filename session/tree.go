package session

import (
	"iter"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
)

// A Tree is the fold of a log: all its entries, and how they hang together. One
// reader, one tree; there are no locks. What it returns must not be changed.
//
// A parent may stand behind its child in the log; until it comes, and for ever
// if it does not, the child is a root. Where an id appears twice, the later
// entry counts, in the place of the first (rule R11). An edge that would close a
// cycle counts as no edge (rule R2).
type Tree struct {
	log    []*Entry     // all entries in the order of the log, repeated ids included
	nodes  []node       // one for each id, in the order of first appearance
	byID   map[ID]int   // to nodes
	orphan map[ID][]int // children of ids that have not come
	labels map[ID]label // by target, also of entries that do not exist
	name   string       // of the session
	leaf   ID           // see Leaf
	broken bool         // some edge may be on a cycle: see settle
	cyclic bool         // some entry is its own ancestor, by what the entries say
}

type node struct {
	entry    *Entry
	parent   int   // to nodes; -1 for a root
	kids     []int // by time, then by first appearance, unless unsorted
	unsorted bool
}

type label struct {
	text  string
	time  []byte // JSON, of the label entry; nil if absent
	set   int    // index in the log of the entry that set it last
	first int    // index in the log of the entry since which the target has had one
}

// NewTree returns a tree without entries.
func NewTree() *Tree {
	return &Tree{byID: map[ID]int{}, orphan: map[ID][]int{}, labels: map[ID]label{}}
}

// Add folds in the next entry of the log.
func (t *Tree) Add(e *Entry) {
	t.log = append(t.log, e)
	t.meaning(e)
	if i, ok := t.byID[e.ID]; ok {
		t.nodes[i].entry = e
		t.broken = true
		return
	}
	i := len(t.nodes)
	t.nodes = append(t.nodes, node{entry: e, parent: -1})
	t.byID[e.ID] = i
	if t.broken {
		return
	}
	if p, ok := t.byID[e.Parent]; ok && e.Parent != "" {
		if p == i {
			t.cyclic = true
			return // its own parent: a root
		}
		t.hang(i, p)
	} else if e.Parent != "" {
		t.orphan[e.Parent] = append(t.orphan[e.Parent], i)
	}
	if waiting := t.orphan[e.ID]; waiting != nil {
		// Its children came first, so this edge may close a cycle.
		delete(t.orphan, e.ID)
		t.broken = true
	}
}

// meaning takes up what an entry says of other entries and of the session.
func (t *Tree) meaning(e *Entry) {
	t.leaf = e.ID
	switch {
	case e.IsLeafMarker():
		t.leaf = e.Parent
	case e.Type == TypeLabel:
		line, err := e.Raw()
		if err != nil {
			return
		}
		target, ok := rawjson.GetString(line, "targetId")
		if !ok {
			return
		}
		id := ID(target)
		text, _ := rawjson.GetString(line, "label")
		if text == "" {
			delete(t.labels, id)
			return
		}
		l := label{text: text, time: rawjson.Get(line, "timestamp"), set: len(t.log) - 1, first: len(t.log) - 1}
		if old, ok := t.labels[id]; ok {
			l.first = old.first
		}
		t.labels[id] = l
	case e.Type == TypeInfo:
		line, err := e.Raw()
		if err != nil {
			return
		}
		name, _ := rawjson.GetString(line, "name")
		t.name = TrimSpace(name)
	}
}

// hang makes i the last child of p.
func (t *Tree) hang(i, p int) {
	t.nodes[i].parent = p
	n := &t.nodes[p]
	if len(n.kids) > 0 && t.before(i, n.kids[len(n.kids)-1]) {
		n.unsorted = true
	}
	n.kids = append(n.kids, i)
}

// before reports whether i is shown before k by their times; where one of them
// cannot be read they are equal.
func (t *Tree) before(i, k int) bool {
	a, b := t.nodes[i].entry.Time, t.nodes[k].entry.Time
	return !a.IsZero() && !b.IsZero() && a.Before(b)
}

// children returns the children of i in order.
func (t *Tree) children(i int) []int {
	n := &t.nodes[i]
	if n.unsorted {
		n.unsorted = false
		slices.Sort(n.kids)
		slices.SortStableFunc(n.kids, func(a, b int) int {
			switch {
			case t.before(a, b):
				return -1
			case t.before(b, a):
				return 1
			}
			return 0
		})
	}
	return n.kids
}

// settle computes all edges anew, once they cannot be had one by one.
func (t *Tree) settle() {
	if !t.broken {
		return
	}
	t.broken, t.cyclic = false, false
	clear(t.orphan)
	for i := range t.nodes {
		t.nodes[i].parent, t.nodes[i].kids, t.nodes[i].unsorted = -1, nil, false
	}
	for i := range t.nodes {
		e := t.nodes[i].entry
		if e.Parent == "" {
			continue
		}
		if p, ok := t.byID[e.Parent]; ok {
			if p != i {
				t.nodes[i].parent = p
			} else {
				t.cyclic = true
			}
		} else {
			t.orphan[e.Parent] = append(t.orphan[e.Parent], i)
		}
	}
	// The member of a cycle that comes first is a root. seen holds the number
	// of the walk that came by.
	seen := make([]int, len(t.nodes))
	for i := range t.nodes {
		walk := i + 1
		for k := i; k >= 0 && seen[k] == 0; k = t.nodes[k].parent {
			seen[k] = walk
			if p := t.nodes[k].parent; p >= 0 && seen[p] == walk {
				first := p
				for m := t.nodes[p].parent; m != p; m = t.nodes[m].parent {
					first = min(first, m)
				}
				t.nodes[first].parent = -1
				t.cyclic = true
				break
			}
		}
	}
	for i, n := range t.nodes {
		if n.parent >= 0 {
			t.hang(i, n.parent)
		}
	}
}

// Len returns the number of distinct ids.
func (t *Tree) Len() int { return len(t.nodes) }

// Log returns all entries in the order of the log, repeated ids included.
func (t *Tree) Log() []*Entry { return t.log }

// Get returns the entry of that id, or nil.
func (t *Tree) Get(id ID) *Entry {
	if i, ok := t.byID[id]; ok {
		return t.nodes[i].entry
	}
	return nil
}

// Has reports whether there is an entry of that id.
func (t *Tree) Has(id ID) bool { _, ok := t.byID[id]; return ok }

// All yields one entry for each id, in the order in which the ids appear.
func (t *Tree) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range t.nodes {
			if !yield(t.nodes[i].entry) {
				return
			}
		}
	}
}

// Last returns the physically last entry, or nil.
func (t *Tree) Last() *Entry {
	if len(t.log) == 0 {
		return nil
	}
	return t.log[len(t.log)-1]
}

// Leaf returns where the conversation stands when the log is opened: the last
// entry, or what a leaf marker in its place points to; "" is the place before
// the first entry (docs/spec/session.md 4).
func (t *Tree) Leaf() ID {
	if t.leaf == "" || t.Has(t.leaf) {
		return t.leaf
	}
	for i := len(t.log) - 1; i >= 0; i-- { // a marker whose target is lost
		if e := t.log[i]; !e.IsLeafMarker() {
			return e.ID
		}
	}
	return ""
}

// Parent returns the entry above the one of that id, or nil for a root.
func (t *Tree) Parent(id ID) *Entry {
	t.settle()
	if i, ok := t.byID[id]; ok && t.nodes[i].parent >= 0 {
		return t.nodes[t.nodes[i].parent].entry
	}
	return nil
}

// Roots returns the entries without a parent in the order of the log: those that
// name none, themselves, or one that does not exist.
func (t *Tree) Roots() []*Entry {
	t.settle()
	var roots []*Entry
	for i := range t.nodes {
		if t.nodes[i].parent < 0 {
			roots = append(roots, t.nodes[i].entry)
		}
	}
	return roots
}

// Children returns the entries below the one of that id by time, equal times in
// the order of the log. "" gives the roots.
func (t *Tree) Children(id ID) []*Entry {
	if id == "" {
		return t.Roots()
	}
	t.settle()
	i, ok := t.byID[id]
	if !ok {
		return nil
	}
	kids := make([]*Entry, len(t.nodes[i].kids))
	for k, n := range t.children(i) {
		kids[k] = t.nodes[n].entry
	}
	return kids
}

// Path returns the entries from the root down to leaf. It is empty for "" and
// for an id that does not exist.
func (t *Tree) Path(leaf ID) []*Entry {
	t.settle()
	i, ok := t.byID[leaf]
	if !ok {
		return nil
	}
	var path []*Entry
	if !t.cyclic {
		for ; i >= 0; i = t.nodes[i].parent {
			path = append(path, t.nodes[i].entry)
		}
		slices.Reverse(path)
		return path
	}
	// The walk follows what the entries say, not the edges of the tree: the
	// first member of a cycle is a root there, but ends a path only when it
	// would come twice.
	for seen := make([]bool, len(t.nodes)); ok && !seen[i]; {
		seen[i] = true
		e := t.nodes[i].entry
		path = append(path, e)
		i, ok = t.byID[e.Parent]
	}
	slices.Reverse(path)
	return path
}

// CommonAncestor returns the deepest entry on the paths to both a and b, or "".
func (t *Tree) CommonAncestor(a, b ID) ID {
	on := map[ID]bool{}
	for _, e := range t.Path(a) {
		on[e.ID] = true
	}
	path := t.Path(b)
	for i := len(path) - 1; i >= 0; i-- {
		if on[path[i].ID] {
			return path[i].ID
		}
	}
	return ""
}

// Label returns the label of an entry, or "". The last label entry in the log
// counts, on whatever branch it stands.
func (t *Tree) Label(id ID) string { return t.labels[id].text }

// A LabelState is a label that is set.
type LabelState struct {
	Target ID
	Text   string
	Time   []byte // JSON, of the label entry; nil if absent

	first int // see label
}

// Labels returns the labels of existing entries, in the order in which their
// targets were first labelled since they last had none.
func (t *Tree) Labels() []LabelState {
	var states []LabelState
	for id := range t.labels {
		if t.Has(id) {
			states = append(states, t.labelState(id))
		}
	}
	slices.SortFunc(states, byFirst)
	return states
}

func (t *Tree) labelState(id ID) LabelState {
	l := t.labels[id]
	return LabelState{id, l.text, l.time, l.first}
}

func byFirst(a, b LabelState) int { return a.first - b.first }

// Labelled returns the entry that was given that label last, or "".
func (t *Tree) Labelled(text string) ID {
	var found ID
	at := -1
	for id, l := range t.labels {
		if l.text == text && l.set > at && t.Has(id) {
			found, at = id, l.set
		}
	}
	return found
}

// Name returns the name of the session, or "".
func (t *Tree) Name() string { return t.name }

// Effective returns the entry of that id, or the nearest one above it that is
// more than bookkeeping; "" if there is none.
func (t *Tree) Effective(id ID) ID {
	path := t.Path(id)
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Speaks() {
			return path[i].ID
		}
	}
	return ""
}
