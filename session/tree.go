package session

import (
	"errors"
	"iter"
	"maps"
	"slices"
)

// A Tree is the fold of a log: all its entries, and how they hang together. It is
// a view of an [Index]; entries are made when they are asked for. One reader, one
// tree; there are no locks. What it returns must not be changed.
//
// A parent may stand behind its child in the log; until it comes, and for ever
// if it does not, the child is a root. Where an id appears twice, the later
// entry counts, in the place of the first (rule R11). An edge that would close a
// cycle counts as no edge (rule R2).
type Tree struct {
	x    *Index
	src  Source           // of the lines of records without an entry in made
	made map[int32]*Entry // by record

	end bool // it is of the end of a log only: see TreeFor

	kids   children
	labels map[ID]label // by target, also of entries that do not exist
	read   int          // records whose labels are taken up
	name   string       // of the session
	named  int32        // Index.named when it had that name
}

// NewTree returns a tree without entries.
func NewTree() *Tree { return NewTreeOf(NewIndex(), nil) }

// NewTreeOf returns the tree of an index. src gives back the lines of its records.
// The tree grows the index.
func NewTreeOf(x *Index, src Source) *Tree { return &Tree{x: x, src: src, made: map[int32]*Entry{}} }

// Add folds in the next entry of the log.
func (t *Tree) Add(e *Entry) {
	i := t.x.add(e.record())
	if t.made[i] = e; t.x.at(i).flags&special != 0 {
		t.x.keep(i, e)
	}
}

// Snapshot returns a tree of the entries that are there now, for another
// goroutine. Both grow by themselves; what they share is not copied.
func (t *Tree) Snapshot() *Tree {
	s := NewTreeOf(t.x.Snapshot(), t.src)
	if t.src == nil {
		maps.Copy(s.made, t.made)
		return s
	}
	for i, e := range t.made {
		if e.Line.Seq == 0 { // not in the log yet
			s.made[i] = e
		}
	}
	return s
}

// entry returns the entry of record i.
func (t *Tree) entry(i int32) *Entry {
	e := t.made[i]
	if e == nil {
		e = t.make(i)
		t.made[i] = e
	}
	return e
}

// make makes the entry of record i. Of one whose line is needed and cannot be
// read, what the record tells must do.
func (t *Tree) make(i int32) *Entry {
	if e := t.x.special[i]; e != nil {
		return e
	}
	r := t.x.at(i)
	e, ok := r.entry(t.src)
	if ok {
		return e
	}
	at := Line{Seq(r.off) + Seq(r.size), int(r.size)}
	line, err := t.src.Read(at)
	if ahead, ok := t.src.(Ahead); ok && errors.Is(err, ErrTooLong) {
		line = make([]byte, 4<<10)
		var n int
		n, err = ahead.ReadAhead(line, Seq(r.off))
		line = append(line[:n], '}')
	}
	if err == nil {
		if e, err := Decode(line, at, t.src); err == nil {
			return e
		}
	}
	return &Entry{ID: r.id.text(), Parent: r.parent.text(), Line: at, src: t.src}
}

// first returns the first record of an id, or noRecord.
func (t *Tree) first(id ID) int32 {
	if id == "" {
		return noRecord
	}
	k, _ := keyOf([]byte(id))
	return t.x.get(k)
}

// node returns the entry of a first record: of those with its id the last.
func (t *Tree) node(i int32) *Entry { return t.entry(t.x.last(i)) }

// Len returns the number of distinct ids.
func (t *Tree) Len() int { t.x.learn(); return t.x.nodes }

// Log yields all entries in the order of the log, repeated ids included.
func (t *Tree) Log() iter.Seq[*Entry] { return t.LogFrom(0) }

// LogFrom is Log without the first n entries.
func (t *Tree) LogFrom(n int) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := int32(n); int(i) < t.x.Len(); i++ {
			if !yield(t.passing(i)) {
				return
			}
		}
	}
}

// passing is entry for those who go over all: it remembers nothing.
func (t *Tree) passing(i int32) *Entry {
	if e := t.made[i]; e != nil {
		return e
	}
	return t.make(i)
}

// Size returns the number of entries in the log, repeated ids included.
func (t *Tree) Size() int { return t.x.Len() }

// Get returns the entry of that id, or nil.
func (t *Tree) Get(id ID) *Entry {
	if i := t.first(id); i >= 0 {
		return t.node(i)
	}
	return nil
}

// Has reports whether there is an entry of that id.
func (t *Tree) Has(id ID) bool { return t.first(id) >= 0 }

