// Package config knows where bough's files are and what stands in settings.json
// and models.json, which it shares with pi (docs/spec/frontends.md H).
//
// Nothing here looks at the environment of the process: it is handed in. A value
// of the wrong type costs only itself, and is told as a [Problem]; keys that are
// not known are left alone.
package config

import (
	"fmt"
	"path/filepath"
)

// Env returns the value of an environment variable, "" if it is not set.
type Env func(name string) string

// First returns the first of the variables that is set.
func (e Env) First(names ...string) string {
	for _, n := range names {
		if v := e(n); v != "" {
			return v
		}
	}
	return ""
}

// Offline reports whether nothing may go out by itself (BOUGH_OFFLINE, PI_OFFLINE).
func (e Env) Offline() bool {
	switch e.First("BOUGH_OFFLINE", "PI_OFFLINE") {
	case "1", "true", "yes", "TRUE", "True", "YES":
		return true
	}
	return false
}

// Problem is something in a file that was passed over.
type Problem struct {
	File    string
	Line    int    // from 1; 0 if unknown
	Key     string // "a.b[2].c"; "" for the whole file
	Message string
}

func (p Problem) String() string {
	s := p.File
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, p.Line)
	}
	if p.Key != "" {
		s += ": " + p.Key
	}
	return s + ": " + p.Message
}

// Names of the files in the agent directory.
func (p Paths) SettingsFile() string { return filepath.Join(p.Agent, "settings.json") }
func (p Paths) ModelsFile() string   { return filepath.Join(p.Agent, "models.json") }
func (p Paths) AuthFile() string     { return filepath.Join(p.Agent, "auth.json") }

// ProjectSettings is the settings file of a project.
func ProjectSettings(dir string) string { return filepath.Join(dir, ".pi", "settings.json") }
