package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/docs"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/styled"
)

// help is all that can be done, in one list that is searched: commands, templates and
// skills, ways to begin a line, keys, pages of the manual.
type help struct {
	a    *app
	list []helpRow
}

type helpRow struct {
	kind, name, words, more string
	also                    string // what it is found by besides: the words in English
	put                     string // into the editor when it is chosen
	page                    string // of the manual that is shown then
}

func (h *help) len() int { return len(h.list) }
func (h *help) text(i int) string {
	r := h.list[i]
	return r.name + " " + r.words + " " + r.kind + " " + h.a.t(r.kind) + " " + r.more + " " + r.also
}

func (h *help) row(i, width int, _ bool) styled.Line {
	r, t := h.list[i], h.a.theme
	style := styled.Style{}
	switch r.kind {
	case "key":
		style = t.key
	case "page":
		style = t.accent
	}
	return beside(styled.Of(r.name, style), styled.Of(r.words, t.dim), 26, width)
}

func (h *help) detail(i, width int) []styled.Line {
	r := h.list[i]
	if r.more == "" {
		return nil
	}
	return append([]styled.Line{nil}, styled.Wrap(styled.Of(r.more, h.a.theme.dim), width, nil, nil)...)
}

// helpOn lists what can be done, or says more of one command or page.
func (a *app) helpOn(topic string) error {
	topic = strings.TrimSpace(topic)
	if s, ok := slash.Find(strings.TrimPrefix(topic, "/")); ok && dispatch()[s.Name] != nil {
		a.tell(a.theme.dim, "%s", strings.TrimSpace(a.sentences(usage(a, s)+a.t(": ")+a.t(s.Help)+a.t("."), a.t(s.More))))
		return nil
	}
	if page, ok := docs.Page(strings.TrimSuffix(topic, ".md")); ok && topic != "" {
		a.push(&paper{title: topic, text: page})
		return nil
	}
	h := &help{a: a}
	add := func(r helpRow) { h.list = append(h.list, r) }
	do := dispatch()
	for _, s := range slash.All() {
		if _, ok := do[s.Name]; ok && s.Where&slash.Terminal != 0 {
			add(helpRow{kind: "command", name: usage(a, s), words: a.t(s.Help), more: a.t(s.More), also: s.Args + " " + s.Help + " " + s.More, put: "/" + s.Name + " "})
		}
	}
	for _, c := range a.commands {
		add(helpRow{kind: c.Kind, name: brief(strings.TrimSpace("/" + c.Command + " " + c.ArgHint)), words: brief(c.Description), more: a.home(c.Path), put: "/" + c.Command + " "})
	}
	add(helpRow{kind: "line", name: "!command", words: a.t("run a command of the shell; the model sees it"), put: "!"})
	add(helpRow{kind: "line", name: "!!command", words: a.t("the same, kept from the model"), put: "!!"})
	add(helpRow{kind: "line", name: "@path", words: a.t("name a file"), put: "@"})
	for _, b := range bindings {
		if keys := a.keyNames(b.id); keys != "" {
			add(helpRow{kind: "key", name: keys, words: a.t(b.help), more: a.t("%s in keybindings.json", b.id), also: b.help})
		}
	}
	for _, t := range docs.Topics() {
		add(helpRow{kind: "page", name: t.Name, words: a.t("%s (page of the manual)", t.Title), page: t.Name})
	}
	p := &picker{title: "Help", list: h, fills: true, stays: true, detail: h.detail, filter: func(text, query string) bool {
		return hasAll(strings.ToLower(text), strings.Fields(strings.ToLower(query)))
	}, state: func() styled.Line {
		return styled.Of(a.t("commands, keys, manual: type to search"), a.theme.dim)
	}}
	p.choose = func(a *app, i int) {
		switch r := h.list[i]; {
		case r.page != "":
			text, _ := docs.Page(r.page) // it was listed
			a.push(&paper{title: r.page, text: text})
		case r.put != "" && a.editor.empty():
			a.close(p)
			a.editor.set(r.put)
			a.completing()
		default:
			a.close(p)
		}
	}
	p.query.set(topic)
	a.push(p)
	return nil
}

// keyNames are the keys of an action; "" if it has none.
func (a *app) keyNames(id string) string {
	var names []string
	for _, k := range a.keys.keys[id] {
		names = append(names, keyName(k))
	}
	return strings.Join(names, ", ")
}

// usedMost are the beginnings of the actions that the list of keys has first.
var usedMost = [...]string{"tui.input.submit", "tui.input.newLine", "tui.input.tab", "app.interrupt", "app.clear", "app.exit", "app.session.tree", "bough.pos.", "bough.sibling.", "app.tools.", "app.message.", "bough.transcript.",
	"tui.altScreen.search", "app.model.", "app.thinking.", "tui.altScreen.", "app.clipboard.", "app.editor.", "app.suspend"}

// keyList lists the keys as they are.
func (a *app) keyList() screen {
	rank := func(b binding) int {
		for i, p := range usedMost {
			if strings.HasPrefix(b.id, p) {
				return i
			}
		}
		return len(usedMost)
	}
	sorted := slices.Clone(bindings)
	slices.SortStableFunc(sorted, func(x, y binding) int { return rank(x) - rank(y) })
	var list texts
	for _, b := range sorted {
		keys := a.keyNames(b.id)
		if twice := a.doubleEscape(); twice != "" && b.id == "app.session."+twice {
			esc := a.keys.name("app.interrupt")
			keys = strings.TrimPrefix(keys+", "+esc+" "+esc, ", ")
		}
		if keys == "" {
			keys = "-"
		}
		list = append(list, struct{ name, beside string }{keys, fmt.Sprintf("%s  %s", a.t(b.help), b.id)})
	}
	return &picker{title: "Keys", list: table{list, a, 24}, stays: true, fills: true}
}

// usage is a command with its arguments in the user's language.
func usage(a *app, s slash.Spec) string {
	s.Args = a.t(s.Args)
	return s.Usage()
}
