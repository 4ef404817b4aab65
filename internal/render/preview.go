package render

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// A Preview says in one line what an entry is. Its texts are clean and as long
// as they are; see [Cut].
type Preview struct {
	// Who is speaking, as a numbered chain has it: user, assistant, tool, bash,
	// system, custom, compaction, summary. "" for bookkeeping.
	Who string
	// Text is what an entry says there: "read src/main.go".
	Text string
	// Calls names the tools that an answer calls: "bash, read x2".
	Calls string
	// Row is what it says in a tree: "[read: src/main.go]".
	Row string
	// Mark is what went wrong: error, aborted, cut, cancelled, exit 1; else "".
	Mark string
	// Dim is for what counts little: commands kept from the model, unknown types.
	Dim bool
}

// Previews makes previews of the entries of a tree. It is for one goroutine.
type Previews struct {
	tree  *session.Tree
	calls map[session.ID][]message.Block // by answer
	lang  lang.Language
}

// NewPreviews returns previews of the entries of a tree.
func NewPreviews(t *session.Tree) *Previews {
	return &Previews{tree: t, calls: map[session.ID][]message.Block{}}
}

// In has rows and texts written in a language. Who and Mark stay English: they are
// texts of package lang.
func (p *Previews) In(l lang.Language) *Previews {
	p.lang = l
	return p
}

// Of returns the preview of an entry.
func (p *Previews) Of(e *session.Entry) Preview {
	if e.Lost() {
		return p.lost(e)
	}
	return p.of(e).marked(e)
}

func (p *Previews) of(e *session.Entry) Preview {
	body, err := e.Body()
	if err != nil {
		return Preview{Row: p.lang.T("[unreadable: %s]", OneLine(err.Error())), Text: p.lang.T("(unreadable)"), Who: who(e), Mark: "error"}
	}
	switch b := body.(type) {
	case session.Message:
		if e.Role != "" && b.Message.Role == "" {
			return p.broken(e)
		}
		return p.message(e, b.Message)
	case session.Compaction:
		size := p.lang.T("%s tokens", Count(b.TokensBefore))
		s := unmarked(b.Summary)
		return Preview{Who: "compaction", Text: strings.TrimSpace(size + " -> " + s), Row: strings.TrimSpace(p.lang.T("[compaction: %s]", size) + " " + s)}
	case session.BranchSummary:
		s := unmarked(withoutIntro(b.Summary))
		return Preview{Who: "summary", Text: s, Row: strings.TrimSpace(p.lang.T("[branch summary]") + ": " + s)}
	case session.CustomMessage:
		s := p.withImages(message.Message{Content: b.Content})
		if b.CustomType == "bough.take" {
			s = strings.TrimPrefix(s, "From another branch of this conversation, ")
			return Preview{Who: "taken", Text: s, Row: "[" + p.lang.T("taken") + "]: " + s}
		}
		typ := OneLine(b.CustomType)
		return Preview{Who: "custom", Text: typ + ": " + s, Row: "[" + typ + "]: " + s}
	case session.ModelChange:
		return Preview{Row: p.lang.T("[model: %s]", OneLine(b.ModelID))}
	case session.ThinkingChange:
		return Preview{Row: p.lang.T("[thinking: %s]", OneLine(b.Level))}
	case session.Custom:
		return Preview{Row: p.lang.T("[custom: %s]", OneLine(b.CustomType))}
	case session.Label:
		if b.Text == "" {
			return Preview{Row: p.lang.T("[label: cleared]")}
		}
		return Preview{Row: p.lang.T("[label: %s]", OneLine(b.Text))}
	case session.Info:
		if b.Name == "" {
			return Preview{Row: p.lang.T("[title: empty]")}
		}
		return Preview{Row: p.lang.T("[title: %s]", OneLine(b.Name))}
	case session.ContextEdit:
		return Preview{Row: p.edit(b)}
	}
	return Preview{Row: "[" + OneLine(string(e.Type)) + "]", Dim: true}
}

// who says who speaks in an entry, by what is known without reading it.
func who(e *session.Entry) string {
	switch e.Type {
	case session.TypeCompaction:
		return "compaction"
	case session.TypeBranchSummary:
		return "summary"
	case session.TypeCustomMessage:
		if e.Custom == "bough.take" {
			return "taken"
		}
		return "custom"
	}
	switch e.Role {
	case message.ToolResult:
		return "tool"
	case message.Bash:
		return "bash"
	}
	return OneLine(string(e.Role))
}

