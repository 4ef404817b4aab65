package lang

import "testing"

func TestSaid(t *testing.T) {
	for _, tt := range []struct{ name, words, want string }{
		{"a text", "No message waits.", "没有排队消息。"},
		{"a text with a number", "no message [7] waits; /queue shows those that do", "没有排队消息 [7]；/queue 列出现有的"},
		{"no number where one must stand", "no message [x] waits; /queue shows those that do", "no message [x] waits; /queue shows those that do"},
		{"an error in an error", "open session s1: nothing to compact", "打开会话 s1：没有可压缩的内容"},
		{"behind words that are not known", "frobnicate: nothing to compact", "frobnicate: 没有可压缩的内容"},
		{"a quoted word", `No session has the id "a b".`, `没有 id 为 "a b" 的会话。`},
		{"a time in a text", "last here: hello, 22m ago; bough -c goes on with it", "上次在此：hello，22分钟前；用 bough -c 继续"},
		{"no time", "x22m ago", "x22m ago"},
		{"something else", "429 slow down", "429 slow down"},
		{"a verb in what was said", "There is no tool %s%d.", "没有工具 %s%d。"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Chinese.Said(tt.words); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if got := English.Said(tt.words); got != tt.words {
				t.Errorf("in English: %q", got)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		l    Language
		n    int
		want string
	}{{English, 1, "1 block, line 3"}, {English, 0, "0 blocks, line 3"}, {Chinese, 1, "1 blocks, line 3"}} {
		if got := tt.l.N(tt.n, "%d block, line %d", "%d blocks, line %d", 3); got != tt.want {
			t.Errorf("%q %d: %q, want %q", tt.l, tt.n, got, tt.want)
		}
	}
	if got := Chinese.T("%s again: /%s", "esc", "tree"); got != "再按 esc：/tree" {
		t.Error(got)
	}
	if got := Chinese.T("100%"); got != "100%" {
		t.Error(got)
	}
}
