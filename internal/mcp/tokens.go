package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Sign-ins are kept in pi's mcp-auth.json, so that one sign-in serves both
// programs: an object by "mcp__NAME|URL" with
//
//	serverUrl          the server
//	discovery          authorizationServerUrl, authorizationServerMetadata (RFC 8414), resourceMetadata (RFC 9728)
//	clientInformation  what was registered (RFC 7591)
//	tokens             access_token, refresh_token, token_type, expires_in, scope
//	tokensExpireAt     Unix milliseconds
//
// A refresh changes the last two only; what else stands there is left alone.

// token is what is needed of a sign-in.
type token struct {
	TokenURL     string
	ClientID     string
	ClientSecret string
	InHeader     bool // the secret goes by basic authentication
	AccessToken  string
	RefreshToken string
	Scope        string
	Expires      int64 // Unix milliseconds; 0 if unknown
}

func readToken(v []byte) *token {
	text := func(path ...string) string {
		at := v
		for _, p := range path {
			at = rawjson.Get(at, p)
		}
		s, _ := rawjson.String(at)
		return s
	}
	t := &token{TokenURL: text("discovery", "authorizationServerMetadata", "token_endpoint"),
		ClientID: text("clientInformation", "client_id"), ClientSecret: text("clientInformation", "client_secret"),
		InHeader:    text("clientInformation", "token_endpoint_auth_method") == "client_secret_basic",
		AccessToken: text("tokens", "access_token"), RefreshToken: text("tokens", "refresh_token"), Scope: text("tokens", "scope")}
	if ms, ok := rawjson.Number(rawjson.Get(v, "tokensExpireAt")); ok && ms > 0 && ms < 1<<53 {
		t.Expires = int64(ms)
	}
	if t.TokenURL == "" {
		if base := text("discovery", "authorizationServerUrl"); base != "" {
			t.TokenURL = strings.TrimSuffix(base, "/") + "/token" // as servers without metadata have it
		}
	}
	return t
}

// expiring reports whether it is time for a new one.
func (t *token) expiring() bool {
	return t.Expires != 0 && time.Until(time.UnixMilli(t.Expires)) < refreshEarly
}

func (t *token) style() oauth2.AuthStyle {
	if t.InHeader {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// set takes over what an authorization server has given.
func (t *token) set(o *oauth2.Token) {
	t.AccessToken = o.AccessToken
	if o.RefreshToken != "" {
		t.RefreshToken = o.RefreshToken
	}
	t.Expires = 0
	if !o.Expiry.IsZero() {
		t.Expires = o.Expiry.UnixMilli()
	}
	if scope, ok := o.Extra("scope").(string); ok && scope != "" {
		t.Scope = scope
	}
}

// tokens is the member of that name.
func (t *token) tokens() ([]byte, error) {
	m := struct {
		AccessToken  string `json:"access_token"`
		TokenType    string `json:"token_type"`
		ExpiresIn    int64  `json:"expires_in,omitempty"` // seconds, as of now
		RefreshToken string `json:"refresh_token,omitempty"`
		Scope        string `json:"scope,omitempty"`
	}{t.AccessToken, "Bearer", 0, t.RefreshToken, t.Scope}
	if t.Expires != 0 {
		m.ExpiresIn = max(1, int64(time.Until(time.UnixMilli(t.Expires)).Round(time.Second)/time.Second))
	}
	return json.Marshal(m)
}

// tokenFile is the file of all sign-ins, for the user's eyes only.
type tokenFile struct{ path string }

func (m *Manager) tokens() tokenFile {
	return tokenFile{filepath.Join(m.o.Paths.Agent, "mcp-auth.json")}
}

// key: a sign-in belongs to a name and an address.
func key(name, url string) string { return "mcp__" + strings.ReplaceAll(name, "-", "_") + "|" + url }

// errTokens is for a file that cannot be read.
var errTokens = errors.New("the sign-ins cannot be read")

// load returns nil if there is no sign-in.
func (f tokenFile) load(name, url string) (*token, error) {
	doc, err := pifile.Read(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", errTokens, err)
	}
	v, err := f.find(doc, name, url)
	if v == nil {
		return nil, err
	}
	return readToken(v), nil
}

func (f tokenFile) find(doc []byte, name, url string) ([]byte, error) {
	doc = slices.Clip(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, nil
	}
	if !rawjson.Valid(doc) || rawjson.Kind(doc) != '{' {
		return nil, fmt.Errorf("%w: %s is no JSON object: correct it or remove it", errTokens, f.path)
	}
	if v := rawjson.Get(doc, key(name, url)); rawjson.Kind(v) == '{' {
		return v, nil
	}
	return nil, nil
}

// change changes the file while no other program does.
func (f tokenFile) change(ctx context.Context, change func(doc []byte) ([]byte, error)) error {
	return pifile.Update(ctx, f.path, 0o600, pifile.LockOptions{Stale: 30 * time.Second, Wait: refreshLimit}, change)
}

// renew replaces the tokens of a sign-in by what change makes of it; change gets
// nil if there is none.
func (f tokenFile) renew(ctx context.Context, name, url string, change func(*token) (*token, error)) error {
	return f.change(ctx, func(doc []byte) ([]byte, error) {
		v, err := f.find(doc, name, url)
		if err != nil {
			return nil, err
		}
		var have *token
		if v != nil {
			have = readToken(v)
		}
		t, err := change(have)
		if err != nil || t == have {
			return doc, err
		}
		tokens, err := t.tokens()
		if err != nil {
			return nil, err
		}
		if doc, err = pifile.Set(doc, []string{key(name, url), "tokens"}, tokens); err != nil {
			return nil, err
		}
		var ends []byte
		if t.Expires != 0 {
			ends = strconv.AppendInt(nil, t.Expires, 10)
		}
		return pifile.Set(doc, []string{key(name, url), "tokensExpireAt"}, ends)
	})
}

// put keeps a new sign-in.
func (f tokenFile) put(ctx context.Context, name, url string, entry []byte) error {
	return f.change(ctx, func(doc []byte) ([]byte, error) {
		if _, err := f.find(doc, name, url); err != nil {
			return nil, err
		}
		return pifile.Set(doc, []string{key(name, url)}, entry)
	})
}

// remove forgets a sign-in. It reports whether there was one.
func (f tokenFile) remove(ctx context.Context, name, url string) (was bool, err error) {
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = f.change(ctx, func(doc []byte) ([]byte, error) {
		v, err := f.find(doc, name, url)
		if was = v != nil; err != nil || !was {
			return doc, err
		}
		return pifile.Set(doc, []string{key(name, url)}, nil)
	})
	return was && err == nil, err
}
