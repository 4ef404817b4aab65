package session

import (
	"crypto/sha256"
	"math"
	"time"
	"unsafe"

	"github.com/boughdev/bough/message"
)

// A record is what an index has of one entry. It holds no pointers, so that a
// million of them cost the garbage collector nothing, and can be kept in a file
// as it is: 64 bytes, in the order of the machine.
type record struct {
	off    int64 // of the line in the log
	time   int64 // Unix milliseconds; noTime if it cannot be read
	id     key
	parent key // as the line has it; zero for none

	size uint32 // of the line, its line end included
	up   int32  // the record of the parent; noRecord for a root

	// The nearest records at or above this one, noRecord if there is none, of a
	// compaction, of what sets the model, of what sets the thinking level, of an
	// entry with the customType Setup.
	compaction, model, thinking, setup int32

	depth int32 // number of records above
	kind  uint8 // index in kinds
	role  uint8 // index in roles
	flags uint16
}

const (
	noRecord = -1
	noTime   = math.MinInt64

	recordSize = int(unsafe.Sizeof(record{}))

	// RecordSize is what an entry takes in an index, in bytes.
	RecordSize = 64
)

// Flags of a record.
const (
	longID     uint16 = 1 << iota // id is a hash
	longParent                    // parent is a hash
	marker                        // a bough.leaf marker
	again                         // its id stands in an earlier record too
	orphaned                      // its parent is in no record
	custom                        // it has a customType
	special                       // its entry is in the index: see Damage
	recovered                     // it shares its line with something else
	unended                       // the rest of its line may be on its way
	setsUp                        // a bough.setup entry
)

// A key is an id of up to eight bytes, filled up with zeros, or the hash of a
// longer one.
type key [8]byte

// keyOf returns the key of an id, and whether it is a hash.
func keyOf(id []byte) (k key, hashed bool) {
	if len(id) <= len(k) {
		for _, c := range id {
			if c == 0 || c >= 0x80 {
				return hashOf(id), true
			}
		}
		copy(k[:], id)
		return k, false
	}
	return hashOf(id), true
}

func hashOf(id []byte) (k key) {
	sum := sha256.Sum256(id)
	copy(k[:], sum[:])
	k[0] |= 0x80 // unlike every short id
	return k
}

// text returns the id of a key that is no hash.
func (k key) text() ID {
	n := 0
	for n < len(k) && k[n] != 0 {
		n++
	}
	return ID(k[:n])
}

// kinds and roles are the types and roles that a record can tell; 0 is any other.
var (
	kinds = [...]Type{"", TypeMessage, TypeModel, TypeThinking, TypeUsage, TypeCompaction, TypeBranchSummary, TypeCustom, TypeCustomMessage,
		TypeContextEdit, TypeLabel, TypeInfo}
	roles = [...]message.Role{"", message.System, message.User, message.Assistant, message.ToolResult, message.Bash, message.Custom,
		message.BranchSummary, message.CompactionSummary}
)

const (
	kindMessage    = 1
	kindModel      = 2
	kindThinking   = 3
	kindCompaction = 5
	kindCustom     = 7
	kindCustomMsg  = 8
	kindEdit       = 9
	kindLabel      = 10
	kindInfo       = 11

	roleSystem    = 1
	roleAssistant = 3

	other = 255 // a role that is none of these
)

func kindOf(t []byte) uint8 {
	for i, k := range kinds[1:] {
		if string(t) == string(k) {
			return uint8(i + 1)
		}
	}
	return 0
}

func roleOf(r []byte) uint8 {
	for i, k := range roles[1:] {
		if string(r) == string(k) {
			return uint8(i + 1)
		}
	}
	return other
}

// record makes the record of an entry that is at hand.
func (e *Entry) record() record {
	r := record{off: int64(e.Line.Seq) - int64(e.Line.Size), size: sizeOf(e.Line.Size), time: noTime, flags: e.Damage.flags(), kind: kindOf([]byte(e.Type))}
	var long bool
	if r.id, long = keyOf([]byte(e.ID)); long {
		r.flags |= longID
	}
	if e.Parent != "" {
		if r.parent, long = keyOf([]byte(e.Parent)); long {
			r.flags |= longParent
		}
	}
	if !e.Time.IsZero() {
		r.time = e.Time.UnixMilli()
	}
	if e.Role != "" {
		r.role = roleOf([]byte(e.Role))
	}
	if e.Custom != "" {
		r.flags |= custom
	}
	if e.IsLeafMarker() {
		r.flags |= marker
	}
	if e.Type == TypeCustom && e.Custom == Setup {
		r.flags |= setsUp
	}
	return r
}

// line is where the line of the record is.
func (r *record) line() Line { return Line{Seq(r.off) + Seq(r.size), int(r.size)} }

// sizeOf is the size of a line as a record has it. One that is longer is too long
// to be read in any case.
func sizeOf(n int) uint32 { return uint32(min(int64(n), math.MaxUint32)) }

// entry makes the entry of a record without reading its line. It returns false
// where the line is needed.
func (r *record) entry(src Source) (*Entry, bool) {
	if r.needsLine() {
		return nil, false
	}
	e := &Entry{}
	r.fill(e, src)
	return e, true
}

func (r *record) needsLine() bool {
	return r.kind == 0 || int(r.kind) >= len(kinds) || int(r.role) >= len(roles) || r.flags&(longID|longParent|custom|special) != 0
}

// fill makes an entry of a record that does not need its line. The ids of e are
// kept where they are right already.
func (r *record) fill(e *Entry, src Source) {
	switch parent := e.Parent; {
	case r.parent.is(e.ID):
		e.Parent = e.ID
	case !r.parent.is(parent):
		e.Parent = r.parent.text()
	}
	e.ID = r.id.text()
	e.Type, e.Role, e.Custom, e.src = kinds[r.kind], roles[r.role], "", src
	e.Line = Line{Seq(r.off) + Seq(r.size), int(r.size)}
	e.Damage = nil
	if r.flags&recovered != 0 {
		e.Damage = &Damage{Kind: Recovered}
	}
	e.Time = time.Time{}
	if r.time != noTime {
		e.Time = time.UnixMilli(r.time).UTC()
	}
}

// is reports whether a key that is no hash is that of id.
func (k key) is(id ID) bool {
	if len(id) > len(k) || len(id) < len(k) && k[len(id)] != 0 {
		return false
	}
	return string(k[:len(id)]) == string(id)
}

// What the record changes for those below it.
func (r *record) setsModel() bool    { return r.kind == kindModel || r.role == roleAssistant }
func (r *record) setsThinking() bool { return r.kind == kindThinking }
