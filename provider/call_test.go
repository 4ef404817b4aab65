package provider_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/provider"
)

func endpoint(base string) provider.Endpoint {
	return provider.Endpoint{
		Info: provider.Info{ID: "m", Provider: "p", BaseURL: base},
		Key:  func(context.Context) (string, error) { return "sk-very-secret\n", nil },
	}
}

// call makes a call and returns what came as "name|data".
func call(ctx context.Context, e provider.Endpoint, c provider.Call) (got []string, err error) {
	for ev, err := range e.Events(ctx, c) {
		if err != nil {
			return got, err
		}
		got = append(got, ev.Name+"|"+string(ev.Data))
	}
	return got, nil
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestCall(t *testing.T) {
	var seen *http.Request
	var body string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen, body = r, string(b)
		fmt.Fprint(w, "event: a\ndata: 1\n\ndata: 2\n\n")
	})
	e := endpoint(base + "/v1/?api-version=3")
	e.Headers = map[string]string{"x-extra": "yes", "user-agent": "mine", "host": "other.example"}
	got, err := call(t.Context(), e, provider.Call{Path: "/chat", Header: http.Header{"X-Codec": {"c"}}, Body: []byte(`{"a":1}`)})
	if err != nil || strings.Join(got, " ") != "a|1 |2" {
		t.Fatalf("%q, %v", got, err)
	}
	for name, want := range map[string]string{"Authorization": "Bearer sk-very-secret", "X-Extra": "yes", "X-Codec": "c", "User-Agent": "mine", "Content-Type": "application/json"} {
		if v := seen.Header.Get(name); v != want {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
	if seen.URL.String() != "/v1/chat?api-version=3" || body != `{"a":1}` || seen.Method != "POST" || seen.Host != "other.example" {
		t.Errorf("%s %s to %s: %s", seen.Method, seen.URL, seen.Host, body)
	}

	e.AuthHeader, e.Headers = false, nil
	if _, err := call(t.Context(), e, provider.Call{KeyHeader: "x-api-key"}); err != nil || seen.Header.Get("X-Api-Key") != "sk-very-secret" || seen.Header.Get("Authorization") != "" {
		t.Errorf("headers %v, %v", seen.Header, err)
	}
	e.AuthHeader = true
	if _, err := call(t.Context(), e, provider.Call{KeyHeader: "x-api-key"}); err != nil || seen.Header.Get("X-Api-Key") != "" || seen.Header.Get("Authorization") == "" {
		t.Errorf("headers %v, %v", seen.Header, err)
	}
	e.Key = nil
	if _, err := call(t.Context(), e, provider.Call{}); err != nil || seen.Header.Get("Authorization") != "" {
		t.Errorf("headers %v, %v", seen.Header, err)
	}
}

func TestOddAnswers(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("data: packed\n\n"))
	_ = z.Close()
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		kind   provider.Kind // "" if there is no error
		text   string
	}{
		{"packed without being asked", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		}, "|packed", "", ""},
		{"a byte order mark and empty lines", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "\xEF\xBB\xBF\r\n\r\ndata: a\n\n") }, "|a", "", ""},
		{"no stream", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, ` {"choices":[]} `) }, provider.Whole + `|{"choices":[]} `, "", ""},
		{"an error with a good status", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"error":{"message":"overloaded","code":503}}`)
		}, "", provider.Transient, "overloaded"},
		{"no stream, cut", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"choices":[`) }, "", provider.Transient, "unreadable"},
		{"a page", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "<!doctype html><title>Log in</title>")
		}, "", provider.Rejected, "base URL right? It says: Log in"},
		{"nothing", func(w http.ResponseWriter, r *http.Request) {}, "", "", ""},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/v1?key=sk-very-secret", http.StatusPermanentRedirect)
		}, "", provider.Rejected, "308: redirected to https://elsewhere.example/v1;"},
		{"the key in the answer", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":{"message":"bad key sk-very-secret","type":"x"}}`)
		}, "", provider.Auth, "bad key [key]"},
		{"cut", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "data: a\n\ndata: b\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "|a", provider.Transient, "cut"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := call(t.Context(), endpoint(serve(t, tt.answer)), provider.Call{})
			if strings.Join(got, " ") != tt.want || provider.KindOf(err) != tt.kind || (err != nil) != (tt.kind != "") || err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%q, %s %v, want %q, %s %s", got, provider.KindOf(err), err, tt.want, tt.kind, tt.text)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the key is in %q", err)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	_ = l.Close()
	for base, want := range map[string]provider.Kind{base: provider.Transient, "": provider.Rejected, "nonsense": provider.Rejected, "ftp://host": provider.Rejected, "http://[::1": provider.Rejected} {
		if _, err := call(t.Context(), endpoint(base), provider.Call{}); provider.KindOf(err) != want {
			t.Errorf("%q: %s, %v, want %s", base, provider.KindOf(err), err, want)
		}
	}
	e := endpoint(base)
	e.Key = func(context.Context) (string, error) { return "sk-very\nsecret", nil }
	if _, err := call(t.Context(), e, provider.Call{}); provider.KindOf(err) != provider.Auth || !strings.Contains(err.Error(), "line ends") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	e = endpoint(base)
	e.Headers = map[string]string{"X Bad": "v"}
	if _, err := call(t.Context(), e, provider.Call{}); provider.KindOf(err) != provider.Rejected || !strings.Contains(err.Error(), "cannot be sent") {
		t.Errorf("%v", err)
	}
	e.Key = func(context.Context) (string, error) { return "", errors.New("no key for p; set P_API_KEY") }
	if _, err := call(t.Context(), e, provider.Call{}); provider.KindOf(err) != provider.Auth || !strings.Contains(err.Error(), "set P_API_KEY") {
		t.Errorf("%v", err)
	}
}

