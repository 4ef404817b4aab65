package setup

import (
	"path"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
)

// Options is what the command line says of setups (docs/spec/frontends.md A3).
type Options struct {
	Tools              []string // names and patterns, or all of them signed: +NAME, -NAME
	HasTools           bool     // Tools was given; it may be empty
	ExcludeTools       []string
	NoBuiltin, NoTools bool

	SystemPrompt string   // a text, or the path of one
	AppendPrompt []string // likewise

	NoContext, NoMCP      bool
	Skills, Templates     []string // places besides the usual ones
	NoSkills, NoTemplates bool
	Themes                []string // places besides the usual ones
	NoThemes              bool
	Approve, NoApprove    bool
}

// WantedTools returns the names and patterns of the tools that are on before
// ExcludeTools; usual are those of the settings.
func (o *Options) WantedTools(usual []string) []string {
	if o.NoTools || o.NoBuiltin {
		usual = nil
	}
	switch {
	case !o.HasTools:
		return usual
	case len(o.Tools) > 0 && Signed(o.Tools[0]):
		return config.Tools(usual, o.Tools)
	}
	return o.Tools
}

// ChosenTools reports whether the command line says which tools are on.
func (o *Options) ChosenTools() bool {
	return o.HasTools || o.NoTools || o.NoBuiltin || len(o.ExcludeTools) > 0
}

// Signed reports whether a word of --tools changes the usual tools.
func Signed(word string) bool { return word[0] == '+' || word[0] == '-' }

// Fits reports whether a name is in a list of names and patterns, in which * stands
// for any letters.
func Fits(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		if !strings.Contains(pattern, "*") {
			return pattern == name
		}
		ok, err := path.Match(strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`).Replace(pattern), name)
		return ok && err == nil
	})
}
