package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/trust"
)

const trustHelp = `What a project brings along in .pi and .agents/skills can steer the model or run
commands, so it is used only if somebody has said that the project is trusted. Without
a word this says whether it is, and what there is to trust.

  list          all answers that are kept
  yes [DIR]     trust DIR (or this folder), what it has now and all folders below it
  no [DIR]      never use what it brings along
  forget [DIR]  take the answer away, so that bough asks

The answers are shared with pi (trust.json). If what a trusted project has changes,
bough asks again, unless the setting bough.trustRecheck is false.
`

// trustCommand shows and changes which projects are trusted.
func trustCommand(ctx context.Context, env Env, _ map[string]string, words []string) error {
	r, err := newRunner(env, &args{maxTurns: -1})
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return r.showTrust()
	}
	verb, dir := words[0], env.Dir
	if !slices.Contains([]string{"list", "yes", "no", "forget"}, verb) || len(words) > 2 || verb == "list" && len(words) > 1 {
		return commandUsage("trust", "use list, or yes, no or forget with a folder; without a word it says how things are here")
	}
	if len(words) == 2 {
		if dir = env.abs(words[1]); verb != "forget" {
			if fi, err := os.Stat(dir); err != nil {
				return err
			} else if !fi.IsDir() {
				return fmt.Errorf("%s is no folder. Trust is given to folders", dir)
			}
		}
	}
	switch verb {
	case "list":
		return r.listTrust()
	case "forget":
		if err := trust.Forget(ctx, r.setup.Places(), dir); err != nil {
			return err
		}
		saved, err := trust.Lookup(r.paths.Agent, dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "Forgotten. For %s now counts: %s.\n", dir, saved)
		return nil
	}
	if err := r.trustDir(ctx, dir, verb == "yes"); err != nil {
		return err
	}
	what := "is not trusted from now on"
	if verb == "yes" {
		what = "is trusted from now on, with all that it has now"
	}
	fmt.Fprintf(env.Stdout, "%s %s. A bough that runs takes it up with /reload.\n", dir, what)
	return nil
}

// trustDir keeps an answer for a project.
func (r *runner) trustDir(ctx context.Context, dir string, yes bool) error {
	return trust.Remember(ctx, r.setup.Places(), dir, yes)
}

// showTrust says how things are in the working directory.
func (r *runner) showTrust() error {
	dir := r.env.Dir
	d := r.setup.Trusts(dir)
	if d.Problem != nil {
		return d.Problem
	}
	out := bufio.NewWriter(r.env.Stdout)
	state := "not trusted"
	if d.Trusted {
		state = "trusted"
	}
	fmt.Fprintf(out, "%s is %s: %s.\n", dir, state, d.Why)
	if len(d.Changed) > 0 {
		fmt.Fprintf(out, "Changed since it was trusted:\n%s", changedRows(d.Changed, dir))
	}
	if len(d.Items) > 0 {
		fmt.Fprintf(out, "What needs trust here:\n%s", itemRows(d.Items, dir))
	}
	if !d.Trusted && len(d.Items) > 0 {
		fmt.Fprintln(out, "bough trust yes trusts it.")
	}
	return out.Flush()
}

func (r *runner) listTrust() error {
	all, err := trust.List(r.paths.Agent)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(r.env.Stdout)
	if len(all) == 0 {
		fmt.Fprintln(out, "No answers are kept.")
	}
	slices.SortFunc(all, func(a, b trust.Entry) int { return strings.Compare(a.Dir, b.Dir) })
	for _, e := range all {
		word := "no "
		if e.Trusted {
			word = "yes"
		}
		fmt.Fprintf(out, "%s  %s\n", word, render.Below(e.Dir, ""))
	}
	return out.Flush()
}
