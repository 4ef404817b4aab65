package tui_test

import (
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// two is a screen and another front end, which stand at one session.
type two struct {
	*tuitest.Screen
	w     *tuitest.World
	other *control.Conn
	path  string
}

func newTwo(t *testing.T, rules string, change ...func(*tui.Options)) *two {
	t.Helper()
	w := tuitest.New(t, rules)
	start := control.Start{Store: w.Store, Dir: w.Dir, Who: "me", New: session.Header{CWD: "/srv/app"}.Complete()}
	start.File = w.Store.FilePath(start.New)
	c, err := w.Hub.Connect(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	s := tuitest.Start(t, c, 100, 30, change...)
	t.Cleanup(func() { s.End(); c.Close() })
	s.Shows("stub-large")
	s.Type("hello", "enter")
	s.Shows("Echo: hello")
	x := &two{Screen: s, w: w, path: start.File}
	x.other, err = w.Hub.Connect(t.Context(), control.Start{Store: w.Store, Open: start.File, Dir: w.Dir, Who: "tui 99"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.other.Close)
	return x
}

func (x *two) does(cmd protocol.Request) any {
	x.T.Helper()
	v, err := x.other.Do(x.T.Context(), cmd)
	if err != nil {
		x.T.Fatalf("%s: %v", cmd.Name(), err)
	}
	return v
}

func (x *two) leaf() session.ID {
	return x.does(protocol.GetState{}).(protocol.State).Leaf
}

// What another front end does appears at once, with who it was.
func TestWhatOthersDo(t *testing.T) {
	x := newTwo(t, `[]`)
	x.does(protocol.Prompt{Text: "from elsewhere"})
	x.Shows("from another terminal", "Echo: from elsewhere")
	at := x.leaf()
	for _, tt := range []struct {
		cmd   protocol.Request
		shows string
	}{
		{protocol.SetModel{Provider: "stub", ID: "stub-small"}, "another terminal chose the model stub/stub-small"},
		{protocol.SetName{Text: "a good name"}, "another terminal named the session: a good name"},
		{protocol.SetLabel{Entry: at, Text: "here"}, "another terminal put a label: here"},
		{protocol.SetLabel{Entry: at}, "another terminal took a label away"},
		{protocol.SetPermissions{Mode: "ask"}, "another terminal changed the permissions: ask"},
		{protocol.Navigate{Target: "", At: true}, "another terminal moved: at the start"},
	} {
		x.does(tt.cmd)
		x.Shows(tt.shows)
	}
}

// A question is closed where somebody else has answered it, with how.
func TestAQuestionIsAnsweredElsewhere(t *testing.T) {
	x := newTwo(t, `[{"when":{"user":"run it"},"times":1,"reply":{"toolCalls":[{"name":"bash","args":{"command":"ls"}}]}}]`)
	x.does(protocol.SetPermissions{Mode: "ask"})
	x.Shows("changed the permissions")
	x.Type("run it", "enter")
	x.Shows("May bash be run", "refuse it")
	q := x.does(protocol.GetState{}).(protocol.State).Open[0]
	x.does(protocol.Answer{Question: q.ID, Choice: "no", Text: "not today"})
	x.Shows(`another terminal answered: refuse it, "not today"`)
	x.Hides("May bash be run")
}

// What waits says who it comes from.
func TestTheQueueOfOthers(t *testing.T) {
	x := newTwo(t, `[{"when":{"user":"long"},"times":1,"reply":{"toolCalls":[{"name":"bash","args":{"command":"wait"}}]}}]`)
	x.Type("long", "enter")
	x.Shows("waiting for the end")
	x.does(protocol.FollowUp{Text: "and then this"})
	x.Shows("later (another terminal): and then this")
	x.does(protocol.Abort{})
	x.Shows("Stopped")
}
