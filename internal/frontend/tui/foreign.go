package tui

import (
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// foreign is what another program has appended to the session's file since somebody
// looked (docs/spec/frontends.md D-E). It stands above the editor until then.
type foreign struct {
	entries int
	last    session.ID
	onward  bool // it goes on from where we stand
}

// arrived takes in an entry that did not move the conversation.
func (a *app) arrived(e protocol.Appended, leaf session.ID) {
	if a.others(e.By) {
		a.flash("%s added something on another branch", a.who(e.By))
		return
	}
	if e.By != "" {
		return // it was us
	}
	f := &a.look.foreign
	if f.entries == 0 {
		f.onward = a.view.Tree.Standing(e.Entry.Parent) == a.view.Tree.Standing(leaf)
	}
	f.entries++
	f.last = e.Entry.ID
}

// foreignRows tell of it, and what can be done.
func (a *app) foreignRows(width int) []styled.Line {
	f := a.look.foreign
	if f.entries == 0 {
		return nil
	}
	words := a.n(f.entries, "Changed by another program: %d new entry on another branch.", "Changed by another program: %d new entries on another branch.")
	if f.onward {
		words = a.n(f.entries, "Changed by another program: %d new entry goes on from here.", "Changed by another program: %d new entries go on from here.")
	}
	words += " " + a.t("/tree shows what is new, /goto %s goes there; what you say stays on your branch.", f.last)
	rows := styled.Wrap(styled.Of(words, a.theme.warning), width-1, margin, margin)
	return rows[:min(len(rows), 3)]
}

// lookedAtForeign is called when somebody has seen it, or has gone on.
func (a *app) lookedAtForeign() { a.look.foreign = foreign{} }
