package remote_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// ask sends a request as a program would, changed by edit.
func (w *world) ask(method, path, body string, edit func(*http.Request)) (int, string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.http.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if edit != nil {
		edit(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(resp.Header["Access-Control-Allow-Origin"]) > 0 {
		w.t.Errorf("%s %s allows other origins", method, path)
	}
	if strings.Contains(string(b), secret) {
		w.t.Errorf("%s %s gives the token away: %s", method, path, b)
	}
	return resp.StatusCode, string(b)
}

func set(key, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(key, value) }
}

func TestWhoMayAsk(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	do, events := "/api/v1/do?session="+id, "/api/v1/events?session="+id
	state := `{"type":"get_state"}`
	for _, tt := range []struct {
		name, method, path, body string
		edit                     func(*http.Request)
		want                     int
	}{
		{"a program with the token", "POST", do, state, nil, 200},
		{"no token", "POST", do, state, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"no token for events", "GET", events, "", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"an empty token", "POST", do, state, set("Authorization", "Bearer "), 401},
		{"another token", "POST", do, state, set("Authorization", "Bearer "+secret[:63]+"0"), 401},
		{"the beginning of the token", "POST", do, state, set("Authorization", "Bearer "+secret[:63]), 401},
		{"the token as a password", "POST", do, state, func(r *http.Request) { r.SetBasicAuth("bearer", secret) }, 401},
		{"the token in the address", "POST", do + "&token=" + secret, state, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a cookie", "POST", do, state, func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Cookie", "token="+secret) }, 401},
		{"another name that points here", "POST", do, state, func(r *http.Request) { r.Host = "evil.example:80" }, 421},
		{"another name, events", "GET", events, "", func(r *http.Request) { r.Host = "evil.example" }, 421},
		{"a name that begins as ours", "POST", do, state, func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 421},
		{"an address of the network", "POST", do, state, func(r *http.Request) { r.Host = "192.168.1.5:80" }, 421},
		{"our name", "POST", do, state, func(r *http.Request) { r.Host = "LocalHost:9" }, 200},
		{"our name in version 6", "POST", do, state, func(r *http.Request) { r.Host = "[::1]:9" }, 200},
		{"a page of another site", "POST", do, state, set("Origin", "https://evil.example"), 403},
		{"a page on another port", "POST", do, state, set("Origin", "http://127.0.0.1:1"), 403},
		{"a page of nowhere", "POST", do, state, set("Origin", "null"), 403},
		{"a page of another site reads events", "GET", events, "", set("Origin", "https://evil.example"), 403},
		{"a request across sites", "POST", do, state, set("Sec-Fetch-Site", "cross-site"), 403},
		{"a request across sites for events", "GET", events, "", set("Sec-Fetch-Site", "same-site"), 403},
		{"our own page", "POST", do, state, func(r *http.Request) {
			r.Header.Set("Origin", "http://"+r.URL.Host)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}, 200},
		{"a form", "POST", do, state, set("Content-Type", "text/plain"), 415},
		{"a form of a browser", "POST", do, state, set("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"no type", "POST", do, state, func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		{"a type with a charset", "POST", do, state, set("Content-Type", "application/json; charset=utf-8"), 200},
		{"commands by GET", "GET", do, "", nil, 405},
		{"a preflight", "OPTIONS", do, "", nil, 405},
		{"health", "GET", "/api/v1/health", "", func(r *http.Request) { r.Header.Del("Authorization") }, 200},
		{"health under another name", "GET", "/api/v1/health", "", func(r *http.Request) { r.Host = "evil.example" }, 421},
		{"something else", "GET", "/etc/passwd", "", nil, 404},
		{"a way out", "GET", "/api/v1/../../etc/passwd", "", nil, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			got, body := w.ask(tt.method, tt.path, tt.body, tt.edit)
			if got != tt.want {
				t.Errorf("status %d, want %d: %s", got, tt.want, body)
			}
		})
	}
	w.t = t
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	w := newWorld(t)
	id, file := w.begun()
	do := "/api/v1/do?session=" + id
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, tt := range []struct {
		name, path, body string
		want             int
		says             string
	}{
		{"nothing", do, " ", 400, "no JSON at byte 0"},
		{"half a command", do, `{"type":"prompt"`, 400, "no JSON"},
		{"no object", do, `[1]`, 400, "with its name"},
		{"no command", do, `{"type":"fly"}`, 404, "Unknown command: fly"},
		{"a field of another type", do, `{"type":"prompt","message":7}`, 400, `the field \"message\" of prompt must be a text`},
		{"very deep", do, `{"type":"prompt","message":` + deep + `}`, 400, "message"},
		{"two sessions", "/api/v1/do?session=" + id + "&client=x", `{"type":"get_state"}`, 400, "?client=ID or ?session=ID"},
		{"no session", "/api/v1/do", `{"type":"get_state"}`, 400, "?client=ID or ?session=ID"},
		{"a session that is none", "/api/v1/do?session=nope", `{"type":"get_state"}`, 404, "no session nope"},
		{"a path as a session", "/api/v1/do?session=" + file, `{"type":"get_state"}`, 400, "takes the id"},
		{"a client that is none", "/api/v1/do?client=nope", `{"type":"get_state"}`, 404, "no such client"},
		{"a session as a client", "/api/v1/do?client=session%20" + id, `{"type":"get_state"}`, 404, "no such client"},
		{"going over without a client", do, `{"type":"clone"}`, 400, "needs a client of your own"},
		{"what to open is no object", "/api/v1/open", `7`, 400, "what to open is an object"},
		{"an empty session", "/api/v1/open", `{"session":""}`, 400, "is empty"},
		{"what to open has another type", "/api/v1/open", `{"session":7}`, 400, `the field \"session\" of open must be a text`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			got, body := w.ask("POST", tt.path, tt.body, nil)
			if got != tt.want || !strings.Contains(body, tt.says) || !rawjson.Valid([]byte(body)) {
				t.Errorf("status %d, %s; want %d, %s", got, body, tt.want, tt.says)
			}
		})
	}
	w.t = t
	for path, want := range map[string]string{"&form=xml": "?form= is", "#": ""} {
		if want == "" {
			continue
		}
		if got, body := w.ask("GET", "/api/v1/events?session="+id+path, "", nil); got != 400 || !strings.Contains(body, want) {
			t.Errorf("%d %s", got, body)
		}
	}
	if got, body := w.ask("GET", "/api/v1/events?session="+id, "", set("Last-Event-ID", "-1")); got != 400 {
		t.Errorf("%d %s", got, body)
	}
	if got, body := w.ask("DELETE", "/api/v1/clients/nope", "", nil); got != 404 {
		t.Errorf("%d %s", got, body)
	}
}