func (p *Previews) message(e *session.Entry, m message.Message) Preview {
	v := Preview{Who: who(e)}
	switch m.Role {
	case message.User:
		v.Text = p.withImages(m)
		v.Row = p.lang.T("user") + ": " + v.Text
	case message.Assistant:
		p.answer(&v, m)
	case message.ToolResult:
		p.result(&v, e, m)
	case message.Bash:
		v.Text = OneLine(m.Command)
		v.Row = "[bash]: " + v.Text
		v.Dim = m.ExcludeFromContext
		switch {
		case m.Cancelled:
			v.Mark = "cancelled"
		case m.ExitCode != nil && *m.ExitCode != 0:
			v.Mark = p.lang.T("exit %d", *m.ExitCode)
		}
	case message.System:
		v.Text, v.Row = p.system(m, Counted(p.tree, e))
	case "":
		v.Row, v.Dim = "[message]", true // a message entry without a message
	default:
		v.Text = OneLine(m.Text(" "))
		v.Row = "[" + p.lang.T(v.Who) + "]: " + v.Text
		v.Dim = true
	}
	return v
}

func (p *Previews) answer(v *Preview, m message.Message) {
	v.Text = OneLine(m.Text(" "))
	v.Calls = callNames(m.ToolCalls())
	v.Row = p.lang.T("assistant") + ": " + v.Text
	switch m.StopReason {
	case message.Aborted:
		v.Mark = "aborted"
	case message.Failed:
		v.Mark = "error"
	case message.Length:
		v.Mark = "cut"
	}
	if v.Text != "" {
		return
	}
	switch {
	case v.Mark == "aborted":
		v.Row += "(" + p.lang.T("aborted") + ")"
	case v.Mark == "error":
		v.Text = shorten(OneLine(m.ErrorMessage), 80)
		v.Row += v.Text
	case v.Calls == "":
		v.Text = p.lang.T("(no content)")
		v.Row += v.Text
	default:
		v.Row += "-> " + v.Calls
	}
}

// result names the call that a tool result answers.
func (p *Previews) result(v *Preview, e *session.Entry, m message.Message) {
	if m.IsError {
		v.Mark = "error"
	}
	if c := p.call(e, m.ToolCallID); c != nil {
		v.Text = CallLine(c.Name, c.Args())
		v.Row = callRow(c.Name, c.Args())
		return
	}
	v.Text = OneLine(m.ToolName)
	v.Row = "[" + strings.TrimSpace(p.lang.T("tool")+" "+v.Text) + "]"
}

// call finds the call of an id in the answer that e follows.
func (p *Previews) call(e *session.Entry, id string) *message.Block {
	for a := p.tree.Parent(e.ID); a != nil; a = p.tree.Parent(a.ID) {
		if a.Role == message.User {
			return nil
		}
		if a.Role != message.Assistant {
			continue
		}
		calls, ok := p.calls[a.ID]
		if !ok {
			if body, err := a.Body(); err == nil {
				if m, is := body.(session.Message); is {
					calls = m.Message.ToolCalls()
				}
			}
			p.calls[a.ID] = calls
		}
		for i := range calls {
			if calls[i].ID == id {
				return &calls[i]
			}
		}
		return nil
	}
	return nil
}

// edit names what is left out of the context or put in its place.
func (p *Previews) edit(b session.ContextEdit) string {
	row := "[context omit: %s]"
	if !b.Omit {
		row = "[context replace: %s]"
	}
	target := p.tree.Get(b.Target)
	if target == nil || target.Type == session.TypeContextEdit {
		return p.lang.T(row, OneLine(string(b.Target)))
	}
	return p.lang.T(row, shorten(p.Of(target).Row, 60))
}

// withImages is the text of a message and how many images it has.
func (p *Previews) withImages(m message.Message) string {
	s := OneLine(withoutSkill(m.Text(" ")))
	n := 0
	for _, b := range m.Content {
		if b.Type == message.ImageBlock {
			n++
		}
	}
	if n == 0 {
		return s
	}
	return strings.TrimSpace(s + " " + p.lang.N(n, "[%d image]", "[%d images]"))
}

