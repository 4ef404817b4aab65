package provider

import (
	"testing"

	"github.com/boughdev/bough/message"
)

func TestWithSampling(t *testing.T) {
	i := Info{Reasoning: true, Sampling: map[string]any{"temperature": 1.0, "top_p": 0.95}, SamplingByLevel: map[string]map[string]any{"off": {"temperature": 0.7}, "high": {"top_k": 20.0, "max_tokens": 5.0}}}
	for _, tt := range []struct {
		name, level, body, want string
		info                    Info
	}{
		{"nothing is configured", "high", `{"model":"m"}`, `{"model":"m"}`, Info{}},
		{"the model's own", "low", `{"model":"m"}`, `{"model":"m","temperature":1,"top_p":0.95}`, i},
		{"the level's over them", "", `{"model":"m"}`, `{"model":"m","temperature":0.7,"top_p":0.95}`, i},
		{"what is there is replaced", "high", `{"max_tokens":9,"messages":[]}`, `{"max_tokens":5,"messages":[],"temperature":1,"top_k":20,"top_p":0.95}`, i},
		{"a level that the model lacks counts as the nearest", "max", `{"a":1}`, `{"a":1,"max_tokens":5,"temperature":1,"top_k":20,"top_p":0.95}`, i},
	} {
		if got := string(WithSampling([]byte(tt.body), tt.info, tt.level)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestTiers(t *testing.T) {
	p := Price{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1, Tiers: []PriceTier{{Above: 500, Input: 3, Output: 3}, {Above: 100, Input: 2, Output: 2, CacheRead: 2, CacheWrite: 2}}}
	for _, tt := range []struct {
		usage message.Usage
		want  float64 // dollars a million tokens of input
	}{
		{message.Usage{Input: 100}, 1},
		{message.Usage{Input: 101}, 2},
		{message.Usage{Input: 1, CacheRead: 60, CacheWrite: 60}, 2},
		{message.Usage{Input: 501}, 3},
	} {
		u := tt.usage
		p.Charge(&u)
		if got := u.Cost.Input * 1e6 / float64(u.Input); got < tt.want-1e-9 || got > tt.want+1e-9 {
			t.Errorf("%+v: %g a million, want %g", tt.usage, got, tt.want)
		}
	}
}
