// Package auth knows the keys of the providers: those of auth.json, which is
// shared with pi, those that models.json names, and those in the environment
// (docs/spec/frontends.md H5).
//
// A key is never part of an error, and is worked out only when it is needed.
package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Credential is what auth.json has for one provider.
type Credential struct {
	Type string            // "api_key", "oauth", or what is to come
	Key  string            // of an api_key, as written
	Env  map[string]string // variables that go before those of the process
}

// Credentials are the entries of auth.json by provider.
type Credentials map[string]Credential

// Load reads auth.json. What is wrong in it is left out, and the warnings say so.
func Load(path string) (Credentials, []string) {
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, []string{err.Error()}
	}
	doc = slices.Clip(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, nil
	}
	if !rawjson.Valid(doc) || rawjson.Kind(doc) != '{' {
		return nil, []string{fmt.Sprintf("%s:%d: is no JSON object; no key in it is used", path, max(pifile.Fault(doc), 1))}
	}
	creds := Credentials{}
	var warnings []string
	for id, v := range rawjson.Members(doc) {
		c, err := decode(v)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s: %v", path, pifile.Line(doc, v), id, err))
			continue
		}
		creds[id] = c
	}
	return creds, warnings
}

func decode(v []byte) (Credential, error) {
	if rawjson.Kind(v) != '{' {
		return Credential{}, errors.New("is no object; ignored")
	}
	var c Credential
	var ok bool
	if c.Type, ok = rawjson.GetString(v, "type"); !ok {
		return Credential{}, errors.New("has no type; ignored")
	}
	if c.Type != "api_key" {
		return c, nil
	}
	if key := rawjson.Get(v, "key"); !rawjson.IsNull(key) {
		if c.Key, ok = rawjson.String(key); !ok {
			return Credential{}, errors.New("has a key that is no text; ignored")
		}
	}
	for name, e := range rawjson.Members(rawjson.Get(v, "env")) {
		if s, ok := rawjson.String(e); ok {
			if c.Env == nil {
				c.Env = map[string]string{}
			}
			c.Env[name] = s
		}
	}
	return c, nil
}

// lock is how auth.json is locked: whoever refreshes a token may take a while.
func lock() pifile.LockOptions {
	return pifile.LockOptions{Stale: 30 * time.Second, Wait: 5 * time.Second}
}

// SaveKey writes a key for a provider to auth.json, in place of what is there
// for it.
func SaveKey(ctx context.Context, path, provider, key string) error {
	entry, err := json.Marshal(struct {
		Type string `json:"type"`
		Key  string `json:"key"`
	}{"api_key", key})
	if err != nil {
		return err
	}
	return save(ctx, path, provider, entry)
}

// Remove takes what auth.json has for a provider away.
func Remove(ctx context.Context, path, provider string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return save(ctx, path, provider, nil)
}

func save(ctx context.Context, path, provider string, entry []byte) error {
	err := pifile.Update(ctx, path, 0o600, lock(), func(doc []byte) ([]byte, error) {
		return pifile.Set(doc, []string{provider}, entry)
	})
	if err != nil {
		return fmt.Errorf("save the key of %s in %s: %w", provider, path, err)
	}
	return nil
}
