package chat

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

var plain = provider.Info{ID: "m", API: "openai-completions", Provider: "p", BaseURL: "http://p.example/v1", Input: []string{"text", "image"}, MaxTokens: 1000}

func with(i provider.Info, change func(*provider.Info)) provider.Info { change(&i); return i }

func compat(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return m
}

func bodyOf(info provider.Info, req provider.Request) []byte {
	return New(provider.Endpoint{Info: info}).(*model).body(req)
}

func msgs(t *testing.T, raw ...string) []message.Message {
	t.Helper()
	var out []message.Message
	for _, r := range raw {
		m, err := message.Decode([]byte(r))
		if err != nil || !rawjson.Valid([]byte(r)) {
			t.Fatalf("%v: %s", err, r)
		}
		out = append(out, m)
	}
	return out
}

const (
	sys     = `{"role":"system","content":"Be brief.","sections":{"cwd":"<cwd>/tmp</cwd>"},"toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object"}}],"timestamp":1}`
	hi      = `{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}`
	looking = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning_content"},{"type":"text","text":"I look."},{"type":"toolCall","id":"c1","name":"read","arguments":{"b":1,"a":12345678901234567890}}],"api":"openai-completions","provider":"p","model":"m","stopReason":"toolUse","timestamp":1}`
	looked  = `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false,"timestamp":1}`
)

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		name string
		info provider.Info
		in   []string
		want string // the messages
	}{
		{"a tool turn", plain, []string{sys, hi, looking, looked},
			`{"role":"system","content":"Be brief.\n\n<cwd>/tmp</cwd>"},{"role":"user","content":"hi"},` +
				`{"role":"assistant","content":"I look.","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"b\":1,\"a\":12345678901234567890}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"x"},` +
				`{"role":"user","content":[{"type":"text","text":"Image from the result of read:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`},
		{"names and an answer in between", with(plain, func(i *provider.Info) {
			i.Compat = compat("requiresToolResultName", true, "requiresAssistantAfterToolResult", true, "requiresThinkingAsText", true)
			i.Input = nil
		}), []string{hi, looking, strings.Replace(looked, `{"type":"image","data":"AAAA","mimeType":"image/png"}`, `{"type":"text","text":"y"}`, 1), hi},
			`{"role":"user","content":"hi"},{"role":"assistant","content":"<thinking>\nhm\n</thinking>\nI look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"b\":1,\"a\":12345678901234567890}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","name":"read","content":"x\ny"},{"role":"assistant","content":"I have the results of the tools."},{"role":"user","content":"hi"}`},
		{"text and image from the user", plain, []string{`{"role":"user","content":[{"type":"text","text":"what?"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":""}]}`},
			`{"role":"user","content":[{"type":"text","text":"what?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`},
		{"an answer that was only foreign thinking goes", plain, []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"}],"api":"anthropic-messages","provider":"x","model":"y","stopReason":"stop"}`, hi},
			`{"role":"user","content":"hi"},{"role":"user","content":"hi"}`},
		{"an answer that was only thinking goes", plain, []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning"}],"api":"openai-completions","provider":"p","model":"m","stopReason":"length"}`, hi},
			`{"role":"user","content":"hi"},{"role":"user","content":"hi"}`},
		{"reasoning details come back as they are", plain, []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"[{\"type\":\"reasoning.encrypted\",\"data\":\"x\",\"index\":0}]"},{"type":"toolCall","id":"c1","name":"read","arguments":{},"thoughtSignature":"{\"type\":\"reasoning.encrypted\",\"id\":\"c1\"}"},{"type":"toolCall","id":"c2","name":"read","arguments":{},"thoughtSignature":"QUJD"}],"api":"openai-completions","provider":"p","model":"m","stopReason":"toolUse"}`},
			`{"role":"user","content":"hi"},{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":0},{"type":"reasoning.encrypted","id":"c1"}],"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"QUJD"}}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"` + provider.NoResult + `"},{"role":"tool","tool_call_id":"c2","content":"` + provider.NoResult + `"}`},
		{"DeepSeek wants reasoning_content always, and no null", with(plain, func(i *provider.Info) {
			i.Provider, i.Reasoning, i.Compat = "deepseek", true, compat("requiresNonNullAssistantContent", true)
		}), []string{hi, `{"role":"assistant","content":[{"type":"toolCall","id":"c1|fc_1","name":"read"}],"api":"openai-responses","provider":"x","model":"y","stopReason":"toolUse"}`, `{"role":"toolResult","toolCallId":"c1|fc_1","toolName":"read","content":[],"isError":false}`},
			`{"role":"user","content":"hi"},{"role":"assistant","content":"","reasoning_content":"","tool_calls":[{"id":"c1_fc_1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1_fc_1","content":"(no output)"}`},
		{"cache marks", with(plain, func(i *provider.Info) { i.Compat = compat("cacheControlFormat", "anthropic") }), []string{sys, hi, hi},
			`{"role":"system","content":[{"type":"text","text":"Be brief.\n\n<cwd>/tmp</cwd>","cache_control":{"type":"ephemeral"}}]},{"role":"user","content":"hi"},{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}`},
		{"later system messages are folded", with(plain, func(i *provider.Info) {
			i.Reasoning, i.Provider, i.Compat = true, "openai", compat("supportsStore", false)
		}), []string{sys, hi, `{"role":"system","content":"","sections":{"cwd":null,"skills":"S"}}`},
			`{"role":"developer","content":"Be brief.\n\nS"},{"role":"user","content":"hi"}`},
		{"or stay in their place", with(plain, func(i *provider.Info) { i.Compat = compat("supportsMidConvoSystemMessages", true) }), []string{sys, hi, `{"role":"system","content":"","sections":{"cwd":null,"skills":"S"}}`, `{"role":"system","content":"","toolsRemoved":[{"name":"read"}]}`},
			`{"role":"system","content":"Be brief.\n\n<cwd>/tmp</cwd>"},{"role":"user","content":"hi"},{"role":"system","content":"The section \"cwd\" of the instructions no longer holds.\n\nThe section \"skills\" of the instructions now reads:\n\nS"}`},
		{"half pairs go", plain, []string{`{"role":"user","content":"a \ud83d b \ud83d\ude00"}`, `{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"x":"\ud83d"}}],"api":"openai-completions","provider":"p","model":"m"}`},
			`{"role":"user","content":"a ` + "\uFFFD" + ` b 😀"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"x\":\"` + "\uFFFD" + `\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"` + provider.NoResult + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := bodyOf(tt.info, provider.Request{Messages: msgs(t, tt.in...)})
			if got := string(rawjson.Get(body, "messages")); got != "["+tt.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, tt.want)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	reasoning := with(plain, func(i *provider.Info) {
		i.Reasoning = true
		i.MaxTokens = 30000
		i.Compat = compat("supportsStore", false)
	})
	format := func(f string, more ...any) provider.Info {
		return with(reasoning, func(i *provider.Info) {
			i.Compat = compat(append([]any{"supportsStore", false, "thinkingFormat", f}, more...)...)
		})
	}
	word := "xx"
	none := "none"
	mapped := func(i provider.Info) provider.Info {
		i.ThinkingLevels = map[string]*string{"xhigh": &word, "off": &none, "minimal": nil}
		return i
	}
	const head = `{"model":"m","stream":true,"stream_options":{"include_usage":true},`
	for _, tt := range []struct {
		name string
		info provider.Info
		req  provider.Request
		want string // without head and messages
	}{
		{"a plain model", plain, provider.Request{Thinking: "high"}, `"store":false,"max_completion_tokens":1000,`},
		{"a lower limit", plain, provider.Request{MaxTokens: 50}, `"store":false,"max_completion_tokens":50,`},
		{"no higher limit", plain, provider.Request{MaxTokens: 5000}, `"store":false,"max_completion_tokens":1000,`},
		{"a model that is not known", with(plain, func(i *provider.Info) { i.MaxTokens = 0 }), provider.Request{}, `"store":false,`},
		{"effort", reasoning, provider.Request{Thinking: "high"}, `"max_completion_tokens":30000,"reasoning_effort":"high",`},
		{"no effort", reasoning, provider.Request{}, `"max_completion_tokens":30000,`},
		{"the word of the provider", mapped(reasoning), provider.Request{Thinking: "xhigh"}, `"max_completion_tokens":30000,"reasoning_effort":"xx",`},
		{"off has a word", mapped(reasoning), provider.Request{}, `"max_completion_tokens":30000,"reasoning_effort":"none",`},
		{"a level that the model lacks", mapped(reasoning), provider.Request{Thinking: "minimal"}, `"max_completion_tokens":30000,"reasoning_effort":"low",`},
		{"OpenRouter", format("openrouter"), provider.Request{Thinking: "low"}, `"max_completion_tokens":30000,"reasoning":{"effort":"low"},`},
		{"OpenRouter, off", format("openrouter"), provider.Request{}, `"max_completion_tokens":30000,"reasoning":{"effort":"none"},`},
		{"DeepSeek", format("deepseek"), provider.Request{Thinking: "low"}, `"max_completion_tokens":30000,"thinking":{"type":"enabled"},"reasoning_effort":"low",`},
		{"Together", format("together"), provider.Request{Thinking: "low"}, `"max_completion_tokens":30000,"reasoning":{"enabled":true},"reasoning_effort":"low",`},
		{"Z.ai", format("zai", "supportsReasoningEffort", false), provider.Request{Thinking: "low"}, `"max_completion_tokens":30000,"thinking":{"type":"enabled","clear_thinking":false},`},
		{"Z.ai, off", format("zai"), provider.Request{}, `"max_completion_tokens":30000,"thinking":{"type":"disabled"},`},
		{"Qwen", format("qwen", "supportsReasoningEffort", false), provider.Request{Thinking: "low"}, `"max_completion_tokens":30000,"enable_thinking":true,`},
		{"Qwen's template", format("qwen-chat-template"), provider.Request{}, `"max_completion_tokens":30000,"chat_template_kwargs":{"enable_thinking":false,"preserve_thinking":true},`},
		{"a template", format("chat-template", "chatTemplateKwargs", map[string]any{"z": 1.0, "on": map[string]any{"$var": "thinking.enabled"}, "e": map[string]any{"$var": "thinking.effort"}, "b": map[string]any{"$var": "thinking.budget"}}), provider.Request{Thinking: "low"},
			`"max_completion_tokens":30000,"chat_template_kwargs":{"b":2048,"e":"low","on":true,"z":1},`},
		{"Baseten", format("baseten", "chatTemplateArgs", map[string]any{"enable_thinking": map[string]any{"$var": "thinking.enabled"}}), provider.Request{}, `"max_completion_tokens":30000,"chat_template_args":{"enable_thinking":false},`},
		{"a word alone", format("string-thinking"), provider.Request{}, `"max_completion_tokens":30000,"thinking":"none",`},
		{"Ant Ling", mapped(format("ant-ling")), provider.Request{Thinking: "xhigh"}, `"max_completion_tokens":30000,"reasoning":{"effort":"xx"},`},
		{"a budget", with(reasoning, func(i *provider.Info) {
			i.Compat = compat("supportsStore", false, "thinkingTokenBudgetField", "thinking_budget")
		}), provider.Request{Thinking: "medium", MaxTokens: 5000}, `"max_completion_tokens":5000,"reasoning_effort":"medium","thinking_budget":3976,`},
		{"the cache key", with(plain, func(i *provider.Info) { i.BaseURL = "https://api.openai.com/v1" }), provider.Request{SessionID: "s-1"}, `"store":false,"max_completion_tokens":1000,"prompt_cache_key":"s-1",`},
		{"routing", with(plain, func(i *provider.Info) {
			i.Compat = compat("openRouterRouting", map[string]any{"order": []any{"b", "a"}, "allow": true}, "vercelGatewayRouting", map[string]any{"only": []any{"x"}}, "vllmPriority", -1.0, "maxTokensField", "max_tokens")
		}), provider.Request{}, `"store":false,"max_tokens":1000,"provider":{"allow":true,"order":["b","a"]},"providerOptions":{"gateway":{"only":["x"]}},"priority":-1,`},
		{"a tool", with(plain, func(i *provider.Info) { i.Compat = compat("zaiToolStream", true, "cacheControlFormat", "anthropic") }), provider.Request{Messages: msgs(t, sys)},
			`"store":false,"max_completion_tokens":1000,"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}},"cache_control":{"type":"ephemeral"}}],"tool_stream":true,`},
		{"no tools any more", with(plain, func(i *provider.Info) { i.Compat = compat("requiresToolsWithToolHistory", true) }), provider.Request{Messages: msgs(t, hi, looking, looked)}, `"store":false,"max_completion_tokens":1000,"tools":[],`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _, _ := strings.Cut(string(bodyOf(tt.info, tt.req)), `"messages":[`)
			if body != head+tt.want {
				t.Errorf("got\n%s\nwant\n%s", body, head+tt.want)
			}
		})
	}
}

