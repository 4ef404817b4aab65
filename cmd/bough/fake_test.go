package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fake starts a server of canned answers on this machine and puts its address
// into a variable: fake VARIABLE FILE. The file has "METHOD PATH": {"status",
// "type", "body"}; what it has not is 404, and a body that is no text is JSON. The
// key "tls" makes it an HTTPS server.
func fake(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: fake VARIABLE FILE")
	}
	var answers map[string]struct {
		Status int
		Type   string
		Body   any
		Key    string // that must come, or 401
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &answers))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if a.Key != "" && !strings.HasSuffix(r.Header.Get("Authorization"), a.Key) && r.Header.Get("X-Api-Key") != a.Key {
			a.Status, a.Body = 401, map[string]any{"error": map[string]any{"message": "invalid key"}}
		}
		if a.Type == "" {
			a.Type = "application/json"
		}
		w.Header().Set("Content-Type", a.Type)
		if a.Status != 0 {
			w.WriteHeader(a.Status)
		}
		if text, ok := a.Body.(string); ok {
			_, _ = w.Write([]byte(text))
			return
		}
		_ = json.NewEncoder(w).Encode(a.Body)
	})
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if _, ok := answers["tls"]; ok {
		s.StartTLS()
	} else {
		s.Start()
	}
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
	ts.Setenv(args[0]+"_HOST", strings.TrimPrefix(strings.TrimPrefix(s.URL, "http://"), "https://"))
}

// fill writes a file anew with the variables in it: fill FILE.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: fill FILE")
	}
	text := ts.ReadFile(args[0])
	for _, name := range []string{"URL", "TLS", "URL_HOST"} {
		text = strings.ReplaceAll(text, "{{"+name+"}}", ts.Getenv(name))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
