package repl_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// numbered is n lines, with an end behind the last one or without.
func numbered(n int, end string, last bool) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d", i)
		if i < n-1 || last {
			b.WriteString(end)
		}
	}
	return b.String()
}

// texts returns what role said in the only session there is.
func (w *world) texts(role message.Role) []string {
	w.t.Helper()
	files := w.sessions()
	if len(files) != 1 {
		w.t.Fatalf("%d sessions, want one", len(files))
	}
	t := w.load(files[0])
	var out []string
	for _, e := range t.Path(t.Leaf()) {
		if e.Role != role {
			continue
		}
		body, err := e.Body()
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, body.(session.Message).Message.Text("\n"))
	}
	return out
}

func TestManyLines(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of prompts")
	}
	for _, tt := range []struct {
		name string
		in   io.Reader
	}{
		{"with a final line end", strings.NewReader(numbered(1000, "\n", true))},
		{"without one", strings.NewReader(numbered(1000, "\n", false))},
		{"with line ends of Windows", strings.NewReader(numbered(200, "\r\n", true))},
		{"in single bytes", iotest.OneByteReader(strings.NewReader(numbered(200, "\n", false)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "")
			got := w.run(w.connect(""), tt.in, quiet)
			said := w.texts(message.User)
			answers := strings.Split(strings.TrimSpace(got.out), "\n")
			if got.code != 0 || got.err != "" || len(said) != len(answers) || len(said) < 200 {
				t.Fatalf("code %d, %d prompts, %d answers, errors %q", got.code, len(said), len(answers), got.err)
			}
			for i := range said {
				if want := fmt.Sprint("line ", i); said[i] != want || answers[i] != "Echo: "+want {
					t.Fatalf("%d: said %q, answered %q", i, said[i], answers[i])
				}
			}
		})
	}
}

func TestALongLine(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"^y"},"reply":{"text":"short"}},{"reply":{"text":"long"}}]`)
	long := strings.Repeat("你", 1<<20/3)
	got := w.say(long+"\ny\n", quiet)
	said := w.texts(message.User)
	if got.out != "long\nshort\n" || len(said) != 2 || said[0] != long || said[1] != "y" {
		t.Errorf("answered %q to %d prompts, the first of %d bytes", got.out, len(said), len(said[0]))
	}
}

func TestTheEndOfTheInputWaitsForTheAnswer(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"one two","chunk":4,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
	go func() {
		if err := w.script.AwaitHold(t.Context(), "go"); err != nil {
			t.Error(err)
		}
		w.script.Release("go")
	}()
	got := w.say("say it", quiet)
	if got.code != 0 || got.out != "one two\n" {
		t.Errorf("code %d, %q", got.code, got.out)
	}
	if said := w.texts(message.Assistant); len(said) != 1 || said[0] != "one two" {
		t.Errorf("kept %q", said)
	}
}

func TestLinesWaitForTheAnswerBeforeThem(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"first"},"reply":{"text":"one","firstDelayMs":30}},{"reply":{"text":"two"}}]`)
	got := w.say("first\nsecond\n/history\n", quiet)
	want := `one
two
[0] system     bough's instructions (5 sections, 2 tools)
[1] user       first
[2] assistant  one
[3] user       second
[4] assistant  two
`
	if got.out != want {
		t.Errorf("got\n%s", got.out)
	}
}

func TestStatusIsThatOfTheLastPrompt(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		code     int
	}{
		{"nothing", "", 0},
		{"an answer", "hello", 0},
		{"a failure", "fail bad-request", 1},
		{"a failure, then an answer", "fail bad-request\nhello\n", 0},
		{"an answer, then a failure", "hello\nfail auth\n", 1},
		{"commands do not count", "fail auth\n/history\n/hstory\n!true\n", 1},
		{"an unknown place does not count", "hello\n/branch 99\n", 0},
		{"a retry does", "fail auth\n/branch 0\n/retry\n", 1},
		{"quit keeps it", "fail auth\n/quit\nhello\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newWorld(t, "").say(tt.in); got.code != tt.code {
				t.Errorf("code %d, want %d\n%s%s", got.code, tt.code, got.out, got.err)
			}
		})
	}
}

func TestNothingIsReadBehindQuit(t *testing.T) {
	w := newWorld(t, "")
	w.say("one\n/exit\ntwo\n")
	if said := w.texts(message.User); len(said) != 1 {
		t.Errorf("said %q", said)
	}
}

func TestSeveralLinesInOnePrompt(t *testing.T) {
	w := newWorld(t, "")
	w.say("one\\\ntwo\n\"\"\"\n/history\n  !ls\n\"\"\"\n /history\n/etc/hosts\n\n\"\"\"\nno end")
	want := []string{"one\ntwo", "/history\n  !ls", "/history", "/etc/hosts", "no end"}
	if said := w.texts(message.User); strings.Join(said, "|") != strings.Join(want, "|") {
		t.Errorf("said %q, want %q", said, want)
	}
}

