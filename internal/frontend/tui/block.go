package tui

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// margin is what every row of the transcript begins with.
var margin = styled.Of(" ", styled.Style{})

// markdownOptions are for texts of the transcript.
func (a *app) markdownOptions(width int) markdown.Options {
	return markdown.Options{Width: max(width-2, 1), Theme: a.theme.text, Links: a.o.Links, ASCII: a.o.ASCII}
}

// block draws an entry of the path. An empty row stands before it.
func (a *app) block(at int, open bool) drawing {
	e := a.look.path[at]
	body, err := e.Body()
	if err != nil {
		return whole(a.note(a.theme.failure, a.t("(unreadable: %s)", a.told(render.OneLine(err.Error())))))
	}
	switch b := body.(type) {
	case session.Message:
		switch b.Message.Role {
		case message.User:
			return whole(a.userBlock(e, b.Message, open))
		case message.Assistant:
			return a.answerBlock(at, b.Message, open)
		case message.ToolResult:
			return whole(a.toolRow(toolCall{name: b.Message.ToolName, result: &b.Message}, open))
		case message.Bash:
			return whole(a.bashBlock(b.Message, open))
		}
		return whole(a.cardBlock(render.OneLine(string(b.Message.Role)), "", b.Message.Text("\n"), true))
	case session.Compaction:
		head := a.t("%s tokens -> summary", thousands(b.TokensBefore))
		return whole(a.summaryCard(a.t("compaction"), head, b.Summary, b.Details, b.Usage, open))
	case session.BranchSummary:
		return whole(a.summaryCard(a.t("branch"), a.cameFrom(e, b.From), b.Summary, b.Details, b.Usage, open))
	case session.CustomMessage:
		if !b.Display {
			return drawing{}
		}
		m := message.Message{Content: b.Content}
		rows := a.customBlock(render.OneLine(b.CustomType), m.Text("\n"))
		for _, c := range b.Content {
			if c.Type == message.ImageBlock {
				for _, r := range a.imageRows(c, a.look.width-2) {
					rows = append(rows, styled.Join(margin, r))
				}
			}
		}
		return whole(rows)
	}
	p := a.previews(a.view.Tree).Of(e)
	return whole(a.note(a.theme.dim, p.Row))
}

func whole(lines []styled.Line) drawing { return drawing{lines: lines, stable: len(lines)} }

func (a *app) note(style styled.Style, text string) []styled.Line {
	return append([]styled.Line{nil}, styled.Wrap(styled.Of(text, style), a.look.width, margin, margin)...)
}

// userBlock draws what a person said, on a background of its own.
func (a *app) userBlock(e *session.Entry, m message.Message, open bool) []styled.Line {
	w := a.look.width
	text := m.Text("\n")
	var rows []styled.Line
	if name, rest, ok := skill(text); ok && !open {
		rows = append(rows, styled.Line{{Text: a.t("[skill] %s", name), Style: a.theme.accent}, {Text: a.more(), Style: a.theme.dim}})
		text = rest
	}
	if strings.TrimSpace(text) != "" {
		rows = append(rows, markdown.Render(text, a.markdownOptions(w))...)
	}
	for _, b := range m.Content {
		if b.Type == message.ImageBlock {
			rows = append(rows, a.imageRows(b, w-2)...)
		}
	}
	var from styled.Line
	if by := a.look.by[e.ID]; by != "" {
		from = styled.Of(a.t("from %s", by), a.theme.dim)
	}
	out := []styled.Line{nil, a.band(from, a.theme.user)}
	out[1] = out[1].With(styled.Message, 0)
	for _, r := range rows {
		out = append(out, a.band(r, a.theme.user))
	}
	out = append(out, a.band(nil, a.theme.user))
	if mark := a.version(e); mark != "" {
		last := len(out) - 1
		out[last] = styled.Join(styled.Of(" ", a.theme.user).Pad(max(w-len(mark)-1, 0), a.theme.user), styled.Of(mark+" ", a.theme.user.Over(a.theme.dim))).Cut(w)
	}
	return out
}

// band is a row on a background from edge to edge.
func (a *app) band(l styled.Line, under styled.Style) styled.Line {
	l = styled.Join(margin, l).Cut(a.look.width).Styled(under)
	if under.BG == 0 {
		return l
	}
	return l.Pad(a.look.width, under)
}

