package message

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// FoldSystem replays system messages, in order, into the one that says the same:
// texts joined by a blank line, sections patched by name (null removes, a new
// one goes to the end), tools removed, then added (one that is there keeps its
// place), the first time that is told, or 0 (docs/spec/session.md 6.3). Messages
// of other roles are passed over. It returns false if there is no system
// message; as for pi, there is none either where none tells a time and no tools
// are left.
func FoldSystem(msgs []Message) (Message, bool) {
	var (
		texts    []string
		sections ordered[Section]
		tools    ordered[ToolSpec]
		time     Value // of the first message that tells one
		timed    bool  // it may be null
	)
	for i := range msgs {
		m := &msgs[i]
		if m.Role != System {
			continue
		}
		if ts := m.Field("timestamp"); ts != nil && rawjson.IsNull(time) {
			time, timed = ts, true
		}
		if t := m.Text("\n"); t != "" {
			texts = append(texts, t)
		}
		for _, s := range m.Sections {
			if s.Text == nil {
				sections.delete(s.Name)
			} else {
				sections.set(s.Name, s)
			}
		}
		for _, name := range m.ToolsRemoved {
			tools.delete(name)
		}
		for _, t := range m.ToolsAdded {
			tools.set(t.Name, t)
		}
	}
	if !timed && len(tools.at) == 0 {
		return Message{}, false
	}
	fold := Message{Role: System, Content: []Block{Text(strings.Join(texts, "\n\n"))}, IsText: true,
		Sections: sections.values(), ToolsAdded: tools.values()}
	if !rawjson.IsNull(time) {
		return fold.WithField("timestamp", time), true
	}
	return fold.WithField("timestamp", Value("0")), true
}

// ordered is a map that keeps the order in which keys come.
type ordered[V any] struct {
	at   map[string]int // to all
	all  []V
	gone []bool
}

func (o *ordered[V]) set(key string, v V) {
	if i, ok := o.at[key]; ok {
		o.all[i] = v
		return
	}
	if o.at == nil {
		o.at = map[string]int{}
	}
	o.at[key] = len(o.all)
	o.all, o.gone = append(o.all, v), append(o.gone, false)
}

func (o *ordered[V]) delete(key string) {
	if i, ok := o.at[key]; ok {
		o.gone[i] = true
		delete(o.at, key)
	}
}

func (o *ordered[V]) values() []V {
	var vs []V
	for i, v := range o.all {
		if !o.gone[i] {
			vs = append(vs, v)
		}
	}
	return vs
}

// Prompt renders a folded system message as the text of a system prompt:
// content, then the sections, joined by blank lines. All sections but the
// preamble stand in an element of their name.
func (m Message) Prompt() string {
	var parts []string
	if t := m.Text("\n"); t != "" {
		parts = append(parts, t)
	}
	for _, s := range m.Sections {
		switch {
		case s.Text == nil || *s.Text == "":
		default:
			parts = append(parts, *s.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// DecodeTool reads the declaration of a tool; it keeps v.
func DecodeTool(v Value) (ToolSpec, bool) { return decodeTool(v) }
