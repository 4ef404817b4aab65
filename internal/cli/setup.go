package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/tool"
	"github.com/boughdev/bough/tool/builtin"
)

// setup is what a session works with in its folder. Of the command line, of what
// the path remembers and of the settings, the first that says something counts.
type setup struct {
	control.Plain // what a setup need not have

	r        *runner
	place    control.Place
	settings config.Settings
	was      control.Was
	chosen   choices

	builtins []tool.Tool
	on       []string // names and patterns of the built-in tools that are on
	texts    texts
}

var _ control.Setup = (*setup)(nil)

// setUp makes the setup of a session.
func (r *runner) setUp(_ context.Context, p control.Place, was control.Was, old control.Setup) (control.Setup, []string) {
	s := &setup{r: r, place: p, was: was, settings: r.current()}
	var odd []string
	if p.Dir != r.env.Dir || old != nil {
		var problems []config.Problem
		s.settings, problems = r.sources(p.Dir).Settings()
		for _, pr := range problems {
			odd = append(odd, pr.String())
		}
	}
	s.builtins = builtin.Tools(workspace.NewLocal(p.Dir), r.builtinOptions(p, s.settings))
	odd = append(odd, s.choose()...)
	odd = append(odd, s.chooseTools(old)...)
	var more []string
	s.texts, more = r.texts(p.Dir, was, s.chosen)
	odd = append(odd, more...)
	return s, append(odd, s.missing()...)
}

// chooseTools finds out which built-in tools are on. The command line changes or
// replaces what was chosen by hand, else what the path declares, else what the
// settings say. After a reload what the path declares does not count.
func (s *setup) chooseTools(old control.Setup) (odd []string) {
	usual := s.settings.DefaultTools
	before, reloaded := old.(*setup)
	switch {
	case reloaded && before.chosen.Tools != nil:
		s.chosen.Tools = before.chosen.Tools
		s.on = *s.chosen.Tools
		return nil
	case s.chosen.Tools != nil:
		usual = *s.chosen.Tools
	case s.was.Declared.Role == message.System && !reloaded:
		usual = nil
		for _, t := range s.was.Declared.ToolsAdded {
			if s.isBuiltin(t.Name) {
				usual = append(usual, t.Name)
			}
		}
	}
	s.on = s.r.args.wantedTools(usual)
	if s.r.args.chosenTools() {
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
	return fits(s.on, name) && !fits(s.r.args.excludeTools, name)
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
	return out
}

func (s *setup) Listing() []protocol.ToolInfo {
	var out []protocol.ToolInfo
	for _, t := range s.builtins {
		spec := t.Spec()
		out = append(out, protocol.ToolInfo{ToolName: spec.Name, Description: spec.Description, On: s.isOn(spec.Name)})
	}
	return out
}

func (s *setup) Switch(on, off []string) error {
	for _, name := range slices.Concat(on, off) {
		if !s.isBuiltin(name) {
			return protocol.Fail(protocol.NotFound, "There is no tool %s.", name)
		}
	}
	now := slices.DeleteFunc(s.names(), func(name string) bool { return slices.Contains(off, name) })
	for _, name := range on {
		if fits(s.r.args.excludeTools, name) {
			return protocol.Fail(protocol.BadRequest, "%s was left out by --exclude-tools.", name)
		}
		if !slices.Contains(now, name) {
			now = append(now, name)
		}
	}
	s.on = now
	s.rememberTools()
	return nil
}

// Shell runs a command of the user.
func (s *setup) Shell(ctx context.Context, command string, onDelta func(string)) (protocol.BashResult, error) {
	b, err := builtin.RunUserCommand(ctx, workspace.NewLocal(s.place.Dir), s.r.builtinOptions(s.place, s.settings), command, onDelta)
	return protocol.BashResult(b), err
}

func (s *setup) Prompt(specs []message.ToolSpec) prompt.State {
	t := s.texts
	state := prompt.Build(prompt.Options{Dir: s.place.Dir, Tools: specs, Preamble: t.preamble, Addendum: t.addendum, Context: t.context})
	if s.settings.Bough.KeepForeignPrompt && s.was.Declared.Role == message.System {
		state = state.Keeping(s.was.Declared)
	}
	return state
}
