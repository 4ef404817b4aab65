package catalog

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/provider"
)

// Server is a model server on this machine.
type Server struct {
	Provider string // "ollama", "llama.cpp", "lmstudio"
	Name     string
	BaseURL  string
	Models   []LocalModel
}

// LocalModel is a model of a server on this machine.
type LocalModel struct {
	ID     string
	Window int64 // tokens; 0 if the server does not say
}

// localTimeout is how long a server on this machine may take to say what it has.
const localTimeout = 300 * time.Millisecond

// ProbeLocal looks for Ollama, llama.cpp and LM Studio at their usual places on
// the loopback address. It takes at most a third of a second, and asks nobody
// else; call it only if nothing else is configured, and not if the user wants no
// network ([config.Env.Offline]).
func ProbeLocal(ctx context.Context) []Server {
	return probe(ctx, []Server{
		{Provider: "ollama", Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		{Provider: "llama.cpp", Name: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1"},
		{Provider: "lmstudio", Name: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1"},
	})
}

func probe(ctx context.Context, servers []Server) []Server {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	// Neither a proxy nor a redirect may lead away from this machine.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var wg sync.WaitGroup
	for i := range servers {
		wg.Go(func() { servers[i].Models = models(ctx, client, servers[i].BaseURL) })
	}
	wg.Wait()
	return slices.DeleteFunc(servers, func(s Server) bool { return len(s.Models) == 0 })
}

// models asks a server which models it has; nil if there is no such server.
func models(ctx context.Context, client *http.Client, base string) []LocalModel {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var list struct {
		Data []struct {
			ID            string
			MaxModelLen   int64 `json:"max_model_len"`
			ContextLength int64 `json:"context_length"`
			Meta          struct {
				Ctx int64 `json:"n_ctx"`
			}
		}
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&list) != nil {
		return nil // something else listens there
	}
	var out []LocalModel
	for _, m := range list.Data {
		if m.ID != "" && !strings.Contains(m.ID, "embed") {
			out = append(out, LocalModel{m.ID, max(m.MaxModelLen, m.ContextLength, m.Meta.Ctx)})
		}
	}
	return out
}

// choices are the models of the server. Where it does not say how much a model
// reads, a window is taken that most have.
func (s Server) choices() []Choice {
	var out []Choice
	for i, m := range s.Models {
		window := m.Window
		if window == 0 {
			window = 32768
		}
		out = append(out, Choice{First: i == 0, Info: provider.Info{ID: m.ID, Name: m.ID, API: "openai-completions", Provider: s.Provider, BaseURL: s.BaseURL,
			Input: []string{"text"}, ContextWindow: window, MaxTokens: min(16384, window/2),
			Compat: map[string]any{"supportsStore": false, "supportsDeveloperRole": false, "supportsReasoningEffort": false, "maxTokensField": "max_tokens"}}})
	}
	return out
}
