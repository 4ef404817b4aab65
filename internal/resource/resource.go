// Package resource finds what a user and a project give a model and a command
// line besides settings: skills and prompt templates, and by name only themes and
// pi's extensions (docs/spec/frontends.md H4).
//
//	skills/pdf-tools/SKILL.md      prompts/review.md
//	---                            ---
//	name: pdf-tools                description: Review what is staged
//	description: Reads PDF files.  argument-hint: "[focus]"
//	---                            ---
//	Run scripts/extract.sh first.  Review it for ${1:-bugs}.
//
// Only the fronts of files are read; a text is read when it is called. Nothing
// is remembered between two calls of [Find].
package resource

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Options say where to look. Paths are absolute.
type Options struct {
	Agent   string // the agent directory
	Home    string
	Project string // the session's directory; "" if there is none
	Trusted bool   // what the project has may be read

	User, Own Entries // of the settings: the user's, the project's

	NoSkillCommands bool // skills are not listed as commands

	// Of the command line. They count also where the search is switched off.
	Skills, Prompts, Themes       []string
	NoSkills, NoPrompts, NoThemes bool
}

// Origin says why something was found, in pi's words.
type Origin struct {
	Source  string // "auto": a folder that is looked in; "local": named; else the source of the package
	Scope   string // "project", "user", "temporary": named on the command line
	Package bool
	Base    string // the folder that relative patterns start at; "" if it was named
}

// Skill is a folder, or a file, of instructions for a special task.
type Skill struct {
	Name, Description string
	Path              string
	Hidden            bool // the model is not told of it
	Origin            Origin
}

// Dir is where relative paths in a skill start.
func (s Skill) Dir() string { return filepath.Dir(s.Path) }

// Template is a prompt with places for arguments.
type Template struct {
	Name, Description string
	Hint              string // what arguments it takes
	Path              string
	Origin            Origin
}

// File is a theme or an extension.
type File struct {
	Name, Path string
	Origin     Origin
}

// Set is what was found, in the order of precedence; names of a kind are distinct.
type Set struct {
	Skills     []Skill
	Templates  []Template
	Themes     []File
	Extensions []File // of pi; bough does not run them

	NoSkillCommands bool // skills are not listed as commands
}

// Problem is something that was passed over, or should be known.
type Problem struct {
	Path    string
	Message string
	Clash   bool // it lost against another of its name
}

func (p Problem) String() string { return p.Path + ": " + p.Message }

// Find looks for everything.
func Find(o Options) (Set, []Problem) {
	f := finder{o: o, maxFolders: maxFolders}
	return f.find()
}

func (f *finder) find() (Set, []Problem) {
	f.buf = make([]byte, frontSize)
	if !f.o.Trusted {
		f.o.Project, f.o.Own = "", Entries{}
	}
	places := f.places()
	f.skills(places)
	f.templates(places)
	f.themes(places)
	f.extensions(places)
	f.set.NoSkillCommands = f.o.NoSkillCommands
	return f.set, f.problems
}

type finder struct {
	o          Options
	maxFolders int // that are looked into below one
	buf        []byte
	set        Set
	problems   []Problem
}

func (f *finder) tell(path, format string, args ...any) {
	f.problems = append(f.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// clash tells that path lost against another resource of its name.
func (f *finder) clash(kind, name, path, winner string) {
	f.problems = append(f.problems, Problem{Path: path, Clash: true, Message: fmt.Sprintf("not used: the %s %q is that of %s", kind, name, winner)})
}

// found is a file that may be a resource.
type found struct {
	path, real string
	name       string // what it is called if it does not say so itself
	origin     Origin
	named      bool // by the user: if it is none, that is told
}

// each calls use with the files of one kind, each once, in the order of the
// places.
func (f *finder) each(places []place, kind kind, use func(found)) {
	seen := map[string]bool{}
	for _, p := range places {
		for _, c := range f.list(p, kind) {
			if !seen[c.real] {
				seen[c.real] = true
				use(c)
			}
		}
	}
}

func (f *finder) skills(places []place) {
	byName := map[string]string{}
	f.each(places, skills, func(c found) {
		fm, err := readFront(c.path, f.buf)
		if err != nil {
			f.tell(c.path, "left out: %v", err)
			return
		}
		s := Skill{Name: fm.text("name"), Description: fm.text("description"), Path: c.path, Hidden: fm.flag("disable-model-invocation"), Origin: c.origin}
		if s.Name == "" {
			s.Name = c.name
		}
		single := filepath.Base(c.path) != skillFile
		if s.Description == "" {
			if !single || c.named {
				f.tell(c.path, "this skill is left out: it needs a description in its front matter (description: what it does and when to use it)")
			}
			return
		}
		if fm.fault != "" {
			f.tell(c.path, "%s", fm.fault)
		}
		if w := nameFault(s.Name); w != "" {
			f.tell(c.path, "the name of the skill, %q, %s", short(s.Name), w)
		}
		if cut := firstRunes(s.Description, maxDescription); cut != s.Description {
			f.tell(c.path, "the description is longer than %d characters; the rest is not shown", maxDescription)
			s.Description = cut
		}
		if winner, ok := byName[s.Name]; ok {
			f.clash("skill", s.Name, c.path, winner)
			return
		}
		byName[s.Name] = c.path
		f.set.Skills = append(f.set.Skills, s)
	})
}

func (f *finder) templates(places []place) {
	byName := map[string]string{}
	f.each(places, prompts, func(c found) {
		fm, err := readFront(c.path, f.buf)
		if err != nil {
			f.tell(c.path, "left out: %v", err)
			return
		}
		if fm.fault != "" {
			f.tell(c.path, "%s", fm.fault)
		}
		t := Template{Name: c.name, Description: fm.text("description"), Hint: fm.text("argument-hint"), Path: c.path, Origin: c.origin}
		if t.Description == "" {
			t.Description = fm.firstLine()
		}
		if winner, ok := byName[t.Name]; ok {
			f.clash("template", t.Name, c.path, winner)
			return
		}
		byName[t.Name] = c.path
		f.set.Templates = append(f.set.Templates, t)
	})
}

func (f *finder) themes(places []place) {
	f.set.Themes = f.files(places, themes, "theme")
}

func (f *finder) extensions(places []place) {
	f.set.Extensions = f.files(places, extensions, "")
}

// files are the files of a kind. Those of a kind without a word may share a name.
func (f *finder) files(places []place, kind kind, word string) []File {
	var files []File
	f.each(places, kind, func(c found) {
		i := slices.IndexFunc(files, func(have File) bool { return have.Name == c.name })
		if word != "" && i >= 0 {
			f.clash(word, c.name, c.path, files[i].Path)
			return
		}
		files = append(files, File{c.name, c.path, c.origin})
	})
	return files
}

const (
	maxName        = 64   // characters of a skill's name
	maxDescription = 1024 // characters of its description
)

// nameFault says what is wrong with the name of a skill, or nothing.
func nameFault(name string) string {
	switch {
	case len(name) > maxName:
		return fmt.Sprintf("is longer than %d characters", maxName)
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return "should have only the letters a-z, digits and hyphens; other programs may refuse it"
	case strings.HasPrefix(name, "-"), strings.HasSuffix(name, "-"), strings.Contains(name, "--"):
		return "should have single hyphens, and only inside; other programs may refuse it"
	}
	return ""
}

func short(s string) string {
	if cut := firstRunes(s, 80); cut != s {
		return cut + "..."
	}
	return s
}

// firstRunes returns the first n characters.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
