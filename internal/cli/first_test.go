package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// types runs bough at a terminal where a person types lines, and returns the exit
// code and what it printed.
func (p *place) types(typed string, words ...string) (code int, out, told string) {
	p.t.Helper()
	in := bufio.NewReader(strings.NewReader(typed))
	var stdout, stderr bytes.Buffer
	env := p.env()
	env.Args, env.Stdin, env.Stdout, env.Stderr = words, oneByte{in}, &stdout, &stderr
	env.StdinTerminal, env.StdoutTerminal = true, true
	env.Secret = func(context.Context) (string, error) {
		line, err := in.ReadString('\n')
		return strings.TrimSuffix(line, "\n"), err
	}
	code = Main(p.t.Context(), env)
	return code, stdout.String(), stderr.String()
}

// oneByte gives what it reads byte by byte, so that nobody takes more than a line.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(b []byte) (int, error) { return o.r.Read(b[:min(len(b), 1)]) }

func TestFirstRun(t *testing.T) {
	for _, tt := range []struct {
		name, typed string
		said        []string // in this order
		not         string
		key         string // in auth.json
	}{
		{"the offline model", "3\n/quit\n", []string{"No model is set up yet", "None was looked for, since the network is switched off", "(Enter: 3)?", "The offline model answers in this session", "model offline/demo"}, "", ""},
		{"Enter is the offline model", "\n/quit\n", []string{"The offline model answers", "model offline/demo"}, "", ""},
		{"nothing more is typed", "", []string{"The offline model answers"}, "", ""},
		{"a key", "1\ngroq\ngsk-typed-1\n/quit\n", []string{"Groq gives out keys at https://console.groq.com/keys", "Key of Groq (it is not shown):", "the key of groq is stored in", "model groq/openai/gpt-oss-120b"}, "gsk-typed", "gsk-typed-1"},
		{"mistakes before", "7\n2\n1\nsk-ant-mistaken\n1\nnosuch\n1\n\n1\ngroq\n\n1\nopenai-codex\n1\nGroq\n$a!b\n/quit\n", []string{"No model is set up yet", "Type 1, 2 or 3.", "None was looked for", "looks like a key", "there is no provider nosuch", "no provider was named", "no key was given; nothing is stored", "to its own programs only", "is stored in", "model groq/"}, "sk-ant-mistaken", "$$a!b"},
		{"a key that is not all", "1\ncloudflare-workers-ai\ncf-key-12345\nmy-account\n/quit\n", []string{"CLOUDFLARE_ACCOUNT_ID: ", "is stored in", "model cloudflare-workers-ai/"}, "cf-key", "my-account"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			code, out, told := p.types(tt.typed)
			all := told + out
			for _, s := range tt.said {
				if _, rest, ok := strings.Cut(all, s); ok {
					all = rest
				} else {
					t.Errorf("%q was not said, or not there:\n%s--\n%s", s, told, out)
				}
			}
			if code != 0 || tt.not != "" && strings.Contains(told+out, tt.not) {
				t.Errorf("code %d:\n%s--\n%s", code, told, out)
			}
			raw, err := os.ReadFile(filepath.Join(p.home, "agent", "auth.json"))
			if tt.key == "" && !errors.Is(err, fs.ErrNotExist) || tt.key != "" && !strings.Contains(string(raw), `"`+tt.key+`"`) {
				t.Errorf("auth.json: %s, %v", raw, err)
			}
			if tt.key != "" {
				if _, out, told := p.types("/quit\n"); strings.Contains(told, "three ways") || !strings.Contains(out, tt.said[len(tt.said)-1]) {
					t.Errorf("the next start:\n%s--\n%s", told, out)
				}
			}
		})
	}
}

