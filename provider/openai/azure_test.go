package openai

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/boughdev/bough/provider"
)

// On Azure the key has a header of its own, the deployment stands for the model,
// and there is a version in the query.
func TestAzureRequest(t *testing.T) {
	var seen *http.Request
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // a cut one shows below
		seen, body = r, string(b)
		w.WriteHeader(400)
	}))
	defer s.Close()
	ep := provider.Endpoint{Info: provider.Info{ID: "gpt-5.4", API: azure, Provider: "azure", BaseURL: s.URL + "/openai/v1?api-version=v1", MaxTokens: 1000},
		Deployment: "mine", Key: func(context.Context) (string, error) { return "k", nil }}
	for range New(ep).Stream(t.Context(), provider.Request{Messages: msgs(t, sys, hi), SessionID: "s"}) { // the answer is of no interest
	}
	if seen.URL.String() != "/openai/v1/responses?api-version=v1" || seen.Header.Get("Api-Key") != "k" || seen.Header.Get("Authorization") != "" || seen.Header.Get("Session-Id") != "" {
		t.Errorf("%s %v", seen.URL, seen.Header)
	}
	for _, want := range []string{`{"model":"mine",`, `"prompt_cache_key":"s"`, `"store":false`, `"strict":false`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	ep.AuthHeader = true
	for range New(ep).Stream(t.Context(), provider.Request{Messages: msgs(t, hi)}) { // nor is this one
	}
	if seen.Header.Get("Api-Key") != "" || seen.Header.Get("Authorization") != "Bearer k" {
		t.Errorf("with a token of Entra: %v", seen.Header)
	}
}