// version says which of several branches a message begins: <2/3>.
func (a *app) version(e *session.Entry) string {
	list := a.versions(e)
	if len(list) < 2 {
		return ""
	}
	for i, s := range list {
		if s.ID == e.ID {
			return fmt.Sprintf("<%d/%d>", i+1, len(list))
		}
	}
	return ""
}

// versions are the messages of the user that were said at the same place.
func (a *app) versions(e *session.Entry) []*session.Entry {
	parent := session.ID("")
	if p := a.view.Tree.Parent(e.ID); p != nil {
		parent = p.ID
		if up := render.Above(a.view.Tree, p.ID); up != nil {
			parent = up.ID
		}
	}
	var list []*session.Entry
	for _, s := range render.Next(a.view.Tree, parent) {
		if s.Role == message.User {
			list = append(list, s)
		}
	}
	return list
}

// skill takes a message apart that calls one.
func skill(text string) (name, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, `<skill name="`)
	if !ok {
		return "", text, false
	}
	name, after, ok = strings.Cut(after, `"`)
	_, rest, closed := strings.Cut(after, "</skill>")
	return render.OneLine(name), strings.TrimSpace(rest), ok && closed
}

// more says how a closed block is opened.
func (a *app) more() string {
	if k := a.keys.name("app.tools.expand"); k != "" {
		return " (" + k + ")"
	}
	return ""
}

// answerBlock draws an answer with its calls, in their order, and what they came to.
func (a *app) answerBlock(at int, m message.Message, open bool) drawing {
	d := a.answer(m, func(_ int, text string, style styled.Style) (closed, open []styled.Line) {
		return inMargin(nil, markdown.Render(text, a.markdownOptions(a.look.width)), style), nil
	})
	results := a.results(at)
	running := at == a.lastAnswer() && a.view.Running
	for _, c := range m.ToolCalls() {
		row := toolCall{id: c.ID, name: c.Name, args: c.Args(), result: results[c.ID], gone: !running}
		for _, t := range a.view.Tools {
			if t.CallID == c.ID && running {
				row.live = &t.Output
			}
		}
		whole := d.stable == len(d.lines)
		d.lines = append(d.lines, a.toolRow(row, open)...)
		if whole && (row.result != nil || row.gone) {
			d.stable = len(d.lines)
		}
	}
	if end := a.ending(m); end != "" {
		whole := d.stable == len(d.lines)
		d.lines = append(d.lines, a.note(a.theme.failure, end)...)
		if whole {
			d.stable = len(d.lines)
		}
	}
	return d
}

// ending says how an answer ended, if it did not end well.
func (a *app) ending(m message.Message) string {
	switch m.StopReason {
	case message.Aborted:
		return a.t("Stopped.")
	case message.Failed:
		return a.t("Error: %s", a.told(render.Cut(render.OneLine(m.ErrorMessage), 400)))
	case message.Length:
		return a.t("The answer was cut off by the output limit of the model. Ask it to go on.")
	}
	return ""
}

// lastAnswer is where in the path the newest answer stands, -1 if nowhere.
func (a *app) lastAnswer() int {
	for i := len(a.look.path) - 1; i >= 0; i-- {
		switch a.look.path[i].Role {
		case message.Assistant:
			return i
		case message.User:
			return -1
		}
	}
	return -1
}

// results are what the calls of an answer came to, by their ids.
func (a *app) results(at int) map[string]*message.Message {
	var out map[string]*message.Message
	for _, e := range a.look.path[at+1:] {
		switch e.Role {
		case message.ToolResult:
		case message.Assistant, message.User:
			return out
		default:
			continue
		}
		body, err := e.Body()
		if m, ok := body.(session.Message); ok && err == nil {
			if out == nil {
				out = map[string]*message.Message{}
			}
			out[m.Message.ToolCallID] = &m.Message
		}
	}
	return out
}

