package session

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A Projection is what one path comes to: the fold of a path that a model sees.
type Projection struct {
	// Entries make the context: the whole path, or, when it has a compaction,
	// the last one, what it keeps, and what follows (docs/spec/session.md 6.2).
	Entries []*Entry
	// Items are their messages in order, edits applied.
	Items []Item
	// Hidden holds those of Entries whose messages an edit has taken away.
	Hidden map[*Entry]bool
	// Model and Thinking are the latest on the whole path.
	Model    ModelChange
	Thinking string // "off" if never set
	// ThinkingSet tells that an entry of the path set it.
	ThinkingSet bool

	edits map[ID]*Entry // among Entries, by target
}

// An Item is one message of the context and the entry it comes from.
type Item struct {
	Entry   *Entry
	Message message.Message
}

// Messages returns the messages of the context.
func (p Projection) Messages() []message.Message {
	msgs := make([]message.Message, len(p.Items))
	for i, it := range p.Items {
		msgs[i] = it.Message
	}
	return msgs
}

// Project folds a path, root first, as [Tree.Path] gives it. What it returns
// hangs on the path alone. It fails only if a line cannot be read.
func Project(path []*Entry) (Projection, error) { return new(Projector).Project(path) }

// A Projector projects one path after another and remembers the messages it has
// decoded, so that a path costs only its new entries. It is for one goroutine;
// to forget, make a new one. The zero value is ready.
type Projector struct{ known map[*Entry]*reading }

// reading is what a Projector knows of an entry.
type reading struct {
	message   message.Message // what the entry says by itself
	speaks    bool            // there is a message
	silent    bool            // of a branch summary: empty, so the context leaves it out
	system    *message.Message
	firstKept ID // of a compaction
	settings  ModelChange
	thinking  string
	edit      ContextEdit
	edited    map[*Entry]message.Message // by the edit that applies
	illegible bool                       // the line is damaged, or too long: it says nothing
}

func (p *Projector) read(e *Entry) (*reading, error) {
	if r := p.known[e]; r != nil {
		return r, nil
	}
	r, err := e.read()
	if err != nil {
		return nil, err
	}
	if p.known == nil {
		p.known = map[*Entry]*reading{}
	}
	p.known[e] = r
	return r, nil
}

// Project is [Project].
func (p *Projector) Project(path []*Entry) (Projection, error) {
	out, entries, err := p.chooseOf(path)
	if err != nil {
		return out, err
	}
	return out, p.speak(&out, entries)
}

// speak puts together what the selected entries say.
func (p *Projector) speak(out *Projection, entries []*Entry) (err error) {
	out.Entries = entries
	if out.edits, err = p.edits(entries); err != nil {
		return err
	}
	out.Items = make([]Item, 0, len(entries)+1) // a compaction may speak twice
	for i, e := range entries {
		if err := p.add(out, e, i == 0); err != nil {
			return err
		}
	}
	return nil
}

// add adds what e says to the context. A compaction speaks only where it leads.
func (p *Projector) add(out *Projection, e *Entry, leads bool) error {
	if !e.Speaks() || e.Type == TypeCompaction && !leads {
		return nil
	}
	r, err := p.read(e)
	if err != nil || !r.speaks || r.silent {
		return err
	}
	m, ok, err := p.edited(r, out.edits[e.ID])
	if err != nil {
		return err
	}
	if !ok {
		if out.Hidden == nil {
			out.Hidden = map[*Entry]bool{}
		}
		out.Hidden[e] = true
		return nil
	}
	if r.system != nil {
		out.Items = append(out.Items, Item{e, *r.system})
	}
	out.Items = append(out.Items, Item{e, m})
	return nil
}

// Collected returns what entries say to somebody who was not there, for the
// summary of a branch: the messages in order, edits among the entries applied,
// each with its entry. Unlike in a context every compaction speaks, without its
// system message, and so does an empty branch summary; edits of summaries do not
// count, as in pi.
func (p *Projector) Collected(entries []*Entry) ([]Item, error) {
	edits, err := p.edits(entries)
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(entries))
	for _, e := range entries {
		if !e.Speaks() {
			continue
		}
		r, err := p.read(e)
		if err != nil {
			return nil, err
		}
		m, ok := r.message, r.speaks
		if by := edits[e.ID]; by != nil && ok && e.Type != TypeCompaction && e.Type != TypeBranchSummary {
			if m, ok, err = p.edited(r, by); err != nil {
				return nil, err
			}
		}
		if ok && m.Role == message.Custom {
			m = withContent(m) // rule R6
		}
		if ok {
			items = append(items, Item{e, m})
		}
	}
	return items, nil
}

// edits returns the edit that applies to each target: the last among entries.
func (p *Projector) edits(entries []*Entry) (map[ID]*Entry, error) {
	var edits map[ID]*Entry
	for _, e := range entries {
		if e.Type != TypeContextEdit {
			continue
		}
		r, err := p.read(e)
		if err != nil {
			return nil, err
		}
		if r.edit.Target == "" {
			continue
		}
		if edits == nil {
			edits = map[ID]*Entry{}
		}
		edits[r.edit.Target] = e
	}
	return edits, nil
}

// edited returns the message of r under an edit, or false if that omits it. A
// nil edit changes nothing.
func (p *Projector) edited(r *reading, by *Entry) (message.Message, bool, error) {
	if by == nil {
		return r.message, true, nil
	}
	if m, ok := r.edited[by]; ok {
		return m, true, nil
	}
	edit, err := p.read(by)
	if err != nil {
		return message.Message{}, false, err
	}
	if edit.edit.Omit {
		return message.Message{}, false, nil
	}
	m := edit.edit.apply(r.message)
	if r.edited == nil {
		r.edited = map[*Entry]message.Message{}
	}
	r.edited[by] = m
	return m, true, nil
}

