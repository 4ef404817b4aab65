package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/provider"
)

// choices makes models of names; "!" in front is one that cannot be asked, "*"
// the one that stands for its provider.
func choices(names ...string) []Choice {
	var out []Choice
	for _, n := range names {
		c := Choice{Ready: true}
		if rest, ok := strings.CutPrefix(n, "!"); ok {
			n, c.Ready, c.Why = rest, false, "no key"
		}
		if rest, ok := strings.CutPrefix(n, "*"); ok {
			n, c.First = rest, true
		}
		at, id, _ := strings.Cut(n, "/")
		if strings.HasPrefix(n, "open/router/") {
			at, id = "open/router", strings.TrimPrefix(n, "open/router/")
		}
		c.Info = provider.Info{ID: id, Name: strings.ToUpper(id) + " (name)", Provider: at, Reasoning: true}
		out = append(out, c)
	}
	return out
}

func TestResolve(t *testing.T) {
	models := choices("*anthropic/claude-opus-5", "anthropic/claude-opus-5-20260101", "anthropic/claude-opus-4-20250101", "anthropic/claude-haiku-4", "anthropic/x:high",
		"router/anthropic/claude-opus-5", "router/anthropic/claude-zeta", "router/kimi-k3", "router/kimi-k3:batch", "router/openai/gpt-5",
		"!openai/gpt-5", "!openai/gpt-9", "!azure/gpt-9", "!azure/gpt-8", "a/same", "b/same", "open/router/deep/x")
	for _, tt := range []struct {
		name, query, at string
		want            string // "provider/id level", or what the error says
		warning         string
	}{
		{"provider and id", "anthropic/claude-haiku-4", "", "anthropic/claude-haiku-4", ""},
		{"case does not count", "Anthropic/CLAUDE-haiku-4", "", "anthropic/claude-haiku-4", ""},
		{"an id", "kimi-k3", "", "router/kimi-k3", ""},
		{"an id with slashes", "router/anthropic/claude-zeta", "", "router/anthropic/claude-zeta", ""},
		{"an id that looks like provider and id", "anthropic/claude-zeta", "", "router/anthropic/claude-zeta", ""},
		{"provider and id before such an id", "anthropic/claude-opus-5", "", "anthropic/claude-opus-5", ""},
		{"but not one without a key", "openai/gpt-5", "", "router/openai/gpt-5", ""},
		{"provider names are matched longest first", "open/router/deep/x", "", "open/router/deep/x", ""},
		{"a level", "kimi-k3:low", "", "router/kimi-k3 low", ""},
		{"an id that ends like a level", "x:high", "", "anthropic/x:high", ""},
		{"such an id with a level", "x:high:low", "", "anthropic/x:high low", ""},
		{"what is no level is part of the name", "kimi-k3:huge", "", "no such model", ""},
		{"part of an id: no date, then the highest", "opus", "", "anthropic/claude-opus-5", ""},
		{"part of an id at a provider", "anthropic/opus", "", "anthropic/claude-opus-5", ""},
		{"with --provider", "opus", "anthropic", "anthropic/claude-opus-5", ""},
		{"with --provider and its name again", "anthropic/opus", "Anthropic", "anthropic/claude-opus-5", ""},
		{"part of a name", "haiku-4 (na", "", "anthropic/claude-haiku-4", ""},
		{"variants come last", "kimi", "", "router/kimi-k3", ""},
		{"those with a key come first", "gpt", "", "router/openai/gpt-5", ""},
		{"an old one if there is no other", "opus-4", "", "anthropic/claude-opus-4-20250101", ""},
		{"one without a key if there is no other", "gpt-8", "", "azure/gpt-8", ""},
		{"several providers with a key", "same", "", "more than one provider has that model: a/same, b/same", ""},
		{"several providers without", "gpt-9", "", "more than one provider has that model: openai/gpt-9, azure/gpt-9", ""},
		{"an unknown id at a known provider", "anthropic/claude-11", "", "anthropic/claude-11", `anthropic has no known model "claude-11"`},
		{"with a level", "anthropic/claude-11:max", "", "anthropic/claude-11 max", "has no known model"},
		{"with --provider", "gpt-5", "anthropic", "anthropic/gpt-5", "has no known model"},
		{"an unknown provider is part of an unknown name", "nobody/x", "", "no such model", ""},
		{"an unknown provider by itself", "x", "nobody", `unknown provider "nobody"`, ""},
		{"nothing", " ", "", "name a model", ""},
		{"only a level", ":high", "", "anthropic/x:high", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Resolve(tt.query, tt.at, models)
			got := ""
			if err == nil {
				got = strings.TrimSpace(p.Name() + " " + p.Level)
			}
			if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && got != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
			if (p.Warning != "") != (tt.warning != "") || !strings.Contains(p.Warning, tt.warning) {
				t.Errorf("warning %q, want %q", p.Warning, tt.warning)
			}
		})
	}
}

