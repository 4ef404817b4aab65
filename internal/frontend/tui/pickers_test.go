package tui_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// kit answers what is asked about models, settings, tools, servers and the prompt.
type kit struct {
	mu     sync.Mutex
	values map[string]string // settings of the user; guarded by mu
	tools  []protocol.ToolInfo
	scope  []provider.Info
	calls  []string
	long   string // words of somebody else
}

func newKit() *kit {
	return &kit{values: map[string]string{"defaultProvider": `"stub"`, "defaultModel": `"small"`}, long: "is of use",
		tools: []protocol.ToolInfo{{ToolName: "read", Description: "Reads a file. Much more can be said.", On: true}, {ToolName: "bash", Description: "Runs a command."},
			{ToolName: "mcp__docs__look", Description: "Looks it up.", From: "docs", On: true}}}
}

var stubs = []provider.Info{
	{Provider: "stub", ID: "large", Name: "Large One", ContextWindow: 200_000, MaxTokens: 32_000, Reasoning: true, Input: []string{"text", "image"}, Cost: provider.Price{Input: 3, Output: 15}},
	{Provider: "stub", ID: "small", ContextWindow: 8_000, Cost: provider.Price{Input: 0.25, Output: 1.25}},
	{Provider: "mine", ID: "local 你好", PriceUnknown: true},
}

func (k *kit) setting(key string) protocol.Setting {
	s := protocol.Setting{Key: key, Section: "All", Help: "What " + key + " does.", Kind: "text", Allowed: "a text", Default: `"usual"`}
	switch key {
	case "theme":
		s.Default = `"system"`
	case "quietStartup":
		s.Kind, s.Allowed, s.Default = "flag", "true or false", "false"
	case "steeringMode":
		s.Kind, s.Words, s.Allowed = "word", []string{"all", "one-at-a-time", "three", "four"}, "one of all, one-at-a-time, three, four"
	case "enabledModels":
		s.Kind, s.Allowed, s.Default = "list", "a list of texts", ""
	case "ofPi":
		s.Unused = "only pi uses it"
	}
	if v, ok := k.values[key]; ok {
		s.Sources = append(s.Sources, protocol.SettingSource{Value: v, From: "user, /home/me/.pi/agent/settings.json:3"})
	}
	if s.Sources = append(s.Sources, protocol.SettingSource{Value: s.Default, From: "default"}); key == "ofPi" {
		s.Sources = append([]protocol.SettingSource{{Value: `"\u001b[2J` + k.long + `"`, From: "project, /srv/.pi/settings.json:1", Ignored: "the project is not trusted"}}, s.Sources...)
	}
	return s
}

func (k *kit) do(cmd protocol.Request) (any, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, cmd.Name()+fmt.Sprintf("%+v", cmd))
	switch c := cmd.(type) {
	case protocol.GetModels:
		return protocol.Models{Models: stubs, Scope: k.scope}, nil
	case protocol.SetModel:
		return provider.Info{Provider: c.Provider, ID: c.ID}, nil
	case protocol.SetThinking:
		return c.Level, nil
	case protocol.GetSettings:
		if c.Key != "" {
			return protocol.Settings{Settings: []protocol.Setting{k.setting(c.Key)}}, nil
		}
		var out protocol.Settings
		for _, key := range []string{"ofPi", "defaultModel", "theme", "quietStartup", "steeringMode", "enabledModels"} {
			out.Settings = append(out.Settings, k.setting(key))
		}
		return out, nil
	case protocol.SetSetting:
		if c.Value == "bad" {
			return nil, protocol.Fail(protocol.BadRequest, "%s cannot be bad", c.Key)
		}
		if delete(k.values, c.Key); !c.Unset {
			k.values[c.Key] = c.Value
			if !json.Valid([]byte(c.Value)) {
				k.values[c.Key] = `"` + c.Value + `"`
			}
		}
		if c.Key == "enabledModels" {
			k.scope = nil
			var names []string
			if err := json.Unmarshal([]byte(c.Value), &names); err != nil {
				return nil, err
			}
			for _, n := range names {
				k.scope = append(k.scope, stubs[slices.IndexFunc(stubs, func(i provider.Info) bool { return i.Provider+"/"+i.ID == n })])
			}
		}
		return protocol.SettingSet{Setting: k.setting(c.Key), Effect: "at once"}, nil
	case protocol.GetTools:
		return protocol.Tools{Tools: slices.Clone(k.tools)}, nil
	case protocol.SetTools:
		for i := range k.tools {
			if slices.Contains(c.On, k.tools[i].ToolName) || slices.Contains(c.Off, k.tools[i].ToolName) {
				k.tools[i].On = len(c.On) > 0
			}
		}
		return protocol.Tools{Tools: slices.Clone(k.tools)}, nil
	case protocol.GetServers:
		return protocol.Servers{Servers: []protocol.ServerInfo{
			{Server: "docs", Scope: "user", Target: "docs-server --stdio", State: "connected", Tools: []string{"mcp__docs__look"}},
			{Server: "broken\x1b[2J", Scope: "project", Target: "nowhere", State: "failed", Problem: "it ends at once \u202e" + k.long, Log: "/home/me/log.txt"},
		}}, nil
	case protocol.GetSystemPrompt:
		return protocol.SystemPrompt{Sections: []protocol.Section{{Title: "preamble", Text: "You are\x1b[2J an agent.\n\nBe brief. " + k.long}, {Title: "context", Text: "AGENTS", Sources: []string{"/srv/AGENTS.md"}}}}, nil
	case protocol.Reconnect:
		return protocol.None{}, nil
	}
	return nil, protocol.Fail(protocol.UnknownCommand, "no")
}

