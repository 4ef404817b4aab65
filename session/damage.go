package session

import (
	"bytes"
	"iter"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// TypeDamaged is the type of an entry that stands for a damaged line in the tree.
// It is never written.
const TypeDamaged Type = "damaged"

// Damage says what had to be made up for an entry of a damaged log, by [Salvage].
type Damage struct {
	Kind DamageKind
	Line int // the number of its line in the log, from 1; 0 if it was not counted

	// Of a Lost entry: what it was, as far as its line tells.
	Type Type
	Role message.Role

	// Named is the parent that the line names, where the entry hangs elsewhere.
	Named ID
}

// DamageKind is a set of what is made up.
type DamageKind uint8

const (
	// Lost: the line cannot be read. The entry only keeps its place in the tree,
	// for those below it; it says nothing, and none is appended below it.
	Lost DamageKind = 1 << iota
	// Recovered: the entry is whole, but shares its line with something else.
	Recovered
	// Moved: its parent is not there, or not told. It hangs below the entry that
	// stands before it in the log.
	Moved
	// Bound: of several entries with the id of its parent it hangs below the
	// nearest one before it.
	Bound
	// Unnamed: the line has no id, so the entry's is made of the line's number.
	Unnamed
	// Shadowed: a later entry has its id, so this one's is made of the line's number.
	Shadowed
)

// is reports whether something of an entry is made up.
func (e *Entry) is(k DamageKind) bool { return e.Damage != nil && e.Damage.Kind&k != 0 }

// Lost reports whether the entry only stands for a damaged line.
func (e *Entry) Lost() bool { return e.is(Lost) }

// Grows reports whether entries can be appended below this one: whether a line
// that names it will be understood.
func (e *Entry) Grows() bool { return !e.is(Lost | Unnamed | Shadowed) }

// flags are what a record says of it.
func (d *Damage) flags() uint16 {
	switch {
	case d == nil:
		return 0
	case d.Kind == Recovered:
		return recovered
	}
	return special
}

// standIn is the line of an entry that stands for a damaged one.
func (e *Entry) standIn() []byte {
	b := append([]byte(`{"type":"damaged","id":`), rawjson.Quote(string(e.ID))...)
	b = append(b, `,"parentId":`...)
	if e.Parent == "" {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, string(e.Parent))
	}
	if !e.Time.IsZero() {
		b = append(b, `,"timestamp":"`...)
		b = append(AppendTime(b, e.Time), '"')
	}
	return append(b, '}')
}

// BadLines returns how many lines of the log cannot be read, or only in parts. It
// is 0 unless the log was read by a [Salvage].
func (t *Tree) BadLines() int { return t.x.bad }

// Damaged reports whether the log lacks something or has it twice, or whether
// something had to be made up for an entry.
func (t *Tree) Damaged() bool { return len(t.x.special) > 0 || t.x.bad > 0 || t.x.Damaged() }

// Standing returns the entry of that id, or the nearest one above it below which
// entries can be appended; "" if there is none.
func (t *Tree) Standing(id ID) ID {
	i := t.first(id)
	if i < 0 {
		return id
	}
	t.x.settle()
	for n := 0; i >= 0 && n < t.x.Len(); n++ {
		if e := t.node(i); e.Grows() {
			return e.ID
		}
		i = t.x.up(i)
	}
	return ""
}

// Whole yields the lines of the entries that can be read, in the order of the log,
// as those of a log without damage: an entry whose parent cannot be read stands
// below the nearest one above that can; a compaction that kept from such an entry
// keeps from the next one on its path; an edge that would close a cycle is none;
// entries without an id of their own have one; what stands there twice, to the
// byte, comes once. A line in which nothing had to change is as it stands, to the
// byte.
func (t *Tree) Whole() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		damaged := t.Damaged()
		for i := range int32(t.x.Len()) {
			e := t.passing(i)
			if damaged && (e.Lost() || t.x.at(i).flags&again != 0 && t.twice(i)) {
				continue
			}
			line, err := e.Raw()
			if err == nil && damaged {
				line = t.mended(i, e, line)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// twice reports whether record i, whose id has come before, is the same line again.
func (t *Tree) twice(i int32) bool {
	first := t.ofID(i)
	a, aerr := t.passing(first).Raw()
	b, berr := t.passing(i).Raw()
	return first != i && aerr == nil && berr == nil && bytes.Equal(rawjson.Trim(a), rawjson.Trim(b))
}

// ofID returns the first record with the id of record i.
func (t *Tree) ofID(i int32) int32 { return t.x.get(t.x.at(i).id) }

// mended is the line of record i with what had to be made up.
func (t *Tree) mended(i int32, e *Entry, line []byte) []byte {
	if e.is(Unnamed | Shadowed) {
		line = rawjson.Set(line, "id", rawjson.Quote(string(e.ID)))
	}
	node := t.ofID(i)
	above := t.wholeAbove(node)
	var parent ID
	if above >= 0 {
		parent = t.node(above).ID
	}
	line = withParent(line, parent)
	if e.Type != TypeCompaction {
		return line
	}
	first, ok := rawjson.GetString(line, "firstKeptEntryId")
	kept := t.Get(ID(first))
	if !ok || kept == nil || !kept.Lost() {
		return line
	}
	// The entry on the path that stands right below the lost ones.
	var next ID
	for k, n := node, 0; k >= 0 && n < t.x.Len(); n++ {
		at := t.node(k)
		if at.ID == kept.ID {
			return rawjson.Set(line, "firstKeptEntryId", rawjson.Quote(string(next)))
		}
		if !at.Lost() {
			next = at.ID
		}
		k = t.up(k)
	}
	return line
}

// wholeAbove returns the nearest record above node i that is not lost.
func (t *Tree) wholeAbove(i int32) int32 {
	i = t.up(i)
	for n := 0; i >= 0 && n < t.x.Len() && t.node(i).Lost(); n++ {
		i = t.up(i)
	}
	return i
}

// withParent returns a line with that parent, to the byte if it has it already.
func withParent(line []byte, parent ID) []byte {
	v := rawjson.Get(line, "parentId")
	s, ok := rawjson.String(v)
	switch {
	case parent == "" && (ok && s != "" || v != nil && !ok && rawjson.Kind(v) != 'n'):
		return rawjson.Set(line, "parentId", []byte("null"))
	case parent != "" && (!ok || ID(s) != parent):
		return rawjson.Set(line, "parentId", rawjson.Quote(string(parent)))
	}
	return line
}
