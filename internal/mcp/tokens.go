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
	"time"

	"golang.org/x/oauth2"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// token is a sign-in at one server.
type token struct {
	URL          string `json:"url"`
	TokenURL     string `json:"tokenUrl"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
	InHeader     bool   `json:"secretInHeader,omitempty"`
	AccessToken  string `json:"accessToken"`
	RefreshToken string `json:"refreshToken,omitempty"`
	Expires      int64  `json:"expires,omitempty"` // Unix milliseconds
	Scope        string `json:"scope,omitempty"`
}

func (t *token) ends() time.Time {
	if t.Expires == 0 {
		return time.Time{}
	}
	return time.UnixMilli(t.Expires)
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

// tokenFile is the file of all sign-ins, for the user's eyes only. It is beside
// pi's, whose form is pi's own.
type tokenFile struct{ path string }

func (m *Manager) tokens() tokenFile {
	return tokenFile{filepath.Join(m.o.Paths.Agent, "bough-mcp-auth.json")}
}

// key: a sign-in belongs to a name and an address.
func key(name, url string) string { return name + " " + url }

func (f tokenFile) load(name, url string) (*token, error) {
	doc, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return f.find(doc, name, url)
}

func (f tokenFile) find(doc []byte, name, url string) (*token, error) {
	doc = slices.Clip(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, nil
	}
	if !rawjson.Valid(doc) || rawjson.Kind(doc) != '{' {
		return nil, fmt.Errorf("%s is no JSON object: correct it or remove it", f.path)
	}
	v := rawjson.Get(doc, key(name, url))
	if v == nil {
		return nil, nil
	}
	var t token
	if json.Unmarshal(v, &t) != nil {
		return nil, nil // as if there were none: signing in writes it anew
	}
	return &t, nil
}

// update changes a sign-in while no other program does. change gets nil if there
// is none, and returns nil to take it away.
func (f tokenFile) update(ctx context.Context, name, url string, change func(*token) (*token, error)) error {
	return pifile.Update(ctx, f.path, 0o600, pifile.LockOptions{Stale: 30 * time.Second, Wait: refreshLimit}, func(doc []byte) ([]byte, error) {
		have, err := f.find(doc, name, url)
		if err != nil {
			return nil, err
		}
		t, err := change(have)
		if err != nil {
			return nil, err
		}
		if t == nil {
			if doc == nil {
				return nil, errNothing
			}
			return pifile.Set(doc, []string{key(name, url)}, nil)
		}
		v, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		return pifile.Set(doc, []string{key(name, url)}, v)
	})
}

// errNothing: there is no file, and none is to be made.
var errNothing = errors.New("no sign-in is kept")
