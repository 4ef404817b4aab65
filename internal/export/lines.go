package export

import (
	"bytes"
	"iter"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// lines yields the lines of an export in pi's format, without their ends: header
// and entries, each below the one before, to the byte but for the ids that had to
// change (docs/spec/session.md 12.1). A line is good until the next one is asked
// for.
func (s *source) lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		head := s.header.Line()
		if h := s.header; h.Version < session.Version { // its entries are read as migrated
			head = session.Header{ID: h.ID, Timestamp: h.Timestamp, CWD: h.CWD, ParentSession: h.ParentSession}.Complete().Line()
		}
		if s.o.Leaf != "" || s.o.Below != "" {
			head = session.Header{ID: s.header.ID, Timestamp: session.FormatTime(s.o.Now), CWD: s.header.CWD}.Complete().Line()
		}
		if !yield(head, nil) {
			return
		}
		say := func(line []byte, err error) bool {
			if err == nil {
				s.report.Entries++
			}
			return yield(line, err)
		}
		way, ok := s.tree.Way(s.o.Leaf)
		if ok && s.o.Below != "" {
			way = s.tree.WayBelow(s.o.Below)
		}
		switch {
		case ok && s.o.Leaf == "":
			w := window{way: way}
			for i := range way.Len() {
				if line, err := w.line(way.At(i).Line); !say(line, err) || err != nil {
					return
				}
			}
			if s.o.Below != "" {
				s.labelsOf(way, func() session.ID { return w.id(way.At(way.Len() - 1).Line) }, say)
			}
		case ok:
			s.quick(way, say)
		case s.o.Leaf == "":
			s.whole(say)
		default:
			s.slow(say)
		}
	}
}

// leftOut reports whether an entry is none of those that are copied.
func (s *source) leftOut(t session.Type, marker, lost bool) bool {
	return marker || lost || s.o.Labels && t == session.TypeLabel
}

// quick copies a path whose lines are as they seem.
func (s *source) quick(way *session.Way, yield func([]byte, error) bool) {
	w := window{way: way}
	relink := relinker{instead: map[session.ID]session.ID{}}
	var last session.Line // the line copied last
	lastID := func() session.ID {
		if last.Size == 0 {
			return ""
		}
		return w.id(last)
	}
	for i := range way.Len() {
		at := way.At(i)
		line, err := w.line(at.Line)
		if err != nil {
			yield(nil, err)
			return
		}
		if s.leftOut(at.Type, at.Marker, false) {
			id, _ := rawjson.GetString(line, "id")
			relink.leave(session.ID(id))
			continue
		}
		if relink.pending() || at.Type == session.TypeCompaction && relink.moves(line) {
			e, derr := session.Decode(bytes.Clone(line), at.Line, nil)
			if derr != nil {
				yield(nil, derr)
				return
			}
			if line, err = relink.line(e, lastID()); err != nil {
				yield(nil, err)
				return
			}
		}
		if !yield(line, nil) {
			return
		}
		last = at.Line
	}
	s.labelsOf(way, lastID, yield)
}

// slow copies a path of a damaged log, or one that is not written yet.
func (s *source) slow(yield func([]byte, error) bool) {
	relink := relinker{instead: map[session.ID]session.ID{}}
	on := map[session.ID]bool{}
	var last session.ID
	for _, e := range s.tree.Path(s.o.Leaf) {
		if s.leftOut(e.Type, e.IsLeafMarker(), e.Lost()) {
			if e.Lost() {
				s.report.Left++
			}
			relink.leave(e.ID)
			continue
		}
		line, err := relink.line(e, last)
		if !yield(line, err) || err != nil {
			return
		}
		last, on[e.ID] = e.ID, true
	}
	if s.o.Labels {
		s.labelsOn(on, last, yield)
	}
}

func (s *source) labelsOn(on map[session.ID]bool, last session.ID, yield func([]byte, error) bool) {
	var set []session.LabelState
	var ids []session.ID
	for _, l := range s.tree.Labels() {
		if on[l.Target] {
			set = append(set, l)
			ids = append(ids, session.NewID(s.tree.Has))
		}
	}
	s.labels(set, ids, last, yield)
}

