package google

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

func vertexInfo(base string) provider.Info {
	return provider.Info{ID: "gemini-2.5-flash", API: "google-vertex", Provider: "google-vertex", BaseURL: base, Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
		Cost: provider.Price{Input: 1, Output: 2}}
}

func TestVertexModel(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model {
		return NewVertex(provider.Endpoint{Info: vertexInfo(base), Key: func(context.Context) (string, error) { return providertest.Key, nil }})
	})
}

const catalogBase = "https://{location}-aiplatform.googleapis.com"

// tokenServer gives tokens, and catches what is asked of the model.
type tokenServer struct{ catcher }

func (s *tokenServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "oauth2.googleapis.com" {
		return s.catcher.RoundTrip(r)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"access_token":"ya29.secret","expires_in":3600}`)), Request: r}, nil
}

func TestVertexPlaces(t *testing.T) {
	login := filepath.Join(t.TempDir(), "login.json")
	if err := os.WriteFile(login, []byte(`{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r","quota_project_id":"pays"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, base string
		key        bool
		env        map[string]string
		want       string // URL, or part of the error
		pays       string
	}{
		{"a key", catalogBase, true, map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "us-east1"}, "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/gemini-2.5-flash", ""},
		{"a key, elsewhere", "http://proxy.example/vertex/v1", true, nil, "http://proxy.example/vertex/v1/publishers/google/models/gemini-2.5-flash", ""},
		{"a login", "", false, map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "us-east1"}, "https://us-east1-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-east1/publishers/google/models/gemini-2.5-flash", "pays"},
		{"anywhere", catalogBase, false, map[string]string{"GOOGLE_CLOUD_LOCATION": "global"}, "https://aiplatform.googleapis.com/v1beta1/projects/pays/locations/global/publishers/google/models/gemini-2.5-flash", "pays"},
		{"in Europe", catalogBase, false, map[string]string{"GCLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "eu"}, "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu/publishers/google/models/gemini-2.5-flash", "pays"},
		{"a project that is none", catalogBase, false, map[string]string{"GOOGLE_CLOUD_PROJECT": "p/../q", "GOOGLE_CLOUD_LOCATION": "global"}, "https://aiplatform.googleapis.com/v1beta1/projects/p%2F..%2Fq/locations/global/publishers/google/models/gemini-2.5-flash", "pays"},
		{"a location that is none", catalogBase, false, map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "evil.example/"}, "is no URL", ""},
		{"no location", catalogBase, false, map[string]string{"GOOGLE_CLOUD_PROJECT": "p"}, "set GOOGLE_CLOUD_LOCATION", ""},
		{"no login", catalogBase, false, map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l", "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/at/all"}, "there is no such file", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s tokenServer
			ep := provider.Endpoint{Info: vertexInfo(tt.base), Client: &http.Client{Transport: &s}, Getenv: func(name string) string {
				if v, ok := tt.env[name]; ok || name != "GOOGLE_APPLICATION_CREDENTIALS" {
					return v
				}
				return login
			}}
			if tt.key {
				ep.Key = key("k1")
			}
			err := s.ask(t, NewVertex(ep))
			if s.url == "" {
				if provider.KindOf(err) == "" || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %s", err, tt.want)
				}
				return
			}
			if s.url != tt.want+":streamGenerateContent?alt=sse" {
				t.Errorf("%s, want %s", s.url, tt.want)
			}
			if k, b := s.header.Get("x-goog-api-key"), s.header.Get("Authorization"); tt.key && (k != "k1" || b != "") || !tt.key && (k != "" || b != "Bearer ya29.secret") {
				t.Errorf("key %q, bearer %q", k, b)
			}
			if got := s.header.Get("x-goog-user-project"); got != tt.pays {
				t.Errorf("%q pays, want %q", got, tt.pays)
			}
		})
	}
}

// What is wrong with a login is said in a sentence, and what is no fault of the
// login is tried again.
func TestVertexLogins(t *testing.T) {
	for _, tt := range []struct {
		name, token string
		kind        provider.Kind
		want        string
	}{
		{"a login that has ended", `{"error":"invalid_grant","error_description":"Bad Request"}`, provider.Auth, "(invalid_grant, Bad Request); run"},
		{"no network", "", provider.Transient, "no way"},
	} {
		file := filepath.Join(t.TempDir(), "login.json")
		if err := os.WriteFile(file, []byte(`{"type":"authorized_user","client_id":"c","client_secret":"hush","refresh_token":"hush"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": file, "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "global"}
		var s catcher
		err := s.ask(t, NewVertex(provider.Endpoint{Info: vertexInfo(""), Getenv: func(name string) string { return env[name] }, Client: &http.Client{Transport: answers(tt.token)}}))
		if provider.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "API key") {
			t.Errorf("%s: %s %v", tt.name, provider.KindOf(err), err)
		}
	}
}

// answers refuses with a text, or cannot be reached.
type answers string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if a == "" {
		return nil, errors.New("no way")
	}
	return &http.Response{StatusCode: 400, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(a))), Request: r}, nil
}
