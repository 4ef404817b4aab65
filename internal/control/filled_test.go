package control

import (
	"errors"
	"testing"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Which answers are met with a compaction and one more try (docs/spec/session.md 7.3).
func TestAnswersThatFillTheWindow(t *testing.T) {
	info := provider.Info{ContextWindow: 100000, MaxTokens: 8000}
	answer := func(stop message.StopReason, in, cached, out int64) *agent.Turn {
		return &agent.Turn{Answer: message.Message{StopReason: stop, Usage: &message.Usage{Input: in, CacheRead: cached, Output: out}}}
	}
	failed := func(err error) *agent.Turn { return &agent.Turn{Err: err} }
	for _, tt := range []struct {
		name string
		turn *agent.Turn
		info provider.Info
		want bool
	}{
		{"refused as too long", failed(&provider.Error{Kind: provider.Overflow}), info, true},
		{"refused as too long where nobody knows the window", failed(&provider.Error{Kind: provider.Overflow}), provider.Info{}, true},
		{"refused for too many images", failed(&provider.Error{Kind: provider.Overflow, Fault: provider.ManyImages}), info, false},
		{"refused for something else", failed(&provider.Error{Kind: provider.Rejected}), info, false},
		{"failed for no provider's reason", failed(errors.New("odd")), info, false},
		{"a whole answer", answer(message.Stop, 99900, 0, 100), info, false},
		{"cut off at once, with the window full", answer(message.Length, 50000, 49000, 0), info, true},
		{"cut off at once, with room", answer(message.Length, 50000, 48999, 0), info, false},
		{"cut off early, with the window nearly full", answer(message.Length, 95000, 0, 4000), info, true},
		{"cut off early by a server's own limit", answer(message.Length, 2000, 0, 512), info, false},
		{"cut off by the limit of the model", answer(message.Length, 91000, 0, 8000), info, false},
		{"cut off where nobody knows the window", answer(message.Length, 95000, 0, 0), provider.Info{MaxTokens: 8000}, false},
		{"cut off without a word on usage", &agent.Turn{Answer: message.Message{StopReason: message.Length}}, info, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := filled(tt.turn, tt.info); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
