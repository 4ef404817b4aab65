package session

import (
	"slices"

	"github.com/boughdev/bough/message"
)

// A Brief is what can be told of the context at a leaf without reading all that is
// said in it.
type Brief struct {
	Messages int               // how many a [Projection] has Items
	System   []message.Message // the system messages among them

	// As in a Projection.
	Model       ModelChange
	Thinking    string
	ThinkingSet bool
}

// Brief tells of [Projector.Context] in short. Messages are counted by the index;
// of one whose line is damaged between its front and its end that is found out
// when it is read.
func (p *Projector) Brief(t *Tree, leaf ID) (Brief, error) {
	out, picked, ok, err := p.pick(t, leaf)
	if err != nil {
		return Brief{}, err
	}
	var b Brief
	if ok {
		b.Messages, b.System, err = p.count(t, picked)
	} else if out, err = p.Context(t, leaf); err == nil {
		b.Messages = len(out.Items)
		for _, it := range out.Items {
			if it.Message.Role == message.System {
				b.System = append(b.System, it.Message)
			}
		}
	}
	b.Model, b.Thinking, b.ThinkingSet = out.Model, out.Thinking, out.ThinkingSet
	return b, err
}

// Customs returns the customTypes of the entries that make the context at leaf, in
// order, each once. What a compaction hides is not looked at.
func (p *Projector) Customs(t *Tree, leaf ID) ([]string, error) {
	_, picked, ok, err := p.pick(t, leaf)
	if err != nil {
		return nil, err
	}
	var types []string
	add := func(e *Entry) {
		if e.Custom != "" && !slices.Contains(types, e.Custom) {
			types = append(types, e.Custom)
		}
	}
	for _, i := range picked {
		if t.x.at(i).flags&(custom|special) != 0 {
			add(t.passing(i))
		}
	}
	if !ok {
		for _, e := range t.Path(leaf) {
			add(e)
		}
	}
	return types, nil
}

// count counts what records say in a context that is made of them, and returns
// its system messages.
func (p *Projector) count(t *Tree, records []int32) (n int, system []message.Message, err error) {
	var edits []*Entry
	for _, i := range records {
		if t.x.at(i).kind == kindEdit {
			edits = append(edits, t.entry(i))
		}
	}
	var out Projection
	if out.edits, err = p.edits(edits); err != nil {
		return 0, nil, err
	}
	edited := make(map[key]bool, len(out.edits))
	for id := range out.edits {
		k, _ := keyOf([]byte(id))
		edited[k] = true
	}
	for at, i := range records {
		r := t.x.at(i)
		switch {
		case r.tellsMessage() && (len(edited) == 0 || !edited[r.id]):
			n++
			continue
		case r.kind != 0 && !speaking(r.kind):
			continue
		}
		out.Items = out.Items[:0]
		if err := p.add(&out, t.passing(i), at == 0); err != nil {
			return 0, nil, err
		}
		n += len(out.Items)
		for _, it := range out.Items {
			if it.Message.Role == message.System {
				system = append(system, it.Message)
			}
		}
	}
	return n, system, nil
}

// tellsMessage reports whether an entry, if nothing edits it, puts just one message
// into a context, of which no more need be known.
func (r *record) tellsMessage() bool {
	return r.kind == kindMessage && r.role != 0 && r.role != roleSystem && r.flags&special == 0 && r.size <= MaxLine
}

func speaking(kind uint8) bool {
	e := Entry{Type: kinds[min(int(kind), len(kinds)-1)]}
	return e.Speaks()
}

// A Counter counts the messages of the context at one leaf after another. What it
// has counted it does not count again when the conversation goes on. It is for one
// goroutine; the zero value is ready.
type Counter struct {
	t    *Tree
	leaf ID
	size int // of the tree
	n    int // messages at leaf
}

// Messages returns how many messages the context at leaf has.
func (c *Counter) Messages(t *Tree, leaf ID) (int, error) {
	if c.t == t && c.leaf == leaf && c.size == t.Size() {
		return c.n, nil
	}
	more, ok, err := c.more(t, leaf)
	if err != nil {
		return 0, err
	}
	if !ok {
		b, err := new(Projector).Brief(t, leaf)
		if err != nil {
			return 0, err
		}
		c.n, more = b.Messages, 0
	}
	c.t, c.leaf, c.size, c.n = t, leaf, t.Size(), c.n+more
	return c.n, nil
}

// more counts what stands between the leaf that was counted last and one below it;
// false if that is no matter of adding.
func (c *Counter) more(t *Tree, leaf ID) (int, bool, error) {
	if c.t != t || c.leaf == "" || t.Damaged() {
		return 0, false, nil
	}
	was, i := t.first(c.leaf), t.first(leaf)
	var news []int32
	for ; i != was; i = t.x.up(i) {
		if int(i) < c.size { // noRecord, or another branch
			return 0, false, nil
		}
		if k := t.x.at(i).kind; k == kindCompaction || k == kindEdit {
			return 0, false, nil
		}
		news = append(news, i)
	}
	slices.Reverse(news)
	p := new(Projector)
	n := 0
	for _, i := range news {
		var out Projection
		if t.x.at(i).tellsMessage() {
			n++
		} else if err := p.add(&out, t.passing(i), false); err != nil {
			return 0, false, err
		}
		n += len(out.Items)
	}
	return n, true, nil
}

// SetupOf returns what the nearest entry holds, at leaf or above it, that has the
// customType [Setup] and can be read. It returns false if there is none.
func (t *Tree) SetupOf(leaf ID) (message.Value, bool) {
	i := t.first(leaf)
	t.x.settle()
	if i < 0 || t.x.cyclic {
		for _, e := range slices.Backward(t.Path(leaf)) {
			if v, ok := e.setup(); ok {
				return v, true
			}
		}
		return nil, false
	}
	for n := 0; i >= 0 && n < t.x.Len(); n++ {
		at := t.x.at(i).setup
		if at < 0 || int(at) >= t.x.Len() {
			break
		}
		e := t.passing(at)
		if v, ok := e.setup(); ok {
			return v, true
		}
		if i = t.first(e.ID); i >= 0 {
			i = t.x.up(i)
		}
	}
	return nil, false
}

func (e *Entry) setup() (message.Value, bool) {
	if e.Type != TypeCustom || e.Custom != Setup {
		return nil, false
	}
	body, err := e.Body()
	if err != nil {
		return nil, false
	}
	c, ok := body.(Custom)
	return c.Data, ok
}
