package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// refreshEarly is how long before its end a token counts as ended.
const refreshEarly = 30 * time.Second

// refreshLimit is how long a refresh may take.
const refreshLimit = 30 * time.Second

// oauth returns what signs requests to a server with the tokens of a sign-in; nil
// if OAuth does not apply. It never asks anybody anything.
func (s *server) oauth() sdkauth.OAuthHandler {
	if !s.signsIn() {
		return nil
	}
	return s.signer()
}

func (s *server) signer() *signer {
	return &signer{s: s, store: s.m.tokens(), http: &http.Client{Transport: s.m.o.HTTP}}
}

type signer struct {
	s     *server
	store tokenFile
	http  *http.Client
}

func (h *signer) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	return sourceFunc(func() (*oauth2.Token, error) {
		t, err := h.store.load(h.s.Name, h.s.URL)
		if err != nil || t == nil || t.AccessToken == "" {
			return nil, err
		}
		if t.expiring() && t.RefreshToken != "" {
			if t, err = h.refresh(ctx, t.AccessToken); err != nil {
				return nil, err
			}
		}
		return &oauth2.Token{AccessToken: t.AccessToken, TokenType: "Bearer"}, nil
	}), nil
}

type sourceFunc func() (*oauth2.Token, error)

func (f sourceFunc) Token() (*oauth2.Token, error) { return f() }

// Authorize is called when the server has refused a request. A token that has
// ended is refreshed; all else needs the user.
func (h *signer) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	resp.Body.Close()
	if resp.StatusCode == http.StatusForbidden {
		if lacksScope(resp.Header) {
			return errSignIn
		}
		return nil // it is made once more and then fails as it is
	}
	used, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if used == "" {
		return errSignIn
	}
	if _, err := h.refresh(ctx, used); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errSignIn
	}
	return nil
}

func lacksScope(h http.Header) bool {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return false
	}
	for _, c := range challenges {
		if c.Params["error"] == "insufficient_scope" {
			return true
		}
	}
	return false
}

// refresh gets a new token in place of used. If somebody else has done so
// meanwhile that one is taken.
func (h *signer) refresh(ctx context.Context, used string) (*token, error) {
	ctx, cancel := context.WithTimeout(ctx, refreshLimit)
	defer cancel()
	var out *token
	err := h.store.renew(ctx, h.s.Name, h.s.URL, func(t *token) (*token, error) {
		if t == nil || t.AccessToken == "" {
			return nil, errSignIn
		}
		if out = t; t.AccessToken != used {
			return t, nil
		}
		if t.RefreshToken == "" || t.TokenURL == "" {
			return nil, errSignIn
		}
		id, secret := t.ClientID, t.ClientSecret
		if h.s.OAuth.ClientID != "" { // a client of the configuration
			id = h.s.OAuth.ClientID
			r, err := h.s.resolve(ctx)
			if err != nil {
				return nil, err
			}
			secret = r.OAuth.ClientSecret
		}
		c := oauth2.Config{ClientID: id, ClientSecret: secret, Endpoint: oauth2.Endpoint{TokenURL: t.TokenURL, AuthStyle: t.style()}}
		ctx := context.WithValue(ctx, oauth2.HTTPClient, h.http)
		fresh, err := c.TokenSource(ctx, &oauth2.Token{RefreshToken: t.RefreshToken, Expiry: time.Unix(1, 0)}).Token()
		if err != nil {
			return nil, refreshError(err)
		}
		next := *t
		next.set(fresh)
		out = &next
		return out, nil
	})
	return out, err
}

// refreshError leaves the answer of the server out, which may hold secrets.
func refreshError(err error) error {
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return &oauth2.RetrieveError{Response: &http.Response{Status: e.Response.Status, StatusCode: e.Response.StatusCode}, ErrorCode: e.ErrorCode}
	}
	return errors.New("the sign-in could not be renewed")
}
