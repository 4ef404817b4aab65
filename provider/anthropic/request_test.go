package anthropic

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

var claude = provider.Info{ID: "m", API: "anthropic-messages", Provider: "p", BaseURL: "http://p.example", Input: []string{"text", "image"}, MaxTokens: 10000}

func with(i provider.Info, change func(*provider.Info)) provider.Info { change(&i); return i }

func bodyOf(info provider.Info, req provider.Request) []byte {
	m := New(provider.Endpoint{Info: info}).(*model)
	return m.body(req, m.thinking(req))
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
	sys     = `{"role":"system","content":"Be brief.","toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object"}},{"name":"ls","parameters":{"type":"object"}}],"timestamp":1}`
	hi      = `{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}`
	looking = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"thinking","thinking":"","thinkingSignature":"ZW5j","redacted":true},{"type":"text","text":"I look."},{"type":"toolCall","id":"t1","name":"read","arguments":{"b":1,"a":12345678901234567890}},{"type":"toolCall","id":"t2","name":"ls","arguments":{}}],"api":"anthropic-messages","provider":"p","model":"m","stopReason":"toolUse","timestamp":1}`
	looked  = `{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false,"timestamp":1}`
	failed  = `{"role":"toolResult","toolCallId":"t2","toolName":"ls","content":[{"type":"image","data":"BBBB","mimeType":"image/png"}],"isError":true,"timestamp":1}`
)

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		name string
		info provider.Info
		in   []string
		want string // the messages
	}{
		{"a tool turn: results come first, then the images of those that failed, then the user", claude, []string{sys, hi, looking, failed, looked, hi},
			`{"role":"user","content":[{"type":"text","text":"hi"}]},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"ZW5j"},{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"read","input":{"b":1,"a":12345678901234567890}},{"type":"tool_use","id":"t2","name":"ls","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"(no output)","is_error":true},{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},` +
				`{"type":"text","text":"Image from the failed call of ls (t2):"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"BBBB"}},{"type":"text","text":"hi"}]}`},
		{"thinking without a signature is text, and nothing if there is none", claude, []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"thinking","thinking":" "},{"type":"text","text":"a"}],"api":"anthropic-messages","provider":"p","model":"m","stopReason":"stop"}`},
			`{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"hm"},{"type":"text","text":"a"}]}`},
		{"some take an empty signature", with(claude, func(i *provider.Info) { i.Compat = map[string]any{"allowEmptySignature": true} }), []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}],"api":"anthropic-messages","provider":"p","model":"m","stopReason":"stop"}`},
			`{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""}]}`},
		{"an answer that was only foreign thinking joins the user's words", claude, []string{hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"{}"}],"api":"openai-responses","provider":"x","model":"y","stopReason":"stop"}`, hi},
			`{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"hi"}]}`},
		{"answers that follow each other are one", claude, []string{hi, `{"role":"assistant","content":[{"type":"text","text":"a"}]}`, `{"role":"assistant","content":[{"type":"text","text":"b"}]}`},
			`{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
		{"the user must begin", claude, []string{`{"role":"assistant","content":[{"type":"text","text":"a"}]}`},
			`{"role":"user","content":[{"type":"text","text":"(The beginning of this conversation is not shown.)"}]},{"role":"assistant","content":[{"type":"text","text":"a"}]}`},
		{"ids of others are rewritten", claude, []string{hi, `{"role":"assistant","content":[{"type":"toolCall","id":"c|fc_1","name":"no name!"}],"api":"openai-responses","provider":"x","model":"y","stopReason":"toolUse"}`, `{"role":"toolResult","toolCallId":"c|fc_1","toolName":"x","content":"","isError":false}`},
			`{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c_fc_1","name":"no_name_","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c_fc_1","content":"(no output)"}]}`},
		{"texts without words and unfit images", claude, []string{`{"role":"user","content":[{"type":"text","text":" \n"},{"type":"image","data":"AA==","mimeType":"image/bmp"},{"type":"image","data":""}]}`},
			`{"role":"user","content":[{"type":"text","text":"[an image was left out: its type cannot be sent: image/bmp]"}]}`},
		{"system messages in their place", with(claude, func(i *provider.Info) { i.Compat = map[string]any{"supportsMidConvoSystemMessages": true} }), []string{sys, hi, `{"role":"system","content":"Be verbose."}`, hi},
			`{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"system","content":[{"type":"text","text":"Be verbose."}]},{"role":"user","content":[{"type":"text","text":"hi"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := bodyOf(tt.info, provider.Request{Messages: msgs(t, tt.in...), NoCache: true})
			if got := string(rawjson.Get(body, "messages")); got != "["+tt.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, tt.want)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	reasoning := with(claude, func(i *provider.Info) { i.Reasoning = true })
	word := "max"
	adaptive := with(reasoning, func(i *provider.Info) {
		i.Compat = map[string]any{"forceAdaptiveThinking": true}
		i.ThinkingLevels = map[string]*string{"xhigh": &word, "off": nil}
	})
	for _, tt := range []struct {
		name string
		info provider.Info
		req  provider.Request
		want string // without messages
	}{
		{"a plain model", claude, provider.Request{Thinking: "high"}, `{"model":"m","max_tokens":10000,"stream":true,`},
		{"a model that is not known", with(claude, func(i *provider.Info) { i.MaxTokens = 0 }), provider.Request{}, `{"model":"m","max_tokens":8192,"stream":true,`},
		{"off", reasoning, provider.Request{}, `{"model":"m","max_tokens":10000,"stream":true,"thinking":{"type":"disabled"},`},
		{"a budget", reasoning, provider.Request{Thinking: "medium"}, `{"model":"m","max_tokens":10000,"stream":true,"thinking":{"type":"enabled","budget_tokens":8192,"display":"summarized"},`},
		{"a budget that leaves room", reasoning, provider.Request{Thinking: "high"}, `{"model":"m","max_tokens":10000,"stream":true,"thinking":{"type":"enabled","budget_tokens":8976,"display":"summarized"},`},
		{"no room", reasoning, provider.Request{Thinking: "high", MaxTokens: 2000}, `{"model":"m","max_tokens":2000,"stream":true,"thinking":{"type":"disabled"},`},
		{"as much as it likes", adaptive, provider.Request{Thinking: "minimal"}, `{"model":"m","max_tokens":10000,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"},`},
		{"the provider's word", adaptive, provider.Request{Thinking: "xhigh"}, `{"model":"m","max_tokens":10000,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"},`},
		{"a model that cannot but think", adaptive, provider.Request{}, `{"model":"m","max_tokens":10000,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"},`},
		{"tools and prompt", claude, provider.Request{Messages: msgs(t, sys)}, `{"model":"m","max_tokens":10000,"stream":true,"tools":[{"name":"read","description":"Reads.","eager_input_streaming":true,"input_schema":{"type":"object"}},{"name":"ls","eager_input_streaming":true,"input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],`},
		{"fewer extras", with(claude, func(i *provider.Info) {
			i.Compat = map[string]any{"supportsEagerToolInputStreaming": false, "supportsCacheControlOnTools": false}
		}), provider.Request{Messages: msgs(t, sys)}, `{"model":"m","max_tokens":10000,"stream":true,"tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object"}},{"name":"ls","input_schema":{"type":"object"}}],"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _, _ := strings.Cut(string(bodyOf(tt.info, tt.req)), `"messages":[`)
			if body != tt.want {
				t.Errorf("got\n%s\nwant\n%s", body, tt.want)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	info := with(claude, func(i *provider.Info) {
		i.Reasoning = true
		i.Compat = map[string]any{"supportsEagerToolInputStreaming": false, "sendSessionAffinityHeaders": true}
	})
	m := New(provider.Endpoint{Info: info}).(*model)
	req := provider.Request{Thinking: "high", SessionID: "s"}
	h := m.header(req, m.thinking(req))
	if h.Get("anthropic-version") != "2023-06-01" || h.Get("anthropic-beta") != "interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14" || h.Get("x-session-affinity") != "s" {
		t.Errorf("%v", h)
	}
	if h := New(provider.Endpoint{Info: claude}).(*model).header(req, thinking{}); h.Get("anthropic-beta") != "" || h.Get("x-session-affinity") != "" {
		t.Errorf("%v", h)
	}
}

// The last block of the user's last two messages is marked.
func TestCacheMarks(t *testing.T) {
	body := bodyOf(claude, provider.Request{Messages: msgs(t, sys, hi, looking, looked, failed, hi)})
	got := string(rawjson.Get(body, "messages"))
	const mark = `,"cache_control":{"type":"ephemeral"}}]}`
	if strings.Count(got, mark) != 2 || !strings.HasPrefix(got, `[{"role":"user","content":[{"type":"text","text":"hi"`+mark) || !strings.HasSuffix(got, `{"type":"text","text":"hi"`+mark+"]") {
		t.Errorf("%s", got)
	}
	if bad := providertest.CheckAnthropic(body); len(bad) > 0 {
		t.Error(bad)
	}
}

// Whatever a session holds, the request is one that Anthropic takes.
func TestAnySessionMakesALegalRequest(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		info := claude
		if seed%2 == 1 {
			info.Input = []string{"text"}
		}
		if seed%3 == 1 {
			info.Reasoning = true
			info.Compat = map[string]any{"supportsMidConvoSystemMessages": true}
		}
		body := bodyOf(info, provider.Request{Messages: providertest.Conversation(r, info), Thinking: "medium"})
		if bad := providertest.CheckAnthropic(body); len(bad) > 0 {
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
		after := bodyOf(claude, provider.Request{Messages: kept, NoCache: true})
		for n := 1; n < len(kept); n++ {
			if m := kept[n-1]; m.Role != message.User || blank(m.Text("")) {
				continue
			}
			before := bodyOf(claude, provider.Request{Messages: kept[:n], NoCache: true})
			if prefix := bytes.TrimSuffix(before, []byte("]}]}")); !bytes.HasPrefix(after, prefix) {
				t.Fatalf("seed %d, %d messages:\n%s\nis not the beginning of\n%s", seed, n, prefix, after)
			}
		}
	}
}
