package session

import (
	"encoding/binary"
	"io"
	"maps"
	"unsafe"
)

// An Index has a [record] for every entry of a log, in the order of the log, and
// says how they hang together. It only grows. It is for one goroutine; a
// [Index.Snapshot] may be given to another.
//
// Records are added in the order of the log. As long as parents stand before
// their children and no id comes twice, each costs a look at its parent's record;
// otherwise all edges are computed anew when they are next asked for.
type Index struct {
	base []record // of a file that is mapped: not to be changed
	tail []record

	ids    table
	known  int             // how many records are in ids
	latest map[int32]int32 // of an id that comes twice: its first record to its last
	orphan map[key]bool    // ids that are parents and have not come
	nodes  int             // distinct ids
	broken bool            // edges must be computed anew: see settle
	cyclic bool            // some entry is its own ancestor, by what the lines say
	shared bool            // a snapshot has tail too: it may only be appended to
	held   any             // what base lies in
	named  int32           // the last session_info record, plus one; 0: there is none

	// Of a log that was read by a Salvage.
	special map[int32]*Entry // by record: what it does not tell
	end     Seq              // 0: behind the last record
	bad     int              // lines that cannot be read, or only in parts
}

// NewIndex returns an index without records.
func NewIndex() *Index { return &Index{} }

// Len returns the number of records.
func (x *Index) Len() int { return len(x.base) + len(x.tail) }

// up returns the record of the parent of record i, or noRecord. A file of records
// that was damaged leads nowhere.
func (x *Index) up(i int32) int32 {
	if u := x.at(i).up; u >= 0 && int(u) < x.Len() {
		return u
	}
	return noRecord
}

func (x *Index) at(i int32) *record {
	if int(i) < len(x.base) {
		return &x.base[i]
	}
	return &x.tail[int(i)-len(x.base)]
}

// End returns the place up to which the log was read: that behind the last record,
// or behind what follows it that nothing will be added to.
func (x *Index) End() Seq {
	if x.end > 0 {
		return x.end
	}
	if n := x.Len(); n > 0 {
		r := x.at(int32(n - 1))
		return Seq(r.off) + Seq(r.size)
	}
	return 0
}

// LastLine returns where the last entry is; it must not be empty.
func (x *Index) LastLine() Line { return x.at(int32(x.Len() - 1)).line() }

// Damaged reports whether a parent is missing, an id comes twice, or a cycle was
// found: signs of lines that were lost or doubled.
func (x *Index) Damaged() bool { x.settle(); return len(x.orphan) > 0 || len(x.latest) > 0 || x.cyclic }

// add appends a record and hangs it up.
func (x *Index) add(n record) int32 {
	x.learn()
	i := int32(x.Len())
	n.up, n.compaction, n.model, n.thinking, n.setup, n.depth = noRecord, noRecord, noRecord, noRecord, noRecord, 0
	n.flags &^= again | orphaned
	x.tail = append(x.tail, n)
	x.known++
	if n.kind == kindInfo {
		x.named = i + 1
	}
	r := x.at(i)
	first, isNew := x.ids.put(r.id, i, x)
	if !isNew {
		r.flags |= again
		x.note(first, i)
		x.broken = true
		return i
	}
	x.nodes++
	if x.orphan[r.id] {
		// Its children came first, so this edge may close a cycle.
		delete(x.orphan, r.id)
		x.broken = true
	}
	if r.parent != (key{}) && !x.broken {
		if r.parent == r.id {
			x.cyclic = true // its own parent: a root
		} else if p := x.find(r.parent, i); p >= 0 {
			r.up = p
			x.inherit(r, x.at(p))
		} else {
			x.lacks(r.parent)
			r.flags |= orphaned
		}
	}
	r.mark(i)
	return i
}

// find returns the record of a parent; most often it is the one before.
func (x *Index) find(k key, i int32) int32 {
	if i > 0 && x.at(i-1).id == k && x.at(i-1).flags&again == 0 {
		return i - 1
	}
	return x.ids.get(k, x)
}

func (x *Index) lacks(k key) {
	if x.orphan == nil {
		x.orphan = map[key]bool{}
	}
	x.orphan[k] = true
}

