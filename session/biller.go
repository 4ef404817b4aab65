package session

import (
	"encoding/binary"
	"iter"
	"math"
	"time"

	"github.com/boughdev/bough/message"
)

// A Biller is a [Summarizer] that keeps the bills of a session too, for those who add
// up what many sessions took. Copies of an entry in forks and clones have one key, so
// that each model call can be counted once.
type Biller struct {
	Summarizer

	bills  []byte // encoded, see add
	models map[string]uint64
	names  []string
}

// BillKey tells an entry from all others of a family of sessions, as [Ledger] does.
type BillKey struct {
	id   key
	time int64 // Unix milliseconds; noTime if it cannot be read
	typ  uint8
}

// Begin begins with the header of a session, forgetting another one.
func (s *Biller) Begin(h Header) {
	s.Summarizer.Begin(h)
	s.bills, s.names = s.bills[:0], s.names[:0]
	s.models = map[string]uint64{}
}

// Line folds in the next line of the log; see [Summarizer.Line].
func (s *Biller) Line(line []byte) bool {
	if !s.Summarizer.Line(line) {
		return false
	}
	m := &s.members
	typ, _ := textOf(m.typ)
	role, _ := textOf(m.role)
	kind := kindOf(typ)
	var holder message.Value = line
	switch Type(typ) {
	case TypeMessage:
		if r := message.Role(role); r != message.Assistant && r != message.ToolResult {
			return true
		}
		holder = m.message
	case TypeUsage, TypeCompaction, TypeBranchSummary:
	default:
		return true
	}
	b, ok := paidOf(holder).bill(Type(typ), message.Role(role))
	if !ok || b.Tokens() == 0 && b.Cost == 0 {
		return true
	}
	id, _ := textOf(m.id)
	k := BillKey{time: noTime, typ: kind}
	k.id, _ = keyOf(id)
	if at, dated := timeOf(m.time); dated {
		k.time = at
	}
	s.add(k, b)
	return true
}

// add encodes a bill: kind and flags, key, time, model, numbers.
func (s *Biller) add(k BillKey, b Bill) {
	model, ok := s.models[b.Model]
	if !ok {
		model = uint64(len(s.names))
		s.models[b.Model] = model
		s.names = append(s.names, b.Model)
	}
	s.bills = append(s.bills, byte(b.Kind)|bit(b.Failed)<<4|bit(b.Told)<<5, k.typ)
	s.bills = append(s.bills, k.id[:]...)
	s.bills = binary.LittleEndian.AppendUint64(s.bills, uint64(k.time))
	s.bills = binary.AppendUvarint(s.bills, model)
	for _, n := range []float64{b.Input, b.Output, b.CacheRead, b.CacheWrite} {
		s.bills = appendTokens(s.bills, n)
	}
	s.bills = binary.LittleEndian.AppendUint64(s.bills, math.Float64bits(b.Cost))
}

// appendTokens encodes a number of tokens, which is nearly always whole: twice the
// number, or 1 and a double.
func appendTokens(b []byte, n float64) []byte {
	if n >= 0 && n < 1<<52 && n == math.Trunc(n) {
		return binary.AppendUvarint(b, uint64(n)<<1)
	}
	return binary.LittleEndian.AppendUint64(append(b, 1), math.Float64bits(n))
}

// Dump appends all that is known, for [Biller.Restore] and [BillsOf]: the dump of the
// summarizer, names of models, bills, and the lengths of the last two.
func (s *Biller) Dump(b []byte) []byte {
	b = s.Summarizer.Dump(b)
	at := len(b)
	for _, n := range s.names {
		b = append(binary.AppendUvarint(b, uint64(len(n))), n...)
	}
	names := len(b) - at
	b = append(b, s.bills...)
	b = binary.LittleEndian.AppendUint64(b, uint64(names))
	return binary.LittleEndian.AppendUint64(b, uint64(len(s.bills)))
}

// billsDump takes a dump apart.
func billsDump(dump string) (summary string, names []string, bills string, ok bool) {
	if len(dump) < 16 {
		return "", nil, "", false
	}
	tail := dumpReader{rest: dump[len(dump)-16:]}
	n, size := tail.fixed(), tail.fixed()
	dump = dump[:len(dump)-16]
	if size > uint64(len(dump)) || n > uint64(len(dump))-size {
		return "", nil, "", false
	}
	at := len(dump) - int(size)
	r := dumpReader{rest: dump[at-int(n) : at]}
	for r.rest != "" && !r.bad {
		names = append(names, r.take(r.count(1)))
	}
	return dump[:at-int(n)], names, dump[at:], !r.bad
}

// Restore goes back to where a biller was when it was dumped; see
// [Summarizer.Restore].
func (s *Biller) Restore(dump string) bool {
	summary, names, bills, ok := billsDump(dump)
	s.Begin(Header{})
	if !ok || !s.Summarizer.Restore(summary) {
		return false
	}
	for i, n := range names {
		s.models[n] = uint64(i)
	}
	s.names = append(s.names, names...)
	s.bills = append(s.bills, bills...)
	return true
}

// BillsOf yields the bills in a dump in the order of the log, each with its key. The
// bills have no id. It yields nothing of what is no dump.
func BillsOf(dump string) iter.Seq2[BillKey, Bill] {
	return func(yield func(BillKey, Bill) bool) {
		_, names, bills, ok := billsDump(dump)
		r := dumpReader{rest: bills}
		for ok && r.rest != "" {
			flags := r.byte()
			k := BillKey{typ: r.byte(), id: r.key()}
			k.time = int64(r.fixed())
			b := Bill{Kind: BillKind(flags & 15), Failed: flags&16 != 0, Told: flags&32 != 0}
			if k.time != noTime {
				b.Time = time.UnixMilli(k.time).UTC()
			}
			model := r.uvarint()
			for _, n := range []*float64{&b.Input, &b.Output, &b.CacheRead, &b.CacheWrite} {
				*n = r.tokens()
			}
			b.Cost = math.Float64frombits(r.fixed())
			if r.bad || model >= uint64(len(names)) {
				return
			}
			b.Model = names[model]
			if !yield(k, b) {
				return
			}
		}
	}
}

func (r *dumpReader) tokens() float64 {
	n := r.uvarint()
	if n == 1 {
		return math.Float64frombits(r.fixed())
	}
	return float64(n >> 1)
}
