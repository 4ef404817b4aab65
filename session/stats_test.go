package session

import (
	"fmt"
	"testing"
)

func TestStats(t *testing.T) {
	answer := func(id, usage string) string {
		return line(id, "", `"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{}},{"type":"text","text":"x"}]`+usage+`}`)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  Stats
	}{
		{"messages of all roles count", []string{userLine("u", "", "q"), line("s", "u", `"type":"message","message":{"role":"system","content":""}`),
			line("r", "u", `"type":"message","message":{"role":"toolResult","content":[]}`)}, Stats{Messages: 3, User: 1, ToolResults: 1}},
		{"an entry without a message counts nothing", []string{line("x", "", `"type":"message","message":{}`)}, Stats{}},
		{"an answer brings its calls and its usage", []string{answer("a", `,"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":99,"cost":{"total":0.5}}`)},
			Stats{Messages: 1, Assistant: 1, ToolCalls: 1, Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.5}},
		{"what is missing or no number is 0", []string{answer("a", `,"usage":{"input":"1","output":2}`), answer("b", ``)},
			Stats{Messages: 2, Assistant: 2, ToolCalls: 2, Output: 2}},
		{"tools, summaries and usage entries are billed", []string{
			line("r", "", `"type":"message","message":{"role":"toolResult","content":[],"usage":{"input":1}}`),
			line("k", "", `"type":"compaction","summary":"s","usage":{"input":10}`),
			line("b", "", `"type":"branch_summary","summary":"s","usage":{"input":100}`),
			line("w", "", `"type":"usage","kind":"cache_warm","usage":{"input":1000,"cost":{"total":0.25}}`)},
			Stats{Messages: 1, ToolResults: 1, Input: 1111, Cost: 0.25}},
		{"a repeated id counts twice", []string{userLine("u", "", "q"), userLine("u", "", "q")}, Stats{Messages: 2, User: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tree(t, tt.lines...).Stats()
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("stats %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestShares(t *testing.T) {
	answer := func(id, model, more string) string {
		return line(id, "", `"type":"message","message":{"role":"assistant","content":[],"provider":"p","model":"`+model+`"`+more+`}`)
	}
	tr := tree(t,
		answer("a", "cheap", `,"usage":{"input":5,"cost":{"total":1}}`),
		answer("b", "dear", `,"usage":{"input":1,"cost":{"total":3}},"responseModel":"dear-2"`),
		answer("c", "cheap", `,"usage":{"input":5,"cost":{"total":1}}`),
		answer("d", "free", ``),
		line("e", "", `"type":"usage","provider":"q","model":"warm","usage":{"input":7}`),
		line("f", "", `"type":"compaction","summary":"s","usage":{"output":2,"cost":{"total":0.5}}`),
		userLine("g", "", "x"),
	)
	shares, err := tr.Shares()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range shares {
		got += fmt.Sprintf("%s %d %v %v; ", s.Model, s.Calls, s.Tokens(), s.Cost)
	}
	if want := "p/dear-2 1 1 3; p/cheap 2 10 2;  1 2 0.5; q/warm 1 7 0; "; got != want {
		t.Errorf("shares %q, want %q", got, want)
	}
}
