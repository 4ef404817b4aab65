package tui_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/internal/term/termtest"
)

// asked runs questions that come before there is a session.
func asked(t *testing.T, width, height int, ask func(context.Context, tui.Options) error) (s *tuitest.Screen, ended func() error) {
	t.Helper()
	in, keys := io.Pipe()
	screen := termtest.New(width, height)
	s = tuitest.On(t, screen, keys)
	done := make(chan error, 1)
	go func() {
		done <- ask(t.Context(), tui.Options{Version: "0.x", Home: "/home/me", Theme: "dark", After: lasting, Around: tui.Around{Accounts: accounts()},
			Terminal: term.Options{In: in, Out: screen, Colors: term.Palette, Getenv: func(string) string { return "" }, Size: func() (int, int) { return width, height }}})
	}()
	return s, func() error {
		err := <-done
		keys.CloseWithError(errors.New("hung up"))
		return err
	}
}

// stored counts the keys that were kept.
var stored atomic.Int64

func accounts() *tui.Accounts {
	list := []tui.Account{{ID: "anthropic", Name: "Anthropic", Page: "https://example.org/keys", Note: "no key is set"},
		{ID: "cloud", Name: "A Cloud", Wants: []string{"CLOUD_REGION"}},
		{ID: "mine", Name: "Mine\x1b[2J", From: "auth.json", Stored: true, Ready: true},
		{ID: "router", Name: "Router", SignsIn: true}, {ID: "sub", Name: "Sub", NoKey: "only its own program signs in there"}}
	return &tui.Accounts{
		List: func(context.Context) ([]tui.Account, error) { return list, nil },
		Store: func(ctx context.Context, provider, key string, more map[string]string, check bool) (string, error) {
			if check && key == "hang" {
				<-ctx.Done()
				return "", ctx.Err()
			}
			if strings.HasPrefix(key, "bad") {
				return "", errors.New("the provider refuses the key; nothing is stored")
			}
			stored.Add(1)
			return "The key of " + provider + " is stored" + more["CLOUD_REGION"] + ".", nil
		},
		SignIn: func(ctx context.Context, provider string, show func(string, string), pasted <-chan string) (string, error) {
			show("https://example.org/yes", "No browser could be opened.")
			select {
			case address := <-pasted:
				return "Signed in by " + address + ".", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		},
		Forget: func(_ context.Context, provider string) (string, error) {
			return "The key of " + provider + " is forgotten.", nil
		},
	}
}

var project = tui.Trust{Dir: "/home/me/app", Parent: "/home/me", Why: "nobody was asked", Changed: []string{"changed .pi/settings.json"},
	Items: []tui.TrustItem{
		{Path: ".pi/settings.json", Files: 1, Size: 120, Notes: []string{"shellCommandPrefix: rm -rf \x1b[2J_*"}, Begins: []string{`{"shellCommandPrefix":`, "\u202eevil `"}},
		{Path: ".pi/skills", Files: 2, Size: 4100},
	}}

func TestTrustQuestion(t *testing.T) {
	for _, size := range [][2]int{{40, 24}, {80, 24}, {120, 40}, {200, 50}, {24, 8}} {
		s, ended := asked(t, size[0], size[1], func(ctx context.Context, o tui.Options) error {
			got, err := tui.AskTrust(ctx, o, project)
			if got != tui.TrustNot {
				t.Errorf("an Enter too many says %s", got)
			}
			return err
		})
		s.Golden(fmt.Sprintf("trust_%dx%d.txt", size[0], size[1]))
		s.Type("enter")
		if err := ended(); err != nil {
			t.Error(err)
		}
	}
}

func TestTrustAnswers(t *testing.T) {
	for key, want := range map[string]tui.TrustAnswer{"1": tui.TrustAlways, "2": tui.TrustParent, "3": tui.TrustOnce, "4": tui.TrustNever, "5": tui.TrustNot, "escape": tui.TrustNot, "ctrl+c": tui.TrustNot} {
		s, ended := asked(t, 80, 24, func(ctx context.Context, o tui.Options) error {
			got, err := tui.AskTrust(ctx, o, project)
			if got != want {
				t.Errorf("%s says %s", key, got)
			}
			return err
		})
		s.Shows("Not this time")
		s.Type(key)
		if err := ended(); err != nil {
			t.Error(err)
		}
		if raw := s.Raw(); !strings.HasSuffix(raw, "\x1b[?25h\x1b[?1049l") {
			t.Errorf("%s: it ends in %q", key, raw[max(len(raw)-60, 0):])
		}
	}
}

func TestAQuestionBeforeTheStart(t *testing.T) {
	for key, want := range map[string]int{"1": 0, "enter": 0, "escape": 2} {
		s, ended := asked(t, 60, 20, func(ctx context.Context, o tui.Options) error {
			got, err := tui.Ask(ctx, o, "bough", "The folder is gone.", "Fork it here", "Open it here", "Cancel")
			if got != want {
				t.Errorf("%s chooses %d", key, got)
			}
			return err
		})
		s.Shows("The folder is gone.", "3 Cancel")
		s.Type(key)
		if err := ended(); err != nil {
			t.Error(err)
		}
	}
}

func TestFirstRun(t *testing.T) {
	first := func(got *tui.First, local ...string) func(context.Context, tui.Options) error {
		before := stored.Load()
		return func(ctx context.Context, o tui.Options) (err error) {
			*got, err = tui.AskFirst(ctx, o, tui.FirstRun{Servers: []string{"None answers now."}, Local: local, Ready: func() bool { return stored.Load() > before },
				Look: func(context.Context) ([]string, []string) {
					return []string{"ollama answers."}, []string{"ollama/qwen3 (Ollama)", "b"}
				}})
			return err
		}
	}
	var got tui.First
	s, ended := asked(t, 80, 24, first(&got))
	s.Shows("> 3 Try the offline model")
	s.Golden("first_80.txt")
	s.Type("enter")
	if err := ended(); err != nil || !got.Offline {
		t.Errorf("%+v, %v", got, err)
	}
	s, ended = asked(t, 80, 24, first(&got))
	s.Shows("three ways")
	s.Type("2")
	s.Shows("A model of this machine", "ollama/qwen3")
	s.Type("escape")
	s.Shows("ollama answers.", "> 2 Use a model")
	s.Type("enter", "down", "enter")
	if err := ended(); err != nil || got.Local != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	s, ended = asked(t, 80, 24, first(&got))
	s.Shows("three ways")
	s.Type("1")
	s.Shows("Log in", "Anthropic [anthropic]")
	s.Type("anthr", "enter")
	s.Shows("Key of Anthropic", "Keys are given out at https://example.org/keys.")
	s.Paste("bad-secret")
	s.Shows("> **********")
	s.Type("enter")
	s.Shows("Try the key at Anthropic")
	s.Type("enter")
	s.Shows("The provider refuses the key; nothing is stored.", "three ways")
	s.Type("1")
	s.Shows("Log in")
	s.Type("cloud", "enter")
	s.Shows("Key of A Cloud")
	s.Type("sk-good", "enter")
	s.Shows("CLOUD_REGION")
	s.Type("here", "enter")
	s.Shows("Try the key")
	s.Type("2")
	if err := ended(); err != nil || got.Offline || got.Local >= 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if strings.Contains(s.Raw(), "secret") || strings.Contains(s.Raw(), "sk-good") {
		t.Error("the key was shown")
	}
	s, ended = asked(t, 80, 24, first(&got))
	s.Shows("three ways")
	s.Type("escape")
	if err := ended(); !errors.Is(err, context.Canceled) {
		t.Errorf("left with %v", err)
	}
}

func TestLoginAndLogout(t *testing.T) {
	p := newPuppet()
	s := tuitest.Start(t, p, 100, 30, func(o *tui.Options) { o.Around.Accounts, o.After = accounts(), lasting })
	defer s.End()
	s.Shows("bough 0.x")
	s.Type("/login", "enter")
	s.Shows("Log in", "ready, by auth.json", "signs in by the browser")
	s.Golden("login_100.txt")
	s.Type("router", "enter")
	s.Shows("By the browser")
	s.Type("1")
	s.Shows("No browser could be opened.", "https://example.org/yes")
	s.Type("http://localhost/?code=1", "enter")
	s.Shows("Signed in by http://localhost/?code=1. /model lists the models.")
	s.Type("/login anthropic", "enter")
	s.Shows("Key of Anthropic")
	s.Type("hang", "enter")
	s.Shows("Try the key")
	s.Type("1")
	s.Shows("trying the key at Anthropic ...")
	s.Type("escape")
	s.Shows("nothing is stored")
	s.Type("/login sub", "enter")
	s.Shows("Error: Only its own program signs in there.")
	s.Type("/login sk-ant-"+strings.Repeat("x", 60), "enter")
	s.Shows("That looks like a key")
	s.Type("/logout", "enter")
	s.Shows("Log out (1/1)")
	s.Type("enter")
	s.Shows("Forget the key of Mine?")
	s.Type("2")
	s.Shows("The key of mine is forgotten.")
	s.Type("/trust", "enter")
	s.Shows("bough trust in a shell there")
}

func TestTrustIsChanged(t *testing.T) {
	said := make(chan tui.TrustAnswer, 1)
	s := tuitest.Start(t, newPuppet(), 80, 30, func(o *tui.Options) {
		o.Around.Trust = func(string) (tui.Trust, error) { return project, nil }
		o.Around.SetTrust = func(_ context.Context, _ string, a tui.TrustAnswer) error { said <- a; return nil }
	})
	defer s.End()
	s.Shows("bough 0.x")
	s.Type("/trust", "enter")
	s.Shows("> 1 Leave it as it is", "~/app is not trusted", "rm -rf _*")
	s.Type("down", "enter")
	s.Shows("/srv is trusted from now on. /reload takes it up.")
	if got := <-said; got != tui.TrustAlways {
		t.Errorf("said %s", got)
	}
}
