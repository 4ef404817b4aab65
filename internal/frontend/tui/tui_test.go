package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/internal/term"
)

const story = `[
{"when":{"user":"look"},"times":1,"reply":{"thinking":"Where is it?","text":"I look at **main.go** first.","toolCalls":[{"name":"read","args":{"path":"main.go"}},{"name":"bash","args":{"command":"many"}},{"name":"bash","args":{"command":"false"}}]}},
{"when":{"user":"look"},"reply":{"text":"It says hello:\n\n1. it prints\n2. it ends\n\n| file | lines |\n|---|--:|\n| main.go | 5 |\n\n` + "```go\\nfunc main() {}\\n```" + `\n\n你好，世界 👨‍👩‍👧 \u001b[31mnot red\u001b[0m"}}
]`

// The main view at the widths and heights that people have.
func TestMainView(t *testing.T) {
	for _, size := range [][2]int{{40, 20}, {80, 24}, {120, 40}, {200, 60}, {24, 14}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := tuitest.New(t, story)
			s := w.Start(size[0], size[1])
			s.Type("look", "enter")
			s.Golden(fmt.Sprintf("main_%dx%d.txt", size[0], size[1]))
			s.Type("ctrl+o", "pageUp")
			s.Golden(fmt.Sprintf("open_%dx%d.txt", size[0], size[1]))
		})
	}
}

// What looks how: by the terminal's own answer dark or light, in 256 colors or 16, or
// with none, where letters and marks must be enough.
func TestLooks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		colors term.Colors
		answer string
	}{
		{"dark", term.Palette, "\x1b]11;rgb:1111/1111/1111\x1b\\"},
		{"light", term.Palette, "\x1b]11;rgb:ffff/ffff/eeee\x1b\\"},
		{"sixteen", term.Sixteen, ""},
		{"none", term.NoColors, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tuitest.New(t, story)
			s := w.Start(60, 40, func(o *tui.Options) { o.Theme, o.Terminal.Colors = "system", tt.colors })
			s.Send(tt.answer)
			s.Type("look", "enter")
			s.Golden("look.txt")
			s.GoldenStyles("look_" + tt.name + ".txt")
			if tt.name == "none" && strings.Contains(s.Styles(), "g=") {
				t.Error("there are colors")
			}
		})
	}
}

func TestRegularModeKeepsTheHistory(t *testing.T) {
	w := tuitest.New(t, story)
	s := w.Start(60, 20, func(o *tui.Options) { o.Regular = true })
	s.Type("look", "enter")
	s.Shows("not red", "stub-large")
	s.Until("the history", func(screen string) bool {
		return strings.Contains(strings.Join(s.History(), "\n"), "I look at main.go first.")
	})
	s.Type("thanks", "enter")
	s.Shows("Echo: thanks")
	all := strings.Join(append(s.History(), s.Rows()...), "\n")
	for _, once := range []string{"I look at main.go first.", "Where is it?", "line 100", "It says hello:", "main.go │", "Echo: thanks", "Command exited with code 1"} {
		if n := strings.Count(all, once); n != 1 {
			t.Errorf("%q stands there %d times\n%s", once, n, all)
		}
	}
	if strings.Contains(all, "─\n\n─") && strings.Count(all, "stub-large") != 1 {
		t.Errorf("the editor has left traces\n%s", all)
	}
}

