package tui_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// The sessions that scenes show: docs/spec/frontends.md L1 (a).

func quoted(s string) message.Value {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

func args(pairs ...string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the output\n", i+1)
	}
	return b.String()
}

// toolbox has a call of every tool, with what each came to.
func toolbox() []protocol.Event {
	var g grove
	g.say("u1", "", user("Try every tool once"))
	g.say("a1", "u1", answer("Here they are.", 0.01,
		toolCall("c1", "read", args("path", "cmd/main.go")),
		toolCall("c2", "bash", args("command", "go test ./...\ngit status --short")),
		toolCall("c3", "edit", args("path", "cmd/main.go")),
		toolCall("c4", "write", args("path", "README.md", "content", "# Words\n\nCounts words.\n"+lines(12))),
		toolCall("c5", "grep", args("pattern", "func \\w+", "path", "cmd")),
		toolCall("c6", "find", args("pattern", "*.go")),
		toolCall("c7", "ls", args("path", "cmd")),
		toolCall("c8", "mcp__docs__look", args("query", "bufio.Scanner 怎么用")),
		toolCall("c9", "bash", args("command", "false"))))
	g.say("r1", "a1", result("c1", "read", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"words\") // 数\n}\n", false))
	g.say("r2", "r1", result("c2", "bash", lines(30), false))
	edit := result("c3", "edit", "Edited cmd/main.go.", false)
	edit.Details = message.Value(`{"diff":` + string(quoted("  12  func main() {\n- 13  \tfmt.Println(\"words\")\n+ 13  \tn := count(os.Stdin)\n+ 14  \tfmt.Println(n, \"个字\")\n  15  }")) + `}`)
	g.say("r3", "r2", edit)
	g.say("r4", "r3", result("c4", "write", "Wrote README.md.", false))
	g.say("r5", "r4", result("c5", "grep", "cmd/main.go:5:func main() {\ncmd/count.go:9:func count(r io.Reader) int {", false))
	g.say("r6", "r5", result("c6", "find", "cmd/count.go\ncmd/main.go", false))
	g.say("r7", "r6", result("c7", "ls", "count.go\nmain.go\ntestdata/", false))
	g.say("r8", "r7", result("c8", "mcp__docs__look", "A Scanner reads tokens, by default lines.", false))
	g.say("r9", "r8", result("c9", "bash", "no such luck\n\nCommand exited with code 1", true))
	g.say("a2", "r9", answer("All of them work, but `false`, which does what it is for.", 0.004))
	return g.evs
}

// everything has an entry of every type, and texts of every kind.
func everything() []protocol.Event {
	var g grove
	g.add("i1", "", session.Info{Name: "All there is 一切"})
	g.add("m1", "i1", session.ModelChange{Provider: "stub", ModelID: "large"})
	g.add("t1", "m1", session.ThinkingChange{Level: "low"})
	g.say("u1", "t1", user("宽字符和 emoji 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽, combining e\u0301 a\u030a n\u0303, עברית and العربية, \ta tab, \x1b[31mno red\x1b[0m \u202eno turn\u202c \u200bnothing"))
	thinking := answer("## A heading\n\nSome *soft* and **strong** words, `code`, ~~gone~~ and [a link](https://example.org/a/long/way).\n\n1. one\n2. two\n   - inside\n\n> quoted, and long enough that it has to be broken at most of the widths that there are\n\n| name | 数 |\n|---|--:|\n| a | 1 |\n| 中文 | 22 |\n\n```go\nfunc main() { fmt.Println(\"你好\") } // says it\n```", 0.002)
	thinking.Content = append([]message.Block{{Type: message.ThinkingBlock, Text: "What is to be shown? All that there is."}}, thinking.Content...)
	g.say("a1", "u1", thinking)
	g.say("b1", "a1", message.Message{Role: message.Bash, Command: "make test", Output: lines(25), ExitCode: new(2)})
	g.say("b2", "b1", message.Message{Role: message.Bash, Command: "secret", Output: "not for the model", Cancelled: true, ExcludeFromContext: true})
	g.say("u2", "b2", message.Message{Role: message.User, Content: []message.Block{message.Image([]byte("not really one"), "image/png")}})
	cut := answer("It is a picture of", 0.001)
	cut.StopReason = message.Length
	g.say("a2", "u2", cut)
	g.say("u3", "a2", user("<skill name=\"pdf\" location=\"/x\">\nall of the skill\n</skill>\n\nread the report"))
	stopped := answer("I am rea", 0.001)
	stopped.StopReason = message.Aborted
	g.say("a3", "u3", stopped)
	g.add("x1", "a3", session.CustomMessage{CustomType: "hook", Display: true, Content: []message.Block{message.Text("The linter has *nothing* to say.")}})
	g.add("x2", "x1", session.Custom{CustomType: "bough.other", Data: message.Value(`{}`)})
	g.add("x3", "x2", session.Other{Type: "hologram", Fields: message.Value(`{}`)})
	g.add("bs", "x3", session.BranchSummary{From: "a1", Summary: "## Goal\nThe other way led **nowhere**."})
	g.say("u4", "bs", user("and this one is changed"))
	g.say("a4", "u4", answer("This is left out of what the model sees.", 0.001))
	g.add("e1", "a4", session.ContextEdit{Target: "u4", Content: quoted("other words")})
	g.add("e2", "e1", session.ContextEdit{Target: "a4", Omit: true})
	g.say("u5", "e2", user("go on"))
	failed := answer("", 0)
	failed.StopReason, failed.ErrorMessage = message.Failed, "529 the server is overloaded"
	g.say("a5", "u5", failed)
	g.add("l1", "a5", session.Label{Target: "u4", Text: "标签 here"})
	return g.evs
}

// summedUp is a conversation whose first half was summed up.
func summedUp() []protocol.Event {
	var g grove
	parent := ""
	for i := range 4 {
		u, a := fmt.Sprint("u", i), fmt.Sprint("a", i)
		g.say(u, parent, user(fmt.Sprintf("question %d", i+1)))
		g.say(a, u, answer(fmt.Sprintf("answer %d", i+1), 0.001))
		parent = a
	}
	g.add("c", parent, session.Compaction{Summary: "## Goal\nTo count words.\n\n- questions 1 and 2 are answered", FirstKept: "u2", TokensBefore: 182_000})
	g.say("u9", "c", user("And now?"))
	g.say("a9", "u9", answer("Now we go on.", 0.001))
	return g.evs
}

// running is an answer in its middle: thinking, words, and a tool at work.
func running() []protocol.Event {
	var g grove
	g.say("u1", "", user("Run the tests"))
	call := toolCall("c1", "bash", args("command", "go test ./..."))
	g.say("a1", "u1", answer("They run.", 0.001, call))
	return g.evs
}
