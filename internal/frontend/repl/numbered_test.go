package repl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// What has a screen of its own in the terminal UI is asked by numbers.
func TestSpeechNumberedQuestions(t *testing.T) {
	var did []string
	w := newWorld(t, "")
	typist, in := newTypist("/trust", "4", "2", "/trust", "", "/trust", "1", "/logout", "/quit")
	w.run(w.connect(""), in, func(o *repl.Options) {
		o.Out, o.Err, o.Terminal, o.Speech = typist, typist, true, "test"
		way := func(name string, err error) repl.Way {
			return repl.Way{Text: "do " + name, Do: func(context.Context) (string, error) {
				did = append(did, name)
				return name + " is done.", err
			}}
		}
		o.Questions = map[string]func(context.Context) (repl.Question, error){
			"trust": func(context.Context) (repl.Question, error) {
				return repl.Question{Lines: []string{"It is \x1b[31mnot trusted."}, Ways: []repl.Way{way("one", errors.New("the disk is full")), way("two", nil)}}, nil
			},
			"logout": func(context.Context) (repl.Question, error) { return repl.Question{}, errors.New("there is no key") },
		}
	})
	got := typist.String()
	if strings.Join(did, " ") != "two one" {
		t.Errorf("did %v\n%s", did, got)
	}
	for _, want := range []string{"It is not trusted.\n1: do one\n2: do two\nType the number of what to do, 1 to 2", "There is no 4 in the list", "\ntwo is done.\n", "nothing chosen", "The disk is full", "There is no key"} {
		if !strings.Contains(strings.ReplaceAll(got, "error: ", ""), want) && !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}

// What was said in a session is searched when no name has it.
func TestSpeechSearchesSessions(t *testing.T) {
	var asked []string
	one, two := session.Summary{ID: "one", Path: "one.jsonl", Name: "the trip", Said: 4}, session.Summary{ID: "two", Path: "two.jsonl", FirstMessage: "about trees", Said: 2}
	p := newPuppet(func(_ *puppet, cmd protocol.Request) (any, error) {
		switch c := cmd.(type) {
		case protocol.SearchSessions:
			asked = append(asked, "search "+c.Query)
			if c.Query != "harbour" {
				return protocol.Found{}, nil
			}
			return protocol.Found{Hits: []protocol.Hit{{Session: two, Role: "assistant", Text: "the old harbour\nat noon"}, {Session: two, Role: "user", Text: "harbour?"}, {Session: one, Role: "user", Text: "a harbour"}}}, nil
		case protocol.SwitchSession:
			asked = append(asked, "go to "+c.Session)
			return nil, errors.New("somebody else has it")
		}
		return protocol.None{}, nil
	})
	typist, in := newTypist("/resume desert", "/resume harbour", "2", "/quit")
	if _, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: typist, Terminal: true, Speech: "test", NoHeader: true, Quiet: true,
		Sessions: func(context.Context) ([]session.Summary, error) { return []session.Summary{one, two}, nil }}); err != nil {
		t.Fatal(err)
	}
	got := typist.String()
	if s := strings.Join(asked, ", "); s != "search desert, search harbour, go to one.jsonl" {
		t.Errorf("asked for %s\n%s", s, got)
	}
	for _, want := range []string{`Nothing of this folder's sessions has "desert"`, "1: about trees; 2 messages", "\n   assistant: the old harbour at noon\n2: the trip; 4 messages", "omebody else has it"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}