// With a model, with one that is named, and without a terminal nobody is asked.
func TestNoFirstRun(t *testing.T) {
	p := newPlace(t)
	if _, out, told := p.types("/quit\n", "--model", "offline/demo"); strings.Contains(told, "three ways") || !strings.Contains(out, "offline/demo") {
		t.Errorf("named:\n%s--\n%s", told, out)
	}
	if _, out, told := p.types("", "attach"); strings.Contains(told+out, "three ways") || !strings.Contains(told, "Start bough serve") {
		t.Errorf("who joins, since another bough has a model:\n%s--\n%s", told, out)
	}
	var stderr bytes.Buffer
	env := p.env()
	env.Args, env.Stderr = []string{"-p", "hi"}, &stderr
	if code := Main(t.Context(), env); code != 0 || strings.Contains(stderr.String(), "three ways") || !strings.Contains(stderr.String(), "bough auth login PROVIDER") {
		t.Errorf("in a pipe: %s", &stderr)
	}
}

// ollama is a server on this machine that says it is Ollama.
func ollama(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"first:1b"},{"name":"second:8b"}]}`)
		case "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion","tools"],"model_info":{"x.context_length":16384}}`)
		case "/v1/chat/completions":
			var in struct{ Model string }
			_ = json.NewDecoder(r.Body).Decode(&in) // an empty name shows in the answer
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"I am %s.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", in.Model)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestFirstRunWithAServer(t *testing.T) {
	p := newPlace(t)
	delete(p.vars, "BOUGH_OFFLINE")
	p.vars["OLLAMA_HOST"] = ollama(t)
	code, out, told := p.types("2\n2\nhello\n")
	if code != 0 || !strings.Contains(told, "Ollama answers (first:1b, second:8b)") || !strings.Contains(told, "(Enter: 2)?") || !strings.Contains(out, "I am second:8b.") {
		t.Fatalf("code %d:\n%s--\n%s", code, told, out)
	}
	// It is the default from then on, without a question.
	if _, out, told := p.types("hello\n"); strings.Contains(told, "three ways") || !strings.Contains(out, "I am second:8b.") {
		t.Errorf("the next start:\n%s--\n%s", told, out)
	}
	// Also beside a key, and by its name.
	p.vars["GROQ_API_KEY"] = "k"
	if _, out, _ := p.types("hello\n"); !strings.Contains(out, "I am second:8b.") {
		t.Errorf("beside a key:\n%s", out)
	}
	if _, out, _ := p.types("hello\n", "--model", "ollama/first"); !strings.Contains(out, "I am first:1b.") {
		t.Errorf("by name:\n%s", out)
	}
	if _, out, _ := p.types("", "--list-models", "ollama"); !strings.Contains(out, "first:1b") || !strings.Contains(out, "16.4K") {
		t.Errorf("listed:\n%s", out)
	}
	// A default that does not run is told, and another takes over.
	p.vars["OLLAMA_HOST"] = "127.0.0.1:1"
	if _, out, told := p.types("/quit\n"); !strings.Contains(strings.Join(strings.Fields(out+told), " "), "Ollama does not answer on this machine. Start it (ollama serve)") || !strings.Contains(out, "model groq/") {
		t.Errorf("stopped:\n%s--\n%s", told, out)
	}
}