func (x *Index) note(first, last int32) {
	if x.latest == nil {
		x.latest = map[int32]int32{}
	}
	x.latest[first] = last
}

// last returns the record that counts for the id of a first record.
func (x *Index) last(first int32) int32 {
	if l, ok := x.latest[first]; ok {
		return l
	}
	return first
}

// inherit takes over what is above a record.
func (x *Index) inherit(r, up *record) {
	r.depth = up.depth + 1
	r.compaction, r.model, r.thinking, r.setup = up.compaction, up.model, up.thinking, up.setup
}

// mark notes what the record itself, number i, sets.
func (r *record) mark(i int32) {
	if r.kind == kindCompaction {
		r.compaction = i
	}
	if r.setsModel() {
		r.model = i
	}
	if r.setsThinking() {
		r.thinking = i
	}
	if r.flags&setsUp != 0 {
		r.setup = i
	}
}

// keep holds the entry of record i, which the record does not tell.
func (x *Index) keep(i int32, e *Entry) {
	if x.special == nil {
		x.special = map[int32]*Entry{}
	}
	x.special[i] = e
}

// learn puts records into ids that came from a file.
func (x *Index) learn() {
	if x.known == x.Len() {
		return
	}
	x.ids.grow(x.Len())
	for ; x.known < x.Len(); x.known++ {
		i := int32(x.known)
		if first, isNew := x.ids.put(x.at(i).id, i, x); !isNew {
			x.note(first, i)
		}
		if r := x.at(i); r.flags&orphaned != 0 {
			x.lacks(r.parent)
		}
	}
	x.nodes = x.known - x.repeats()
}

// repeats counts records whose id came before.
func (x *Index) repeats() int {
	if len(x.latest) == 0 {
		return 0
	}
	n := 0
	for i := range int32(x.Len()) {
		if x.at(i).flags&again != 0 {
			n++
		}
	}
	return n
}

// get returns the first record of an id, or noRecord.
func (x *Index) get(k key) int32 {
	if x.known == 0 && x.Len() > lookBack {
		// Of a mapped file, whose ids are distinct: most questions are of its end,
		// and need not bring all of it into memory.
		for i := int32(x.Len() - 1); int(i) >= x.Len()-lookBack; i-- {
			if x.at(i).id == k {
				return i
			}
		}
	}
	x.learn()
	return x.ids.get(k, x)
}

// lookBack is how many records are looked through before all ids are learned.
const lookBack = 16 << 10

// settle computes all edges anew, once they cannot be had one by one.
func (x *Index) settle() {
	if !x.broken {
		return
	}
	x.learn()
	x.broken, x.cyclic = false, false
	if len(x.base) > 0 || x.shared { // neither a mapped file nor a snapshot is to be changed
		x.tail = append(append(make([]record, 0, x.Len()+64), x.base...), x.tail...)
		x.base, x.shared = nil, false
	}
	clear(x.orphan)
	n := int32(x.Len())
	for i := range n {
		if x.tail[i].flags&again != 0 {
			continue
		}
		r := &x.tail[i]
		r.up, r.flags = noRecord, r.flags&^orphaned
		says := &x.tail[x.last(i)]
		if says.parent == (key{}) {
			continue
		}
		switch p := x.ids.get(says.parent, x); {
		case p == i:
			x.cyclic = true
		case p >= 0:
			r.up = p
		default:
			x.lacks(says.parent)
			r.flags |= orphaned
		}
	}
	x.cut()
	x.deal()
}

// cut opens cycles: the member that comes first is a root. seen holds the number
// of the walk that came by.
func (x *Index) cut() {
	seen := make([]int32, x.Len())
	for i := range int32(x.Len()) {
		walk := i + 1
		for k := i; k >= 0 && seen[k] == 0; k = x.tail[k].up {
			seen[k] = walk
			if p := x.tail[k].up; p >= 0 && seen[p] == walk {
				first := p
				for m := x.tail[p].up; m != p; m = x.tail[m].up {
					first = min(first, m)
				}
				x.tail[first].up = noRecord
				x.cyclic = true
				break
			}
		}
	}
}

