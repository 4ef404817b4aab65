package tui_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
		o.After = lasting
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
			s.Type("space")
			s.Hides("11/28 09:16 ·") // what is seen of the list depends on what was seen of it
			s.Type("alt+l")
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

// grown makes a conversation with two branches: "first" was answered, and then
// "second", and in its place "other".
func grown(t *testing.T, rules string, width, height int) (*tuitest.World, *tuitest.Screen) {
	t.Helper()
	w := tuitest.New(t, rules)
	s := w.Start(width, height, func(o *tui.Options) { o.After = lasting })
	for _, words := range []string{"first", "second"} {
		s.Type(words, "enter")
		s.Shows("Echo: " + words)
		s.Hides("Working")
	}
	s.Type("/tree", "enter")
	s.Shows("Session tree", "(4/4)")
	s.Type("up", "enter")
	s.Shows("Leave this branch?")
	s.Type("enter")
	s.Hides("Echo: second")
	s.Shows("second") // in the editor
	s.Type("ctrl+u", "other", "enter")
	s.Shows("Echo: other", "<2/2>")
	s.Hides("Working")
	s.Type("/tree", "enter")
	s.Shows("(6/6)", "1 turn", "2 branches")
	return w, s
}

// What was lost on another branch is found by a word of it, and read, taken over, or
// gone to.
func TestFindingALostAnswer(t *testing.T) {
	_, s := grown(t, "", 100, 30)
	s.Type("/", "echo: second")
	s.Shows("1 found", "(2/2)")
	s.Type("alt+l") // without the tree
	s.Shows("(1/1)")
	s.Type("alt+b")
	s.Shows("brought here: 1 message")
	s.Type("escape")
	s.Shows("(4/7)", "[taken]: the assistant: Echo: second")
	s.Type("up", "down", "enter") // where the answer was found
	s.Shows("Leave this branch?", "6 Bring this answer")
	s.Type("enter")
	s.Hides("Echo: other")
	s.Shows("Echo: second", "alt+[ goes back")
}

// Enter means what is found, however soon it comes.
func TestEnterWaitsForTheSearch(t *testing.T) {
	_, s := grown(t, "", 100, 30)
	s.Type("echo: second", "enter")
	s.Shows("Leave this branch?", "Bring this answer")
	s.Type("escape")
	s.Shows("Session tree", "1 found")
}

func TestLabelsInTheTree(t *testing.T) {
	_, s := grown(t, "", 100, 30)
	s.Type("up", "L", "a  name", "enter")
	s.Shows("[a name] user: other")
	s.Type("down", "label:name")
	s.Shows("1 found", "(1/1)")
	s.Type("escape")
	s.Shows("(5/6)")
	s.Type("L", "ctrl+u", "nothing", "escape")
	s.Hides("label:")
	s.Type("L", "ctrl+e", "ctrl+u", "enter")
	s.Hides("[a name]")
}

// Nothing moves before a summary is there: it can be stopped, and asked for with words.
func TestSummaryOfWhatIsLeft(t *testing.T) {
	w, s := grown(t, `[{"when":{"system":"summar"},"times":1,"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"go"}]}},{"when":{"system":"summar"},"reply":{"text":"## Goal\nthe other way"}}]`, 100, 30)
	s.Type("home", "down", "enter")
	s.Shows("Leave this branch?", "2 entries, 1 turn", "(about $0.015)")
	s.Type("2")
	s.Shows("stop; nothing moves then")
	s.Type("escape")
	s.Shows("Session tree", "stopped; nothing has moved", "you are here")
	w.Script.Release("go")
	s.Type("enter")
	s.Shows("Leave this branch?")
	s.Type("3")
	s.Shows("What is the summary to look at")
	s.Type("escape")
	s.Shows("Leave this branch?")
	s.Type("3", "the way", "enter")
	s.Shows("came back from \"other\"", "goes back")
	s.Type("/tree", "enter")
	s.Shows("[branch summary]: Goal the other way", "you are here")
}