// whole copies a tree line by line.
func (s *source) whole(yield func([]byte, error) bool) {
	below := s.below()
	last, on := session.ID(""), map[session.ID]bool{}
	for line, err := range s.tree.Whole() {
		if err != nil {
			yield(nil, err)
			return
		}
		if below != nil {
			id, _ := rawjson.GetString(line, "id")
			if !below[session.ID(id)] {
				continue
			}
			last = session.ID(id)
			on[last] = true
		}
		if !yield(line, nil) {
			return
		}
	}
	if below != nil && s.o.Labels {
		s.labelsOn(on, last, yield)
	}
}

// below returns the entries on the way to Options.Below and below it, or nil if the
// whole tree is wanted.
func (s *source) below() map[session.ID]bool {
	if s.o.Below == "" {
		return nil
	}
	way := map[session.ID]bool{}
	for _, e := range s.tree.Path(s.o.Below) {
		way[e.ID] = true
	}
	under := map[session.ID]bool{s.o.Below: true}
	s.tree.Walk("", func(step session.Step) bool {
		if under[step.Entry.Parent] {
			under[step.Entry.ID], way[step.Entry.ID] = true, true
		}
		return true
	})
	return way
}

// relinker closes the gaps of what is left out.
type relinker struct {
	out     []session.ID // left out since the last entry
	instead map[session.ID]session.ID
}

func (r *relinker) leave(id session.ID) { r.out = append(r.out, id) }

func (r *relinker) pending() bool { return len(r.out) > 0 }

// moves reports whether a compaction keeps from what was left out.
func (r *relinker) moves(line []byte) bool {
	first, _ := rawjson.GetString(line, "firstKeptEntryId")
	return r.instead[session.ID(first)] != ""
}

func (r *relinker) line(e *session.Entry, last session.ID) ([]byte, error) {
	for _, id := range r.out {
		r.instead[id] = e.ID
	}
	r.out = r.out[:0]
	c := session.CopiedEntry{Entry: e, Parent: last}
	if e.Type == session.TypeCompaction && len(r.instead) > 0 {
		body, err := e.Body()
		if err != nil {
			return nil, err
		}
		if b, ok := body.(session.Compaction); ok {
			c.FirstKept = r.instead[b.FirstKept]
		}
	}
	return c.Line()
}

// labels adds labels as entries.
func (s *source) labels(set []session.LabelState, ids []session.ID, last session.ID, yield func([]byte, error) bool) {
	for i, l := range set {
		at, ok := session.ParseTime(l.Time)
		if !ok {
			at = s.o.Now
		}
		line, err := session.NewEntry(ids[i], last, at, session.Label{Target: l.Target, Text: l.Text}).Raw()
		if !yield(line, err) || err != nil {
			return
		}
		last = ids[i]
	}
}

// labelsOf adds the labels that are set on a way, on whatever branch.
func (s *source) labelsOf(way *session.Way, last func() session.ID, yield func([]byte, error) bool) {
	if !s.o.Labels {
		return
	}
	skip := func(at session.Stop) bool { return s.o.Leaf != "" && s.leftOut(at.Type, at.Marker, false) }
	if set := way.Labels(skip); len(set) > 0 {
		s.labels(set, way.NewIDs(len(set)), last(), yield)
	}
}

// A window reads the lines of a way, many at a time.
type window struct {
	way  *session.Way
	buf  []byte
	from int64 // of buf in the log
	n    int   // bytes of buf that are filled

	small bool // for one line
}

const windowSize = 256 << 10

// id returns the id of a line that was read before, and leaves the window as it is.
func (w *window) id(at session.Line) session.ID {
	other := window{way: w.way, small: true}
	line, err := other.line(at)
	if err != nil {
		return ""
	}
	id, _ := rawjson.GetString(line, "id")
	return session.ID(id)
}

func (w *window) line(at session.Line) ([]byte, error) {
	if at.Size > session.MaxLine {
		return nil, session.ErrTooLong
	}
	start := int64(at.Seq) - int64(at.Size)
	if start < w.from || start+int64(at.Size) > w.from+int64(w.n) {
		size := max(at.Size, windowSize)
		if w.small {
			size = at.Size
		}
		if len(w.buf) < at.Size || len(w.buf) > 8*windowSize && at.Size <= windowSize {
			w.buf = nil // at once, before there is another one
			w.buf = make([]byte, size)
		}
		n, err := w.way.Read(w.buf, session.Seq(start))
		if err != nil {
			return nil, err
		}
		w.from, w.n = start, n
	}
	at0 := int(start - w.from)
	if at0+at.Size > w.n {
		return nil, session.ErrReplaced
	}
	return bytes.TrimSuffix(w.buf[at0:at0+at.Size], []byte("\n")), nil
}
