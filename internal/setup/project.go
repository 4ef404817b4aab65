package setup

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/config"
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

// Answer notes what a person said about a project for this run.
func (m *Maker) Answer(dir string, trusted bool) { m.projects.answer(dir, trusted) }

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
func (m *Maker) resources(dir string, chosen choices) resources {
	d := m.Trusts(dir)
	out := resources{trusted: d.Trusted}
	if d.Problem != nil {
		out.odd = append(out.odd, d.Problem.Error())
	}
	if line := leftOut(d, dir); line != "" {
		out.odd = append(out.odd, line)
	}
	set, problems := m.find(dir, d.Trusted, chosen)
	out.set = set
	out.odd = append(out.odd, m.few(problems)...)
	return out
}

// Resources finds what there is for a folder, of a project only if it is trusted.
func (m *Maker) Resources(dir string, trusted bool) (resource.Set, []resource.Problem) {
	return m.find(dir, trusted, choices{})
}

func (m *Maker) find(dir string, trusted bool, chosen choices) (resource.Set, []resource.Problem) {
	s, _ := config.Load(m.Paths, dir, trusted) // told when the settings are read
	o := resource.Options{Agent: m.Paths.Agent, Home: m.Paths.Home, Project: dir, Trusted: trusted, NoSkillCommands: !s.SkillCommands,
		Skills: chosen.Skills, Prompts: chosen.Templates, NoSkills: chosen.NoSkills, NoPrompts: chosen.NoTemplates}
	o.Themes, o.NoThemes = m.withPlaces(nil, m.Options.Themes), m.Options.NoThemes
	o.User, o.Own = resource.EntriesOf(s)
	set, problems := resource.Find(o)
	return set, append(problems, set.Shadowed(m.IsCommand)...)
}

// few tells the first of what was odd about skills and templates, and how much
// more there is. Without somebody at a terminal a line has to do, but what the
// command line names is always told.
func (m *Maker) few(problems []resource.Problem) []string {
	const most = 3
	var told []string
	clashes, more := 0, 0
	for _, p := range problems {
		named := strings.HasPrefix(p.Message, "--")
		switch {
		case p.Clash:
			clashes++
		case named || m.Asks() && len(told) < most:
			told = append(told, render.OneLine(p.String()))
		default:
			more++
		}
	}
	if more > 0 {
		told = append(told, render.Plural(more, "skill, template or package is", "skills, templates or packages are")+" left out or odd; bough list shows why.")
	}
	if clashes > 0 && m.Asks() {
		told = append(told, render.Plural(clashes, "skill or template is", "skills or templates are")+" not used, since others of the same name go first; bough list shows which.")
	}
	return told
}

// contextFiles reads the context files for a folder as far as they may be used.
// policy is the setting bough.contextFiles. What is new in a project that is not
// trusted is told (docs/spec/frontends.md H-33).
func (m *Maker) contextFiles(dir string, trusted bool, policy string) (files []prompt.File, odd []string) {
	all, odd := prompt.ContextFiles(m.Paths.Agent, dir)
	for _, f := range all {
		if trusted || filepath.Dir(f.Path) == filepath.Clean(m.Paths.Agent) || m.TrustsFile(f) {
			files = append(files, f)
			continue
		}
		seen := trust.ContextFile{Path: f.Path, Text: f.Text}
		novelty := trust.Novelty(m.Places(), seen)
		what := fmt.Sprintf("context file %s (%s)", render.OneLine(f.Path), render.Bytes(int64(len(f.Text))))
		switch {
		case policy == "trusted":
			odd = append(odd, what+" is left out: its folder is not trusted, and bough.contextFiles is \"trusted\". bough trust yes trusts it.")
			continue
		case novelty == "":
		case policy == "ask":
			odd = append(odd, what+" is left out: it is "+novelty+" and nobody was asked. bough trust yes trusts its folder; on a terminal bough asks.")
			continue
		case !m.Quiet:
			odd = append(odd, what+" is "+novelty+" and is used: its words are instructions for the model. -nc leaves such files out.")
			m.Remember(seen)
		}
		files = append(files, f)
	}
	return files, odd
}

// TrustsFile reports whether somebody said yes to the folder of a file, and no
// --no-approve says otherwise.
func (m *Maker) TrustsFile(f prompt.File) bool {
	if m.NoApprove {
		return false
	}
	saved, err := trust.Lookup(m.Paths.Agent, filepath.Dir(f.Path))
	return err == nil && saved.Trusted
}

// Remember notes that a context file was told of. If that fails it is told of
// again, which does no harm.
func (m *Maker) Remember(f trust.ContextFile) { _ = trust.Seen(m.Places(), f) }

// Places says where trust is kept.
func (m *Maker) Places() trust.Places {
	return trust.Places{Agent: m.Paths.Agent, Home: m.Paths.Home, State: m.Paths.State, Named: func(dir string) []string {
		s, _ := config.Load(m.Paths, dir, true) // told when they are used
		_, own := resource.EntriesOf(s)
		return resource.Named(resource.Options{Home: m.Paths.Home, Project: dir, Own: own})
	}}
}

// Trusts decides about a project without asking.
func (m *Maker) Trusts(dir string) trust.Decision {
	user, _ := config.Load(m.Paths, "", false) // told when the settings are read
	d := trust.Decide(trust.Options{Places: m.Places(), Dir: dir, Approve: m.Approve, Deny: m.NoApprove,
		Default: user.DefaultProjectTrust, NoRecheck: !user.Bough.TrustRecheck})
	if yes, ok := m.projects.answered(dir); ok && d.Ask {
		d.Trusted, d.Ask, d.Why = yes, false, "you said so for this run"
	}
	return d
}

// leftOut says what of a project is not used because nobody was asked; "" if
// somebody has said so.
func leftOut(d trust.Decision, dir string) string {
	if !d.Ask {
		return ""
	}
	var what []string
	for _, i := range d.Items {
		what = append(what, render.Below(i.Path, dir))
	}
	return fmt.Sprintf("Left out of %s: %s; %s. bough trust shows what they do, bough trust yes trusts the project, and --approve does so for one run.",
		dir, strings.Join(what, ", "), d.Why)
}
