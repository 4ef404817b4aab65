package tui

import (
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
)

// A screen is what stands in the editor's place, such as a picker, or over all, such
// as the tree. What was typed comes back untouched when it closes.
//
//	a.push(&mine{})     opens it; a.close(it) closes it, wherever it lies
//	a.keys.is(key, "tui.select.up")     never ask for a key by its name
//	call(a, protocol.Fork{…}, func(r protocol.Forked, err error) { … })     work beside the loop
//
// update and view run on the loop and must not wait for anything. view is called
// for every frame and must cost no more than what is seen.
type screen interface {
	// update takes a key, a paste or the mouse.
	update(a *app, ev term.Event)
	// view draws at most height rows of at most width columns.
	view(a *app, width, height int) panel
	// hints are the actions that its line of help names.
	hints() []hint
}

// A filler may take all of the terminal instead of the editor's place.
type filler interface{ whole() bool }

// A follower hears of what happens in the session while it is open.
type follower interface{ event(*app, protocol.Event) }

// panel is a drawn part of the screen, and where its cursor stands.
type panel struct {
	rows   []styled.Line
	x, y   int
	cursor bool
}

// hint is an action of keys.go and what it does here, in a word.
type hint struct{ action, words string }

// push opens a screen. Of two pickers only the later one stays; questions lie above
// what was open.
func (a *app) push(s screen) {
	a.complete = nil
	a.screens = append(a.screens, s)
}

// close closes a screen, wherever it lies.
func (a *app) close(s screen) {
	for i := range a.screens {
		if a.screens[i] == s {
			a.screens = append(a.screens[:i], a.screens[i+1:]...)
			return
		}
	}
}

func (a *app) top() screen {
	if n := len(a.screens); n > 0 {
		return a.screens[n-1]
	}
	return nil
}

// help draws the line of help of a screen, of the keys as they are. What has no room is
// left out whole, the last ones first.
func (a *app) help(hints []hint, width int) styled.Line {
	var l styled.Line
	used := 0
	for _, h := range hints {
		key := a.keys.name(h.action)
		if key == "" {
			continue
		}
		used += styled.Width(key) + 1 + styled.Width(h.words)
		if len(l) > 0 {
			used += 3
		}
		if used > width {
			break
		}
		if len(l) > 0 {
			l = append(l, styled.Span{Text: " · ", Style: a.theme.dim})
		}
		l = append(l, styled.Span{Text: key, Style: a.theme.key}, styled.Span{Text: " " + a.t(h.words), Style: a.theme.dim})
	}
	return l
}
