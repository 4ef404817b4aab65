package tui

import (
	"strings"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// early is the time before the session is there. What is written goes into the editor
// at once; what is to be done, and all that is typed behind it, waits.
type early struct {
	on    bool
	slow  bool // it takes so long that it is said, and how to leave
	waits []term.Event
	told  timer
}

// earlyTime is how long a session may take to open without a word.
const earlyTime = 200 * time.Millisecond

func (a *app) openEarly() {
	a.early.on = true
	a.after(&a.early.told, earlyTime)
}

// takesEarly takes what comes from the terminal before the session is there. It returns
// false for what has nothing to do with it.
func (a *app) takesEarly(ev term.Event) bool {
	if !a.early.on {
		return false
	}
	switch e := ev.(type) {
	case term.Mouse:
		return true
	case term.Paste:
		if len(a.early.waits) == 0 {
			return false
		}
	case term.Key:
		is := func(actions ...string) bool { return a.keys.is(e, actions...) }
		lists := a.complete != nil && len(a.early.waits) == 0
		switch {
		case lists && is("tui.select.up", "tui.select.down", "tui.select.cancel", "tui.input.tab"):
			a.complete.key(a, e)
			return true
		case a.early.slow && (is("app.interrupt", "app.clear") || is("app.exit") && a.editor.empty()):
			a.quit = true
			return true
		case is("app.suspend"):
			return false
		case len(a.early.waits) == 0 && a.writes(e):
			a.editor.key(a.keys, e)
			a.completing()
			return true
		}
	default:
		return false
	}
	a.early.waits = append(a.early.waits, ev)
	return true
}

// writes reports whether a key does nothing but write.
func (a *app) writes(k term.Key) bool {
	switch {
	case a.keys.is(k, "tui.input.submit", "tui.input.tab"), a.keys.is(k, "app.exit") && a.editor.empty():
		return false
	case k.Text != "" || a.keys.is(k, "tui.input.newLine"):
		return true
	}
	for _, b := range bindings {
		if strings.HasPrefix(b.id, "tui.editor.") && a.keys.is(k, b.id) {
			return true
		}
	}
	return false
}

// isThere ends that time: what waits is done.
func (a *app) isThere() {
	waits := a.early.waits
	a.early.told.stop()
	a.early = early{}
	for _, ev := range waits {
		if a.quit {
			return
		}
		a.input(ev)
	}
}

// earlyLine says what is waited for.
func (a *app) earlyLine() styled.Line {
	words := a.t("Starting ...")
	if n := a.o.Size; n > 0 {
		words = a.t("Reading %s ...", render.Bytes(n))
	}
	l := styled.Of(words, a.theme.dim)
	if k := a.keys.name("app.interrupt"); k != "" {
		l = append(l, styled.Span{Text: " · " + a.t("%s leaves", k), Style: a.theme.dim})
	}
	return l
}
