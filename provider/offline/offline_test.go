package offline

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

func spec(name string, params ...string) message.ToolSpec {
	properties := []byte(`{}`)
	for _, p := range params {
		properties = rawjson.Set(properties, p, []byte(`{"type":"string"}`))
	}
	return message.ToolSpec{Name: name, Parameters: rawjson.Set([]byte(`{"type":"object"}`), "properties", properties)}
}

func system(prompt string, tools ...message.ToolSpec) message.Message {
	return message.Message{Role: message.System, Content: []message.Block{message.Text(prompt)}, IsText: true, ToolsAdded: tools}
}

func standard() message.Message {
	return system("You are bough.", spec("read", "path", "offset"), spec("bash", "command"), spec("edit", "path", "edits"), spec("write", "path", "content"))
}

func user(s string) message.Message {
	return message.Message{Role: message.User, Content: []message.Block{message.Text(s)}}
}

// ask returns the whole answer to a conversation and checks that it is legal.
func ask(t testing.TB, msgs ...message.Message) message.Message {
	t.Helper()
	b := message.NewBuilder(message.Message{Provider: Provider, Model: ID, API: API})
	for d, err := range New(Options{}).Stream(context.Background(), provider.Request{Messages: msgs}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := b.Add(d); !ok {
			t.Fatalf("a step that does not fit: %+v", d)
		}
		if len(d.Text) > 30 {
			t.Errorf("a step of %d bytes", len(d.Text))
		}
	}
	m := b.Message()
	legal(t, m, msgs)
	return m
}

func legal(t testing.TB, m message.Message, msgs []message.Message) {
	t.Helper()
	if !rawjson.Valid(m.JSON()) {
		t.Fatalf("no JSON: %s", m.JSON())
	}
	calls := m.ToolCalls()
	if want := map[bool]message.StopReason{true: message.ToolUse, false: message.Stop}[len(calls) > 0]; m.StopReason != want {
		t.Errorf("stop reason %s with %d calls", m.StopReason, len(calls))
	}
	if len(m.Content) == 0 {
		t.Error("an answer of nothing")
	}
	fold, _ := message.FoldSystem(msgs)
	ids := map[string]bool{}
	for _, b := range m.Content {
		switch {
		case b.Type == message.TextBlock && strings.TrimSpace(b.Text) == "":
			t.Error("an empty text")
		case b.Type != message.ToolCallBlock:
		case ids[b.ID] || b.ID == "" || b.ArgumentsError != "" || rawjson.Kind(b.Arguments) != '{':
			t.Errorf("a call that is none: %s", b.JSON())
		default:
			ids[b.ID] = true
			if _, ok := kit(fold.ToolsAdded).tool(b.Name); !ok {
				t.Errorf("a call of a tool that is not offered: %s", b.JSON())
			}
		}
	}
	if u := m.Usage; u.Input <= 0 && len(msgs) > 0 && message.Estimate(msgs[0]) > 0 || u.Output <= 0 || u.TotalTokens != u.Input+u.Output {
		t.Errorf("usage %+v", u)
	}
}

// answerCalls plays the tools.
func answerCalls(m message.Message, texts ...string) []message.Message {
	out := []message.Message{m}
	for i, b := range m.ToolCalls() {
		out = append(out, message.TextOutput(texts[i]).Result(b, 0, nil))
	}
	return out
}

func callsOf(m message.Message) string {
	var out []string
	for _, b := range m.ToolCalls() {
		out = append(out, b.Name+string(b.Args()))
	}
	return strings.Join(out, " ")
}

