package tui_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/session"
)

const waits = `[{"when":{"user":"long"},"times":1,"reply":{"text":"I wait.","toolCalls":[{"name":"bash","args":{"command":"wait"}}]}}]`

// lingering starts a screen on a hub that lets go on what nobody stands at.
func lingering(t *testing.T, change ...func(*tui.Options)) (*tuitest.World, *tuitest.Screen) {
	t.Helper()
	w := tuitest.New(t, waits, func(o *control.Options) { o.Linger = true })
	start := control.Start{Store: w.Store, Dir: w.Dir, Who: "me", New: session.Header{CWD: "/srv/app"}.Complete()}
	start.File = w.Store.FilePath(start.New)
	c, err := w.Hub.Connect(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	change = append(change, func(o *tui.Options) { o.Unattended = w.Hub.Unattended })
	s := tuitest.Start(t, c, 90, 24, change...)
	t.Cleanup(func() { s.End(); c.Close() })
	s.Shows("stub-large")
	return w, s
}

// Who leaves while something goes on is asked, and may let it go on.
func TestLeavingLetsTheRunGoOn(t *testing.T) {
	goesOn := false
	_, s := lingering(t, func(o *tui.Options) {
		o.GoOn = func() { goesOn = true }
		o.ResumeWords = func(h session.Header, _ string) string { return "bough --session " + h.ID }
	})
	s.Type("long", "enter")
	s.Shows("waiting for the end")
	s.Type("/quit", "enter")
	s.Shows("1 Leave; it goes on in the background", "2 Stop it and leave", "3 Stay")
	s.Type("3")
	s.Hides("3 Stay")
	s.Type("/quit", "enter")
	s.Shows("1 Leave; it goes on in the background")
	s.Type("1")
	if code, err := s.Ended(); code != 0 || err != nil || !goesOn {
		t.Errorf("it ended with %d, %v; goes on: %v", code, err, goesOn)
	}
	if all := strings.Join(s.Rows(), "\n"); !strings.Contains(all, "The session goes on") {
		t.Errorf("what is left on the terminal:\n%s", all)
	}
}

// A lost terminal lets the run go on if that is set, and is not written to.
func TestALostTerminal(t *testing.T) {
	goesOn := false
	hangups := make(chan struct{})
	_, s := lingering(t, func(o *tui.Options) {
		o.GoOn, o.Hangups = func() { goesOn = true }, hangups
		o.ResumeWords = func(session.Header, string) string { return "said to nobody" }
	})
	s.Type("long", "enter")
	s.Shows("waiting for the end")
	hangups <- struct{}{}
	if code, _ := s.Ended(); code != 129 || !goesOn {
		t.Errorf("it ended with %d; goes on: %v", code, goesOn)
	}
	if strings.Contains(s.String(), "said to nobody") {
		t.Error("a terminal that is gone was spoken to")
	}
}

// A new session leaves the run of the old one in the background; leaving bough asks
// about it then.
func TestGoingElsewhereLetsTheRunGoOn(t *testing.T) {
	w, s := lingering(t, func(o *tui.Options) { o.GoOn = func() {} })
	s.Type("long", "enter")
	s.Shows("waiting for the end")
	s.Type("/new", "enter")
	s.Shows("1 Go; it goes on in the background", "2 Stop it and go", "3 Stay here")
	s.Type("1")
	s.Hides("waiting for the end")
	s.Shows("new session")
	if n := w.Hub.Unattended(); n != 1 {
		t.Errorf("%d sessions go on", n)
	}
	s.Type("/quit", "enter")
	s.Shows("1 other session is at work in the background", "2 Stop them and leave")
	s.Type("2")
	if code, err := s.Ended(); code != 0 || err != nil {
		t.Errorf("it ended with %d, %v", code, err)
	}
}
