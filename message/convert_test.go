package message

import "testing"

// The examples of docs/spec/session.md 7.2, and what counts nothing.
func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          int64
	}{
		{"four units", `{"role":"user","content":"abcd"}`, 1},
		{"five units", `{"role":"user","content":"abcde"}`, 2},
		{"units, not bytes", `{"role":"user","content":"é😀\ud83d"}`, 1},
		{"an image", `{"role":"user","content":[{"type":"image"}]}`, 1200},
		{"an image in an answer", `{"role":"assistant","content":[{"type":"image"}]}`, 0},
		{"text, thinking and calls", `{"role":"assistant","content":[{"type":"text","text":"ab"},{"type":"thinking","thinking":"cd"},{"type":"toolCall","name":"read","arguments":{ "p": 1 }}]}`, 4},
		{"arguments that are no object", `{"role":"assistant","content":[{"type":"toolCall","name":"n","arguments":"abcdef"}]}`, 3},
		{"a text in the place of an answer", `{"role":"assistant","content":"abcdefgh"}`, 0},
		{"a text in the place of a result", `{"role":"toolResult","content":"abcdefgh"}`, 2},
		{"a command that is not in the context", `{"role":"bashExecution","command":"ab","output":"cdef","excludeFromContext":true}`, 2},
		{"a summary", `{"role":"branchSummary","summary":"abcdefgh"}`, 2},
		{"prompt, sections and tools", `{"role":"system","content":"ab","sections":{"x":"cd","y":null},"toolsAdded":[{"name":"t"}]}`, 5},
		{"blocks that are no objects", `{"role":"user","content":[null,"abcdefgh",{"type":"video","text":"abcd"}]}`, 0},
		{"a role of tomorrow", `{"role":"oracle","content":"abcdefgh"}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Estimate(messages(t, tt.message)[0]); got != tt.want {
				t.Errorf("estimate %d, want %d", got, tt.want)
			}
		})
	}
}

func TestForModel(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"an answer as it is", `{"role":"assistant","content":[],"x":1}`, `{"role":"assistant","content":[],"x":1}`},
		{"a command with output", `{"role":"bashExecution","command":"ls","output":"a","exitCode":2,"timestamp":5}`,
			"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Ran `ls`\\n```\\na\\n```\\n\\nCommand exited with code 2\"}],\"timestamp\":5}"},
		{"a command without output that was cancelled", `{"role":"bashExecution","command":"ls","output":"","exitCode":2,"cancelled":true,"truncated":true,"fullOutputPath":"/o","timestamp":5}`,
			"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Ran `ls`\\n(no output)\\n\\n(command cancelled)\\n\\n[Output truncated. Full output: /o]\"}],\"timestamp\":5}"},
		{"a command kept to oneself", `{"role":"bashExecution","command":"ls","output":"","excludeFromContext":true}`, ``},
		{"an extension's text as a block", `{"role":"custom","customType":"x","content":"c","timestamp":5}`, `{"role":"user","content":[{"type":"text","text":"c"}],"timestamp":5}`},
		{"an extension's silence", `{"role":"custom","customType":"x","content":null,"timestamp":5}`, `{"role":"user","content":null,"timestamp":5}`},
		{"a compaction", `{"role":"compactionSummary","summary":"s","timestamp":5}`,
			`{"role":"user","content":[{"type":"text","text":"` + CompactionIntro + `\n\n<summary>\ns\n</summary>"}],"timestamp":5}`},
		{"a branch summary, whose end has no line of its own", `{"role":"branchSummary","summary":"s","timestamp":5}`,
			`{"role":"user","content":[{"type":"text","text":"` + BranchSummaryIntro + `\n\n<summary>\ns</summary>"}],"timestamp":5}`},
		{"a role of tomorrow", `{"role":"oracle","content":"c"}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if m, ok := ForModel(messages(t, tt.message)[0]); ok {
				got = string(m.JSON())
			}
			if got != tt.want {
				t.Errorf("for a model\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