// system says what a system message declares. The first one of a path declares
// everything, a later one what has changed.
func (p *Previews) system(m message.Message, first bool) (text, row string) {
	var changed, gone []string
	ours := p.lang.T("instructions")
	for _, s := range m.Sections {
		if s.Text == nil {
			gone = append(gone, OneLine(s.Name))
			continue
		}
		changed = append(changed, OneLine(s.Name))
		if s.Name == "preamble" && strings.Contains(*s.Text, "bough") {
			ours = p.lang.T("bough's instructions")
		}
	}
	if len(changed) == 0 && len(gone) == 0 && len(m.ToolsAdded) == 0 && len(m.ToolsRemoved) == 0 {
		s := OneLine(m.Text(" "))
		return s, "[" + p.lang.T("system") + "]: " + s
	}
	size := p.lang.N(len(changed), "%d section", "%d sections") + ", " + p.lang.N(len(m.ToolsAdded), "%d tool", "%d tools")
	text = ours + " (" + size + ")"
	if first {
		return text, p.lang.T("[system: %s]", size)
	}
	var parts []string
	if n, k := len(m.ToolsAdded), len(m.ToolsRemoved); n > 0 || k > 0 {
		tools := p.lang.T("tools")
		if n > 0 {
			tools += fmt.Sprintf(" +%d", n)
		}
		if k > 0 {
			tools += fmt.Sprintf(" -%d", k)
		}
		parts = append(parts, tools)
	}
	for _, s := range changed {
		parts = append(parts, p.lang.T("%s changed", s))
	}
	for _, s := range gone {
		parts = append(parts, p.lang.T("%s removed", s))
	}
	return text, p.lang.T("[system: %s]", strings.Join(parts, ", "))
}

// unmarked is a text without the marks of Markdown.
func unmarked(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s[:min(len(s), lineBytes)]) {
		line = strings.TrimLeft(strings.TrimSpace(line), "#>")
		b.WriteString(strings.NewReplacer("**", "", "__", "", "`", "").Replace(line) + " ")
	}
	return OneLine(b.String())
}

// withoutIntro returns the summary of a branch without the two lines that bough and
// pi write before it for the model.
func withoutIntro(s string) string {
	intro, rest, ok := strings.Cut(s, "\n\n")
	if ok && strings.Count(intro, "\n") == 1 && strings.HasSuffix(strings.TrimSpace(intro), ":") {
		return rest
	}
	return s
}

// IsSilent reports whether an answer says nothing by itself: no text, just tool
// calls or nothing, and it ended well. A tree shows the results instead.
func IsSilent(e *session.Entry) bool {
	if e.Role != message.Assistant {
		return false
	}
	line, err := e.Raw()
	if err != nil {
		return false
	}
	m := rawjson.Get(line, "message")
	if stop, ok := rawjson.GetString(m, "stopReason"); ok && stop != string(message.Stop) && stop != string(message.ToolUse) {
		return false
	}
	content := rawjson.Get(m, "content")
	if s, ok := rawjson.String(content); ok {
		return strings.TrimSpace(s) == ""
	}
	for b := range rawjson.Elements(content) {
		if typ, _ := rawjson.GetString(b, "type"); typ == string(message.TextBlock) {
			if s, _ := rawjson.GetString(b, "text"); strings.TrimSpace(s) != "" {
				return false
			}
		}
	}
	return true
}

// IsTroubled reports whether something went wrong in an entry: an answer failed, was
// stopped or cut, a tool or a command failed.
func IsTroubled(e *session.Entry) bool {
	switch e.Role {
	case message.Assistant, message.ToolResult, message.Bash:
	default:
		return e.Lost()
	}
	line, err := e.Raw()
	if err != nil {
		return true
	}
	m := rawjson.Get(line, "message")
	switch e.Role {
	case message.ToolResult:
		return rawjson.Bool(rawjson.Get(m, "isError"))
	case message.Bash:
		code, ok := rawjson.Number(rawjson.Get(m, "exitCode"))
		return ok && code != 0 || rawjson.Bool(rawjson.Get(m, "cancelled"))
	}
	stop, _ := rawjson.GetString(m, "stopReason")
	return stop == string(message.Failed) || stop == string(message.Aborted) || stop == string(message.Length)
}
