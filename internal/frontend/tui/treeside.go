package tui

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// sidePane shows all of one entry.
type sidePane struct {
	id     session.ID // whose text it is
	text   string
	facts  string
	failed bool

	width  int // the rows are for
	theme  string
	rows   []styled.Line
	scroll int
}

// mostPreviewed is how much of a text the preview shows; ctrl+x copies all.
const mostPreviewed = 64 << 10

// look has an entry read for the preview.
func (t *treeScreen) look(a *app, e *session.Entry) {
	s := &t.side
	*s = sidePane{id: e.ID}
	text, err := render.Full(e, true)
	if err != nil {
		s.text, s.failed = render.OneLine(err.Error()), true
		return
	}
	switch p := t.previews(a).Of(e); {
	case text == "":
		text = p.Row
	case e.Role == message.ToolResult:
		text = p.Row + "\n\n" + text
	}
	if len(text) > mostPreviewed {
		text = strings.ToValidUTF8(text[:mostPreviewed], "") + "\n\n" + a.t("[more; %s copies all]", a.keys.name("app.message.copy"))
	}
	s.text, s.facts = text, entryFacts(a, e)
}

// entryFacts say when, by which model, for how much; and how it goes on.
func entryFacts(a *app, e *session.Entry) string {
	parts := []string{}
	if !e.Time.IsZero() {
		parts = append(parts, stamp(e.Time, a.o.Now()))
	}
	if b, ok, err := e.Bill(); ok && err == nil {
		if b.Model != "" {
			parts = append(parts, render.OneLine(b.Model))
		}
		if n := b.Tokens(); n > 0 {
			parts = append(parts, a.t("%s tokens", render.Count(n)))
		}
		if c := render.Dollars(b.Cost); c != "" {
			parts = append(parts, c)
		}
		if p := b.Prompt(); p > 0 && b.CacheRead > 0 {
			parts = append(parts, a.t("%.0f%% cached", 100*b.CacheRead/p))
		}
	}
	if e.Role == message.Assistant {
		f := render.FactsOf(slices.Values([]*session.Entry{e}))
		if n := len(f.Changed); n > 0 {
			parts = append(parts, a.t("changes %s", render.OneLine(strings.Join(f.Changed, ", "))))
		} else if n := len(f.Read); n > 0 {
			parts = append(parts, a.t("reads %s", render.OneLine(strings.Join(f.Read, ", "))))
		}
	}
	switch n := len(render.Next(a.view.Tree, e.ID)); n {
	case 0:
		parts = append(parts, a.t("the end of its branch"))
	case 1:
	default:
		parts = append(parts, a.n(n, "%d way on", "%d ways on"))
	}
	return strings.Join(parts, " · ")
}

// pane draws the preview of the chosen entry.
func (t *treeScreen) pane(a *app, width, height int) []styled.Line {
	e := t.chosen()
	if e == nil || height < 1 {
		return nil
	}
	s := &t.side
	if s.id != e.ID {
		t.look(a, e)
	}
	if s.width != width || s.theme != a.theme.name {
		s.width, s.theme = width, a.theme.name
		switch {
		case s.failed:
			s.rows = styled.Wrap(styled.Of(s.text, a.theme.failure), width, nil, nil)
		case e.Role == message.ToolResult || e.Role == message.Bash || e.Role == message.User || e.Role == message.System:
			s.rows = nil
			for line := range strings.Lines(render.Clean(s.text)) {
				line = untabbed(strings.TrimRight(line, "\r\n"))
				s.rows = append(s.rows, styled.Wrap(styled.Of(line, styled.Style{}), width, nil, nil)...)
			}
		default:
			s.rows = markdown.Render(s.text, a.markdownOptions(width))
		}
	}
	head := styled.Wrap(styled.Of(s.facts, a.theme.dim), width, nil, nil)
	head = head[:min(len(head), max(height/3, 1))]
	room := max(height-len(head), 0)
	s.scroll = min(s.scroll, max(len(s.rows)-room, 0))
	out := append(slices.Clone(head), s.rows[s.scroll:min(s.scroll+room, len(s.rows))]...)
	if rest := len(s.rows) - s.scroll - room; rest > 0 && room > 1 {
		words := a.n(rest+1, "%d row more; %s", "%d rows more; %s", a.keys.name("bough.tree.previewDown"))
		out[len(out)-1] = styled.Of(words, a.theme.dim)
	}
	for i := range out {
		out[i] = out[i].Cut(width)
	}
	return out
}