// deal computes what is above each record, parents first.
func (x *Index) deal() {
	done := make([]bool, x.Len())
	var stack []int32
	for i := range int32(x.Len()) {
		if x.tail[i].flags&again != 0 {
			continue
		}
		for k := i; k >= 0 && !done[k]; k = x.tail[k].up {
			done[k] = true
			stack = append(stack, k)
		}
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			r := &x.tail[k]
			r.depth, r.compaction, r.model, r.thinking, r.setup = 0, noRecord, noRecord, noRecord, noRecord
			if r.up >= 0 {
				x.inherit(r, &x.tail[r.up])
			}
			says := x.last(k)
			m := x.tail[says]
			m.depth, m.compaction, m.model, m.thinking, m.setup = r.depth, r.compaction, r.model, r.thinking, r.setup
			m.mark(says)
			r.compaction, r.model, r.thinking, r.setup = m.compaction, m.model, m.thinking, m.setup
		}
	}
}

// Snapshot returns an index with the records that are there now. It shares them,
// and grows by itself.
func (x *Index) Snapshot() *Index {
	x.settle()
	x.shared = true
	s := &Index{shared: true, held: x.held, base: x.base, tail: x.tail[:len(x.tail):len(x.tail)], nodes: x.nodes, cyclic: x.cyclic, named: x.named,
		special: maps.Clone(x.special), end: x.end, bad: x.bad}
	if len(x.latest) > 0 || len(x.orphan) > 0 {
		s.learn()
	}
	return s
}

// Dump writes the records as they are kept in a file.
func (x *Index) Dump(w io.Writer) error {
	x.settle()
	for _, rs := range [][]record{x.base, x.tail} {
		if _, err := w.Write(bytesOf(rs)); err != nil {
			return err
		}
	}
	return nil
}

// Hold keeps something from being given back as long as the index or a snapshot
// of it is used: what the bytes of [IndexOf] lie in.
func (x *Index) Hold(what any) { x.held = what }

func bytesOf(rs []record) []byte {
	if len(rs) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&rs[0])), len(rs)*recordSize)
}

// Named is what [IndexOf] is to be told of an index beside its records.
func (x *Index) Named() int32 { return x.named }

// IndexOf returns the index, one that was not [Index.Damaged], whose records are b, which must not change and must
// be aligned as memory from the system is. It returns false if b cannot be that:
// each record must lie behind the one before, with its edges going up.
func IndexOf(b []byte, size int64, named int32) (*Index, bool) {
	if len(b)%recordSize != 0 || len(b) > 0 && uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
		return nil, false
	}
	x := &Index{}
	if len(b) > 0 {
		x.base = unsafe.Slice((*record)(unsafe.Pointer(&b[0])), len(b)/recordSize)
		last := &x.base[len(x.base)-1]
		if last.off < 0 || last.off+int64(last.size) > size {
			return nil, false
		}
	}
	if named < 0 || int(named) > len(x.base) || named > 0 && x.base[named-1].kind != kindInfo {
		return nil, false
	}
	x.nodes, x.named = len(x.base), named
	return x, true
}

// table finds records by the keys of their ids: open addressing, at most half
// full. It holds the number of the record plus one.
type table struct {
	slots []int32
	used  int
}

func (t *table) grow(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) && t.used == 0 {
		t.slots = make([]int32, size)
	}
}

// slot returns where a key is or would be.
func (t *table) slot(k key, x *Index) int {
	mask := len(t.slots) - 1
	h := binary.NativeEndian.Uint64(k[:]) * 0x9E3779B97F4A7C15
	i := int(h>>32) & mask
	for t.slots[i] != 0 && x.at(t.slots[i]-1).id != k {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) get(k key, x *Index) int32 {
	if len(t.slots) == 0 {
		return noRecord
	}
	return t.slots[t.slot(k, x)] - 1
}

// put enters record i unless its key is there; then it returns the record that is.
func (t *table) put(k key, i int32, x *Index) (int32, bool) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]int32, max(16, 4*len(old)))
		for _, n := range old {
			if n != 0 {
				t.slots[t.slot(x.at(n-1).id, x)] = n
			}
		}
	}
	s := t.slot(k, x)
	if t.slots[s] != 0 {
		return t.slots[s] - 1, false
	}
	t.slots[s] = i + 1
	t.used++
	return i, true
}