// leased is a door to a session that another process has.
type leased session.LeasedError

func (l *leased) Open(context.Context, protocol.Open) (protocol.Client, func(), error) {
	return nil, nil, (*session.LeasedError)(l)
}

// Whoever asks for a session that another process has is told where that is.
func TestASessionOfAnotherProcess(t *testing.T) {
	for addr, want := range map[string]string{"127.0.0.1:9": "process 7). That one answers at http://127.0.0.1:9", "": "nobody can join"} {
		w := &world{t: t}
		w.http = httptest.NewServer((&remote.Server{Door: &leased{Addr: addr, PID: 7}, Tokens: []remote.Key{{Token: secret, Role: remote.Owner}}}).Handler())
		t.Cleanup(w.http.Close)
		for path, body := range map[string]string{"open": `{"session":"x"}`, "do?session=x": `{"type":"get_state"}`} {
			if got, body := w.ask("POST", "/api/v1/"+path, body, nil); got != 409 || !strings.Contains(body, `"code":"busy"`) || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s", path, got, body)
			}
		}
		if got, body := w.ask("GET", "/api/v1/events?session=x", "", nil); got != 409 || !strings.Contains(body, want) {
			t.Errorf("events: %d %s", got, body)
		}
	}
}

func TestRoles(t *testing.T) {
	w := newWorld(t)
	id, file := w.begun()
	viewer, operator := strings.Repeat("v", 64), strings.Repeat("o", 64)
	s := &remote.Server{Door: w.door, Tokens: append(w.s.Tokens, remote.Key{Token: viewer, Role: remote.Viewer}, remote.Key{Token: operator, Role: remote.Operator},
		remote.Key{Token: "", Role: remote.Owner})}
	t.Cleanup(s.Close)
	w.swap(s.Handler())
	can := func(token, path, body string) bool {
		got, _ := w.ask("POST", path, body, set("Authorization", "Bearer "+token))
		return got != 403
	}
	do := "/api/v1/do?session=" + id
	for _, tt := range []struct {
		name, path, body              string
		byViewer, byOperator, byOwner bool
	}{
		{"look", do, `{"type":"get_state"}`, true, true, true},
		{"say", do, `{"type":"set_label","entryId":"A","label":"x"}`, false, true, true},
		{"set", do, `{"type":"set_setting","key":"theme","value":"x"}`, false, false, true},
		{"open", "/api/v1/open", `{"session":"` + id + `"}`, true, true, true},
		{"open a path", "/api/v1/open", `{"session":"` + file + `"}`, false, true, true},
		{"open a new one", "/api/v1/open", `{}`, false, true, true},
		{"stand elsewhere", "/api/v1/open", `{"session":"` + id + `","entryId":"A"}`, false, true, true},
	} {
		if got := can(viewer, tt.path, tt.body); got != tt.byViewer {
			t.Errorf("a viewer can %s: %v", tt.name, got)
		}
		if got := can(operator, tt.path, tt.body); got != tt.byOperator {
			t.Errorf("an operator can %s: %v", tt.name, got)
		}
		if got := can(secret, tt.path, tt.body); got != tt.byOwner {
			t.Errorf("an owner can %s: %v", tt.name, got)
		}
	}
}

