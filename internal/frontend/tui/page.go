package tui

import (
	"strings"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/session"
)

// page shows something to be read: all of an entry, or what a command found.
type page struct {
	title string
	make  func(width int) []styled.Line // once for each width
	fills bool                          // it takes the whole screen

	rows   []styled.Line
	width  int
	top    int
	height int // of the text, when it was drawn last
}

func (p *page) whole() bool { return p.fills }

func (p *page) hints() []hint {
	if len(p.rows) <= p.height {
		return []hint{{"tui.select.cancel", "close"}, {"app.message.copy", "copy"}}
	}
	return []hint{{"tui.select.cancel", "close"}, {"tui.select.pageDown", "on"}, {"tui.select.pageUp", "earlier"}, {"app.message.copy", "copy"}}
}

func (p *page) update(a *app, ev term.Event) {
	switch e := ev.(type) {
	case term.Mouse:
		if e.Button == term.WheelUp {
			p.top -= 3
		} else if e.Button == term.WheelDown {
			p.top += 3
		}
	case term.Key:
		is := func(actions ...string) bool { return a.keys.is(e, actions...) }
		switch {
		case is("tui.select.cancel", "tui.select.confirm"):
			a.close(p)
		case is("tui.select.up"):
			p.top--
		case is("tui.select.down"):
			p.top++
		case is("tui.select.pageUp"):
			p.top -= max(p.height-1, 1)
		case is("tui.select.pageDown"):
			p.top += max(p.height-1, 1)
		case is("tui.altScreen.top", "tui.editor.cursorLineStart"):
			p.top = 0
		case is("tui.altScreen.bottom", "tui.editor.cursorLineEnd"):
			p.top = len(p.rows)
		case is("app.message.copy"):
			var text []byte
			for _, r := range p.rows {
				text = append(append(text, r.Text()...), '\n')
			}
			a.copyText(string(text))
		}
	}
	p.top = max(min(p.top, len(p.rows)-p.height), 0)
}

func (p *page) view(a *app, width, height int) panel {
	if p.rows == nil || p.width != width {
		p.rows, p.width = p.make(width), width
	}
	var out panel
	head := styled.Of(a.t(p.title), a.theme.title)
	help := height >= 5
	p.height = max(height-1, 1)
	if help {
		p.height--
	}
	p.height = min(p.height, max(len(p.rows), 1))
	if p.fills {
		p.height = max(height-1, 1)
		if help {
			p.height--
		}
	}
	p.top = max(min(p.top, len(p.rows)-p.height), 0)
	if len(p.rows) > p.height {
		head = styled.Join(head, styled.Of(" "+a.n(len(p.rows)-p.top-min(p.height, len(p.rows)-p.top), "%d row more", "%d rows more"), a.theme.dim))
	}
	if p.fills {
		out.rows = append(out.rows, styled.Join(margin, head).Cut(width))
	} else {
		out.rows = append(out.rows, a.border(head, "", width, a.theme.border))
	}
	if help {
		out.rows = append(out.rows, styled.Join(margin, a.help(p.hints(), width-1)))
	}
	for y := range p.height {
		if i := p.top + y; i < len(p.rows) {
			out.rows = append(out.rows, p.rows[i].Cut(width))
		} else {
			out.rows = append(out.rows, nil)
		}
	}
	return out
}

// listed is a page of lines that are ready, a panel if they are few.
func (a *app) listed(title string, lines []string) *page {
	_, h := a.term.Size()
	return &page{title: title, fills: len(lines) > h/2, make: func(width int) []styled.Line {
		var rows []styled.Line
		for _, l := range lines {
			line := styled.Join(margin, styled.Of(render.Clean(l), styled.Style{}))
			if line.Width() < width {
				rows = append(rows, line)
				continue
			}
			rows = append(rows, styled.Wrap(line, width-1, nil, styled.Of("   ", styled.Style{}))...)
		}
		return rows
	}}
}

// read does work on the session as it is now beside the loop, since it may take a
// while; what it returns is done by the loop.
func (a *app) read(work func(t *session.Tree, leaf session.ID) func()) {
	t, leaf := a.view.Tree.Snapshot(), a.view.Leaf
	a.beside(func() func() { return work(t, leaf) })
}

// document is a page of a text in Markdown, or as it is.
func (a *app) document(title, text string, plain bool) *page {
	return &page{title: title, fills: true, make: func(width int) []styled.Line {
		if plain {
			var rows []styled.Line
			for _, l := range markdown.Highlight(strings.ReplaceAll(render.Clean(text), "\t", "   "), "", a.theme.text) {
				rows = append(rows, markdown.Chop(l, width-1, margin)...)
			}
			return rows
		}
		var rows []styled.Line
		for _, l := range markdown.Render(text, a.markdownOptions(width)) {
			rows = append(rows, styled.Join(margin, l))
		}
		return rows
	}}
}
