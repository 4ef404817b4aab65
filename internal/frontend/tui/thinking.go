package tui

// hidesThinking reports whether what models think is not shown.
func (a *app) hidesThinking() bool {
	if a.hideThought != nil {
		return *a.hideThought
	}
	return a.o.HideThinking()
}

// toggleThinking shows or hides what models think, and has that kept.
func (a *app) toggleThinking() {
	hide := !a.hidesThinking()
	a.hideThought = &hide
	a.look.drawn, a.look.live = nil, live{}
	a.look.replay()
	words := a.t("what the model thinks is shown")
	if hide {
		words = a.t("what the model thinks is hidden")
	}
	if a.o.KeepThinking == nil {
		a.flash("%s", words)
		return
	}
	a.beside(func() func() {
		err := a.o.KeepThinking(hide)
		return func() { a.said(err, "%s", words) }
	})
}
