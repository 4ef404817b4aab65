package repl_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/protocol"
)

// asking is a session service that asks about one call for each prompt and notes the
// answers.
func asking(about *protocol.AskedCall, answers *[]string) *puppet {
	n := 0
	return newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		switch c := cmd.(type) {
		case protocol.Prompt:
			n++
			p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.Asked{ID: fmt.Sprint("q", n), Text: "May it be run?", About: about, Choices: []protocol.Choice{
				{ID: "yes", Text: "allow it", Kind: protocol.AllowOnce}, {ID: "always", Text: "allow bash for this session", Kind: protocol.AllowAlways},
				{ID: "no", Text: "refuse it", Kind: protocol.RejectOnce, Words: true}}})
			return protocol.Started, nil
		case protocol.Answer:
			*answers = append(*answers, strings.TrimSpace(c.Question+" "+c.Choice+" "+c.Text))
			p.tell(protocol.Answered{ID: c.Question, Choice: c.Choice, Text: c.Text})
			p.tell(says("done")...)
			return protocol.None{}, nil
		case protocol.SetPermissions:
			return protocol.Permissions{Mode: c.Mode, Modes: []protocol.PermissionMode{{ID: "auto", Text: "never asks"}}}, nil
		case protocol.GetPermissions:
			return protocol.Permissions{Mode: "auto", Modes: []protocol.PermissionMode{{ID: "auto", Text: "never asks"}, {ID: "ask", Text: "asks"}}, Session: []string{"edit(**)"}}, nil
		}
		return protocol.None{}, nil
	})
}

// Lines of a pipe answer the questions that come up, one each, and the rest is said
// to the model.
func TestQuestionsInAPipe(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"one\ny\ntwo\nalways\n", "q1 yes, q2 always"},
		{"one\nNO\n", "q1 no"},
		{"one\nno, use make\n", "q1 no use make"},
		{"one\nrather not\n", "q1 no rather not"},
		{"one\nyes please\ny\n", "q1 yes"},
		{"one\n\nyes\n", "q1 yes"},
		{"one\n/permissions auto\ny\n", "q1 yes"},
		{"one", "q1 no"}, // nobody is left to ask
		{"one\n\n", "q1 no"},
	} {
		var answers []string
		p := asking(&protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: "make x"}, &answers)
		out, _, _, err := p.run(t, tt.in, repl.Options{})
		if got := strings.Join(answers, ", "); err != nil || got != tt.want {
			t.Errorf("%q: answers %q, %v, want %q\n%s", tt.in, got, err, tt.want, out)
		}
		if !strings.Contains(out, "  $ make x\n") || !strings.Contains(out, "always: allow bash for this session") {
			t.Errorf("%q: output\n%s", tt.in, out)
		}
	}
}

// What is asked about is shown, without what would move the cursor of a terminal, and
// not without end.
func TestQuestionsShowTheCall(t *testing.T) {
	for _, tt := range []struct {
		name  string
		about protocol.AskedCall
		want  string
	}{
		{"a change", protocol.AskedCall{Tool: "edit", Kind: protocol.Changes, Diff: "-1 old\n+1 new"}, "  -1 old\n  +1 new\n"},
		{"a change that is not known", protocol.AskedCall{Tool: "edit", Kind: protocol.Changes}, "(the change cannot be shown)"},
		{"a command of several lines", protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: "a\nb"}, "  $ a\n    b\n"},
		{"a tool of others", protocol.AskedCall{Tool: "mcp__x", Kind: protocol.Reaches, Args: []byte(`{"a":1}`)}, `  {"a":1}`},
		{"a long change", protocol.AskedCall{Tool: "edit", Kind: protocol.Changes, Diff: strings.Repeat("+1 x\n", 240)}, "(40 lines more)"},
		{"a long command", protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: strings.Repeat("x\n", 300) + "rm y"}, "    rm y\n"},
		{"what would not be seen", protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: "ls \u202e\u00a0\x1b[8m x"}, `$ ls \u202e\u00a0\x1b[8m x`},
	} {
		var answers []string
		out, _, _, err := asking(&tt.about, &answers).run(t, "one\ny\n", repl.Options{})
		if err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
	}
	var answers []string
	out, _, _, _ := asking(&protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: "ls \x1b[2J\rrm"}, &answers).run(t, "one\ny\n", repl.Options{})
	if strings.ContainsAny(out, "\x1b\r") {
		t.Errorf("output %q", out)
	}
}

