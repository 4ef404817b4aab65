package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
)

// choices is what the command line or a person chose for a session and no file
// says. The path remembers it as an entry bough.setup, so that the session is the
// same when it goes on elsewhere.
type choices struct {
	Tools *[]string `json:"tools,omitempty"` // the built-in ones that are on

	// The path itself has the words of what was given for the first section of
	// the system prompt, or on top of it.
	Preamble bool `json:"preamble,omitempty"`
	Addendum bool `json:"addendum,omitempty"`

	NoContext bool `json:"noContextFiles,omitempty"`
}

// choose takes up what the path remembers and what the command line says.
func (s *setup) choose() (odd []string) {
	if raw := s.was.Choices; len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &s.chosen); err != nil {
			s.chosen = choices{}
			odd = append(odd, fmt.Sprintf("How this session was set up cannot be read (entry bough.setup: %v), so it has today's settings.", err))
		}
	}
	a := s.r.args
	s.chosen.Preamble = s.chosen.Preamble || a.systemPrompt != ""
	s.chosen.Addendum = s.chosen.Addendum || len(a.appendPrompt) > 0
	s.chosen.NoContext = s.chosen.NoContext || a.noContext
	return odd
}

func (s *setup) Choices() json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s.chosen); err != nil || b.String() == "{}\n" {
		return nil // nothing was chosen; what is encoded is plain
	}
	return bytes.TrimSpace(b.Bytes())
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
	for _, t := range s.was.Declared.ToolsAdded {
		if !s.isBuiltin(t.Name) {
			lines = append(lines, fmt.Sprintf("The tool %s, which this session had, is not there: it is no tool of bough, and no MCP server that is set up has it.", t.Name))
		}
	}
	for _, path := range between(declared(s.was.Declared, prompt.ProjectContext), `path="`, `"`) {
		if !s.chosen.NoContext && !slices.ContainsFunc(s.texts.context, func(f prompt.File) bool { return prompt.Escape(f.Path) == path }) {
			lines = append(lines, fmt.Sprintf("The instructions in %s, which this session had, are not there any more.", path))
		}
	}
	return lines
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
