package setup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/mcp"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/recall"
	"github.com/boughdev/bough/internal/resource"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// choices is what the command line or a person chose for a session and no file
// says. The path remembers it as an entry bough.setup, so that the session is the
// same when it goes on elsewhere.
type choices struct {
	Tools *[]string `json:"tools,omitempty"`    // the built-in ones that are on
	Off   []string  `json:"toolsOff,omitempty"` // those of MCP servers that were turned off

	// The path itself has the words of what was given for the first section of
	// the system prompt, or on top of it.
	Preamble bool `json:"preamble,omitempty"`
	Addendum bool `json:"addendum,omitempty"`

	NoContext bool `json:"noContextFiles,omitempty"`

	// Places of skills and templates besides the usual ones, absolute.
	Skills      []string `json:"skills,omitempty"`
	Templates   []string `json:"promptTemplates,omitempty"`
	NoSkills    bool     `json:"noSkills,omitempty"`
	NoTemplates bool     `json:"noPromptTemplates,omitempty"`

	NoMCP bool `json:"noMcp,omitempty"`
}

// choose takes up what the path remembers and what the command line says.
func (s *setup) choose() (odd []string) {
	if raw := s.was.Choices; len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &s.chosen); err != nil {
			s.chosen = choices{}
			odd = append(odd, fmt.Sprintf("How this session was set up cannot be read (entry bough.setup: %v), so it has today's settings.", err))
		}
	}
	a := &s.m.Options
	s.chosen.Preamble = s.chosen.Preamble || a.SystemPrompt != ""
	s.chosen.Addendum = s.chosen.Addendum || len(a.AppendPrompt) > 0
	s.chosen.NoContext = s.chosen.NoContext || a.NoContext
	s.chosen.NoSkills = s.chosen.NoSkills || a.NoSkills
	s.chosen.NoTemplates = s.chosen.NoTemplates || a.NoTemplates
	s.chosen.NoMCP = s.chosen.NoMCP || a.NoMCP
	s.chosen.Skills = s.m.withPlaces(s.chosen.Skills, a.Skills)
	s.chosen.Templates = s.m.withPlaces(s.chosen.Templates, a.Templates)
	return odd
}

// withPlaces adds places of the command line to those that there are.
func (m *Maker) withPlaces(have, more []string) []string {
	for _, p := range more {
		if p = m.Abs(p); !slices.Contains(have, p) {
			have = append(have, p)
		}
	}
	return have
}

func (s *setup) Choices() json.RawMessage {
	b, err := rawjson.Encode(s.chosen)
	if err != nil || string(b) == "{}" {
		return nil // nothing was chosen; what is encoded is plain
	}
	return b
}

// declared returns the text of a section that the path declares, without its tags.
func declared(was message.Message, name string) string {
	for _, s := range was.Sections {
		if s.Name != name || s.Text == nil {
			continue
		}
		text := strings.TrimPrefix(*s.Text, "<"+name+">\n")
		return strings.TrimSuffix(text, "\n</"+name+">")
	}
	return ""
}

// missing names what the path worked with and what is not there today. Each is
// one line.
func (s *setup) missing() (lines []string) {
	if s.was.Declared.Role != message.System {
		return nil
	}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, t := range s.was.Declared.ToolsAdded {
		if s.isBuiltin(t.Name) || s.has(t.Name) || t.Name == recall.Name {
			continue
		}
		if server, ok := s.gone(t.Name); ok {
			say("The tool %s, which this session had, is not there: %s.", t.Name, server)
		} else {
			say("The tool %s, which this session had, is not there: it is no tool of bough. Extensions of pi do not run here.", t.Name)
		}
	}
	for _, path := range between(declared(s.was.Declared, prompt.ProjectContext), `path="`, `"`) {
		if !s.chosen.NoContext && !slices.ContainsFunc(s.texts.context, func(f prompt.File) bool { return prompt.Escape(f.Path) == path }) {
			say("The instructions in %s, which this session had, are not there.", path)
		}
	}
	if !s.chosen.NoSkills {
		for _, name := range between(declared(s.was.Declared, prompt.Skills), "<name>", "</name>") {
			if !slices.ContainsFunc(s.found.set.Skills, func(k resource.Skill) bool { return prompt.Escape(k.Name) == name }) {
				say("The skill %s, which this session had, is not there.", name)
			}
		}
	}
	if len(s.was.Foreign) > 0 {
		say("Extensions of pi have kept data in this session (%s). It stays as it is; bough does not run them.", strings.Join(s.was.Foreign, ", "))
	}
	return lines
}

// has reports whether an MCP server has the tool, or may have it: one that has
// never said what it has is still to be asked.
func (s *setup) has(name string) bool {
	if !strings.HasPrefix(name, "mcp__") {
		return slices.ContainsFunc(s.offered(), func(t tool.Tool) bool { return t.Spec().Name == name })
	}
	if s.chosen.NoMCP || slices.ContainsFunc(s.offered(), func(t tool.Tool) bool { return t.Spec().Name == name }) {
		return true
	}
	for _, i := range s.servers.infos() {
		if len(i.Tools) == 0 && (i.State == string(mcp.Idle) || i.State == string(mcp.Connecting)) && strings.HasPrefix(name, serverPrefix(i.Server)) {
			return true
		}
	}
	return false
}

// serverPrefix is what the names of a server's tools begin with.
func serverPrefix(server string) string { return "mcp__" + strings.ReplaceAll(server, "-", "_") + "__" }

// gone says why a tool of an MCP server is not there; false if it is none.
func (s *setup) gone(name string) (why string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", false
	}
	for _, i := range s.servers.infos() {
		if !strings.HasPrefix(name, serverPrefix(i.Server)) {
			continue
		}
		if i.Problem != "" {
			return fmt.Sprintf("the MCP server %s is %s: %s", i.Server, i.State, i.Problem), true
		}
		return fmt.Sprintf("the MCP server %s (%s) does not have it any more", i.Server, i.State), true
	}
	server, _, _ := strings.Cut(rest, "__")
	return fmt.Sprintf("no MCP server %s is set up. bough mcp add sets one up", server), true
}

// between returns what stands between two marks, each time.
func between(s, from, to string) (out []string) {
	for {
		_, rest, ok := strings.Cut(s, from)
		if !ok {
			return out
		}
		in, after, ok := strings.Cut(rest, to)
		if !ok {
			return out
		}
		out, s = append(out, in), after
	}
}
