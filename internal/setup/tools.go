package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/tool/builtin"
)

// OddTools tells which words of the command line fit no tool.
func (m *Maker) OddTools() (odd []string) {
	if len(m.Tools)+len(m.ExcludeTools) == 0 {
		return nil
	}
	var names []string
	for _, t := range builtin.Tools(workspace.NewLocal(m.Dir), builtin.Options{}) {
		names = append(names, t.Spec().Name)
	}
	for _, o := range []struct {
		option string
		list   []string
	}{{"--tools", m.Tools}, {"--exclude-tools", m.ExcludeTools}} {
		for _, w := range o.list {
			if o.option == "--tools" && Signed(w) {
				w = w[1:]
			}
			if !slices.ContainsFunc(names, func(name string) bool { return Fits([]string{w}, name) }) {
				odd = append(odd, fmt.Sprintf("%s: no tool is called %q; there are %s.", o.option, w, strings.Join(names, ", ")))
			}
		}
	}
	return odd
}

func (m *Maker) workspace(p control.Place) workspace.Workspace {
	if m.Workspace == nil {
		return workspace.NewLocal(p.Dir)
	}
	return m.Workspace(p)
}

func (m *Maker) builtinOptions(p control.Place, s config.Settings) builtin.Options {
	timeout := s.Bough.BashTimeout
	if timeout == 0 {
		timeout = -1
	}
	return builtin.Options{ShellPath: s.ShellPath, ShellPrefix: s.ShellCommandPrefix, BashTimeout: timeout, AgentDir: m.Paths.Agent,
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
