package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/permission"
)

// Permissions are the mode and the rules that tool calls are held against.
func (s *setup) Permissions() permission.Policy { return s.permissions }

// permit makes the permissions of a session.
func (s *setup) permit() (odd []string) {
	set := s.settings.Bough.Permissions
	rules := func(name string, list []string) (out []permission.Rule) {
		for _, text := range list {
			r, err := permission.ParseRule(text)
			if err != nil {
				odd = append(odd, fmt.Sprintf("bough.permissions.%s: %v; it is left out", name, err))
				continue
			}
			out = append(out, r)
		}
		return out
	}
	env := config.Env(s.m.Getenv)
	s.permissions = permission.Policy{Mode: permission.Mode(set.Mode), Allow: rules("allow", set.Allow), Ask: rules("ask", set.Ask), Deny: rules("deny", set.Deny),
		Dir: s.place.Dir, Home: s.m.Paths.Home, Path: filepath.Join(s.m.Paths.Agent, "bin") + string(filepath.ListSeparator) + env("PATH"), CDPath: env("CDPATH") != ""}
	// What the model is told to read lies elsewhere: skills, and outputs that were too long.
	s.permissions.Open = []string{filepath.ToSlash(os.TempDir()) + "/bough-*.log"}
	for _, c := range s.found.set.Commands() {
		if c.Kind == "skill" && c.Path != "" {
			s.permissions.Open = append(s.permissions.Open, permission.Below(filepath.Dir(c.Path)))
		}
	}
	return odd
}
