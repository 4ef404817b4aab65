package session

import (
	"bytes"
	"iter"
	"math"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Summary is what a list says of a session (docs/spec/session.md 10.1).
type Summary struct {
	ID, CWD       string
	Path          string // of its file; "" where there is none
	Name          string
	ParentSession string
	Created       time.Time // zero if it cannot be read
	Modified      time.Time // of the last user or assistant message
	Touched       time.Time // of the last entry, whatever it is
	Messages      int       // message entries on all branches
	Said          int       // those of user and assistant
	Leaves        int       // ends of branches, see below
	FirstMessage  string    // text of the first user message; "" if none
	Model         string    // "provider/id" of the last answer or change of model in the log
	Cost          float64   // US dollars, of all branches
	Size          int64     // of the log in bytes; 0 where that is not known
	Junk          int       // lines that hold something but are no entries
}

// A Summarizer makes the [Summary] of a session of its lines, one after the other.
// It is for one goroutine.
//
// Leaves counts entries behind which nothing was said: those that can put a message
// into the context, system messages aside, below which there is none. It is a count
// in the order of the log that knows the ends of branches only, so that it can go on
// with what is appended: in a log whose parents come late, whose ids come twice, or
// where somebody stood at bookkeeping in the middle of a branch, it may be off.
type Summarizer struct {
	// First is how many bytes are kept of the first message; 0 is all.
	First int

	s      Summary
	dated  bool    // the header has a text for a time
	active float64 // time of the last message of user or assistant, Unix milliseconds; 0: none
	ends   ends

	visitor rawjson.Visitor
	members members   // of the line at hand
	model   [2][]byte // as the last line had it
}

// Begin begins with the header of a session, forgetting another one.
func (s *Summarizer) Begin(h Header) {
	s.s = Summary{ID: h.ID, CWD: h.CWD, ParentSession: h.ParentSession}
	created := rawjson.Get(h.Line(), "timestamp")
	s.s.Created, _ = ParseTime(created)
	s.dated, s.active = rawjson.Kind(created) == '"', 0
	s.ends.clear()
	s.model = [2][]byte{s.model[0][:0], s.model[1][:0]}
}

// Summary returns what is known after the lines so far. Path and Size are left to
// the caller, as is Modified where neither a message nor the header tells a time.
func (s *Summarizer) Summary() Summary {
	out := s.s
	out.Leaves = s.ends.count()
	switch {
	case s.active > 0 && s.active <= maxTime:
		out.Modified = time.UnixMilli(int64(math.Trunc(s.active))).UTC()
	case s.active > 0: // beyond what ECMAScript takes for a time
	case s.dated:
		out.Modified = s.s.Created
	}
	return out
}

// Summarize returns the summary of a header and entries in the order of the log;
// they are not kept. text, if not nil, gets the texts of all messages of user and
// model in order, for a search; empty ones are left out.
func Summarize(h Header, entries iter.Seq2[*Entry, error], text func(string)) (Summary, error) {
	var s Summarizer
	s.Begin(h)
	for e, err := range entries {
		var line []byte
		if err == nil {
			line, err = e.Raw()
		}
		if err != nil {
			return s.Summary(), err
		}
		s.Line(line)
		if text != nil && (e.Role == message.User || e.Role == message.Assistant) {
			if said := contentText(rawjson.Get(line, "message"), " "); said != "" {
				text(said)
			}
		}
	}
	return s.Summary(), nil
}

// members are the values of a line that a summary wants, as they stand; nil if
// absent.
type members struct {
	typ, id, parent, time, custom, name []byte
	provider, model, usage, cost, total []byte
	message, role, stamp, content       []byte
	msgProvider, msgModel               []byte
	msgUsage, msgCost, msgTotal         []byte
	again                               bool // one of them comes twice
}

// place returns where the value of a path is put, or nil.
func (m *members) place(path [][]byte) *[]byte {
	switch len(path) {
	case 1:
		switch string(path[0]) {
		case "type":
			return &m.typ
		case "id":
			return &m.id
		case "parentId":
			return &m.parent
		case "timestamp":
			return &m.time
		case "message":
			return &m.message
		case "customType":
			return &m.custom
		case "name":
			return &m.name
		case "provider":
			return &m.provider
		case "modelId":
			return &m.model
		case "usage":
			return &m.usage
		}
	case 2:
		switch {
		case string(path[0]) == "message":
			switch string(path[1]) {
			case "role":
				return &m.role
			case "timestamp":
				return &m.stamp
			case "content":
				return &m.content
			case "provider":
				return &m.msgProvider
			case "model":
				return &m.msgModel
			case "usage":
				return &m.msgUsage
			}
		case string(path[0]) == "usage" && string(path[1]) == "cost":
			return &m.cost
		}
	case 3:
		switch {
		case string(path[2]) == "cost" && string(path[1]) == "usage" && string(path[0]) == "message":
			return &m.msgCost
		case string(path[2]) == "total" && string(path[1]) == "cost" && string(path[0]) == "usage":
			return &m.total
		}
	case 4:
		if string(path[3]) == "total" && string(path[2]) == "cost" && string(path[1]) == "usage" && string(path[0]) == "message" {
			return &m.msgTotal
		}
	}
	return nil
}

// read takes the members out of a line. It returns false if the line is no JSON
// object.
func (s *Summarizer) read(line []byte) bool {
	m := &s.members
	*m = members{}
	if s.visitor.See == nil {
		s.visitor.See = func(path [][]byte, v []byte) {
			if p := m.place(path); p != nil {
				m.again = m.again || *p != nil
				*p = v
			}
		}
	}
	odd, ok := s.visitor.Visit(line)
	if !ok || !odd && !m.again {
		return ok
	}
	// Keys that are escaped or repeated: the last one counts.
	get := rawjson.Get
	msg := get(line, "message")
	*m = members{typ: get(line, "type"), id: get(line, "id"), parent: get(line, "parentId"), time: get(line, "timestamp"),
		custom: get(line, "customType"), name: get(line, "name"), provider: get(line, "provider"), model: get(line, "modelId"),
		total:   get(get(get(line, "usage"), "cost"), "total"),
		message: msg, role: get(msg, "role"), stamp: get(msg, "timestamp"), content: get(msg, "content"),
		msgProvider: get(msg, "provider"), msgModel: get(msg, "model"),
		msgTotal: get(get(get(msg, "usage"), "cost"), "total")}
	return true
}

// Line folds in the next line of the log, without its line end. It returns false
// if the line is no entry; what [Decode] refuses is none.
func (s *Summarizer) Line(line []byte) bool {
	if !s.read(line) {
		if !Blank(line) {
			s.s.Junk++
		}
		return false
	}
	m := &s.members
	id, ok := textOf(m.id)
	typ, _ := textOf(m.typ)
	if !ok || len(id) == 0 || string(typ) == "session" {
		if string(typ) != "session" {
			s.s.Junk++
		}
		return false
	}
	at, dated := timeOf(m.time)
	if dated {
		s.s.Touched = time.UnixMilli(at).UTC()
	}
	speaks, marker := false, false
	switch string(typ) {
	case string(TypeMessage):
		speaks = s.message(at, dated)
	case string(TypeCustomMessage):
		speaks = true
	case string(TypeCompaction), string(TypeBranchSummary):
		speaks = true
		s.bill(m.total)
	case string(TypeUsage):
		s.bill(m.total)
	case string(TypeModel):
		s.asks(m.provider, m.model)
	case string(TypeInfo):
		name, _ := rawjson.String(m.name)
		s.s.Name = TrimSpace(name)
	case string(TypeCustom):
		custom, _ := textOf(m.custom)
		marker = string(custom) == LeafMarker
	}
	k, _ := keyOf(id)
	var up key
	if parent, _ := textOf(m.parent); len(parent) > 0 {
		up, _ = keyOf(parent)
	}
	s.ends.add(k, up, speaks, marker)
	return true
}

// message folds in a message entry, and reports whether it says something to the
// model that hangs on where one stands.
func (s *Summarizer) message(at int64, dated bool) bool {
	m := &s.members
	role, _ := textOf(m.role)
	if len(role) == 0 {
		return false // no message in it (rule R3)
	}
	s.s.Messages++
	switch message.Role(role) {
	case message.System:
		return false
	case message.ToolResult:
		s.bill(m.msgTotal)
		return true
	case message.Assistant:
		s.bill(m.msgTotal)
		s.asks(m.msgProvider, m.msgModel)
	case message.User:
		if s.s.FirstMessage == "" {
			s.s.FirstMessage = cut(contentText(m.message, " "), s.First)
		}
	default:
		return true
	}
	s.s.Said++
	if ms, ok := rawjson.Number(m.stamp); ok {
		s.active = max(s.active, ms)
	} else if dated {
		s.active = max(s.active, float64(at))
	}
	return true
}

func (s *Summarizer) bill(total []byte) {
	if f, ok := rawjson.Number(total); ok {
		s.s.Cost += f
	}
}

// asks notes which model is asked; most often it is the one before.
func (s *Summarizer) asks(provider, model []byte) {
	if model == nil || bytes.Equal(provider, s.model[0]) && bytes.Equal(model, s.model[1]) {
		return
	}
	s.model[0] = append(s.model[0][:0], provider...)
	s.model[1] = append(s.model[1][:0], model...)
	p, _ := rawjson.String(provider)
	id, _ := rawjson.String(model)
	if id == "" {
		return
	}
	s.s.Model = id
	if p != "" {
		s.s.Model = p + "/" + id
	}
}

// ends are the ends of branches. Most entries hang on the one before, the tip, which
// is therefore kept apart.
type ends struct {
	tip    key          // the last entry, markers aside
	said   key          // what was said last at or above the tip; zero for nothing
	isOpen bool         // nothing else was said behind that
	open   map[key]bool // the others behind which nothing was said
	behind map[key]key  // other bookkeeping at the end of a branch: what was said above it
	marker key          // the last entry of all, if it is a leaf marker
	target key          // where that points
}

func (x *ends) clear() {
	clear(x.open)
	clear(x.behind)
	*x = ends{open: x.open, behind: x.behind}
}

func (x *ends) count() int {
	if x.isOpen {
		return len(x.open) + 1
	}
	return len(x.open)
}

// add hangs up an entry, which speaks or is bookkeeping.
func (x *ends) add(k, up key, speaks, marker bool) {
	if up != (key{}) && up == x.marker {
		up = x.target // another program went on from a marker
	}
	x.marker, x.target = key{}, key{}
	if marker {
		x.marker, x.target = k, up
		return
	}
	if up != x.tip {
		x.leave()
		said, ok := x.behind[up]
		if ok {
			delete(x.behind, up)
		} else {
			said = up
		}
		x.said, x.isOpen = said, x.open[said]
		delete(x.open, said)
	}
	x.tip = k
	if speaks {
		x.said, x.isOpen = k, true
	}
}

// leave puts the tip to the others.
func (x *ends) leave() {
	if x.isOpen {
		x.opens(x.said)
	}
	if x.tip != x.said {
		x.stands(x.tip, x.said)
	}
}

func (x *ends) opens(k key) {
	if x.open == nil {
		x.open = map[key]bool{}
	}
	x.open[k] = true
}

func (x *ends) stands(k, said key) {
	if x.behind == nil {
		x.behind = map[key]key{}
	}
	x.behind[k] = said
}

// textOf returns the text of a JSON string; ok is false for any other value.
func textOf(v []byte) (text []byte, ok bool) {
	if len(v) < 2 || v[0] != '"' {
		return nil, false
	}
	for _, c := range v {
		if c == '\\' || c >= 0x80 {
			s, ok := rawjson.String(v)
			return []byte(s), ok
		}
	}
	return v[1 : len(v)-1], true
}

// timeOf is [ParseTime] in Unix milliseconds.
func timeOf(v []byte) (ms int64, ok bool) {
	if len(v) == 26 && v[0] == '"' {
		if ms, ok := quickTime(v[1:25]); ok {
			return ms, true
		}
	}
	t, ok := ParseTime(v)
	return t.UnixMilli(), ok
}

// cut returns the beginning of a text, no more than n bytes of whole characters; 0
// is all.
func cut(s string, n int) string {
	if n == 0 || len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return string(append([]byte(nil), s[:n]...)) // what is cut off need not stay
}
