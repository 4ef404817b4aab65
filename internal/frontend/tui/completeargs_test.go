package tui_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/protocol"
)

// Arguments of commands are completed by what the session knows. What was typed is
// sent as it is until somebody goes to one of the list.
func TestArgumentsAreCompleted(t *testing.T) {
	for _, tt := range []struct {
		name  string
		keys  []string
		shows []string
		draft string // in the editor afterwards; "": what is shown is all
	}{
		{"models", []string{"/model "}, []string{"stub/large", "stub/small"}, ""},
		{"models, of which one has it", []string{"/model sma", "tab"}, nil, "/model stub/small"},
		{"the second of them", []string{"/model ", "down", "down", "tab"}, nil, "/model stub/small"},
		{"levels", []string{"/thinking "}, []string{"low", "high"}, ""},
		{"one level", []string{"/thinking med", "tab"}, nil, "/thinking medium"},
		{"labels to go to", []string{"/goto fl", "tab"}, nil, "/goto flag-works"},
		{"labels to give again", []string{"/label fl", "tab"}, nil, "/label flag-works"},
		{"providers", []string{"/login anth", "tab"}, nil, "/login anthropic"},
		{"nothing that fits", []string{"/thinking zz", "tab"}, nil, "/thinking zz"},
		{"escape closes the list", []string{"/thinking h", "escape"}, nil, "/thinking h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStage(t, scene{session: counter}, 100, 30, 0, func(s *stage) {
				s.play(tt.keys...)
				screen := s.String()
				for _, text := range tt.shows {
					if !strings.Contains(screen, text) {
						t.Errorf("%q is not shown:\n%s", text, screen)
					}
				}
				if tt.draft != "" && !strings.Contains(screen, tt.draft+"\n") && !strings.Contains(screen, tt.draft+" ") {
					t.Errorf("the editor does not hold %q:\n%s", tt.draft, screen)
				}
			})
		})
	}
}

func TestArgumentIsSentAsTyped(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"as it was typed", []string{"/thinking low", "enter"}, "low"},
		{"the one that was gone to", []string{"/thinking h", "down", "enter"}, "high"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := make(chan string, 5)
			sc := scene{session: counter, do: func(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) {
				return func(cmd protocol.Request) (any, error) {
					if c, ok := cmd.(protocol.SetThinking); ok {
						set <- c.Level
						return c.Level, nil
					}
					return usual(cmd)
				}
			}}
			onStage(t, sc, 80, 24, 0, func(s *stage) {
				s.play(tt.keys...)
				select {
				case got := <-set:
					if got != tt.want {
						t.Errorf("set %q, want %q", got, tt.want)
					}
				default:
					t.Errorf("nothing was set:\n%s", s.String())
				}
			})
		})
	}
}

func TestCommandsSayWhereTheyAreFrom(t *testing.T) {
	sc := scene{session: counter, do: func(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) {
		return func(cmd protocol.Request) (any, error) {
			if _, ok := cmd.(protocol.GetCommands); ok {
				return protocol.Commands{Commands: []protocol.CommandInfo{{Command: "zz-one", Description: "first", Scope: "project"}, {Command: "zz-two", Description: "second", Scope: "user"},
					{Command: "zz-three", Description: "third", Scope: "user", Source: "npm:kit", Origin: "package"}, {Command: "zz-four", Description: "fourth", Scope: "temporary"}}}, nil
			}
			return usual(cmd)
		}
	}}
	onStage(t, sc, 80, 24, 0, func(s *stage) {
		s.play("/zz")
		for _, text := range []string{"[p] first", "[u] second", "[npm:kit] third", "  fourth"} {
			if !strings.Contains(s.String(), text) {
				t.Errorf("%q is not shown:\n%s", text, s.String())
			}
		}
	}, func(o *tui.Options) { o.CompletionRows = 8 })
}

func TestModelsToCycleThroughAreSearched(t *testing.T) {
	onStage(t, scene{session: counter}, 80, 24, 0, func(s *stage) {
		s.play("/scoped-models sma", "enter")
		if screen := s.String(); !strings.Contains(screen, "small") || strings.Contains(screen, "mine") {
			t.Errorf("the list is not searched:\n%s", screen)
		}
	})
}

// What a pasted command may go on with is asked for anew after the one before was sent.
func TestArgumentsAreOfNow(t *testing.T) {
	asked := 0
	sc := scene{session: counter, do: func(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) {
		return func(cmd protocol.Request) (any, error) {
			if c, ok := cmd.(protocol.ListSessions); ok && !c.All && c.Limit == 200 {
				asked++
			}
			return usual(cmd)
		}
	}}
	onStage(t, sc, 80, 24, 0, func(s *stage) {
		s.play("/resume ", "enter", "escape")
		before := asked
		s.Paste("/resume ")
		s.settle()
		s.play("c")
		if asked != before+1 {
			t.Errorf("asked %d times more, want once", asked-before)
		}
	})
}