// full fails after so many bytes.
type full struct {
	left int
	err  error
}

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestAClosedOutputEndsQuietly(t *testing.T) {
	for _, left := range []int{0, 100, 150} {
		w := newWorld(t, "")
		got := w.run(w.connect(""), strings.NewReader("hello\nlong 100\nhello again\n"), func(o *repl.Options) { o.Out = &full{left, syscall.EPIPE} })
		if got.code != 141 || got.err != "" {
			t.Errorf("after %d bytes: code %d, errors %q", left, got.code, got.err)
		}
	}
}

// A full disk is not a reader that had enough.
func TestAnOutputThatFailsSaysSo(t *testing.T) {
	w := newWorld(t, "")
	code, err := repl.Run(t.Context(), w.connect(""), repl.Options{In: strings.NewReader("hello\n"), Out: &full{100, syscall.ENOSPC}, Err: io.Discard})
	if code != 1 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("code %d, error %v", code, err)
	}
}

func TestAnEndedContextEndsTheConversation(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"abc","chunk":1,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
	ctx, cancel := context.WithCancel(t.Context())
	c := w.connect("")
	done := make(chan error)
	go func() {
		_, err := repl.Run(ctx, c, repl.Options{In: strings.NewReader("hello\n"), Out: io.Discard, Err: io.Discard})
		done <- err
	}()
	if err := w.script.AwaitHold(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	c.Close()
	if said := w.texts(message.Assistant); len(said) != 1 || said[0] != "a" {
		t.Errorf("kept %q", said)
	}
}

func TestPromptsOfTheCommandLineComeFirst(t *testing.T) {
	w := newWorld(t, "")
	w.say("two", func(o *repl.Options) { o.Prompts = append(o.Prompts, promptOf("zero"), promptOf("one")) })
	if said := w.texts(message.User); strings.Join(said, " ") != "zero one two" {
		t.Errorf("said %q", said)
	}
}

func TestInterruptInAPipeEnds(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"abc","chunk":1,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
	c := w.connect("")
	interrupts := make(chan struct{})
	go func() {
		if err := w.script.AwaitHold(t.Context(), "go"); err != nil {
			t.Error(err)
		}
		interrupts <- struct{}{}
	}()
	got := w.run(c, strings.NewReader("hello\nagain\n"), func(o *repl.Options) { o.Interrupts = interrupts })
	if said := w.texts(message.User); got.code != 130 || len(said) != 1 || !strings.Contains(got.out, "(stopped") {
		t.Errorf("code %d, said %q\n%s", got.code, said, got.out)
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct{ prompt, want string }{
		{"fail overloaded", "/retry"},
		{"fail auth", "key"},
		{"fail overflow", "too long"},
		{"fail bad-request", "/model"},
	} {
		got := newWorld(t, "").say(tt.prompt)
		if !strings.Contains(got.err, "Error: ") || !strings.Contains(got.err, tt.want) || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%s: %q", tt.prompt, got.err)
		}
	}
	got := newWorld(t, "", func(o *control.Options) { o.Models = models{} }).say("hello")
	if got.code != 1 || !strings.Contains(got.err, "No model is configured") || !strings.Contains(got.out, "model none") {
		t.Errorf("without a model: code %d, %q, %q", got.code, got.out, got.err)
	}
	got = newWorld(t, "", func(o *control.Options) { o.Retry = control.Retry{Max: 1, Base: time.Millisecond} }).say("fail overloaded")
	if !strings.Contains(got.err, "Trying again in 1ms (1 of 1)") || strings.Count(got.err, "\n") != 2 {
		t.Errorf("with a retry: %q", got.err)
	}
	got = newWorld(t, `[{"reply":{"text":"cut","stop":"length"}}]`).say("hello")
	if got.code != 1 || !strings.Contains(got.err, "cut off") {
		t.Errorf("cut: code %d, %q", got.code, got.err)
	}
	got = newWorld(t, "", func(o *control.Options) { o.MaxTurns = 1 }).say("read hello.txt")
	if got.code != 1 || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, "Stopped after 1 turns") {
		t.Errorf("limit of turns: code %d, %q", got.code, got.err)
	}
}

func TestAnEndedContextStopsACommand(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	c := w.connect("")
	out := &terminal{t: t}
	done := make(chan error)
	go func() {
		_, err := repl.Run(ctx, c, repl.Options{In: strings.NewReader("!wait\n"), Out: out, Err: out})
		done <- err
	}()
	out.shows("waiting\n")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	c.Close()
}

func TestImagesComeBackWithTheirMessage(t *testing.T) {
	w := newWorld(t, "")
	image := message.Image([]byte("x"), "image/png")
	got := w.say("/history 1\n/edit\nlook again\n", quiet, func(o *repl.Options) {
		o.Prompts = append(o.Prompts, protocol.Prompt{Text: "look", Images: []message.Block{image}})
	})
	if !strings.Contains(got.out, "look\n(1 image will go with it)\n") {
		t.Errorf("it was not said:\n%s", got.out)
	}
	tree := w.load(w.sessions()[0])
	n := 0
	for e := range tree.All() {
		if e.Role == message.User {
			body, err := e.Body()
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range body.(session.Message).Message.Content {
				if b.Type == message.ImageBlock {
					n++
				}
			}
		}
	}
	if n != 2 {
		t.Errorf("%d images, want one in each message", n)
	}
}
