// Package setup makes what a session works with in its folder: tools, instructions,
// skills and templates, MCP servers, permissions. It makes them of files, settings
// and the command line, of a project only as far as that is trusted, and asks
// nobody.
package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/mcp"
	"github.com/boughdev/bough/internal/permission"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/resource"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/tool"
	"github.com/boughdev/bough/tool/builtin"
)

// A Maker makes setups in one run of the program. Its fields are set before it is
// used; Quiet, Workspace and Brought need not be. It may be used by several
// goroutines.
type Maker struct {
	Options
	Paths   config.Paths
	Getenv  func(string) string
	Abs     func(string) string // makes a path of the command line absolute
	Dir     string              // where the program was started
	Version string
	Quiet   bool        // what is of no consequence is not told
	Asks    func() bool // whether there is a person at a terminal

	IsCommand func(name string) bool // whether bough has a command of that name, which goes before skills and templates

	Current func() config.Settings           // those of Dir
	Sources func(dir string) *config.Sources // the places that settings of a folder come from

	Workspace func(control.Place) workspace.Workspace // nil: the folder itself
	Brought   func(dir string) []mcp.Server           // servers besides those of mcp.json; nil: none

	projects projects
}

// setup is what a session works with in its folder. Of the command line, of what
// the path remembers and of the settings, the first that says something counts.
type setup struct {
	control.Plain // what a setup need not have

	m        *Maker
	place    control.Place
	settings config.Settings
	was      control.Was
	chosen   choices

	builtins []tool.Tool
	on       []string // names and patterns of the built-in tools that are on
	found    resources
	texts    texts
	servers  *servers // nil: there are none

	permissions permission.Policy
}

var _ control.Setup = (*setup)(nil)

// Make makes the setup of a session.
func (m *Maker) Make(_ context.Context, p control.Place, was control.Was, old control.Setup) (control.Setup, []string) {
	s := &setup{m: m, place: p, was: was, settings: m.Current()}
	before, _ := old.(*setup)
	var odd []string
	tell := func(more []string) { odd = append(odd, more...) }
	tell(s.choose())
	s.found = m.resources(p.Dir, s.chosen)
	tell(s.found.odd)
	if p.Dir != m.Dir || before != nil {
		var problems []config.Problem
		s.settings, problems = m.Sources(p.Dir).Settings()
		for _, pr := range problems {
			odd = append(odd, pr.String())
		}
	}
	o := m.builtinOptions(p, s.settings)
	s.builtins = builtin.Tools(m.workspace(p), o)
	tell(s.chooseTools(before))
	var more []string
	s.texts, more = m.texts(p.Dir, was, s.chosen, s.found.trusted, s.settings.Bough.ContextFiles)
	tell(more)
	if !s.chosen.NoMCP {
		s.servers, more = m.connect(p, s.found.trusted, o.Images, before)
		tell(more)
	}
	tell(s.missing())
	tell(s.permit())
	return s, odd
}

