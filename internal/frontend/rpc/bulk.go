package rpc

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// bulk is the output of an answer that may be as large as the session. Its first
// part is held back, so that what goes wrong soon becomes an error; what is behind
// goes out as it comes.
type bulk struct {
	out   *bufio.Writer
	moved func()    // told of progress
	odd   io.Writer // for what people should know
	buf   []byte
	began bool
}

// bulkFirst is how much is held back, in bytes.
const bulkFirst = 1 << 20

// add writes parts. An error is that of the output.
func (b *bulk) add(parts ...[]byte) error {
	for _, p := range parts {
		b.buf = append(b.buf, p...)
	}
	if len(b.buf) < bulkFirst {
		return nil
	}
	return b.push()
}

func (b *bulk) text(s string) error { return b.add([]byte(s)) }

func (b *bulk) push() error {
	_, err := b.out.Write(b.buf)
	b.buf, b.began = b.buf[:0], true
	b.moved()
	return err
}

// late meets an error of reading: it is told to people if a part of the answer is
// out already, else returned.
func (b *bulk) late(err error) error {
	if !b.began {
		return err
	}
	fmt.Fprintf(b.odd, "bough: an answer of RPC lacks something: %v\n", err)
	return nil
}

// pour writes the data of an answer. Writer's.
type pour func(*bulk) error

// poured makes a response of what is poured.
func poured(c call, data pour) answer {
	return answer{size: overhead + len(c.id), pour: func(b *bulk) {
		err := b.add(head(c, true), []byte(`,"data":`))
		if err == nil {
			err = data(b)
		}
		if err != nil && !b.began {
			b.buf = failure(c, err).make()
		} else if err == nil {
			b.buf = append(b.buf, '}')
		}
		b.buf = append(b.buf, '\n')
		_ = b.push() // the output keeps its first error for Flush
	}}
}

func getMessages(w *window, _ call) pour {
	return func(b *bulk) error { return b.messages(w.view.Tree, w.view.Leaf) }
}

func getEntries(w *window, c call) pour {
	since := session.ID(c.text("since"))
	_, behind := c.fields["since"]
	behind = behind && !rawjson.IsNull(c.fields["since"])
	return func(b *bulk) error {
		if behind && !w.view.Tree.Has(since) {
			return fmt.Errorf("Entry not found: %s", since)
		}
		return b.entries(w.view.Tree, w.view.Leaf, since)
	}
}

func getTree(w *window, _ call) pour {
	return func(b *bulk) error { return b.tree(w.view.Tree, w.view.Leaf) }
}

// messages writes those that the model would see.
func (b *bulk) messages(t *session.Tree, leaf session.ID) error {
	if err := b.text(`{"messages":[`); err != nil {
		return err
	}
	sep := []byte(nil)
	var werr error
	_, err := new(session.Projector).Stream(t, leaf, func(m []byte) error {
		werr = b.add(sep, m)
		sep = []byte(",")
		return werr
	})
	if werr != nil {
		return werr
	}
	if err != nil {
		if err := b.late(err); err != nil {
			return err
		}
	}
	return b.text("]}")
}

// entries writes the entries of the session in the order of its file, or what
// stands behind one of them.
func (b *bulk) entries(t *session.Tree, leaf, since session.ID) error {
	if err := b.text(`{"entries":[`); err != nil {
		return err
	}
	lines := t.Reader()
	sep := []byte(nil)
	for e := range t.All() {
		if since != "" {
			if e.ID == since {
				since = ""
			}
			continue
		}
		raw, err := b.line(lines, e)
		if err != nil {
			return err
		}
		if err := b.add(sep, raw); err != nil {
			return err
		}
		sep = []byte(",")
	}
	return b.add([]byte("],"), leafID(leaf), []byte("}"))
}

// line is an entry as it stands in its file. Of one that cannot be read the place in
// the tree is told.
func (b *bulk) line(lines *session.Reader, e *session.Entry) ([]byte, error) {
	raw, err := lines.Read(e)
	if err != nil {
		if err := b.late(err); err != nil {
			return nil, fmt.Errorf("read entry %s: %w", e.ID, err)
		}
	} else if rawjson.Valid(raw) {
		return raw, nil
	}
	return e.Place(), nil
}

func leafID(leaf session.ID) []byte {
	if leaf == "" {
		return []byte(`"leafId":null`)
	}
	return rawjson.AppendString([]byte(`"leafId":`), string(leaf))
}

// tree writes the session as a tree. A long conversation is nested as deep as it is
// long, so nothing here recurses.
func (b *bulk) tree(t *session.Tree, leaf session.ID) error {
	if err := b.text(`{"tree":[`); err != nil {
		return err
	}
	labels := map[session.ID]session.LabelState{}
	for _, l := range t.Labels() {
		labels[l.Target] = l
	}
	lines := t.Reader()
	var open []*session.LabelState // of the nodes that are open; nil: it has none
	closeTo := func(depth int) error {
		for len(open) > depth {
			end := []byte("]")
			if l := open[len(open)-1]; l != nil {
				end = rawjson.AppendString(append(end, `,"label":`...), l.Text)
				if l.Time != nil {
					end = append(append(end, `,"labelTimestamp":`...), l.Time...)
				}
			}
			open = open[:len(open)-1]
			if err := b.add(end, []byte("}")); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	last := -1 // the depth of the node before
	walk(t, func(e *session.Entry, depth int) bool {
		if err = closeTo(depth); err != nil {
			return false
		}
		if depth <= last {
			err = b.text(",")
		}
		last = depth
		var raw []byte
		if err == nil {
			raw, err = b.line(lines, e)
		}
		if err == nil {
			err = b.add([]byte(`{"entry":`), raw, []byte(`,"children":[`))
		}
		var label *session.LabelState
		if l, ok := labels[e.ID]; ok {
			label = &l
		}
		open = append(open, label)
		return err == nil
	})
	if err == nil {
		err = closeTo(0)
	}
	if err == nil {
		err = b.add([]byte("],"), leafID(leaf), []byte("}"))
	}
	return err
}

// walk calls visit for every entry, parents first, until it returns false. In a
// damaged session an entry whose parent is not there is a root, as pi has it,
// wherever it may hang.
func walk(t *session.Tree, visit func(e *session.Entry, depth int) bool) {
	if !t.Damaged() {
		t.Walk("", func(s session.Step) bool { return visit(s.Entry, s.Depth) })
		return
	}
	roots, children := family(t)
	for stack := [][]*session.Entry{roots}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if len(*top) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		e := (*top)[0]
		*top = (*top)[1:]
		if !visit(e, len(stack)-1) {
			return
		}
		stack = append(stack, children[e.ID])
	}
}

// family says who is whose child, as pi has it: an entry whose parent is not there
// is a root, wherever it may have hung.
func family(t *session.Tree) (roots []*session.Entry, children map[session.ID][]*session.Entry) {
	children = map[session.ID][]*session.Entry{}
	for e := range t.All() {
		p := t.Parent(e.ID)
		if p == nil || e.Damage != nil && e.Damage.Kind&session.Moved != 0 {
			roots = append(roots, e)
		} else {
			children[p.ID] = append(children[p.ID], e)
		}
	}
	for _, list := range children {
		slices.SortStableFunc(list, func(a, b *session.Entry) int {
			if a.Time.IsZero() || b.Time.IsZero() {
				return 0
			}
			return a.Time.Compare(b.Time)
		})
	}
	return roots, children
}
