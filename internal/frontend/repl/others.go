package repl

import (
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// elsewhere reports whether something was done at another front end.
func (r *repl) elsewhere(by string) bool { return r.o.Who != "" && by != "" && by != r.o.Who }

// changedBy tells what another front end has chosen for what comes next.
func (r *repl) changedBy(e protocol.Appended) {
	if e.Foreign || !r.elsewhere(e.By) {
		return
	}
	body, err := e.Entry.Body()
	if err != nil {
		return // it is told of as damage
	}
	by := render.OneLine(byName(e.By))
	switch b := body.(type) {
	case session.ModelChange:
		if m := r.view.Model; m == nil || m.Provider != b.Provider || m.ID != b.ModelID {
			r.note("(%s chose the model %s)", by, render.OneLine(b.Provider+"/"+b.ModelID))
		}
	case session.ThinkingChange:
		if b.Level != r.view.Thinking {
			r.note("(%s set thinking to %s)", by, render.OneLine(b.Level))
		}
	case session.Info:
		r.note("(%s named the session: %s)", by, render.OneLine(b.Name))
	}
}

// permissionsBy tells what another front end lets tools do.
func (r *repl) permissionsBy(e protocol.PermissionsChanged) {
	if !r.ready || !r.elsewhere(e.By) {
		return
	}
	text := e.Mode
	if len(e.Session) > 0 {
		text += ", allowed for this session: " + render.Cut(render.OneLine(strings.Join(e.Session, ", ")), 200)
	}
	r.note("(%s changed the permissions: %s)", render.OneLine(byName(e.By)), text)
}