func TestCalls(t *testing.T) {
	own := system("", spec("read_file", "filePath"), spec("bash", "cmd"), spec("grep", "pattern", "path", "literal"), spec("find", "pattern", "path"),
		spec("ls", "path"), spec("edit", "path", "old_string", "new_string"))
	for _, tt := range []struct {
		ask    string
		system message.Message
		want   string
	}{
		{"What does hello.txt say?", standard(), `read{"path":"hello.txt"}`},
		{"read a.txt and b.txt", standard(), `read{"path":"a.txt"} read{"path":"b.txt"}`},
		{"list the files", standard(), `bash{"command":"ls -A -- ."}`},
		{"search for it's me", standard(), `bash{"command":"grep -rnIF --exclude-dir=.git -e 'it'\\''s me' -- ."}`},
		{"find *.go", standard(), `bash{"command":"find . -name '*.go' -not -path '*/.git/*'"}`},
		{"run go version", standard(), `bash{"command":"go version"}`},
		{`write "hi" to a.txt`, standard(), `write{"path":"a.txt","content":"hi"}`},
		{"把 a.txt 里的 x 换成 y", standard(), `edit{"path":"a.txt","edits":[{"oldText":"x","newText":"y"}]}`},
		{"What does hello.txt say?", own, `read_file{"filePath":"hello.txt"}`},
		{"ls src", own, `ls{"path":"src"}`},
		{"search for main in cmd", own, `grep{"pattern":"main","path":"cmd","literal":true}`},
		{"find *.go", own, `find{"pattern":"*.go"}`},
		{"replace x with y in a.txt", own, `edit{"path":"a.txt","old_string":"x","new_string":"y"}`},
		{`write "hi" to a.txt`, own, `bash{"cmd":"printf '%s' hi > a.txt"}`},
		{"read a.txt", system("", spec("ls", "path")), ""},
		{"read a.txt", system(""), ""},
		{"replace x with y in a.txt", system("", spec("bash", "command")), ""},
		{"thanks", standard(), ""},
	} {
		t.Run(tt.ask, func(t *testing.T) {
			m := ask(t, tt.system, user(tt.ask))
			if got := callsOf(m); got != tt.want {
				t.Errorf("calls %s, want %s", got, tt.want)
			}
			if tt.want == "" && m.Text("") == "" {
				t.Error("neither calls nor words")
			}
		})
	}
}

func TestTurn(t *testing.T) {
	path := []message.Message{standard(), user("What does hello.txt say?")}
	first := ask(t, path...)
	if got := first.Text(""); got != "I read hello.txt." {
		t.Errorf("the beginning is %q", got)
	}
	path = append(path, answerCalls(first, "Hello, bough!\n")...)
	second := ask(t, path...)
	if got, want := second.Text(""), "hello.txt says: Hello, bough!\n\n"+introEn; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
	// What was read for an earlier question is not remembered.
	path = append(path, second, user("再读一下 hello.txt"))
	third := ask(t, path...)
	if got := callsOf(third); got != `read{"path":"hello.txt"}` {
		t.Errorf("a new question calls %s", got)
	}
	path = append(path, answerCalls(third, "changed")...)
	if s := ask(t, path...).Text(""); !strings.Contains(s, "hello.txt 的内容是：") || !strings.Contains(s, "changed") || strings.Contains(s, "Hello") {
		t.Errorf("the answer is %q", s)
	}
	for _, c := range first.ToolCalls() {
		for _, d := range third.ToolCalls() {
			if c.ID == d.ID {
				t.Errorf("two calls have the id %s", c.ID)
			}
		}
	}
}

func TestStepsFollowEachOther(t *testing.T) {
	path := []message.Message{standard(), user("read a.txt, then run ls")}
	a := ask(t, path...)
	path = append(path, answerCalls(a, "AAA")...)
	b := ask(t, path...)
	if callsOf(a) != `read{"path":"a.txt"}` || callsOf(b) != `bash{"command":"ls"}` {
		t.Fatalf("calls %s, then %s", callsOf(a), callsOf(b))
	}
	path = append(path, answerCalls(b, "BBB")...)
	if s := ask(t, path...).Text(""); !strings.Contains(s, "AAA") || !strings.Contains(s, "BBB") {
		t.Errorf("the answer is %q", s)
	}
}

func TestReports(t *testing.T) {
	failed := func(c message.Block) message.Message { return message.ErrorOutput("no such file").Result(c, 0, nil) }
	for _, tt := range []struct {
		name, ask string
		result    func(message.Block) message.Message
		want      []string
	}{
		{"a file that is not there", "read a.txt", failed, []string{"did not work with a.txt", "no such file"}},
		{"in Chinese too", "读一下 a.txt", failed, []string{"a.txt 没有成功", "no such file"}},
		{"a command that failed", "run false", failed, []string{"`false` failed", "no such file"}},
		{"an empty file", "read a.txt", func(c message.Block) message.Message { return message.TextOutput("").Result(c, 0, nil) }, []string{"a.txt is empty"}},
		{"a command without output", "运行 true", func(c message.Block) message.Message { return message.TextOutput("\n").Result(c, 0, nil) }, []string{"没有输出"}},
		{"an image", "read a.png", func(c message.Block) message.Message {
			return message.Output{Content: []message.Block{message.Image([]byte("x"), "image/png")}}.Result(c, 0, nil)
		}, []string{"[image/png]"}},
		{"how many lines", "how many lines does a.txt have?", func(c message.Block) message.Message {
			return message.TextOutput("1\n2\n3\n").Result(c, 0, nil)
		}, []string{"has 3 lines"}},
		{"the gist", "summarize a.md", func(c message.Block) message.Message {
			return message.TextOutput("# One\nbla bla\n## Two\nblub\n").Result(c, 0, nil)
		}, []string{"# One\n## Two"}},
		{"a text with fences", "read a.md", func(c message.Block) message.Message {
			return message.TextOutput("```go\nx\n```").Result(c, 0, nil)
		}, []string{"````\n```go\nx\n```\n````"}},
		{"a long text is cut", "read a.md", func(c message.Block) message.Message {
			return message.TextOutput(strings.Repeat("字", 3000)).Result(c, 0, nil)
		}, []string{"字\n```\n(and 5001 bytes more)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := []message.Message{standard(), user(tt.ask)}
			m := ask(t, path...)
			if len(m.ToolCalls()) != 1 {
				t.Fatalf("calls %s", callsOf(m))
			}
			s := ask(t, append(path, m, tt.result(m.ToolCalls()[0]))...).Text("")
			for _, w := range tt.want {
				if !strings.Contains(s, w) {
					t.Errorf("%q is not in %q", w, s)
				}
			}
		})
	}
}

