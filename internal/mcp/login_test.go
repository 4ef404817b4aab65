package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// oauthServer is an MCP server that wants a sign-in, with its own authorization
// server.
type oauthServer struct {
	*httptest.Server
	mu        sync.Mutex
	access    string // the token that is good
	refresh   string
	issued    int
	refreshes int
	lifetime  int // seconds; 0: not told
	noClients bool
	deny      bool
	hidden    bool // tells nothing of its authorization server
	clients   []string
}

func newOAuthServer(t *testing.T) *oauthServer {
	o := &oauthServer{}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return testServer("ok") }, nil)
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, r *http.Request) {
		if o.hidden {
			http.NotFound(w, r)
			return
		}
		reply(w, 200, map[string]any{"resource": o.URL + "/mcp", "authorization_servers": []string{o.URL}, "scopes_supported": []string{"all"}})
	})
	about := func(w http.ResponseWriter, r *http.Request) {
		if o.hidden && r.URL.Path != "/about" {
			http.NotFound(w, r)
			return
		}
		m := map[string]any{"issuer": o.URL, "authorization_endpoint": o.URL + "/ok/authorize", "token_endpoint": o.URL + "/ok/token",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}}
		if !o.noClients {
			m["registration_endpoint"] = o.URL + "/ok/register"
		}
		reply(w, 200, m)
	}
	mux.HandleFunc("/.well-known/oauth-authorization-server", about)
	mux.HandleFunc("/about", about)
	mux.HandleFunc("/ok/register", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		o.mu.Lock()
		o.clients = append(o.clients, string(b))
		o.mu.Unlock()
		var m map[string]any
		_ = json.Unmarshal(b, &m)
		m["client_id"] = "client-1"
		reply(w, 201, m)
	})
	mux.HandleFunc("/ok/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		to, _ := url.Parse(q.Get("redirect_uri"))
		back := url.Values{"state": {q.Get("state")}, "code": {"the-code"}}
		if o.deny {
			back = url.Values{"state": {q.Get("state")}, "error": {"access_denied"}, "error_description": {"not <you>"}}
		}
		to.RawQuery = back.Encode()
		http.Redirect(w, r, to.String(), http.StatusFound)
	})
	mux.HandleFunc("/ok/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		o.mu.Lock()
		defer o.mu.Unlock()
		switch {
		case r.Form.Get("grant_type") == "authorization_code" && r.Form.Get("code") == "the-code" && r.Form.Get("code_verifier") != "":
		case r.Form.Get("grant_type") == "refresh_token" && o.refresh != "" && r.Form.Get("refresh_token") == o.refresh:
			o.refreshes++
		default:
			reply(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		o.issued++
		o.access, o.refresh = fmt.Sprintf("access-%d", o.issued), fmt.Sprintf("refresh-%d", o.issued)
		m := map[string]any{"access_token": o.access, "refresh_token": o.refresh, "token_type": "Bearer"}
		if o.lifetime > 0 {
			m["expires_in"] = o.lifetime
		}
		reply(w, 200, m)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		good := o.access != "" && r.Header.Get("Authorization") == "Bearer "+o.access
		o.mu.Unlock()
		if !good {
			w.Header().Set("WWW-Authenticate", `Bearer`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	o.Server = httptest.NewServer(mux)
	t.Cleanup(o.Close)
	return o
}

// browser opens the page, follows where it is sent, and returns what it is shown.
func browser(t *testing.T, shown *string) LoginUI {
	return LoginUI{Show: func(page string) {
		resp, err := http.Get(page)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		*shown = string(b)
	}}
}

func signInHome(t *testing.T, o *oauthServer, oauth string) (*home, *Manager) {
	h := newHome(t)
	if oauth != "" {
		oauth = `, "oauth": ` + oauth
	}
	h.write(fmt.Sprintf(`"test": {"url": %q%s}`, o.URL+"/mcp", oauth))
	m := h.manager()
	t.Cleanup(m.Close)
	return h, m
}

func TestSignIn(t *testing.T) {
	o := newOAuthServer(t)
	h, m := signInHome(t, o, "")
	m.Wait(t.Context())
	if s := statusOf(t, m, "test"); s.State != NeedsSignIn {
		t.Fatalf("%s: %s", s.State, s.Err)
	}
	var shown string
	if err := m.Login(t.Context(), "test", browser(t, &shown)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown, "Signed in. You can close this page.") {
		t.Errorf("the browser shows %q", shown)
	}
	if s := statusOf(t, m, "test"); s.State != Connected {
		t.Fatalf("after signing in: %s: %s", s.State, s.Err)
	}
	if got := textOf(call(t, m, "mcp__test__echo", `{"text":"x"}`)); got != "x" {
		t.Errorf("%s", got)
	}
	if c := o.clients[0]; !strings.Contains(c, `"client_name":"bough"`) || !strings.Contains(c, `http://127.0.0.1:`) || !strings.Contains(c, "refresh_token") {
		t.Errorf("registered as %s", c)
	}
	fi, err := os.Stat(m.tokens().path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("file of tokens: %v, %v", fi, err)
	}

	// A token that the server does not take any more is refreshed unasked, by one of
	// several that need it.
	o.mu.Lock()
	o.access = "another"
	o.mu.Unlock()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := textOf(call(t, m, "mcp__test__echo", `{"text":"y"}`)); got != "y" {
				t.Errorf("%s", got)
			}
		})
	}
	wg.Wait()
	if o.refreshes != 1 {
		t.Errorf("%d refreshes", o.refreshes)
	}

	// The next start needs no sign-in.
	second := New(h.o)
	t.Cleanup(second.Close)
	second.Wait(t.Context())
	if s := statusOf(t, second, "test"); s.State != Connected {
		t.Errorf("next time: %s: %s", s.State, s.Err)
	}

	was, err := m.Logout(t.Context(), "test")
	if err != nil || !was {
		t.Errorf("sign out: %v, %v", was, err)
	}
	if b, _ := os.ReadFile(m.tokens().path); strings.Contains(string(b), "access-") || strings.Contains(string(b), "refresh-") {
		t.Errorf("still there: %s", b)
	}
	if was, err := m.Logout(t.Context(), "test"); err != nil || was {
		t.Errorf("sign out again: %v, %v", was, err)
	}
	if out := call(t, m, "mcp__test__echo", `{"text":"x"}`); !strings.Contains(textOf(out), "bough mcp login test") {
		t.Errorf("a call without a sign-in: %s", textOf(out))
	}
}

func TestTokenThatEndsIsRefreshed(t *testing.T) {
	o := newOAuthServer(t)
	o.lifetime = 5 // less than the time before its end at which a token is refreshed
	_, m := signInHome(t, o, "")
	var shown string
	if err := m.Login(t.Context(), "test", browser(t, &shown)); err != nil {
		t.Fatal(err)
	}
	o.lifetime = 3600
	o.refreshes = 0
	m.Wait(t.Context())
	if s := statusOf(t, m, "test"); s.State != Connected || o.refreshes != 1 {
		t.Errorf("%s: %s; %d refreshes", s.State, s.Err, o.refreshes)
	}
	// A sign-in that is over asks for a new one.
	o.mu.Lock()
	o.access, o.refresh = "gone", "gone"
	o.mu.Unlock()
	if err := m.Reconnect(t.Context(), "test"); err == nil || !strings.Contains(err.Error(), "bough mcp login test") {
		t.Errorf("%v", err)
	}
	if s := statusOf(t, m, "test"); s.State != NeedsSignIn {
		t.Errorf("%s: %s", s.State, s.Err)
	}
}

func TestSignInThatFails(t *testing.T) {
	for _, tt := range []struct {
		name, oauth string
		change      func(*oauthServer)
		want        string
	}{
		{"is refused", "", func(o *oauthServer) { o.deny = true }, "signing in to test: access_denied not <you>"},
		{"no unknown clients", "", func(o *oauthServer) { o.noClients = true }, "test does not take clients it does not know: give it a registered one with oauth.clientId in"},
		{"a document that there is none of", `{"clientRegistration":"cimd"}`, nil, "bough has none of: use dcr, or give a clientId"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newOAuthServer(t)
			if tt.change != nil {
				tt.change(o)
			}
			_, m := signInHome(t, o, tt.oauth)
			var shown string
			err := m.Login(t.Context(), "test", browser(t, &shown))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if strings.Contains(shown, "<you>") {
				t.Errorf("the page takes words of others for its own: %s", shown)
			}
			if _, err := os.Stat(m.tokens().path); err == nil {
				t.Error("something was kept")
			}
		})
	}
	t.Run("is given up", func(t *testing.T) {
		o := newOAuthServer(t)
		_, m := signInHome(t, o, "")
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := m.Login(ctx, "test", LoginUI{}); err == nil || !strings.Contains(err.Error(), "the sign-in to test was given up") {
			t.Errorf("%v", err)
		}
	})
	t.Run("is not needed", func(t *testing.T) {
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return testServer("ok") }, nil))
		defer web.Close()
		h := newHome(t)
		h.write(fmt.Sprintf(`"test": {"url": %q}, "key": {"url": %q, "headers": {"authorization": "x"}}, "cmd": {"command": "true"}`, web.URL, web.URL))
		m := h.manager()
		for name, want := range map[string]string{"test": "let bough in without a sign-in", "key": "has an Authorization header", "cmd": "is started by a command", "gone": `there is no MCP server "gone"`} {
			if err := m.Login(t.Context(), name, LoginUI{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A person pastes the address that the browser of another machine was sent to.
func TestPastedAnswer(t *testing.T) {
	o := newOAuthServer(t)
	_, m := signInHome(t, o, `{"clientId":"mine","clientSecret":"$SECRET","callbackUrl":"http://localhost/back","scope":"one two"}`)
	page := make(chan string, 1)
	n := 0
	err := m.Login(t.Context(), "test", LoginUI{Show: func(p string) { page <- p }, Paste: func(context.Context) (string, error) {
		if n++; n == 1 {
			return "http://localhost/back?code=x&state=wrong", nil
		}
		p := <-page
		u, err := url.Parse(p)
		if err != nil {
			return "", err
		}
		q := u.Query()
		if q.Get("client_id") != "mine" || q.Get("scope") != "one two" && q.Get("scope") != "two one" || !strings.HasPrefix(q.Get("redirect_uri"), "http://localhost:") || !strings.HasSuffix(q.Get("redirect_uri"), "/back") ||
			q.Get("code_challenge_method") != "S256" || q.Get("resource") == "" {
			t.Errorf("the page is %s", p)
		}
		return " " + q.Get("redirect_uri") + "?code=the-code&state=" + q.Get("state") + "\n", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context())
	if s := statusOf(t, m, "test"); s.State != Connected {
		t.Errorf("%s: %s", s.State, s.Err)
	}
}

// A server that says nothing of where to sign in is helped by the configuration.
func TestNamedMetadata(t *testing.T) {
	o := newOAuthServer(t)
	o.hidden = true
	_, m := signInHome(t, o, fmt.Sprintf(`{"authServerMetadataUrl":%q}`, o.URL+"/about"))
	var shown string
	if err := m.Login(t.Context(), "test", browser(t, &shown)); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context())
	if s := statusOf(t, m, "test"); s.State != Connected {
		t.Errorf("%s: %s", s.State, s.Err)
	}
}

func TestDamagedFileOfTokens(t *testing.T) {
	o := newOAuthServer(t)
	h, m := signInHome(t, o, "")
	file := filepath.Join(h.o.Paths.Agent, filepath.Base(m.tokens().path))
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context())
	if s := statusOf(t, m, "test"); s.State != Failed || !strings.Contains(s.Err, "is no JSON object") {
		t.Errorf("%s: %s", s.State, s.Err)
	}
	if b, _ := os.ReadFile(file); string(b) != "{broken" {
		t.Errorf("the file was changed: %s", b)
	}
}
