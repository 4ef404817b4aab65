package catalog

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
)

// The data can all be read, and say what they must.
func TestData(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, Date); err != nil || Source == "" {
		t.Errorf("date %q, source %q", Date, Source)
	}
	spoken := 0
	for _, l := range Providers() {
		models := l.Models()
		first := l.First == ""
		for i, m := range models {
			if m.Provider != l.ID || m.ID == "" || m.Name == "" || m.API == "" || m.ContextWindow <= 0 || m.MaxTokens <= 0 || len(m.Input) == 0 || !json.Valid(m.Raw) {
				t.Errorf("%s: %+v", l.ID, m.Info)
			}
			if i > 0 && models[i-1].ID >= m.ID {
				t.Errorf("%s: %s comes before %s", l.ID, models[i-1].ID, m.ID)
			}
			if Speaks(m.API) {
				spoken++
			}
			first = first || m.ID == l.First
		}
		if len(models) != l.Count || !first {
			t.Errorf("%s: %d models of %d; first %q", l.ID, len(models), l.Count, l.First)
		}
		if names := auth.Variables(l.ID); len(names) == 0 && l.ID != "openai-codex" {
			t.Errorf("no variable for the key of %s", l.ID)
		}
	}
	if spoken < 1000 {
		t.Errorf("only %d models can be asked", spoken)
	}
	if l, ok := Provider("anthropic"); !ok || l.Name != "Anthropic" {
		t.Errorf("%+v", l)
	}
	if _, ok := Provider("nobody"); ok {
		t.Error("there is a provider nobody")
	}
}

// registry makes one of the text of models.json and of variables.
func registry(t *testing.T, models string, vars ...string) (*Registry, []config.Problem) {
	t.Helper()
	m, problems := config.ParseModels("models.json", []byte(models))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	env := func(name string) string {
		if i := slices.Index(vars, name); i >= 0 && i%2 == 0 {
			return vars[i+1]
		}
		return ""
	}
	return New(Options{Models: m, Keys: auth.New(env, nil), Local: []Server{{Provider: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []LocalModel{{ID: "tiny"}, {ID: "big", Window: 65536}}}}})
}

func TestAvailable(t *testing.T) {
	r, problems := registry(t, `{"providers":{
		"mine": {"baseUrl":"http://10.0.0.1/v1","api":"openai-completions","models":[{"id":"m"}]},
		"locked": {"baseUrl":"http://10.0.0.2/v1","api":"openai-completions","apiKey":"$NOT_SET","models":[{"id":"l"}]},
		"open": {"baseUrl":"http://10.0.0.3/v1","api":"openai-completions","apiKey":"$SET","models":[{"id":"o"}]},
		"nourl": {"api":"openai-completions","models":[{"id":"n"},{"id":"has","baseUrl":"http://x/v1"}]},
		"noapi": {"baseUrl":"http://x","models":[{"id":"n"}]}
	}}`, "GROQ_API_KEY", "k", "SET", "k", "ANTHROPIC_API_KEY", "k")
	var told []string
	for _, p := range problems {
		told = append(told, p.String())
	}
	if want := []string{"models.json:5: providers.nourl: model n is left out: a new provider needs baseUrl", "models.json:6: providers.noapi: model n is left out: a new provider needs api"}; !slices.Equal(told, want) {
		t.Errorf("problems %q, want %q", told, want)
	}
	var providers []string
	for _, c := range r.Available() {
		if !c.Ready || c.Why != "" {
			t.Errorf("%s is available but %q", c.Name(), c.Why)
		}
		if n := len(providers); n == 0 || providers[n-1] != c.Info.Provider {
			providers = append(providers, c.Info.Provider)
		}
	}
	if want := []string{"anthropic", "groq", "mine", "open", "nourl", "ollama"}; !slices.Equal(providers, want) {
		t.Errorf("providers %q, want %q", providers, want)
	}
	for name, want := range map[string]string{
		"openai/gpt-5.4":                "no key for openai: set OPENAI_API_KEY, or run bough auth login openai",
		"google/gemini-4-argon":         "no key for google: set GEMINI_API_KEY, or run bough auth login google",
		"locked/l":                      "no key for locked: its apiKey in models.json needs NOT_SET; set NOT_SET, or run bough auth login locked",
		"github-copilot/gpt-6.1-sol":    closed["github-copilot"],
		"cloudflare-ai-gateway/gpt-5.4": "no key for cloudflare-ai-gateway: set CLOUDFLARE_API_KEY, or run bough auth login cloudflare-ai-gateway",
	} {
		at, id, _ := strings.Cut(name, "/")
		if c, ok := r.Find(at, id); !ok || c.Ready || c.Why != want {
			t.Errorf("%s: %v, %q, want %q", name, ok, c.Why, want)
		}
	}
	if _, ok := r.Find("anthropic", "nothing"); ok {
		t.Error("there is a model nothing")
	}
	if _, ok := r.Find("nobody", "nothing"); ok {
		t.Error("there is a provider nobody")
	}
}