func TestOtherQuestions(t *testing.T) {
	intro := message.Message{Role: message.Assistant, Provider: Provider, Content: []message.Block{message.Text("x")}}
	for _, tt := range []struct {
		name string
		msgs []message.Message
		want []string
	}{
		{"it says what it understands", []message.Message{standard(), user("Why is the sky blue?")}, []string{"offline/demo", "You said: “Why is the sky blue?”", "Search for"}},
		{"in Chinese too", []message.Message{standard(), user("天为什么是蓝的？")}, []string{"不是语言模型", "您说的是：“天为什么是蓝的？”", "搜索"}},
		{"an attached file is quoted", []message.Message{standard(), user("<file name=\"/x/a.txt\">\nthe text\n</file>\n\nWhat is this?")}, []string{"/x/a.txt says:", "the text"}},
		{"another model's answers are not its own", []message.Message{standard(), user("hi"), {Role: message.Assistant, Provider: "other", Content: intro.Content}, user("hello")},
			[]string{"offline/demo"}},
		{"nothing at all", nil, []string{"offline/demo", "I understand"}},
		{"only a summary is left", []message.Message{standard(), intro, user(message.CompactionIntro + "\n\n<summary>\nread a.txt\n</summary>")}, []string{"I understand"}},
		{"half an emoji", []message.Message{standard(), user("\xed\xa0\xbd")}, []string{"“\ufffd”"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := ask(t, tt.msgs...).Text("")
			for _, w := range tt.want {
				if !strings.Contains(s, w) {
					t.Errorf("%q is not in %q", w, s)
				}
			}
		})
	}
}

func TestSummary(t *testing.T) {
	conversation := "<conversation>\n[User]: Please fix main.go\nand be quick\n\n[Assistant]: Done.\n\n[Assistant tool calls]: read(path=\"main.go\", limit=3); edit(path=\"a \\\"b\\\".go\")\n\n" +
		"[Tool result]: Error: not found\n\n[User]: 谢谢\n</conversation>"
	s := ask(t, system("You are a context summariser."), user(conversation+"\n\nSum it up.")).Text("")
	for _, w := range []string{"## Goal\nPlease fix main.go\n", "- [x] Please fix main.go\n- [x] 谢谢", "## Key Decisions", "- main.go\n- a \"b\".go", "Error: not found"} {
		if !strings.Contains(s, w) {
			t.Errorf("%q is not in\n%s", w, s)
		}
	}
	if strings.Contains(s, "offline/demo") || strings.Contains(s, "be quick") {
		t.Errorf("too much in\n%s", s)
	}
	again := ask(t, system("You are a context summariser."), user("<conversation>\n[User]: next\n</conversation>\n\n<previous-summary>\n"+s+"\n</previous-summary>")).Text("")
	for _, w := range []string{"## Goal\nPlease fix main.go", "- [x] 谢谢\n- [x] next", "- main.go"} {
		if !strings.Contains(again, w) {
			t.Errorf("%q is not in\n%s", w, again)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Run("an answer is cut at the limit of the request", func(t *testing.T) {
		b := message.NewBuilder(message.Message{})
		for d, err := range New(Options{}).Stream(t.Context(), provider.Request{Messages: []message.Message{user("hi")}, MaxTokens: 5}) {
			if err != nil {
				t.Fatal(err)
			}
			b.Add(d)
		}
		if m := b.Message(); m.StopReason != message.Length || len(m.Text("")) != 20 {
			t.Errorf("%s %q", m.StopReason, m.Text(""))
		}
	})
	t.Run("a conversation beyond the window is refused", func(t *testing.T) {
		for _, err := range New(Options{}).Stream(t.Context(), provider.Request{Messages: []message.Message{user(strings.Repeat("x", 600000))}}) {
			if provider.KindOf(err) != provider.Overflow {
				t.Errorf("%v", err)
			}
		}
	})
	t.Run("it stops when nobody wants it any more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 55*time.Millisecond)
			defer cancel()
			steps := 0
			var last error
			for _, err := range New(Options{Pace: 10 * time.Millisecond}).Stream(ctx, provider.Request{Messages: []message.Message{user("hi")}}) {
				if err != nil {
					last = err
				} else {
					steps++
				}
			}
			if steps != 5 || !errors.Is(last, context.DeadlineExceeded) {
				t.Errorf("%d steps, %v", steps, last)
			}
		})
	})
	t.Run("and when the reader goes", func(t *testing.T) {
		for range New(Options{}).Stream(t.Context(), provider.Request{Messages: []message.Message{user("hi")}}) {
			break
		}
	})
}

