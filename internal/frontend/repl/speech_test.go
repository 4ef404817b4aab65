package repl_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func (w *world) listens(open string, sessions []session.Summary, lines ...string) string {
	w.t.Helper()
	t, in := newTypist(lines...)
	w.run(w.connect(open), in, func(o *repl.Options) {
		o.Out, o.Err, o.Terminal, o.Speech = t, t, true, "--screen-reader"
		o.Sessions = func(context.Context) ([]session.Summary, error) { return sessions, nil }
	})
	return t.String()
}

// All that a conversation needs, for somebody who listens: nothing is drawn, nothing is
// written twice, and lists are chosen from by numbers.
func TestSpeech(t *testing.T) {
	w := newWorld(t, `{"defaults":{"usage":{"input":1300,"output":80}},"rules":[
		{"when":{"toolResult":"no such|none.txt|rror"},"reply":{"text":"There is none."}},
		{"when":{"toolResult":"Hello"},"reply":{"text":"# It\n\nIt says **hello**. That is all.\n\n- one\n"}},
		{"when":{"user":"what does"},"reply":{"toolCalls":[{"name":"read","args":{"path":"hello.txt"}}]}},
		{"when":{"user":"what of"},"reply":{"toolCalls":[{"name":"read","args":{"path":"none.txt"}}]}}]}`)
	got := w.listens("", nil,
		"what does hello.txt say?", "/history", "", "/branch 1", "again", "/tree", "2", "what of none.txt", "/tree greeting|hello there", "", "/tree hello",
		"17", "1", "/edit", "/back", "/model", "x/y is no number", "/model", "2", "/thinking", "", `"""`, "1", `"""`, "/fork", "/compare", "/login", "/history --all", "/label here it is", "/history", "/help tree", "/quit")
	golden.Equal(t, "speech.txt", stable(got))
	for _, r := range got {
		if r != '\n' && !unicode.IsPrint(r) || r >= 0x2500 && r <= 0x259F || r >= 0x2800 && r <= 0x28FF {
			t.Errorf("%U is not to be heard", r)
		}
	}
}

func TestSpeechSessions(t *testing.T) {
	w := newWorld(t, "")
	w.say("the first one", quiet)
	now := time.Now()
	s := session.Summary{Path: w.sessions()[0], ID: "one", FirstMessage: "the first one", Said: 2, Modified: now.Add(-time.Hour), Touched: now.Add(-time.Hour)}
	other := session.Summary{Path: "gone.jsonl", ID: "two", Name: "the other", Said: 1, Modified: now, Touched: now}
	got := w.listens("", []session.Summary{other, s}, "/resume", "3", "2", "/history", "/quit")
	golden.Equal(t, "speech_sessions.txt", stable(got))
}

func TestSpeechQuestions(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"1", "q1 yes"}, {"2", "q1 always"}, {"3", "q1 no"}, {"3 use make", "q1 no use make"}, {"yes", "q1 yes"}, {"rather not", "q1 no rather not"}, {"4\n0\n-1\n1", "q1 yes"}, {"\n1", "q1 yes"},
	} {
		var answers []string
		p := asking(&protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: "make x"}, &answers)
		typist, in := newTypist(append(append([]string{"go"}, strings.Split(tt.in, "\n")...), "/quit")...)
		code, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: typist, Terminal: true, Speech: "test", NoHeader: true})
		if got := strings.Join(answers, ", "); got != tt.want || code != 0 || err != nil {
			t.Errorf("%q: %s, want %s; code %d, %v\n%s", tt.in, got, tt.want, code, err, typist)
		}
	}
	var answers []string
	p := asking(&protocol.AskedCall{Tool: "bash", Kind: protocol.Runs, Command: "make x"}, &answers)
	typist, in := newTypist("go", "1", "/quit")
	_, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: typist, Terminal: true, Speech: "test", NoHeader: true})
	want := "you: go\nworking\nMay it be run?\n  $ make x\n1: yes, allow it\n2: always, allow bash for this session\n" +
		"3: no, refuse it; words behind the number, or alone, do so too and go to the model\nanswer, 1 to 3: 1\nanswer: done\ndone: tokens unknown, context unknown\nyou: /quit\n"
	if got := typist.String(); got != want || err != nil {
		t.Errorf("%v\n%q, want\n%q", err, got, want)
	}
}

// Settings are chosen, read and changed by numbers and words.
func TestSpeechSettings(t *testing.T) {
	var set []string
	list := []protocol.Setting{
		{Key: "theme", Kind: "text", Help: "Theme.", Sources: []protocol.SettingSource{{Value: `"dark"`, From: "default"}}},
		{Key: "tuiMode", Kind: "word", Words: []string{"regular", "fullscreen"}, Sources: []protocol.SettingSource{{Value: `"regular"`, From: "default"}}},
		{Key: "n", Kind: "number", Words: []string{"auto"}, Sources: []protocol.SettingSource{{Value: "1", From: "default"}}},
		{Key: "on", Kind: "flag", Sources: []protocol.SettingSource{{Value: "true", From: "default"}}},
	}
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		switch c := cmd.(type) {
		case protocol.GetSettings:
			for _, s := range list {
				if s.Key == c.Key {
					return protocol.Settings{Settings: []protocol.Setting{s}}, nil
				}
			}
			return protocol.Settings{Settings: list}, nil
		case protocol.SetSetting:
			set = append(set, c.Key+" "+c.Value)
			if !c.Save {
				return nil, errors.New("it is not kept")
			}
			return protocol.SettingSet{Setting: list[0]}, nil
		}
		return protocol.None{}, nil
	})
	typist, in := newTypist("/settings", "1", "light/my theme", "/settings", "2", "2", "/settings", "3", "-5", "/settings n", "auto", "/settings", "4", "2", "/settings", "4", "3", "", "/settings", "", "/quit")
	if _, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: typist, Terminal: true, Speech: "test", Quiet: true}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(set, ", "), "theme light/my theme, tuiMode fullscreen, n -5, n auto, on false"; got != want {
		t.Errorf("set %s, want %s\n%s", got, want, typist)
	}
}

// An empty line says what goes on, in the middle of it too.
func TestSpeechStatus(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state protocol.State
		want  string
	}{
		{"nothing", protocol.State{Thinking: "low"}, "ready: model none, thinking low, context unknown; session without a name; at the start, before the first message; next prompt goes on from here\n"},
		{"an answer", protocol.State{Running: true, Answer: &message.Message{Role: message.Assistant}}, "working: the model answers\n"},
		{"a tool, and what waits", protocol.State{Running: true, Queue: protocol.Queue{FollowUp: []string{"x", "y"}}, Tools: []protocol.ToolStarted{{CallID: "1", Tool: "bash", Args: []byte(`{"command":"make"}`)}}},
			"working: tool bash: make, running; 2 messages wait\n"},
		{"neither yet", protocol.State{Running: true}, "working\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPuppetIn(tt.state, func(*puppet, protocol.Request) (any, error) { return protocol.None{}, nil })
			var out strings.Builder
			if _, err := repl.Run(t.Context(), p, repl.Options{In: strings.NewReader("\n/quit\n"), Out: &out, Err: &out, Terminal: true, Speech: "test", NoHeader: true, Quiet: true}); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(out.String(), "you: "); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