func TestFirstRunWithAServerWithoutModels(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"models":[]}`) }))
	defer s.Close()
	p := newPlace(t)
	delete(p.vars, "BOUGH_OFFLINE")
	p.vars["OLLAMA_HOST"] = s.URL
	code, out, told := p.types("2\n3\n/quit\n")
	if code != 0 || strings.Count(told, "Ollama answers, but has no model yet. For one: ollama pull qwen3") != 2 || !strings.Contains(told, "(Enter: 3)?") {
		t.Errorf("code %d:\n%s--\n%s", code, told, out)
	}
}

func TestLoginAtATerminal(t *testing.T) {
	p := newPlace(t)
	code, out, told := p.types("sk-typed-1\n", "auth", "login", "anthropic")
	if code != 0 || out != "" || !strings.Contains(told, "its own programs only; an API key works.") || strings.Contains(told, "sk-typed") {
		t.Errorf("code %d: %s%s", code, told, out)
	}
	if _, out, _ := p.types("", "auth", "print-api-key", "anthropic"); out != "sk-typed-1\n" {
		t.Errorf("the key is %q", out)
	}
	if code, _, told := p.types("mistral\nkey-of-mistral\n", "auth", "login"); code != 0 || !strings.Contains(told, "Which provider") {
		t.Errorf("code %d: %s", code, told)
	}
	// Whoever breaks off stores nothing.
	ctx, cancel := context.WithCancel(t.Context())
	env := p.env()
	env.StdinTerminal, env.Args = true, []string{"auth", "login", "xai"}
	env.Secret = func(ctx context.Context) (string, error) { cancel(); return "", ctx.Err() }
	if code := Main(ctx, env); code != 1 {
		t.Errorf("code %d", code)
	}
	if code, out, _ := p.types("", "auth", "check", "xai"); code != 1 || out != "not_ready\n" {
		t.Errorf("code %d: %s", code, out)
	}
}

// Signing in at OpenRouter by the browser gives a key like any other.
func TestSignIn(t *testing.T) {
	p := newPlace(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/auth/keys" {
			fmt.Fprint(w, `{"key":"sk-or-signed-in"}`)
		}
	}))
	defer site.Close()
	var told bytes.Buffer
	said := &saying{w: &told, when: site.URL + "/auth?", then: func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := http.Get(u.Query().Get("callback_url") + "?code=c")
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	}}
	env := p.env()
	env.Args, env.StdinTerminal, env.OpenRouter, env.Stderr = []string{"auth", "login", "openrouter", "--no-browser"}, true, site.URL, said
	never, _ := io.Pipe()
	env.Stdin = never
	env.Secret = func(context.Context) (string, error) { t.Error("a key is asked for"); return "", io.EOF }
	if code := Main(t.Context(), env); code != 0 {
		t.Fatalf("code %d: %s", code, &told)
	}
	if _, out, _ := p.types("", "auth", "print-api-key", "openrouter"); out != "sk-or-signed-in\n" {
		t.Errorf("the key is %q", out)
	}
}

// saying passes on what is said, and does something when an address is.
type saying struct {
	w    io.Writer
	when string
	then func(string)
}

func (s *saying) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, s.when) {
			go s.then(strings.TrimSpace(line))
		}
	}
	return s.w.Write(b)
}

// A key that is used, refused and echoed by the server is in auth.json and
// nowhere else: no session, no log, no cache, no output.
func TestKeysStaySecret(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	p := newPlace(t)
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if !strings.Contains(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), key) {
			t.Error("the key was not sent")
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","got":%q}}`, key, r.Header)
	}))
	defer s.Close()
	p.write("agent/models.json", fmt.Sprintf(`{"providers":{"anthropic":{"baseUrl":%q},"openai":{"baseUrl":%q},"groq":{"baseUrl":%q}}}`, s.URL, s.URL, s.URL))
	var said strings.Builder
	for _, provider := range []string{"anthropic", "openai", "groq"} {
		for _, run := range [][]string{{"auth", "login", provider}, {"auth", "login", "--check", provider}, {"-p", "--provider", provider, "--model", map[string]string{"anthropic": "claude-opus-5-5", "openai": "gpt-5.4", "groq": "openai/gpt-oss-120b"}[provider], "hello"},
			{"--mode", "json", "--model", provider + "/x", "hello"}, {"auth", "check", provider, "--online", "--json"}, {"auth", "list"}, {"auth", "check", provider}} {
			_, out, told := p.types(key+"\n", run...)
			said.WriteString(out + told)
		}
	}
	if strings.Contains(said.String(), key) || !strings.Contains(said.String(), "[key]") || asked < 6 {
		t.Errorf("said after %d requests: %s", asked, said.String())
	}
	files := 0
	err := filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		files++
		if strings.Contains(string(raw), key) && path != filepath.Join(p.home, "agent", "auth.json") {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files, %v", files, err)
	}
}
