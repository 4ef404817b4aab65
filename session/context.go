package session

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Context is [Projector.Project] of the path to leaf, and costs no more than the
// entries that make the context: a path of a million entries with a compaction
// near its end is not walked to its root.
func (p *Projector) Context(t *Tree, leaf ID) (Projection, error) {
	out, entries, err := p.choose(t, leaf)
	if err != nil {
		return out, err
	}
	return out, p.speak(&out, entries)
}

// Stream is Context for those who want the messages as JSON, one after the other,
// and keep none: the projection that is returned has no items. The bytes are good
// until visit returns.
func (p *Projector) Stream(t *Tree, leaf ID, visit func(m []byte) error) (Projection, error) {
	out, entries, err := p.choose(t, leaf)
	if err != nil {
		return out, err
	}
	if out.edits, err = p.edits(entries); err != nil {
		return out, err
	}
	r := t.Reader()
	for i, e := range entries {
		if e.Type == TypeMessage && out.edits[e.ID] == nil {
			line, err := r.Read(e)
			if errors.Is(err, ErrTooLong) {
				continue
			} else if err != nil {
				return out, err
			}
			if m, ok := plain(line); ok && (closes(line, m) || rawjson.Valid(line)) {
				if err := visit(m); err != nil {
					return out, err
				}
				continue
			}
		}
		out.Items = out.Items[:0]
		if err := new(Projector).add(&out, e, i == 0); err != nil {
			return out, err
		}
		for _, it := range out.Items {
			if err := visit(it.Message.JSON()); err != nil {
				return out, err
			}
		}
	}
	out.Items = nil
	return out, nil
}

// closes reports whether a message is the last member of its line, has its own end
// right before that of the line, and no NUL byte: of a line that was torn, glued or
// overwritten one of these does not hold. It is much less work than to check the
// line whole, as is done before a message goes to a model.
func closes(line, m []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	at := len(line) - 1 - len(m)
	return len(m) > 0 && at >= 0 && line[len(line)-1] == '}' && &line[at] == &m[0] && bytes.IndexByte(m, 0) < 0
}

// plain returns the message of a line if it goes into the context as it stands.
func plain(line []byte) ([]byte, bool) {
	var role, content []byte
	m := rawjson.Inside(line, "message", func(name string, v []byte) {
		switch name {
		case "":
			role, content = nil, nil
		case "role":
			role = v
		case "content":
			content = v
		}
	})
	r, ok := rawjson.String(role)
	if !ok {
		return nil, false
	}
	switch message.Role(r) {
	case message.System, message.User, message.Assistant, message.ToolResult:
		return m, !rawjson.IsNull(content)
	}
	return m, true
}

// choose finds what makes the context at leaf, and model and thinking level.
func (p *Projector) choose(t *Tree, leaf ID) (Projection, []*Entry, error) {
	out, picked, ok, err := p.pick(t, leaf)
	if err != nil {
		return out, nil, err
	}
	if !ok {
		return p.chooseOf(t.Path(leaf))
	}
	entries := make([]*Entry, len(picked))
	for k, i := range picked {
		entries[k] = t.entry(i)
	}
	return out, entries, nil
}

// pick is choose by records alone. It returns false if the entries of the path must
// be asked.
func (p *Projector) pick(t *Tree, leaf ID) (out Projection, picked []int32, ok bool, err error) {
	out = Projection{Thinking: "off"}
	i := t.first(leaf)
	t.x.settle()
	if i < 0 || t.x.cyclic {
		return out, nil, false, nil
	}
	above := t.x.at(i)
	for _, set := range []int32{above.model, above.thinking} {
		if set < 0 || int(set) >= t.x.Len() {
			continue
		}
		e := t.entry(set)
		if err := p.settings(&out, []*Entry{e}); err != nil {
			return out, nil, false, err
		}
		if r := p.known[e]; r != nil && r.illegible {
			return out, nil, false, nil // what stands before it counts
		}
	}
	if t.end && above.thinking < 0 {
		level, err := t.thinkingSaid(i)
		if err != nil {
			return out, nil, false, err
		}
		if level != "" {
			out.Thinking = level
		}
	}
	picked, ok, err = t.selected(p, i)
	return out, picked, ok, err
}

