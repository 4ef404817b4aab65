package tui

import (
	"errors"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
)

// waiting lists what waits to be said, in the order in which it will be.
type waiting struct{ a *app }

func (w waiting) len() int          { return len(w.a.view.Queue.Items) }
func (w waiting) text(i int) string { return w.a.view.Queue.Items[i].Text }

func (w waiting) row(i, width int, _ bool) styled.Line { return w.a.waitingRow(i).Cut(width) }

// waitingRow is a message that waits, on one line.
func (a *app) waitingRow(i int) styled.Line {
	q := a.view.Queue.Items[i]
	mark := a.t("steer")
	if q.FollowUp {
		mark = a.t("later")
	}
	if a.others(q.By) {
		mark += " (" + a.who(q.By) + ")"
	}
	text := render.OneLine(q.Text)
	if q.Images > 0 {
		text = strings.TrimSpace(text + " " + a.n(q.Images, "[%d image]", "[%d images]"))
	}
	return styled.Line{{Text: mark + ": ", Style: a.theme.dim}, {Text: text}}
}

// openQueue lists what waits, each to be taken back, changed or said.
func (a *app) openQueue() {
	q := &picker{title: "Waiting", list: waiting{a}, empty: "no message waits",
		choose: func(a *app, i int) { a.editQueued(a.view.Queue.Items[i]) },
		more:   []hint{{"bough.queue.drop", "drop"}, {"bough.queue.send", "say it now"}, {"app.message.dequeue", "all into the editor"}},
		hears: func(p *picker, ev protocol.Event) {
			if _, ok := ev.(protocol.QueueChanged); ok {
				p.changed()
			}
		},
	}
	q.act = func(a *app, i int, k term.Key) bool {
		switch {
		case a.keys.is(k, "app.message.dequeue"):
			a.close(q)
			a.takeBack()
		case i < 0 || i >= len(a.view.Queue.Items):
			return false
		case a.keys.is(k, "bough.queue.drop") && q.query.empty():
			a.problem(a.done0(protocol.DropQueued{ID: a.view.Queue.Items[i].ID}, "dropped"))
		case a.keys.is(k, "bough.queue.edit"):
			a.close(q)
			a.editQueued(a.view.Queue.Items[i])
		case a.keys.is(k, "bough.queue.send"):
			a.close(q)
			a.sendQueue()
		default:
			return false
		}
		return true
	}
	a.push(q)
}

func (a *app) sendQueue() {
	if a.view.Running {
		a.flash("it is said after the current turn; stop the run first (%s) to say it now", a.keys.name("app.interrupt"))
		return
	}
	a.problem(a.done0(protocol.SendQueue{}, "said now"))
}

// editQueued takes a message that waits into the editor. Its images stay with it.
func (a *app) editQueued(w protocol.Waiting) {
	a.takeUp(w.Text, &purpose{"what is to wait instead", func(text string) {
		call(a, protocol.EditQueued{ID: w.ID, Text: text}, func(_ protocol.Queue, err error) {
			if err != nil && a.editor.empty() {
				a.editor.set(text) // it was said meanwhile
			}
			a.said(err, "changed")
		})
	}})
}

func (a *app) queueCommand(c slash.Command) error {
	what, rest, _ := strings.Cut(c.Rest, " ")
	switch what {
	case "":
		a.openQueue()
		return nil
	case "send":
		a.sendQueue()
		return nil
	case "clear":
		return a.done0(protocol.ClearQueue{}, "what waited was dropped")
	case "drop", "edit":
		number, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
		w, err := slash.Queued(a.view.Queue, what, number)
		switch text = strings.TrimSpace(text); {
		case err != nil:
			return err
		case what == "drop":
			return a.done0(protocol.DropQueued{ID: w.ID}, "dropped")
		case text == "":
			a.editQueued(w)
			return nil
		}
		return a.done0(protocol.EditQueued{ID: w.ID, Text: text}, "changed")
	}
	return errors.New("/queue shows what waits; /queue drop N, /queue edit N TEXT, /queue send and /queue clear change it")
}
