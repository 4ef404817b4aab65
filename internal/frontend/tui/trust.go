package tui

import (
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
)

// words tells what a project brings along, as Markdown (docs/spec/frontends.md D21).
func (t Trust) words(a *app) string {
	var b strings.Builder
	state := a.t("%s is not trusted: %s.", code(a.home(t.Dir)), escaped(a.told(t.Why)))
	if t.Trusted {
		state = a.t("%s is trusted: %s.", code(a.home(t.Dir)), escaped(a.told(t.Why)))
	}
	b.WriteString(state + "\n\n")
	if len(t.Changed) > 0 {
		b.WriteString(a.t("Since it was trusted this has changed:") + "\n\n")
		for _, c := range t.Changed {
			what, path, _ := strings.Cut(c, " ")
			if words := a.told(c); words != c || path == "" {
				what, path = words, ""
			}
			fmt.Fprintf(&b, "- %s\n", escaped(strings.TrimSpace(a.t(what)+" "+path)))
		}
		b.WriteString("\n")
	}
	if len(t.Items) == 0 {
		b.WriteString(a.t("It brings nothing along that needs trust.") + "\n")
		return b.String()
	}
	b.WriteString(a.t("It brings along what can steer the model or run commands. Without trust all this is left out and the rest works.") + "\n\n")
	for _, i := range t.Items {
		size := a.n(i.Files, "%d file, %s", "%d files, %s", render.Bytes(i.Size))
		if i.More {
			size = a.t("more than %s", size)
		}
		fmt.Fprintf(&b, "- %s%s%s\n", code(i.Path), a.t(", "), escaped(size))
		for _, n := range i.Notes {
			fmt.Fprintf(&b, "  - %s\n", escaped(a.told(n)))
		}
	}
	begins := false
	for _, i := range t.Items {
		if len(i.Begins) == 0 {
			continue
		}
		if !begins {
			begins = true
			b.WriteString("\n## " + a.t("How the files begin") + "\n")
		}
		fmt.Fprintf(&b, "\n%s\n\n", code(i.Path))
		for _, l := range i.Begins {
			b.WriteString("    " + brief(l) + "\n")
		}
	}
	return b.String()
}

// code writes words of others as code of Markdown, on one line.
func code(s string) string { return "`" + strings.ReplaceAll(brief(s), "`", "'") + "`" }

// escaped writes words of others so that Markdown has nothing to say to them.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range brief(s) {
		if strings.ContainsRune("\\`*_[]<>#|~!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// trustPaper asks whether to trust a project. Nobody trusts it by an Enter too many.
func trustPaper(a *app, t Trust, answer func(TrustAnswer)) *paper {
	say := func(it TrustAnswer) func() { return func() { answer(it) } }
	return &paper{title: "Trust this project?", text: t.words(a), at: 4, back: func(*app) { answer(TrustNot) }, choices: []choice{
		{"Trust it, now and later", say(TrustAlways)},
		{a.t("Trust all in %s", a.home(t.Parent)), say(TrustParent)},
		{"Trust it this time", say(TrustOnce)},
		{"Never use what it brings along", say(TrustNever)},
		{"Not this time", say(TrustNot)},
	}}
}

// trust shows how it stands with the project, and changes it for the next start.
func (a *app) trust(slash.Command) error {
	o := a.o.Around
	if o.Trust == nil {
		return errors.New("the files of this project lie on another machine; bough trust in a shell there says how it stands with them")
	}
	dir := a.view.Header.CWD
	a.beside(func() func() {
		t, err := o.Trust(dir)
		return func() {
			if err != nil {
				a.problem(err)
				return
			}
			set := func(answer TrustAnswer, words string) func() {
				return func() {
					a.beside(func() func() {
						err := o.SetTrust(a.ctx, dir, answer)
						return func() {
							if err != nil {
								a.problem(err)
								return
							}
							a.tell(a.theme.dim, "%s /reload takes it up.", words)
						}
					})
				}
			}
			name := a.home(dir)
			p := &paper{title: "Trust", text: t.words(a), choices: []choice{
				{"Leave it as it is", nil},
				{"Trust it, with all that it has now", set(TrustAlways, a.t("%s is trusted from now on.", name))},
				{a.t("Trust all in %s", a.home(t.Parent)), set(TrustParent, a.t("All in %s is trusted from now on.", a.home(t.Parent)))},
				{"Never use what it brings along", set(TrustNever, a.t("%s is not trusted from now on.", name))},
				{"Forget the answer, so that bough asks", set(TrustForget, a.t("The answer for %s is forgotten.", name))},
			}}
			a.push(p)
		}
	})
	return nil
}
