package tui

import (
	"strings"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// typing asks for a line of text.
type typing struct {
	title  string
	words  string // what it is for
	secret bool   // what is typed is not shown
	done   func(a *app, text string)
	left   func(a *app) // it was closed without an answer; nil: nothing

	in input
}

func (t *typing) hints() []hint {
	return []hint{{"tui.select.confirm", "done"}, {"tui.select.cancel", "back"}}
}

func (t *typing) update(a *app, ev term.Event) {
	switch e := ev.(type) {
	case term.Paste:
		t.in.paste(e.Text)
	case term.Key:
		switch {
		case a.keys.is(e, "tui.select.cancel"):
			a.close(t)
			if t.left != nil {
				t.left(a)
			}
		case a.keys.is(e, "tui.select.confirm"):
			a.close(t)
			text, _ := t.in.says()
			t.done(a, text)
		case t.secret && a.keys.is(e, "tui.editor.yank", "tui.editor.yankPop"):
		default:
			t.in.key(a.keys, e)
		}
	}
}

func (t *typing) view(a *app, width, height int) panel {
	out := panel{rows: []styled.Line{a.border(styled.Of(a.t(t.title), a.theme.title), "", width, a.theme.accent)}}
	if t.words != "" && height >= 5 {
		words := styled.Wrap(styled.Of(a.t(t.words), a.theme.dim), max(width-1, 1), margin, margin)
		out.rows = append(out.rows, words[:min(len(words), height-4)]...)
	}
	shown := t.in
	if t.secret {
		n := len([]rune(t.in.text[:t.in.at]))
		shown.text = strings.Repeat("*", len([]rune(t.in.text)))
		shown.at = n
	}
	line, x := shown.draw(max(width-3, 1), styled.Style{})
	out.x, out.y, out.cursor = x+3, len(out.rows), true
	out.rows = append(out.rows, styled.Join(styled.Of(" > ", a.theme.accent), line))
	return panel{rows: append(out.rows, styled.Join(margin, a.help(t.hints(), width-1))), x: out.x, y: out.y, cursor: true}
}
