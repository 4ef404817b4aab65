package tui

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// others reports whether a name is that of another front end.
func (a *app) others(by string) bool { return by != "" && by != a.o.Who }

// who is what people are shown of the name of a front end.
func (a *app) who(by string) string {
	name, pid, _ := strings.Cut(by, " ")
	if strings.Trim(pid, "0123456789") != "" {
		return render.OneLine(by)
	}
	switch name {
	case "tui", "repl":
		return a.t("another terminal")
	case "acp":
		return a.t("the editor")
	case "print", "json":
		return "bough -p"
	}
	return render.OneLine(by)
}

// heard tells what another front end has done, where that is not plain to see.
func (a *app) heard(e protocol.Appended) {
	if !a.opened || e.Foreign || !a.others(e.By) {
		return
	}
	body, err := e.Entry.Body()
	if err != nil {
		return // it is told of as damage
	}
	by := a.who(e.By)
	switch b := body.(type) {
	case session.ModelChange:
		if m := a.view.Model; m == nil || m.Provider != b.Provider || m.ID != b.ModelID {
			a.tell(a.theme.dim, "%s chose the model %s/%s", by, b.Provider, b.ModelID)
		}
	case session.ThinkingChange:
		if b.Level != a.view.Thinking {
			a.tell(a.theme.dim, "%s set thinking to %s", by, b.Level)
		}
	case session.Info:
		a.flash("%s named the session: %s", by, b.Name)
	case session.Label:
		if b.Text == "" {
			a.flash("%s took a label away", by)
		} else {
			a.flash("%s put a label: %s", by, b.Text)
		}
	}
}

// heardPermissions tells of permissions that somebody else has changed.
func (a *app) heardPermissions(e protocol.PermissionsChanged) {
	if !a.others(e.By) {
		return
	}
	if n := len(e.Session); n > 0 {
		a.tell(a.theme.warning, "%s changed the permissions: %s, allowed for this session: %s", a.who(e.By), e.Mode, strings.Join(e.Session, ", "))
		return
	}
	a.tell(a.theme.warning, "%s changed the permissions: %s", a.who(e.By), e.Mode)
}

// heardAnswer tells how a question that stood here was answered elsewhere.
func (a *app) heardAnswer(q *question, e protocol.Answered) {
	switch said := q.words(e.Choice); {
	case e.Choice == "":
		a.flash("the question needs no answer any more")
	case e.By == "" || e.By == a.o.Who:
	case e.Text != "":
		a.tell(a.theme.dim, "%s answered: %s, %s", a.who(e.By), said, render.Quote(e.Text, 200))
	default:
		a.tell(a.theme.dim, "%s answered: %s", a.who(e.By), said)
	}
}

// goer is a client that knows how often we went to another session without having
// arrived there.
type goer struct {
	protocol.Client
	going atomic.Int32
}

func (g *goer) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	switch cmd.(type) {
	case protocol.NewSession, protocol.SwitchSession, protocol.Fork, protocol.Clone:
		g.going.Add(1)
		v, err := g.Client.Do(ctx, cmd)
		if err != nil {
			g.going.Add(-1)
		}
		return v, err
	}
	return g.Client.Do(ctx, cmd)
}

// openedAgain takes in that the session is begun anew: we went elsewhere, or its file
// or its process has become another one.
func (a *app) openedAgain(was session.Header) {
	a.status.work, a.status.retry, a.shell = "", "", nil
	if going := a.c.going.Swap(0); was.ID == "" || was.ID == a.view.Header.ID || going > 0 {
		return
	}
	// What is open is about entries that are not here any more.
	if len(a.screens) > 0 {
		a.screens = nil
		a.flash("this is another session now; what was open is closed")
	}
}

// stands takes in how the session stands: questions that do not wait any more are
// closed, what goes on beside a run shows as such.
func (a *app) stands(s protocol.State) {
	open := map[string]bool{"": true}
	for _, q := range s.Open {
		open[q.ID] = true
	}
	for i := len(a.screens) - 1; i >= 0; i-- {
		if q, ok := a.screens[i].(*question); ok && !open[q.id] {
			a.close(q)
			a.flash("the question needs no answer any more")
		}
	}
	if s.Compacting && !s.Running {
		a.status.work, a.status.since = a.t("Compacting"), a.o.Now()
	}
	for _, q := range s.Open {
		a.ask(q)
	}
}