// extend adds entries that follow the path, none of them a compaction or an
// edit.
func (out *Projection) extend(news []*Entry) error {
	var p Projector
	if err := p.settings(out, news); err != nil {
		return err
	}
	for _, e := range news {
		out.Entries = append(out.Entries, e)
		if err := p.add(out, e, false); err != nil {
			return err
		}
	}
	return nil
}

// settings finds model and thinking level, from the end of the path.
func (p *Projector) settings(out *Projection, path []*Entry) error {
	model, thinking := false, false
	for i := len(path) - 1; i >= 0 && !(model && thinking); i-- {
		e := path[i]
		if !(e.Type == TypeThinking && !thinking || e.SetsModel() && !model) {
			continue
		}
		r, err := p.read(e)
		if err != nil {
			return err
		}
		if r.illegible {
			continue
		}
		if e.Type == TypeThinking {
			out.Thinking, out.ThinkingSet, thinking = r.thinking, true, true
		} else {
			out.Model, model = r.settings, true
		}
	}
	return nil
}

// SetsModel reports whether the model is another one from this entry on: model
// changes and answers say so.
func (e *Entry) SetsModel() bool { return e.Type == TypeModel || e.Role == message.Assistant }

// selected returns the entries that make the context of a path.
func (p *Projector) selected(path []*Entry) ([]*Entry, error) {
	at := len(path) - 1
	var r *reading
	for ; at >= 0; at-- {
		if path[at].Type != TypeCompaction {
			continue
		}
		var err error
		if r, err = p.read(path[at]); err != nil {
			return nil, err
		}
		if !r.illegible {
			break
		}
	}
	if at < 0 {
		return path, nil
	}
	entries := []*Entry{path[at]}
	keeping := false
	for _, e := range path[:at] {
		if e.ID == r.firstKept {
			keeping = true
		}
		if keeping && e.Role != message.System {
			entries = append(entries, e)
		}
	}
	return append(entries, path[at+1:]...), nil
}

// read decodes what a projection needs of an entry.
func (e *Entry) read() (*reading, error) {
	line, ok, err := e.legible()
	if err != nil {
		return nil, err
	}
	if !ok {
		return &reading{illegible: true}, nil
	}
	r := &reading{}
	switch e.Type {
	case TypeMessage:
		m, err := message.Decode(rawjson.Get(line, "message"))
		if err != nil {
			break // no object with a role: silent (rule R3)
		}
		if m.Role != message.Custom { // which pi takes as it is
			m = withContent(m)
		}
		r.say(m)
		r.settings = ModelChange{m.Provider, m.Model}
	case TypeCustomMessage:
		r.say(withContent(e.derived(message.Custom, line, "customType", "content", "display", "details")))
	case TypeBranchSummary:
		r.say(e.derived(message.BranchSummary, line, "summary", "fromId"))
		r.silent = !rawjson.Truthy(rawjson.Get(line, "summary"))
	case TypeCompaction:
		if sys := rawjson.Get(line, "systemMessage"); rawjson.Truthy(sys) {
			if m, err := message.Decode(sys); err == nil {
				r.system = &m
			}
		}
		m := e.derived(message.CompactionSummary, line, "summary", "tokensBefore")
		if _, ok := rawjson.GetString(line, "summary"); !ok {
			m = m.WithField("summary", message.Value(`""`)) // rule R10
		}
		r.say(m)
		first, _ := rawjson.GetString(line, "firstKeptEntryId")
		r.firstKept = ID(first)
	case TypeContextEdit:
		r.edit = decodeEdit(line)
	case TypeModel:
		r.settings.Provider, _ = rawjson.GetString(line, "provider")
		r.settings.ModelID, _ = rawjson.GetString(line, "modelId")
	case TypeThinking:
		r.thinking, _ = rawjson.GetString(line, "thinkingLevel")
	}
	return r, nil
}

func (r *reading) say(m message.Message) { r.message, r.speaks = m, true }

// derived makes a message of some fields of an entry that is not a message.
func (e *Entry) derived(role message.Role, line []byte, keys ...string) message.Message {
	b := append([]byte(`{"role":`), rawjson.Quote(string(role))...)
	for _, k := range keys {
		if v := rawjson.Get(line, k); v != nil {
			b = append(b, ',')
			b = rawjson.AppendString(b, k)
			b = append(b, ':')
			b = append(b, v...)
		}
	}
	b = append(b, `,"timestamp":`...)
	if e.Time.IsZero() {
		b = append(b, "null"...)
	} else {
		b = fmt.Appendf(b, "%d", e.Time.UnixMilli())
	}
	b = append(b, '}')
	m, err := message.Decode(b)
	if err != nil {
		panic("session: derived message without a role") // it has one, above
	}
	return m
}

// withContent gives a message whose content is null or absent an empty one.
func withContent(m message.Message) message.Message {
	if m.HasContent() {
		return m
	}
	switch m.Role {
	case message.System:
		return m.WithField("content", message.Value(`""`))
	case message.User, message.Assistant, message.ToolResult, message.Custom:
		return m.WithField("content", message.Value(`[]`))
	}
	return m
}

// apply returns the message with the content of the edit.
func (c ContextEdit) apply(m message.Message) message.Message {
	switch m.Role {
	case message.User, message.Custom:
		return m.WithField("content", c.Content)
	case message.Assistant, message.ToolResult:
		if s, ok := rawjson.String(c.Content); ok {
			return m.WithContent([]message.Block{message.Text(s)})
		}
		return m.WithField("content", c.Content)
	}
	return m
}
