package prompt

import (
	"bytes"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Diff returns the system message that must follow a path so that it declares
// want. declared is what the path declares so far, folded by
// [message.FoldSystem]; if it is no system message the answer is complete. It
// returns false if nothing has changed. The message has no time.
//
// Order alone is no change: a path can only add sections and tools at the end
// (docs/spec/session.md 6.3). For the same reason the content of a declared
// message, which later ones cannot take back, is left alone.
func Diff(declared message.Message, want State) (message.Message, bool) {
	if declared.Role != message.System {
		return want.Message(), true
	}
	m := message.Message{Role: message.System, IsText: true, Content: []message.Block{message.Text("")}}
	for _, d := range declared.Sections {
		gone := !slices.ContainsFunc(want.Sections, func(s Section) bool { return s.Name == d.Name })
		if gone && d.Text != nil {
			m.Sections = append(m.Sections, message.Section{Name: d.Name})
		}
	}
	for _, s := range want.Sections {
		same := slices.ContainsFunc(declared.Sections, func(d message.Section) bool {
			return d.Name == s.Name && d.Text != nil && *d.Text == s.Text
		})
		if !same {
			m.Sections = append(m.Sections, message.Section{Name: s.Name, Text: &s.Text})
		}
	}
	for _, d := range declared.ToolsAdded {
		if !slices.ContainsFunc(want.Tools, func(t message.ToolSpec) bool { return sameTool(d, t) }) {
			m.ToolsRemoved = append(m.ToolsRemoved, d.Name)
		}
	}
	for _, t := range want.Tools {
		if !slices.ContainsFunc(declared.ToolsAdded, func(d message.ToolSpec) bool { return sameTool(d, t) }) {
			m.ToolsAdded = append(m.ToolsAdded, t)
		}
	}
	return m, len(m.Sections)+len(m.ToolsAdded)+len(m.ToolsRemoved) > 0
}

// sameTool compares what a model is told of a tool. Other fields of a
// declaration are hints of the program that wrote it.
func sameTool(a, b message.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && (bytes.Equal(a.Parameters, b.Parameters) || bytes.Equal(schema(a), schema(b)))
}

func schema(t message.ToolSpec) []byte {
	return rawjson.AppendCanonical(nil, rawjson.Get(t.JSON(), "parameters"))
}