func TestModelsFile(t *testing.T) {
	r, _ := registry(t, `{"providers":{
		"anthropic": {"baseUrl":"https://proxy/","headers":{"X-A":"a"},"compat":{"supportsTemperature":true},
			"models":[{"id":"claude-haiku-4-5","name":"Mine","cost":{"input":3}},{"id":"new","reasoning":true,"thinkingLevelMap":{"max":"max"}}],
			"modelOverrides":{"claude-opus-5-5":{"name":"Opus!","cost":{"cacheRead":9},"thinkingLevelMap":{"low":null},"headers":{"X-A":"b","X-B":"c"},"compat":{"forceAdaptiveThinking":false}},"unknown":{"name":"x"}}}
	}}`, "ANTHROPIC_API_KEY", "k")
	listing, _ := Provider("anthropic")
	find := func(id string) Choice {
		t.Helper()
		c, ok := r.Find("anthropic", id)
		if !ok || !c.Ready {
			t.Fatalf("no %s: %s", id, c.Why)
		}
		return c
	}
	var known Model
	for _, m := range listing.Models() {
		if m.ID == "claude-opus-5-5" {
			known = m
		}
	}
	o := find("claude-opus-5-5")
	if i := o.Info; i.BaseURL != "https://proxy/" || i.Name != "Opus!" || i.Cost.CacheRead != 9 || i.Cost.Input != known.Cost.Input || slices.Contains(i.Levels(), "low") || !slices.Contains(i.Levels(), "max") ||
		i.Compat["supportsTemperature"] != true || i.Compat["forceAdaptiveThinking"] != false || !o.First {
		t.Errorf("%+v", o)
	}
	if e := r.Endpoint(o); e.Headers["X-A"] != "b" || e.Headers["X-B"] != "c" {
		t.Errorf("headers %v", e.Headers)
	}
	if s := find("claude-sonnet-5"); s.Info.BaseURL != "https://proxy/" || r.Endpoint(s).Headers["X-A"] != "a" {
		t.Errorf("%+v", s)
	}
	if h := find("claude-haiku-4-5").Info; h.Name != "Mine" || h.Reasoning || h.ContextWindow != 128000 || h.Cost.Input != 3 || h.PriceUnknown || h.API != "anthropic-messages" {
		t.Errorf("replaced: %+v", h)
	}
	if n := find("new").Info; n.Name != "new" || !n.PriceUnknown || n.MaxTokens != 16384 || !slices.Contains(n.Levels(), "max") || n.BaseURL != "https://proxy/" || !slices.Equal(n.Input, []string{"text"}) {
		t.Errorf("added: %+v", n)
	}
	if len(r.All()) < 1700 {
		t.Errorf("%d models in all", len(r.All()))
	}
}

func TestEndpoint(t *testing.T) {
	r, _ := registry(t, `{"providers":{"mine":{"baseUrl":"http://10.0.0.1/v1","api":"openai-completions","authHeader":true,"headers":{"X-Set":"v-$SET","X-Not":"$NOT"},"models":[{"id":"m"}]}}}`,
		"SET", "s", "ANTHROPIC_AUTH_TOKEN", "tok", "CLOUDFLARE_API_KEY", "cf", "CLOUDFLARE_ACCOUNT_ID", "acc", "OPENAI_API_KEY", "sk")
	find := func(at, id string) Choice {
		t.Helper()
		c, ok := r.Find(at, id)
		if !ok || !c.Ready {
			t.Fatalf("no %s/%s: %s", at, id, c.Why)
		}
		return c
	}
	if e := r.Endpoint(find("mine", "m")); e.Key != nil || !e.AuthHeader || len(e.Headers) != 1 || e.Headers["X-Set"] != "v-s" {
		t.Errorf("mine: %+v", e)
	}
	e := r.Endpoint(find("anthropic", "claude-opus-5"))
	if k, err := e.Key(t.Context()); err != nil || k != "tok" || !e.AuthHeader {
		t.Errorf("a bearer token: %q, %v, %v", k, err, e.AuthHeader)
	}
	e = r.Endpoint(find("openai", "gpt-5.4"))
	if k, err := e.Key(t.Context()); err != nil || k != "sk" || e.AuthHeader || e.Info.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("openai: %q, %v, %+v", k, err, e)
	}
	if e := r.Endpoint(find("cloudflare-workers-ai", "@cf/moonshotai/kimi-k2.7-code")); e.Info.BaseURL != "https://api.cloudflare.com/client/v4/accounts/acc/ai/v1" {
		t.Errorf("the address is %s", e.Info.BaseURL)
	}
	if c, _ := r.Find("cloudflare-ai-gateway", "gpt-5.4"); c.Ready || c.Why != "set CLOUDFLARE_GATEWAY_ID" {
		t.Errorf("%q", c.Why)
	}
	if e := r.Endpoint(find("ollama", "tiny")); e.Key != nil || e.Info.ContextWindow != 32768 {
		t.Errorf("ollama: %+v", e)
	}
	// A model that cannot be asked fails with what to do.
	c, _ := r.Find("xai", "grok-4.7")
	if _, err := r.Endpoint(c).Key(t.Context()); err == nil || !strings.Contains(err.Error(), "XAI_API_KEY") {
		t.Error(err)
	}
}

