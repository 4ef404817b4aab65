package session

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// MaxLine is the longest line that is ever read into memory, in bytes. A longer
// one has its place in the tree but no content (docs/spec/session.md 13, ★9).
const MaxLine = 512 << 20

// ErrTooLong is returned for a line longer than [MaxLine].
var ErrTooLong = errors.New("the line is longer than 512 MB, too long to be read")

// A Salvage reads a log in which a [Scan] has found damage. It looks at every byte
// and takes up what can be understood of lines that cannot be read
// (docs/spec/session.md 13, ★5 to ★7):
//
//	{"type":"message","id":"b","parentId":"a",…"text":"torn of     an entry that stands for it
//	{"type":"message","id":"b",…"to{"type":"message","id":"c",…}   and the entry that was glued to it
//
// An entry whose parent is in no line hangs below the one before it. What it makes
// up is told by the [Damage] of the entries. Of a log without damage it gives the
// index that a Scan gives.
//
// Lines are given in order, from the first one of the log on.
type Salvage struct {
	// Found, if set, is told of what is not an entry with a line of its own, when
	// it is met.
	Found func(Finding)

	recs    []record
	numbers []int32          // of the lines of recs
	made    map[int32]*Entry // by record: Lost and Unnamed ones
	holes   []hole
	line    int32 // number of the last line
	headed  bool
	end     int64
	bad     int
}

// A Finding is a line, or a part of one, that is no entry by itself.
type Finding struct {
	Kind   FindingKind
	Number int    // of the line, from 1
	At     Line   // the bytes
	Entry  *Entry // that was recovered, or stands for what was lost; its id is "" where that is not told
}

// FindingKind says what a finding is.
type FindingKind int

const (
	FoundMark     FindingKind = iota // a byte order mark before the first line
	FoundHeader                      // the first one
	FoundHeaders                     // a second one
	FoundTorn                        // something that cannot be read
	FoundGlued                       // an entry that shares its line with something else
	FoundZeros                       // a line of NUL bytes
	FoundNoObject                    // JSON, but no object
	FoundNoID                        // an object without an id
	FoundTooLong                     // a line that is longer than MaxLine
)

// A hole is something that cannot be read and does not tell its id.
type hole struct {
	before int32 // the record that follows it
	entry  *Entry
}

// Line takes up the next line. Without its line end it is line; at.Size counts that
// too, if it is there. Of a line longer than [MaxLine] its front and its last byte
// are enough.
func (s *Salvage) Line(line []byte, at Line) {
	s.line++
	ended := at.Size > len(line)
	if s.line == 1 && bytes.HasPrefix(line, byteOrderMark) {
		line = line[len(byteOrderMark):]
		s.find(FoundMark, Line{Seq(len(byteOrderMark)), len(byteOrderMark)}, nil)
	}
	if Blank(line) {
		return
	}
	if e, err := Decode(line, at, Bytes(line)); err == nil {
		s.add(e)
		s.end = int64(at.Seq)
		if at.Size > MaxLine {
			s.find(FoundTooLong, at, e)
		}
		return
	}
	if ended {
		s.end = int64(at.Seq)
	}
	lost := hole{int32(len(s.recs)), &Entry{Type: TypeDamaged, Line: at, Damage: &Damage{Kind: Lost | Moved, Line: int(s.line)}}}
	switch valid := rawjson.Valid(line); {
	case at.Size > MaxLine:
		s.bad++
		s.holes = append(s.holes, lost)
		s.find(FoundTooLong, at, nil)
	case valid && rawjson.Kind(line) != '{':
		s.find(FoundNoObject, at, nil)
	case valid:
		s.object(line, at)
	case len(bytes.Trim(line, "\x00 \t\r")) == 0:
		s.bad++
		s.holes = append(s.holes, lost)
		s.find(FoundZeros, at, nil)
	default:
		s.broken(line, at, ended)
	}
}

