package provider

import (
	"strings"

	"github.com/boughdev/bough/message"
)

// FoldSystem takes the system messages out of a conversation. It returns the
// prompt and the tools that they come to, and the other messages. If inPlace, the
// API takes system messages in the middle: then the prompt is that of those at
// the beginning, and later ones with words in them stay where they are. The tools
// are always those of all.
func FoldSystem(msgs []message.Message, inPlace bool) (prompt string, tools []message.ToolSpec, rest []message.Message) {
	all, ok := message.FoldSystem(msgs)
	if !ok {
		return "", nil, msgs
	}
	rest = make([]message.Message, 0, len(msgs))
	begun := 0 // messages at the beginning
	for i, m := range msgs {
		if m.Role != message.System {
			rest = append(rest, m)
		} else if len(rest) == 0 {
			begun = i + 1
		} else if inPlace && changesInWords(m) {
			rest = append(rest, m)
		}
	}
	if !inPlace {
		return all.Prompt(), all.ToolsAdded, rest
	}
	first, _ := message.FoldSystem(msgs[:begun])
	return first.Prompt(), all.ToolsAdded, rest
}

func changesInWords(m message.Message) bool { return strings.TrimSpace(SystemChange(m)) != "" }

// SystemChange says in words what a later system message changes of the prompt,
// "" if nothing.
func SystemChange(m message.Message) string {
	var parts []string
	if t := m.Text("\n"); t != "" {
		parts = append(parts, t)
	}
	for _, s := range m.Sections {
		switch {
		case s.Text == nil:
			parts = append(parts, "The section \""+s.Name+"\" of the instructions no longer holds.")
		case *s.Text != "":
			parts = append(parts, "The section \""+s.Name+"\" of the instructions now reads:\n\n"+*s.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}
