package session

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"
)

// Dump appends all that the summarizer knows, for [Summarizer.Restore]. It is for caches:
// the form is that of this version of the package.
func (s *Summarizer) Dump(b []byte) []byte {
	sum := s.Summary()
	for _, t := range []string{sum.ID, sum.CWD, sum.Name, sum.ParentSession, sum.FirstMessage, sum.Model} {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	for _, t := range []time.Time{sum.Created, sum.Modified, sum.Touched} {
		if t.IsZero() {
			b = append(b, 0)
			continue
		}
		b = binary.AppendVarint(append(b, 1), t.Unix())
		b = binary.AppendUvarint(b, uint64(t.Nanosecond()))
	}
	for _, n := range []int{sum.Messages, sum.Said, sum.Leaves, sum.Junk} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(sum.Cost))

	b = append(b, bit(s.dated)|bit(s.ends.isOpen)<<1)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.active))
	for _, k := range []key{s.ends.tip, s.ends.said, s.ends.marker, s.ends.target} {
		b = append(b, k[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(s.ends.open)))
	for _, k := range sortedKeys(s.ends.open) {
		b = append(b, k[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(s.ends.behind)))
	for _, k := range sortedKeys(s.ends.behind) {
		said := s.ends.behind[k]
		b = append(append(b, k[:]...), said[:]...)
	}
	return b
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func sortedKeys[V any](m map[key]V) []key {
	return slices.SortedFunc(maps.Keys(m), func(a, b key) int { return bytes.Compare(a[:], b[:]) })
}

// SummaryOf returns the summary in a dump, whose strings are parts of the dump, or
// false if it is none.
func SummaryOf(dump string) (Summary, bool) {
	r := dumpReader{rest: dump}
	sum := r.summary()
	return sum, !r.bad
}

// Restore goes back to where a summarizer was when it was dumped, to go on with the
// lines behind. It returns false if that is no dump; s must begin anew then.
func (s *Summarizer) Restore(dump string) bool {
	r := dumpReader{rest: dump}
	s.Begin(Header{})
	s.s = r.summary()
	s.s.Modified, s.s.Leaves = time.Time{}, 0 // made anew each time
	flags := r.byte()
	s.dated, s.ends.isOpen = flags&1 != 0, flags&2 != 0
	s.active = math.Float64frombits(r.fixed())
	for _, k := range []*key{&s.ends.tip, &s.ends.said, &s.ends.marker, &s.ends.target} {
		*k = r.key()
	}
	for n := r.count(len(key{})); n > 0; n-- {
		s.ends.opens(r.key())
	}
	for n := r.count(2 * len(key{})); n > 0; n-- {
		k := r.key()
		s.ends.stands(k, r.key())
	}
	return !r.bad && r.rest == ""
}

// dumpReader reads a dump; once it is bad it gives nothing.
type dumpReader struct {
	rest string
	bad  bool
}

func (r *dumpReader) summary() (s Summary) {
	for _, t := range []*string{&s.ID, &s.CWD, &s.Name, &s.ParentSession, &s.FirstMessage, &s.Model} {
		*t = r.take(r.count(1))
	}
	for _, t := range []*time.Time{&s.Created, &s.Modified, &s.Touched} {
		if r.byte() != 0 {
			n := r.uvarint() // zigzag, as AppendVarint writes
			*t = time.Unix(int64(n>>1)^-int64(n&1), int64(r.uvarint())).UTC()
		}
	}
	for _, n := range []*int{&s.Messages, &s.Said, &s.Leaves, &s.Junk} {
		*n = int(r.uvarint())
	}
	s.Cost = math.Float64frombits(r.fixed())
	return s
}

func (r *dumpReader) take(n int) string {
	if n > len(r.rest) {
		r.bad, r.rest = true, ""
		return ""
	}
	t := r.rest[:n]
	r.rest = r.rest[n:]
	return t
}

func (r *dumpReader) byte() byte {
	if t := r.take(1); t != "" {
		return t[0]
	}
	return 0
}

func (r *dumpReader) uvarint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		n |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return n
		}
	}
	r.bad, r.rest = true, ""
	return 0
}

// count reads how many things of that size follow.
func (r *dumpReader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.rest)/size) {
		r.bad, r.rest = true, ""
		return 0
	}
	return int(n)
}

func (r *dumpReader) fixed() (n uint64) {
	t := r.take(8)
	for i := range len(t) {
		n |= uint64(t[i]) << (8 * i)
	}
	return n
}

func (r *dumpReader) key() (k key) {
	copy(k[:], r.take(len(k)))
	return k
}
