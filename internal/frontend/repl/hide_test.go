package repl_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func TestHideAndUnhide(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"secret"},"reply":{"text":"I see it"}},{"reply":{"text":"I see nothing"}}]`)
	got := w.say("the secret\n/hide\n/hide 1\n/hide 1\n/hide 0\n/hide 99\nwhat is it?\n/unhide\n/unhide\n/unhide 1\n/history\n/hide 2\n/history\nthe secret again")
	for _, want := range []string{
		"Say which entry", `hidden from the model: [1] user "the secret"`, "That message is hidden already", "Only what you, the model and the tools said can be hidden",
		"There is no [99]", `the model sees it again: [1] user "the secret"`, "Nothing is hidden here", "The model sees that message already",
		`hidden from the model: [2] assistant "I see it"`,
	} {
		if !strings.Contains(got.out+got.err, want) {
			t.Errorf("%q is not in\n%s\n%s", want, got.out, got.err)
		}
	}
	if strings.Contains(got.out, "edited") || strings.Count(got.out, "(left out)") != 1 {
		t.Errorf("the lists are\n%s", got.out)
	}
	if n := strings.Count(got.out, "\nI see nothing\n"); n != 1 {
		t.Errorf("the model answered without the secret %d times\n%s", n, got.out)
	}
}

// A person sees the seconds shrink; what else is written then begins a line.
func TestCountdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
			p.tell(protocol.RetryStarted{Attempt: 1, Max: 3, Delay: 10 * time.Second, Error: "529: overloaded"})
			return protocol.Started, nil
		})
		in, typed := io.Pipe()
		term := &terminal{t: t, in: typed}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: term, Err: term, Terminal: true, NoColor: true, Quiet: true}); err != nil {
				t.Error(err)
			}
		}()
		term.types("hello")
		synctest.Wait()
		if got := term.String(); !strings.HasSuffix(got, "529: overloaded.\nTrying again in 10s (1 of 3); ctrl+c stops.") {
			t.Errorf("at once: %q", got)
		}
		time.Sleep(3500 * time.Millisecond)
		synctest.Wait()
		if got := term.String(); !strings.HasSuffix(got, "\rTrying again in 7s (1 of 3); ctrl+c stops.") {
			t.Errorf("after 3.5 s: %q", got)
		}
		p.tell(protocol.LoopStarted{})
		p.tell(says("here it is")...)
		synctest.Wait()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := term.String(); strings.Count(got, "Trying again") != 4 || !strings.Contains(got, "\nhere it is\n") {
			t.Errorf("with the answer: %q", got)
		}
		typed.Close()
		<-done
	})
}

func TestTheLikelyCauseIsNamed(t *testing.T) {
	line := []byte(`{"type":"message","id":"0000000a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"look","timestamp":1}}`)
	e, err := session.Decode(line, session.Line{}, session.Bytes(line))
	if err != nil {
		t.Fatal(err)
	}
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		p.tell(protocol.Appended{Entry: e}, protocol.Notice{Level: "warning", Text: "Refused.", Entry: "0000000a"}, protocol.Notice{Level: "warning", Text: "Other.", Entry: "unknown0"})
		p.tell(says("fine")...)
		return protocol.Started, nil
	})
	_, errs, _, err := p.run(t, "look\n", repl.Options{})
	if want := "Refused. The likely cause is [0] user \"look\"; /hide 0 keeps it from the model for good.\nOther.\n"; err != nil || errs != want {
		t.Errorf("%q, %v, want %q", errs, err, want)
	}
}
