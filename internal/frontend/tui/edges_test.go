package tui_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// What the terminal is and does not do: rows of docs/spec/frontends.md D-E.

// A locale that is not UTF-8, or --ascii: beyond ASCII there are letters alone.
func TestLocaleIsNotUTF8(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, sc, 100, 40, 0, func(s *stage) {
				for _, row := range s.Rows() {
					for _, r := range row {
						if r >= 0x80 && !unicode.IsLetter(r) && !unicode.IsMark(r) && r < 0x3000 && !strings.ContainsRune("\u200d️", r) {
							t.Errorf("%c %U in %q", r, r, row)
						}
					}
				}
			}, func(o *tui.Options) { o.ASCII = true })
		})
	}
}

// NO_COLOR: no color is ever written.
func TestScreensWithoutColors(t *testing.T) {
	color := regexp.MustCompile("\x1b\\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, sc, 80, 24, 0, func(s *stage) {
				if code := color.FindString(s.Raw()); code != "" {
					t.Errorf("it writes %q", code)
				}
			}, func(o *tui.Options) { o.Terminal.Colors = term.NoColors })
		})
	}
}

// A terminal that does not answer is taken for dark, or for what COLORFGBG says; what it
// says later counts.
func TestTerminalThatDoesNotAnswer(t *testing.T) {
	for fgbg, color := range map[string]string{"": sea, "15;0": sea, "0;15": sand, "0;default;7": sand, "0;default": sea, "0;8": sea, "0;99": sea, ";": sea} {
		s := tuitest.New(t, "").Start(80, 24, wardrobe, func(o *tui.Options) {
			o.Theme, o.Terminal.Getenv = "sand/sea", func(name string) string { return map[string]string{"COLORFGBG": fgbg}[name] }
		})
		wears(t, s, fmt.Sprintf("%q: %s", fgbg, color), has(color))
		s.Send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
		wears(t, s, "the color of sand", has(sand))
	}
}

// The user makes the terminal light or dark while bough runs.
func TestTerminalChangesItsScheme(t *testing.T) {
	s := tuitest.New(t, "").Start(80, 24, wardrobe, func(o *tui.Options) { o.Theme = "sand/sea" })
	wears(t, s, "the color of the sea", has(sea))
	if !strings.Contains(s.Raw(), "\x1b[?2031h") {
		t.Error("the terminal is not asked to tell")
	}
	s.Send("\x1b[?997;2n")
	wears(t, s, "the color of sand", has(sand))
	s.Send("\x1b[?997;1n")
	wears(t, s, "the color of the sea", has(sea))
	s.End()
	if raw := s.Raw(); strings.LastIndex(raw, "\x1b[?2031l") < strings.LastIndex(raw, "\x1b[?2031h") {
		t.Error("the terminal goes on telling")
	}
}

// Input methods put their window where the cursor stands; what they commit is one step.
func TestInputMethods(t *testing.T) {
	at := func(s *tuitest.Screen, text string) {
		t.Helper()
		s.Until("the cursor behind "+text, func(screen string) bool {
			x, y, shown := s.Cursor()
			row := strings.Split(screen, "\n")[y]
			i := strings.LastIndex(row, text)
			return shown && i >= 0 && x == tuitest.Width(row[:i+len(text)])
		})
	}
	s := startKit(t, newKit(), 80, 24)
	s.Type("say ")
	s.Send("你好，世界")
	at(s, "say 你好，世界")
	s.Type("ctrl+-")
	s.Hides("你")
	s.Shows("say")
	s.Type("ctrl+u", "/model", "enter")
	s.Shows("large [stub]")
	s.Send("模型")
	at(s, "模型")
}

// A theme's file that was changed is read anew by /reload.
func TestReloadReadsTheTheme(t *testing.T) {
	var color atomic.Int64
	color.Store(201)
	p := newPuppet()
	p.do = func(cmd protocol.Request) (any, error) {
		if _, ok := cmd.(protocol.Reload); ok {
			return protocol.Reloaded{}, nil
		}
		return nil, protocol.Fail(protocol.UnknownCommand, "no")
	}
	s := tuitest.Start(t, p, 80, 24, func(o *tui.Options) {
		o.Theme = "sea"
		o.Themes = func() []tui.ThemeFile {
			return []tui.ThemeFile{{Name: "sea", Path: "sea.json", Read: func() ([]byte, error) {
				return fmt.Appendf(nil, `{"appearance":"dark","colors":{"dim":%d}}`, color.Load()), nil
			}}}
		}
	})
	defer s.End()
	wears(t, s, "the color of the sea", has(sea))
	color.Store(202)
	s.Type("/reload", "enter")
	wears(t, s, "the color of sand", has(sand))
}

// Each color of a theme is to be seen where it is said to be.
func TestRolesAreDrawn(t *testing.T) {
	user := func(id, parent, text string) protocol.Event {
		return protocol.Appended{Entry: entry(t, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":%q}}`, id, parent, text))}
	}
	call := `{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"look","arguments":{}}],"stopReason":"toolUse"}}`
	custom := `{"type":"custom_message","id":"d","parentId":"b","timestamp":"2026-01-01T00:00:00.000Z","customType":"news","content":"from elsewhere","display":true}`
	code := "> quoted\n\n[words](https://example.org/x)\n\n```go\nvar n int = f(1) + 2\n```"
	for role, more := range map[string]string{"toolTitle": "", "customMessageBg": "bg", "customMessageText": "", "customMessageLabel": "", "mdQuoteBorder": "", "mdLinkUrl": "", "syntaxType": "",
		"syntaxOperator": "", "syntaxPunctuation": "", "bashMode": "!", "scrollbarTrack": "bar", "scrollbarThumb": "bar", "muted": "/", "borderAccent": "open", "borderMuted": "tree"} {
		t.Run(role, func(t *testing.T) {
			p := newPuppet()
			p.do = newKit().do
			p.tell(user("a", "null", code), protocol.Appended{Entry: entry(t, call)}, protocol.Appended{Entry: entry(t, custom)})
			height := 40
			if more == "bar" {
				height = 12
			}
			s := tuitest.Start(t, p, 140, height, func(o *tui.Options) {
				o.Theme, o.Terminal.Colors = "mine", term.Palette
				o.Themes = func() []tui.ThemeFile {
					return []tui.ThemeFile{{Name: "mine", Read: func() ([]byte, error) { return fmt.Appendf(nil, `{"appearance":"dark","colors":{%q:201}}`, role), nil }}}
				}
				if more == "bar" {
					o.Scrollbar = "always"
				}
			})
			defer s.End()
			s.Shows("from elsewhere")
			switch more {
			case "!", "/":
				s.Type(more)
			case "tree":
				s.Type("/tree ", "enter")
				s.Shows("you are here")
				s.Type("space")
			case "open":
				s.Type("/model", "enter")
			}
			want := sea
			if more == "bg" {
				want = "bg=201"
			}
			wears(t, s, role, has(want))
		})
	}
}

func entry(t *testing.T, line string) *session.Entry {
	t.Helper()
	e, err := session.Decode([]byte(line), session.Line{}, session.Bytes(line))
	if err != nil {
		t.Fatal(err)
	}
	return e
}
