package export

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// An ImageFile keeps an image as a file and returns how a document refers to it; ""
// leaves the image out.
type ImageFile func(data []byte, ext string) (link string, err error)

// Markdown writes the way to an entry as a document that people read: who said
// what, calls folded up. save keeps images as files; without it they stand in the
// document.
func Markdown(w io.Writer, h session.Header, t *session.Tree, o Options, save ImageFile) (Report, error) {
	m := &markdown{source: source{header: h, tree: t, o: o}, save: save}
	m.out = &counter{w: w, tell: o.Progress}
	err := m.write()
	m.report.Redacted = o.Redact.Report()
	return m.report, cmp.Or(err, m.err)
}

type markdown struct {
	source
	save ImageFile
	out  *counter
	err  error
}

func (m *markdown) put(parts ...string) {
	for _, p := range parts {
		if m.err == nil {
			_, m.err = m.out.WriteString(p)
		}
	}
}

func (m *markdown) write() error {
	stats, shares, err := m.totals()
	if err != nil {
		return err
	}
	title := m.o.Redact.Text(m.title())
	row := func(name, value string) {
		if value != "" {
			m.put(name, ": ", string(rawjson.Quote(value)), "\n")
		}
	}
	m.put("---\n")
	row("title", title)
	row("session", m.header.ID)
	row("folder", m.o.Redact.Text(m.header.CWD))
	first, last := m.span()
	if !first.IsZero() {
		row("date", session.FormatTime(first))
		row("last", session.FormatTime(last))
	}
	if list := models(shares); len(list) > 0 {
		for i, s := range list {
			list[i] = string(rawjson.Quote(s))
		}
		m.put("models: [", strings.Join(list, ", "), "]\n")
	}
	m.put("tokens: ", strconv.FormatFloat(stats.Tokens(), 'f', 0, 64), "\ncost: ", strconv.FormatFloat(stats.Cost, 'f', -1, 64), " # US dollars\n---\n\n# ", escapeLine(title), "\n")
	for p, err := range m.pieces(m.tree.Path(m.stand())) {
		if err != nil {
			return err
		}
		if m.entry(p); m.err != nil {
			return m.err
		}
	}
	return nil
}

// escapeLine keeps words from being taken for Markdown.
func escapeLine(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "|", `\|`).Replace(s)
}

func (m *markdown) head(e *session.Entry, who, more string) {
	m.put("\n## ", escapeLine(who))
	if more != "" {
		m.put(" · ", escapeLine(more))
	}
	if l := m.tree.Label(e.ID); l != "" {
		m.put(" · label: ", escapeLine(m.o.Redact.Text(render.OneLine(l))))
	}
	m.put("\n\n")
}

func (m *markdown) entry(p piece) {
	e := p.entry
	switch b := p.body.(type) {
	case session.Message:
		m.message(p, b.Message)
	case session.Compaction:
		m.head(e, "Compacted", render.Count(b.TokensBefore)+" tokens summed up")
		m.details("Summary", render.Clean(b.Summary)+"\n")
	case session.BranchSummary:
		m.head(e, "Summary of another branch", "")
		m.details("Summary", render.Clean(b.Summary)+"\n")
	case session.CustomMessage:
		if b.Display {
			m.head(e, render.OneLine(b.CustomType), "")
			m.blocks(b.Content)
		}
	case session.ModelChange:
		m.put("\n*Model: ", escapeLine(render.OneLine(b.Provider+"/"+b.ModelID)), "*\n")
	}
}