// object takes up an object that is no entry.
func (s *Salvage) object(line []byte, at Line) {
	e, err := decodeObject(line, at, nil)
	if err != nil {
		s.header(at) // the one kind of object that is no entry
		return
	}
	e.Damage = &Damage{Kind: Unnamed, Line: int(s.line)}
	s.make(e, 0)
	s.find(FoundNoID, at, e)
}

func (s *Salvage) header(at Line) {
	kind := FoundHeaders
	if !s.headed {
		s.headed, kind = true, FoundHeader
	}
	s.find(kind, at, nil)
}

// broken takes a line apart that is not JSON.
func (s *Salvage) broken(line []byte, at Line, ended bool) {
	s.bad++
	for from, to := range parts(line) {
		part := at.part(from, to, len(line))
		if e, err := Decode(line[from:to], part, Bytes(line[from:to])); err == nil {
			e.Damage = &Damage{Kind: Recovered, Line: int(s.line)}
			s.add(e)
			s.end = max(s.end, int64(part.Seq))
			s.find(FoundGlued, part, e)
			continue
		}
		if rawjson.Valid(line[from:to]) {
			s.header(part)
			continue
		}
		if len(bytes.Trim(bytes.TrimPrefix(line[from:to], byteOrderMark), "\x00 \t\r")) == 0 {
			continue // nothing that was ever part of an entry
		}
		e := front(line[from:to], part)
		e.Damage.Line = int(s.line)
		s.find(FoundTorn, part, e)
		switch {
		case e.Damage.Type == "session":
		case e.ID == "":
			s.holes = append(s.holes, hole{int32(len(s.recs)), e})
		default:
			var flags uint16
			if to == len(line) && !ended {
				flags = unended // the rest may be on its way
			}
			s.make(e, flags)
		}
	}
}

// Recover yields the entries that can be read of a line that is none: those that
// were glued to something else.
func Recover(line []byte, at Line, src Source) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		if len(line) > MaxLine || Blank(line) || rawjson.Valid(line) {
			return
		}
		for from, to := range parts(line) {
			if e, err := Decode(line[from:to], at.part(from, to, len(line)), src); err == nil {
				e.Damage = &Damage{Kind: Recovered}
				if !yield(e) {
					return
				}
			}
		}
	}
}

// part is where a part of a line of n bytes is.
func (at Line) part(from, to, n int) Line {
	if to == n {
		return Line{at.Seq, at.Size - from} // with the line end
	}
	return Line{at.Seq - Seq(at.Size) + Seq(to), to - from}
}

func (s *Salvage) find(k FindingKind, at Line, e *Entry) {
	if s.Found != nil {
		s.Found(Finding{k, int(s.line), at, e})
	}
}

func (s *Salvage) add(e *Entry) {
	s.recs, s.numbers = append(s.recs, e.record()), append(s.numbers, s.line)
}

// make adds an entry that its line does not give as it is.
func (s *Salvage) make(e *Entry, flags uint16) {
	s.keep(int32(len(s.recs)), e)
	s.add(e)
	s.recs[len(s.recs)-1].flags |= flags
}

// keep holds the entry of record i, which its line does not give as it is.
func (s *Salvage) keep(i int32, e *Entry) {
	if s.made == nil {
		s.made = map[int32]*Entry{}
	}
	s.made[i] = e
}

