package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
)

// texts are what people wrote for the system prompt.
type texts struct {
	preamble, addendum prompt.Text
	context            []prompt.File
}

// texts reads them: the command line's, else those that the path remembers that
// its command line gave, else those of the prompt files. It says what was odd.
func (m *Maker) texts(dir string, was control.Was, chosen choices, trusted bool, policy string) (t texts, odd []string) {
	project := ""
	if trusted {
		project = dir
	}
	t.preamble, t.addendum, odd = prompt.PromptFiles(m.Paths.Agent, project)
	if chosen.Preamble {
		t.preamble = prompt.Text{Text: declared(was.Declared, prompt.Preamble)}
	}
	if chosen.Addendum {
		t.addendum = prompt.Text{Text: declared(was.Declared, prompt.Addendum)}
	}
	if v := m.SystemPrompt; v != "" {
		text, warning := m.textOrFile("--system-prompt", v)
		if warning != "" {
			odd = append(odd, warning)
		}
		t.preamble = text
	}
	var added []string
	for _, v := range m.AppendPrompt {
		text, warning := m.textOrFile("--append-system-prompt", v)
		if warning != "" {
			odd = append(odd, warning)
		}
		if text.Text != "" {
			added = append(added, text.Text)
		}
	}
	if len(added) > 0 {
		t.addendum = prompt.Text{Text: strings.Join(added, "\n\n")}
	}
	if !chosen.NoContext {
		var warnings []string
		t.context, warnings = m.contextFiles(dir, trusted, policy)
		odd = append(odd, warnings...)
	}
	return t, odd
}

// textOrFile reads the value of an option that is a text or the path of one, and
// says what is odd about it.
func (m *Maker) textOrFile(option, v string) (text prompt.Text, warning string) {
	text = prompt.Text{Text: v}
	if v == "" || strings.ContainsAny(v, "\n\x00") {
		return text, ""
	}
	path := m.Abs(v)
	switch info, err := os.Stat(path); {
	case err != nil && looksLikePath(v):
		return text, fmt.Sprintf("%s: there is no file %s, so these words themselves are the text.", option, path)
	case err != nil:
		return text, ""
	case !info.Mode().IsRegular():
		return text, fmt.Sprintf("%s: %s is no file that can be read, so these words themselves are the text.", option, path)
	}
	text, err := prompt.TextOrFile(path, m.Dir)
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