// Whatever other models and tools left on a path, the answer is legal.
func TestForeignConversations(t *testing.T) {
	for seed := range uint64(300) {
		msgs := providertest.Conversation(rand.New(rand.NewPCG(seed, 0)), Info())
		var heard []message.Message
		for _, m := range msgs {
			if m, ok := message.ForModel(m); ok {
				heard = append(heard, m)
			}
		}
		ask(t, heard...)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Whatever is asked, the answer is legal, and the talk comes to an end.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"read a.txt and b.txt", "把 a.txt 里的“x”换成“y”", "<conversation>\n[User]: x", "run `", "“”\"'", "write a.txt:", "in .a, replace ` with `",
		"<file name=\"x\">", "[Assistant tool calls]: read(path=\"", "然后然后", "\xed\xa0\xbd.txt", "ls \x00", "find *", "# Conversation\n# Instructions"} {
		f.Add(s, s, true)
		f.Add("read a.txt", s, false)
	}
	f.Fuzz(func(t *testing.T, question, result string, tools bool) {
		sys := system(result)
		if tools {
			sys = standard()
		}
		path := []message.Message{sys, user(question)}
		for range 4 {
			m := ask(t, path...)
			path = append(path, m)
			if len(m.ToolCalls()) == 0 {
				break
			}
			for i, c := range m.ToolCalls() {
				var args map[string]any
				if err := json.Unmarshal(c.Args(), &args); err != nil {
					t.Fatal(err)
				}
				out := message.TextOutput(result)
				out.IsError = i%2 == 1
				path = append(path, out.Result(c, 0, nil))
			}
		}
		if steps := len(parse(question)); steps < 3 && len(path[len(path)-1].ToolCalls()) > 0 {
			t.Fatal("it never comes to an end")
		}
	})
}

// It says what it is at the end of the answer to the first question, once.
func TestIntroduction(t *testing.T) {
	own := message.Message{Role: message.Assistant, Provider: Provider, Content: []message.Block{message.Text("x")}}
	other := message.Message{Role: message.Assistant, Provider: "other", Content: []message.Block{message.Text("x")}}
	for _, tt := range []struct {
		name string
		msgs []message.Message
		want bool
	}{
		{"first question", []message.Message{standard(), user("hello")}, true},
		{"first question, in Chinese", []message.Message{standard(), user("你好")}, true},
		{"second question", []message.Message{standard(), user("hello"), own, user("hello")}, false},
		{"another branch from the first question", []message.Message{standard(), user("hello"), user("hello")}, false},
		{"first question to this model", []message.Message{standard(), user("hello"), other, user("hello")}, true},
		{"second question to this model", []message.Message{standard(), user("hello"), other, user("hello"), own, user("hello")}, false},
		{"behind a summary", []message.Message{standard(), user(message.CompactionIntro + "\n\n<summary>\nx\n</summary>"), user("hello")}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := ask(t, tt.msgs...).Text("")
			if got := strings.HasSuffix(s, "\n\n"+introEn) || strings.HasSuffix(s, "\n\n"+introZh); got != tt.want {
				t.Errorf("introduced: %v\n%s", got, s)
			}
		})
	}
}