// chooseTools finds out which built-in tools are on. The command line changes or
// replaces what was chosen by hand, else what the path declares, else what the
// settings say. After a reload what the path declares does not count.
func (s *setup) chooseTools(before *setup) (odd []string) {
	usual := s.settings.DefaultTools
	switch {
	case before != nil && s.chosen.Tools != nil:
		s.on = *s.chosen.Tools
		return nil
	case s.chosen.Tools != nil:
		usual = *s.chosen.Tools
	case s.was.Declared.Role == message.System && before == nil:
		usual = nil
		for _, t := range s.was.Declared.ToolsAdded {
			if s.isBuiltin(t.Name) {
				usual = append(usual, t.Name)
			}
		}
	}
	s.on = s.m.WantedTools(usual)
	if s.m.ChosenTools() {
		s.rememberTools()
		return nil
	}
	now := s.names()
	s.on = s.settings.DefaultTools
	if today := s.names(); s.chosen.Tools == nil && !slices.Equal(today, now) {
		odd = append(odd, fmt.Sprintf("This session goes on with its own tools: %s. By today's settings they would be %s; /tools changes them.", list(now), list(today)))
	}
	s.on = now
	return odd
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (s *setup) isBuiltin(name string) bool {
	return slices.ContainsFunc(s.builtins, func(t tool.Tool) bool { return t.Spec().Name == name })
}

func (s *setup) isOn(name string) bool {
	return Fits(s.on, name) && !Fits(s.m.ExcludeTools, name)
}

// names are those of the built-in tools that are on.
func (s *setup) names() []string {
	var out []string
	for _, t := range s.builtins {
		if name := t.Spec().Name; s.isOn(name) {
			out = append(out, name)
		}
	}
	return out
}

func (s *setup) rememberTools() {
	names := s.names()
	if names == nil {
		names = []string{}
	}
	s.chosen.Tools = &names
}

func (s *setup) Tools() []tool.Tool {
	var out []tool.Tool
	for _, t := range s.builtins {
		if s.isOn(t.Spec().Name) {
			out = append(out, t)
		}
	}
	for _, t := range s.offered() {
		if s.takes(t.Spec().Name) {
			out = append(out, t)
		}
	}
	return out
}

// offered are the tools of the MCP servers.
func (s *setup) offered() []tool.Tool {
	if s.servers == nil {
		return nil
	}
	return s.servers.manager.Tools()
}

// takes reports whether a tool of an MCP server is on: --tools has no say in it
// unless it names such tools.
func (s *setup) takes(name string) bool {
	a := &s.m.Options
	names := slices.ContainsFunc(a.Tools, func(w string) bool { return strings.HasPrefix(w, "mcp__") })
	switch {
	case a.NoTools && !Fits(a.Tools, name), names && !Fits(a.Tools, name):
		return false
	}
	return !Fits(a.ExcludeTools, name) && !slices.Contains(s.chosen.Off, name)
}

func (s *setup) Listing() []protocol.ToolInfo {
	var out []protocol.ToolInfo
	for _, t := range s.builtins {
		spec := t.Spec()
		out = append(out, protocol.ToolInfo{ToolName: spec.Name, Description: spec.Description, On: s.isOn(spec.Name)})
	}
	for _, t := range s.offered() {
		spec := t.Spec()
		server, _, _, _ := mcp.Of(t)
		out = append(out, protocol.ToolInfo{ToolName: spec.Name, Description: spec.Description, From: server, On: s.takes(spec.Name)})
	}
	return out
}

func (s *setup) Switch(on, off []string) error {
	isOffered := func(name string) bool {
		return slices.ContainsFunc(s.offered(), func(t tool.Tool) bool { return t.Spec().Name == name })
	}
	for _, name := range slices.Concat(on, off) {
		if !s.isBuiltin(name) && !isOffered(name) {
			return protocol.Fail(protocol.NotFound, "There is no tool %s.", name)
		}
	}
	before := s.names()
	now := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(off, name) })
	for _, name := range on {
		switch {
		case Fits(s.m.ExcludeTools, name):
			return protocol.Fail(protocol.BadRequest, "%s was left out by --exclude-tools.", name)
		case s.isBuiltin(name) && !slices.Contains(now, name):
			now = append(now, name)
		}
	}
	s.chosen.Off = slices.DeleteFunc(s.chosen.Off, func(name string) bool { return slices.Contains(on, name) })
	for _, name := range off {
		if !s.isBuiltin(name) && !slices.Contains(s.chosen.Off, name) {
			s.chosen.Off = append(s.chosen.Off, name)
		}
	}
	if !slices.Equal(before, now) {
		s.on = now
		s.rememberTools()
	}
	return nil
}

// Commands are the templates and skills.
func (s *setup) Commands() []protocol.CommandInfo {
	var out []protocol.CommandInfo
	for _, c := range s.found.set.Commands() {
		out = append(out, protocol.CommandInfo{Command: c.Name, Description: c.Description, ArgHint: c.Hint, Kind: c.Kind, Scope: c.Origin.Scope, Path: c.Path,
			Source: c.Origin.Source, Origin: origin(c.Origin), Base: c.Origin.Base})
	}
	return out
}

// origin is pi's word for what a resource is part of.
func origin(o resource.Origin) string {
	if o.Package {
		return "package"
	}
	return "top-level"
}

func (s *setup) Expand(text string) (string, error) {
	out, ok, err := s.found.set.Expand(text)
	if err != nil || !ok {
		return text, err
	}
	return out, nil
}

func (s *setup) Reconnect(ctx context.Context, server string) error {
	if s.servers == nil {
		return s.Plain.Reconnect(ctx, server)
	}
	return s.servers.manager.Reconnect(ctx, server)
}

func (s *setup) Servers() []protocol.ServerInfo { return s.servers.infos() }
func (s *setup) Ready(ctx context.Context)      { s.servers.ready(ctx) }
func (s *setup) News() []string                 { return s.servers.news() }
func (s *setup) Close()                         { s.servers.close() }

func (s *setup) Changed() <-chan struct{} {
	if s.servers == nil {
		return nil
	}
	return s.servers.changed
}

// Shell runs a command of the user.
func (s *setup) Shell(ctx context.Context, command string, onDelta func(string)) (protocol.BashResult, error) {
	b, err := builtin.RunUserCommand(ctx, workspace.NewLocal(s.place.Dir), s.m.builtinOptions(s.place, s.settings), command, onDelta)
	return protocol.BashResult(b), err
}

func (s *setup) Prompt(specs []message.ToolSpec) prompt.State {
	t := s.texts
	state := prompt.Build(prompt.Options{Dir: s.place.Dir, Tools: specs, Preamble: t.preamble, Addendum: t.addendum, Context: t.context,
		Skills: s.found.promptSkills()})
	if s.settings.Bough.KeepForeignPrompt && s.was.Declared.Role == message.System {
		state = state.Keeping(s.was.Declared)
	}
	return state
}
