package openai

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

var gpt = provider.Info{ID: "m", API: "openai-responses", Provider: "p", BaseURL: "http://p.example/v1", Input: []string{"text", "image"}, MaxTokens: 1000}

func with(i provider.Info, change func(*provider.Info)) provider.Info { change(&i); return i }

func bodyOf(info provider.Info, req provider.Request) []byte {
	m := New(provider.Endpoint{Info: info}).(*model)
	return m.body(req, m.reasoning(req))
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
	sys      = `{"role":"system","content":"Be brief.","toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object"}}],"timestamp":1}`
	hi       = `{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"timestamp":1}`
	thought  = `{"type":"thinking","thinking":"hm","thinkingSignature":"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}],\"encrypted_content\":\"x\",\"odd\":1.0}"}`
	said     = `{"type":"text","text":"I look.","textSignature":"{\"v\":1,\"id\":\"msg_1\",\"phase\":\"commentary\"}"}`
	asked    = `{"type":"toolCall","id":"c1|fc_1","name":"read","arguments":{"b":1,"a":12345678901234567890},"namespace":"files"}`
	own      = `],"api":"openai-responses","provider":"p","model":"m","stopReason":"toolUse","timestamp":1}`
	result   = `{"role":"toolResult","toolCallId":"c1|fc_1","toolName":"read","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"isError":false,"timestamp":1}`
	picture  = `{"role":"toolResult","toolCallId":"c1|fc_1","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false,"timestamp":1}`
	sentHi   = `{"role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AAAA"}]}`
	sentItem = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x","odd":1.0}`
)

func answer(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + own
}

func sentText(text, id, more string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `","annotations":[]}],"status":"completed","id":"` + id + `"` + more + `}`
}

