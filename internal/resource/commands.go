package resource

import "encoding/json"

// Command is a template or skill as lists of commands have it; its JSON is that of
// get_commands (docs/spec/rpc.md 5.2), with argumentHint on top.
type Command struct {
	Name        string // without the slash: "review", "skill:pdf-tools"
	Description string
	Hint        string // what arguments it takes
	Kind        string // "prompt" or "skill"
	Path        string
	Origin      Origin
}

// MarshalJSON implements [json.Marshaler].
func (c Command) MarshalJSON() ([]byte, error) {
	type info struct {
		Path    string `json:"path"`
		Source  string `json:"source"`
		Scope   string `json:"scope"`
		Origin  string `json:"origin"`
		BaseDir string `json:"baseDir,omitempty"`
	}
	origin := "top-level"
	if c.Origin.Package {
		origin = "package"
	}
	return json.Marshal(struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Hint        string `json:"argumentHint,omitempty"`
		Source      string `json:"source"`
		SourceInfo  info   `json:"sourceInfo"`
	}{c.Name, c.Description, c.Hint, c.Kind, info{c.Path, c.Origin.Source, c.Origin.Scope, origin, c.Origin.Base}})
}

// Commands lists the templates, then the skills, unless the settings say that
// skills are not listed (enableSkillCommands); they can be called all the same.
func (s Set) Commands() []Command {
	var list []Command
	for _, t := range s.Templates {
		list = append(list, Command{t.Name, t.Description, t.Hint, "prompt", t.Path, t.Origin})
	}
	if s.NoSkillCommands {
		return list
	}
	for _, k := range s.Skills {
		list = append(list, Command{"skill:" + k.Name, k.Description, "", "skill", k.Path, k.Origin})
	}
	return list
}

// Shadowed returns the templates with the name of a command, which can be called
// as /prompt:name only.
func (s Set) Shadowed(isCommand func(name string) bool) []Problem {
	var problems []Problem
	for _, t := range s.Templates {
		if isCommand(t.Name) {
			problems = append(problems, Problem{Path: t.Path, Message: "/" + t.Name + " is a command of bough; this template is called as /prompt:" + t.Name})
		}
	}
	return problems
}
