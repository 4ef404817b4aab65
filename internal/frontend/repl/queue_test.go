package repl_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/repl"
)

// What waits is shown, changed and said; the long way round, on a terminal.
func TestWhatWaits(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"wait"},"times":1,"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
	x := w.terminal(w.connect(""), func(o *repl.Options) { o.Width = 60 })
	x.shows("> ")
	x.types("/queue")
	x.shows("No message waits.\n> ")
	x.types("/queue send")
	x.shows("No message waits.\n> ")
	x.types("wait")
	x.shows("one")
	for _, s := range []string{"alpha", "beta", "gamma " + strings.Repeat("long ", 20)} {
		x.types(s)
		x.shows("(queued: it is said when the answer is there; /queue shows\nwhat waits)\n")
	}
	x.types("/queue")
	x.shows(`[1] "alpha"   (at the end)` + "\n" + `[2] "beta"   (at the end)` + "\n" + `[3] "gamma long long long long long long..."   (at the end)` + "\n")
	for _, tt := range []struct{ in, out string }{
		{"/queue drop", "Say which: /queue drop N; /queue numbers what waits.\n"},
		{"/queue drop 9", "No message [9] waits; /queue shows those that do.\n"},
		{"/queue edit 1", "Say what it is to be instead: /queue edit 1 TEXT.\n"},
		{"/queue jump 1", "clear change it.\n"},
		{"/queue drop 3", "1 message was dropped.\n"},
		{"/queue edit [2]  beta 2", `[2] "beta 2"   (at the end)` + "\n"},
	} {
		x.types(tt.in)
		x.shows(tt.out)
	}
	x.interrupt()
	x.shows("waits: \"alpha\"\nwaits: \"beta 2\"\n(said after your next message; /queue send: now, /queue\nclear: never)\n> ")
	x.types("/queue")
	x.shows(`[1] "alpha"   (with the next message)` + "\n" + `[2] "beta 2"   (with the next message)` + "\n> ")
	x.types("/queue send")
	x.shows("Echo: alpha\n> beta 2\nEcho: beta 2\n> ")
	x.types("/queue clear")
	x.shows("No message waits.\n> ")
	x.types("/quit")
	if code := <-x.done; code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestShow(t *testing.T) {
	w := newWorld(t, `[]`)
	long := strings.Repeat("word ", 60) + "end"
	in := "read it\n" + long + "\n/hide 1\n/show 1\n/show 2\n/show 3\n/show\n/show 99\n/show 1 --raw\n/show 1 --odd\n"
	got := w.say(in).out
	for _, want := range []string{
		"left out: the model does not see it\nread it\n",
		"Reading it.\n-> read {\"path\":\"it\"}\n",
		"Say which entry: /show N. /history numbers them.\n",
		"There is no [99]; ",
		`"content":[{"type":"text","text":"read it"}]`,
		"/show knows no --odd; there is --raw.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}
