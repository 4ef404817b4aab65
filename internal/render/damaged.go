package render

import (
	"fmt"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// lost is the preview of an entry whose line cannot be read.
func lost(e *session.Entry) Preview {
	what := "something that cannot be read"
	switch d := e.Damage; {
	case d == nil:
	case d.Role != "":
		what = roleWord(d.Role) + " that cannot be read"
	case d.Type == session.TypeMessage:
		what = "message that cannot be read"
	case d.Type != "":
		what = "entry " + OneLine(string(d.Type)) + " that cannot be read"
	}
	if d := e.Damage; d != nil && d.Line > 0 {
		what += fmt.Sprintf(", line %d", d.Line)
	}
	return Preview{Text: "(damaged: " + what + ")", Row: "(damaged: " + what + ")", Dim: true}
}

// broken is the preview of an entry that has its place and its kind, but whose line
// is damaged inside or too long.
func broken(e *session.Entry) Preview {
	what := roleWord(e.Role) + " that cannot be read"
	if e.Role == "" {
		what = "entry " + OneLine(string(e.Type)) + " that cannot be read"
	}
	if e.Line.Size > session.MaxLine {
		what += fmt.Sprintf(", %d MB long", e.Line.Size>>20)
	}
	return Preview{Who: who(e), Text: "(damaged: " + what + ")", Row: "(damaged: " + what + ")", Dim: true}
}

func roleWord(r message.Role) string {
	switch r {
	case message.User:
		return "user message"
	case message.Assistant:
		return "answer"
	case message.ToolResult:
		return "tool result"
	case message.Bash:
		return "command"
	}
	return OneLine(string(r)) + " message"
}

// marked adds what is wrong with the place of an entry.
func (v Preview) marked(e *session.Entry) Preview {
	if d := e.Damage; d != nil && v.Mark == "" {
		switch {
		case d.Kind&session.Moved != 0:
			v.Mark = "parent lost"
		case d.Kind&session.Unnamed != 0:
			v.Mark = "no id"
		case d.Kind&session.Shadowed != 0:
			v.Mark = "id taken"
		}
	}
	return v
}

// listsLost reports whether a damaged entry is listed: unless it is known to have
// been bookkeeping.
func listsLost(e *session.Entry) bool {
	if e.Damage == nil {
		return true
	}
	was := session.Entry{Type: e.Damage.Type}
	return was.Type == "" || was.Speaks()
}