// On a terminal ctrl+d with a question open refuses and ends, and what others have
// answered is told.
func TestQuestionsOnATerminal(t *testing.T) {
	var answers []string
	p := asking(nil, &answers)
	if _, _, _, err := p.run(t, "one\n", repl.Options{Terminal: true, NoColor: true}); err != nil || fmt.Sprint(answers) != "[q1 no]" {
		t.Errorf("answers %v, %v", answers, err)
	}
	q := newPuppetIn(protocol.State{Running: true, Open: []protocol.Asked{{ID: "q1", Text: "May it?", Choices: []protocol.Choice{{ID: "yes"}, {ID: "no"}}}}},
		func(*puppet, protocol.Request) (any, error) { return protocol.None{}, nil })
	q.tell(protocol.Answered{ID: "q1", Choice: "no", Text: "later", By: "web"})
	q.tell(says("done")...)
	in, lines := io.Pipe() // whose end comes when that was told
	out := &told{what: `(answered by web: no, "later")`, then: func() { lines.Close() }}
	if _, err := repl.Run(t.Context(), q, repl.Options{In: in, Out: out, Err: io.Discard, Terminal: true, NoColor: true}); err != nil {
		t.Error(err)
	}
}

// told does something when a text was written.
type told struct {
	what string
	then func()
	text string
}

func (o *told) Write(b []byte) (int, error) {
	had := strings.Contains(o.text, o.what)
	if o.text += string(b); !had && strings.Contains(o.text, o.what) {
		o.then()
	}
	return len(b), nil
}

func TestPermissionsCommand(t *testing.T) {
	var answers []string
	out, _, _, err := asking(nil, &answers).run(t, "/permissions\n/permissions auto\n", repl.Options{})
	want := "* auto       never asks\n  ask        asks\nallowed for this session: edit(**)\n/permissions auto|ask changes it for this run; forget takes back what was allowed for this session.\nauto: never asks\n"
	if err != nil || out != want {
		t.Errorf("%v\n%q\nwant\n%q", err, out, want)
	}
}

// An answer that was typed while somebody else gave one goes to nobody: not to the
// next question, which was not seen yet, and not to the model.
func TestAnAnswerThatComesTooLate(t *testing.T) {
	choices := []protocol.Choice{{ID: "yes", Text: "allow it"}, {ID: "no", Text: "refuse it", Words: true}}
	ask := func(id string) protocol.Event {
		return protocol.Asked{ID: id, Text: "May it be run?", Choices: choices}
	}
	for _, tt := range []struct {
		name  string
		wait  time.Duration
		evs   []protocol.Event
		lines []string
		want  string // commands behind the first prompt
	}{
		{"the next question is not meant", 0, []protocol.Event{ask("q2")}, []string{"y"}, ""},
		{"once it was seen it is", 3 * time.Second, []protocol.Event{ask("q2")}, []string{"y"}, "answer"},
		{"nor if it is said again", 0, []protocol.Event{ask("q2")}, []string{"y", "y"}, "answer"},
		{"words are for the next question", 0, []protocol.Event{ask("q2")}, []string{"not so"}, "answer"},
		{"the model is not told", 5 * time.Second, []protocol.Event{protocol.RunEnded{}}, []string{"n"}, ""},
		{"unless it is said again", 0, []protocol.Event{protocol.RunEnded{}}, []string{"n", "n"}, "prompt n"},
		{"words are for the model", 0, []protocol.Event{protocol.RunEnded{}}, []string{"next"}, "prompt next"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
					switch c := cmd.(type) {
					case protocol.Prompt:
						if c.Text == "go" {
							p.tell(protocol.RunStarted{}, ask("q1"))
						}
						return protocol.Started, nil
					case protocol.Answer:
						if c.Question != "q2" {
							t.Errorf("answers %s", c.Question)
						}
						return protocol.None{}, nil
					}
					return nil, errors.New("unexpected")
				})
				in, typed := io.Pipe()
				var out bytes.Buffer
				done := make(chan error)
				go func() {
					_, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: &out, Err: &out, Terminal: true, NoColor: true, Quiet: true})
					done <- err
				}()
				synctest.Wait()
				for i, line := range append([]string{"go"}, tt.lines...) {
					fmt.Fprintln(typed, line) // is read whole, or the test fails
					synctest.Wait()
					if i == 0 {
						p.tell(append([]protocol.Event{protocol.Answered{ID: "q1", Choice: "yes", By: "rpc"}}, tt.evs...)...)
						time.Sleep(tt.wait)
						synctest.Wait()
					}
				}
				close(p.events)
				if err := <-done; !errors.Is(err, protocol.ErrClosed) {
					t.Error(err)
				}
				typed.Close()
				if got := strings.TrimPrefix(strings.TrimPrefix(p.commands(), "prompt go"), ", "); got != tt.want {
					t.Errorf("commands %q, want %q\n%s", got, tt.want, out.String())
				}
			})
		})
	}
}
