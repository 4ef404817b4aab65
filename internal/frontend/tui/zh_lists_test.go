package tui_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// word is what may be one of English; keptWords that have a sign or a digit in them, such
// as those of files and commands, are none.
var word = regexp.MustCompile(`[A-Za-z0-9_./+$#~:@*\-]*[A-Za-z][A-Za-z0-9_./+$#~:@*\-]*`)

// keptWords are words that stay as they are: keys, programs, and what the whole world says so.
var keptWords = strings.Fields("dark enter esc tab ctrl alt shift space home end delete backspace pgup pgdn bough pi shell token JSON MCP stub puppet user me srv")

// englishWords are the words of English on a screen.
func englishWords(screen string, allowed ...string) (found []string) {
	for _, w := range word.FindAllString(screen, -1) {
		w = strings.Trim(w, ".:-+*")
		if len(w) < 3 || strings.ContainsAny(w, "0123456789_./+$#~:@*-") || slices.Contains(keptWords, w) || slices.Contains(allowed, w) {
			continue
		}
		found = append(found, w)
	}
	return found
}

// speaksChinese waits until no word of English stands on the screen but those that are
// allowed.
func speaksChinese(s *tuitest.Screen, allowed ...string) {
	s.T.Helper()
	s.Until("only Chinese", func(screen string) bool { return len(englishWords(screen, allowed...)) == 0 })
}

var zhSizes = [][2]int{{40, 20}, {80, 24}, {120, 40}}

func inChinese(o *tui.Options) { o.Lang = lang.Chinese }

// realSettings are the settings that there are, with what is said of them.
func realSettings(t *testing.T) []protocol.Setting {
	paths, err := config.Locate(func(name string) string { return map[string]string{"HOME": t.TempDir()}[name] }, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out []protocol.Setting
	for _, e := range config.Read(paths, t.TempDir(), true).Explain() {
		s := protocol.Setting{Key: e.Key.Name, Section: e.Key.Section, Help: e.Key.Help, Allowed: e.Key.Allowed(), Kind: string(e.Key.Kind), Words: e.Key.Words, Default: e.Key.Default}
		if e.Key.User == config.Pi {
			s.Unused = "only pi uses it"
		}
		for _, v := range e.Values {
			s.Sources = append(s.Sources, protocol.SettingSource{Value: v.JSON, From: v.Level.String()})
		}
		out = append(out, s)
	}
	return out
}

func TestSettingsAreDescribedInChinese(t *testing.T) {
	settings := realSettings(t)
	if len(settings) < 80 {
		t.Fatalf("there are %d", len(settings))
	}
	for _, s := range settings {
		if words := lang.Chinese.Said(s.Help); words == s.Help {
			t.Errorf("%s: %q has no Chinese", s.Key, s.Help)
		}
	}
}

// zhKit is a kit whose own words are Chinese.
func zhKit(t *testing.T) *kit {
	k := newKit()
	k.tools = []protocol.ToolInfo{{ToolName: "read", Description: "读文件。", On: true}, {ToolName: "bash", Description: "运行命令。"}}
	return k
}

func TestPickersInChinese(t *testing.T) {
	for _, c := range []struct {
		command, title, shows string
		allowed               []string
	}{
		{"/model", "模型", "$3/$15", []string{"large", "small", "Large", "One", "mine", "local", "low", "off", "minimal", "high", "medium", "xhigh", "max"}},
		{"/thinking", "思考强度", "low", []string{"large", "low", "off", "minimal", "high", "medium", "xhigh", "max"}},
		{"/scoped-models", "轮换的模型", "large", []string{"large", "small", "mine", "local", "low"}},
		{"/tools", "工具", "read", []string{"read", "bash", "large", "low"}},
		{"/mcp", "MCP 服务器", "docs", []string{"docs", "broken", "large", "low", "nowhere"}},
		{"/prompt", "系统提示词", "preamble", []string{"preamble", "context", "large", "low"}},
	} {
		for _, size := range zhSizes {
			t.Run(fmt.Sprint(c.command, size), func(t *testing.T) {
				p := newPuppet(protocol.State{Model: &stubs[0], Thinking: "low", Context: &protocol.ContextUse{Tokens: 12_000, Window: 200_000, Known: true}})
				k := zhKit(t)
				p.do = func(cmd protocol.Request) (any, error) {
					got, err := k.do(cmd)
					if servers, ok := got.(protocol.Servers); ok {
						servers.Servers[0].Target, servers.Servers[1].Target, servers.Servers[1].Problem = "x", "x", "the connection ended"
						return servers, err
					}
					return got, err
				}
				s := tuitest.Start(t, p, size[0], size[1], inChinese, func(o *tui.Options) { o.After = lasting })
				t.Cleanup(func() { s.End() })
				s.Shows("large")
				s.Type(c.command, "enter")
				s.Shows(c.title, c.shows)
				speaksChinese(s, c.allowed...)
				s.Type("down")
				speaksChinese(s, c.allowed...)
				s.Type("nichts")
				s.Shows("没有匹配项")
				speaksChinese(s, append(c.allowed, "nichts")...)
			})
		}
	}
}

// zhGrove is the session of the counter in few and Chinese words.
func zhGrove() []protocol.Event {
	var g grove
	g.add("name", "", session.Info{Name: "计数器"})
	g.say("u1", "name", user("写一个数单词的命令。"))
	g.say("a1", "u1", answer("先看看仓库。", 0.004, toolCall("c1", "bash", `{"command":"ls"}`)))
	g.say("r1", "a1", result("c1", "bash", "x", false))
	g.say("a2", "r1", answer("用哪个包？", 0.003))
	g.say("u2", "a2", user("第一个"))
	g.say("a3", "u2", answer("", 0.006, toolCall("c2", "edit", `{"path":"m.go","edits":[]}`)))
	g.say("r2", "a3", result("c2", "edit", "好", false))
	g.say("a4", "r2", answer("好了。"+strings.Repeat("很长的一行。\n\n", 30), 0.008))
	g.say("u5", "a2", user("第三个"))
	failed := answer("", 0.001)
	failed.StopReason, failed.ErrorMessage = message.Failed, "过载"
	g.say("a6", "u5", failed)
	g.say("u7", "a2", user("第四个"))
	stopped := answer("", 0.001)
	stopped.StopReason = message.Aborted
	g.say("a9", "u7", stopped)
	g.add("bs", "a2", session.BranchSummary{From: "a4", Summary: "目标"})
	g.say("u6", "bs", user("第二个"))
	g.say("a7", "u6", answer("好。", 0.005, toolCall("c4", "edit", `{"path":"m.go","edits":[]}`)))
	g.say("r4", "a7", result("c4", "edit", "没有", true))
	g.say("a8", "r4", answer("现在有了。", 0.004))
	g.add("l1", "a8", session.Label{Target: "a4", Text: "可用"})
	return g.evs
}

func TestForksInChinese(t *testing.T) {
	for _, size := range zhSizes {
		s, _ := look(t, size[0], size[1], zhGrove(), inChinese)
		s.Shows("现在有了。")
		s.Type("/fork", "enter")
		s.Shows("此分支", "第二个")
		speaksChinese(s, "edit", "bash", "stub-large")
		s.Type("tab")
		s.Shows("全部分支", "第三个")
		speaksChinese(s, "edit", "bash", "stub-large")
		s.End()
	}
}

var zhProject = tui.Trust{Dir: "/home/me/app", Parent: "/home/me", Why: "it has changed since it was trusted", Changed: []string{"changed .pi/settings.json", "and 3 more"},
	Items: []tui.TrustItem{
		{Path: ".pi/settings.json", Files: 1, Size: 120, Notes: []string{"runs for a.b: x1"}, Begins: []string{"{}"}},
		{Path: ".pi/skills", Files: 2, More: true, Size: 4100, Notes: []string{"it is no file and will not be used"}},
		{Path: ".mcp.json", Files: 1, Size: 20, Notes: []string{"MCP server x1 runs: y2", "MCP server x1 at z3"}},
	}}

func TestTrustInChinese(t *testing.T) {
	for _, size := range zhSizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s, ended := asked(t, size[0], size[1], func(ctx context.Context, o tui.Options) error {
				o.Lang = lang.Chinese
				_, err := tui.AskTrust(ctx, o, zhProject)
				return err
			})
			s.Shows("信任此项目？")
			speaksChinese(s)
			s.Type("pageDown")
			speaksChinese(s)
			s.Type("enter")
			if err := ended(); err != nil {
				t.Error(err)
			}
			s = tuitest.Start(t, newPuppet(), size[0], size[1], inChinese, func(o *tui.Options) {
				o.After = lasting
				o.Around = tui.Around{Trust: func(string) (tui.Trust, error) { return zhProject, nil }, SetTrust: func(context.Context, string, tui.TrustAnswer) error { return nil }}
			})
			t.Cleanup(func() { s.End() })
			s.Shows("bough")
			s.Type("/trust", "enter")
			s.Shows("保持不变")
			speaksChinese(s)
			for _, answer := range []string{"2", "3", "4", "5"} {
				s.Type(answer)
				s.Shows("/reload")
				speaksChinese(s)
				s.Type("/trust", "enter")
				s.Shows("保持不变")
			}
		})
	}
}

