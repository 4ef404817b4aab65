package doctor

import (
	"fmt"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// plural returns "1 line" or "2 lines".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// entryWords says what an entry is: "an answer (id 5d0f2a11)".
func entryWords(e *session.Entry) string {
	return kindWords(e.Type, e.Role) + " (id " + string(e.ID) + ")"
}

// lostWords says what a damaged entry was.
func lostWords(d *session.Damage) string { return kindWords(d.Type, d.Role) }

func kindWords(t session.Type, r message.Role) string {
	switch r {
	case message.User:
		return "a user message"
	case message.Assistant:
		return "an answer"
	case message.ToolResult:
		return "a tool result"
	case message.Bash:
		return "a command of the user"
	case message.System:
		return "a system message"
	}
	switch t {
	case "":
		return "an entry"
	case session.TypeMessage:
		return "a message"
	case session.TypeCompaction:
		return "a compaction"
	case session.TypeBranchSummary:
		return "a branch summary"
	case session.TypeLabel:
		return "a label"
	case session.TypeContextEdit:
		return "a change of the context"
	}
	return fmt.Sprintf("an entry of the type %s", t)
}
