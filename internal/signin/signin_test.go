package signin

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// exchange is the provider's side: it gives a key for the code "good" of who has
// the verifier.
func exchange(t *testing.T, challenge *string, status int, body string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]string
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Method != http.MethodPost {
			t.Errorf("%s %v", r.Method, err)
		}
		sum := sha256.Sum256([]byte(in["code_verifier"]))
		if in["code"] != "good" || in["code_challenge_method"] != "S256" || base64.RawURLEncoding.EncodeToString(sum[:]) != *challenge {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestKey(t *testing.T) {
	for _, tt := range []struct {
		name   string
		visit  func(back string) []string // the addresses that the browser goes to
		status int
		body   string
		want   string
		err    string
	}{
		{"a yes", func(b string) []string { return []string{b + "?code=good"} }, 200, `{"key":"sk-or-1","user_id":"u"}`, "sk-or-1", ""},
		{"what is not ours before", func(b string) []string {
			u, _ := url.Parse(b)
			return []string{u.Scheme + "://" + u.Host + "/favicon.ico", u.Scheme + "://" + u.Host + "/other?code=bad", b + "?code=good", b + "?code=bad"}
		}, 200, `{"key":"sk-or-1"}`, "sk-or-1", ""},
		{"a no", func(b string) []string { return []string{b + "?error=access_denied"} }, 200, "", "", "declined"},
		{"a wrong code", func(b string) []string { return []string{b + "?code=bad"} }, 200, "", "", "used or is too old"},
		{"a provider that is down", func(b string) []string { return []string{b + "?code=good"} }, 502, "<html>", "", "gave no key (502)"},
		{"no key", func(b string) []string { return []string{b + "?code=good"} }, 200, `{"key":""}`, "", "no key in it"},
		{"no JSON", func(b string) []string { return []string{b + "?code=good"} }, 200, `<html>`, "", "no key in it"},
		{"a key of two lines", func(b string) []string { return []string{b + "?code=good"} }, 200, `{"key":"a\nb"}`, "", "no key in it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var challenge string
			f := Flow{Provider: "Test", Authorize: "https://example.com/auth", Exchange: exchange(t, &challenge, tt.status, tt.body).URL}
			f.Show = func(address string) {
				u, err := url.Parse(address)
				if err != nil || !strings.HasPrefix(address, "https://example.com/auth?") || u.Query().Get("code_challenge_method") != "S256" {
					t.Errorf("address %s, %v", address, err)
				}
				challenge = u.Query().Get("code_challenge")
				back := u.Query().Get("callback_url")
				go func() {
					for _, to := range tt.visit(back) {
						if resp, err := http.Get(to); err == nil {
							resp.Body.Close()
						}
					}
				}()
			}
			got, err := f.Key(t.Context())
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q, %v; want %q, %q", got, err, tt.want, tt.err)
			}
			if err != nil && strings.Contains(err.Error(), challenge) {
				t.Errorf("too much is said: %v", err)
			}
		})
	}
}

// Who is asked by another name than that of this machine is no browser of ours.
func TestOtherHosts(t *testing.T) {
	c := &callback{state: "S", came: make(chan answer, 1)}
	for host, want := range map[string]int{"localhost:1": 200, "127.0.0.1:1": 200, "[::1]:1": 200, "evil.example:1": 404, "localhost": 404} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/S?code=x", nil)
		r.Host = host
		c.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
	}
}

func TestPasted(t *testing.T) {
	for _, tt := range []struct{ text, want, err string }{
		{"  abc \n", "abc", ""},
		{"http://localhost:5/S?code=abc", "abc", ""},
		{"http://localhost:5/OTHER?code=abc", "", "another sign-in"},
		{"http://localhost:5/S?error=x", "", "declined"},
		{"", "", "neither"},
		{"hello there", "", "neither"},
		{"http://[::1", "", "no address"},
	} {
		got, err := pasted(tt.text, "S")
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %q, %v", tt.text, got, err)
		}
	}
	var challenge string
	paste := make(chan string, 1)
	f := Flow{Exchange: exchange(t, &challenge, 200, `{"key":"k"}`).URL, Pasted: paste, Show: func(a string) {
		u, _ := url.Parse(a)
		challenge = u.Query().Get("code_challenge")
		paste <- u.Query().Get("callback_url") + "?code=good"
	}}
	if got, err := f.Key(t.Context()); got != "k" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	f := Flow{Show: func(string) { cancel(stopped) }}
	if _, err := f.Key(ctx); !errors.Is(err, stopped) {
		t.Errorf("stopped: %v", err)
	}
	f = Flow{Limit: time.Nanosecond}
	if _, err := f.Key(t.Context()); err == nil || !strings.Contains(err.Error(), "nobody signed in within 1ns") {
		t.Errorf("too late: %v", err)
	}
	// The exchange is broken off too.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stopped)
		defer cancel()
		hangs := roundTrip(func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() })
		f := Flow{Exchange: "http://x/", Client: &http.Client{Transport: hangs}}
		if _, err := f.exchange(ctx, "c", "v"); !errors.Is(err, stopped) {
			t.Errorf("an exchange that hangs: %v", err)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
