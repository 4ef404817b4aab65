package render

import (
	"fmt"
	"strings"

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
}

// NewPreviews returns previews of the entries of a tree.
func NewPreviews(t *session.Tree) *Previews {
	return &Previews{tree: t, calls: map[session.ID][]message.Block{}}
}

// Of returns the preview of an entry.
func (p *Previews) Of(e *session.Entry) Preview {
	if e.Lost() {
		return lost(e)
	}
	return p.of(e).marked(e)
}

func (p *Previews) of(e *session.Entry) Preview {
	body, err := e.Body()
	if err != nil {
		return Preview{Row: "[unreadable: " + OneLine(err.Error()) + "]", Text: "(unreadable)", Who: who(e), Mark: "error"}
	}
	switch b := body.(type) {
	case session.Message:
		if e.Role != "" && b.Message.Role == "" {
			return broken(e)
		}
		return p.message(e, b.Message)
	case session.Compaction:
		size := Count(b.TokensBefore) + " tokens"
		s := unmarked(b.Summary)
		return Preview{Who: "compaction", Text: strings.TrimSpace(size + " -> " + s), Row: strings.TrimSpace("[compaction: " + size + "] " + s)}
	case session.BranchSummary:
		s := unmarked(withoutIntro(b.Summary))
		return Preview{Who: "summary", Text: s, Row: strings.TrimSpace("[branch summary]: " + s)}
	case session.CustomMessage:
		s := withImages(message.Message{Content: b.Content})
		if b.CustomType == "bough.take" {
			s = strings.TrimPrefix(s, "From another branch of this conversation, ")
			return Preview{Who: "taken", Text: s, Row: "[taken]: " + s}
		}
		typ := OneLine(b.CustomType)
		return Preview{Who: "custom", Text: typ + ": " + s, Row: "[" + typ + "]: " + s}
	case session.ModelChange:
		return Preview{Row: "[model: " + OneLine(b.ModelID) + "]"}
	case session.ThinkingChange:
		return Preview{Row: "[thinking: " + OneLine(b.Level) + "]"}
	case session.Custom:
		return Preview{Row: "[custom: " + OneLine(b.CustomType) + "]"}
	case session.Label:
		if b.Text == "" {
			return Preview{Row: "[label: cleared]"}
		}
		return Preview{Row: "[label: " + OneLine(b.Text) + "]"}
	case session.Info:
		if b.Name == "" {
			return Preview{Row: "[title: empty]"}
		}
		return Preview{Row: "[title: " + OneLine(b.Name) + "]"}
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
		v.Text = withImages(m)
		v.Row = "user: " + v.Text
	case message.Assistant:
		v.answer(m)
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
			v.Mark = fmt.Sprintf("exit %d", *m.ExitCode)
		}
	case message.System:
		v.Text, v.Row = system(m, Counted(p.tree, e))
	case "":
		v.Row, v.Dim = "[message]", true // a message entry without a message
	default:
		v.Text = OneLine(m.Text(" "))
		v.Row = "[" + v.Who + "]: " + v.Text
		v.Dim = true
	}
	return v
}

func (v *Preview) answer(m message.Message) {
	v.Text = OneLine(m.Text(" "))
	v.Calls = callNames(m.ToolCalls())
	v.Row = "assistant: " + v.Text
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
		v.Row += "(aborted)"
	case v.Mark == "error":
		v.Text = shorten(OneLine(m.ErrorMessage), 80)
		v.Row += v.Text
	case v.Calls == "":
		v.Text = "(no content)"
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
	v.Row = strings.TrimSpace("[tool "+v.Text) + "]"
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
	what := "omit"
	if !b.Omit {
		what = "replace"
	}
	target := p.tree.Get(b.Target)
	if target == nil || target.Type == session.TypeContextEdit {
		return "[context " + what + ": " + OneLine(string(b.Target)) + "]"
	}
	return "[context " + what + ": " + shorten(p.Of(target).Row, 60) + "]"
}

// withImages is the text of a message and how many images it has.
func withImages(m message.Message) string {
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
	return strings.TrimSpace(s + " [" + Plural(n, "image", "images") + "]")
}

// system says what a system message declares. The first one of a path declares
// everything, a later one what has changed.
func system(m message.Message, first bool) (text, row string) {
	var changed, gone []string
	ours := "instructions"
	for _, s := range m.Sections {
		if s.Text == nil {
			gone = append(gone, OneLine(s.Name))
			continue
		}
		changed = append(changed, OneLine(s.Name))
		if s.Name == "preamble" && strings.Contains(*s.Text, "bough") {
			ours = "bough's instructions"
		}
	}
	if len(changed) == 0 && len(gone) == 0 && len(m.ToolsAdded) == 0 && len(m.ToolsRemoved) == 0 {
		s := OneLine(m.Text(" "))
		return s, "[system]: " + s
	}
	size := Plural(len(changed), "section", "sections") + ", " + Plural(len(m.ToolsAdded), "tool", "tools")
	text = ours + " (" + size + ")"
	if first {
		return text, "[system: " + size + "]"
	}
	var parts []string
	if n, k := len(m.ToolsAdded), len(m.ToolsRemoved); n > 0 || k > 0 {
		tools := "tools"
		if n > 0 {
			tools += fmt.Sprintf(" +%d", n)
		}
		if k > 0 {
			tools += fmt.Sprintf(" -%d", k)
		}
		parts = append(parts, tools)
	}
	for _, s := range changed {
		parts = append(parts, s+" changed")
	}
	for _, s := range gone {
		parts = append(parts, s+" removed")
	}
	return text, "[system: " + strings.Join(parts, ", ") + "]"
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
