package googleauth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// tokens answers requests for tokens, whatever their address is.
type tokens struct {
	status int
	body   string
	wait   chan struct{} // before the answer; nil: none

	mu    sync.Mutex
	asked []string // addresses and bodies; guarded by mu
}

func (s *tokens) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.String()+" "+string(body))
	s.mu.Unlock()
	if s.status == 0 {
		return nil, errors.New("no such host")
	}
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return &http.Response{StatusCode: s.status, Status: fmt.Sprint(s.status, " ", http.StatusText(s.status)), Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(s.body)), Request: r}, nil
}

// login writes a file and returns a login that finds it, and where it is.
func login(t *testing.T, file string, s *tokens) (*Login, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Login{Env: vars{"GOOGLE_APPLICATION_CREDENTIALS": path}.get, Client: &http.Client{Transport: s}}, path
}

type vars map[string]string

func (v vars) get(name string) string { return v[name] }

const user = `{"type":"authorized_user","client_id":"c","client_secret":"hush","refresh_token":"hush-too","quota_project_id":"pays"}`

func TestUser(t *testing.T) {
	s := &tokens{status: 200, body: `{"access_token":"ya29.x","expires_in":3600,"token_type":"Bearer"}`}
	l, _ := login(t, user, s)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := l.Token(t.Context()); got != "ya29.x" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	all.Wait()
	if len(s.asked) != 1 || !strings.HasPrefix(s.asked[0], "https://oauth2.googleapis.com/token ") || !strings.Contains(s.asked[0], "refresh_token=hush-too") {
		t.Errorf("asked %q", s.asked)
	}
	l.token.Expiry = time.Now() // as it is an hour later
	if _, err := l.Token(t.Context()); err != nil || len(s.asked) != 2 {
		t.Errorf("%v, asked %q", err, s.asked)
	}
}

func TestServiceAccount(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	s := &tokens{status: 200, body: `{"access_token":"t","expires_in":3600,"token_type":"Bearer"}`}
	l, path := login(t, `{"type":"service_account","project_id":"mine","private_key_id":"7","client_email":"bough@mine.iam","token_uri":"https://tokens.example/t","private_key":`+string(rawjson.Quote(text))+`}`, s)
	if got, err := l.Token(t.Context()); got != "t" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	_, assertion, _ := strings.Cut(s.asked[0], "assertion=")
	assertion, _, _ = strings.Cut(assertion, "&")
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(assertion, ".")[1])
	if err != nil || !strings.Contains(string(claims), `"bough@mine.iam"`) || !strings.Contains(string(claims), scope) || !strings.HasPrefix(s.asked[0], "https://tokens.example/t ") {
		t.Errorf("asked %q with %s, %v", s.asked[0], claims, err)
	}
	f, err := Find(vars{"GOOGLE_APPLICATION_CREDENTIALS": path}.get)
	if err != nil || f.Project != "mine" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		s          *tokens
		want       string
	}{
		{"a login that has ended", user, &tokens{status: 400, body: `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`}, "(invalid_grant, Token has been expired or revoked.); run \"gcloud auth"},
		{"no words to it", user, &tokens{status: 503, body: `hush`}, "(503 Service Unavailable); run"},
		{"an answer without token", user, &tokens{status: 200, body: `{}`}, "cannot be used"},
		{"no network", user, &tokens{}, "Google's sign-in cannot be reached: no such host"},
		{"no JSON", "ya29", &tokens{}, "is no JSON, so no Google Cloud login; run"},
		{"a type of tomorrow", `{"type":"hologram"}`, &tokens{}, `of type "hologram", which bough does not know`},
		{"no type", `[]`, &tokens{}, `of type ""`},
		{"a key that is none", `{"type":"service_account","private_key":"hush","client_email":"x","token_uri":"https://tokens.example/t"}`, &tokens{}, "cannot be read; run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := login(t, tt.file, tt.s)
			_, err := l.Token(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// Who waits for a token may stop waiting, be it for the server or for another.
func TestAbort(t *testing.T) {
	s := &tokens{status: 200, body: `{"access_token":"t","expires_in":3600}`, wait: make(chan struct{})}
	l, _ := login(t, user, s)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if _, err := l.Token(ctx); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	cancel()
	all.Wait()
	close(s.wait)
	if got, err := l.Token(t.Context()); got != "t" || err != nil {
		t.Errorf("later: %q, %v", got, err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "application_default_credentials.json")
	if _, err := Find(vars{"CLOUDSDK_CONFIG": dir}.get); err != ErrNone {
		t.Error(err)
	}
	if _, err := Find(vars{}.get); err != ErrNone {
		t.Error(err)
	}
	if _, err := Find(vars{"CLOUDSDK_CONFIG": dir, "GOOGLE_APPLICATION_CREDENTIALS": filepath.Join(dir, "gone")}.get); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Error(err)
	}
	if _, err := Find(vars{"GOOGLE_APPLICATION_CREDENTIALS": dir}.get); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte(user), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Find(vars{"CLOUDSDK_CONFIG": dir}.get)
	if err != nil || f.Path != file || f.Type != "authorized_user" || f.QuotaProject != "pays" {
		t.Errorf("%+v, %v", f, err)
	}
	for _, tt := range []struct {
		env  vars
		want string
	}{
		{vars{"GOOGLE_CLOUD_PROJECT": "p", "GCLOUD_PROJECT": "q", "GOOGLE_CLOUD_LOCATION": "l"}, "p l <nil>"},
		{vars{"GCLOUD_PROJECT": "q", "GOOGLE_CLOUD_LOCATION": "l"}, "q l <nil>"},
		{vars{"GOOGLE_CLOUD_LOCATION": "l"}, "pays l <nil>"},
		{vars{}, "  set GOOGLE_CLOUD_LOCATION to a location of Vertex AI, such as \"global\" or \"us-central1\""},
	} {
		project, location, err := f.Place(tt.env.get)
		if got := fmt.Sprint(project, " ", location, " ", err); got != tt.want {
			t.Errorf("%v: %s", tt.env, got)
		}
	}
	if _, _, err := (File{}).Place(vars{"GOOGLE_CLOUD_LOCATION": "l"}.get); err == nil || !strings.Contains(err.Error(), "GOOGLE_CLOUD_PROJECT") {
		t.Error(err)
	}
}
