package tui_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// now is when the tests of the tree are looked at.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// grove makes the events of a session, an entry a minute.
type grove struct {
	evs []protocol.Event
	n   int
}

func (g *grove) add(id, parent string, b session.Body) {
	at := time.Date(2026, 11, 28, 9, g.n, 0, 0, time.UTC)
	g.n++
	g.evs = append(g.evs, protocol.Appended{Entry: session.NewEntry(session.ID(id), session.ID(parent), at, b)})
}

func (g *grove) say(id, parent string, m message.Message) {
	g.add(id, parent, session.Message{Message: m})
}

func answer(text string, cost float64, calls ...message.Block) message.Message {
	m := message.Message{Role: message.Assistant, Provider: "stub", Model: "stub-large", StopReason: message.Stop,
		Usage: &message.Usage{Input: 1200, Output: 300, CacheRead: 600, TotalTokens: 2100, Cost: message.Cost{Total: cost}}}
	if text != "" {
		m.Content = append(m.Content, message.Text(text))
	}
	if len(calls) > 0 {
		m.StopReason = message.ToolUse
	}
	m.Content = append(m.Content, calls...)
	return m
}

func toolCall(id, name, args string) message.Block {
	return message.Block{Type: message.ToolCallBlock, ID: id, Name: name, Arguments: []byte(args)}
}

func result(id, name, text string, failed bool) message.Message {
	return message.Message{Role: message.ToolResult, ToolCallID: id, ToolName: name, IsError: failed, Content: []message.Block{message.Text(text)}}
}

// counter is the session of the specification: a command that counts words, with a
// branch that uses flag, one that failed, and the one that uses cobra, where it stands.
func counter() []protocol.Event {
	var g grove
	g.add("name", "", session.Info{Name: "Word counter CLI"})
	g.say("u1", "name", user("Build a CLI that counts words in files. It must handle UTF-8."))
	g.say("a1", "u1", answer("I will look at the repository first.", 0.004, toolCall("c1", "bash", `{"command":"ls -la && git status && echo a very long command line that goes on"}`)))
	g.say("r1", "a1", result("c1", "bash", "main.go", false))
	g.say("a2", "r1", answer("There is a main.go. Shall I use cobra or flag?", 0.003))
	g.say("u2", "a2", user("Use the flag package"))
	g.say("a3", "u2", answer("", 0.006, toolCall("c2", "edit", `{"path":"src/main.go","edits":[]}`), toolCall("c3", "write", `{"path":"go.mod","content":"x"}`)))
	g.say("r2", "a3", result("c2", "edit", "done", false))
	g.say("r3", "r2", result("c3", "write", "done", false))
	g.say("a4", "r3", answer("Done with flag. The trick was to set **bufio.ScanWords** on the scanner, and runes are counted by utf8.RuneCount.", 0.008))
	g.say("u3", "a4", user("Also count lines"))
	g.say("a5", "u3", answer("Lines are counted too.", 0.002))
	g.say("u5", "a2", user("Use pflag"))
	failed := answer("", 0.001)
	failed.StopReason, failed.ErrorMessage = message.Failed, "the server is overloaded"
	g.say("a6", "u5", failed)
	g.add("bs", "a2", session.BranchSummary{From: "a5", Summary: "## Goal\nuse **flag**; it worked"})
	g.say("u6", "bs", user("Use cobra instead"))
	g.say("a7", "u6", answer("OK, cobra it is.", 0.005, toolCall("c4", "edit", `{"path":"src/main.go","edits":[]}`), toolCall("c5", "edit", `{"path":"cmd/root.go","edits":[]}`)))
	g.say("r4", "a7", result("c4", "edit", "no such text", true))
	g.say("r5", "r4", result("c5", "edit", "done", false))
	g.say("a8", "r5", answer("The command has a root now.", 0.004))
	g.add("l1", "a8", session.Label{Target: "a4", Text: "flag-works"})
	return g.evs
}

// look shows a session that others wrote.
func look(t *testing.T, width, height int, evs []protocol.Event, change ...func(*tui.Options)) (*tuitest.Screen, *puppet) {
	t.Helper()
	p := newPuppet(evs...)
	p.do = func(cmd protocol.Request) (any, error) {
		return nil, protocol.Fail(protocol.UnknownCommand, "puppets do nothing")
	}
	s := tuitest.Start(t, p, width, height, append([]func(*tui.Options){func(o *tui.Options) {
		o.Now = func() time.Time { return now }
	}}, change...)...)
	t.Cleanup(func() { s.End() })
	return s, p
}

// The tree, a preview in it, a search, all layouts, and two branches side by side, at
// the widths and heights that people have.
func TestTreeScreens(t *testing.T) {
	for _, size := range [][2]int{{40, 20}, {80, 24}, {120, 40}, {200, 60}, {24, 14}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			golden := func(s *tuitest.Screen, name string) {
				s.Golden(fmt.Sprintf("tree/%s_%dx%d.txt", name, size[0], size[1]))
			}
			s, _ := look(t, size[0], size[1], counter())
			s.Shows("now.")
			s.Type("/tree", "enter")
			golden(s, "tree")
			s.Type("up", "up", "up", "space")
			golden(s, "preview")
			s.Type("space", "alt+l")
			golden(s, "classic")
			s.Type("alt+l")
			golden(s, "turns")
			s.Type("alt+l", "scanwords")
			golden(s, "search")
			s.Type("escape")
			s.Hides("scanwords")
			s.Type("?")
			golden(s, "help")
			s.Type("?", "alt+m", "ctrl+g", "alt+m")
			s.Shows("branches", "turn 1 of 2")
			golden(s, "branches")
			s.Type("tab", "down", "enter")
			golden(s, "choices")
			s.Resize(size[0], 6)
			s.Resize(1, 1)
			s.Resize(size[0], size[1])
			golden(s, "choices")
		})
	}
}
