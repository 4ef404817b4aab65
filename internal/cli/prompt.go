package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
)

// prompt makes the system prompt of a session, and says what was odd about its
// parts.
func (r *runner) prompt(p control.Place, specs []message.ToolSpec) (prompt.State, []string) {
	project := ""
	if r.args.approve {
		project = p.Dir
	}
	preamble, addendum, odd := prompt.PromptFiles(r.paths.Agent, project)
	o := prompt.Options{Dir: p.Dir, Tools: specs, Preamble: preamble, Addendum: addendum}
	if v := r.args.systemPrompt; v != "" {
		text, warning := r.textOrFile("--system-prompt", v)
		if warning != "" {
			odd = append(odd, warning)
		}
		o.Preamble = text
	}
	var added []string
	for _, v := range r.args.appendPrompt {
		text, warning := r.textOrFile("--append-system-prompt", v)
		if warning != "" {
			odd = append(odd, warning)
		}
		if text.Text != "" {
			added = append(added, text.Text)
		}
	}
	if len(added) > 0 {
		o.Addendum = prompt.Text{Text: strings.Join(added, "\n\n")}
	}
	if !r.args.noContext {
		var warnings []string
		o.Context, warnings = prompt.ContextFiles(r.paths.Agent, p.Dir)
		odd = append(odd, warnings...)
	}
	return prompt.Build(o), odd
}

// textOrFile reads the value of an option that is a text or the path of one, and
// says what is odd about it.
func (r *runner) textOrFile(option, v string) (text prompt.Text, warning string) {
	text = prompt.Text{Text: v}
	if v == "" || strings.ContainsAny(v, "\n\x00") {
		return text, ""
	}
	path := r.env.abs(v)
	switch info, err := os.Stat(path); {
	case err != nil && looksLikePath(v):
		return text, fmt.Sprintf("%s: there is no file %s, so these words themselves are the text.", option, path)
	case err != nil:
		return text, ""
	case !info.Mode().IsRegular():
		return text, fmt.Sprintf("%s: %s is no file that can be read, so these words themselves are the text.", option, path)
	}
	text, err := prompt.TextOrFile(path, r.env.Dir)
	if err != nil {
		return text, fmt.Sprintf("%s is left out: %v", option, err)
	}
	return text, ""
}

// looksLikePath reports whether one word was most likely meant as a path.
func looksLikePath(v string) bool {
	if strings.ContainsAny(v, " \t") {
		return false
	}
	ext := filepath.Ext(v)
	return strings.ContainsAny(v, `/\`) || ext == ".md" || ext == ".txt"
}