func TestAnInventedModelIsLikeTheFirst(t *testing.T) {
	models := choices("p/a", "*p/b")
	models[1].Info.ContextWindow = 7
	p, err := Resolve("p/new", "", models)
	if err != nil || p.Info.ContextWindow != 7 || p.Info.Name != "new" || p.First {
		t.Errorf("%+v, %v", p, err)
	}
}

func names(picks []Pick) string {
	var out []string
	for _, p := range picks {
		out = append(out, strings.TrimSuffix(p.Name()+":"+p.Level, ":"))
	}
	return strings.Join(out, " ")
}

func TestScope(t *testing.T) {
	models := choices("a/opus-4", "a/opus-5", "a/haiku", "r/a/opus-5", "r/x/haiku", "!n/haiku-9")
	for _, tt := range []struct {
		name     string
		patterns []string
		want     string
		warnings []string
	}{
		{"names in their order", []string{"x/hai", "a/opus-4"}, "r/x/haiku a/opus-4", nil},
		{"exact names first", []string{"a/haiku:low"}, "a/haiku:low", nil},
		{"a glob with a level, over provider and id", []string{"a/opus-*:high"}, "a/opus-4:high a/opus-5:high r/a/opus-5:high", nil},
		{"a star does not cross a slash", []string{"*haiku*"}, "a/haiku", nil},
		{"a question mark and a class", []string{"opus-?", "a/[h]aiku"}, "a/opus-4 a/opus-5 a/haiku", nil},
		{"each once", []string{"a/haiku:low", "a/*"}, "a/haiku:low a/opus-4 a/opus-5 r/a/opus-5", nil},
		{"none", []string{"nothing", "n/*", "["}, "", []string{`No model that can be used matches "nothing".`, `No model that can be used matches "n/*".`, `No model that can be used matches "[".`}},
		{"a level that there is not", []string{"a/haiku:huge"}, "a/haiku", []string{`"huge" is no thinking level; a/haiku is used without it.`}},
		{"no invented ones", []string{"a/new"}, "", []string{`No model that can be used matches "a/new".`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scope, warnings := Scope(tt.patterns, models)
			if got := names(scope); got != tt.want || !slices.Equal(warnings, tt.warnings) {
				t.Errorf("%q %q, want %q %q", got, warnings, tt.want, tt.warnings)
			}
		})
	}
}

