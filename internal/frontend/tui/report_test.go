package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// talk is a session with some turns.
func talk(t *testing.T, width, height int, said ...string) *tuitest.Screen {
	t.Helper()
	w := tuitest.New(t, "")
	s := w.Start(width, height)
	for _, words := range said {
		s.Type(words, "enter")
		s.Shows("Echo: " + words)
		s.Hides("Working")
	}
	return s
}

// What the REPL's commands say, the terminal shows.
func TestReports(t *testing.T) {
	s := talk(t, 80, 30, "first words", "second words")
	for _, tt := range []struct {
		command string
		shows   []string
	}{
		{"/session", []string{"Session", "messages", "4 (2 of yours, 2 answers)", "1 branch"}},
		{"/cost", []string{"Cost", "last prompt", "this branch", "2 calls"}},
		{"/history", []string{"History (5/5)", "[1] user", "first words", "[4] assistant", "Echo: second words"}},
		{"/history 1", []string{"History (1/1)", "[4] assistant"}},
		{"/history --all", []string{"[#4] assistant"}},
		{"/show 1", []string{"[1] user", "first words"}},
		{"/show --raw 1", []string{`"role":"user"`}},
		{"/context", []string{"What the model sees", "[1]", "user", "first words", "messages, about"}},
		{"/permissions", []string{"Permissions"}},
		{"/queue", []string{"Waiting", "no message waits"}},
	} {
		s.Type(tt.command, "enter")
		s.Shows(tt.shows...)
		s.Type("escape")
		s.Hides("esc close")
	}
	s.Type("/summary", "enter")
	s.Shows("Nothing is compacted")
	s.Type("/history words", "enter")
	s.Shows("takes a number")
	s.Type("/show 99", "enter")
	s.Shows("There is no [99]")
}

func TestReplacingAndHiding(t *testing.T) {
	s := talk(t, 80, 30, "first words", "second words")
	s.Type("/replace 1", "enter")
	s.Shows("instead of user \"first words\"", "calls it off")
	s.Type(" and more", "enter")
	s.Shows("the model sees these words now", "edited: the model sees other words")
	s.Type("/hide 2", "enter")
	s.Shows("left out: the model does not see it")
	s.Type("/replace 3", "enter")
	s.Shows("what the model is to see")
	s.Type("escape")
	s.Hides("what the model is to see")
	s.Type("/unhide 2", "enter")
	s.Hides("left out")
	s.Type("ctrl+o")
	s.Shows("| ", "first words and more")
}

func TestSummingUpWithTheNextMove(t *testing.T) {
	s := talk(t, 80, 30, "first words", "second words")
	s.Type("/summarize the words", "enter")
	s.Shows("your next move sums up")
	s.Type("/branch 2", "enter")
	s.Shows("[branch]")
	s.Type("/take #4", "enter")
	s.Shows("[bough.take]", "Echo: second words")
}