func TestLookAgain(t *testing.T) {
	for _, tt := range []struct {
		before []string
		ask    string
		want   string
	}{
		{[]string{"What does hello.txt say?"}, "Look again, please.", `read{"path":"hello.txt"}`},
		{[]string{"What does hello.txt say?"}, "read it again", `read{"path":"hello.txt"}`},
		{[]string{"read a.txt", "read b.txt", "thanks"}, "Look again.", `read{"path":"b.txt"}`},
		{[]string{"read a.txt and b.txt"}, "once more", `read{"path":"a.txt"} read{"path":"b.txt"}`},
		{[]string{"replace x with y in a.txt"}, "look again", `read{"path":"a.txt"}`},
		{[]string{"read a.txt"}, "read b.txt again", `read{"path":"b.txt"}`},
		{[]string{"读一下 hello.txt"}, "再看一遍", `read{"path":"hello.txt"}`},
		{[]string{"hello"}, "look again", ""},
		{nil, "look again", ""},
	} {
		t.Run(tt.ask, func(t *testing.T) {
			path := []message.Message{standard()}
			for _, s := range tt.before {
				path = append(path, user(s))
			}
			path = append(path, user(tt.ask))
			m := ask(t, path...)
			if got := callsOf(m); got != tt.want {
				t.Fatalf("calls %s, want %s", got, tt.want)
			}
			if tt.want == "" {
				return
			}
			texts := make([]string, len(m.ToolCalls()))
			if s := ask(t, append(path, answerCalls(m, texts...)...)...); len(s.ToolCalls()) > 0 {
				t.Errorf("it looks for ever: %s", callsOf(s))
			}
		})
	}
}

const someDiff = `diff --git a/main.go b/main.go
index 1..2 100644
--- a/main.go
+++ b/main.go
@@ -1,3 +1,4 @@
 package main
-// read old.txt
--- removed
+// read new.txt
+
+++ added
diff --git a/gone.md b/gone.md
deleted file mode 100644
--- a/gone.md
+++ /dev/null
@@ -1 +0,0 @@
-x
\ No newline at end of file`

// What is named in a text that comes with a request is not read.
func TestPasted(t *testing.T) {
	for _, tt := range []struct {
		name, ask string
		calls     string
		want      []string
	}{
		{"a diff", someDiff + "\n\nReview this", "", []string{"a diff of 2 files, +3 -3:", "- main.go +3 -2\n- gone.md +0 -1", "beyond me"}},
		{"a diff behind the request", "Review this:\n" + someDiff, "", []string{"a diff of 2 files"}},
		{"a diff with its statistics", " main.go | 6 +++---\n gone.md | 1 -\n\n" + someDiff + "\n\nReview this", "", []string{"a diff of 2 files"}},
		{"a diff alone", someDiff, "", []string{"a diff of 2 files"}},
		{"a diff in Chinese", someDiff + "\n\n看看这个差异", "", []string{"2 个文件 的差异"}},
		{"a plain diff", "--- a.txt\t2026\n+++ b.txt\t2026\n@@ -1 +1 @@\n-x\n+y\n--- c.txt\n+++ c.txt\n@@ -1 +1,2 @@\n x\n+z", "", []string{"2 files, +2 -1", "- b.txt +1 -1\n- c.txt +1 -0"}},
		{"a diff and a request for a file", someDiff + "\n\nread notes.txt", `read{"path":"notes.txt"}`, nil},
		{"a log", "error in main.go\nat util.go\nat run.go\nat x.go\n\nWhat went wrong?", "", []string{"a text of 4 lines, which begins:", "error in main.go"}},
		{"a text to sum up", "# One\nsee a.txt\n# Two\nsee b.txt\n\nSum this up", "", []string{"# One\n# Two"}},
		{"a text behind the request", "What is this about?\n\nsee a.txt\nsee b.txt\nsee c.txt", "", []string{"a text of 3 lines"}},
		{"a text to write", "write out.txt: one\n\ntwo\n\nthree", `write{"path":"out.txt","content":"one\n\ntwo\n\nthree"}`, nil},
		{"several lines are still a request", "read a.txt\nand b.txt", `read{"path":"a.txt"} read{"path":"b.txt"}`, nil},
		{"an attached file to sum up", "<file name=\"/x/a.md\">\n# One\nbla\n# Two\n</file>\n\nSum this up", "", []string{"first lines of /x/a.md:", "# One\n# Two\n```"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := ask(t, standard(), user(tt.ask))
			if got := callsOf(m); got != tt.calls {
				t.Errorf("calls %s, want %s", got, tt.calls)
			}
			for _, w := range tt.want {
				if !strings.Contains(m.Text(""), w) {
					t.Errorf("%q is not in\n%s", w, m.Text(""))
				}
			}
		})
	}
}