// parts yields from where to where the parts of a line go that is not JSON: entries
// and headers, and what cannot be read between them. An entry that does not begin
// the line is known by what every entry has and nothing inside of one does: it
// begins with its type, has an id and a parentId, and the line ends behind it, or
// the next one begins.
func parts(line []byte) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		work := 16*len(line) + 1<<16 // bytes that may be looked at, all in all
		from := 0
		for from < len(line) {
			if n, ok := prefix(line[from:], &work); ok && isRow(line[from:from+n], from == 0) {
				if !yield(from, from+n) {
					return
				}
				from += n
				from += len(line[from:]) - len(bytes.TrimLeft(line[from:], " \t\r\x00"))
				continue
			}
			to := len(line)
			for at := from + 1; work > 0; at++ {
				i := bytes.Index(line[at:], rowStart)
				if i < 0 {
					break
				}
				at += i
				n, ok := prefix(line[at:], &work)
				if !ok || !isRow(line[at:at+n], false) {
					continue
				}
				rest := bytes.TrimLeft(line[at+n:], " \t\r\x00")
				if len(rest) == 0 || bytes.HasPrefix(rest, rowStart) {
					to = at
					break
				}
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

var rowStart = []byte(`{"type":`)

// prefix is [rawjson.Prefix], and notes what it costs.
func prefix(b []byte, work *int) (int, bool) {
	n, ok := rawjson.Prefix(b)
	*work -= n
	return n, ok
}

// isRow reports whether a JSON value is an entry or a header. One that does not
// begin its line must have all that makes it one.
func isRow(v []byte, first bool) bool {
	id, ok := rawjson.GetString(v, "id")
	t, typed := rawjson.GetString(v, "type")
	if !ok || !typed || t == "" {
		return false
	}
	if t == "session" {
		return rawjson.Get(v, "cwd") != nil || rawjson.Get(v, "version") != nil
	}
	return id != "" && (first || rawjson.Get(v, "parentId") != nil)
}

// front makes an entry that stands for one of which only the front can be read.
// Its id is "" if that is not told.
func front(b []byte, at Line) *Entry {
	d := &Damage{Kind: Lost}
	e := &Entry{Type: TypeDamaged, Line: at, Damage: d}
	told := false
	rawjson.Front(b, func(key string, v []byte, whole bool) {
		text, ok := rawjson.String(v)
		ok = ok && whole
		switch key {
		case "type":
			if ok {
				d.Type = Type(text)
			}
		case "id":
			if ok {
				e.ID = ID(text)
			}
		case "parentId":
			if ok || whole && rawjson.Kind(v) == 'n' {
				e.Parent, told = ID(text), true
			}
		case "timestamp":
			if whole {
				e.Time, _ = ParseTime(v)
			}
		case "message":
			rawjson.Front(v, func(key string, v []byte, whole bool) {
				if role, ok := rawjson.String(v); ok && whole && key == "role" {
					d.Role = message.Role(role)
				}
			})
		}
	})
	if !told {
		d.Kind |= Moved
	}
	return e
}

// Index returns the index of what was read. src gives back its lines; the error is
// one of reading them. It is asked for once, at the end.
func (s *Salvage) Index(src Source) (*Index, error) {
	m := &mender{s: s, src: src, ids: &Index{tail: s.recs}, also: map[int32][]int32{}, drop: map[int32]bool{}, own: map[int32]ID{}, taken: map[ID]bool{},
		places: map[key]place{}, moved: map[int32]int32{}, work: 50_000_000}
	m.define()
	if err := m.shadow(); err != nil {
		return nil, err
	}
	if err := m.hang(); err != nil {
		return nil, err
	}
	x := NewIndex()
	put := func(e *Entry, flags uint16) {
		if e.src = src; e.Lost() {
			e.src = Bytes(e.standIn())
		}
		r := e.record()
		r.flags |= flags
		x.keep(x.add(r), e)
	}
	for i, r := range s.recs {
		for len(m.more) > 0 && m.more[0].before == int32(i) {
			put(m.more[0].entry, 0)
			m.more = m.more[1:]
		}
		switch e := s.made[int32(i)]; {
		case m.drop[int32(i)]:
		case e != nil:
			put(e, r.flags&unended)
		default:
			x.add(r)
		}
	}
	x.end, x.bad = Seq(s.end), s.bad
	return x, nil
}

// mender finds out how the records of a salvage hang together.
type mender struct {
	s     *Salvage
	src   Source
	ids   *Index            // for its table of ids
	also  map[int32][]int32 // of an id that comes again: the records after the first, by the first
	drop  map[int32]bool    // records that stand for an entry that is there
	own   map[int32]ID      // ids of records that are shadowed
	taken map[ID]bool       // ids that were made here

	forward bool            // a parent stands behind its child, so that hanging another may close a cycle
	places  map[key]place   // where entries hang whose parent of that key is not there
	moved   map[int32]int32 // by record: the one that it hangs below now
	more    []hole          // holes that have an id now
	work    int             // steps that walks may still take
}

// A place is an entry to hang others below. Of a hole, which has the id that they
// name, rec is what it hangs below itself.
type place struct {
	id   ID
	rec  int32
	hole bool
}

// define enters all ids: first those of what can be read, so that the rest of an
// entry whose write was repeated is passed over.
func (m *mender) define() {
	m.ids.ids.grow(len(m.s.recs))
	for i := range int32(len(m.s.recs)) {
		if m.s.made[i] != nil {
			continue
		}
		if first, isNew := m.ids.ids.put(m.s.recs[i].id, i, m.ids); !isNew {
			m.also[first] = append(m.also[first], i)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(m.s.made)) {
		e := m.s.made[i]
		if e.is(Unnamed) {
			e.ID = m.numbered(i)
			m.s.recs[i].id, _ = keyOf([]byte(e.ID))
		}
		if _, isNew := m.ids.ids.put(m.s.recs[i].id, i, m.ids); !isNew {
			m.drop[i] = true
		}
	}
}

func (m *mender) lost(i int32) bool { e := m.s.made[i]; return e != nil && e.Lost() }

// numbered makes an id of the number of a line.
func (m *mender) numbered(i int32) ID {
	id := fmt.Appendf(nil, "line:%d", m.s.numbers[i])
	for {
		k, _ := keyOf(id)
		if m.ids.ids.get(k, m.ids) < 0 && !m.taken[ID(id)] {
			m.taken[ID(id)] = true
			return ID(id)
		}
		id = append(id, '+')
	}
}

// id returns the id of record i.
func (m *mender) id(i int32) (ID, error) {
	if m.s.made[i] == nil && m.s.recs[i].flags&longID == 0 {
		return m.s.recs[i].id.text(), nil
	}
	e, err := m.entry(i)
	if err != nil {
		return "", err
	}
	return e.ID, nil
}

// entry returns the entry of record i, to be changed.
func (m *mender) entry(i int32) (*Entry, error) {
	if e := m.s.made[i]; e != nil {
		return e, nil
	}
	at := m.s.recs[i].line()
	line, err := m.src.Read(at)
	if err != nil {
		return nil, err
	}
	return Decode(line, at, m.src)
}

// change changes the entry of record i. One whose line is too long to be read
// stays as it is.
func (m *mender) change(i int32, k DamageKind, change func(e *Entry)) error {
	e, err := m.entry(i)
	if err != nil {
		return unlessTooLong(err)
	}
	if e.Damage == nil {
		e.Damage = &Damage{Line: int(m.s.numbers[i])}
		if m.s.recs[i].flags&recovered != 0 {
			e.Damage.Kind = Recovered
		}
	}
	e.Damage.Kind |= k
	change(e)
	m.s.keep(i, e)
	return nil
}

func unlessTooLong(err error) error {
	if errors.Is(err, ErrTooLong) {
		return nil
	}
	return err
}

// shadow gives an id of its own to each entry that has that of a later one and is
// another, and binds children to the nearest entry before them (★7).
func (m *mender) shadow() error {
	for first, later := range m.also {
		last := later[len(later)-1]
		for _, i := range append([]int32{first}, later[:len(later)-1]...) {
			same, err := m.same(i, last)
			if err != nil {
				return err
			}
			if !same {
				m.own[i] = ""
			}
		}
	}
	if len(m.own) == 0 {
		return nil
	}
	for _, i := range slices.Sorted(maps.Keys(m.own)) {
		m.own[i] = m.numbered(i)
	}
	for i := range int32(len(m.s.recs)) {
		if p := m.parentOf(i); p >= 0 && m.own[p] != "" {
			err := m.change(i, Bound, func(e *Entry) { e.Damage.Named, e.Parent = e.Parent, m.own[p] })
			if err != nil {
				return err
			}
		}
		if id := m.own[i]; id != "" {
			if err := m.change(i, Shadowed, func(e *Entry) { e.ID = id }); err != nil {
				return err
			}
		}
	}
	return nil
}

// same reports whether two records have the same line.
func (m *mender) same(i, k int32) (bool, error) {
	a, b := &m.s.recs[i], &m.s.recs[k]
	if a.parent != b.parent || a.kind != b.kind || a.role != b.role || a.time != b.time {
		return false, nil
	}
	x, err := m.src.Read(a.line())
	if err != nil {
		return false, unlessTooLong(err)
	}
	y, err := m.src.Read(b.line())
	if err != nil {
		return false, unlessTooLong(err)
	}
	return bytes.Equal(rawjson.Trim(x), rawjson.Trim(y)), nil
}

// parentOf returns the record that record i hangs below by what its line says: of
// several with one id the nearest before it, else the first. noRecord: none.
func (m *mender) parentOf(i int32) int32 {
	k := m.s.recs[i].parent
	if k == (key{}) {
		return noRecord
	}
	first := m.ids.ids.get(k, m.ids)
	if first < 0 || first > i || len(m.also[first]) == 0 {
		return first
	}
	later := m.also[first]
	if n, _ := slices.BinarySearch(later, i); n > 0 {
		return later[n-1]
	}
	return first
}

// hang finds a place for each entry whose parent is not there: below what cannot be
// read, if that stands right before it, else below the entry that does. Others with
// the same parent hang there too.
func (m *mender) hang() error {
	for i := range int32(len(m.s.recs)) {
		m.forward = m.forward || m.parentOf(i) > i
	}
	holes := m.s.holes
	before := int32(noRecord)
	for i := range int32(len(m.s.recs)) {
		var h *Entry
		for len(holes) > 0 && holes[0].before <= i {
			h = holes[0].entry // of several, the last
			holes = holes[1:]
		}
		if m.drop[i] {
			continue
		}
		k := m.s.recs[i].parent
		untold := m.lost(i) && m.s.made[i].is(Moved)
		if untold || k != (key{}) && m.parentOf(i) < 0 {
			if err := m.place(i, before, k, h); err != nil {
				return err
			}
		}
		before = i
	}
	return nil
}

// place hangs record i below what stands before it: a record, and perhaps a hole.
func (m *mender) place(i, before int32, k key, h *Entry) error {
	at, known := m.places[k]
	if !known && before < 0 {
		return nil // the first of all: a root
	}
	if !known {
		id, err := m.id(before)
		if err != nil {
			return unlessTooLong(err)
		}
		at = place{id, before, false}
		if h != nil && k != (key{}) {
			return m.fill(i, at, k, h)
		}
	}
	if at.rec == i || m.forward && m.below(at.rec, i) {
		return nil
	}
	if k != (key{}) {
		m.places[k] = at
	}
	if m.moved[i] = at.rec; at.hole {
		return nil
	}
	return m.change(i, Moved, func(e *Entry) { e.Damage.Named, e.Parent = e.Parent, at.id })
}

// fill takes a hole for the parent of record i, which stands right behind it.
func (m *mender) fill(i int32, at place, k key, h *Entry) error {
	child, err := m.entry(i)
	if err != nil {
		return unlessTooLong(err)
	}
	if m.forward && m.below(at.rec, i) {
		return nil
	}
	h.ID = child.Parent
	p, _ := keyOf([]byte(h.Parent))
	if rec := m.ids.ids.get(p, m.ids); h.is(Moved) || h.Parent != "" && (rec < 0 || rec >= i || m.forward) {
		h.Parent = at.id
		h.Damage.Kind |= Moved
	}
	m.more = append(m.more, hole{i, h})
	m.moved[i] = at.rec
	m.places[k] = place{h.ID, at.rec, true}
	return nil
}

// below reports whether record k is record i or below it, or may be.
func (m *mender) below(k, i int32) bool {
	for n := 0; k >= 0; n++ {
		if k == i || n > len(m.s.recs) || m.work <= 0 {
			return true
		}
		m.work--
		if to, ok := m.moved[k]; ok {
			k = to
		} else {
			k = m.parentOf(k)
		}
	}
	return false
}
