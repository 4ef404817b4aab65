package catalog

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/boughdev/bough/provider"
)

// Server is a model server on this machine.
type Server struct {
	Provider string // "ollama", "llama.cpp", "lmstudio", "vllm", "litellm"
	Name     string
	BaseURL  string
	Models   []LocalModel // none if it answers and has none yet

	start string                                    // the command that starts it
	ask   func(context.Context, asker) []LocalModel // nil: it does not answer
}

// LocalModel is a model of a server on this machine.
type LocalModel struct {
	ID     string
	Window int64 // tokens; 0 if the server does not say
	Images bool
	Thinks bool

	// Template says that thinking is switched by a word of the chat template,
	// Effort that the server takes reasoning_effort.
	Template, Effort bool
}

// localTimeout is how long the servers on this machine may take to say what they
// have.
const localTimeout = 600 * time.Millisecond

// localServers are the servers that are looked for, at their usual places.
func localServers() []Server {
	return []Server{
		{Provider: "ollama", Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", start: "ollama serve", ask: askOllama},
		{Provider: "llama.cpp", Name: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", start: "llama-server -m MODEL.gguf", ask: askLlama},
		{Provider: "lmstudio", Name: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", start: "lms server start", ask: askLMStudio},
		{Provider: "vllm", Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", start: "vllm serve MODEL", ask: askVLLM},
		{Provider: "litellm", Name: "LiteLLM", BaseURL: "http://127.0.0.1:4000/v1", start: "litellm --config CONFIG", ask: askLiteLLM},
	}
}

// ServerName returns the name of a model server that may run on this machine, and
// the command that starts it.
func ServerName(id string) (name, start string, ok bool) {
	for _, s := range localServers() {
		if s.Provider == id {
			return s.Name, s.start, true
		}
	}
	return "", "", false
}

// ProbeLocal looks for model servers at their usual places on the loopback
// address: Ollama, llama.cpp, LM Studio, vLLM and LiteLLM, or only those that are
// named. OLLAMA_HOST and LLAMA_BASE_URL are obeyed where they name this machine.
// It takes at most half a second or so, and asks nobody else. Call it only if the
// user wants it or nothing else is configured, and not if the user wants no
// network ([config.Env.Offline]).
func ProbeLocal(ctx context.Context, getenv func(string) string, ids ...string) []Server {
	servers := localServers()
	if len(ids) > 0 {
		servers = slices.DeleteFunc(servers, func(s Server) bool { return !slices.Contains(ids, s.Provider) })
	}
	for i := range servers {
		s := &servers[i]
		variable := map[string]string{"ollama": "OLLAMA_HOST", "llama.cpp": "LLAMA_BASE_URL"}[s.Provider]
		if host, ok := loopback(getenv(variable), s.BaseURL); variable != "" && ok {
			s.BaseURL = "http://" + host + "/v1"
		}
	}
	// llama.cpp's router has another usual place.
	if getenv("LLAMA_BASE_URL") == "" {
		if i := slices.IndexFunc(servers, func(s Server) bool { return s.Provider == "llama.cpp" }); i >= 0 {
			router := servers[i]
			router.BaseURL = "http://127.0.0.1:9931/v1"
			servers = slices.Insert(servers, i+1, router)
		}
	}
	return probe(ctx, getenv, servers)
}

// loopback reads an address such as OLLAMA_HOST has: with scheme and port or
// without. An address that is no loopback one, or that listens everywhere, is not
// taken but for the latter, which can be reached on this machine.
func loopback(s, usual string) (host string, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", false
	}
	scheme := "http"
	if before, _, found := strings.Cut(s, "://"); found {
		scheme = strings.ToLower(before)
	} else {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || scheme != "http" || u.User != nil {
		return "", false
	}
	name, port := u.Hostname(), u.Port()
	if port == "" {
		was, _ := url.Parse(usual)
		port = was.Port()
	}
	ip, err := netip.ParseAddr(name)
	switch {
	case name == "", name == "localhost", err == nil && ip.IsUnspecified():
		name = "127.0.0.1"
	case err != nil || !ip.Unmap().IsLoopback():
		return "", false
	}
	return net.JoinHostPort(name, port), true
}

func probe(ctx context.Context, getenv func(string) string, servers []Server) []Server {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	var wg sync.WaitGroup
	client := localClient()
	defer client.CloseIdleConnections()
	for i := range servers {
		wg.Go(func() {
			s := &servers[i]
			a := asker{client: client, root: strings.TrimSuffix(s.BaseURL, "/v1"), getenv: getenv}
			if s.Provider == "llama.cpp" {
				a.key = getenv("LLAMA_API_KEY")
			}
			s.Models = s.ask(ctx, a)
			for i := len(s.Models) - 1; i >= 0; i-- {
				if id := s.Models[i].ID; id == "" || len(id) > 300 || strings.ContainsFunc(id, unicode.IsControl) {
					s.Models = slices.Delete(s.Models, i, i+1)
				}
			}
		})
	}
	wg.Wait()
	found := map[string]bool{}
	return slices.DeleteFunc(servers, func(s Server) bool {
		gone := s.Models == nil || found[s.Provider]
		found[s.Provider] = found[s.Provider] || !gone
		return gone
	})
}

// choices are the models of the server. Where it does not say how much a model
// reads, a window is taken that most have.
func (s Server) choices() []Choice {
	var out []Choice
	for i, m := range s.Models {
		window := m.Window
		if window <= 0 {
			window = 32768
		}
		info := provider.Info{ID: m.ID, Name: m.ID, API: "openai-completions", Provider: s.Provider, BaseURL: s.BaseURL,
			Input: []string{"text"}, ContextWindow: window, MaxTokens: min(16384, window/2), Reasoning: m.Thinks,
			Compat: map[string]any{"supportsStore": false, "supportsDeveloperRole": false, "supportsReasoningEffort": m.Thinks && m.Effort, "maxTokensField": "max_tokens"}}
		if m.Images {
			info.Input = append(info.Input, "image")
		}
		none, high := "none", "high"
		switch {
		case m.Thinks && m.Template:
			info.Compat["thinkingFormat"] = "chat-template"
			info.Compat["chatTemplateKwargs"] = map[string]any{"enable_thinking": map[string]any{"$var": "thinking.enabled"}}
			// It is on or off.
			info.ThinkingLevels = map[string]*string{"minimal": nil, "low": nil, "medium": nil, "high": &high, "xhigh": nil, "max": nil}
		case m.Thinks && m.Effort:
			info.ThinkingLevels = map[string]*string{"off": &none, "minimal": nil, "xhigh": nil, "max": nil}
		}
		out = append(out, Choice{First: i == 0, Info: info})
	}
	return out
}
