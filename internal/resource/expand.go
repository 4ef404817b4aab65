package resource

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Expand returns what a model is to be told for a line that calls a skill or a
// template: "/skill:name words", "/name arguments", or "/prompt:name arguments"
// for a template with the name of a command. ok is false if the line calls none
// and is to be said as it is. After an error nothing is to be sent.
//
// The names of commands go first; whoever calls this has looked for them.
func (s Set) Expand(line string) (text string, ok bool, err error) {
	call, ok := strings.CutPrefix(line, "/")
	if !ok {
		return "", false, nil
	}
	if name, is := strings.CutPrefix(call, "skill:"); is {
		text, err = s.expandSkill(name)
		return text, true, err
	}
	name, prompt := strings.CutPrefix(call, "prompt:")
	i, rest := called(name, s.Templates, func(t Template) string { return t.Name })
	if i < 0 {
		if prompt {
			word, _ := firstWord(name)
			return "", true, fmt.Errorf("there is no prompt template %q%s", short(word), have("/", s.Templates, func(t Template) string { return t.Name }))
		}
		return "", false, nil
	}
	t := s.Templates[i]
	body, err := readText(t.Path)
	if err != nil {
		return "", true, fmt.Errorf("the prompt template /%s cannot be read: %s: %w", t.Name, t.Path, err)
	}
	text = strings.TrimSpace(fill(body, splitArgs(rest)))
	if text == "" {
		return "", true, fmt.Errorf("the prompt template /%s comes to no text: %s", t.Name, t.Path)
	}
	return text, true, nil
}

// expandSkill makes the text of a skill. The lines of the frame are as pi has
// them, so that its front ends know them again.
func (s Set) expandSkill(call string) (string, error) {
	i, rest := called(call, s.Skills, func(k Skill) string { return k.Name })
	if i < 0 {
		word, _ := firstWord(call)
		return "", fmt.Errorf("there is no skill %q%s", short(word), have("/skill:", s.Skills, func(k Skill) string { return k.Name }))
	}
	k := s.Skills[i]
	body, err := readText(k.Path)
	if err != nil {
		return "", fmt.Errorf("the skill %s cannot be read: %s: %w", k.Name, k.Path, err)
	}
	text := fmt.Sprintf("<skill name=\"%s\" location=\"%s\">\nRelative paths here start at %s.\n\n%s\n</skill>", attribute(k.Name), attribute(k.Path), k.Dir(), body)
	if rest = strings.TrimSpace(rest); rest != "" {
		text += "\n\n" + rest
	}
	return text, nil
}

func attribute(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// called returns which of the resources a call names, and what stands behind the
// name; -1 if none. Names may have blanks: the longest that fits counts.
func called[T any](call string, all []T, name func(T) string) (at int, rest string) {
	at = -1
	longest := -1
	for i, r := range all {
		n := name(r)
		behind, ok := strings.CutPrefix(call, n)
		if !ok || n == "" || len(n) <= longest {
			continue
		}
		if c, _ := utf8.DecodeRuneInString(behind); behind == "" || unicode.IsSpace(c) {
			at, rest, longest = i, behind, len(n)
		}
	}
	return at, rest
}

// have lists some names that there are.
func have[T any](before string, all []T, name func(T) string) string {
	const most = 10
	if len(all) == 0 {
		return "; there are none here. bough list shows where they are looked for"
	}
	var names []string
	for _, r := range all[:min(len(all), most)] {
		names = append(names, before+name(r))
	}
	if len(all) > most {
		names = append(names, fmt.Sprintf("and %d more", len(all)-most))
	}
	return "; there are " + strings.Join(names, ", ")
}
