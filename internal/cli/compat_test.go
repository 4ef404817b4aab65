package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/catalog"
	"github.com/boughdev/bough/provider/chat"
)

// Every known server that imitates OpenAI gets the request that it wants. The
// address stays that of the provider, since switches go by it; a proxy of the
// test's takes the request.
func TestSwitchesOfServers(t *testing.T) {
	var got map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		got = map[string]any{}
		if err == nil {
			err = json.Unmarshal(raw, &got)
		}
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer s.Close()
	local := []catalog.Server{
		{Provider: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []catalog.LocalModel{{ID: "qwen3", Thinks: true, Effort: true}}},
		{Provider: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", Models: []catalog.LocalModel{{ID: "qwen", Thinks: true, Template: true}}},
		{Provider: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1", Models: []catalog.LocalModel{{ID: "gemma"}}},
		{Provider: "vllm", BaseURL: "http://127.0.0.1:8000/v1", Models: []catalog.LocalModel{{ID: "m"}}},
		{Provider: "litellm", BaseURL: "http://127.0.0.1:4000/v1", Models: []catalog.LocalModel{{ID: "m", Thinks: true, Effort: true}}},
	}
	for _, tt := range []struct {
		model     string
		max, role string // of the limit, of the instructions
		thinking  string // what says how much to think, as JSON; "" for nothing
		replayed  string // the key that old thinking comes back in, "" if it does not
		store     bool
	}{
		{"deepseek/deepseek-v4-pro", "max_tokens", "system", `{"reasoning_effort":"high","thinking":{"type":"enabled"}}`, "reasoning_content", false},
		{"groq/openai/gpt-oss-120b", "max_completion_tokens", "system", `{"reasoning_effort":"high"}`, "reasoning_content", true},
		{"qwen-token-plan/qwen3.8-max", "max_completion_tokens", "system", `{"enable_thinking":true,"reasoning_effort":"xhigh"}`, "reasoning_content", false},
		{"xai/own", "max_completion_tokens", "system", ``, "reasoning_content", false},
		{"moonshotai/kimi-k2.7-code", "max_tokens", "system", `{"thinking":{"type":"enabled"}}`, "reasoning_content", false},
		{"zai/glm-5.3", "max_tokens", "system", `{"reasoning_effort":"high","thinking":{"clear_thinking":false,"type":"enabled"}}`, "reasoning_content", false},
		{"openrouter/moonshotai/kimi-k2.7-code", "max_completion_tokens", "system", `{"reasoning":{"effort":"high"}}`, "reasoning_content", true},
		{"cerebras/gpt-oss-120b", "max_completion_tokens", "system", `{"reasoning_effort":"high"}`, "reasoning_content", false},
		{"together/moonshotai/Kimi-K3", "max_tokens", "system", `{"reasoning":{"enabled":true}}`, "reasoning_content", false},
		{"ollama/qwen3", "max_tokens", "system", `{"reasoning_effort":"high"}`, "reasoning_content", false},
		{"llama.cpp/qwen", "max_tokens", "system", `{"chat_template_kwargs":{"enable_thinking":true}}`, "reasoning_content", false},
		{"lmstudio/gemma", "max_tokens", "system", ``, "reasoning_content", false},
		{"vllm/m", "max_tokens", "system", ``, "reasoning_content", false},
		{"litellm/m", "max_tokens", "system", `{"reasoning_effort":"high"}`, "reasoning_content", false},
	} {
		t.Run(tt.model, func(t *testing.T) {
			p := newPlace(t)
			for _, name := range []string{"DEEPSEEK", "GROQ", "XAI", "MOONSHOT", "ZAI", "OPENROUTER", "CEREBRAS", "TOGETHER", "QWEN_TOKEN_PLAN_TEAM"} {
				p.vars[name+"_API_KEY"] = "k"
			}
			p.write("agent/models.json", `{"providers":{"xai":{"models":[{"id":"own","api":"openai-completions","reasoning":true}]}}}`)
			ms, err := p.runner().models(t.Context(), modePrint)
			if err != nil {
				t.Fatal(err)
			}
			ms.reg.Add(local)
			at, id, _ := strings.Cut(tt.model, "/")
			c, ok := ms.reg.Find(at, id)
			if !ok || c.Info.API != "openai-completions" {
				t.Fatalf("%s is there: %v, and speaks %s", tt.model, ok, c.Info.API)
			}
			ep := ms.reg.Endpoint(c)
			ep.Client = &http.Client{Transport: elsewhere(s.URL)}
			model := chat.New(ep)
			before := message.Message{Role: message.Assistant, API: c.Info.API, Provider: at, Model: id, StopReason: message.Stop,
				Content: []message.Block{{Type: message.ThinkingBlock, Text: "hm", Signature: "reasoning_content"}, message.Text("four")}}
			said := []message.Message{
				{Role: message.System, Content: []message.Block{message.Text("Be brief.")}},
				{Role: message.User, Content: []message.Block{message.Text("2+2?")}}, before,
				{Role: message.User, Content: []message.Block{message.Text("sure?")}},
			}
			for _, err := range model.Stream(t.Context(), provider.Request{Messages: said, Thinking: "high", MaxTokens: 1000}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"max_tokens", "max_completion_tokens"} {
				if _, has := got[name]; has != (name == tt.max) {
					t.Errorf("%s is there: %v", name, has)
				}
			}
			msgs, _ := got["messages"].([]any)
			if len(msgs) != 4 {
				t.Fatalf("messages %v", msgs)
			}
			if role := msgs[0].(map[string]any)["role"]; role != tt.role {
				t.Errorf("role %v, want %s", role, tt.role)
			}
			answer := msgs[2].(map[string]any)
			if _, has := answer[tt.replayed]; tt.replayed != "" && !has {
				t.Errorf("thinking is not replayed in %s: %v", tt.replayed, answer)
			}
			if _, has := got["store"]; has != tt.store {
				t.Errorf("store is there: %v", has)
			}
			thinking := map[string]any{}
			for k, v := range got {
				if !slices.Contains([]string{"model", "messages", "stream", "stream_options", "store", "max_tokens", "max_completion_tokens", "tools", "prompt_cache_key"}, k) {
					thinking[k] = v
				}
			}
			want := map[string]any{}
			if tt.thinking != "" {
				if err := json.Unmarshal([]byte(tt.thinking), &want); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(thinking, want) {
				raw, _ := json.Marshal(thinking)
				t.Errorf("thinking is asked for by %s, want %s", raw, tt.thinking)
			}
		})
	}
}

// elsewhere sends all requests to one address.
type elsewhere string

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := http.NewRequestWithContext(r.Context(), r.Method, string(e)+r.URL.Path, r.Body)
	if err != nil {
		return nil, err
	}
	to.Header = r.Header
	return http.DefaultTransport.RoundTrip(to)
}