func TestSettingsByAddress(t *testing.T) {
	for _, tt := range []struct {
		base, provider string
		want           func(settings) bool
	}{
		{"https://api.openai.com/v1", "openai", func(s settings) bool {
			return s.developer && s.store && s.cacheKey && s.maxTokens == "max_completion_tokens"
		}},
		{"https://openrouter.ai/api/v1", "openrouter", func(s settings) bool {
			return s.thinking == "openrouter" && s.affinity && s.affinityFormat == "openrouter" && !s.developer
		}},
		{"https://api.deepseek.com", "mine", func(s settings) bool { return s.thinking == "deepseek" && s.maxTokens == "max_tokens" && !s.store }},
		{"https://api.x.ai/v1", "xai", func(s settings) bool { return !s.effort && !s.store }},
		{"https://api.z.ai/api/paas/v4", "zai", func(s settings) bool { return s.thinking == "zai" && !s.effort }},
		{"http://localhost:11434/v1", "ollama", func(s settings) bool { return s.store && s.effort && s.usage && s.thinking == "" && !s.cacheKey }},
	} {
		if s := settingsOf(provider.Info{BaseURL: tt.base, Provider: tt.provider}); !tt.want(s) {
			t.Errorf("%s: %+v", tt.base, s)
		}
	}
}

