package tui

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
)

// leave ends the front end. What goes on is asked about first.
func (a *app) leave() {
	here, others := a.busy(), a.unattended()
	if !here && others == 0 || a.asking {
		a.quit = true
		return
	}
	a.asking = true
	q := &question{text: "Something is still going on. Leave all the same?", gone: func() { a.asking = false }}
	stop := choice{"Stop it and leave", func() {
		call(a, protocol.Abort{}, func(protocol.None, error) { a.quit = true })
	}}
	if !here {
		q.text = a.n(others, "%d other session is at work in the background. Leave?", "%d other sessions are at work in the background. Leave?")
		stop = choice{"Stop them and leave", func() { a.quit = true }}
	}
	switch {
	case a.elsewhere() && here && others == 0:
		q.choices = append(q.choices, choice{"Leave; it goes on where it runs", a.letGo})
	case a.o.GoOn != nil:
		q.choices = append(q.choices, choice{"Leave; it goes on in the background", a.letGo})
	}
	q.choices = append(q.choices, stop, choice{"Stay", func() { a.asking = false }})
	a.push(q)
}

// elsewhere reports whether the session lives in another process.
func (a *app) elsewhere() bool { return a.o.Detach != nil && a.o.Detach() == nil }

func (a *app) unattended() int {
	if a.o.Unattended == nil {
		return 0
	}
	return a.o.Unattended()
}

// letGo ends the front end and lets what goes on come to its end.
func (a *app) letGo() {
	a.detached, a.quit = true, true
	if a.o.GoOn != nil && (!a.elsewhere() || a.unattended() > 0) {
		a.o.GoOn()
	}
}

// hungUp ends the front end, since its terminal is gone.
func (a *app) hungUp() {
	a.lost, a.quit, a.code = true, true, 129
	if a.o.Hangups != nil && (a.busy() || a.unattended() > 0) {
		a.letGo()
	}
}

func (a *app) newSession(c slash.Command) error {
	a.leaveSession(func() { a.problem(a.done0(protocol.NewSession{Label: c.Rest}, "new session")) })
	return nil
}

// leaveSession goes to another session by f. What goes on in this one is asked about.
func (a *app) leaveSession(f func()) {
	if !a.busy() {
		f()
		return
	}
	q := &question{text: "The model is at work here.", choices: []choice{
		{"Stop it and go", func() {
			call(a, protocol.Abort{}, func(_ protocol.None, err error) {
				if a.problem(err); err == nil {
					f()
				}
			})
		}},
		{"Stay here", nil},
	}}
	if a.o.GoOn != nil || a.elsewhere() {
		q.choices = append([]choice{{"Go; it goes on in the background", f}}, q.choices...)
	}
	a.push(q)
}

// farewell is what is left on the terminal at the end: the conversation, if it went
// with the screen, and how to go on.
func (a *app) farewell() string {
	if a.view.Tree == nil || a.view.Fresh && a.view.Tree.Len() == 0 {
		return ""
	}
	var b strings.Builder
	if !a.o.Regular && a.o.LeaveTranscript {
		b.WriteString(a.term.Encode(a.left()))
	}
	if a.o.ResumeWords != nil {
		if words := render.OneLine(a.o.ResumeWords(a.view.Header, a.view.File)); words != "" {
			head := a.t("To go on with this conversation:")
			if a.detached {
				head = a.t("The session goes on. To come back to it:")
			}
			b.WriteString(head + "\r\n" + words + "\r\n")
		}
	}
	return b.String()
}

// mostLeft is how much of the conversation is left on the terminal, in rows.
const mostLeft = 1000

// left are the rows of the conversation that are left on the terminal: all of it, or
// its end. Pictures go with the screen.
func (a *app) left() []styled.Line {
	t := &a.look
	a.o.Pictures, t.drawn = nil, nil
	t.settle()
	if w, _ := a.term.Size(); t.width != w {
		t.setWidth(w)
	}
	var parts [][]styled.Line
	rows := 0
	i := t.count() - 1
	for ; rows < mostLeft; i-- {
		if i < 0 {
			n := t.count()
			if !t.extend() {
				break
			}
			i += t.count() - n
		}
		parts = append(parts, t.of(i).lines)
		rows += len(parts[len(parts)-1])
	}
	var out []styled.Line
	for _, p := range slices.Backward(parts) {
		out = append(out, p...)
	}
	if i >= 0 || rows > mostLeft {
		out = append(styled.Wrap(styled.Of(a.t("The end of the conversation, %d rows. All of it is in the session; /export writes it to a file.", mostLeft), a.theme.dim), t.width, nil, nil),
			out[max(len(out)-mostLeft, 0):]...)
	}
	if len(out) > 0 {
		out = append(out, nil)
	}
	return out
}
