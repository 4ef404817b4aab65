package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Paths are the folders of one user, absolute.
type Paths struct {
	Home  string
	Agent string // settings, models, keys, sessions: shared with pi

	// Bough's own: what can be made again, what cannot, and what is about this
	// machine (leases, logs).
	Cache, Data, State string
}

// Locate finds the folders. dir is the working directory, where relative paths
// begin.
func Locate(env Env, dir string) (Paths, error) {
	p := Paths{Home: env("HOME")}
	if runtime.GOOS == "windows" {
		p.Home = env.First("USERPROFILE", "HOME")
	}
	agent := env.First("BOUGH_AGENT_DIR", "PI_CODING_AGENT_DIR")
	if p.Home == "" {
		return Paths{}, errors.New("no home directory: set HOME")
	}
	if agent == "" {
		agent = filepath.Join(p.Home, ".pi", "agent")
	}
	var err error
	if p.Agent, err = p.Expand(agent, dir); err != nil {
		return Paths{}, fmt.Errorf("agent directory: %w", err)
	}
	local := ""
	if runtime.GOOS == "windows" {
		local = env("LOCALAPPDATA")
	}
	place := func(variable, windows string, unix ...string) string {
		switch v := env(variable); {
		case filepath.IsAbs(v): // XDG says to pass over relative ones
			return filepath.Join(v, "bough")
		case local != "":
			return filepath.Join(local, "bough", windows)
		}
		return filepath.Join(append(append([]string{p.Home}, unix...), "bough")...)
	}
	p.Cache = place("XDG_CACHE_HOME", "cache", ".cache")
	p.Data = place("XDG_DATA_HOME", "data", ".local", "share")
	p.State = place("XDG_STATE_HOME", "state", ".local", "state")
	return p, nil
}

// Expand makes an absolute path of what a user wrote: "~", "~/x" and file URLs
// are understood; relative paths begin at dir.
func (p Paths) Expand(path, dir string) (string, error) {
	switch {
	case path == "~":
		path = p.Home
	case strings.HasPrefix(path, "~/"), strings.HasPrefix(path, `~\`) && runtime.GOOS == "windows":
		path = filepath.Join(p.Home, path[2:])
	case strings.HasPrefix(strings.ToLower(path), "file://"):
		u, err := url.Parse(path)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return "", fmt.Errorf("%s is no file URL of this machine", path)
		}
		path = u.Path
		if runtime.GOOS == "windows" {
			path = strings.TrimPrefix(path, "/")
		}
		path = filepath.FromSlash(path)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path), nil
}

// Sessions is the folder with a folder of sessions for each working directory.
func (p Paths) Sessions() string { return filepath.Join(p.Agent, "sessions") }

// SessionDir returns the one folder that holds all sessions, by environment or
// setting; "" if there is none, and sessions lie below [Paths.Sessions]. flag is
// the value of --session-dir, which wins.
func (p Paths) SessionDir(env Env, flag string, s Settings, dir string) (string, error) {
	for _, d := range []string{flag, env.First("BOUGH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR"), s.SessionDir} {
		if d != "" {
			d, err := p.Expand(d, dir)
			if err != nil {
				return "", fmt.Errorf("session directory: %w", err)
			}
			return d, nil
		}
	}
	return "", nil
}

// inside reports whether path lies in one of the folders.
func inside(path string, dirs ...string) bool {
	for _, d := range dirs {
		if rel, err := filepath.Rel(d, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
