package tui_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/protocol"
)

// agreeing notes what a front end asks for; the session agrees to all of it.
type agreeing struct {
	mu   sync.Mutex
	list []string // guarded by mu
}

func (a *agreeing) note(s string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, s)
}

func (a *agreeing) all() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.list, "\n")
}

func (a *agreeing) do(cmd protocol.Request) (any, error) {
	switch c := cmd.(type) {
	case protocol.SwitchSession:
		a.note("go to " + c.Session)
		return protocol.None{}, nil
	case protocol.Clone:
		a.note("clone")
		return protocol.None{}, nil
	case protocol.SetName:
		a.note("name " + c.Text)
		return protocol.None{}, nil
	}
	return nil, protocol.Fail(protocol.UnknownCommand, "no")
}

func TestCommandsOfTheMachine(t *testing.T) {
	a, p := &agreeing{}, newPuppet()
	p.do = a.do
	s := tuitest.Start(t, p, 100, 30, func(o *tui.Options) {
		o.Around.Import = func(_ context.Context, path string) (string, []string, error) {
			a.note("import " + path)
			return "imported-id", []string{"my notes.jsonl is a session now."}, nil
		}
		o.Around.Debug = func(report string) (string, error) {
			a.note(report)
			return "/home/me/bough-debug.log", nil
		}
	})
	defer s.End()
	s.Shows("/ commands")

	s.Type("/import", "enter", "enter") // the first completes it
	s.Shows("Say which file")
	s.Type(`/import "my notes.jsonl"`, "enter")
	s.Shows("Take it up and go over to it")
	s.Type("enter")
	s.Shows("my notes.jsonl is a session now.")
	eventually(t, "went over to the session", func() bool { return strings.Contains(a.all(), "import my notes.jsonl\ngo to imported-id") })

	s.Type("/files ", "enter")
	s.Shows("no file was read or changed")
	s.Type("escape")
	s.Hides("no file was read or changed")

	s.Type("/bug ", "enter")
	s.Shows("github.com/boughdev/bough/issues", "--redact")

	s.Type("/debug ", "enter")
	s.Shows("~/bough-debug.log")
	if report := a.all(); !strings.Contains(report, "100 x 30") || !strings.Contains(report, "session puppet") || !strings.Contains(report, "boughdev/bough/issues") {
		t.Errorf("the report of the screen:\n%s", report)
	}

	s.Type("/clone the other way", "enter")
	eventually(t, "named the copy", func() bool { return strings.HasSuffix(a.all(), "clone\nname the other way") })

	s.Type("!ls -l")
	s.Shows("!ls -l")
	s.Type("escape")
	s.Hides("!ls -l")
}
