package cli

import (
	"path"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/tool/builtin"
)

// wantedTools are the names and patterns of the tools that are on before
// --exclude-tools; usual are those of the settings (docs/spec/frontends.md A3).
func (a *args) wantedTools(usual []string) []string {
	if a.noTools || a.noBuiltin {
		usual = nil
	}
	switch {
	case !a.hasTools:
		return usual
	case len(a.tools) > 0 && isSigned(a.tools[0]):
		return config.Tools(usual, a.tools)
	}
	return a.tools
}

// chosenTools reports whether the command line says which tools are on.
func (a *args) chosenTools() bool {
	return a.hasTools || a.noTools || a.noBuiltin || len(a.excludeTools) > 0
}

// warnOfTools tells which words of the command line fit no tool.
func (r *runner) warnOfTools() {
	if len(r.args.tools)+len(r.args.excludeTools) == 0 {
		return
	}
	var names []string
	for _, t := range builtin.Tools(workspace.NewLocal(r.env.Dir), builtin.Options{}) {
		names = append(names, t.Spec().Name)
	}
	for _, o := range []struct {
		option string
		list   []string
	}{{"--tools", r.args.tools}, {"--exclude-tools", r.args.excludeTools}} {
		for _, w := range o.list {
			if o.option == "--tools" && isSigned(w) {
				w = w[1:]
			}
			if !slices.ContainsFunc(names, func(name string) bool { return fits([]string{w}, name) }) {
				r.say("%s: no tool is called %q; there are %s.", o.option, w, strings.Join(names, ", "))
			}
		}
	}
}

// fits reports whether a name is in a list of names and patterns, in which * stands
// for any letters.
func fits(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		if !strings.Contains(pattern, "*") {
			return pattern == name
		}
		ok, err := path.Match(strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`).Replace(pattern), name)
		return ok && err == nil
	})
}

func (r *runner) builtinOptions(p control.Place, s config.Settings) builtin.Options {
	timeout := s.Bough.BashTimeout
	if timeout == 0 {
		timeout = -1
	}
	return builtin.Options{ShellPath: s.ShellPath, ShellPrefix: s.ShellCommandPrefix, BashTimeout: timeout, AgentDir: r.paths.Agent,
		Images: builtin.ImageLimits{KeepSize: !s.Images.AutoResize},
		NoImages: func() string {
			if info, _ := p.Model(); info.ID != "" && !info.TakesImages() {
				return info.ID
			}
			return ""
		},
		Session: func() builtin.Session {
			info, level := p.Model()
			return builtin.Session{ID: p.SessionID(), File: p.File(), Provider: info.Provider, Model: info.ID, ReasoningLevel: level}
		}}
}
