package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/oauth2"

	"github.com/boughdev/bough/internal/rawjson"
)

// metadata is the way of the questions of discovery. It keeps the answers, and
// gives those of the document that the configuration names, if it does
// (oauth.authServerMetadataUrl).
type metadata struct {
	base          http.RoundTripper
	url, resource string

	mu                 sync.Mutex
	ofServer, ofIssuer []byte // RFC 9728 and RFC 8414; guarded by mu
}

// maxMetadata is the longest document that is taken, in bytes.
const maxMetadata = 1 << 20

func (m *metadata) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/.well-known/") {
		return m.base.RoundTrip(r)
	}
	resp, err := m.answer(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	doc, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata))
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(doc)), int64(len(doc))
	if rawjson.Valid(doc) && rawjson.Kind(doc) == '{' {
		m.mu.Lock()
		defer m.mu.Unlock()
		if strings.Contains(r.URL.Path, "/.well-known/oauth-protected-resource") {
			m.ofServer = doc
		} else {
			m.ofIssuer = doc
		}
	}
	return resp, nil
}

// entry is a sign-in as it is kept.
func (m *metadata) entry(server, back string, c *oauth2.Config, o *oauth2.Token) ([]byte, error) {
	t := token{Scope: strings.Join(c.Scopes, " ")}
	t.set(o)
	tokens, err := t.tokens()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	issuer, _ := rawjson.GetString(m.ofIssuer, "issuer")
	if issuer == "" {
		u, err := url.Parse(c.Endpoint.TokenURL)
		if err != nil {
			return nil, err
		}
		issuer = u.Scheme + "://" + u.Host
		if m.ofIssuer, err = json.Marshal(map[string]any{"issuer": issuer, "authorization_endpoint": c.Endpoint.AuthURL,
			"token_endpoint": c.Endpoint.TokenURL, "response_types_supported": []string{"code"}}); err != nil {
			return nil, err
		}
	}
	method := "none"
	switch {
	case c.ClientSecret != "" && c.Endpoint.AuthStyle == oauth2.AuthStyleInHeader:
		method = "client_secret_basic"
	case c.ClientSecret != "":
		method = "client_secret_post"
	}
	type discovery struct {
		URL      string          `json:"authorizationServerUrl"`
		Metadata json.RawMessage `json:"authorizationServerMetadata"`
		Resource json.RawMessage `json:"resourceMetadata,omitempty"`
	}
	type client struct {
		ID           string   `json:"client_id"`
		Secret       string   `json:"client_secret,omitempty"`
		RedirectURIs []string `json:"redirect_uris"`
		Method       string   `json:"token_endpoint_auth_method"`
	}
	return json.Marshal(struct {
		URL       string          `json:"serverUrl"`
		Discovery discovery       `json:"discovery"`
		Client    client          `json:"clientInformation"`
		Tokens    json.RawMessage `json:"tokens"`
		Expires   int64           `json:"tokensExpireAt,omitempty"`
	}{server, discovery{issuer, m.ofIssuer, m.ofServer}, client{c.ClientID, c.ClientSecret, []string{back}, method}, tokens, t.Expires})
}

func (m *metadata) answer(r *http.Request) (*http.Response, error) {
	if m.url == "" || r.URL.String() == m.url {
		return m.base.RoundTrip(r)
	}
	doc, err := m.fetch(r.Context())
	if err != nil {
		return nil, fmt.Errorf("oauth.authServerMetadataUrl: %w", err)
	}
	if strings.Contains(r.URL.Path, "/.well-known/oauth-protected-resource") {
		var d struct {
			Issuer string `json:"issuer"`
		}
		if err := json.Unmarshal(doc, &d); err != nil || d.Issuer == "" {
			return nil, errors.New("oauth.authServerMetadataUrl names a document without an issuer")
		}
		root := m.resource
		if u, err := url.Parse(m.resource); err == nil && strings.HasSuffix(r.URL.Path, "/oauth-protected-resource") {
			u.Path = ""
			root = u.String()
		}
		if doc, err = json.Marshal(map[string]any{"resource": root, "authorization_servers": []string{d.Issuer}}); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(doc)), ContentLength: int64(len(doc))}, nil
}

func (m *metadata) fetch(ctx context.Context) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := m.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", m.url, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxMetadata))
}