// What other front ends do shows at once, and the cursor stays where it is.
func TestTheTreeFollows(t *testing.T) {
	s, p := look(t, 80, 24, counter())
	s.Shows("root now")
	s.Type("/tree", "enter")
	s.Shows("(18/18)")
	s.Type("up")
	s.Shows("(17/18)")
	p.tell(said("n1", "a5", user("Count bytes")), protocol.LeafMoved{Old: "n1", New: "a5", By: "phone"})
	s.Shows("Count bytes", "phone moved", "(11/19)")
	s.Type("ctrl+g")
	s.Until("at the leaf", func(screen string) bool {
		for line := range strings.Lines(screen) {
			if strings.HasPrefix(line, "> ") {
				return strings.Contains(line, "Lines are counted too.") && strings.Contains(line, "you are here")
			}
		}
		return false
	})
	s.Type("alt+up")
	s.Until("the branch before", func(screen string) bool {
		return strings.Contains(screen, "> ") && !strings.Contains(screen, "> • assistant: Lines")
	})
}

// A new session begins from an entry; the old one stays.
func TestNewSessionsFromTheTree(t *testing.T) {
	_, s := grown(t, "", 100, 30)
	s.Type("home", "down", "alt+c")
	s.Hides("Echo: other")
	s.Shows("Echo: first", "new session with the conversation up to there")
	s.Type("/tree", "enter")
	s.Shows("(2/2)")
	s.Type("up", "alt+f")
	s.Shows("new session from before that message", "first")
	s.Hides("Echo: first")
}

func TestBranchesAndBack(t *testing.T) {
	_, s := grown(t, "", 120, 30)
	s.Type("echo: second")
	s.Shows("1 found")
	s.Type("alt+m", "escape")
	s.Hides("found")
	s.Type("ctrl+g", "alt+m")
	s.Shows("Two branches", "A1 second", "B1 other", "they part after assistant: Echo: first", "(you are here)")
	s.Type("enter")
	s.Shows("Go there: to the end of A", "Bring the answer of turn 1")
	s.Type("2")
	s.Shows("brought here: 1 message")
	s.Type("enter", "enter")
	s.Shows("Leave this branch?")
	s.Type("enter")
	s.Hides("Echo: other") // which stands in the view of both, and above a question
	s.Shows("Echo: second", "goes back")
	s.Type("/compare", "enter")
	s.Shows("Two branches", "turn 1 of")
	s.Type("escape")
	s.Hides("Two branches")
	s.Type("/compare #1", "enter")
	s.Shows("both lie on the same branch")
}

// Whatever is typed, one row is chosen and seen, as long as there are rows, and
// nothing is wider than the screen.
func TestTreeKeysLaw(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "home", "end", "pageUp", "pageDown", "ctrl+left", "ctrl+right", "alt+up", "alt+down", "alt+j", "alt+k", "alt+n", "alt+p", "alt+l",
		"ctrl+d", "ctrl+t", "ctrl+u", "ctrl+l", "ctrl+a", "ctrl+o", "ctrl+g", "space", "?", "T", "1", "2", "7", "f", "backspace", "alt+m"}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 7))
		s, _ := look(t, 50+r.IntN(80), 8+r.IntN(30), counter())
		s.Shows("root now")
		s.Type("/tree", "enter")
		s.Shows("search:", "you are here")
		var typed []string
		for range 120 {
			k := keys[r.IntN(len(keys))]
			typed = append(typed, k)
			s.Type(k)
			if strings.Contains(s.String(), "Two branches") {
				break
			}
		}
		s.Until(fmt.Sprintf("seed %d: a chosen row after %v", seed, typed), func(screen string) bool {
			return strings.Count("\n"+screen, "\n> ") == 1 || strings.Contains(screen, "(0/0)") || strings.Contains(screen, "Two branches")
		})
		s.End()
	}
}

