package providertest_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/anthropic"
	"github.com/boughdev/bough/provider/chat"
	"github.com/boughdev/bough/provider/openai"
)

// Caches that live longer are asked for where the server has them.
func TestLongCaches(t *testing.T) {
	for _, tt := range []struct {
		name   string
		make   func(provider.Endpoint) provider.Model
		info   provider.Info
		short  bool
		no     bool // caches at all
		want   string
		absent string
	}{
		{name: "Anthropic", make: anthropic.New, info: provider.Info{ID: "claude"}, want: `"cache_control":{"type":"ephemeral","ttl":"1h"}`, absent: `{"type":"ephemeral"}`},
		{name: "Anthropic, as usual", make: anthropic.New, info: provider.Info{ID: "claude"}, short: true, want: `"cache_control":{"type":"ephemeral"}`, absent: "ttl"},
		{name: "a server like Anthropic", make: anthropic.New, info: provider.Info{ID: "k2", Compat: map[string]any{"supportsLongCacheRetention": false}}, want: `"cache_control":{"type":"ephemeral"}`, absent: "ttl"},
		{name: "GPT-5.5", make: openai.New, info: provider.Info{ID: "gpt-5.5"}, want: `"prompt_cache_retention":"24h"`, absent: "prompt_cache_options"},
		{name: "GPT-5.6", make: openai.New, info: provider.Info{ID: "gpt-5.6-codex"}, want: `"prompt_cache_options":{"ttl":"30m"}`, absent: "prompt_cache_retention"},
		{name: "GPT-6", make: openai.New, info: provider.Info{ID: "openai/gpt-6"}, want: `"prompt_cache_options":{"ttl":"30m"}`, absent: "prompt_cache_retention"},
		{name: "GPT-5, as usual", make: openai.New, info: provider.Info{ID: "gpt-5"}, short: true, want: `"prompt_cache_key":"s"`, absent: "24h"},
		{name: "GPT-5 without caches", make: openai.New, info: provider.Info{ID: "gpt-5"}, no: true, want: `"model":"gpt-5"`, absent: "cache"},
		{name: "OpenAI Chat", make: chat.New, info: provider.Info{ID: "gpt-4o", BaseURL: "https://api.openai.com/v1"}, want: `"prompt_cache_retention":"24h"`, absent: "cache_control"},
		{name: "a local server", make: chat.New, info: provider.Info{ID: "qwen", BaseURL: "http://localhost:1/v1"}, want: `"model":"qwen"`, absent: "cache"},
		{name: "OpenRouter", make: chat.New, info: provider.Info{ID: "anthropic/claude", Provider: "openrouter"}, want: `"cache_control":{"type":"ephemeral","ttl":"1h"}`, absent: "24h"},
	} {
		var caught catcher
		m := tt.make(provider.Endpoint{Info: tt.info, Client: &http.Client{Transport: &caught}, LongCache: !tt.short})
		for range m.Stream(t.Context(), provider.Request{Messages: []message.Message{say(t, `{"role":"system","content":"be brief","timestamp":1}`), say(t, `{"role":"user","content":"hi","timestamp":1}`)}, SessionID: "s", NoCache: tt.no}) {
		}
		if !bytes.Contains(caught.body, []byte(tt.want)) || bytes.Contains(caught.body, []byte(tt.absent)) {
			t.Errorf("%s: %s\nwant %s and not %s", tt.name, caught.body, tt.want, tt.absent)
		}
	}
}
