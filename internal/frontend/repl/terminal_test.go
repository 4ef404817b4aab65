package repl_test

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/message"
)

// terminal is a conversation that a test steers step by step.
type terminal struct {
	t          *testing.T
	in         *io.PipeWriter
	interrupts chan struct{}
	done       chan int

	mu  sync.Mutex
	out bytes.Buffer
}

func (w *world) terminal(c *control.Conn, change ...func(*repl.Options)) *terminal {
	w.t.Helper()
	r, in := io.Pipe()
	t := &terminal{t: w.t, in: in, interrupts: make(chan struct{}), done: make(chan int, 1)}
	o := repl.Options{In: r, Out: t, Err: t, Version: "0.x", Terminal: true, NoColor: true, Quiet: true, Interrupts: t.interrupts}
	for _, f := range change {
		f(&o)
	}
	go func() {
		code, err := repl.Run(w.t.Context(), c, o)
		if err != nil {
			w.t.Errorf("run: %v", err)
		}
		c.Close()
		t.done <- code
	}()
	w.t.Cleanup(func() { in.Close() })
	return t
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.Write(p)
}

func (t *terminal) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.String()
}

// types sends a line, as a terminal does with its echo.
func (t *terminal) types(s string) {
	t.mu.Lock()
	t.out.WriteString(s + "\n")
	t.mu.Unlock()
	if _, err := io.WriteString(t.in, s+"\n"); err != nil {
		t.t.Error(err)
	}
}

// interrupt is ctrl+c, which terminals show.
func (t *terminal) interrupt() {
	t.mu.Lock()
	t.out.WriteString("^C")
	t.mu.Unlock()
	t.interrupts <- struct{}{}
}

// shows waits until the output ends in s.
func (t *terminal) shows(s string) {
	t.t.Helper()
	eventually(t.t, "the output ends in "+s+"; it is\n"+t.String(), func() bool { return strings.HasSuffix(t.String(), s) })
}

const holding = `[{"when":{"user":"wait"},"times":1,"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`

func TestLinesDuringARunAreQueued(t *testing.T) {
	w := newWorld(t, holding)
	x := w.terminal(w.connect(""))
	x.shows("> ")
	x.types("wait")
	x.shows("one")
	x.types("and then")
	x.shows("(queued: it is said when the answer is there; /queue shows what waits)\n")
	x.types("/branch 1")
	x.shows("Stop the answer first (ctrl+c), then /branch.\n")
	x.types("/name during it")
	x.shows("name: during it\n")
	w.script.Release("go")
	x.shows("Echo: and then\n> ")
	x.types("/quit")
	if code := <-x.done; code != 0 {
		t.Errorf("code %d", code)
	}
	golden.Equal(t, "queue.txt", x.String())
	if said := w.texts(message.User); strings.Join(said, "|") != "wait|and then" {
		t.Errorf("said %q", said)
	}
}

func TestInterrupts(t *testing.T) {
	w := newWorld(t, holding)
	x := w.terminal(w.connect(""))
	x.shows("> ")
	x.types("wait")
	x.shows("one")
	x.types("never said")
	x.shows("shows what waits)\n")
	x.interrupt()
	x.shows("^C\n(stopped; what was said is kept)\nwaits: \"never said\"\n(said after your next message; /queue send: now, /queue clear: never)\n> ")
	x.types("/queue clear")
	x.shows("\n1 message was dropped.\n> ")
	x.types("/history")
	x.shows("[2] assistant  one   (aborted)\n> ")
	x.types("/retry")
	x.shows("Echo: wait\n> ")
	x.types(`half a message\`)
	x.shows("\n. ")
	x.interrupt()
	x.shows("(ctrl+c again within two seconds ends, and so do ctrl+d and /quit)\n> ")
	x.types("!wait")
	x.shows("waiting\n")
	x.interrupt()
	x.shows("waiting\n^C\n(cancelled)\n> ")
	x.interrupt()
	x.shows("(ctrl+c again within two seconds ends, and so do ctrl+d and /quit)\n> ")
	x.interrupt()
	if code := <-x.done; code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestToolsThatWait(t *testing.T) {
	w := newWorld(t, "")
	x := w.terminal(w.connect(""))
	x.shows("> ")
	x.types("run wait")
	x.shows("[bash wait]")
	x.types("!two lines")
	x.shows("$ two lines\none\ntwo\n")
	x.interrupt()
	x.shows("^C\n[bash wait] error: Aborted.\n(stopped; what was said is kept)\n> ")
	x.types("run false")
	x.shows("[bash false] error: Command exited with code 1\nDone. bash said: some output (3 lines)\n> ")
	x.types("run edit")
	x.shows("[bash edit] +3 -1\nDone. bash said: Edited. (1 line)\n> ")
	x.types("/history 4")
	x.shows("> ")
	x.in.Close()
	if code := <-x.done; code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestEditOnATerminal(t *testing.T) {
	w := newWorld(t, "")
	out := w.types(w.connect(""), "hello", "/edit", "", "/history", "", "/edit 1", "good bye", "", "/back", "/tree --ascii", "/exit")
	golden.Equal(t, "edit.txt", stable(out))
}

func TestColours(t *testing.T) {
	w := newWorld(t, "")
	typist, in := newTypist("think: deeply", "!true", "/quit")
	w.run(w.connect(""), in, func(o *repl.Options) {
		o.Out, o.Err, o.Terminal, o.Hint = typist, typist, true, "last: yesterday, bough -c"
	})
	golden.Equal(t, "colours.txt", strings.ReplaceAll(stable(typist.String()), "\x1b", "ESC"))
	if got := w.say("think: deeply", quiet); got.out != "Answer: deeply\n" {
		t.Errorf("without a terminal: %q", got.out)
	}
}

func TestOtherFrontEndsAreSeen(t *testing.T) {
	w := newWorld(t, holding)
	c := w.connect("")
	x := w.terminal(c)
	x.shows("> ")
	x.types("hello")
	x.shows("Echo: hello\n> ")
	y := w.terminal(w.connect(w.sessions()[0]), func(o *repl.Options) { o.Quiet = false })
	y.shows("> ")
	if !strings.Contains(y.String(), `resumed "hello", 2 messages`) {
		t.Errorf("the second one begins with\n%s", y.String())
	}
	y.types("wait")
	y.shows("one")
	x.shows("one")
	x.types("me too")
	x.shows("shows what waits)\n")
	w.script.Release("go")
	x.shows("Echo: me too\n> ")
	y.shows("\n> me too\nEcho: me too\n(20 in, 3 out, <$0.001, 0.1%)\n> ")
	x.types("/quit")
	y.types("/quit")
	<-x.done
	<-y.done
}