func TestInput(t *testing.T) {
	foreign := strings.NewReplacer(`"model":"m"`, `"model":"n"`)
	const sentCall = `"call_id":"c1","name":"read","arguments":"{\"b\":1,\"a\":12345678901234567890}"}`
	for _, tt := range []struct {
		name string
		info provider.Info
		in   []string
		want string
	}{
		{"a tool turn", with(gpt, func(i *provider.Info) { i.Reasoning = true }), []string{sys, hi, answer(thought, said, asked), result},
			`{"role":"developer","content":"Be brief."},` + sentHi + `,` + sentItem + `,` + sentText("I look.", "msg_1", `,"phase":"commentary"`) + `,{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","namespace":"files","arguments":"{\"b\":1,\"a\":12345678901234567890}"},{"type":"function_call_output","call_id":"c1","output":"x\ny"}`},
		{"the same by another model of the provider", gpt, []string{foreign.Replace(answer(thought, said, asked)), picture},
			sentText("I look.", "msg_0_0", "") + `,{"type":"function_call",` + sentCall + `,{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AAAA"}]}`},
		{"reasoning that led to nothing goes", gpt, []string{answer(said, thought), answer(thought), hi}, sentText("I look.", "msg_1", `,"phase":"commentary"`) + `,` + sentHi},
		{"reasoning of other words goes, and the ids with it", gpt, []string{answer(`{"type":"thinking","thinking":"hm"}`, said, asked), result},
			sentText("I look.", "msg_0_1", `,"phase":"commentary"`) + `,{"type":"function_call","call_id":"c1","name":"read","namespace":"files","arguments":"{\"b\":1,\"a\":12345678901234567890}"},{"type":"function_call_output","call_id":"c1","output":"x\ny"}`},
		{"OpenAI does not take back what it keeps", with(gpt, func(i *provider.Info) { i.BaseURL = "https://api.openai.com/v1" }), []string{answer(strings.ReplaceAll(thought, `\"encrypted_content\":\"x\",`, ""), said)},
			sentText("I look.", "msg_0_1", `,"phase":"commentary"`)},
		{"old and long ids of messages", gpt, []string{answer(`{"type":"text","text":"a","textSignature":"msg_old"}`), answer(`{"type":"text","text":"b","textSignature":"msg_` + strings.Repeat("x", 70) + `"}`)},
			sentText("a", "msg_old", "") + `,` + sentText("b", "msg_"+provider.ShortHash("msg_"+strings.Repeat("x", 70)), "")},
		{"the same id twice", gpt, []string{answer(thought, said), answer(thought, said)},
			sentItem + `,` + sentText("I look.", "msg_1", `,"phase":"commentary"`) + `,` + sentText("I look.", "msg_1_1", `,"phase":"commentary"`)},
		{"an id of another API", gpt, []string{`{"role":"assistant","content":[{"type":"toolCall","id":"toolu_é","name":"read","arguments":{}}],"api":"anthropic-messages","provider":"a","model":"c","stopReason":"toolUse"}`},
			`{"type":"function_call","call_id":"toolu__","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"toolu__","output":"` + provider.NoResult + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := bodyOf(tt.info, provider.Request{Messages: msgs(t, tt.in...)})
			if got := string(rawjson.Get(body, "input")); got != "["+tt.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, tt.want)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	reasoning := with(gpt, func(i *provider.Info) { i.Reasoning = true })
	word := "xx"
	for _, tt := range []struct {
		name string
		info provider.Info
		req  provider.Request
		want string // without input
	}{
		{"a plain model", gpt, provider.Request{Thinking: "high"}, `{"model":"m","stream":true,"store":false,"max_output_tokens":1000,`},
		{"a session", gpt, provider.Request{SessionID: "s"}, `{"model":"m","stream":true,"store":false,"prompt_cache_key":"s","max_output_tokens":1000,`},
		{"no cache", gpt, provider.Request{SessionID: "s", NoCache: true, MaxTokens: 5}, `{"model":"m","stream":true,"store":false,"max_output_tokens":5,`},
		{"less known to the server", with(gpt, func(i *provider.Info) {
			i.Compat = map[string]any{"promptCacheKeyMode": "disabled", "supportsMaxOutputTokens": false}
		}), provider.Request{SessionID: "s"}, `{"model":"m","stream":true,"store":false,`},
		{"effort", reasoning, provider.Request{Thinking: "high"}, `{"model":"m","stream":true,"store":false,"max_output_tokens":1000,"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"],`},
		{"off", reasoning, provider.Request{}, `{"model":"m","stream":true,"store":false,"max_output_tokens":1000,"reasoning":{"effort":"none"},`},
		{"a model that cannot but think", with(reasoning, func(i *provider.Info) {
			i.ThinkingLevels = map[string]*string{"off": nil, "minimal": &word}
		}), provider.Request{}, `{"model":"m","stream":true,"store":false,"max_output_tokens":1000,"reasoning":{"effort":"xx","summary":"auto"},"include":["reasoning.encrypted_content"],`},
		{"tools", gpt, provider.Request{Messages: msgs(t, sys)}, `{"model":"m","stream":true,"store":false,"max_output_tokens":1000,"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object"}}],`},
		{"tools for OpenAI", with(gpt, func(i *provider.Info) { i.BaseURL = "https://api.openai.com/v1" }), provider.Request{Messages: msgs(t, sys)}, `{"model":"m","stream":true,"store":false,"max_output_tokens":1000,"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object"},"strict":false}],`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _, _ := strings.Cut(string(bodyOf(tt.info, tt.req)), `"input":[`)
			if body != tt.want {
				t.Errorf("got\n%s\nwant\n%s", body, tt.want)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	for format, want := range map[string][3]string{"openai": {"s", "s", ""}, "openai-nosession": {"", "s", ""}, "openrouter": {"", "", "s"}} {
		m := New(provider.Endpoint{Info: with(gpt, func(i *provider.Info) { i.Compat = map[string]any{"sessionAffinityFormat": format} })}).(*model)
		h := m.header(provider.Request{SessionID: "s"})
		if got := [3]string{h.Get("session-id"), h.Get("x-client-request-id"), h.Get("x-session-id")}; got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

// Whatever a session holds, the request is one that OpenAI takes.
func TestAnySessionMakesALegalRequest(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		info := gpt
		if seed%2 == 1 {
			info.Input = []string{"text"}
		}
		if seed%3 == 1 {
			info.Reasoning = true
			info.Compat = map[string]any{"supportsMidConvoSystemMessages": true}
		}
		if seed%5 == 1 {
			info.BaseURL = "https://api.openai.com/v1"
		}
		body := bodyOf(info, provider.Request{Messages: providertest.Conversation(r, info), Thinking: "medium"})
		if bad := providertest.CheckResponses(body); len(bad) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(bad, "\n"), body)
		}
	}
}

// What is sent of a conversation begins as it did before the conversation went on.
func TestPrefixStays(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		var kept []message.Message // system messages are folded, so none may come behind
		for i, m := range providertest.Conversation(r, gpt) {
			if m.Role != message.System || i == 0 {
				kept = append(kept, m)
			}
		}
		after := bodyOf(gpt, provider.Request{Messages: kept})
		for n := 1; n < len(kept); n++ {
			if kept[n-1].Role != message.User {
				continue
			}
			before := bodyOf(gpt, provider.Request{Messages: kept[:n]})
			if prefix := bytes.TrimSuffix(before, []byte("]}")); !bytes.HasPrefix(after, prefix) {
				t.Fatalf("seed %d, %d messages:\n%s\nis not the beginning of\n%s", seed, n, prefix, after)
			}
		}
	}
}
