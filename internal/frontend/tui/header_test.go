package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// The header stands before a conversation that is taken up again, however long it is,
// and below it one line says where that stands.
func TestHeaderStandsBeforeAConversationThatIsResumed(t *testing.T) {
	var g grove
	parent := ""
	for i := range 500 {
		u, a := fmt.Sprint("u", i), fmt.Sprint("a", i)
		g.say(u, parent, user(fmt.Sprintf("question %d", i)))
		g.say(a, u, answer("so it is", 0.001))
		parent = a
	}
	g.say("other", "a400", user("another way"))
	p := newPuppet()
	s := tuitest.Start(t, p, 80, 20)
	defer s.End()
	p.tell(protocol.Opened{Header: session.Header{ID: "long", CWD: "/srv"}})
	p.tell(append(g.evs, protocol.State{Leaf: "a499"})...)
	s.Shows("question 499", "branch 1 · 2 branches · last activity")
	s.Hides("bough 0.x")
	s.Type("ctrl+home")
	for range 5 { // it is looked up piece by piece
		s.Type("ctrl+home")
	}
	s.Until("the header before the first message", func(screen string) bool {
		head, first := strings.Index(screen, "bough 0.x"), strings.Index(screen, "question 0")
		return head >= 0 && first > head
	})
	s.Type("ctrl+end")
	s.Shows("question 499", "branch 1 · 2 branches · last activity")
}

func TestQuietStarts(t *testing.T) {
	for _, tt := range []struct {
		name       string
		set        func(*tui.Options)
		head, more bool
	}{
		{"usual", func(*tui.Options) {}, true, true},
		{"header alone", func(o *tui.Options) { o.Brief = true }, true, false},
		{"quiet", func(o *tui.Options) { o.Quiet = true }, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStage(t, scene{session: empty}, 100, 20, 0, func(s *stage) {
				if got := strings.Contains(s.String(), "esc stop"); got != tt.head {
					t.Errorf("the first line is there: %v\n%s", got, s)
				}
				if got := strings.Contains(s.String(), "skills: 1 · templates: 1 · theme: dark"); got != tt.more {
					t.Errorf("what was loaded is there: %v\n%s", got, s)
				}
			}, tt.set)
		})
	}
}

// An open card names its files and its price.
func TestCardsOfSummaries(t *testing.T) {
	var g grove
	g.say("u1", "", user("Count words"))
	g.say("a1", "u1", answer("How?", 0))
	g.say("u2", "a1", user("Use the flag package"))
	g.say("a2", "u2", answer("Done.", 0))
	g.add("b", "a1", session.BranchSummary{From: "a2", Summary: "flag works", Usage: &message.Usage{Cost: message.Cost{Total: 0.25}},
		Details: message.Value(`{"readFiles":["a.go",7,"b\u001b[2J.go"],"modifiedFiles":["main.go"]}`)})
	g.add("c", "b", session.Compaction{Summary: "all in short", FirstKept: "b", TokensBefore: 98765, Details: message.Value(`{"readFiles":"none"}`)})
	s := tuitest.Start(t, newPuppet(g.evs...), 100, 30)
	defer s.End()
	s.Shows(`[branch] came back from "Use the flag package" (ctrl+o)`, "[compaction] 98,765 tokens -> summary (ctrl+o)")
	s.Type("ctrl+o")
	s.Shows("flag works", "files read: a.go, b.go", "files changed: main.go", "cost: $0.250", "all in short")
}

// Where one is stands at that row only; at the nearest one above if it is not listed.
func TestYouAreHereOnlyWhereYouAre(t *testing.T) {
	s := tuitest.Start(t, newPuppet(counter()...), 100, 30)
	defer s.End()
	s.Shows("The command has a root now.")
	s.Type("/tree", "enter")
	s.Shows("← you are here")
	s.Type("ctrl+u")
	s.Shows("← you are below here")
	s.Hides("← you are here")
}
