package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/trust"
)

// settle asks the person at the terminal about a project and its context files, if
// there is something to ask. It reads standard input, so it must be called before
// a front end does. It reports whether the project is trusted.
func (r *runner) settle(ctx context.Context, dir string) bool {
	d := r.setup.Trusts(dir)
	if !r.asks {
		return d.Trusted
	}
	if d.Ask {
		if d.Trusted = r.askTrust(ctx, dir, d); ctx.Err() != nil {
			return false
		}
		r.setup.Answer(dir, d.Trusted)
	}
	if user, _ := config.Load(r.paths, dir, d.Trusted); user.Bough.ContextFiles == "ask" && !r.args.NoContext && !d.Trusted {
		r.askContextFiles(ctx, dir)
	}
	return d.Trusted
}

// askTrust puts the question of trust (docs/spec/frontends.md D21).
func (r *runner) askTrust(ctx context.Context, dir string, d trust.Decision) bool {
	if r.screens {
		return r.askOnScreen(ctx, dir, d)
	}
	var b strings.Builder
	if len(d.Changed) > 0 {
		fmt.Fprintf(&b, "Since you trusted %s this has changed:\n", render.OneLine(dir))
		b.WriteString(changedRows(d.Changed, dir))
		b.WriteString("It has now:\n")
	} else {
		fmt.Fprintf(&b, "%s brings along what can steer the model or run commands:\n", render.OneLine(dir))
	}
	b.WriteString(itemRows(d.Items, dir))
	b.WriteString("Without trust all this is left out and the rest works.\n")
	fmt.Fprint(r.env.Stderr, b.String())
	parent := filepath.Dir(trust.Real(dir))
	question := fmt.Sprintf("Trust it? y: yes, now and later; p: so too all in %s; o: only this time;\nv: view the files; n: never; Enter: not this time.", parent)
	for {
		var err error
		switch r.ask(ctx, question, "ypovne") {
		case 'y':
			err = trust.Remember(ctx, r.setup.Places(), dir, true)
		case 'p':
			if err = trust.Remember(ctx, r.setup.Places(), parent, true); err == nil {
				err = trust.Accept(r.setup.Places(), dir)
			}
		case 'o':
		case 'v':
			fmt.Fprint(r.env.Stderr, firstLines(d.Items, dir))
			continue
		case 'n':
			if err := trust.Remember(ctx, r.setup.Places(), dir, false); err != nil {
				r.tell(err.Error())
			}
			return false
		default:
			return false
		}
		if err != nil {
			r.tell(err.Error() + ". It is trusted for this run")
		}
		return true
	}
}

// askContextFiles asks about each context file that is new.
func (r *runner) askContextFiles(ctx context.Context, dir string) {
	files, _ := prompt.ContextFiles(r.paths.Agent, dir)
	for _, f := range files {
		seen := trust.ContextFile{Path: f.Path, Text: f.Text}
		novelty := trust.Novelty(r.setup.Places(), seen)
		if novelty == "" || filepath.Dir(f.Path) == filepath.Clean(r.paths.Agent) || r.setup.TrustsFile(f) {
			continue
		}
		fmt.Fprintf(r.env.Stderr, "The context file %s (%s) is %s. It begins:\n", render.OneLine(f.Path), render.Bytes(int64(len(f.Text))), novelty)
		for _, l := range trust.FirstLines(f.Path, 10) {
			fmt.Fprintf(r.env.Stderr, "    %s\n", l)
		}
		if r.ask(ctx, "Use it as instructions for the model? y: yes, as it is now; Enter: not this time.", "yn") == 'y' {
			r.setup.Remember(seen)
		}
	}
}

// itemRows tells what needs trust, with what it does.
func itemRows(items []trust.Item, dir string) string {
	var b strings.Builder
	for _, i := range items {
		files := render.Plural(len(i.Files), "file", "files")
		if i.More {
			files = "more than " + files
		}
		fmt.Fprintf(&b, "  %s  %s, %s\n", render.Pad(render.Below(i.Path, dir), 22), files, render.Bytes(i.Size()))
		for _, n := range i.Notes {
			fmt.Fprintf(&b, "      %s\n", n)
		}
	}
	return b.String()
}

func changedRows(changes []trust.Change, dir string) string {
	const most = 20
	var b strings.Builder
	for _, c := range changes[:min(len(changes), most)] {
		fmt.Fprintf(&b, "  %s  %s", render.Pad(c.What, 7), render.Below(c.Path, dir))
		if c.What != "gone" {
			fmt.Fprintf(&b, "  %s", render.Bytes(c.Size))
		}
		b.WriteByte('\n')
	}
	if len(changes) > most {
		fmt.Fprintf(&b, "  and %d more\n", len(changes)-most)
	}
	return b.String()
}

// firstLines shows the beginnings of files.
func firstLines(items []trust.Item, dir string) string {
	const files, lines = 30, 8
	var b strings.Builder
	n := 0
	for _, i := range items {
		for _, f := range i.Files {
			if n++; n > files {
				b.WriteString("and more\n")
				return b.String()
			}
			fmt.Fprintf(&b, "%s\n", render.Below(f.Path, dir))
			for _, l := range trust.FirstLines(f.Path, lines) {
				fmt.Fprintf(&b, "    %s\n", l)
			}
		}
	}
	return b.String()
}
