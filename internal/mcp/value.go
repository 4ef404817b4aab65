package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// resolved is a server with its values worked out, ready to be connected to.
type resolved struct {
	Server
	environ []string
	secrets []string // the values that came from elsewhere
}

// resolve works out the values of an entry: ${NAME} and !command.
func (s *server) resolve(ctx context.Context) (resolved, error) {
	r := resolved{Server: s.Server}
	value := func(key, v string) (string, error) {
		if s.Source == Editor {
			return v, nil
		}
		out, ok, err := s.m.keys.Value(ctx, "", v)
		switch {
		case err != nil:
			return "", fmt.Errorf("the command of %s in %s:%d: %w", key, s.File, s.Line, err)
		case !ok:
			return "", fmt.Errorf("%s in %s:%d needs an environment variable that is not set: %s", key, s.File, s.Line, strings.Join(unset(v, s.m.o.Env), ", "))
		}
		if out != v && len(out) >= 6 {
			r.secrets = append(r.secrets, out)
		}
		return out, nil
	}
	all := func(key string, in []Pair) ([]Pair, error) {
		var out []Pair
		for _, p := range in {
			v, err := value(key+"."+p.Key, p.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, Pair{p.Key, v})
		}
		return out, nil
	}
	var err error
	if r.Env, err = all("env", s.Env); err != nil {
		return r, err
	}
	if r.Headers, err = all("headers", s.Headers); err != nil {
		return r, err
	}
	if s.OAuth.ClientSecret != "" {
		if r.OAuth.ClientSecret, err = value("oauth.clientSecret", s.OAuth.ClientSecret); err != nil {
			return r, err
		}
	}
	home := s.m.o.Paths.Home
	r.Command = tilde(s.Command, home)
	r.Args = nil
	for _, a := range s.Args {
		r.Args = append(r.Args, tilde(a, home))
	}
	if r.Cwd = tilde(s.Cwd, home); r.Cwd != "" && !filepath.IsAbs(r.Cwd) {
		r.Cwd = filepath.Join(s.m.o.Dir, r.Cwd)
	}
	r.environ = childEnv(s.m.o.Environ, r.Env, cwdOf(r.Cwd, s.m.o.Dir))
	// The longest first, as one may hold another.
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	return r, nil
}

func cwdOf(cwd, dir string) string {
	if cwd != "" {
		return cwd
	}
	return dir
}

// unset returns the variables of a value that are not set.
func unset(v string, env func(string) string) []string {
	var out []string
	for i := 0; i < len(v); i++ {
		if v[i] != '$' {
			continue
		}
		name := strings.TrimPrefix(v[i+1:], "{")
		end := strings.IndexFunc(name, func(r rune) bool { return !nameRune(r) })
		if end >= 0 {
			name = name[:end]
		}
		if name != "" && env(name) == "" {
			out = append(out, name)
		}
		i++ // also past the second of $$
	}
	return out
}

func tilde(s, home string) string {
	if s == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return s
}

// outer are the variables with which a shell of a model tells of its session;
// they are not for servers (docs/spec/frontends.md A7).
var outer = [...]string{"SESSION_ID", "SESSION_FILE", "PROVIDER", "MODEL", "REASONING_LEVEL"}

// childEnv is what a server finds in its environment.
func childEnv(base []string, set []Pair, dir string) []string {
	changes := map[string]string{"AI_AGENT": "bough", "BOUGH": "1", "PWD": dir}
	gone := map[string]bool{}
	for _, name := range outer {
		gone["PI_"+name], gone["BOUGH_"+name] = true, true
	}
	for _, p := range set {
		changes[envKey(p.Key)] = p.Value
		delete(gone, envKey(p.Key))
	}
	var out []string
	for _, e := range base {
		name, _, _ := strings.Cut(e, "=")
		if _, ok := changes[envKey(name)]; !ok && !gone[envKey(name)] {
			out = append(out, e)
		}
	}
	n := len(out)
	for name, v := range changes {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(v, "\x00") {
			out = append(out, name+"="+v)
		}
	}
	slices.Sort(out[n:])
	return out
}

func envKey(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
