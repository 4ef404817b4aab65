package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// Keys finds the keys of providers. It may be used by several goroutines.
type Keys struct {
	env func(string) string

	mu       sync.Mutex
	creds    Credentials                       // guarded by mu
	file     string                            // that creds are from, or ""
	version  int                               // of creds; guarded by mu
	stamp    stamp                             // of the file when it was read; guarded by mu
	flags    map[string]string                 // --api-key, by provider; guarded by mu
	commands map[string]func() (string, error) // of auth.json, each run once; guarded by mu
}

// New returns the keys of a user.
func New(env func(string) string, creds Credentials) *Keys {
	return &Keys{env: env, creds: creds, flags: map[string]string{}, commands: map[string]func() (string, error){}}
}

// Open returns the keys of a user whose auth.json lies at path, and what is wrong
// in it. See [Keys.Refresh].
func Open(env func(string) string, path string) (*Keys, []string) {
	at := stampOf(path)
	creds, warnings := Load(path)
	k := New(env, creds)
	k.file, k.stamp = path, at
	return k, warnings
}

// Refresh reads auth.json again if it has changed, so that who signs in beside a
// running conversation can go on in it. It returns how often it has changed.
func (k *Keys) Refresh() int {
	if k.file == "" {
		return 0
	}
	at := stampOf(k.file)
	k.mu.Lock()
	same, version := at == k.stamp, k.version
	k.mu.Unlock()
	if same {
		return version
	}
	creds, _ := Load(k.file) // what is wrong was told at the start, or by who wrote it
	k.mu.Lock()
	defer k.mu.Unlock()
	k.creds, k.stamp = creds, at
	k.version++
	clear(k.commands)
	return k.version
}

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) stamp {
	fi, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{fi.Size(), fi.ModTime()}
}

// Stored returns what auth.json has for a provider.
func (k *Keys) Stored(provider string) (Credential, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.creds[provider]
	return c, ok
}

// StoredProviders returns the providers of auth.json, by name.
func (k *Keys) StoredProviders() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.creds))
}

func (k *Keys) cred(provider string) Credential {
	c, _ := k.Stored(provider)
	return c
}

// Use sets the key of a provider that goes before all others. It is kept in
// memory only.
func (k *Keys) Use(provider, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flags[provider] = key
}

// Place tells where a key is from.
type Place string

const (
	Nowhere    Place = ""
	Flag       Place = "--api-key"
	File       Place = "auth.json"
	ModelsFile Place = "models.json"
	Variable   Place = "environment"
)

// Source is where the key of a provider is from; the first that has one, in the
// order of docs/spec/frontends.md H-52.
type Source struct {
	Place    Place
	Variable string // the name of the variable, if it is one
}

func (s Source) String() string {
	if s.Place == Variable {
		return "$" + s.Variable
	}
	return string(s.Place)
}

// Find tells where the key of a provider is from without working it out: a
// command counts as a key. configured is what models.json says, or "".
func (k *Keys) Find(provider, configured string) Source {
	k.mu.Lock()
	flag := k.flags[provider]
	k.mu.Unlock()
	switch {
	case flag != "":
		return Source{Place: Flag}
	case k.isSet(provider, k.cred(provider).Key), k.signedIn(provider):
		return Source{Place: File}
	case k.isSet(provider, configured):
		return Source{Place: ModelsFile}
	}
	for _, name := range Variables(provider) {
		if k.Getenv(provider, name) != "" {
			return Source{Variable, name}
		}
	}
	return Source{}
}

// signedIn reports whether the token of a sign-in can be used: where it is a key
// like any other.
func (k *Keys) signedIn(provider string) bool {
	c := k.cred(provider)
	return c.Type == "oauth" && plainToken(provider) && c.Valid(0)
}

func (k *Keys) isSet(provider, value string) bool {
	if value == "" {
		return false
	}
	if command, ok := isCommand(value); ok {
		return command != ""
	}
	v, ok := expand(value, k.envOf(provider))
	return ok && v != ""
}

// Key works the key of a provider out. It returns "" and no error if there is
// none.
func (k *Keys) Key(ctx context.Context, provider, configured string) (string, error) {
	src := k.Find(provider, configured)
	var key string
	var err error
	switch src.Place {
	case Flag:
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.flags[provider], nil
	case Variable:
		return k.Getenv(provider, src.Variable), nil
	case File:
		c := k.cred(provider)
		if command, ok := isCommand(c.Key); ok {
			key, err = k.once(ctx, command)
		} else if c.Type == "oauth" {
			key = c.Access
		} else {
			key, _ = expand(c.Key, k.envOf(provider))
		}
	case ModelsFile:
		key, _, err = k.Value(ctx, provider, configured)
	}
	if err != nil {
		return "", fmt.Errorf("the command for the key of %s in %s: %w", provider, src.Place, err)
	}
	return key, nil
}

// Value works out a value of models.json, a key or a header; a command runs each
// time. It returns false if the value counts as not set.
func (k *Keys) Value(ctx context.Context, provider, value string) (string, bool, error) {
	if command, ok := isCommand(value); ok {
		s, err := run(ctx, command)
		return s, err == nil, err
	}
	s, ok := expand(value, k.envOf(provider))
	return s, ok, nil
}

// once runs a command of auth.json the first time it is wanted; what it came to,
// be it a failure, counts from then on. It goes on when the first who asked no
// longer wants it.
func (k *Keys) once(ctx context.Context, command string) (string, error) {
	k.mu.Lock()
	f := k.commands[command]
	if f == nil {
		f = sync.OnceValues(func() (string, error) { return run(context.WithoutCancel(ctx), command) })
		k.commands[command] = f
	}
	k.mu.Unlock()
	return f()
}

// Getenv returns a variable for a provider: that of its credential, else that of
// the process.
func (k *Keys) Getenv(provider, name string) string {
	if v := k.cred(provider).Env[name]; v != "" {
		return v
	}
	return k.env(name)
}

func (k *Keys) envOf(provider string) func(string) string {
	return func(name string) string { return k.Getenv(provider, name) }
}

// ErrNoKey is for a provider that has no key. See [Keys.Missing].
var ErrNoKey = errors.New("no key")

// Missing says what to do for a provider without a key.
func (k *Keys) Missing(provider string) error {
	if c, ok := k.Stored(provider); ok && c.Type == "oauth" {
		if plainToken(provider) {
			return fmt.Errorf("%w for %s: its sign-in has expired; sign in again: bough auth login %s", ErrNoKey, provider, provider)
		}
		return fmt.Errorf("%w for %s: its sign-in in auth.json belongs to pi and is left alone; bough needs an API key: %s", ErrNoKey, provider, k.howTo(provider))
	}
	return fmt.Errorf("%w for %s: %s", ErrNoKey, provider, k.howTo(provider))
}

// Unset returns the first variable that a value needs and that is not set, or "".
func (k *Keys) Unset(provider, value string) string {
	missing := ""
	if _, ok := isCommand(value); ok {
		return ""
	}
	expand(value, func(name string) string {
		v := k.Getenv(provider, name)
		if v == "" && missing == "" {
			missing = name
		}
		return v
	})
	return missing
}

// howTo says how a provider gets a key.
func (k *Keys) howTo(provider string) string {
	if names := Variables(provider); len(names) > 0 {
		return fmt.Sprintf("set %s, or run bough auth login %s", names[0], provider)
	}
	return fmt.Sprintf("run bough auth login %s", provider)
}
