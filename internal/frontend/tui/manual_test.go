package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/internal/term/termtest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// The pictures of the manual are what the terminal UI draws, to the cell. With -update
// they are drawn anew.
func TestPicturesOfTheManual(t *testing.T) {
	for _, p := range []struct {
		name, title   string
		width, height int
		scene         scene
	}{
		{"main", "The terminal UI: a turn with tools and a diff", 92, 27, scene{session: diffed}},
		{"tree", "The session tree: three branches of one conversation", 92, 22, scene{session: counter, keys: typed("/tree")}},
		{"compare", "Two branches side by side", 120, 19, scene{session: counter, keys: typed("/compare a5")}},
		{"sessions", "The sessions of a folder, forks below their parents", 92, 13, scene{session: empty, keys: typed("/resume"), do: ownSessions}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, atHome(p.scene), p.width, p.height, 0, func(s *stage) {
				picture(t, p.name+".svg", termtest.SVG(p.title, termtest.Frame{Shot: s.Shot()}))
			}, allColors)
		})
	}
}

// atHome has a scene play where readers of the manual could be.
func atHome(sc scene) scene {
	if sc.cwd = "/home/me/words"; len(sc.session()) == 0 {
		sc.cwd = "/srv"
	}
	sc.model = provider.Info{Provider: "offline", ID: "demo"}
	return sc
}

// ownSessions gives the sessions that are listed names of real work.
func ownSessions(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) {
	names := []string{"Word counter", "Measure before the rewrite", "the same with a flag for bytes", "What if it were a library?", "日志里的字数统计", "Release notes"}
	return func(cmd protocol.Request) (any, error) {
		r, err := usual(cmd)
		if list, ok := r.(protocol.Sessions); ok {
			at := 0
			for _, id := range []string{"a1", "c1", "c2", "c3", "d1", "puppet"} {
				for i := range list.Sessions {
					if s := &list.Sessions[i]; s.ID == id {
						if s.FirstMessage = names[at]; s.Name != "" {
							s.Name = names[at]
						}
						at++
					}
				}
			}
			return list, err
		}
		return r, err
	}
}

func allColors(o *tui.Options) { o.Terminal.Colors = term.True }

// picture compares a picture with that of the manual.
func picture(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "docs", "pictures", name)
	if len(got) > 300<<10 {
		t.Errorf("%s has %d bytes", name, len(got))
	}
	if golden.Updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("docs/pictures/%s is of another day; go test ./internal/frontend/tui -run OfTheManual -update draws it anew, then look at it", name)
	}
}

// diffed is a turn that reads, changes and tests.
func diffed() []protocol.Event {
	var g grove
	g.add("name", "", session.Info{Name: "Word counter"})
	g.say("u1", "name", user("Count lines too, and keep the output aligned"))
	g.say("a1", "u1", answer("I look at the counter first.", 0.004, toolCall("c1", "read", args("path", "count.go"))))
	g.say("r1", "a1", result("c1", "read", "package main\n\nfunc count() {}\n", false))
	g.say("a2", "r1", answer("", 0.006, toolCall("c2", "edit", args("path", "count.go")), toolCall("c3", "bash", args("command", "go test ./..."))))
	edit := result("c2", "edit", "Edited count.go.", false)
	edit.Details = message.Value(`{"diff":` + string(quoted("  12  for scanner.Scan() {\n- 13  \twords++\n+ 13  \tlines++\n+ 14  \twords += len(strings.Fields(scanner.Text()))\n  15  }")) + `}`)
	g.say("r2", "a2", edit)
	g.say("r3", "r2", result("c3", "bash", "ok  \twords\t0.004s", false))
	g.say("a3", "r3", answer("Lines are counted **in the same pass**, and the columns are padded to the widest number:\n\n```\n  120 lines   842 words  README.md\n```", 0.005))
	return g.evs
}

// The story of thirty seconds: ask, a turn with a tool, to the tree, another branch, and
// back.
func TestTheStoryOfTheManual(t *testing.T) {
	t.Parallel()
	var frames []termtest.Frame
	onStage(t, atHome(scene{session: told}), 84, 24, 0, func(s *stage) {
		show := func(seconds float64) {
			s.settle()
			frames = append(frames, termtest.Frame{Shot: s.Shot(), Seconds: seconds})
		}
		write := func(words string) {
			for i := 0; i < len(words); i += 6 {
				s.Type(words[i:min(i+6, len(words))])
				show(0.2)
			}
			show(0.8)
		}
		leaf, n := "a4", 0
		add := func(m message.Message) {
			n++
			id := "n" + string(rune('0'+n))
			s.p.tell(protocol.Appended{Entry: session.NewEntry(session.ID(id), session.ID(leaf), now, session.Message{Message: m})})
			leaf = id
		}
		show(1.5)
		write("Also count lines")
		s.Type("ctrl+u") // the service is a puppet: what it says follows
		add(user("Also count lines"))
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{})
		show(1)
		add(answer("The scanner sees every line anyway.", 0.004, toolCall("d1", "edit", args("path", "count.go"))))
		s.p.tell(protocol.ToolStarted{CallID: "d1", Tool: "edit", Args: []byte(args("path", "count.go"))})
		show(1)
		edit := result("d1", "edit", "Edited count.go.", false)
		edit.Details = message.Value(`{"diff":` + string(quoted("- 13  \twords++\n+ 13  \tlines, words = lines+1, words+fields(text)")) + `}`)
		s.p.tell(protocol.ToolEnded{CallID: "d1", Tool: "edit", Output: message.TextOutput("Edited count.go.")})
		add(edit)
		show(1.4)
		s.p.tell(protocol.AnswerStarted{}, protocol.Delta{Delta: message.Delta{Kind: message.TextStart}}, protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: "Lines are counted"}})
		show(0.6)
		add(answer("Lines are counted in the same pass.", 0.003))
		s.p.tell(protocol.RunEnded{})
		show(2.4)
		s.Type("escape")
		s.settle()
		s.Type("escape")
		show(2.6)
		for range 6 {
			s.Type("up")
			show(0.3)
		}
		show(1.2)
		s.p.tell(protocol.LeafMoved{Old: session.ID(leaf), New: "b2", By: "me"})
		s.Type("escape")
		show(3)
		s.p.tell(protocol.LeafMoved{Old: "b2", New: session.ID(leaf), By: "me"})
		show(3)
	}, allColors)
	picture(t, "story.svg", termtest.SVG("Ask, look at the tree, go to another branch and back", frames...))
}

// told is where the story begins: two ways of the same work.
func told() []protocol.Event {
	var g grove
	g.add("name", "", session.Info{Name: "Word counter"})
	g.say("u1", "name", user("Build a CLI that counts words"))
	g.say("a2", "u1", answer("There is a main.go. Shall I use cobra or flag?", 0.003))
	g.say("b1", "a2", user("Use cobra"))
	g.say("b2", "b1", answer("OK, cobra it is: the command has a root and `count` below it.", 0.009))
	g.say("u3", "a2", user("Use the flag package"))
	g.say("a4", "u3", answer("Done with flag; it needs no dependency.", 0.008))
	return g.evs
}