func TestFirstRunInChinese(t *testing.T) {
	for _, size := range zhSizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s, ended := asked(t, size[0], size[1], func(ctx context.Context, o tui.Options) error {
				o.Lang = lang.Chinese
				_, err := tui.AskFirst(ctx, o, tui.FirstRun{Servers: []string{"None answers now. To start one: ollama serve, then ollama pull qwen3"}, Ready: func() bool { return false },
					Look: func(context.Context) ([]string, []string) {
						return []string{"Ollama answers, but has no model yet. For one: ollama pull qwen3"}, nil
					}})
				return err
			})
			allowed := []string{"Anthropic", "OpenAI", "Google", "OpenRouter", "ollama", "Ollama", "serve", "pull"}
			s.Shows("尚未配置模型")
			speaksChinese(s, allowed...)
			s.Type("2")
			s.Shows("Ollama")
			speaksChinese(s, allowed...)
			s.Type("enter")
			if err := ended(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestQuestionsBeforeASessionInChinese(t *testing.T) {
	for _, text := range []string{"Session x1 belongs to /srv/a", "The folder of this session, /srv/a, is not there any more"} {
		s, ended := asked(t, 60, 20, func(ctx context.Context, o tui.Options) error {
			o.Lang = lang.Chinese
			_, err := tui.Ask(ctx, o, "bough", text, "(f)ork it here", "(o)pen it there", "(o)pen it here all the same", "(c)ancel")
			return err
		})
		s.Shows("取消", "/srv/a")
		speaksChinese(s)
		s.Type("enter")
		if err := ended(); err != nil {
			t.Error(err)
		}
	}
}