func TestWhatWaitsIsChanged(t *testing.T) {
	w := tuitest.New(t, `[{"when":{"user":"wait"},"times":1,"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
	s := w.Start(80, 24)
	s.Type("wait", "enter")
	s.Shows("one", "Working")
	s.Type("and then", "enter")
	s.Shows("steer: and then")
	s.Type("and later", "alt+enter")
	s.Shows("later: and later", "lists them")
	s.Type("alt+up")
	s.Shows("Waiting (1/2)")
	s.Type("down", "ctrl+d")
	s.Shows("Waiting (1/1)")
	s.Type("enter")
	s.Shows("what is to wait instead")
	s.Type(" what", "enter")
	s.Shows("steer: and then what")
	w.Script.Release("go")
	s.Shows("three", "Echo: and then what")
	s.Hides("Working")
}

func TestFocusOnBlocks(t *testing.T) {
	w := tuitest.New(t, story)
	var copied string
	s := w.Start(60, 30, func(o *tui.Options) { o.Copy = func(t string) error { copied = t; return nil } })
	s.Type("look", "enter")
	s.Shows("not red")
	s.Hides("Working")
	s.Type("alt+t")
	s.Shows("Conversation", "all of it")
	s.Type("up")
	s.Type("enter")
	s.Shows("line 12")
	s.Type("enter", "up", "c")
	s.Shows("copied: \"look\"")
	if copied != "look" {
		t.Errorf("copied %q", copied)
	}
	s.Type("e")
	s.Hides("Conversation ")
	s.Hides("not red")
	s.Shows("look")
}

// What is not on this branch is looked for on all of them.
func TestFindOnAllBranches(t *testing.T) {
	w := tuitest.New(t, story)
	s := w.Start(100, 24)
	s.Type("first", "enter")
	s.Shows("Echo: first")
	s.Type("the lost one", "enter")
	s.Shows("Echo: the lost one")
	s.Type("/branch 2", "enter")
	s.Shows("goes back")
	s.Type("/find LOST", "enter")
	s.Shows("Search: LOST", "nothing here", "enter search all branches")
	s.Type("enter")
	s.Hides("Search: LOST")
	s.Shows("Session tree", "search: LOST", "Echo: the lost one")

	r := w.Start(100, 24, func(o *tui.Options) { o.Regular = true })
	r.Type("the lost one", "enter")
	r.Shows("Echo: the lost one")
	r.Type("/find lost", "enter")
	r.Shows("Session tree", "search: lost", "2 found")
}

// The list of keys begins with those of every day, and knows esc twice.
func TestKeysOfEveryDayFirst(t *testing.T) {
	for twice, row := range map[string]string{"": "esc esc                  the tree", "fork": "esc esc                  fork", "none": "-                        the tree"} {
		s := tuitest.New(t, story).Start(100, 40, func(o *tui.Options) { o.DoubleEscape = twice })
		s.Type("/hotkeys", "enter")
		s.Shows("> enter                    send", "esc close")
		s.Type("app.session")
		s.Shows(row)
		s.Type("enter") // there is nothing to choose
		s.Shows("Keys")
	}
}

func TestSearch(t *testing.T) {
	for _, width := range []int{40, 80, 120, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			w := tuitest.New(t, story)
			s := w.Start(width, 24)
			s.Type("look", "enter")
			s.Shows("not red")
			s.Hides("Working")
			s.Send("\x1b[102;6u") // ctrl+shift+f
			s.Shows("Search:")
			s.Type("LINE 42")
			s.Shows("1 of 1 block", "line 42")
			s.Golden(fmt.Sprintf("search_%d.txt", width))
			s.Type("x")
			s.Shows("nothing here")
			if width >= 80 {
				s.Shows("enter search all branches")
			}
			s.Type("escape")
			s.Hides("Search:")
			s.Shows("not red")
		})
	}
}

// What was summed up is one row until somebody opens it, or something of it is found.
func TestTheOlderPart(t *testing.T) {
	var events []protocol.Event
	parent := ""
	add := func(id string, b session.Body) {
		e := session.NewEntry(session.ID(id), session.ID(parent), time.Unix(0, 0), b)
		events = append(events, protocol.Appended{Entry: e})
		parent = id
	}
	for i := range 1000 {
		add(fmt.Sprintf("u%d", i), session.Message{Message: user(fmt.Sprintf("question %d", i))})
		add(fmt.Sprintf("a%d", i), session.Message{Message: message.Message{Role: message.Assistant, StopReason: message.Stop, Content: []message.Block{message.Text(fmt.Sprintf("answer %d", i))}}})
	}
	add("c", session.Compaction{Summary: "all in short", FirstKept: "u990", TokensBefore: 12345})
	add("u", session.Message{Message: user("the end")})
	p := newPuppet(append(events, protocol.LeafMoved{New: "u0"}, protocol.LeafMoved{New: "u"})...)
	s := tuitest.Start(t, p, 60, 20)
	defer s.End()
	s.Shows("[compaction] 12,345 tokens", "the end")
	s.Type("ctrl+home")
	s.Shows("+ older part: 1980 messages", "question 990")
	s.Golden("older_closed.txt")
	s.Type("ctrl+o")
	s.Shows("- older part: 1980 messages, above")
	s.Type("pageUp")
	s.Shows("answer 989")
	s.Type("ctrl+o")
	s.Hides("answer 989")
	s.Send("\x1b[102;6u")
	s.Type("question 123")
	s.Until("the hit", func(screen string) bool {
		return strings.Contains(screen, "1 of 1") && strings.Contains(screen, "answer 123")
	})
}

func TestLeaving(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, func(o *tui.Options) {
		o.LeaveTranscript = true
		o.ResumeWords = func(h session.Header, file string) string { return "bough --session " + h.ID[:2] }
	})
	s.Type("hello", "enter")
	s.Shows("Echo: hello")
	s.Hides("Working")
	s.Type("run wait", "enter")
	s.Shows("waiting for the end")
	s.Type("/quit", "enter")
	s.Shows("Something is still going on", "Stop it and leave", "Stay")
	s.Type("2")
	s.Hides("Something is still")
	s.Type("/quit", "enter")
	s.Shows("Stop it and leave")
	s.Type("1")
	if code, err := s.Ended(); code != 0 || err != nil {
		t.Errorf("code %d, %v", code, err)
	}
	end := s.Raw()[strings.LastIndex(s.Raw(), "\x1b[?1049l"):]
	for _, want := range []string{"Echo: hello\r\n", "To go on with this conversation:\r\nbough --session "} {
		if !strings.Contains(end, want) {
			t.Errorf("the end is %q, without %q", end, want)
		}
	}
}

func TestHidingThoughts(t *testing.T) {
	w := tuitest.New(t, story)
	kept := make(chan bool, 2)
	s := w.Start(80, 40, func(o *tui.Options) { o.KeepThinking = func(hide bool) error { kept <- hide; return nil } })
	s.Type("look", "enter")
	s.Shows("Where is it?", "not red")
	s.Hides("Working")
	s.Type("ctrl+t")
	s.Hides("Where is it?")
	s.Type("ctrl+t")
	s.Shows("Where is it?")
	if !<-kept || <-kept {
		t.Error("something else was kept")
	}
}
