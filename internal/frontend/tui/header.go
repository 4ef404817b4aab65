package tui

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// The header stands before the conversation: what keys there are, and what the session
// works with (docs/spec/frontends.md D1).

// loaded is what the session works with, as far as that has been asked.
type loaded struct {
	asked    int  // answers that are still to come
	known    bool // all of it
	context  []string
	commands []protocol.CommandInfo
	trust    string // "" if there is nothing that needs it
}

// fetchLoaded asks what the session works with.
func (a *app) fetchLoaded() {
	dir, ask := a.view.Header.CWD, a.o.Around.Trust
	l := loaded{asked: 2}
	answered := func() {
		if l.asked--; l.asked == 0 && dir == a.view.Header.CWD {
			l.known = true
			was := a.loadedWords()
			a.loaded = l
			if words := a.loadedWords(); a.o.Regular && words != was && words != "" && !a.o.Quiet && !a.o.Brief {
				a.look.say(a.theme.dim, words) // the header was said already
			}
		}
	}
	call(a, protocol.GetCommands{}, func(c protocol.Commands, err error) {
		if err == nil {
			a.commands, l.commands = c.Commands, c.Commands
		}
		answered()
	})
	call(a, protocol.GetSystemPrompt{}, func(p protocol.SystemPrompt, err error) {
		for _, s := range p.Sections {
			if s.Title == contextSection {
				l.context = s.Sources
			}
		}
		answered()
	})
	if ask == nil || a.o.Quiet || a.o.Brief {
		return
	}
	l.asked++
	a.beside(func() func() {
		t, err := ask(dir)
		return func() {
			if err == nil && len(t.Items) > 0 {
				l.trust = "not trusted"
				if t.Trusted {
					l.trust = "trusted"
				}
			}
			answered()
		}
	})
}

// header is the line that the conversation begins with.
func (a *app) header() string {
	parts := []string{"bough " + a.o.Version}
	for _, h := range []hint{{"app.interrupt", "stop"}, {"app.clear", "clear, quit"}, {"", "/ commands"}, {"", "! shell"}, {"app.tools.expand", "more"}} {
		if k := a.keys.name(h.action); k != "" {
			parts = append(parts, k+" "+a.t(h.words))
		} else if h.action == "" {
			parts = append(parts, a.t(h.words))
		}
	}
	return strings.Join(parts, " · ")
}

// contextSection is the part of the instructions that is made of context files.
const contextSection = "project_context"

// headerBlock draws the header. Open, it lists what was loaded.
func (a *app) headerBlock(open bool) []styled.Line {
	out := a.note(a.theme.dim, a.header())
	if a.o.Brief || a.o.Regular || !a.loaded.known {
		return out
	}
	words := a.loadedWords()
	if words == "" {
		return out
	}
	if rows := a.loadedRows(); len(rows) > 0 {
		if !open {
			words += a.more()
		} else {
			return append(append(out, a.note(a.theme.dim, words)[1:]...), rows...)
		}
	}
	return append(out, a.note(a.theme.dim, words)[1:]...)
}

// loadedWords say in a line what was loaded.
func (a *app) loadedWords() string {
	l := &a.loaded
	if !l.known {
		return ""
	}
	var parts []string
	if len(l.context) > 0 {
		var names []string
		for _, p := range l.context[:min(len(l.context), 4)] {
			names = append(names, render.OneLine(filepath.Base(p)))
		}
		if n := len(l.context) - len(names); n > 0 {
			names = append(names, a.t("%d more", n))
		}
		parts = append(parts, a.t("context: %s", strings.Join(names, ", ")))
	}
	skills, templates := 0, 0
	for _, c := range l.commands {
		if c.Kind == "skill" {
			skills++
		} else {
			templates++
		}
	}
	if skills > 0 {
		parts = append(parts, a.t("skills: %d", skills))
	}
	if templates > 0 {
		parts = append(parts, a.t("templates: %d", templates))
	}
	if len(parts) == 0 && l.trust == "" {
		return "" // a theme alone is no news
	}
	parts = append(parts, a.t("theme: %s", render.OneLine(cmp.Or(a.wearing, a.o.Theme, "system"))))
	if l.trust != "" {
		parts = append(parts, a.t("project: %s", a.t(l.trust)))
	}
	return strings.Join(parts, " · ")
}

var loadedGroups = []string{"user", "project", "path", "package"}

