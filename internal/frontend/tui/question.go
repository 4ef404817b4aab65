package tui

import (
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
)

// question asks for one of a few answers.
type question struct {
	id      string // of the session's question; "" if it is ours
	asked   protocol.Asked
	text    string
	choices []choice
	gone    func() // when it was closed without an answer; nil
	at      int
}

type choice struct {
	text string
	do   func() // nil: nothing
}

// ask shows a question of the session.
func (a *app) ask(q protocol.Asked) {
	for _, s := range a.screens {
		if open, ok := s.(*question); ok && open.id == q.ID {
			return
		}
	}
	s := &question{id: q.ID, asked: q, text: a.told(render.Clean(q.Text))}
	for _, c := range q.Choices {
		s.choices = append(s.choices, choice{a.told(render.OneLine(c.Text)), func() {
			call(a, protocol.Answer{Question: q.ID, Choice: c.ID}, func(_ protocol.None, err error) { a.problem(err) })
		}})
	}
	// Beneath what is open: nobody answers what came up under their fingers.
	a.screens = append([]screen{s}, a.screens...)
}

// event closes the question when somebody else has answered it.
func (q *question) event(a *app, ev protocol.Event) {
	if e, ok := ev.(protocol.Answered); ok && e.ID == q.id && q.id != "" {
		a.close(q)
		a.heardAnswer(q, e)
	}
}

// words are those of a choice of the session's question.
func (q *question) words(id string) string {
	for _, c := range q.asked.Choices {
		if c.ID == id {
			return render.OneLine(c.Text)
		}
	}
	return render.OneLine(id)
}

func (q *question) hints() []hint {
	if q.id != "" {
		return []hint{{"tui.select.confirm", "choose"}, {"tui.select.cancel", "stop"}}
	}
	return []hint{{"tui.select.confirm", "choose"}, {"tui.select.cancel", "close"}}
}

func (q *question) update(a *app, ev term.Event) {
	k, ok := ev.(term.Key)
	if !ok {
		return
	}
	n := len(q.choices)
	switch {
	case a.keys.is(k, "tui.select.cancel"):
		if q.id == "" {
			a.close(q)
			if q.gone != nil {
				q.gone()
			}
			return
		}
		// What waits for an answer is ended rather than left waiting for ever.
		call(a, protocol.Abort{}, func(_ protocol.None, err error) { a.problem(err) })
	case a.keys.is(k, "tui.select.confirm") && n > 0:
		q.take(a, q.at)
	case a.keys.is(k, "tui.select.up") && n > 0:
		q.at = (q.at + n - 1) % n
	case a.keys.is(k, "tui.select.down") && n > 0:
		q.at = (q.at + 1) % n
	case len(k.Text) == 1 && k.Text[0] >= '1' && int(k.Text[0]-'1') < n:
		q.take(a, int(k.Text[0]-'1'))
	}
}

func (q *question) take(a *app, i int) {
	a.close(q)
	if f := q.choices[i].do; f != nil {
		f()
	}
}

func (q *question) view(a *app, width, height int) panel {
	var p panel
	p.rows = append(p.rows, a.border(nil, "", width, a.theme.warning))
	words := styled.Wrap(styled.Of(a.t(q.text), a.theme.title), width-1, margin, margin)
	p.rows = append(p.rows, words[:min(len(words), max(height-len(q.choices)-3, 1))]...)
	answers, y := a.choiceRows(q.choices, q.at, width, height-len(p.rows)-1)
	p.y = len(p.rows) + y
	p.rows = append(p.rows, answers...)
	p.rows = append(p.rows, styled.Join(margin, a.help(q.hints(), width-1)))
	return p
}
