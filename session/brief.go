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

	edited map[key]bool // ids of what edits in the context are about
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
		err = p.count(&b, t, picked)
	} else if out, err = p.Context(t, leaf); err == nil {
		b.Messages, b.edited = len(out.Items), keysOf(out.edits)
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

func keysOf(edits map[ID]*Entry) map[key]bool {
	keys := make(map[key]bool, len(edits))
	for id := range edits {
		k, _ := keyOf([]byte(id))
		keys[k] = true
	}
	return keys
}

// count counts what records say in a context that is made of them, and keeps its
// system messages.
func (p *Projector) count(b *Brief, t *Tree, records []int32) (err error) {
	var edits []*Entry
	for _, i := range records {
		if t.x.at(i).kind == kindEdit {
			edits = append(edits, t.entry(i))
		}
	}
	var out Projection
	if out.edits, err = p.edits(edits); err != nil {
		return err
	}
	b.edited = keysOf(out.edits)
	for at, i := range records {
		r := t.x.at(i)
		switch {
		case r.tellsMessage() && (len(b.edited) == 0 || !b.edited[r.id]):
			b.Messages++
			continue
		case !speaking(r.kind):
			continue
		}
		out.Items = out.Items[:0]
		if err := p.add(&out, t.passing(i), at == 0); err != nil {
			return err
		}
		b.Messages += len(out.Items)
		for _, it := range out.Items {
			if it.Message.Role == message.System {
				b.System = append(b.System, it.Message)
			}
		}
	}
	return nil
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

	edited map[key]bool // see Brief
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
		c.n, c.edited, more = b.Messages, b.edited, 0
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
		if r := t.x.at(i); r.kind == kindCompaction || r.kind == kindEdit || c.edited[r.id] {
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

// Newest calls visit for the messages of the context at leaf, the last one first,
// until it returns false. It reads no more than that takes.
func (p *Projector) Newest(t *Tree, leaf ID, visit func(Item) bool) error {
	out, entries, err := p.choose(t, leaf)
	if err != nil {
		return err
	}
	if out.edits, err = p.edits(entries); err != nil {
		return err
	}
	for i, e := range slices.Backward(entries) {
		out.Items = out.Items[:0]
		if err := p.add(&out, e, i == 0); err != nil {
			return err
		}
		for _, it := range slices.Backward(out.Items) {
			if !visit(it) {
				return nil
			}
		}
	}
	return nil
}
