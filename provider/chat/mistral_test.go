package chat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

var magistral = provider.Info{ID: "magistral", API: "mistral-conversations", Provider: "mistral", BaseURL: "https://api.mistral.ai", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 1000}

func TestMistralMessages(t *testing.T) {
	const (
		user = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
		own  = `,"api":"mistral-conversations","provider":"mistral","model":"magistral","stopReason":"toolUse"}`
		call = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning_content"},{"type":"text","text":"I look."},{"type":"toolCall","id":"AbCdEf123","name":"read","arguments":{"a":1}},{"type":"toolCall","id":"call_1","name":"ls","arguments":{}}]` + own
		res1 = `{"role":"toolResult","toolCallId":"AbCdEf123","toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false}`
		res2 = `{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"image","data":"BBBB","mimeType":"image/png"}],"isError":true}`
	)
	id := new(shortIDs).of("call_1")
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"a tool turn, and the user behind it", []string{user, call, res1, res2, user},
			`{"role":"user","content":"hi"},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"I look."}],"tool_calls":[{"id":"AbCdEf123","type":"function","function":{"name":"read","arguments":"{\"a\":1}"}},{"id":"` + id + `","type":"function","function":{"name":"ls","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"AbCdEf123","name":"read","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},` +
				`{"role":"tool","tool_call_id":"` + id + `","name":"ls","content":[{"type":"text","text":"(see the image below)"},{"type":"image_url","image_url":{"url":"data:image/png;base64,BBBB"}}]},` +
				`{"role":"assistant","content":"I have the results of the tools."},{"role":"user","content":"hi"}`},
		{"an answer at the end is to be gone on with", []string{user, `{"role":"assistant","content":[{"type":"text","text":"One,"}]}`}, `{"role":"user","content":"hi"},{"role":"assistant","content":"One,","prefix":true}`},
		{"an answer at the beginning", []string{`{"role":"assistant","content":[{"type":"text","text":"a"}]}`, user}, `{"role":"user","content":"(The beginning of this conversation is not shown.)"},{"role":"assistant","content":"a"},{"role":"user","content":"hi"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := bodyOf(magistral, provider.Request{Messages: msgs(t, tt.in...)})
			if got := string(rawjson.Get(body, "messages")); got != "["+tt.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, tt.want)
			}
			if bad := providertest.CheckMistral(body); len(bad) > 0 {
				t.Error(bad)
			}
		})
	}
}

func TestMistralParameters(t *testing.T) {
	none, high := "none", "high"
	levels := func(i *provider.Info) { i.ThinkingLevels = map[string]*string{"off": &none, "high": &high} }
	for _, tt := range []struct {
		name, thinking string
		change         func(*provider.Info)
		want           string
	}{
		{"thinking", "high", levels, `{"model":"magistral","stream":true,"max_tokens":1000,"reasoning_effort":"high","prompt_cache_key":"s",`},
		{"none", "off", levels, `{"model":"magistral","stream":true,"max_tokens":1000,"reasoning_effort":"none","prompt_cache_key":"s",`},
		{"a limit as large as the window", "", func(i *provider.Info) { i.Reasoning, i.MaxTokens, i.ContextWindow = false, 32000, 32768 }, `{"model":"magistral","stream":true,"max_tokens":16384,"prompt_cache_key":"s",`},
		{"described as another server", "off", func(i *provider.Info) {
			levels(i)
			i.API, i.Provider, i.BaseURL = "openai-completions", "mine", "https://api.mistral.ai/v1"
		}, `{"model":"magistral","stream":true,"max_tokens":1000,"reasoning_effort":"none","prompt_cache_key":"s",`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info := magistral
			tt.change(&info)
			m := New(provider.Endpoint{Info: info}).(*model)
			req := provider.Request{Messages: msgs(t, `{"role":"user","content":"hi"}`), Thinking: tt.thinking, SessionID: "s"}
			if got, _, _ := strings.Cut(string(m.body(req)), `"messages":[`); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if h := m.header(req); h.Get("X-Affinity") != "s" {
				t.Errorf("headers %v", h)
			}
		})
	}
}

func TestShortIDs(t *testing.T) {
	var s shortIDs
	seen := map[string]string{}
	for i := range 2000 {
		id := fmt.Sprintf("call_%d|fc", i)
		short := s.of(id)
		if len(short) != 9 || strings.Trim(short, base62) != "" || seen[short] != "" || s.of(id) != short {
			t.Fatalf("%s: %q (taken by %q)", id, short, seen[short])
		}
		seen[short] = id
	}
	other := new(shortIDs)
	taken := other.of("call_1")
	if got := other.of(taken); got == taken || len(got) != 9 {
		t.Errorf("an id that another one has been given: %q", got)
	}
	kept := other.clone()
	kept.of("new")
	if len(other.sent) != 2 {
		t.Errorf("the copy changed what it was copied from")
	}
}

// Whatever a session holds, the request is one that Mistral takes.
func TestAnySessionMakesALegalMistralRequest(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		info := magistral
		if seed%2 == 1 {
			info.Input = []string{"text"}
		}
		talk := providertest.Conversation(r, info)
		if seed%3 == 1 {
			talk = talk[:1+r.IntN(len(talk)-1)] // ends anywhere
		}
		body := bodyOf(info, provider.Request{Messages: talk, Thinking: "medium"})
		if bad := providertest.CheckMistral(body); len(bad) > 0 && !strings.Contains(strings.Join(bad, " "), "no messages") {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(bad, "\n"), body)
		}
	}
}