// answer draws what an answer says; text draws a text of it, as rows that stay and
// rows that may change.
func (a *app) answer(m message.Message, text func(i int, s string, style styled.Style) (closed, open []styled.Line)) drawing {
	var d drawing
	stable := true
	add := func(closed, open []styled.Line) {
		if len(closed)+len(open) == 0 {
			return
		}
		first := len(d.lines) == 0
		d.lines = append(append(d.lines, nil), closed...)
		if stable {
			d.stable, stable = len(d.lines), len(open) == 0
		}
		d.lines = append(d.lines, open...)
		if first {
			d.lines[1] = d.lines[1].With(styled.Message, 0)
		}
	}
	hidden := a.hidesThinking()
	for i, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			if strings.TrimSpace(b.Text) != "" {
				add(text(i, b.Text, styled.Style{}))
			}
		case message.ThinkingBlock:
			switch {
			case hidden && (b.Text != "" || b.Redacted):
				add(inMargin(nil, []styled.Line{styled.Of(a.t("thinking"), a.theme.thinking)}, styled.Style{}), nil)
			case strings.TrimSpace(b.Text) != "":
				add(text(i, b.Text, a.theme.thinking))
			}
		}
	}
	return d
}

// inMargin adds rows of a text to others.
func inMargin(to, rows []styled.Line, style styled.Style) []styled.Line {
	for _, l := range rows {
		if l != nil {
			l = styled.Join(margin, l.Styled(style))
		}
		to = append(to, l)
	}
	return to
}

// livePart is a block of the answer that is being streamed. Rows that stay are put
// together once.
type livePart struct {
	stream markdown.Stream
	closed []styled.Line
	o      markdown.Options
	style  styled.Style
}

func (p *livePart) set(text string, o markdown.Options, style styled.Style) (closed, open []styled.Line) {
	rows, more := p.stream.Set(text, o)
	if p.o != o || p.style != style || len(rows) < len(p.closed) {
		p.closed, p.o, p.style = nil, o, style
	}
	p.closed = inMargin(p.closed, rows[len(p.closed):], style)
	return p.closed, inMargin(nil, more, style)
}

// answer draws the answer that is being streamed.
func (t *transcript) answer() drawing {
	a := t.app
	m := *a.view.Answer
	for len(t.live.parts) < len(m.Content) {
		t.live.parts = append(t.live.parts, new(livePart))
	}
	o := a.markdownOptions(t.width)
	d := a.answer(m, func(i int, s string, style styled.Style) (closed, open []styled.Line) {
		return t.live.parts[i].set(s, o, style)
	})
	for _, c := range m.ToolCalls() {
		d.lines = append(d.lines, a.toolRow(toolCall{name: c.Name, args: c.Args(), coming: true}, t.all)...)
	}
	return d
}

// bashBlock draws a command of the user.
func (a *app) bashBlock(m message.Message, open bool) []styled.Line {
	style := a.theme.accent
	if m.ExcludeFromContext {
		style = a.theme.dim
	}
	out := append([]styled.Line{nil}, styled.Wrap(styled.Of("$ "+render.OneLine(m.Command), style), a.look.width, margin, margin)...)
	out = append(out, a.output(m.Output, 20, true, open)...)
	var tail []string
	switch {
	case m.Cancelled:
		tail = append(tail, a.t("cancelled"))
	case m.ExitCode != nil && *m.ExitCode != 0:
		tail = append(tail, a.t("exit %d", *m.ExitCode))
	}
	if m.FullOutputPath != "" {
		tail = append(tail, a.t("all of it: %s", render.OneLine(m.FullOutputPath)))
	}
	if len(tail) > 0 {
		out = append(out, styled.Wrap(styled.Of(strings.Join(tail, " · "), a.theme.dim), a.look.width, margin, margin)...)
	}
	return out
}

// customBlock draws what an extension said, on a background of its own if the theme has
// one.
func (a *app) customBlock(kind, text string) []styled.Line {
	out := []styled.Line{nil, a.band(styled.Of("["+kind+"]", a.theme.cardName), a.theme.card)}
	for _, r := range markdown.Render(text, a.markdownOptions(a.look.width)) {
		out = append(out, a.band(r, a.theme.card))
	}
	return out
}

// cardBlock draws a summary or another message that nobody said.
func (a *app) cardBlock(name, head, text string, open bool) []styled.Line {
	l := styled.Line{{Text: "[" + name + "]", Style: a.theme.accent}}
	if head != "" {
		l = append(l, styled.Span{Text: " " + head, Style: a.theme.dim})
	}
	if !open && strings.TrimSpace(text) != "" {
		l = append(l, styled.Span{Text: a.more(), Style: a.theme.dim})
	}
	out := []styled.Line{nil, styled.Join(margin, l).Cut(a.look.width)}
	if open {
		for _, r := range markdown.Render(text, a.markdownOptions(a.look.width)) {
			out = append(out, styled.Join(margin, r))
		}
	}
	return out
}