// All yields one entry for each id, in the order in which the ids appear.
func (t *Tree) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		t.x.learn()
		for i := range int32(t.x.Len()) {
			if t.x.at(i).flags&again == 0 && !yield(t.passing(t.x.last(i))) {
				return
			}
		}
	}
}

// Last returns the physically last entry, or nil.
func (t *Tree) Last() *Entry {
	if n := t.x.Len(); n > 0 {
		return t.entry(int32(n - 1))
	}
	return nil
}

// Leaf returns where the conversation stands when the log is opened: the last
// entry, or what a leaf marker in its place points to; "" is the place before
// the first entry (docs/spec/session.md 4).
func (t *Tree) Leaf() ID {
	for i := int32(t.x.Len() - 1); i >= 0; i-- {
		switch e := t.passing(i); {
		case !e.Grows(): // no place to stand
		case !e.IsLeafMarker():
			return e.ID
		case e.Parent == "" || t.Has(e.Parent):
			return t.Standing(e.Parent)
		} // a marker whose target is lost: what stands before it
	}
	return ""
}

// up returns the first record of the parent of a first record, or noRecord.
func (t *Tree) up(i int32) int32 { t.x.settle(); return t.x.up(i) }

// Parent returns the entry above the one of that id, or nil for a root.
func (t *Tree) Parent(id ID) *Entry {
	if i := t.first(id); i >= 0 {
		if p := t.up(i); p >= 0 {
			return t.node(p)
		}
	}
	return nil
}

// Path returns the entries from the root down to leaf. It is empty for "" and
// for an id that does not exist.
func (t *Tree) Path(leaf ID) []*Entry {
	i := t.first(leaf)
	if i < 0 {
		return nil
	}
	t.x.settle()
	if t.x.cyclic {
		return t.cyclicPath(i)
	}
	path := make([]*Entry, 0, max(0, min(int(t.x.at(i).depth)+1, t.x.Len())))
	for n := 0; i >= 0 && n < t.x.Len(); n++ {
		path = append(path, t.node(i))
		i = t.x.up(i)
	}
	slices.Reverse(path)
	return path
}

// cyclicPath follows what the entries say, not the edges of the tree: the first
// member of a cycle is a root there, but ends a path only when it would come
// twice.
func (t *Tree) cyclicPath(i int32) []*Entry {
	var path []*Entry
	for seen := make([]bool, t.x.Len()); i >= 0 && !seen[i]; {
		seen[i] = true
		e := t.node(i)
		path = append(path, e)
		i = t.first(e.Parent)
	}
	slices.Reverse(path)
	return path
}

// CommonAncestor returns the deepest entry on the paths to both a and b, or "".
func (t *Tree) CommonAncestor(a, b ID) ID {
	i, k := t.first(a), t.first(b)
	t.x.settle()
	if i < 0 || k < 0 {
		return ""
	}
	if t.x.cyclic {
		return t.commonOfPaths(a, b)
	}
	for n := 0; i != k && n <= 2*t.x.Len(); n++ {
		if t.x.at(i).depth >= t.x.at(k).depth {
			i = t.x.up(i)
		} else {
			k = t.x.up(k)
		}
		if i < 0 || k < 0 {
			return ""
		}
	}
	if i != k {
		return t.commonOfPaths(a, b) // a file of records that was damaged
	}
	return t.node(i).ID
}

// Below returns the entries of the path to leaf that stand below ancestor, oldest
// first: all of the path if ancestor is "". It costs no more than they are, unless
// there are cycles in the file.
func (t *Tree) Below(ancestor, leaf ID) []*Entry {
	i, a := t.first(leaf), t.first(ancestor)
	t.x.settle()
	if i < 0 || a < 0 || t.x.cyclic {
		path := t.Path(leaf)
		at := slices.IndexFunc(path, func(e *Entry) bool { return e.ID == ancestor })
		return path[at+1:]
	}
	var below []*Entry
	for ; i >= 0 && i != a && len(below) <= t.x.Len(); i = t.x.up(i) {
		below = append(below, t.node(i))
	}
	return reversed(below)
}

func (t *Tree) commonOfPaths(a, b ID) ID {
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

// Effective returns the entry of that id, or the nearest one above it that is
// more than bookkeeping; "" if there is none.
func (t *Tree) Effective(id ID) ID {
	i := t.first(id)
	t.x.settle()
	for n := 0; i >= 0 && n < t.x.Len(); n++ {
		if e := t.node(i); e.Speaks() {
			return e.ID
		}
		i = t.x.up(i)
	}
	return ""
}
