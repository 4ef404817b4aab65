package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/resource"
	"github.com/boughdev/bough/internal/setup"
	"github.com/boughdev/bough/internal/trust"
)

const resourcesHelp = `What is left out is listed too, with the reason. Extensions of pi are listed and not
run: they are JavaScript programs for pi.
`

func resourcesOptions() []commandOption {
	return []commandOption{
		{"--approve", "", "as if the project were trusted"},
		{"--no-approve", "", "as if it were not"},
		jsonOption,
	}
}

// resourcesCommand lists what there is of resources and where it is from.
func resourcesCommand(_ context.Context, env Env, opts map[string]string, words []string) error {
	if len(words) > 0 {
		return commandUsage("list", "it takes no words")
	}
	r, err := newRunner(env, &args{maxTurns: -1, Options: setup.Options{Approve: opts["--approve"] != "", NoApprove: opts["--no-approve"] != ""}})
	if err != nil {
		return err
	}
	d := r.setup.Trusts(env.Dir)
	set, problems := r.setup.Resources(env.Dir, d.Trusted)
	if d.Problem != nil {
		problems = append(problems, resource.Problem{Path: trust.Path(r.paths.Agent), Message: d.Problem.Error()})
	}
	out := bufio.NewWriter(env.Stdout)
	if opts["--json"] != "" {
		err = listJSON(out, d, set, problems)
	} else {
		r.listText(out, d, set, problems)
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

func (r *runner) listText(out *bufio.Writer, d trust.Decision, set resource.Set, problems []resource.Problem) {
	width := r.env.Width
	if width <= 0 {
		width = 100
	}
	row := func(name, description, path string, o resource.Origin) {
		fmt.Fprintf(out, "  %s\n", render.Cut(strings.TrimSuffix(render.OneLine(name)+": "+render.OneLine(description), ": "), width-2))
		fmt.Fprintf(out, "      %s, %s\n", from(o), r.tilde(path))
	}
	empty := true
	head := func(title string, n int) bool {
		if n > 0 {
			empty = false
			fmt.Fprintln(out, title)
		}
		return n > 0
	}
	if head("Skills (the model is told of them; /skill:NAME calls one)", len(set.Skills)) {
		for _, k := range set.Skills {
			name := k.Name
			if k.Hidden {
				name += " (not told to the model)"
			}
			row(name, k.Description, k.Path, k.Origin)
		}
	}
	if head("Prompt templates", len(set.Templates)) {
		for _, t := range set.Templates {
			row(strings.TrimSpace("/"+t.Name+" "+t.Hint), t.Description, t.Path, t.Origin)
		}
	}
	if head("Themes", len(set.Themes)) {
		for _, t := range set.Themes {
			row(t.Name, "", t.Path, t.Origin)
		}
	}
	if head("Extensions of pi (not run)", len(set.Extensions)) {
		for _, e := range set.Extensions {
			row(e.Name, "", e.Path, e.Origin)
		}
	}
	if empty {
		fmt.Fprintf(out, "There are no skills, templates, themes or extensions. bough looks in %s, ~/.agents/skills, and .pi and .agents/skills of the project.\n", r.tilde(r.paths.Agent))
	}
	if len(problems) > 0 {
		fmt.Fprintln(out, "Left out or odd")
		for _, p := range problems {
			fmt.Fprintf(out, "  %s: %s\n", r.tilde(p.Path), render.OneLine(p.Message))
		}
	}
	if !d.Trusted && len(d.Items) > 0 {
		fmt.Fprintf(out, "The project is not trusted (%s), so that what it brings along is not listed. bough trust shows it.\n", d.Why)
	}
}

// from says where a resource is from.
func from(o resource.Origin) string {
	switch {
	case o.Package:
		return o.Scope + ", package " + render.OneLine(o.Source)
	case o.Source == "local":
		return o.Scope + ", named in the settings"
	}
	return o.Scope
}

// tilde writes a path with ~ for the home directory.
func (r *runner) tilde(path string) string {
	if short := render.Below(path, r.paths.Home); short != render.OneLine(path) && short != "." {
		return "~/" + short
	}
	return render.OneLine(path)
}

func listJSON(out *bufio.Writer, d trust.Decision, set resource.Set, problems []resource.Problem) error {
	type file struct {
		Name   string `json:"name"`
		Path   string `json:"path"`
		Source string `json:"source"`
		Scope  string `json:"scope"`
	}
	type problem struct {
		Path    string `json:"path"`
		Message string `json:"message"`
		Clash   bool   `json:"clash,omitempty"`
	}
	files := func(list []resource.File) []file {
		all := []file{}
		for _, f := range list {
			all = append(all, file{f.Name, f.Path, f.Origin.Source, f.Origin.Scope})
		}
		return all
	}
	set.NoSkillCommands = false
	commands := set.Commands()
	if commands == nil {
		commands = []resource.Command{}
	}
	odd := []problem{}
	for _, p := range problems {
		odd = append(odd, problem{p.Path, p.Message, p.Clash})
	}
	return printJSON(out, struct {
		Trusted    bool               `json:"trusted"`
		Why        string             `json:"why"`
		Commands   []resource.Command `json:"commands"`
		Themes     []file             `json:"themes"`
		Extensions []file             `json:"extensions"`
		Problems   []problem          `json:"problems"`
	}{d.Trusted, d.Why, commands, files(set.Themes), files(set.Extensions), odd})
}