func (m *markdown) message(p piece, v message.Message) {
	switch v.Role {
	case message.User:
		m.head(p.entry, "You", clock(p.entry.Time))
		m.blocks(v.Content)
	case message.Assistant:
		model := v.ResponseModel
		if model == "" {
			model = v.Model
		}
		m.head(p.entry, "Assistant", render.OneLine(model))
		for _, b := range v.Content {
			if b.Type != message.ToolCallBlock {
				m.blocks([]message.Block{b})
			} else if r, ok := p.results[b.ID]; ok {
				m.call(b, &r)
			} else {
				m.call(b, nil)
			}
		}
		for _, r := range p.others {
			m.call(message.ToolCall("", r.ToolName, nil), &r)
		}
		if bad := ending(v); bad != "" {
			m.put("\n**", escapeLine(bad), "**\n")
		}
	case message.ToolResult:
		m.head(p.entry, "Tool result", "")
		m.call(message.ToolCall("", v.ToolName, nil), &v)
	case message.Bash:
		m.head(p.entry, "Command", "")
		m.put(fence("$ "+v.Command, "sh"), fence(v.Output, ""))
		if v.ExitCode != nil && *v.ExitCode != 0 {
			m.put("exit ", strconv.Itoa(*v.ExitCode), "\n")
		}
	case message.System, "":
	default:
		m.head(p.entry, render.OneLine(string(v.Role)), "")
		m.blocks(v.Content)
	}
}

func (m *markdown) blocks(blocks []message.Block) {
	for _, b := range blocks {
		switch b.Type {
		case message.TextBlock:
			m.put(closed(render.Clean(b.Text)), "\n\n")
		case message.ThinkingBlock:
			if strings.TrimSpace(b.Text) != "" {
				m.details("Thinking", render.Clean(b.Text)+"\n")
			}
		case message.ImageBlock:
			m.image(b)
		default:
			m.details(render.OneLine(string(b.Type)), fence(indent(b.JSON()), "json"))
		}
	}
}

// closed ends a block of code that a text leaves open.
func closed(s string) string {
	open := ""
	for line := range strings.Lines(s) {
		t := strings.TrimSpace(line)
		run := len(t) - len(strings.TrimLeft(t, "`"))
		switch {
		case open == "" && run >= 3 && !strings.Contains(t[run:], "`"):
			open = t[:run]
		case open != "" && run >= len(open) && run == len(t):
			open = ""
		}
	}
	if open != "" {
		s = strings.TrimSuffix(s, "\n") + "\n" + open
	}
	return s
}

func (m *markdown) details(summary, inside string) {
	m.put("<details><summary>", html.EscapeString(summary), "</summary>\n\n", closed(inside), "\n</details>\n\n")
}

func (m *markdown) call(c message.Block, r *message.Message) {
	note := "no result"
	if r != nil {
		note = resultNote(*r)
	}
	summary := render.Cut(render.CallLine(c.Name, c.Args()), 160)
	if note != "" {
		summary += " (" + note + ")"
	}
	var b strings.Builder
	for _, p := range callParts(c, r) {
		b.WriteString(fence(p.text, p.lang))
	}
	m.details(summary, b.String())
	if r != nil {
		for _, b := range r.Content {
			if b.Type == message.ImageBlock {
				m.image(b)
			}
		}
	}
}

// fence makes a block of code, with more backticks than there are in it.
func fence(text, lang string) string {
	text = strings.TrimSuffix(render.Clean(text), "\n")
	longest, run := 2, 0
	for _, c := range []byte(text) {
		if c != '`' {
			run = 0
			continue
		}
		if run++; run > longest {
			longest = run
		}
	}
	ticks := strings.Repeat("`", longest+1)
	return ticks + lang + "\n" + text + "\n" + ticks + "\n\n"
}

func (m *markdown) image(b message.Block) {
	if !isImage(b) {
		m.put("[image of a kind that is not shown]\n\n")
		return
	}
	link := "data:" + b.MimeType + ";base64," + b.Data
	if m.save != nil {
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			m.put("[image that cannot be read]\n\n")
			return
		}
		if link, err = m.save(data, imageKind(b.MimeType)); err != nil {
			m.err = cmp.Or(m.err, fmt.Errorf("keep an image: %w", err))
			return
		}
		if link == "" {
			m.put("[image]\n\n")
			return
		}
	}
	m.put("![image](", link, ")\n\n")
}
