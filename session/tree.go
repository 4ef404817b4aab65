package session

import (
	"cmp"
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
	order  []ID         // targets in the order in which they were first labelled
	name   string       // of the session
	leaf   ID           // see Leaf
	broken bool         // some edge may be on a cycle: see settle
}

type node struct {
	entry  *Entry
	parent int   // to nodes; -1 for a root
	kids   []int // by time, then by first appearance
}

type label struct {
	text string
	time []byte // JSON, of the label entry; nil if absent
	set  *Entry
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
			if _, ok := t.labels[id]; ok {
				delete(t.labels, id)
				t.order = slices.DeleteFunc(t.order, func(o ID) bool { return o == id })
			}
			return
		}
		if _, ok := t.labels[id]; !ok {
			t.order = append(t.order, id)
		}
		t.labels[id] = label{text, rawjson.Get(line, "timestamp"), e}
	case e.Type == TypeInfo:
		line, err := e.Raw()
		if err != nil {
			return
		}
		name, _ := rawjson.GetString(line, "name")
		t.name = TrimSpace(name)
	}
}

// hang makes i the child of p, in order.
func (t *Tree) hang(i, p int) {
	t.nodes[i].parent = p
	kids := t.nodes[p].kids
	at := len(kids)
	for at > 0 && t.before(i, kids[at-1]) {
		at--
	}
	t.nodes[p].kids = slices.Insert(kids, at, i)
}

// before reports whether i is shown before k: by time, where both can be read.
// i stands behind k in the log.
func (t *Tree) before(i, k int) bool {
	a, b := t.nodes[i].entry.Time, t.nodes[k].entry.Time
	return !a.IsZero() && !b.IsZero() && a.Before(b)
}

// settle computes all edges anew, once they cannot be had one by one.
func (t *Tree) settle() {
	if !t.broken {
		return
	}
	t.broken = false
	clear(t.orphan)
	for i := range t.nodes {
		t.nodes[i].parent, t.nodes[i].kids = -1, nil
	}
	for i := range t.nodes {
		e := t.nodes[i].entry
		if e.Parent == "" {
			continue
		}
		if p, ok := t.byID[e.Parent]; ok {
			if p != i {
				t.nodes[i].parent = p
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
				break
			}
		}
	}
	for i, n := range t.nodes {
		if n.parent >= 0 {
			t.nodes[n.parent].kids = append(t.nodes[n.parent].kids, i)
		}
	}
	for i := range t.nodes {
		slices.SortStableFunc(t.nodes[i].kids, func(a, b int) int {
			ta, tb := t.nodes[a].entry.Time, t.nodes[b].entry.Time
			if ta.IsZero() || tb.IsZero() {
				return 0
			}
			return cmp.Compare(ta.UnixMilli(), tb.UnixMilli())
		})
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
	for k, n := range t.nodes[i].kids {
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
	seen := map[int]bool{}
	for i >= 0 && !seen[i] {
		seen[i] = true
		e := t.nodes[i].entry
		path = append(path, e)
		// The walk follows what the entries say, not the edges of the tree: the
		// first member of a cycle is a root there, but ends a path only when it
		// would come twice.
		next, ok := t.byID[e.Parent]
		if !ok || e.Parent == "" {
			break
		}
		i = next
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
}

// Labels yields the labels of existing entries, in the order in which their
// targets were first labelled since they last had none.
func (t *Tree) Labels() iter.Seq[LabelState] {
	return func(yield func(LabelState) bool) {
		for _, id := range t.order {
			if l := t.labels[id]; t.Has(id) && !yield(LabelState{id, l.text, l.time}) {
				return
			}
		}
	}
}

// Labelled returns the entry that was given that label last, or "".
func (t *Tree) Labelled(text string) ID {
	var found ID
	at := -1
	for id, l := range t.labels {
		if l.text == text && t.Has(id) {
			if i := slices.Index(t.log, l.set); i > at {
				found, at = id, i
			}
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