func TestAbortIsPrompt(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  string
	}{{"before the headers", ""}, {"in the stream", "data: a\n\n"}} {
		t.Run(tt.name, func(t *testing.T) {
			gone := make(chan bool, 1)
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if tt.say != "" {
					fmt.Fprint(w, tt.say)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
				gone <- true
			})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			if _, err := call(ctx, endpoint(base), provider.Call{}); err != context.Canceled {
				t.Error(err)
			}
			<-gone
		})
	}
}

// A server that says nothing more is given up, and one that is slow is not.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		e := endpoint("http://p.example")
		e.Client = &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			context.AfterFunc(req.Context(), func() { _ = r.CloseWithError(req.Context().Err()) })
			return &http.Response{StatusCode: 200, Body: r, Request: req}, nil
		})}
		go func() {
			for range 3 {
				time.Sleep(9 * time.Minute)
				_, _ = io.WriteString(w, "data: a\n\n")
			}
		}()
		start := time.Now()
		got, err := call(t.Context(), e, provider.Call{})
		if len(got) != 3 || provider.KindOf(err) != provider.Transient || time.Since(start) != 37*time.Minute {
			t.Errorf("%q, %v after %v", got, err, time.Since(start))
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Who stops at the last event leaves the connection to the next call.
func TestConnectionIsUsedAgain(t *testing.T) {
	n := int32(0)
	for range 20 { // a busy server may end later than it is waited for
		if n = connections(t); n == 1 {
			return
		}
	}
	t.Errorf("%d connections for three calls", n)
}

func connections(t *testing.T) int32 {
	t.Helper()
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: a\n\ndata: [DONE]\n\n")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(time.Millisecond)
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	e := endpoint(s.URL)
	for range 3 {
		for ev, err := range e.Events(t.Context(), provider.Call{}) {
			if err != nil {
				t.Fatal(err)
			}
			if string(ev.Data) == "[DONE]" {
				break
			}
		}
	}
	return conns.Load()
}

// A server that goes on talking behind the end does not hold up who has heard it.
func TestChattyServer(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			fmt.Fprint(w, "data: a\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
		}
	})
	for range endpoint(base).Events(t.Context(), provider.Call{}) {
		break
	}
}
