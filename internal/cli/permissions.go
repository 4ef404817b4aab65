package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/permission"
)

func setPermissionMode(a *args, v string) error {
	if m := permission.Mode(v); !m.Known() {
		var names []string
		for _, m := range permission.Modes() {
			names = append(names, string(m))
		}
		return fmt.Errorf("--permission-mode %s: use one of %s", v, strings.Join(names, ", "))
	}
	a.permissionMode = v
	return nil
}

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
	env := config.Env(s.r.env.Getenv)
	s.permissions = permission.Policy{Mode: permission.Mode(set.Mode), Allow: rules("allow", set.Allow), Ask: rules("ask", set.Ask), Deny: rules("deny", set.Deny),
		Dir: s.place.Dir, Home: s.r.paths.Home, Path: filepath.Join(s.r.paths.Agent, "bin") + string(filepath.ListSeparator) + env("PATH"), CDPath: env("CDPATH") != ""}
	// What the model is told to read lies elsewhere: skills, and outputs that were too long.
	s.permissions.Open = []string{filepath.ToSlash(os.TempDir()) + "/bough-*.log"}
	for _, c := range s.found.set.Commands() {
		if c.Kind == "skill" && c.Path != "" {
			s.permissions.Open = append(s.permissions.Open, permission.Below(filepath.Dir(c.Path)))
		}
	}
	return odd
}

// wantsQuestions reports whether somebody wants to be asked before tools are run, who
// then is there to answer. What a project says does not make a client one that can.
func (r *runner) wantsQuestions() bool {
	s, _ := r.sources("").Settings() // what is odd in them was told
	p := s.Bough.Permissions
	return p.Mode != string(permission.Auto) || len(p.Ask) > 0
}

// canAsk reports whether the front end of a mode has somebody who answers questions:
// always at a terminal, in an editor and where others come in, else where that was
// asked for.
func (l *live) canAsk() bool {
	return l.r.asks || l.mode == modeACP || l.mode == modeServe || slices.Contains([]mode{modeREPL, modeRPC}, l.mode) && l.r.wantsQuestions()
}
