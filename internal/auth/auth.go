// Package auth knows the keys of the providers: those of auth.json, which is
// shared with pi, those that models.json names, and those in the environment
// (docs/spec/frontends.md H5).
//
// A key is never part of an error, and is worked out only when it is needed.
package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Credential is what auth.json has for one provider.
type Credential struct {
	Type string            // "api_key", "oauth", or what is to come
	Key  string            // of an api_key, as written
	Env  map[string]string // variables that go before those of the process

	// Of an "oauth" entry: the token for requests and until when it counts; the
	// zero time is for ever. What renews it stays in the file.
	Access  string
	Expires time.Time
}

// Valid reports whether the token of a sign-in is there and counts for at least
// so long.
func (c Credential) Valid(rest time.Duration) bool {
	return c.Access != "" && (c.Expires.IsZero() || time.Until(c.Expires) > rest)
}

// Credentials are the entries of auth.json by provider.
type Credentials map[string]Credential

// Load reads auth.json. What is wrong in it is left out, and the warnings say so.
func Load(path string) (Credentials, []string) {
	doc, err := pifile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, []string{err.Error()}
	}
	doc = slices.Clip(bytes.TrimPrefix(doc, bom))
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
	if c.Type == "oauth" {
		c.Access, _ = rawjson.GetString(v, "access")
		if ms, ok := rawjson.Number(rawjson.Get(v, "expires")); ok && ms > 0 && ms < 1e15 {
			c.Expires = time.UnixMilli(int64(ms))
		}
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

// Literal writes a key so that none of its characters means anything in the file.
func Literal(key string) string {
	literal := strings.ReplaceAll(key, "$", "$$")
	if strings.HasPrefix(literal, "!") {
		literal = "$" + literal
	}
	return literal
}

// SaveKey writes a key for a provider to auth.json, as it is to stand there, and
// variables that go with it. What else is known of a key that was there stays; a
// sign-in is replaced.
func SaveKey(ctx context.Context, path, provider, key string, env map[string]string) error {
	return save(ctx, path, provider, func(doc []byte) ([]byte, error) {
		kind, _ := rawjson.GetString(rawjson.Get(slices.Clip(bytes.TrimPrefix(doc, bom)), provider), "type")
		var err error
		if kind != "api_key" {
			// An object again, whatever was there.
			if doc, err = pifile.Set(doc, []string{provider}, []byte(`{"type":"api_key"}`)); err != nil {
				return nil, err
			}
		}
		set := func(v string, at ...string) {
			if err == nil {
				doc, err = pifile.Set(doc, append([]string{provider}, at...), rawjson.AppendString(nil, v))
			}
		}
		set(key, "key")
		for _, name := range slices.Sorted(maps.Keys(env)) {
			set(env[name], "env", name)
		}
		return doc, err
	})
}

// Remove takes what auth.json has for a provider away, and reports whether there
// was anything.
func Remove(ctx context.Context, path, provider string) (bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	had := false
	err := save(ctx, path, provider, func(doc []byte) ([]byte, error) {
		had = rawjson.Get(slices.Clip(bytes.TrimPrefix(doc, bom)), provider) != nil
		if !had {
			return doc, nil
		}
		return pifile.Set(doc, []string{provider}, nil)
	})
	return had && err == nil, err
}

var bom = []byte("\ufeff")

func save(ctx context.Context, path, provider string, change func([]byte) ([]byte, error)) error {
	err := pifile.Update(ctx, path, 0o600, lock(), func(doc []byte) ([]byte, error) {
		if fi, err := os.Stat(path); err == nil && fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			// The new file gets the mode of the old: that of the user alone.
			if err := os.Chmod(path, fi.Mode().Perm()&^0o077); err != nil {
				return nil, err
			}
		}
		return change(doc)
	})
	if errors.Is(err, pifile.ErrNoObject) {
		return fmt.Errorf("%s is %w. Repair it, or move it away; then try again", path, err)
	} else if errors.Is(err, pifile.ErrLocked) {
		return fmt.Errorf("%s is being changed by another program, or one died while it did. Try again in half a minute", path)
	} else if err != nil {
		return fmt.Errorf("save the key of %s in %s: %w", provider, path, err)
	}
	return nil
}