func (k *kit) called(t *testing.T, want string) {
	t.Helper()
	eventually(t, "asked for "+want, func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return slices.ContainsFunc(k.calls, func(c string) bool { return strings.Contains(c, want) })
	})
}

// lasting has what shows for a moment stay.
func lasting(d time.Duration) (<-chan time.Time, func()) {
	if d >= time.Second {
		return nil, func() {}
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// eventually waits for what is done beside the screen.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("never: %s", what)
		}
	}
}

func startKit(t *testing.T, k *kit, width, height int, change ...func(*tui.Options)) *tuitest.Screen {
	t.Helper()
	model := stubs[0]
	p := newPuppet(protocol.State{Model: &model, Thinking: "low", Context: &protocol.ContextUse{Tokens: 12_000, Window: 200_000, Known: true}})
	p.do = k.do
	s := tuitest.Start(t, p, width, height, append(change, func(o *tui.Options) { o.ASCII, o.After = width == 40, lasting })...)
	t.Cleanup(func() { s.End() })
	if height > 13 {
		s.Shows("large")
	}
	return s
}

// Every picker at the widths and heights that people have.
func TestPickers(t *testing.T) {
	for _, command := range []string{"model", "thinking", "scoped-models", "settings", "tools", "mcp", "prompt"} {
		for _, size := range [][2]int{{40, 16}, {80, 24}, {120, 40}, {200, 50}} {
			t.Run(fmt.Sprintf("%s %v", command, size), func(t *testing.T) {
				s := startKit(t, newKit(), size[0], size[1])
				s.Type("/"+command, "enter")
				s.Golden(fmt.Sprintf("pick_%s_%d.txt", command, size[0]))
			})
		}
	}
}

func TestModelsAreChosenAndKept(t *testing.T) {
	k := newKit()
	s := startKit(t, k, 130, 30)
	s.Type("/model", "enter")
	s.Shows("* large [stub]", "small [stub] - default", "$3/$15 per million tokens")
	s.Type("down")
	s.Shows("does not fit")
	s.Type("ctrl+s")
	s.Shows("the default from now on: stub/small")
	k.called(t, `{Key:defaultModel Value:"small" Unset:false Save:true}`)
	s.Type("/model mine/local 你好", "enter")
	s.Shows("model mine/local 你好")
	s.Type("/model stub/large:high", "enter")
	s.Shows("thinking: high")
	s.Type("/thinking", "enter")
	s.Shows("few tokens  (now)")
	s.Type("down", "ctrl+s")
	s.Shows("thinking medium from now on for stub/large")
	k.called(t, `{Key:modelThinkingLevels.stub/large Value:medium Unset:false Save:true}`)
}

func TestModelsToCycleThrough(t *testing.T) {
	k := newKit()
	s := startKit(t, k, 100, 30)
	s.Type("/scoped-models", "enter")
	s.Shows("none: all are", "> [ ] large")
	s.Type("down", "enter")
	s.Shows("> [x] small")
	s.Type("down", "enter")
	s.Shows("> [x] large")
	k.called(t, `Value:["stub/small","stub/large"] Unset:false Save:false`)
	s.Type("alt+up", "ctrl+s")
	s.Shows("saved: 2 models to cycle through")
	k.called(t, `Value:["stub/large","stub/small"] Unset:false Save:true`)
	s.Hides("cycle through (")
	s.Type("/model", "enter")
	s.Shows("to cycle through (1/2)")
	s.Type("tab")
	s.Shows("all (1/3)", "local 你好")
	s.Type("escape")
	s.Hides("all (1/3)")
	s.Type("/scoped-models", "enter")
	s.Shows("[x] large")
	s.Type("ctrl+x")
	s.Shows("none: all are")
	s.Type("ctrl+p")
	s.Shows("[x] large", "[x] small", "[ ] local")
}