// chooseOf is choose of a path.
func (p *Projector) chooseOf(path []*Entry) (Projection, []*Entry, error) {
	out := Projection{Thinking: "off"}
	if err := p.settings(&out, path); err != nil {
		return out, nil, err
	}
	entries, err := p.selected(path)
	return out, entries, err
}

// selected returns the records whose entries make the context of the path to node
// i. It returns false if the entries of the path must be asked.
func (t *Tree) selected(p *Projector, i int32) ([]int32, bool, error) {
	at := t.x.at(i).compaction
	if at < 0 || int(at) >= t.x.Len() {
		path := make([]int32, 0, max(0, min(int(t.x.at(i).depth)+1, t.x.Len())))
		for n := 0; i >= 0 && n < t.x.Len(); n++ {
			path = append(path, t.x.last(i))
			i = t.x.up(i)
		}
		return reversed(path), true, nil
	}
	compaction := t.entry(at)
	c := t.first(compaction.ID)
	if c < 0 || compaction.Type != TypeCompaction {
		return nil, false, nil // a file of records that was damaged
	}
	r, err := p.read(compaction)
	if err != nil || r.illegible {
		return nil, false, err
	}
	var after []int32
	for n := 0; i != c && i >= 0 && n < t.x.Len(); n++ {
		after = append(after, t.x.last(i))
		i = t.x.up(i)
	}
	picked := []int32{at}
	picked = append(picked, reversed(t.kept(c, r.firstKept))...)
	return append(picked, reversed(after)...), true, nil
}

// kept returns what a compaction at node c keeps from the entry of that id on, the
// last record first; nothing if that is not above c.
func (t *Tree) kept(c int32, first ID) []int32 {
	f := t.first(first)
	if f < 0 || f == c || t.x.at(f).depth >= t.x.at(c).depth {
		return nil
	}
	steps := int(t.x.at(c).depth) - int(t.x.at(f).depth)
	if steps > t.x.Len() {
		return nil // a file of records that was damaged
	}
	above := make([]int32, 0, steps)
	i := c
	for range steps {
		if i = t.x.up(i); i < 0 {
			return nil
		}
		above = append(above, i)
	}
	if i != f {
		return nil
	}
	kept := make([]int32, 0, steps)
	for _, i := range above {
		if i = t.x.last(i); t.x.at(i).role != roleSystem {
			kept = append(kept, i)
		}
	}
	return kept
}

func reversed[T any](list []T) []T {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// A Reader reads the lines of entries that often follow each other in the log,
// several at once.
type Reader struct {
	src  Source
	from Seq // where buf begins
	buf  []byte
}

// readAhead is how much is read at once, in bytes.
const readAhead = 256 << 10

// Ahead may be implemented by a source that can give several lines at once.
type Ahead interface {
	// ReadAhead fills b from that place on, as far as there is something.
	ReadAhead(b []byte, from Seq) (int, error)
}

// Reader returns a reader of the lines of the tree's entries.
func (t *Tree) Reader() *Reader { return &Reader{src: t.src} }

// Read returns the line of an entry as [Entry.Raw] does; it is good until the next
// call.
func (r *Reader) Read(e *Entry) ([]byte, error) {
	ahead, ok := e.src.(Ahead)
	if !ok || e.src != r.src || e.Line.Size > MaxLine {
		return e.Raw()
	}
	start := e.Line.Seq - Seq(e.Line.Size)
	if start < r.from || e.Line.Seq > r.from+Seq(len(r.buf)) {
		n := max(readAhead, e.Line.Size)
		if cap(r.buf) < n {
			r.buf = make([]byte, n)
		}
		n, err := ahead.ReadAhead(r.buf[:n], start)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", e.ID, err)
		}
		r.from, r.buf = start, r.buf[:n]
		if n < e.Line.Size {
			return e.Raw() // which says why
		}
	}
	line := r.buf[start-r.from : e.Line.Seq-r.from]
	for len(line) > 0 && line[len(line)-1] == '\n' {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && line[0] == '\n' {
		line = line[1:]
	}
	return line, nil
}
