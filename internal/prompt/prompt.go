// Package prompt says what a model is told before the conversation: named
// sections of a system prompt and the declarations of its tools, as pi stores
// them in a system message, and the difference to what a path declares already.
//
// A section's text is stored as it is sent. The first one, the preamble, is
// plain; each other one stands in an element of its name, tags included:
//
//	"preamble": "You are …",
//	"rules":    "<rules>\n- …\n</rules>",
//	"cwd":      "<cwd>\n/home/me/project\n</cwd>"
//
// Nothing here reads a clock, the environment or a random number: the same
// options give the same bytes, or the provider's prompt cache would be lost
// (docs/spec/frontends.md I-05).
package prompt

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/message"
)

// Names of the sections, in the order in which they stand.
const (
	Preamble       = "preamble"
	Tools          = "tools"
	Rules          = "rules"
	Docs           = "docs"
	Addendum       = "addendum"
	ProjectContext = "project_context"
	Skills         = "skills"
	Cwd            = "cwd"
)

// Section is one part of the prompt.
type Section struct {
	Name    string
	Text    string   // as it is stored and sent, with its tags
	Sources []string // the files that it was made of; none if it is our own
}

// State is what a path is to declare: the whole prompt and all tools.
type State struct {
	Sections []Section
	Tools    []message.ToolSpec
}

// Options is what a prompt is made of.
type Options struct {
	Dir string // the session's directory

	// Preamble replaces our own first section; then tools, rules and docs are
	// left out too. Addendum is for texts that come on top.
	Preamble, Addendum Text

	Tools   []message.ToolSpec // in the order in which they are declared
	Rules   []string           // of the configuration, one line each
	Context []File
	Skills  []Skill
}

// Text is a text and where it is from: a file, or "" if it was given directly.
type Text struct{ Text, Source string }

// Skill is one skill that the model may read when it needs it.
type Skill struct {
	Name, Description string
	Path              string // of its SKILL.md
	Hidden            bool   // disable-model-invocation
}

// Build makes the wanted state. Sections without content are left out.
func Build(o Options) State {
	s := State{Tools: o.Tools}
	if o.Preamble.Text != "" {
		s.add(Section{Name: Preamble, Text: o.Preamble.Text, Sources: sources(o.Preamble.Source)})
	} else {
		s.add(Section{Name: Preamble, Text: preamble})
		s.element(Tools, toolList(o.Tools))
		s.element(Rules, bullets(rules(o)))
		s.element(Docs, docs)
	}
	s.element(Addendum, o.Addendum.Text, sources(o.Addendum.Source)...)
	s.element(ProjectContext, projectContext(o.Context), paths(o.Context)...)
	if canRead(o.Tools) {
		s.element(Skills, skillList(o.Skills))
	}
	s.element(Cwd, filepath.ToSlash(o.Dir))
	return s
}

func (s *State) add(sec Section) { s.Sections = append(s.Sections, sec) }

func (s *State) element(name, text string, sources ...string) {
	if text != "" {
		s.add(Section{Name: name, Text: "<" + name + ">\n" + text + "\n</" + name + ">", Sources: sources})
	}
}

// Message returns the state as one complete system message, without a time.
func (s State) Message() message.Message {
	m := message.Message{Role: message.System, IsText: true, Content: []message.Block{message.Text("")}, ToolsAdded: s.Tools}
	for _, sec := range s.Sections {
		m.Sections = append(m.Sections, message.Section{Name: sec.Name, Text: &sec.Text})
	}
	return m
}

// Keeping returns the state with the preamble, rules and docs of declared, and
// with its sections that are none of ours: for a conversation that another
// program began and whose words (and warm cache) are to stay.
func (s State) Keeping(declared message.Message) State {
	kept := State{Sections: slices.Clone(s.Sections), Tools: s.Tools}
	for _, d := range declared.Sections {
		if d.Text == nil {
			continue
		}
		at := slices.IndexFunc(kept.Sections, func(k Section) bool { return k.Name == d.Name })
		switch d.Name {
		case Preamble, Rules, Docs:
			if at >= 0 {
				kept.Sections[at] = Section{Name: d.Name, Text: *d.Text}
			} else {
				kept.add(Section{Name: d.Name, Text: *d.Text})
			}
		case Tools, Addendum, ProjectContext, Skills, Cwd:
		default:
			if at < 0 {
				kept.add(Section{Name: d.Name, Text: *d.Text})
			}
		}
	}
	return kept
}

func sources(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

func paths(files []File) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func has(tools []message.ToolSpec, name string) bool {
	return slices.ContainsFunc(tools, func(t message.ToolSpec) bool { return t.Name == name })
}

func canRead(tools []message.ToolSpec) bool {
	return has(tools, "read") || has(tools, "bash") || has(tools, "powershell")
}

// Escape makes s fit for an attribute or the text of an element.
func Escape(s string) string {
	if !strings.ContainsAny(s, `&<>"`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// FileElement is a file that comes along with what a person says, as an element
// with its name (docs/spec/frontends.md ).
func FileElement(name, inside string) string {
	name = strings.NewReplacer("\n", "&#10;", "\r", "&#13;").Replace(Escape(name))
	return `<file name="` + name + `">` + inside + "</file>"
}
