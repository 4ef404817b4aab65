package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
)

func noEnv(string) string { return "" }

// serve answers paths with texts; "path name" is for a request whose body or query
// has that name.
func serve(t *testing.T, answers map[string]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("model")
		if r.Method == http.MethodPost {
			var in struct{ Model string }
			if json.NewDecoder(r.Body).Decode(&in) == nil {
				name = in.Model
			}
		}
		text, ok := answers[strings.TrimSpace(r.URL.Path+" "+name)]
		if !ok {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		if strings.HasPrefix(text, "litellm ") {
			w.Header().Set("X-Litellm-Version", "1")
			text = text[len("litellm "):]
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestProbe(t *testing.T) {
	plain := `{"object":"list","data":[{"id":"m","max_model_len":1000},{"id":"nomic-embed-text"},{"id":"n","meta":{"n_ctx":5}}]}`
	for _, tt := range []struct {
		name, server string
		answers      map[string]string
		env          []string
		want         []LocalModel
	}{
		{"Ollama", "ollama", map[string]string{
			"/api/tags":              `{"models":[{"name":"qwen3:8b"},{"name":"llava"},{"name":"embed"},{"name":"loaded"},{"name":"own"},{"name":"odd"}]}`,
			"/api/ps":                `{"models":[{"name":"loaded","context_length":4096}]}`,
			"/api/show qwen3:8b":     `{"capabilities":["completion","tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`,
			"/api/show llava":        `{"capabilities":["completion","vision"],"model_info":{"llama.context_length":8192}}`,
			"/api/show embed":        `{"capabilities":["embedding"],"model_info":{"bert.context_length":512}}`,
			"/api/show loaded":       `{"capabilities":["completion"],"model_info":{"llama.context_length":131072}}`,
			"/api/show own":          `{"capabilities":["completion"],"parameters":"stop \"x\"\nnum_ctx    65536\n","model_info":{"llama.context_length":131072}}`,
			"/api/show nomic-embed2": `{}`,
		}, nil, []LocalModel{{ID: "qwen3:8b", Window: 32768, Thinks: true, Effort: true}, {ID: "llava", Window: 8192, Images: true}, {ID: "loaded", Window: 4096}, {ID: "own", Window: 65536}, {ID: "odd"}}},
		{"Ollama with a length of its own", "ollama", map[string]string{
			"/api/tags": `{"models":[{"name":"a"},{"name":"b"}]}`, "/api/show a": `{"model_info":{"x.context_length":131072}}`, "/api/show b": `{"model_info":{"x.context_length":2048}}`,
		}, []string{"OLLAMA_CONTEXT_LENGTH", "16384"}, []LocalModel{{ID: "a", Window: 16384}, {ID: "b", Window: 2048}}},
		{"what imitates Ollama", "ollama", map[string]string{"/v1/models": plain}, nil, []LocalModel{{ID: "m", Window: 1000}, {ID: "n", Window: 5}}},
		{"llama.cpp", "llama.cpp", map[string]string{"/v1/models": `{"data":[{"id":"x.gguf","meta":{"n_ctx_train":40960}}]}`,
			"/props": `{"default_generation_settings":{"n_ctx":16384},"modalities":{"vision":true},"chat_template":"{% if enable_thinking %}"}`}, nil,
			[]LocalModel{{ID: "x.gguf", Window: 16384, Images: true, Thinks: true, Template: true}}},
		{"llama.cpp's router", "llama.cpp", map[string]string{
			"/v1/models": `{"data":[{"id":"a"},{"id":"b","architecture":{"input_modalities":["text","image"],"output_modalities":["text"]}},{"id":"judge","architecture":{"output_modalities":["decisions"]}}]}`,
			"/props a":   `{"default_generation_settings":{"n_ctx":8192}}`}, nil, []LocalModel{{ID: "a", Window: 8192}, {ID: "b", Images: true}}},
		{"LM Studio", "lmstudio", map[string]string{"/api/v0/models": `{"data":[{"id":"a","type":"llm","state":"not-loaded","max_context_length":32768},
			{"id":"e","type":"embeddings"},{"id":"b","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`}, nil,
			[]LocalModel{{ID: "b", Window: 4096, Images: true}, {ID: "a", Window: 32768}}},
		{"vLLM", "vllm", map[string]string{"/v1/models": plain}, nil, []LocalModel{{ID: "m", Window: 1000}, {ID: "n", Window: 5}}},
		{"another program at vLLM's place", "vllm", map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"me"}]}`}, nil, nil},
		{"LiteLLM", "litellm", map[string]string{"/v1/models": `{"data":[{"id":"gpt"},{"id":"o"}]}`,
			"/model/info": `{"data":[{"model_name":"o","model_info":{"max_input_tokens":1000,"supports_vision":true,"supports_reasoning":true}}]}`}, nil,
			[]LocalModel{{ID: "gpt"}, {ID: "o", Window: 1000, Images: true, Thinks: true, Effort: true}}},
		{"LiteLLM that says less", "litellm", map[string]string{"/v1/models": `litellm {"data":[{"id":"gpt"}]}`}, nil, []LocalModel{{ID: "gpt"}}},
		{"another program at LiteLLM's place", "litellm", map[string]string{"/v1/models": `{"data":[{"id":"gpt"}]}`}, nil, nil},
		{"a page", "lmstudio", map[string]string{"/v1/models": `<html>`, "/api/v0/models": "<html>"}, nil, nil},
		{"wrong types", "lmstudio", map[string]string{"/api/v0/models": `{"data":7}`, "/v1/models": `{"data":[{"id":5}]}`}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := slices.IndexFunc(localServers(), func(s Server) bool { return s.Provider == tt.server })
			s := localServers()[i]
			s.BaseURL = serve(t, tt.answers) + "/v1"
			got := probe(t.Context(), envOf(tt.env), []Server{s})
			if tt.want == nil {
				if len(got) != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got) != 1 || !reflect.DeepEqual(got[0].Models, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func envOf(vars []string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(vars); i += 2 {
			if vars[i] == name {
				return vars[i+1]
			}
		}
		return ""
	}
}

func TestProbeIsShort(t *testing.T) {
	good := serve(t, map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`}) + "/v1"
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	away := httptest.NewServer(http.RedirectHandler(good+"/models", http.StatusFound))
	defer away.Close()
	got := probe(t.Context(), noEnv, []Server{{Provider: "a", BaseURL: good, ask: askLlama}, {Provider: "slow", BaseURL: slow.URL, ask: askOllama},
		{Provider: "away", BaseURL: away.URL, ask: askLlama}, {Provider: "none", BaseURL: "http://127.0.0.1:1", ask: askLMStudio}, {Provider: "a", BaseURL: good, ask: askLlama}})
	if len(got) != 1 || got[0].Provider != "a" {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := probe(ctx, noEnv, []Server{{BaseURL: good, ask: askLlama}}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Who has just installed Ollama is told what is missing, and a wrong type or a
// hostile name costs one model.
func TestServersWithOddLists(t *testing.T) {
	for list, want := range map[string]string{
		`{"models":[]}`: "[]", `{"models":[{"name":5},{},{"name":"evil\u001b[31m"},{"name":"good"}]}`: "[good]", `[]`: "none", `null`: "none", `{"models":[{"name":""}]}`: "[]",
	} {
		got := probe(t.Context(), noEnv, []Server{{Provider: "ollama", BaseURL: serve(t, map[string]string{"/api/tags": list}) + "/v1", ask: askOllama}})
		said := "none"
		if len(got) > 0 {
			ids := []string{}
			for _, m := range got[0].Models {
				ids = append(ids, m.ID)
			}
			said = fmt.Sprint(ids)
		}
		if said != want {
			t.Errorf("%s: %s, want %s", list, said, want)
		}
		r, _ := New(Options{Keys: auth.New(noEnv, nil), Probe: func(...string) []Server { return got }})
		if _, err := r.Resolve("ollama/qwen3", ""); want == "[]" && (err == nil || !strings.Contains(err.Error(), "no model yet. ollama pull qwen3")) {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestLoopback(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "127.0.0.1:11500": "127.0.0.1:11500", "localhost": "127.0.0.1:11434", ":11500": "127.0.0.1:11500", "0.0.0.0": "127.0.0.1:11434", "http://0.0.0.0:8": "127.0.0.1:8",
		"[::1]:9": "[::1]:9", "http://127.0.0.5:80/": "127.0.0.5:80", "https://127.0.0.1:1": "", "gpu.example:11434": "", "10.0.0.1": "", "http://u:p@127.0.0.1": "", "127.0.0.1.evil.example": "", "::": "", "%": "",
	} {
		if got, ok := loopback(s, "http://127.0.0.1:11434/v1"); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", s, got, ok, want)
		}
	}
}

func TestLocalChoices(t *testing.T) {
	s := Server{Provider: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", Models: []LocalModel{{ID: "t", Thinks: true, Template: true, Images: true}, {ID: "e", Window: 8192, Thinks: true, Effort: true}, {ID: "n"}}}
	c := s.choices()
	if got := c[0].Info.Levels(); !slices.Equal(got, []string{"off", "high"}) || !c[0].Info.TakesImages() || c[0].Info.ContextWindow != 32768 {
		t.Errorf("levels %q, %+v", got, c[0].Info)
	}
	if got := c[1].Info.Levels(); !slices.Equal(got, []string{"off", "low", "medium", "high"}) || c[1].Info.MaxTokens != 4096 {
		t.Errorf("levels %q, %+v", got, c[1].Info)
	}
	if got := c[2].Info.Levels(); !slices.Equal(got, []string{"off"}) {
		t.Errorf("levels %q", got)
	}
}

// A local server is asked when one names it, and only then; keys or not.
func TestLocalByName(t *testing.T) {
	var asked []string
	up := map[string]bool{"ollama": true}
	o := Options{Keys: auth.New(envOf([]string{"ANTHROPIC_API_KEY", "k"}), nil), Probe: func(ids ...string) []Server {
		asked = append(asked, ids...)
		var out []Server
		for _, id := range ids {
			if up[id] {
				out = append(out, Server{Provider: id, BaseURL: "http://127.0.0.1:1/v1", Models: []LocalModel{{ID: "qwen3:8b"}, {ID: "llama3"}}})
			}
		}
		return out
	}}
	o.Models, _ = config.ParseModels("models.json", []byte(`{"providers":{"vllm":{"baseUrl":"http://127.0.0.1:2/v1","api":"openai-completions","models":[{"id":"own"}]}}}`))
	r, _ := New(o)
	if _, err := r.Resolve("sonnet", ""); err != nil || len(asked) > 0 {
		t.Errorf("%v, asked %q", err, asked)
	}
	for range 2 {
		p, err := r.Resolve("ollama/qwen3", "")
		if err != nil || p.Name() != "ollama/qwen3:8b" || !p.Ready {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if p, err := r.Resolve("llama3", "Ollama"); err != nil || p.Name() != "ollama/llama3" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := r.Resolve("vllm/own", ""); err != nil || p.Name() != "vllm/own" {
		t.Errorf("%+v, %v", p, err)
	}
	for query, want := range map[string]string{
		"ollama/phi4":       `Ollama has no model "phi4"; it has qwen3:8b, llama3. ollama pull phi4 would fetch it`,
		"lmstudio/anything": "LM Studio does not answer on this machine. Start it (lms server start), then try again",
	} {
		if _, err := r.Resolve(query, ""); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	if !slices.Equal(asked, []string{"ollama", "lmstudio"}) {
		t.Errorf("asked %q", asked)
	}
	if _, ok := r.Find("ollama", "llama3"); !ok {
		t.Error("it is not found")
	}
	if err := r.Missing("ollama", "llama3"); err != nil {
		t.Error(err)
	}
}
