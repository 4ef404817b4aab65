// Package export writes conversations to files of their own: the way to one place
// of a session as a session file. HTML and Markdown are to come.
package export

import (
	"io"
	"time"

	"github.com/boughdev/bough/session"
)

// Options say what of a session is written. Leaf is needed.
type Options struct {
	Leaf   session.ID // the way to this entry
	Labels bool       // with all labels that are set, on whatever branch, in place of those on the way
	Now    time.Time  // of the header
}

// A Report says what was written.
type Report struct {
	Entries int
	Left    int // entries on the way that cannot be read, and were left out
}

// JSONL writes the way to an entry as a session file: a fresh header with the id of
// the session, and each entry below the one before, to the byte but for the ids that
// had to change (docs/spec/session.md 12.1). Markers of the place are left out.
func JSONL(w io.Writer, h session.Header, t *session.Tree, o Options) (Report, error) {
	var r Report
	head := session.Header{ID: h.ID, Timestamp: session.FormatTime(o.Now), CWD: h.CWD}.Complete()
	write := func(line []byte) error {
		_, err := w.Write(append(line[:len(line):len(line)], '\n'))
		return err
	}
	if err := write(head.Line()); err != nil {
		return r, err
	}
	var last session.ID
	on := map[session.ID]bool{}
	instead := map[session.ID]session.ID{} // of what was left out: what follows it
	var out []session.ID
	for _, e := range t.Path(o.Leaf) {
		if e.IsLeafMarker() || o.Labels && e.Type == session.TypeLabel || e.Lost() {
			if e.Lost() {
				r.Left++
			}
			out = append(out, e.ID)
			continue
		}
		for _, id := range out {
			instead[id] = e.ID
		}
		out = out[:0]
		c := session.CopiedEntry{Entry: e, Parent: last}
		if e.Type == session.TypeCompaction && len(instead) > 0 {
			body, err := e.Body()
			if err != nil {
				return r, err
			}
			if b, ok := body.(session.Compaction); ok {
				c.FirstKept = instead[b.FirstKept]
			}
		}
		line, err := c.Line()
		if err != nil {
			return r, err
		}
		if err := write(line); err != nil {
			return r, err
		}
		r.Entries++
		last, on[e.ID] = e.ID, true
	}
	if !o.Labels {
		return r, nil
	}
	for _, l := range t.Labels() {
		if !on[l.Target] {
			continue
		}
		at, ok := session.ParseTime(l.Time)
		if !ok {
			at = o.Now
		}
		e := session.NewEntry(session.NewID(t.Has), last, at, session.Label{Target: l.Target, Text: l.Text})
		line, err := e.Raw()
		if err != nil {
			return r, err
		}
		if err := write(line); err != nil {
			return r, err
		}
		r.Entries++
		last = e.ID
	}
	return r, nil
}
