package chat

import (
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// count reads what a server says that the answer takes so far.
func (d *decoder) count(v []byte) *message.Usage {
	num := func(obj []byte, key string) int64 {
		n, ok := rawjson.Number(rawjson.Get(obj, key))
		if !ok || n < 0 || n > 1<<53 {
			return 0
		}
		return int64(n)
	}
	prompt, completion := num(v, "prompt_tokens"), num(v, "completion_tokens")
	in := rawjson.Get(v, "prompt_tokens_details")
	reasoning := num(rawjson.Get(v, "completion_tokens_details"), "reasoning_tokens")
	u := &message.Usage{
		Output:     completion,
		CacheRead:  max(num(in, "cached_tokens"), num(v, "prompt_cache_hit_tokens"), num(v, "cached_tokens")),
		CacheWrite: num(in, "cache_write_tokens"),
		Reasoning:  &reasoning,
	}
	u.Input = max(0, prompt-u.CacheRead-u.CacheWrite)
	if total := num(v, "total_tokens"); reasoning > 0 && total == prompt+completion+reasoning {
		u.Output += reasoning // xAI counts it beside the rest
	}
	var billed *float64
	if cost, ok := rawjson.Number(rawjson.Get(v, "cost")); ok { // OpenRouter
		if own, ok := rawjson.Number(rawjson.Get(rawjson.Get(v, "cost_details"), "upstream_inference_cost")); ok && rawjson.Bool(rawjson.Get(v, "is_byok")) {
			cost += own
		}
		billed = &cost
	}
	d.info.Account(u, billed)
	d.usage = u
	return u
}
