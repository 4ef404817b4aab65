package scripted

import (
	"strings"

	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// conversation says a request in the words of a script. It is repaired before,
// as it is for every other model.
func (m *model) conversation(req provider.Request) script.Conversation {
	c := script.Conversation{API: m.api(), Model: m.info.ID, Stream: true}
	if fold, ok := message.FoldSystem(req.Messages); ok {
		c.System = fold.Prompt()
		for _, t := range fold.ToolsAdded {
			c.Tools = append(c.Tools, script.Tool{Name: t.Name, Schema: t.Parameters})
		}
	}
	for _, msg := range provider.Prepare(req.Messages, m.info, provider.PrepareOptions{}) {
		it := script.Item{Text: texts(msg.Content)}
		switch msg.Role {
		case message.User:
			it.Role = script.User
		case message.Assistant:
			it.Role = script.Assistant
			for _, b := range msg.ToolCalls() {
				it.Calls = append(it.Calls, script.Call{ID: b.ID, Name: b.Name, Args: b.Args()})
			}
		case message.ToolResult:
			it.Role, it.CallID, it.IsError = script.ToolRole, msg.ToolCallID, msg.IsError
		default:
			continue
		}
		c.Items = append(c.Items, it)
	}
	return c
}

func (m *model) api() script.API {
	switch {
	case strings.HasPrefix(m.info.API, "anthropic"):
		return script.Anthropic
	case strings.HasSuffix(m.info.API, "responses"):
		return script.Responses
	}
	return script.Chat
}

// texts joins the texts of text blocks by line ends, empty ones left out.
func texts(blocks []message.Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == message.TextBlock && b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}