func TestHeadersByCommand(t *testing.T) {
	var got http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer srv.Close()
	send := func(r *Registry, at, id string) error {
		t.Helper()
		c, ok := r.Find(at, id)
		if !ok || !c.Ready {
			t.Fatalf("no %s/%s: %s", at, id, c.Why)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := r.Endpoint(c).Client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	r, _ := registry(t, `{"providers":{"mine":{"baseUrl":"http://x/v1","api":"openai-completions","headers":{"X-T":"!echo from-a-command","X-V":"v"},"models":[{"id":"m"},{"id":"bad","headers":{"X-T":"!exit 4"}}]}}}`,
		"CLOUDFLARE_API_KEY", "cf", "CLOUDFLARE_ACCOUNT_ID", "a", "CLOUDFLARE_GATEWAY_ID", "g")
	if err := send(r, "mine", "m"); err != nil || got.Get("X-T") != "from-a-command" || got.Get("X-V") != "v" {
		t.Errorf("%v %v", got, err)
	}
	if err := send(r, "mine", "bad"); err == nil || !strings.Contains(err.Error(), "the command for the header X-T of mine: exit status 4") {
		t.Error(err)
	}
	if err := send(r, "cloudflare-ai-gateway", "gpt-5.4"); err != nil || got.Get("Cf-Aig-Authorization") != "Bearer cf" {
		t.Errorf("%v %v", got, err)
	}
}

// What pi 1.6.0 makes of the same words with the same keys.
func TestResolveAsPi(t *testing.T) {
	for _, tt := range []struct{ keys, query, at, want string }{
		{"ANTHROPIC", "sonnet", "", "anthropic/claude-sonnet-5-5"},
		{"ANTHROPIC", "sonnet:high", "", "anthropic/claude-sonnet-5-5:high"},
		{"ANTHROPIC", "sonnet:foo", "", "!no such model"},
		{"ANTHROPIC", "opus-4", "", "anthropic/claude-opus-4-8"},
		{"ANTHROPIC", "claude opus", "", "anthropic/claude-opus-5-5"},
		{"ANTHROPIC", "gpt-5.4", "", "!azure/gpt-5.4"},
		{"ANTHROPIC", "openai/gpt-5.4", "", "openai/gpt-5.4"},
		{"ANTHROPIC", "anthropic/nonsense", "", "anthropic/nonsense"},
		{"ANTHROPIC", "nonsense", "", "!no such model"},
		{"ANTHROPIC", "foo/bar", "", "!no such model"},
		{"ANTHROPIC", "haiku", "anthropic", "anthropic/claude-haiku-5-5"},
		{"ANTHROPIC", "sonnet", "openai", "openai/sonnet"},
		{"ANTHROPIC", "anthropic/claude-opus-4-5", "anthropic", "anthropic/claude-opus-4-5"},
		{"ANTHROPIC", "x", "nope", "!unknown provider"},
		{"ANTHROPIC OPENROUTER OPENAI", "anthropic/claude-sonnet-5", "", "anthropic/claude-sonnet-5"},
		{"ANTHROPIC OPENROUTER OPENAI", "gpt-5.4", "", "openai/gpt-5.4"},
		{"ANTHROPIC OPENROUTER OPENAI", "openai/gpt-5.4:low", "", "openai/gpt-5.4:low"},
		{"ANTHROPIC OPENROUTER OPENAI", "deepseek/deepseek-r1", "", "vercel-ai-gateway/deepseek/deepseek-r1"},
		{"OPENROUTER", "openai/gpt-5.4", "", "openrouter/openai/gpt-5.4"},
		{"OPENROUTER", "anthropic/claude-opus-5.5", "", "openrouter/anthropic/claude-opus-5.5"},
	} {
		t.Run(tt.query+" "+tt.at+" with "+tt.keys, func(t *testing.T) {
			var vars []string
			for k := range strings.FieldsSeq(tt.keys) {
				vars = append(vars, k+"_API_KEY", "k")
			}
			r, _ := registry(t, "", vars...)
			p, err := r.Resolve(tt.query, tt.at)
			got := strings.TrimSuffix(p.Name()+":"+p.Level, ":")
			if want, bad := strings.CutPrefix(tt.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %v, want %q", got, err, want)
				}
			} else if err != nil || got != tt.want {
				t.Errorf("%s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestRegistryStart(t *testing.T) {
	r, _ := registry(t, "", "ANTHROPIC_API_KEY", "k")
	s := config.Defaults()
	s.DefaultProvider, s.DefaultModel = "openai", "gpt-5.4"
	for _, tt := range []struct {
		name         string
		wish         Wish
		want, notice string
	}{
		{"a default without a key", Wish{Settings: s}, "anthropic/claude-opus-5-5:medium", "set OPENAI_API_KEY"},
		{"a session's model without a key", Wish{Settings: config.Defaults(), SessionProvider: "xai", SessionModel: "grok-4.7", SessionThinking: "low"}, "anthropic/claude-opus-5-5:low", "set XAI_API_KEY"},
		{"--model", Wish{Settings: s, Model: "haiku", SessionProvider: "anthropic", SessionModel: "claude-opus-5", SessionThinking: "high"}, "anthropic/claude-haiku-5-5:high", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, notices, err := r.Start(tt.wish)
			if got := p.Name() + ":" + p.Level; err != nil || got != tt.want || (len(notices) > 0) != (tt.notice != "") || !strings.Contains(strings.Join(notices, " "), tt.notice) {
				t.Errorf("%s, %q, %v, want %s", got, notices, err, tt.want)
			}
		})
	}
	if _, _, err := r.Start(Wish{Settings: s, Model: "grok-4.7", Provider: "xai"}); err == nil || !strings.Contains(err.Error(), "XAI_API_KEY") {
		t.Error(err)
	}
}

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		r, _ := New(Options{Keys: auth.New(func(string) string { return "" }, nil)})
		r.All()
	}
}

func BenchmarkAvailable(b *testing.B) {
	for b.Loop() {
		r, _ := New(Options{Keys: auth.New(func(n string) string { return map[string]string{"ANTHROPIC_API_KEY": "k"}[n] }, nil)})
		r.Available()
	}
}

// Vertex AI can be asked with a key, or with a login in a project and a location.
func TestVertex(t *testing.T) {
	login := filepath.Join(t.TempDir(), "login.json")
	if err := os.WriteFile(login, []byte(`{"type":"authorized_user"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	at := []string{"GOOGLE_APPLICATION_CREDENTIALS", login, "GOOGLE_CLOUD_LOCATION", "us-east1"}
	for _, tt := range []struct {
		env       []string
		why       string
		key       bool
		available bool
	}{
		{nil, "no key for google-vertex: set GOOGLE_CLOUD_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION to use the login of gcloud", false, false},
		{[]string{"GOOGLE_CLOUD_API_KEY", "k"}, "", true, true},
		{at, "set GOOGLE_CLOUD_PROJECT to the id of your Google Cloud project", false, false},
		{append(at, "GCLOUD_PROJECT", "p"), "", false, true},
		{[]string{"GOOGLE_CLOUD_LOCATION", "l", "GOOGLE_APPLICATION_CREDENTIALS", login + ".gone"}, "there is no such file", false, false},
	} {
		r, _ := registry(t, `{"providers":{"mine":{"baseUrl":"https://proxy/v1","api":"google-vertex","models":[{"id":"m"}]}}}`, tt.env...)
		c, ok := r.Find("google-vertex", "gemini-4-argon")
		if !ok || c.Ready != tt.available || !strings.Contains(c.Why, tt.why) || tt.why == "" && c.Why != "" {
			t.Errorf("%v: %v %q, want %q", tt.env, c.Ready, c.Why, tt.why)
		}
		if listed := slices.ContainsFunc(r.Available(), func(c Choice) bool { return c.Info.Provider == "google-vertex" }); listed != tt.available {
			t.Errorf("%v: listed %v", tt.env, listed)
		}
		if c.Ready {
			ep := r.Endpoint(c)
			if (ep.Key != nil) != tt.key || ep.Info.BaseURL != "https://{location}-aiplatform.googleapis.com" || len(tt.env) > 2 && ep.Getenv("GCLOUD_PROJECT") != "p" {
				t.Errorf("%v: endpoint %+v", tt.env, ep)
			}
		}
		if own, _ := r.Find("mine", "m"); !tt.key && own.Ready != tt.available {
			t.Errorf("%v: of models.json: %v %q", tt.env, own.Ready, own.Why)
		}
	}
}