// loadedRows list what was loaded with its paths, by where it is from.
func (a *app) loadedRows() []styled.Line {
	groups := map[string][][2]string{}
	add := func(group, what, path, source string) {
		path = slash.Home(path, a.o.Home)
		if source != "" {
			path += " (" + source + ")"
		}
		groups[group] = append(groups[group], [2]string{render.OneLine(what), render.OneLine(path)})
	}
	for _, p := range a.loaded.context {
		group := "project"
		if !strings.HasPrefix(p, a.view.Header.CWD+string(filepath.Separator)) {
			group = "path"
		}
		if a.o.Agent != "" && filepath.Dir(p) == a.o.Agent {
			group = "user"
		}
		add(group, a.t("context"), p, "")
	}
	for _, c := range a.loaded.commands {
		group, source := c.Scope, ""
		switch {
		case c.Origin == "package":
			group, source = "package", c.Source
		case group == "temporary" || !slices.Contains(loadedGroups, group):
			group = "path"
		}
		add(group, "/"+c.Command, c.Path, source)
	}
	var rows []styled.Line
	for _, g := range loadedGroups {
		if len(groups[g]) == 0 {
			continue
		}
		rows = append(rows, styled.Join(margin, styled.Of(a.t(g), a.theme.title)))
		for _, r := range groups[g] {
			l := styled.Line{{Text: r[0], Style: a.theme.accent}, {Text: "  " + r[1], Style: a.theme.dim}}
			rows = append(rows, styled.Wrap(l, a.look.width, styled.Of("   ", styled.Style{}), styled.Of("     ", styled.Style{}))...)
		}
	}
	return rows
}

// headID is what the header goes by among the blocks that are open.
const headID session.ID = "the header"

// begins reports whether nothing is before what the transcript has.
func (t *transcript) begins() bool {
	if len(t.path) == 0 || t.path[0].ID == t.older.first && !t.older.open {
		return true
	}
	return t.whose().Get(t.path[0].Parent) == nil
}

// lead puts the header where the conversation begins, if that is in sight, and takes
// it away where it does not. Where the terminal scrolls it was said first.
func (t *transcript) lead() {
	want := !t.app.o.Quiet && (t.begins() || t.app.o.Regular)
	switch has := len(t.list) > 0 && t.list[0].head; {
	case want && !has:
		t.list = slices.Insert(t.list, 0, item{at: -1, head: true})
		t.shift(1)
	case has && !want:
		t.unlead()
	}
}

func (t *transcript) unlead() {
	if len(t.list) > 0 && t.list[0].head {
		t.list = t.list[1:]
		t.shift(-1)
	}
}

// shift moves what is known by its place in the list.
func (t *transcript) shift(n int) {
	if n < 0 && t.top < -n {
		t.off = 0
	}
	for _, at := range []*int{&t.top, &t.seen, &t.focused, &t.chosen.from.item, &t.chosen.to.item} {
		*at = max(*at+n, 0)
	}
	// The header is of what was said, once something was: also while it is away.
	switch {
	case n < 0 && t.said > 0:
		t.said, t.headSaid = t.said+n, true
	case n > 0 && (t.said > 0 || t.saidRow > 0 || t.headSaid):
		t.said, t.headSaid = t.said+n, false
	}
}

// resumed says where a conversation stands that is taken up again.
func (a *app) resumed() string {
	t := a.view.Tree
	e := render.Above(t, a.view.Leaf)
	if e == nil {
		return ""
	}
	var parts []string
	s := a.standing()
	if s.label != "" {
		parts = append(parts, "["+s.label+"]")
	} else if s.number > 0 && s.branches > 1 {
		parts = append(parts, a.t("branch %d", s.number))
	}
	if s.branches > 0 {
		parts = append(parts, a.n(s.branches, "%d branch", "%d branches"))
	}
	if !e.Time.IsZero() {
		parts = append(parts, a.t("last activity %s", a.ago(max(a.o.Now().Sub(e.Time), 0))))
	}
	if n := s.compacted; n > 0 {
		parts = append(parts, a.n(n, "compacted %d time", "compacted %d times"))
	}
	return strings.Join(parts, " · ")
}

// welcome tells of a session that is taken up again.
func (a *app) welcome() {
	if a.welcomed == a.view.Header.ID {
		return
	}
	a.welcomed = a.view.Header.ID
	if words := a.resumed(); words != "" && !a.o.Quiet {
		a.look.say(a.theme.dim, words)
	}
}
