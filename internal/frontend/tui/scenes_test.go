package tui_test

import (
	"context"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// A scene is a screen, and how one comes to it.
type scene struct {
	name    string
	session func() []protocol.Event
	options []func(*tui.Options)
	act     func(*stage)                                                                        // before the keys
	do      func(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) // answers in another way
	keys    []string
	before  func(context.Context, tui.Options) error // there is no session yet
	cwd     string                                   // "": /srv
	model   provider.Info                            // the zero value: the usual one
	whole   bool                                     // it takes all of the terminal, so there is no footer
	list    bool                                     // one of its rows is chosen
}

func typed(line string) []string { return []string{line, "enter"} }

func empty() []protocol.Event { return nil }

// scenes are all screens there are, each in the states that look different.
var scenes = []scene{
	{name: "start", session: empty, options: []func(*tui.Options){func(o *tui.Options) { o.Hint = "last here: Word counter, 2 hours ago · bough -c goes on with it" }}},
	{name: "talk", session: counter},
	{name: "tools", session: toolbox},
	{name: "tools_open", session: toolbox, keys: []string{"ctrl+o"}},
	{name: "everything", session: everything},
	{name: "everything_up", session: everything, keys: []string{"ctrl+home"}},
	{name: "everything_open", session: everything, keys: []string{"ctrl+o"}},
	{name: "thinking_hidden", session: everything, options: []func(*tui.Options){func(o *tui.Options) { o.HideThinking = func() bool { return true } }}, keys: []string{"ctrl+home"}},
	{name: "compaction", session: summedUp, keys: []string{"ctrl+home"}},
	{name: "compaction_open", session: summedUp, keys: []string{"ctrl+o"}},
	{name: "streaming", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.AnswerStarted{}, protocol.Delta{Delta: message.Delta{Kind: message.ThinkingStart}}, protocol.Delta{Delta: message.Delta{Kind: message.ThinkingDelta, Text: "What do they want?"}},
			protocol.Delta{Delta: message.Delta{Kind: message.TextStart, Index: 1}}, protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Index: 1, Text: "It is **half of\n\n- a list\n- an 测试 ans"}})
		time.Sleep(5 * time.Second)
	}},
	{name: "tool_running", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.ToolStarted{CallID: "c1", Tool: "bash", Args: []byte(args("command", "go test ./..."))},
			protocol.ToolProgress{CallID: "c1", Tool: "bash", Output: message.TextOutput(lines(12))})
	}},
	{name: "queue", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.QueueChanged{Queue: protocol.Queue{Items: []protocol.Waiting{
			{ID: "w1", Text: "and then count the lines too, in all files that there are below this folder"}, {ID: "w2", Text: "写一个测试", Images: 2}, {ID: "w3", Text: "commit it", FollowUp: true}}}})
	}, keys: []string{"half a thought"}},
	{name: "queue_list", session: running, list: true, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.QueueChanged{Queue: protocol.Queue{Items: []protocol.Waiting{{ID: "w1", Text: "and then count the lines too"}, {ID: "w3", Text: "commit it", FollowUp: true}}}})
	}, keys: []string{"alt+up"}},
	{name: "retry", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.RetryStarted{Attempt: 2, Max: 5, Delay: 4 * time.Second, Error: "529 overloaded: try again in a while"})
	}},
	{name: "failed", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.RunEnded{Failure: "401 the key is not valid", Kind: "auth"}, protocol.Notice{Level: "warning", Text: "the disk is almost full"}, protocol.Notice{Level: "info", Text: "AGENTS.md has changed"})
	}},
	{name: "compacting", session: counter, act: func(s *stage) { s.p.tell(protocol.CompactionStarted{Reason: protocol.OverLimit}) }},
	{name: "question", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.ToolStarted{CallID: "c1", Tool: "bash", Args: []byte(args("command", "go test ./..."))}, protocol.Asked{ID: "q1", Text: "bash wants to run: rm -rf build", Choices: []protocol.Choice{{ID: "once", Text: "Allow once", Kind: protocol.AllowOnce}, {ID: "always", Text: "Always allow bash(rm -rf build)", Kind: protocol.AllowAlways}, {ID: "no", Text: "Refuse, and say why", Words: true}},
			About: &protocol.AskedCall{CallID: "c1", Tool: "bash", Command: "rm -rf build && mkdir build", Reason: "it changes files", Rule: "bash(rm -rf build)"}})
	}},
	{name: "question_edit", session: running, act: func(s *stage) {
		s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}, protocol.ToolStarted{CallID: "c1", Tool: "bash", Args: []byte(args("command", "go test ./..."))}, protocol.Asked{ID: "q1", Text: "edit wants to change a file", Choices: []protocol.Choice{{ID: "once", Text: "Allow once", Kind: protocol.AllowOnce}, {ID: "no", Text: "Refuse"}},
			About: &protocol.AskedCall{CallID: "c1", Tool: "edit", Files: []string{"/srv/cmd/main.go"}, Diff: "-\tfmt.Println(\"words\")\n+\tfmt.Println(\"个字\")", Reason: "it changes a file"}})
	}},
	{name: "leaving", session: running, act: func(s *stage) { s.p.tell(protocol.RunStarted{}, protocol.LoopStarted{}) }, keys: typed("/quit")},
	{name: "shell", session: counter, keys: []string{"!go test ./..."}},
	{name: "paste", session: counter, act: func(s *stage) { s.Paste(strings.Repeat("pasted\n", 30)) }, keys: []string{" and what do you say to that?"}},
	{name: "long_draft", session: counter, act: func(s *stage) {
		s.Paste("a draft that is long enough to be broken at every width that there is, 一个足够长的草稿，\nand has\nlines")
	}},
	{name: "complete_command", session: counter, keys: []string{"/t"}},
	{name: "complete_argument", session: counter, keys: []string{"/goto "}},
	{name: "complete_file", session: counter, keys: []string{"see @"}},
	{name: "find", session: counter, act: func(s *stage) { s.Send("\x1b[102;6u"); s.settle() }, keys: []string{"flag"}},
	{name: "focus", session: counter, keys: []string{"alt+t", "up"}},
	{name: "tree", session: counter, whole: true, list: true, keys: typed("/tree")},
	{name: "tree_classic", session: counter, whole: true, list: true, keys: append(typed("/tree"), "alt+l")},
	{name: "tree_turns", session: counter, whole: true, list: true, keys: append(typed("/tree"), "alt+l", "alt+l")},
	{name: "tree_all", session: everything, whole: true, list: true, keys: append(typed("/tree"), "ctrl+a")},
	{name: "tree_user", session: counter, whole: true, list: true, keys: append(typed("/tree"), "ctrl+u")},
	{name: "tree_times", session: counter, whole: true, list: true, keys: append(typed("/tree"), "T")},
	{name: "tree_search", session: counter, whole: true, list: true, keys: append(typed("/tree"), "scanwords")},
	{name: "tree_nothing", session: counter, whole: true, keys: append(typed("/tree"), "nowhere")},
	{name: "tree_preview", session: counter, whole: true, list: true, keys: append(typed("/tree"), "up", "up", " ")},
	{name: "tree_help", session: counter, whole: true, keys: append(typed("/tree"), "?")},
	{name: "tree_label", session: counter, whole: true, keys: append(typed("/tree"), "L")},
	{name: "tree_choices", session: counter, whole: true, keys: append(typed("/tree"), "home", "down", "down", "down", "down", "enter")},
	{name: "tree_summary", session: counter, whole: true, keys: append(typed("/tree"), "home", "down", "down", "down", "down", "enter", "3")},
	{name: "compare", session: counter, whole: true, keys: typed("/compare a5")},
	{name: "compare_open", session: counter, whole: true, keys: append(typed("/compare a5"), "ctrl+o", "tab", "down")},
	{name: "compare_choices", session: counter, whole: true, keys: append(typed("/compare a5"), "tab", "enter")},
	{name: "sessions", session: empty, list: true, keys: typed("/resume")},
	{name: "sessions_all", session: empty, list: true, keys: append(typed("/resume"), "tab")},
	{name: "sessions_search", session: empty, list: true, keys: append(typed("/resume"), "counter")},
	{name: "sessions_none", session: empty, keys: append(typed("/resume"), "zzz")},
	{name: "sessions_trash", session: empty, list: true, keys: append(typed("/resume"), "ctrl+d")},
	{name: "sessions_rename", session: empty, keys: append(typed("/resume"), "ctrl+r")},
	{name: "sessions_preview", session: empty, list: true, keys: append(typed("/resume"), " ")},
	{name: "sessions_gone", session: empty, keys: append(typed("/resume"), "tab", "its folder", "enter")},
	{name: "fork", session: counter, list: true, keys: typed("/fork")},
	{name: "models", session: counter, list: true, keys: typed("/model")},
	{name: "scoped_models", session: counter, list: true, keys: typed("/scoped-models")},
	{name: "levels", session: counter, list: true, keys: typed("/thinking")},
	{name: "settings", session: counter, list: true, keys: typed("/settings")},
	{name: "settings_unknown", session: counter, list: true, do: func(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) {
		return func(cmd protocol.Request) (any, error) {
			got, err := usual(cmd)
			if s, ok := got.(protocol.Settings); ok && cmd.(protocol.GetSettings).All {
				s.Unknown = []protocol.UnknownSetting{{Key: "their.key", From: "user, /home/me/.pi/agent/settings.json:7"}, {Key: "\x1b[2Jodd", From: "project, /srv/.pi/settings.json:1"}}
				return s, err
			}
			return got, err
		}
	}, keys: append(typed("/settings"), "up", "enter")},
	{name: "settings_edit", session: counter, keys: append(typed("/settings"), "down", "up", "enter")},
	{name: "tool_list", session: counter, list: true, keys: typed("/tools")},
	{name: "servers", session: counter, list: true, keys: typed("/mcp")},
	{name: "prompt", session: counter, list: true, keys: typed("/prompt")},
	{name: "permissions", session: counter, list: true, keys: typed("/permissions")},
	{name: "help", session: counter, list: true, keys: typed("/help")},
	{name: "help_topic", session: counter, keys: typed("/help tree")},
	{name: "hotkeys", session: counter, list: true, keys: typed("/hotkeys")},
	{name: "login", session: counter, list: true, keys: typed("/login")},
	{name: "login_key", session: counter, keys: append(typed("/login anthropic"), "sk-secret")},
	{name: "login_ways", session: counter, keys: typed("/login router")},
	{name: "trust", session: counter, whole: true, keys: typed("/trust")},
	{name: "first_run", session: empty, whole: true, before: func(ctx context.Context, o tui.Options) error {
		_, err := tui.AskFirst(ctx, o, tui.FirstRun{Servers: []string{"None answers now."}, Ready: func() bool { return false }, Look: func(context.Context) ([]string, []string) {
			return []string{"ollama answers."}, []string{"ollama/qwen3 (Ollama)", "b"}
		}})
		return err
	}},
	{name: "first_key", session: empty, keys: []string{"1", "anthr", "enter"}, before: func(ctx context.Context, o tui.Options) error {
		_, err := tui.AskFirst(ctx, o, tui.FirstRun{Servers: []string{"None answers now."}, Ready: func() bool { return false }})
		return err
	}, whole: true},
	{name: "first_trust", session: empty, whole: true, before: func(ctx context.Context, o tui.Options) error {
		_, err := tui.AskTrust(ctx, o, project)
		return err
	}},
	{name: "first_gone", session: empty, whole: true, before: func(ctx context.Context, o tui.Options) error {
		_, err := tui.Ask(ctx, o, "bough", "The folder of this session is gone: `/home/me/old`.", "Fork it into this folder", "Open it here", "Cancel")
		return err
	}},
	{name: "session_info", session: counter, keys: typed("/session")},
	{name: "cost", session: counter, keys: typed("/cost")},
	{name: "context", session: everything, keys: typed("/context")},
	{name: "history", session: everything, list: true, keys: typed("/history")},
	{name: "show", session: counter, keys: typed("/show 1")},
	{name: "summary", session: summedUp, keys: typed("/summary")},
}

// sizes are those that people have, and the smallest.
var sizes = [][2]int{{24, 14}, {40, 20}, {80, 24}, {120, 44}, {200, 60}}
