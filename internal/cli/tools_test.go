package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/provider"
)

func TestTools(t *testing.T) {
	for _, tt := range []struct{ words, want, told string }{
		{"", "read bash edit write", ""},
		{"-t read", "read", ""},
		{"-t ls,grep,read", "read grep ls", ""}, // in their own order
		{"-t *e*", "read edit write grep", ""},
		{"-t *", "read bash edit write grep find ls", ""},
		{"-t nosuch,read", "read", `--tools: no tool is called "nosuch"; there are read, bash`},
		{"-t x*,READ,r?ad,[r]ead", "", `"READ"`},
		{"-t +grep,-bash", "read edit write grep", ""},
		{"-t -nosuch", "read bash edit write", `"nosuch"`},
		{"-t=", "", ""},
		{"-t read -t grep", "grep", ""},
		{"-xt bash", "read edit write", ""},
		{"-xt b* -xt edit", "read write", ""},
		{"-xt bsh", "read bash edit write", `--exclude-tools: no tool is called "bsh"`},
		{"-t bash,read -xt bash", "read", ""},
		{"-t +grep -xt *", "", ""},
		{"-nt", "", ""},
		{"-nbt", "", ""},
		{"-nt -t read", "read", ""},
		{"-nbt -t +ls,+bash", "bash ls", ""},
		{"-t +ls -t=+find -q", "read bash edit write find", ""},
	} {
		p := newPlace(t)
		words := strings.Fields(strings.ReplaceAll(tt.words, "-t=", "--tools="))
		r := p.runner(words...)
		r.warnOfTools()
		var names []string
		made, _ := r.setup.Make(t.Context(), control.Place{Dir: p.dir, Model: func() (provider.Info, string) { return provider.Info{}, "" }}, control.Was{}, nil)
		for _, tool := range made.Tools() {
			names = append(names, tool.Spec().Name)
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: tools %q, want %q", tt.words, got, tt.want)
		}
		if tt.told == "" && p.err.Len() > 0 {
			t.Errorf("%s: told %s", tt.words, &p.err)
		}
		p.told(tt.told)
	}
	p := newPlace(t)
	p.write("agent/settings.json", `{"defaultTools":["read","ls"]}`)
	if got := strings.Join(p.runner("-t", "-ls,+bash").args.WantedTools(p.runner().settings.DefaultTools), " "); got != "read bash" {
		t.Errorf("the usual tools of the settings changed: %q, want read bash", got)
	}
}

func TestSystemPrompt(t *testing.T) {
	p := newPlace(t)
	file := p.write("project/prompt.md", "\uFEFFFrom a file.\n")
	p.write("agent/SYSTEM.md", "From the user's file.")
	p.write("agent/APPEND_SYSTEM.md", "Added by the user's file.")
	p.write("project/.pi/SYSTEM.md", "From the project.")
	p.write("project/AGENTS.md", "Context of the project.")
	sections := func(words ...string) (map[string]string, string) {
		t.Helper()
		if !slices.Contains(words, "-a") {
			words = append(words, "-na", "-q")
		}
		made, odd := p.runner(words...).setup.Make(t.Context(), control.Place{Dir: p.dir}, control.Was{}, nil)
		state := made.Prompt(nil)
		got := map[string]string{}
		for _, s := range state.Sections {
			got[s.Name] = s.Text
		}
		return got, strings.Join(odd, "\n")
	}
	for _, tt := range []struct {
		name     string
		words    []string
		section  string
		has, odd string
	}{
		{"the user's file", nil, "preamble", "From the user's file.", ""},
		{"a project that is trusted", []string{"-a"}, "preamble", "From the project.", ""},
		{"a text", []string{"--system-prompt", "Be x."}, "preamble", "Be x.", ""},
		{"a file", []string{"--system-prompt", "prompt.md"}, "preamble", "From a file.", ""},
		{"a file of the home", []string{"--system-prompt=~/project/prompt.md"}, "preamble", "From a file.", ""},
		{"an absolute path", []string{"--system-prompt", file}, "preamble", "From a file.", ""},
		{"no such file", []string{"--system-prompt", "./nosuch.md"}, "preamble", "./nosuch.md", "there is no file " + filepath.Join(p.dir, "nosuch.md")},
		{"a folder", []string{"--system-prompt", ".pi"}, "preamble", ".pi", "no file that can be read"},
		{"several lines", []string{"--system-prompt", "a/b\nc"}, "preamble", "a/b\nc", ""},
		{"an empty one is none", []string{"--system-prompt", ""}, "preamble", "From the user's file.", ""},
		{"the user's addition", nil, "addendum", "Added by the user's file.", ""},
		{"additions", []string{"--append-system-prompt", "One.", "--append-system-prompt", "prompt.md", "--append-system-prompt", ""}, "addendum", "One.\n\nFrom a file.", ""},
		{"context", nil, "project_context", "Context of the project.", ""},
		{"no context", []string{"-nc"}, "project_context", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, odd := sections(tt.words...)
			text := got[tt.section]
			if tt.has == "" && text != "" || !strings.Contains(text, tt.has) || tt.section == "addendum" && strings.Contains(tt.has, "One") && strings.Contains(text, "user's") {
				t.Errorf("%s is %q, want %q", tt.section, text, tt.has)
			}
			if tt.odd == "" && odd != "" || !strings.Contains(odd, tt.odd) {
				t.Errorf("told %q, want %q", odd, tt.odd)
			}
		})
	}
}