// Every command has its row in the table of roles.
func TestEveryCommandHasARole(t *testing.T) {
	for _, name := range protocol.CommandNames() {
		role, listed := remote.Needs(name)
		if !listed {
			t.Errorf("%s is in no row", name)
		}
		if changes := !strings.HasPrefix(name, "get_") && name != "sync" && !strings.HasSuffix(name, "_sessions"); changes != (role > remote.Viewer) {
			t.Errorf("%s needs the role %s", name, role)
		}
	}
	if role, listed := remote.Needs("of_tomorrow"); role != remote.Owner || listed {
		t.Errorf("an unknown command needs the role %s", role)
	}
}

func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "token")
	var all sync.WaitGroup
	tokens := make([]string, 8)
	for i := range tokens {
		all.Go(func() {
			var err error
			if tokens[i], err = remote.Token(file); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, token := range tokens {
		if token != tokens[0] || len(token) != 64 {
			t.Errorf("tokens %q", tokens)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".token-*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := remote.Token(file); err == nil || !strings.Contains(err.Error(), "delete the file") {
			t.Errorf("a token that others can read: %v", err)
		}
	}
	for _, text := range []string{"", "short\n", strings.Repeat("a b", 30)} {
		bad := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := remote.Token(bad); err == nil || strings.Contains(err.Error(), "short") {
			t.Errorf("%q is %q, %v", text, token, err)
		}
	}
}

// A key stands for one command: another one under it is refused and not answered with
// what came of the first.
func TestAKeyIsOfOneCommand(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	path := "/api/v1/do?session=" + id
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"type":"append_message","role":"user","content":"once"}`, 200, `"entryId"`},
		{`{"type":"append_message","role":"user","content":"once"}`, 200, `"entryId"`},
		{`{"type":"append_message","role":"user","content":"twice"}`, 400, "of another command"},
		{`{"type":"get_state"}`, 400, "of another command"},
	} {
		if status, got := w.ask("POST", path, tt.body, set("Idempotency-Key", "k")); status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %d %s", tt.body, status, got)
		}
	}
}
