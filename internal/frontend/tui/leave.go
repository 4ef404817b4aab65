package tui

import (
	"strings"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
)

// leave ends the front end. What goes on is asked about first: it ends with the
// session, unless that lives elsewhere.
func (a *app) leave() {
	if !a.view.Running && a.shell == nil || a.asking {
		a.quit = true
		return
	}
	a.asking = true
	q := &question{text: "Something is still going on. Leave all the same?", choices: []choice{
		{"Stop it and leave", func() {
			call(a, protocol.Abort{}, func(protocol.None, error) { a.quit = true })
		}},
		{"Stay", func() { a.asking = false }},
	}, gone: func() { a.asking = false }}
	if a.o.Detach != nil && a.o.Detach() == nil {
		q.choices = append([]choice{{"Leave; it goes on where it runs", func() { a.detached, a.quit = true, true }}}, q.choices...)
	}
	a.push(q)
}

// farewell is what is left on the terminal at the end: the last answer, if it went
// with the screen, and how to go on.
func (a *app) farewell() string {
	if a.view.Tree == nil || a.view.Fresh && a.view.Tree.Len() == 0 {
		return ""
	}
	var b strings.Builder
	if !a.o.Regular && a.o.LastAnswer {
		if text := a.answerText(1); text != "" {
			w, _ := a.term.Size()
			for _, l := range lastRows(text, max(w, 1)) {
				b.WriteString(l + "\r\n")
			}
		}
	}
	if a.o.ResumeWords != nil {
		if words := render.OneLine(a.o.ResumeWords(a.view.Header, a.view.File)); words != "" {
			head := "To go on with this conversation:"
			if a.detached {
				head = "The session goes on. To come back to it:"
			}
			b.WriteString(head + "\r\n" + words + "\r\n")
		}
	}
	return b.String()
}

// mostSaid is how much of the last answer is left on the terminal, in rows.
const mostSaid = 40

// lastRows are the rows of an answer as plain text, the end of it if it is long.
func lastRows(text string, width int) []string {
	var out []string
	for _, l := range markdown.Render(text, markdown.Options{Width: width, ASCII: true}) {
		out = append(out, styled.Safe(l.Text()))
	}
	if n := len(out) - mostSaid; n > 0 {
		out = append([]string{"(" + render.Plural(n, "row", "rows") + " before)"}, out[n:]...)
	}
	return append(out, "")
}
