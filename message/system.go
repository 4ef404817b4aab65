package message

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// FoldSystem replays system messages, in order, into the one that says the same:
// texts joined by a blank line, sections patched by name (null removes, a new
// one goes to the end), tools removed, then added (one that is there keeps its
// place), the time of the first (docs/spec/session.md 6.3). Messages of other
// roles are passed over. It returns false if there is no system message.
func FoldSystem(msgs []Message) (Message, bool) {
	var (
		texts    []string
		sections []Section
		tools    []ToolSpec
		first    *Message
	)
	for i := range msgs {
		m := &msgs[i]
		if m.Role != System {
			continue
		}
		if first == nil {
			first = m
		}
		if t := m.Text("\n"); t != "" {
			texts = append(texts, t)
		}
		for _, s := range m.Sections {
			at := slices.IndexFunc(sections, func(o Section) bool { return o.Name == s.Name })
			switch {
			case s.Text == nil && at >= 0:
				sections = slices.Delete(sections, at, at+1)
			case s.Text == nil:
			case at >= 0:
				sections[at] = s
			default:
				sections = append(sections, s)
			}
		}
		for _, name := range m.ToolsRemoved {
			tools = slices.DeleteFunc(tools, func(t ToolSpec) bool { return t.Name == name })
		}
		for _, t := range m.ToolsAdded {
			if at := slices.IndexFunc(tools, func(o ToolSpec) bool { return o.Name == t.Name }); at >= 0 {
				tools[at] = t
			} else {
				tools = append(tools, t)
			}
		}
	}
	if first == nil {
		return Message{}, false
	}
	fold := Message{Role: System, Content: []Block{Text(strings.Join(texts, "\n\n"))}, IsText: true,
		Sections: sections, ToolsAdded: tools, Timestamp: first.Timestamp}
	fold.raw = fold.encode()
	if ts := first.Field("timestamp"); ts != nil {
		fold.raw = rawjson.Set(fold.raw, "timestamp", ts)
	} else {
		fold.raw = rawjson.Delete(fold.raw, "timestamp")
	}
	return fold, true
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
