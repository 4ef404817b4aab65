package bedrock

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

var claude = provider.Info{ID: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", API: "bedrock-converse-stream", Provider: "amazon-bedrock", BaseURL: "http://p.example",
	Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192}

func with(i provider.Info, change func(*provider.Info)) provider.Info { change(&i); return i }

func modelOf(info provider.Info) *model { return New(provider.Endpoint{Info: info}).(*model) }

func msgs(t *testing.T, raw ...string) []message.Message {
	t.Helper()
	var out []message.Message
	for _, r := range raw {
		r = strings.ReplaceAll(r, `"own"`, `"bedrock-converse-stream","provider":"amazon-bedrock","model":"us.anthropic.claude-sonnet-4-5-20250929-v1:0"`)
		m, err := message.Decode([]byte(r))
		if err != nil || !rawjson.Valid([]byte(r)) {
			t.Fatalf("%v: %s", err, r)
		}
		out = append(out, m)
	}
	return out
}

const (
	sys     = `{"role":"system","content":"Be brief.","toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object"}},{"name":"ls","parameters":{"type":"object"}}],"timestamp":1}`
	hi      = `{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}`
	looking = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"thinking","thinking":"","thinkingSignature":"ZW5j","redacted":true},{"type":"thinking","thinking":"unsigned"},{"type":"text","text":"I look."},{"type":"toolCall","id":"t1","name":"read","arguments":{"b":1,"a":12345678901234567890}},{"type":"toolCall","id":"t2","name":"ls","arguments":{}}],"api":"own","stopReason":"toolUse","timestamp":1}`
	looked  = `{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false,"timestamp":1}`
	failed  = `{"role":"toolResult","toolCallId":"t2","toolName":"ls","content":[{"type":"image","data":"BBBB","mimeType":"image/jpg"}],"isError":true,"timestamp":1}`
)

func TestMessages(t *testing.T) {
	kimi := func(raw string) string {
		return strings.ReplaceAll(raw, `"own"`, `"bedrock-converse-stream","provider":"amazon-bedrock","model":"moonshotai.kimi-k3"`)
	}
	other := with(claude, func(i *provider.Info) { i.ID = "moonshotai.kimi-k3" })
	for _, tt := range []struct {
		name string
		info provider.Info
		in   []string
		want string // the messages
	}{
		{"a tool turn of Claude's: images of what failed come behind the results", claude, []string{sys, hi, looking, failed, looked, hi},
			`{"role":"user","content":[{"text":"hi"}]},` +
				`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"c2ln"}}},{"reasoningContent":{"redactedContent":"ZW5j"}},{"text":"unsigned"},{"text":"I look."},{"toolUse":{"toolUseId":"t1","name":"read","input":{"b":1,"a":12345678901234567890}}},{"toolUse":{"toolUseId":"t2","name":"ls","input":{}}}]},` +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"t2","content":[{"text":"(no output)"}],"status":"error"}},{"toolResult":{"toolUseId":"t1","content":[{"text":"x"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}],"status":"success"}},` +
				`{"text":"Image from the failed call of ls (t2):"},{"image":{"format":"jpeg","source":{"bytes":"BBBB"}}},{"text":"hi"}]}`},
		{"of another maker: no signatures, and images where they are", other, []string{hi, kimi(looking), failed, looked},
			`{"role":"user","content":[{"text":"hi"}]},` +
				`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"reasoningContent":{"redactedContent":"ZW5j"}},{"reasoningContent":{"reasoningText":{"text":"unsigned"}}},{"text":"I look."},{"toolUse":{"toolUseId":"t1","name":"read","input":{"b":1,"a":12345678901234567890}}},{"toolUse":{"toolUseId":"t2","name":"ls","input":{}}}]},` +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"t2","content":[{"image":{"format":"jpeg","source":{"bytes":"BBBB"}}}],"status":"error"}},{"toolResult":{"toolUseId":"t1","content":[{"text":"x"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}],"status":"success"}}]}`},
		{"the user's words follow each other", claude, []string{hi, hi}, `{"role":"user","content":[{"text":"hi"},{"text":"hi"}]}`},
		{"the user must begin", claude, []string{`{"role":"assistant","content":[{"type":"text","text":"a"}]}`},
			`{"role":"user","content":[{"text":"(The beginning of this conversation is not shown.)"}]},{"role":"assistant","content":[{"text":"a"}]}`},
		{"nothing to say", claude, []string{`{"role":"user","content":" "}`}, `{"role":"user","content":[{"text":"(The beginning of this conversation is not shown.)"}]}`},
		{"secrets that are no base64, and empty ones, stay away", claude, []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"","thinkingSignature":"no!","redacted":true},{"type":"text","text":"a"}],"api":"own","stopReason":"stop"}`},
			`{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"text":"a"}]}`},
		{"ids and long names of others are rewritten", claude, []string{hi, `{"role":"assistant","content":[{"type":"toolCall","id":"c|fc_1","name":"` + strings.Repeat("long name!", 10) + `"}],"api":"openai-responses","provider":"x","model":"y","stopReason":"toolUse"}`, `{"role":"toolResult","toolCallId":"c|fc_1","toolName":"x","content":"","isError":false}`},
			`{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c_fc_1","name":"` + strings.Repeat("long_name_", 10)[:64] + `","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c_fc_1","content":[{"text":"(no output)"}],"status":"success"}}]}`},
		{"unfit images", claude, []string{`{"role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/bmp"},{"type":"image","data":"AA==","mimeType":"png"},{"type":"image","data":""}]}`},
			`{"role":"user","content":[{"text":"[an image was left out: its type cannot be sent: image/bmp]"},{"text":"[an image was left out: its type cannot be sent: png]"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := modelOf(tt.info).body(provider.Request{Messages: msgs(t, tt.in...), NoCache: true})
			if got := string(rawjson.Get(body, "messages")); got != "["+tt.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, tt.want)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	named := func(id string) provider.Info {
		return with(claude, func(i *provider.Info) { i.ID = id })
	}
	max := "max"
	opus := with(named("anthropic.claude-opus-4-6-v1"), func(i *provider.Info) { i.ThinkingLevels = map[string]*string{"max": &max} })
	for _, tt := range []struct {
		name     string
		info     provider.Info
		thinking string
		want     string // without messages
	}{
		{"off", claude, "off", `{"inferenceConfig":{"maxTokens":8192}`},
		{"a budget", claude, "minimal", `{"inferenceConfig":{"maxTokens":8192},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1024,"display":"summarized"},"anthropic_beta":["interleaved-thinking-2025-05-14"]}`},
		{"no room for one", with(claude, func(i *provider.Info) { i.MaxTokens = 2000 }), "high", `{"inferenceConfig":{"maxTokens":2000}`},
		{"a model that chooses the amount", opus, "xhigh", `{"inferenceConfig":{"maxTokens":8192},"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"}}`},
		{"one that ties thinking to what came before", named("global.anthropic.claude-opus-5-5"), "minimal", `{"inferenceConfig":{"maxTokens":8192},"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"output_config":{"effort":"low"},"anthropic_beta":["thinking-binding-controls-2026-08-01"]}`},
		{"an open model of OpenAI's", named("us-gov.openai.gpt-oss-20b-1:0"), "minimal", `{"inferenceConfig":{"maxTokens":8192},"additionalModelRequestFields":{"reasoning_effort":"low"}`},
		{"one that is not", named("us.openai.gpt-6-sol"), "high", `{"inferenceConfig":{"maxTokens":8192},"additionalModelRequestFields":{"reasoning":{"effort":"high"}}`},
		{"others think as they like", named("zai.glm-5"), "high", `{"inferenceConfig":{"maxTokens":8192}`},
		{"a limit as large as the window", with(named("zai.glm-5"), func(i *provider.Info) { i.ContextWindow, i.MaxTokens = 10000, 10000 }), "", `{"inferenceConfig":{"maxTokens":5000}`},
		{"no limit known", with(named("zai.glm-5"), func(i *provider.Info) { i.MaxTokens = 0 }), "", `{"inferenceConfig":{"maxTokens":8192}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _, _ := strings.Cut(string(modelOf(tt.info).body(provider.Request{Messages: msgs(t, hi), Thinking: tt.thinking})), `,"messages":[`)
			if body != tt.want {
				t.Errorf("got\n%s\nwant\n%s", body, tt.want)
			}
		})
	}
}

func TestCacheAndTools(t *testing.T) {
	const point = `{"cachePoint":{"type":"default"}}`
	talk := msgs(t, sys, hi, looking, looked, failed, hi)
	body := string(modelOf(claude).body(provider.Request{Messages: talk}))
	if strings.Count(body, point) != 4 || !strings.Contains(body, `"toolConfig":{"tools":[{"toolSpec":{"name":"read","description":"Reads.","inputSchema":{"json":{"type":"object"}}}},{"toolSpec":{"name":"ls","inputSchema":{"json":{"type":"object"}}}},`+point+`]},"system":[{"text":"Be brief."},`+point+`],`) ||
		!strings.Contains(body, `"messages":[{"role":"user","content":[{"text":"hi"},`+point+`]}`) || !strings.HasSuffix(body, `{"text":"hi"},`+point+`]}]}`) {
		t.Errorf("%s", body)
	}
	if bad := providertest.CheckBedrock([]byte(body)); len(bad) > 0 {
		t.Error(bad)
	}
	for id, want := range map[string]int{"amazon.nova-pro-v1:0": 3, "zai.glm-5": 0, "us.anthropic.claude-opus-5": 4} {
		m := modelOf(with(claude, func(i *provider.Info) { i.ID = id }))
		if n := strings.Count(string(m.body(provider.Request{Messages: talk})), point); n != want {
			t.Errorf("%s: %d cache points, want %d", id, n, want)
		}
	}
	if body := string(modelOf(claude).body(provider.Request{Messages: talk, NoCache: true})); strings.Contains(body, "cachePoint") {
		t.Errorf("not asked for: %s", body)
	}
	// A conversation with calls in it declares what was called.
	body = string(modelOf(claude).body(provider.Request{Messages: talk[1:]}))
	if bad := providertest.CheckBedrock([]byte(body)); len(bad) > 0 || !strings.Contains(body, `"name":"ls"`) {
		t.Errorf("%s\n%s", bad, body)
	}
	if body := string(modelOf(claude).body(provider.Request{Messages: talk[1:2]})); strings.Contains(body, "toolConfig") {
		t.Errorf("no tools: %s", body)
	}
}

func TestClaudeVersion(t *testing.T) {
	for name, want := range map[string]int{
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": 405, "anthropic.claude-opus-4-6-v1": 406, "eu.anthropic.claude-sonnet-5": 500, "global.anthropic.claude-fable-5-1": 501,
		"anthropic.claude-3-7-sonnet-20250219-v1:0": 307, "anthropic.claude-sonnet-4-20250514-v1:0": 400, "Claude Opus 4.7": 407, "anthropic.claude-v2:1": 0,
		"arn:aws:bedrock:us-east-1:1:application-inference-profile/abc": 0, "": 0,
	} {
		if got := claudeVersion(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	profile := with(claude, func(i *provider.Info) {
		i.ID, i.Name = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "Claude Opus 4.7 of the team"
	})
	if f := familyOf(profile); !f.claude || !f.adaptive || !f.binding || !f.cache {
		t.Errorf("by its name: %+v", f)
	}
}

// Whatever a session holds, the request is one that Bedrock takes.
func TestAnySessionMakesALegalRequest(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		info := claude
		if seed%2 == 1 {
			info.Input = []string{"text"}
		}
		body := modelOf(info).body(provider.Request{Messages: providertest.Conversation(r, info), Thinking: "medium"})
		if bad := providertest.CheckBedrock(body); len(bad) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(bad, "\n"), body)
		}
	}
}

// What is sent of a conversation begins as it did before the conversation went on.
func TestPrefixStays(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		var kept []message.Message // system messages are folded, so none may come behind
		for i, m := range providertest.Conversation(r, claude) {
			if m.Role != message.System || i == 0 {
				kept = append(kept, m)
			}
		}
		after := modelOf(claude).body(provider.Request{Messages: kept, NoCache: true})
		for n := 1; n < len(kept); n++ {
			if m := kept[n-1]; m.Role != message.User || blank(m.Text("")) {
				continue
			}
			before := modelOf(claude).body(provider.Request{Messages: kept[:n], NoCache: true})
			if prefix := bytes.TrimSuffix(before, []byte("]}]}")); !bytes.HasPrefix(after, prefix) {
				t.Fatalf("seed %d, %d messages:\n%s\nis not the beginning of\n%s", seed, n, prefix, after)
			}
		}
	}
}