func TestTypingWhileItWorks(t *testing.T) {
	w := tuitest.New(t, `[{"when":{"user":"wait"},"times":1,"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
	s := w.Start(80, 24)
	s.Type("wait", "enter")
	s.Shows("one", "Working")
	s.Type("and then", "enter")
	s.Shows("steer: and then", "takes all back")
	s.Type("alt+up")
	s.Hides("takes all back")
	s.Shows("and then")
	s.Type("alt+enter")
	s.Shows("later: and then")
	w.Script.Release("go")
	s.Shows("three", "Echo: and then")
	s.Hides("Working")
}

func TestStopping(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24)
	s.Type("run wait", "enter")
	s.Shows("$ wait", "waiting for the end", "Working")
	s.Type("escape")
	s.Shows("Stopped; what was said is kept.")
	s.Hides("Working")
	s.Type("!wait", "enter")
	s.Shows("Running \"wait\"", "waiting")
	s.Type("escape")
	s.Shows("cancelled")
	s.Type("draft", "ctrl+c")
	s.Hides("draft")
	s.Type("ctrl+c")
	if code, err := s.Ended(); code != 0 || err != nil {
		t.Errorf("code %d, %v", code, err)
	}
}

func TestTreeAndBack(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24)
	s.Type("first", "enter")
	s.Shows("Echo: first")
	s.Hides("Working")
	s.Type("second", "enter")
	s.Shows("Echo: second")
	s.Hides("Working")
	s.Type("/tree", "enter")
	s.Shows("Session tree", "(4/4)")
	s.Golden("tree_80.txt")
	s.Type("up", "enter")
	s.Shows("Leave this branch?")
	s.Type("enter")
	s.Hides("Echo: second")
	s.Shows("second") // in the editor
	s.Type(" time", "enter")
	s.Shows("Echo: second time", "<2/2>")
	s.Hides("Working")
	s.Type("alt+,")
	s.Shows("<1/2>")
	s.Hides("second time")
	s.Type("alt+[")
	s.Shows("<2/2>", "second time")
}

func TestCompletion(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, func(o *tui.Options) {
		o.Files = func(word string) []string {
			var out []string
			for _, f := range []string{"main.go", "my notes.md", "docs/", "docs/tui.md"} {
				if strings.HasPrefix(f, word) {
					out = append(out, f)
				}
			}
			return out
		}
	})
	s.Type("/na")
	s.Shows("> /name [text]", "name the session")
	s.Type("tab", " my session", "enter")
	s.Shows("name: my session")
	s.Type("see @my")
	s.Shows("> my notes.md")
	s.Type("tab")
	s.Shows(`see @"my notes.md"`)
	s.Type("and @d", "tab")
	s.Shows("> docs/tui.md", "@docs/")
	s.Type("down", "enter")
	s.Shows("@docs/tui.md")
	s.Type("enter")
	s.Shows(`Echo: see @"my notes.md" and @docs/tui.md`)
}

func TestPastesAreChips(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24)
	s.Type("before ")
	s.Paste(strings.Repeat("a line\r\n", 10000))
	s.Shows("before [paste #1 +10001 lines]")
	s.Type(" behind", "left", "left", "left", "left", "left", "left", "left", "backspace")
	s.Shows("before  behind")
	s.Type("ctrl+-")
	s.Shows("before [paste #1 +10001 lines] behind")
	s.Paste("short\x1b[2J\x07 one")
	s.Shows("short[2J one")
}

func TestResizing(t *testing.T) {
	w := tuitest.New(t, story)
	s := w.Start(80, 24)
	s.Type("look", "enter")
	s.Shows("not red")
	s.Hides("Working")
	for _, size := range [][2]int{{20, 8}, {200, 60}, {1, 1}, {39, 9}, {80, 3}, {120, 14}} {
		s.Resize(size[0], size[1])
	}
	s.Resize(80, 24)
	s.Golden("main_80x24.txt")
	s.Type("/help", "enter")
	s.Shows("Help", "(1/")
	s.Resize(30, 9)
	s.Shows("Help", "(1/", "/help")
	s.Type("escape")
	s.Resize(80, 24)
	s.Golden("main_80x24.txt")
}

func TestPickersAndKeys(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, func(o *tui.Options) {
		o.Keys = []byte(`{"app.model.select":"f2","app.exit":[],"nothing":"x","app.suspend":"no key"}`)
	})
	s.Shows("there is no key", "1 key is of no action")
	s.Send("\x1bOQ")
	s.Shows("Models (1/2)", "stub-small")
	s.Type("small", "enter")
	s.Shows("(stub) stub-small")
	s.Type("half a thought", "ctrl+l") // does nothing any more
	s.Send("\x1bOQ")
	s.Shows("Models")
	s.Type("escape")
	s.Shows("half a thought")
	s.Hides("Models")
}

func TestNothingOfTheSessionIsObeyed(t *testing.T) {
	w := tuitest.New(t, `[{"when":{"user":"attack"},"reply":{"text":"\u001b]0;owned\u0007\u001b[2J\u009b2J\u202eevil\u202c [x](https://a.b/\u001b]8;;)\n\n`+strings.Repeat("x", 100_000)+`"}}]`)
	w.File("hello.txt", "\x1b[?1049l\x1bc\u0007 end of file")
	s := w.Start(80, 24)
	s.Type("attack", "enter")
	s.Shows("xxxxx")
	s.Hides("Working")
	s.Type("read hello.txt", "enter")
	s.Shows("end of file")
	s.Type("/tree", "enter")
	s.Shows("Session tree")
	raw := s.Raw()
	for _, bad := range []string{"owned\x07", "\x1bc", "\u009b", "\u202e", "\x1b]0;owned"} {
		if strings.Contains(raw, bad) {
			t.Errorf("the terminal got %q", bad)
		}
	}
	if n := strings.Count(raw, "\x1b[?1049l"); n != 0 {
		t.Errorf("the screen was left %d times", n)
	}
}

func TestTheTerminalIsAsItWas(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, func(o *tui.Options) {
		o.Keys = []byte(`{"app.exit":"ctrl+q"}`)
	})
	s.Shows("bough 0.x")
	s.Type("ctrl+q")
	if code, err := s.Ended(); code != 0 || err != nil {
		t.Errorf("code %d, %v", code, err)
	}
	raw := s.Raw()
	for _, pair := range [][2]string{{"\x1b[?1049h", "\x1b[?1049l"}, {"\x1b[?2004h", "\x1b[?2004l"}, {"\x1b[?7l", "\x1b[?7h"}, {"\x1b[>1u", "\x1b[<u"}, {"\x1b[?1002h", "\x1b[?1002l"}} {
		if on, off := strings.LastIndex(raw, pair[0]), strings.LastIndex(raw, pair[1]); on < 0 || off < on {
			t.Errorf("%q is at %d, %q at %d", pair[0], on, pair[1], off)
		}
	}
	if !strings.HasSuffix(raw, "\x1b[?25h\x1b[?1049l") {
		t.Errorf("it ends in %q", raw[max(len(raw)-60, 0):])
	}
}

func TestALostTerminalEndsIt(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24)
	s.Shows("bough 0.x")
	if code, err := s.End(); code != 129 || err != nil {
		t.Errorf("code %d, %v", code, err)
	}
}
