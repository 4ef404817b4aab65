package compaction

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func TestSerialise(t *testing.T) {
	user := func(blocks ...message.Block) message.Message {
		return message.Message{Role: message.User, Content: blocks}
	}
	answer := func(blocks ...message.Block) message.Message {
		return message.Message{Role: message.Assistant, Content: blocks}
	}
	result := func(s string) message.Message {
		return message.Message{Role: message.ToolResult, Content: []message.Block{message.Text(s)}}
	}
	image := message.Block{Type: message.ImageBlock, Data: "aaaa", MimeType: "image/png"}
	call := func(name, args string) message.Block { return message.ToolCall("c", name, message.Value(args)) }
	for _, tt := range []struct {
		name string
		msgs []message.Message
		want string
	}{
		{"nothing", nil, ""},
		{"a talk", []message.Message{user(message.Text("hi")), answer(message.Text("a"), message.Text("b"))}, "[User]: hi\n\n[Assistant]: a\nb"},
		{"images and thinking are left out", []message.Message{user(image), user(message.Text("see"), image), answer(message.Thinking("hm", "sig"))}, "[User]: see"},
		{"system messages are left out", []message.Message{{Role: message.System, Content: []message.Block{message.Text("be good")}}, user(message.Text("x"))}, "[User]: x"},
		{"calls", []message.Message{answer(message.Text("look"), call("read", `{ "path" : "a\u00e9.go" }`), call("bash", `{"command":"ls","timeout":5,"env":{"a":[1, 2]}}`), call("odd", `7`)), result("ok")},
			"[Assistant]: look\n\n[Assistant tool calls]: read(path=\"aé.go\"); bash(command=\"ls\", timeout=5, env={\"a\":[1,2]}); odd()\n\n[Tool result]: ok"},
		{"a result of just the size", []message.Message{result(strings.Repeat("x", 2000))}, "[Tool result]: " + strings.Repeat("x", 2000)},
		{"a long result", []message.Message{result(strings.Repeat("x", 2003))}, "[Tool result]: " + strings.Repeat("x", 2000) + "\n\n[... 3 more characters left out]"},
		{"a pair is not split", []message.Message{result(strings.Repeat("x", 1999) + "😀y")}, "[Tool result]: " + strings.Repeat("x", 1999) + "\n\n[... 3 more characters left out]"},
		{"half a pair counts one", []message.Message{result(strings.Repeat("\xed\xa0\xbd", 2001))}, "[Tool result]: " + strings.Repeat("\uFFFD", 2000) + "\n\n[... 1 more characters left out]"},
		{"summaries", []message.Message{{Role: message.BranchSummary, Summary: "tried"}}, "[User]: " + message.BranchSummaryIntro + "\n\n<summary>\ntried</summary>"},
		{"a command of the user", []message.Message{{Role: message.Bash, Command: "ls", Output: "a"}, {Role: message.Bash, Command: "secret", ExcludeFromContext: true}}, "[User]: Ran `ls`\n```\na\n```"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var items []session.Item
			for _, m := range tt.msgs {
				items = append(items, session.Item{Message: m})
			}
			if got := Serialise(items); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