func TestStart(t *testing.T) {
	models := choices("a/one", "*a/two", "b/one", "*b/two", "!c/gone")
	models[2].Info.Reasoning = false
	settings := func(change func(*config.Settings)) config.Settings {
		s := config.Defaults()
		change(&s)
		return s
	}
	saved := settings(func(s *config.Settings) {
		s.DefaultProvider, s.DefaultModel, s.DefaultThinkingLevel = "b", "two", "low"
	})
	scope, _ := Scope([]string{"a/one:high", "b/two"}, models)
	for _, tt := range []struct {
		name   string
		wish   Wish
		want   string
		notice string
		err    string
	}{
		{"the first that can be asked", Wish{Settings: config.Defaults()}, "a/two:medium", "", ""},
		{"the saved default", Wish{Settings: saved}, "b/two:low", "", ""},
		{"a saved provider alone", Wish{Settings: settings(func(s *config.Settings) { s.DefaultProvider = "b" })}, "b/two:medium", "", ""},
		{"a saved default that is gone", Wish{Settings: settings(func(s *config.Settings) { s.DefaultProvider, s.DefaultModel = "b", "three" })}, "b/two:medium",
			"The default model, b/three, cannot be used: it is not known", ""},
		{"the first of the scope", Wish{Scope: scope, Settings: config.Defaults()}, "a/one:high", "", ""},
		{"the saved default in the scope", Wish{Scope: scope, Settings: saved}, "b/two:low", "", ""},
		{"the model of the session", Wish{SessionProvider: "b", SessionModel: "one", SessionThinking: "high", Scope: scope, Settings: saved}, "b/one:off", "", ""},
		{"its level", Wish{SessionProvider: "b", SessionModel: "two", SessionThinking: "high", Settings: saved}, "b/two:high", "", ""},
		{"the session's model has no key", Wish{SessionProvider: "c", SessionModel: "gone", Settings: saved}, "b/two:low",
			"The model of this session, c/gone, cannot be used: no key", ""},
		{"--model", Wish{Model: "a/one", SessionProvider: "b", SessionModel: "two", Scope: scope, Settings: saved}, "a/one:low", "", ""},
		{"--model with a level", Wish{Model: "a/one:max", Settings: saved}, "a/one:high", "", ""},
		{"--thinking beats it", Wish{Model: "a/one:high", Thinking: "minimal", Settings: saved}, "a/one:minimal", "", ""},
		{"a wrong --thinking", Wish{Model: "a/one:high", Thinking: "much", Settings: saved}, "a/one:high", "--thinking much is no level", ""},
		{"the level of a model", Wish{Model: "a/one", Settings: settings(func(s *config.Settings) { s.ModelThinkingLevels = map[string]string{"a/one": "off"} })}, "a/one:off", "", ""},
		{"--model without a key", Wish{Model: "c/gone", Settings: saved}, "", "", "c/gone cannot be used: no key"},
		{"--provider alone", Wish{Provider: "a", Settings: saved}, "", "", "--provider needs --model"},
		{"an invented model", Wish{Model: "a/new", Settings: saved}, "a/new:low", `a has no known model "new"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, notices, err := Start(tt.wish, models)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v, want %q", err, tt.err)
				}
				return
			}
			if got := p.Name() + ":" + p.Level; err != nil || got != tt.want {
				t.Errorf("%s, %v, want %s", got, err, tt.want)
			}
			if all := strings.Join(notices, " "); (all != "") != (tt.notice != "") || !strings.Contains(all, tt.notice) {
				t.Errorf("notices %q, want %q", notices, tt.notice)
			}
		})
	}
	if _, _, err := Start(Wish{Settings: saved}, models[4:]); !errors.Is(err, ErrNoModel) {
		t.Error(err)
	}
}

func TestList(t *testing.T) {
	models := choices("b/kimi-k3", "a/z", "a/kimi-k3.1")
	models[0].Info.ContextWindow, models[0].Info.MaxTokens = 1048576, 16384
	models[0].Info.Input = []string{"text", "image"}
	got := List(models, "kimi k3")
	want := [][]string{{"provider", "model", "context", "max-out", "thinking", "images"}, {"a", "kimi-k3.1", "?", "?", "yes", "no"}, {"b", "kimi-k3", "1.0M", "16.4K", "yes", "yes"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(List(models, "")); n != 4 {
		t.Errorf("%d rows of all", n)
	}
	for n, want := range map[int64]string{0: "?", 999: "999", 1000: "1K", 200000: "200K", 1000000: "1M", 131072: "131.1K"} {
		if got := Tokens(n); got != want {
			t.Errorf("Tokens(%d) = %s, want %s", n, got, want)
		}
	}
}
