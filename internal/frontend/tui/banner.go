package tui

import (
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
)

// banner says what is wrong as long as it is: the session cannot be saved.
func (a *app) banner(width int) []styled.Line {
	why := render.OneLine(a.view.Unsavable)
	if why == "" {
		return a.foreignRows(width)
	}
	words := a.t("Not saved: %s", why)
	if n := a.view.Unsaved; n > 0 {
		words = a.n(n, "Not saved: %d entry waits; %s", "Not saved: %d entries wait; %s", why)
	}
	rows := styled.Wrap(styled.Of(words, a.theme.failure), width-1, margin, margin)
	return append(rows[:min(len(rows), 3)], a.foreignRows(width)...)
}
