package session

import "testing"

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