// Names, labels, models, files and texts of others are words and nothing else.
func TestHostileTrees(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u009b2J\u202eevil\u202c\r\n\t" + strings.Repeat("x", 1<<20)
	var g grove
	g.add("name", "", session.Info{Name: evil})
	g.say("u1", "name", user(evil))
	m := answer(evil, 0.1, toolCall("c", "edit", `{"path":"`+strings.Repeat("p", 1<<16)+`\u001b[31m\u202e"}`), toolCall("d", evil, `{"x":"\u001b[2J"}`))
	m.Model = evil
	g.say("a1", "u1", m)
	g.say("r1", "a1", result("c", evil, evil, true))
	g.say("u2", "a1", user("你好👨‍👩‍👧e\u0301"+evil))
	g.say("u3", "a1", user(strings.Repeat("你好", 1<<16)))
	g.add("c1", "u3", session.CustomMessage{CustomType: evil, Content: []message.Block{message.Text(evil)}})
	g.add("c2", "c1", session.Compaction{Summary: evil, TokensBefore: -5})
	g.add("l1", "c2", session.Label{Target: "u2", Text: "\x1b[31mlabel\u202e\n" + strings.Repeat("l", 1000)})
	for _, width := range []int{24, 40, 100, 130} {
		s, _ := look(t, width, 24, g.evs)
		s.Shows("[compaction]")
		s.Type("/tree", "enter")
		s.Shows("search:", "user: ")
		for _, k := range []string{"space", "up", "up", "up", "home", "T", "T", "alt+l", "alt+l", "alt+l", "ctrl+a", "down", "down"} {
			s.Type(k)
		}
		s.Type("evil")
		s.Shows("found")
		s.Type("alt+l", "escape")
		s.Hides("found")
		s.Type("ctrl+d", "space", "end", "alt+m", "alt+up", "alt+m")
		s.Shows("Two branches", "turn 1")
		raw := s.Raw()
		for _, bad := range []string{"owned\x07", "\x1b[2J\u009b", "\u009b", "\u202e", "\x1b]0;owned"} {
			if strings.Contains(raw, bad) {
				t.Errorf("width %d: the terminal got %q", width, bad)
			}
		}
		s.End()
	}
}

// A session of a hundred thousand entries opens in the middle of what is known, and
// has all of it a little later.
func TestAHugeTree(t *testing.T) {
	tree := session.NewTree()
	last := session.ID("")
	for i := range 100_000 {
		id := session.ID(fmt.Sprintf("e%06d", i))
		m := user(fmt.Sprintf("message %d", i))
		if i%2 == 1 {
			m = answer(fmt.Sprintf("answer %d", i), 0.001)
		}
		tree.Add(session.NewEntry(id, last, now, session.Message{Message: m}))
		if i%1000 == 500 {
			tree.Add(session.NewEntry(id+"x", last, now, session.Message{Message: user(fmt.Sprintf("aside %d", i))}))
		}
		last = id
	}
	p := newPuppet()
	p.tell(protocol.Opened{Header: session.Header{ID: "huge", CWD: "/srv"}, Tree: tree}, protocol.State{Leaf: last})
	s := tuitest.Start(t, p, 80, 24, func(o *tui.Options) { o.Now = func() time.Time { return now } })
	defer s.End()
	s.Shows("answer 99999")
	s.Type("/tree", "enter")
	s.Shows("(100100/100100)", "answer 99999", "101 branches, 100100 entries")
	s.Type(`"aside 500"`)
	s.Shows("1 found", "user: aside 500") // in a row, not in the search alone
	s.Type("escape")
	s.Shows("/100100)", "> ├─ user: aside 500") // the whole tree, at what was found
	s.Hides("found")
	s.Type("end", "ctrl+t")
	s.Shows("[no-tools]", "answer 99999")
}
