package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Type tells what an entry is. Readers must bear types that are not listed here:
// such entries are part of the tree like any other.
type Type string

const (
	TypeMessage       Type = "message"
	TypeModel         Type = "model_change"
	TypeThinking      Type = "thinking_level_change"
	TypeUsage         Type = "usage"
	TypeCompaction    Type = "compaction"
	TypeBranchSummary Type = "branch_summary"
	TypeCustom        Type = "custom"
	TypeCustomMessage Type = "custom_message"
	TypeContextEdit   Type = "context_edit"
	TypeLabel         Type = "label"
	TypeInfo          Type = "session_info"
)

// Seq is a place in a log: the one behind a line. It is to be compared, not to be
// computed with; 0 is the beginning. In a file it is an offset.
type Seq uint64

// A Line says where a line is: the Size bytes before Seq, its line end included.
type Line struct {
	Seq  Seq
	Size int
}

// Source gives back the bytes of a line, without its line end.
type Source interface {
	Read(Line) ([]byte, error)
}

// Bytes is a source of one line that is held in memory.
type Bytes []byte

// Read returns b.
func (b Bytes) Read(Line) ([]byte, error) { return b, nil }

// An Entry is one line: what the tree needs of it in memory, the rest on demand.
// It does not change, so it may be shared.
type Entry struct {
	ID     ID
	Parent ID // "" for a root; may name an entry that does not exist
	Type   Type
	Role   message.Role // of a message entry; "" if it has no message with a role
	Custom string       // customType of a custom or custom_message entry
	Time   time.Time    // zero if it cannot be read
	Line   Line

	// Damage says what is made up, because the log is damaged; nil if nothing is.
	Damage *Damage

	src Source
}

// ErrNoEntry is returned by [Decode] for a line that is no entry.
var ErrNoEntry = fmt.Errorf("not an entry: no object with a type and an id")

// Decode makes an entry of a line of version 2 or 3. src must give the line back;
// nil means to keep the line itself. Of a line longer than [MaxLine] its front and
// its last byte are enough.
func Decode(line []byte, at Line, src Source) (*Entry, error) {
	if at.Size > MaxLine {
		return decodeLong(line, at, src)
	}
	e, err := decodeObject(line, at, src)
	if err == nil && e.ID == "" {
		return nil, ErrNoEntry
	}
	if err == nil && src == nil {
		e.src = Bytes(slices.Clone(line))
	}
	return e, err
}

// decodeLong makes an entry of a line of which only the front is looked at.
func decodeLong(line []byte, at Line, src Source) (*Entry, error) {
	if rawjson.Kind(line) != '{' || line[len(line)-1] != '}' {
		return nil, ErrNoEntry
	}
	e := front(line, at)
	if e.ID == "" || e.is(Moved) || e.Damage.Type == "" || e.Damage.Type == "session" {
		return nil, ErrNoEntry
	}
	e.Type, e.Role, e.Damage, e.src = e.Damage.Type, e.Damage.Role, nil, src
	return e, nil
}

// decodeObject is Decode for lines that may have no id.
func decodeObject(line []byte, at Line, src Source) (*Entry, error) {
	if rawjson.Kind(line) != '{' || !rawjson.Valid(line) {
		return nil, ErrNoEntry
	}
	e := &Entry{Line: at, src: src}
	var id, typ, custom, ts, msg []byte
	for key, v := range rawjson.Members(line) {
		switch key {
		case "type":
			typ = v
		case "id":
			id = v
		case "parentId":
			s, _ := rawjson.String(v)
			e.Parent = ID(s)
		case "timestamp":
			ts = v
		case "message":
			msg = v
		case "customType":
			custom = v
		}
	}
	s, _ := rawjson.String(id)
	e.ID = ID(s)
	s, _ = rawjson.String(typ)
	if s == "session" {
		return nil, ErrNoEntry // a second header
	}
	e.Type = Type(s)
	switch e.Type {
	case TypeMessage:
		role, _ := rawjson.GetString(msg, "role")
		e.Role = message.Role(role)
	case TypeCustom, TypeCustomMessage:
		e.Custom, _ = rawjson.String(custom)
	}
	e.Time, _ = ParseTime(ts)
	return e, nil
}

// Raw returns the line as it stands, without its line end.
func (e *Entry) Raw() ([]byte, error) {
	b, err := e.src.Read(e.Line)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", e.ID, err)
	}
	return b, nil
}

// Place is what the tree knows of the entry, as a line of its own: for those who are
// told of one that cannot be read.
func (e *Entry) Place() []byte {
	b := rawjson.AppendString([]byte(`{"type":`), string(e.Type))
	b = rawjson.AppendString(append(b, `,"id":`...), string(e.ID))
	if e.Parent == "" {
		return append(b, `,"parentId":null}`...)
	}
	return append(rawjson.AppendString(append(b, `,"parentId":`...), string(e.Parent)), '}')
}

// legible is Raw for those who go by what the line says: an empty object, and
// false, if it is damaged or too long.
func (e *Entry) legible() ([]byte, bool, error) {
	line, err := e.Raw()
	if errors.Is(err, ErrTooLong) || err == nil && !rawjson.Valid(line) {
		return []byte("{}"), false, nil
	}
	return line, true, err
}

// At returns the entry with another place, as it has after having been written.
func (e *Entry) At(at Line, src Source) *Entry {
	c := *e
	c.Line = at
	if src != nil {
		c.src = src
	}
	return &c
}

// LeafMarker is the customType of entries that keep a position in the tree; see
// docs/spec/session.md 4.
const LeafMarker = "bough.leaf"

// Setup is the customType of entries that keep how a session was set up, as far as
// no file says it. Their data is for whoever sets sessions up.
const Setup = "bough.setup"

// IsLeafMarker reports whether the entry only says where the conversation stands.
func (e *Entry) IsLeafMarker() bool { return e.Type == TypeCustom && e.Custom == LeafMarker }

// Speaks reports whether the entry is of a kind that can put a message into the
// context; all others are bookkeeping.
func (e *Entry) Speaks() bool {
	switch e.Type {
	case TypeMessage, TypeCustomMessage, TypeCompaction, TypeBranchSummary:
		return true
	}
	return false
}
