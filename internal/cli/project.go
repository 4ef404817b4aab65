package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/resource"
	"github.com/boughdev/bough/internal/trust"
)

// projects knows what a person said about projects in this run. Its zero value is
// for use.
type projects struct {
	mu      sync.Mutex
	answers map[string]bool // by real path; guarded by mu
}

func (p *projects) answer(dir string, trusted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil {
		p.answers = map[string]bool{}
	}
	p.answers[trust.Real(dir)] = trusted
}

func (p *projects) answered(dir string) (trusted, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	trusted, ok = p.answers[trust.Real(dir)]
	return trusted, ok
}

// resources is what a session in a folder can use besides settings and tools.
type resources struct {
	trusted bool
	set     resource.Set
	odd     []string // what should be told
}

// promptSkills are the skills as the system prompt has them.
func (s resources) promptSkills() []prompt.Skill {
	var out []prompt.Skill
	for _, k := range s.set.Skills {
		out = append(out, prompt.Skill{Name: k.Name, Description: k.Description, Path: k.Path, Hidden: k.Hidden})
	}
	return out
}

// resources reads what the user has and, if it is trusted, the project in dir. It
// asks nobody and may be called anew at each reload.
func (r *runner) resources(dir string, chosen choices) resources {
	d := r.trusts(dir)
	out := resources{trusted: d.Trusted}
	if d.Problem != nil {
		out.odd = append(out.odd, d.Problem.Error())
	}
	if line := leftOut(d, dir); line != "" {
		out.odd = append(out.odd, line)
	}
	set, problems := resource.Find(r.resourceOptions(dir, d.Trusted, chosen))
	out.set = set
	out.odd = append(out.odd, r.few(slices.Concat(problems, set.Shadowed(isCommand)))...)
	return out
}

// few tells the first of what was odd about skills and templates, and how much
// more there is. Without somebody at a terminal a line has to do, but what the
// command line names is always told.
func (r *runner) few(problems []resource.Problem) []string {
	const most = 3
	var told []string
	clashes, more := 0, 0
	for _, p := range problems {
		named := strings.HasPrefix(p.Message, "--")
		switch {
		case p.Clash:
			clashes++
		case named || r.asks && len(told) < most:
			told = append(told, render.OneLine(p.String()))
		default:
			more++
		}
	}
	if more > 0 {
		told = append(told, plural(more, "skill, template or package is", "skills, templates or packages are")+" left out or odd; bough list shows why.")
	}
	if clashes > 0 && r.asks {
		told = append(told, plural(clashes, "skill or template is", "skills or templates are")+" not used, since others of the same name go first; bough list shows which.")
	}
	return told
}

func isCommand(name string) bool {
	_, ok := slash.Find(name)
	return ok
}

func (r *runner) resourceOptions(dir string, trusted bool, chosen choices) resource.Options {
	s, _ := config.Load(r.paths, dir, trusted) // told when the settings are read
	o := resource.Options{Agent: r.paths.Agent, Home: r.paths.Home, Project: dir, Trusted: trusted, NoSkillCommands: !s.SkillCommands,
		Skills: chosen.Skills, Prompts: chosen.Templates, NoSkills: chosen.NoSkills, NoPrompts: chosen.NoTemplates}
	o.User, o.Own = resource.EntriesOf(s)
	return o
}

// contextFiles reads the context files for a folder as far as they may be used.
// policy is the setting bough.contextFiles. What is new in a project that is not
// trusted is told (docs/spec/frontends.md H-33).
func (r *runner) contextFiles(dir string, trusted bool, policy string) (files []prompt.File, odd []string) {
	all, odd := prompt.ContextFiles(r.paths.Agent, dir)
	for _, f := range all {
		if trusted || filepath.Dir(f.Path) == filepath.Clean(r.paths.Agent) || r.trustsFile(f) {
			files = append(files, f)
			continue
		}
		seen := trust.ContextFile{Path: f.Path, Text: f.Text}
		novelty := trust.Novelty(r.places(), seen)
		what := fmt.Sprintf("context file %s (%s)", render.OneLine(f.Path), render.Bytes(int64(len(f.Text))))
		switch {
		case policy == "trusted":
			odd = append(odd, what+" is left out: its folder is not trusted, and bough.contextFiles is \"trusted\". bough trust yes trusts it.")
			continue
		case novelty == "":
		case policy == "ask":
			odd = append(odd, what+" is left out: it is "+novelty+" and nobody was asked. bough trust yes trusts its folder; on a terminal bough asks.")
			continue
		case !r.args.quiet:
			odd = append(odd, what+" is "+novelty+" and is used: its words are instructions for the model. -nc leaves such files out.")
			r.remember(seen)
		}
		files = append(files, f)
	}
	return files, odd
}