func TestSettingsAreChanged(t *testing.T) {
	k := newKit()
	s := startKit(t, k, 100, 30)
	s.Type("/settings", "enter")
	s.Shows("defaultModel", `"small" (user)`)
	s.Type("down", "enter")
	s.Shows("> system", "light/dark")
	s.Type("down", "enter")
	s.Shows(`theme = "dark", at once`)
	s.Type("enter")
	s.Shows("> dark")
	s.Type("down", "enter")
	s.Shows(`theme = "light", at once`)
	s.Type("down", "enter")
	s.Shows("quietStartup = true, at once", "true (user)")
	s.Type("\x1f")
	s.Shows("quietStartup = false, at once", "false (default)")
	k.called(t, "{Key:quietStartup Value: Unset:true Save:true}")
	s.Type("\x1f")
	s.Shows(`theme = "dark", at once`)
	s.Type("down", "enter")
	s.Shows("one-at-a-time")
	s.Type("three", "enter")
	s.Shows(`steeringMode = "three", at once`)
	s.Type("up", "up", "up", "enter")
	s.Shows("What defaultModel does. It is a text.")
	s.Type("ctrl+u", "bad", "enter")
	s.Shows("DefaultModel cannot be bad.")
	s.Type("ctrl+k")
	s.Shows(`defaultModel = "usual", at once`)
	s.Type("a")
	s.Type("ctrl+u", "theme")
	s.Shows("> theme ")
	s.Type("ctrl+u", "ofPi")
	s.Shows("only pi uses it", "(ignored: the project is not trusted)")
	s.Type("escape")
	s.Hides("> ofPi ")
	s.Type("escape")
	s.Hides("Settings")
	s.Type("/settings save theme light", "enter")
	s.Shows(`theme = "light" (user, ~/.pi/agent/settings.json:3); at once`)
}

func TestToolsAndServersAndPrompt(t *testing.T) {
	k := newKit()
	s := startKit(t, k, 100, 30)
	s.Type("/tools", "enter")
	s.Shows("2 on", "> [x] read", "Reads a file.", "[ ] bash")
	s.Type("down", " ")
	s.Shows("3 on", "> [x] bash")
	s.Type("enter")
	s.Shows("2 on", "> [ ] bash")
	s.Type("escape")
	s.Hides("2 on")
	s.Type("/tools -read", "enter")
	s.Shows("on: mcp__docs__look")
	s.Type("/mcp", "enter")
	s.Shows("connected, 1 tool", "docs-server --stdio")
	s.Type("down", "enter")
	s.Shows("it ends at once <U+202E>", "~/log.txt")
	k.called(t, "reconnect")
	s.Type("escape")
	s.Hides("connected, 1 tool")
	s.Type("/prompt preamble", "enter")
	s.Shows("You are an agent.")
	s.Type("escape")
	s.Shows("System prompt", "/srv/AGENTS.md")
	s.Type("escape")
	s.Hides("System prompt")
}

func TestHelpIsSearched(t *testing.T) {
	s := startKit(t, newKit(), 100, 30)
	s.Type("/help", "enter")
	s.Shows("/help [command]", "commands, keys, manual")
	s.Type("forget nothing of it") // in no command
	s.Shows("nothing fits")
	s.Type("ctrl+u", "newest leaf page of the manual")
	s.Type("ctrl+u", "compaction page")
	s.Shows("> compaction")
	s.Type("enter")
	s.Shows("─ compaction ─")
	s.Type("pageDown", "escape")
	s.Shows("Help")
	s.Type("ctrl+u", "/scoped", "enter")
	s.Hides("Help")
	s.Shows("/scoped-models")
}

// Words of others, however long and whatever is in them, stay in their place.
func TestPickersWithHostileWords(t *testing.T) {
	k := newKit()
	k.long = strings.Repeat("x", 1<<20)
	for i := range 10_000 {
		k.tools = append(k.tools, protocol.ToolInfo{ToolName: fmt.Sprintf("tool_%d\x1b]0;x\x07", i), Description: "e\u0301\u202e👨‍👩‍👧"})
	}
	k.tools[0].Description = k.long
	s := startKit(t, k, 80, 24)
	for _, c := range []struct{ command, shows, title string }{{"settings", "Settings (1/6)", "Settings"}, {"tools", "Tools 2 on", "Tools"},
		{"mcp", "MCP servers (1/2)", "MCP servers"}, {"prompt preamble", "─ preamble ─", "─ preamble ─"}} {
		s.Type("/"+c.command, "enter")
		s.Shows(c.shows)
		for _, size := range [][2]int{{20, 8}, {1, 1}, {200, 60}, {80, 24}} {
			s.Resize(size[0], size[1])
		}
		s.Type("down", "pageDown", "up", "escape")
		if c.command == "prompt preamble" {
			s.Shows("System prompt")
			s.Type("escape")
			s.Hides("System prompt")
		}
		s.Shows("(stub) large")
		s.Hides(c.title)
	}
	if raw := s.Raw(); strings.Contains(raw, "\x1b]0;x") {
		t.Error("it reaches the terminal")
	}
}