// Whatever a session holds, the request is one that OpenAI takes.
func TestAnySessionMakesALegalRequest(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		info := plain
		if seed%2 == 1 {
			info.Input = []string{"text"}
		}
		if seed%3 == 1 {
			info.Reasoning = true
			info.Compat = compat("supportsMidConvoSystemMessages", true, "requiresAssistantAfterToolResult", true, "cacheControlFormat", "anthropic")
		}
		body := bodyOf(info, provider.Request{Messages: providertest.Conversation(r, info), Thinking: "medium"})
		if bad := providertest.CheckChat(body); len(bad) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(bad, "\n"), body)
		}
	}
}

// What is sent of a conversation begins as it did before the conversation went on.
func TestPrefixStays(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := providertest.Conversation(r, plain)
		var users []int
		for i, m := range all {
			if m.Role == message.User && len(sent(m)) > 0 {
				users = append(users, i)
			}
		}
		if len(users) < 2 {
			continue
		}
		// System messages are folded, so none may come behind.
		var kept []message.Message
		for i, m := range all {
			if m.Role != message.System || i == 0 {
				kept = append(kept, m)
			}
		}
		for n := 1; n < len(kept); n++ {
			if kept[n-1].Role != message.User {
				continue
			}
			before := bodyOf(plain, provider.Request{Messages: kept[:n]})
			after := bodyOf(plain, provider.Request{Messages: kept})
			if prefix := bytes.TrimSuffix(before, []byte("]}")); !bytes.HasPrefix(after, prefix) {
				t.Fatalf("seed %d, %d messages:\n%s\nis not the beginning of\n%s", seed, n, prefix, after)
			}
		}
	}
}
