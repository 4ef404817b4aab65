package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/message"
)

const (
	preamble = "You are bough, a coding agent. You help the user to read, change and run code in their working directory."
	docs     = "Only for questions about bough itself: run `bough help`, then `bough help <topic>`."
	more     = "There may be more tools than these."

	contextIntro = "Instructions of the user and of the project. Where two differ, the later one counts."
	skillsIntro  = "Skills are instructions for special tasks. When a task fits a description, read the whole file at its path first; " +
		"relative paths in it start at its folder."
)

// toolList has a line for each tool.
func toolList(tools []message.ToolSpec) string {
	if len(tools) == 0 {
		return ""
	}
	var b strings.Builder
	for _, t := range tools {
		line := t.Prompt
		if line == "" {
			line = firstSentence(t.Description)
		}
		b.WriteString("- " + t.Name)
		if line != "" {
			b.WriteString(": " + line)
		}
		b.WriteByte('\n')
	}
	return b.String() + "\n" + more
}

// firstSentence cuts a description down to one short line.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if head, _, ok := strings.Cut(s, ". "); ok {
		s = head
	}
	const most = 120
	if len(s) > most {
		end := most
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = strings.TrimSpace(s[:end]) + "…"
	}
	return strings.TrimSuffix(s, ".")
}

// rules returns the lines of the rules section, each once.
func rules(o Options) []string {
	var lines []string
	add := func(more ...string) {
		for _, l := range more {
			if l = strings.TrimSpace(l); l != "" && !slices.Contains(lines, l) {
				lines = append(lines, l)
			}
		}
	}
	add(lookAround(o.Tools))
	for _, t := range o.Tools {
		add(t.Rules...)
	}
	add(o.Rules...)
	add("Be brief.", "Name files by their paths.")
	return lines
}

// lookAround tells how to list and search files with the tools there are.
func lookAround(tools []message.ToolSpec) string {
	shell := ""
	for _, name := range []string{"bash", "powershell"} {
		if has(tools, name) {
			shell = name
			break
		}
	}
	var own []string
	for _, name := range []string{"grep", "find", "ls"} {
		if has(tools, name) {
			own = append(own, name)
		}
	}
	switch {
	case len(own) > 0 && shell != "":
		return "List and search files with " + strings.Join(own, ", ") + " rather than " + shell + "."
	case len(own) > 0:
		return "List and search files with " + strings.Join(own, ", ") + "."
	case shell == "bash":
		return "List and search files with bash (ls, rg, find)."
	case shell != "":
		return "List and search files with " + shell + "."
	}
	return ""
}

func bullets(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "- " + strings.Join(lines, "\n- ")
}

func projectContext(files []File) string {
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(contextIntro)
	for _, f := range files {
		b.WriteString("\n\n<project_instructions path=\"" + Escape(f.Path) + "\">\n" + f.Text)
		if !strings.HasSuffix(f.Text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("</project_instructions>")
	}
	return b.String()
}

func skillList(skills []Skill) string {
	var b strings.Builder
	for _, s := range skills {
		if s.Hidden {
			continue
		}
		b.WriteString("\n<skill>\n<name>" + Escape(s.Name) + "</name>\n<description>" + Escape(s.Description) +
			"</description>\n<path>" + Escape(s.Path) + "</path>\n</skill>")
	}
	if b.Len() == 0 {
		return ""
	}
	return skillsIntro + "\n" + b.String()
}
