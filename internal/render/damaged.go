package render

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// lost is the preview of an entry whose line cannot be read.
func (p *Previews) lost(e *session.Entry) Preview {
	what := p.lang.T("something that cannot be read")
	switch d := e.Damage; {
	case d == nil:
	case d.Role != "":
		what = p.lang.T("%s that cannot be read", p.roleWord(d.Role))
	case d.Type == session.TypeMessage:
		what = p.lang.T("message that cannot be read")
	case d.Type != "":
		what = p.lang.T("entry %s that cannot be read", OneLine(string(d.Type)))
	}
	if d := e.Damage; d != nil && d.Line > 0 {
		what += p.lang.T(", line %d", d.Line)
	}
	what = p.lang.T("(damaged: %s)", what)
	return Preview{Text: what, Row: what, Dim: true}
}

// broken is the preview of an entry that has its place and its kind, but whose line
// is damaged inside or too long.
func (p *Previews) broken(e *session.Entry) Preview {
	what := p.lang.T("%s that cannot be read", p.roleWord(e.Role))
	if e.Role == "" {
		what = p.lang.T("entry %s that cannot be read", OneLine(string(e.Type)))
	}
	if e.Line.Size > session.MaxLine {
		what += p.lang.T(", %d MB long", e.Line.Size>>20)
	}
	what = p.lang.T("(damaged: %s)", what)
	return Preview{Who: who(e), Text: what, Row: what, Dim: true}
}

func (p *Previews) roleWord(r message.Role) string {
	switch r {
	case message.User:
		return p.lang.T("user message")
	case message.Assistant:
		return p.lang.T("answer")
	case message.ToolResult:
		return p.lang.T("tool result")
	case message.Bash:
		return p.lang.T("command")
	}
	return p.lang.T("%s message", OneLine(string(r)))
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
