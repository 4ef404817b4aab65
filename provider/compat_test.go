package provider

import "testing"

func TestThinkingBudget(t *testing.T) {
	own := map[string]int64{"low": 500, "high": 50_000, "off": 7}
	for _, tt := range []struct {
		name    string
		budgets map[string]int64
		level   string
		limit   int64
		want    int64
	}{
		{"the usual", nil, "medium", 64_000, 8192},
		{"one's own", own, "low", 64_000, 500},
		{"the usual beside one's own", own, "medium", 64_000, 8192},
		{"the answer needs room", own, "high", 32_000, 30_976},
		{"no limit", own, "high", 0, 50_000},
		{"a limit too small to think", own, "low", 1000, 0},
		{"off is off", own, "off", 64_000, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Info{Budgets: tt.budgets}).ThinkingBudget(tt.level, tt.limit); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