// trustsFile reports whether somebody said yes to the folder of a file, and no
// --no-approve says otherwise.
func (r *runner) trustsFile(f prompt.File) bool {
	if r.args.noApprove {
		return false
	}
	saved, err := trust.Lookup(r.paths.Agent, filepath.Dir(f.Path))
	return err == nil && saved.Trusted
}

// remember notes that a context file was told of. If that fails it is told of
// again, which does no harm.
func (r *runner) remember(f trust.ContextFile) { _ = trust.Seen(r.places(), f) }

func (r *runner) places() trust.Places {
	return trust.Places{Agent: r.paths.Agent, Home: r.paths.Home, State: r.paths.State, Named: func(dir string) []string {
		s, _ := config.Load(r.paths, dir, true) // told when they are used
		_, own := resource.EntriesOf(s)
		return resource.Named(resource.Options{Home: r.paths.Home, Project: dir, Own: own})
	}}
}

// trusts decides about a project without asking.
func (r *runner) trusts(dir string) trust.Decision {
	user, _ := config.Load(r.paths, "", false) // told when the settings are read
	d := trust.Decide(trust.Options{Places: r.places(), Dir: dir, Approve: r.args.approve, Deny: r.args.noApprove,
		Default: user.DefaultProjectTrust, NoRecheck: !user.Bough.TrustRecheck})
	if yes, ok := r.projects.answered(dir); ok && d.Ask {
		d.Trusted, d.Ask, d.Why = yes, false, "you said so for this run"
	}
	return d
}

// settle asks the person at the terminal about a project and its context files, if
// there is something to ask. It reads standard input, so it must be called before
// a front end does. It reports whether the project is trusted.
func (r *runner) settle(ctx context.Context, dir string) bool {
	d := r.trusts(dir)
	if !r.asks {
		return d.Trusted
	}
	if d.Ask {
		if d.Trusted = r.askTrust(ctx, dir, d); ctx.Err() != nil {
			return false
		}
		r.projects.answer(dir, d.Trusted)
	}
	if user, _ := config.Load(r.paths, dir, d.Trusted); user.Bough.ContextFiles == "ask" && !r.args.noContext && !d.Trusted {
		r.askContextFiles(ctx, dir)
	}
	return d.Trusted
}

// askTrust puts the question of trust (docs/spec/frontends.md D21).
func (r *runner) askTrust(ctx context.Context, dir string, d trust.Decision) bool {
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
			err = trust.Remember(ctx, r.places(), dir, true)
		case 'p':
			if err = trust.Remember(ctx, r.places(), parent, true); err == nil {
				err = trust.Accept(r.places(), dir)
			}
		case 'o':
		case 'v':
			fmt.Fprint(r.env.Stderr, firstLines(d.Items, dir))
			continue
		case 'n':
			if err := trust.Remember(ctx, r.places(), dir, false); err != nil {
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
		novelty := trust.Novelty(r.places(), seen)
		if novelty == "" || filepath.Dir(f.Path) == filepath.Clean(r.paths.Agent) || r.trustsFile(f) {
			continue
		}
		fmt.Fprintf(r.env.Stderr, "The context file %s (%s) is %s. It begins:\n", render.OneLine(f.Path), render.Bytes(int64(len(f.Text))), novelty)
		for _, l := range trust.FirstLines(f.Path, 10) {
			fmt.Fprintf(r.env.Stderr, "    %s\n", l)
		}
		if r.ask(ctx, "Use it as instructions for the model? y: yes, as it is now; Enter: not this time.", "yn") == 'y' {
			r.remember(seen)
		}
	}
}

// leftOut says what of a project is not used because nobody was asked; "" if
// somebody has said so.
func leftOut(d trust.Decision, dir string) string {
	if !d.Ask {
		return ""
	}
	var what []string
	for _, i := range d.Items {
		what = append(what, short(i.Path, dir))
	}
	return fmt.Sprintf("Left out of %s: %s; %s. bough trust shows what they do, bough trust yes trusts the project, and --approve does so for one run.",
		dir, strings.Join(what, ", "), d.Why)
}

// itemRows tells what needs trust, with what it does.
func itemRows(items []trust.Item, dir string) string {
	var b strings.Builder
	for _, i := range items {
		files := plural(len(i.Files), "file", "files")
		if i.More {
			files = "more than " + files
		}
		fmt.Fprintf(&b, "  %s  %s, %s\n", render.Pad(short(i.Path, dir), 22), files, render.Bytes(i.Size()))
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
		fmt.Fprintf(&b, "  %s  %s", render.Pad(c.What, 7), short(c.Path, dir))
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
			fmt.Fprintf(&b, "%s\n", short(f.Path, dir))
			for _, l := range trust.FirstLines(f.Path, lines) {
				fmt.Fprintf(&b, "    %s\n", l)
			}
		}
	}
	return b.String()
}

// short is a path below dir as people write it, else the whole.
func short(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return render.OneLine(path)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
