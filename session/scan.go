package session

import (
	"bytes"

	"github.com/boughdev/bough/internal/rawjson"
)

// Scan reads the records of a part of a log that begins at the start of a line.
// They are not hung up yet: [Index.Append] does that, part by part in order. A
// part may be read by a goroutine of its own.
//
// A line as pi and bough write it, with type, id, parentId and timestamp first, is
// known by its front and its last byte; what lies between is looked at when it is
// needed. All others are read whole. Junk counts the lines that are no entries but
// hold something.
type Scan struct {
	Records []record
	Junk    int

	// Strict looks at every byte of every line.
	Strict bool
}

// Lines adds the records of the lines of data, which begins at that offset. The
// last line need not be ended.
func (s *Scan) Lines(data []byte, offset int64) {
	for len(data) > 0 {
		size := len(data)
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			size, line = i+1, data[:i]
		}
		s.Line(line, offset, size)
		offset += int64(size)
		data = data[size:]
	}
}

// Line adds the record of one line, if it is an entry. size is that of the line
// with its line end.
func (s *Scan) Line(line []byte, offset int64, size int) {
	if offset == 0 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	r, ok := quick(line)
	if !ok || s.Strict && !rawjson.Valid(line) {
		e, err := Decode(line, Line{Seq(offset) + Seq(size), size}, Bytes(line))
		if err != nil {
			if t, _ := rawjson.GetString(line, "type"); !Blank(line) && t != "session" {
				s.Junk++
			}
			return
		}
		r = e.record()
	}
	r.off, r.size = offset, sizeOf(size)
	s.Records = append(s.Records, r)
}

// byteOrderMark is what some editors put before a text. It is never written.
var byteOrderMark = []byte("\uFEFF")

// Append hangs up the records of a scan, which must be those of the next part.
func (x *Index) Append(s *Scan) {
	for _, r := range s.Records {
		x.add(r)
	}
}

// quick reads the front of a line as pi writes most of them:
//
//	{"type":"T","id":"I","parentId":"P"|null,"timestamp":"2026-03-01T09:00:00.000Z",…}
//
// and, of a message, …"message":{"role":"R"…. It returns false for a line that is
// not like that in any way.
func quick(line []byte) (r record, ok bool) {
	if len(line) < 64 || line[len(line)-1] != '}' {
		return r, false
	}
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return r, false
	}
	typ, rest, ok := simple(rest)
	if !ok {
		return r, false
	}
	// Types whose fields a record tells, or that pi writes in another order.
	if r.kind = kindOf(typ); r.kind == 0 || r.kind == kindCustom || r.kind == kindCustomMsg {
		return r, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"id":"`)); !ok {
		return r, false
	}
	id, rest, ok := simple(rest)
	if !ok || len(id) == 0 {
		return r, false
	}
	var long bool
	if r.id, long = keyOf(id); long {
		r.flags |= longID
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"parentId":`)); !ok {
		return r, false
	}
	if after, null := bytes.CutPrefix(rest, []byte(`null`)); null {
		rest = after
	} else {
		var parent []byte
		if rest, ok = bytes.CutPrefix(rest, []byte{'"'}); !ok {
			return r, false
		}
		if parent, rest, ok = simple(rest); !ok {
			return r, false
		}
		if len(parent) > 0 {
			if r.parent, long = keyOf(parent); long {
				r.flags |= longParent
			}
		}
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"timestamp":"`)); !ok || len(rest) < 25 || rest[24] != '"' {
		return r, false
	}
	if r.time, ok = quickTime(rest[:24]); !ok {
		return r, false
	}
	rest = rest[25:]
	if r.kind == kindMessage {
		if rest, ok = bytes.CutPrefix(rest, []byte(`,"message":{"role":"`)); !ok {
			return r, false
		}
		role, _, ok := simple(rest)
		if !ok {
			return r, false
		}
		if r.role = roleOf(role); r.role == other {
			return r, false
		}
	}
	return r, true
}

// simple returns the string that b begins with, up to its closing quote, and what
// follows; false if it has an escape or bytes beyond ASCII.
func simple(b []byte) (s, rest []byte, ok bool) {
	for i, c := range b {
		switch {
		case c == '"':
			return b[:i], b[i+1:], true
		case c == '\\', c < 0x20, c >= 0x80:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// quickTime reads 2026-03-01T09:00:00.000Z as Unix milliseconds.
func quickTime(b []byte) (int64, bool) {
	const form = "dddd-dd-ddTdd:dd:dd.dddZ"
	var n [7]int64
	part := 0
	for i := range len(form) {
		c := b[i]
		if form[i] != 'd' {
			if c != form[i] {
				return 0, false
			}
			part++
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		n[part] = n[part]*10 + int64(c-'0')
	}
	year, month, day := n[0], n[1], n[2]
	if year < 1 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return 0, false
	}
	// Days since 1970 in the Gregorian calendar, years beginning in March.
	y, m := year, month
	if m <= 2 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + day - 1 - 719468
	return ((days*24+n[3])*60+n[4])*60_000 + n[5]*1000 + n[6], true
}

func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// Long adds the record of a line of which only the front and the last byte are at
// hand. It returns false if these do not tell.
func (s *Scan) Long(front []byte, last byte, offset int64, size int) bool {
	r, ok := quickLong(front, last)
	if !ok {
		return false
	}
	r.off, r.size = offset, sizeOf(size)
	s.Records = append(s.Records, r)
	return true
}

// quickLong is quick for a line of which only that is at hand.
func quickLong(front []byte, last byte) (record, bool) {
	if last != '}' {
		return record{}, false
	}
	return quick(append(front[:len(front):len(front)], last))
}
