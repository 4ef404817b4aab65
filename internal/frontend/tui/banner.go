package tui

import (
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
)

// banner says what is wrong as long as it is: the session cannot be saved.
func (a *app) banner(width int) []styled.Line {
	why := render.OneLine(a.view.Unsavable)
	if why == "" {
		return nil
	}
	words := "Not saved: "
	if n := a.view.Unsaved; n > 0 {
		words += render.Plural(n, "entry waits", "entries wait") + "; "
	}
	rows := styled.Wrap(styled.Of(words+why, a.theme.failure), width-1, margin, margin)
	return rows[:min(len(rows), 3)]
}
