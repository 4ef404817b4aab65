// Package slash reads the commands that people type: "/name arguments". Terminal,
// REPL and page share it, so a command has the same name, the same arguments and
// the same words of help everywhere (docs/spec/frontends.md B).
//
//	/branch 5 --strict        name, words, switches
//	/export "my notes.md"     quotes keep blanks
//
// What begins with a slash and is no command is said to the model like any other
// text: /etc/hosts is often meant. Only a word that is nearly a command is held
// back and asked about.
package slash

import (
	"fmt"
	"strings"
	"unicode"
)

// A Command is a line that was read.
type Command struct {
	Spec
	Rest string // what stands behind the name, without blanks around
}

// Parse reads a line. ok is false if the line is no command but words for the
// model. others are the names of templates and skills, which the session service
// puts in. An error says what is wrong with the line; nothing is to be sent then.
func Parse(line string, others ...string) (c Command, ok bool, err error) {
	if !strings.HasPrefix(line, "/") {
		return c, false, nil
	}
	name, rest := line[1:], ""
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 {
		name, rest = name[:i], name[i:]
	}
	if spec, known := Find(name); known {
		return Command{spec, strings.TrimSpace(rest)}, true, nil
	}
	if name == "" {
		return c, false, fmt.Errorf("a command has a name behind the slash; /help lists them")
	}
	if !isName(name) {
		return c, false, nil
	}
	if contains(others, name) {
		return c, false, nil
	}
	if kind, _, has := strings.Cut(name, ":"); has && (kind == "skill" || kind == "prompt") {
		return c, false, nil // the session service knows whether there is one
	}
	if near := nearest(name); near != "" {
		return c, false, fmt.Errorf("unknown command /%s. Did you mean /%s? With a blank in front it is said to the model", name, near)
	}
	return c, false, nil
}

// isName reports whether a word could be the name of a command: no path is.
func isName(s string) bool {
	for _, r := range s {
		if r != '-' && r != '_' && r != ':' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// Args are the words of a command and the switches among them.
type Args struct {
	Words []string
	Is    map[string]bool // by switch, "--" included
}

// Text returns the words joined by blanks, such as a label of several.
func (a Args) Text() string { return strings.Join(a.Words, " ") }

// Args splits what stands behind the name. switches are the known ones, such as
// "--all"; what stands in quotes or behind "--" is never one.
func (c Command) Args(switches ...string) (Args, error) {
	a := Args{Is: map[string]bool{}}
	words, err := split(c.Rest)
	if err != nil {
		return a, err
	}
	ended := false
	for _, w := range words {
		switch {
		case ended || w.quoted || !strings.HasPrefix(w.text, "--"):
			a.Words = append(a.Words, w.text)
		case w.text == "--":
			ended = true
		case !contains(switches, w.text):
			if len(switches) == 0 {
				return a, fmt.Errorf("/%s knows no %s", c.Name, w.text)
			}
			return a, fmt.Errorf("/%s knows no %s; there is %s", c.Name, w.text, strings.Join(switches, ", "))
		default:
			a.Is[w.text] = true
		}
	}
	return a, nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

type word struct {
	text   string
	quoted bool // a part of it at least
}

// split cuts at blanks. Quotes of either kind keep them; in double quotes a
// backslash stands before a quote or a backslash. Outside of quotes it is a
// character like any other, since paths have it.
func split(s string) ([]word, error) {
	var (
		words []word
		b     strings.Builder
		w     word
		in    bool
		quote rune
	)
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			if r != '"' && r != '\\' {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case unicode.IsSpace(r):
			if in {
				w.text = b.String()
				words = append(words, w)
				b.Reset()
				w, in = word{}, false
			}
		case (r == '"' || r == '\'') && b.Len() == 0:
			// A quote within a word is an apostrophe.
			quote, in, w.quoted = r, true, true
		default:
			b.WriteRune(r)
			in = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if in {
		w.text = b.String()
		words = append(words, w)
	}
	return words, nil
}
