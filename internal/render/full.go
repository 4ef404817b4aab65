package render

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Full says all of an entry, however long: what was said or came of a tool, the
// calls with all that they were given, a summary. Images are named. With thinking,
// what the model thought is in it too. The text is as it stands in the session;
// see [Clean]. It is "" for bookkeeping.
func Full(e *session.Entry, thinking bool) (string, error) {
	body, err := e.Body()
	if err != nil {
		return "", err
	}
	switch b := body.(type) {
	case session.Message:
		return fullMessage(b.Message, thinking), nil
	case session.Compaction:
		return b.Summary, nil
	case session.BranchSummary:
		return b.Summary, nil
	case session.CustomMessage:
		return fullContent(b.Content, thinking), nil
	}
	return "", nil
}

func fullMessage(m message.Message, thinking bool) string {
	switch m.Role {
	case message.System:
		return m.Prompt()
	case message.Bash:
		return strings.TrimRight("$ "+m.Command+"\n"+m.Output, "\n")
	}
	s := fullContent(m.Content, thinking)
	if m.ErrorMessage != "" && (m.StopReason == message.Failed || m.StopReason == message.Aborted) {
		s = strings.TrimLeft(s+"\n["+string(m.StopReason)+": "+m.ErrorMessage+"]", "\n")
	}
	return s
}

func fullContent(content []message.Block, thinking bool) string {
	var parts []string
	for _, b := range content {
		switch b.Type {
		case message.TextBlock:
			parts = append(parts, b.Text)
		case message.ThinkingBlock:
			if thinking && b.Text != "" {
				parts = append(parts, "[thinking] "+b.Text)
			}
		case message.ToolCallBlock:
			parts = append(parts, "-> "+b.Name+" "+string(b.Args()))
		case message.ImageBlock:
			parts = append(parts, fmt.Sprintf("[image: %s, %s]", b.MimeType, Bytes(int64(len(b.Data)*3/4))))
		}
	}
	return strings.Join(parts, "\n")
}
