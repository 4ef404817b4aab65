package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// helpOn lists what can be typed, or says more of one command.
func (a *app) helpOn(topic string) error {
	if topic = strings.TrimPrefix(strings.TrimSpace(topic), "/"); topic != "" {
		s, ok := slash.Find(topic)
		if !ok {
			return fmt.Errorf("there is no command /%s; /help lists them", topic)
		}
		a.tell(a.theme.dim, "%s: %s. %s", s.Usage(), s.Help, s.More)
		return nil
	}
	var list texts
	var put []string
	do := dispatch()
	for _, s := range slash.All() {
		if _, ok := do[s.Name]; ok {
			list = append(list, struct{ name, beside string }{s.Usage(), s.Help})
			put = append(put, "/"+s.Name+" ")
		}
	}
	for _, c := range a.commands {
		list = append(list, struct{ name, beside string }{render.OneLine(strings.TrimSpace("/" + c.Command + " " + c.ArgHint)), render.OneLine(c.Description)})
		put = append(put, "/"+c.Command+" ")
	}
	for _, w := range [][2]string{{"!command", "run a command of the shell; the model sees it"}, {"!!command", "the same, kept from the model"}, {"@path", "name a file"}} {
		list = append(list, struct{ name, beside string }{w[0], w[1]})
		put = append(put, strings.TrimRight(w[0], "acdhmnoptx"))
	}
	for _, b := range bindings {
		if k := a.keys.name(b.id); k != "" {
			list = append(list, struct{ name, beside string }{k, b.help})
			put = append(put, "")
		}
	}
	a.push(&picker{title: "Help", list: table{list, a, 24}, choose: func(a *app, i int) {
		if put[i] != "" && a.editor.empty() {
			a.editor.set(put[i])
			a.completing()
		}
	}})
	return nil
}

// keyList lists the keys as they are.
func (a *app) keyList() screen {
	var list texts
	for _, b := range bindings {
		var names []string
		for _, k := range a.keys.keys[b.id] {
			names = append(names, keyName(k))
		}
		if len(names) == 0 {
			names = []string{"-"}
		}
		list = append(list, struct{ name, beside string }{strings.Join(names, ", "), b.help + "  " + b.id})
	}
	return &picker{title: "Keys", list: table{list, a, 24}, choose: func(*app, int) {}}
}

// models is a source of models.
type models struct {
	a    *app
	list []provider.Info
}

func (m models) len() int { return len(m.list) }
func (m models) text(i int) string {
	return m.list[i].Provider + "/" + m.list[i].ID + " " + m.list[i].Name
}

func (m models) row(i, width int, _ bool) styled.Line {
	info := m.list[i]
	mark := "  "
	if now := m.a.view.Model; now != nil && now.Provider == info.Provider && now.ID == info.ID {
		mark = "* "
	}
	l := styled.Line{{Text: mark, Style: m.a.theme.accent}, {Text: render.OneLine(info.ID)}, {Text: " [" + render.OneLine(info.Provider) + "]", Style: m.a.theme.dim}}
	if info.ContextWindow > 0 {
		facts := render.Count(info.ContextWindow)
		if info.Reasoning {
			facts = "thinks  " + facts
		}
		if l.Width()+len(facts)+2 <= width {
			return styled.Join(l.Pad(width-len(facts), styled.Style{}), styled.Of(facts, m.a.theme.dim))
		}
	}
	return l
}

// pickModel lists the models; a name that is exact is taken at once.
func (a *app) pickModel(word string) error {
	call(a, protocol.GetModels{}, func(got protocol.Models, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		list := got.Models
		if now := a.view.Model; now != nil && !slices.ContainsFunc(list, func(i provider.Info) bool { return i.Provider == now.Provider && i.ID == now.ID }) {
			list = append([]provider.Info{*now}, list...)
		}
		name, level := word, ""
		find := func() (found []int) {
			for i, m := range list {
				if name == m.Provider+"/"+m.ID {
					return []int{i}
				}
				if name == m.ID {
					found = append(found, i)
				}
			}
			return found
		}
		found := find()
		if i := strings.LastIndexByte(word, ':'); len(found) != 1 && i > 0 {
			name, level = word[:i], word[i+1:]
			if found = find(); len(found) != 1 {
				name, level = word, ""
			}
		}
		if len(found) == 1 {
			a.setModel(list[found[0]], level)
			return
		}
		p := &picker{title: "Models", list: models{a, list}, choose: func(a *app, i int) { a.setModel(list[i], "") },
			empty: "no models are configured; bough auth login stores a key, and bough help models says more"}
		p.query.set(word)
		if word == "" && a.view.Model != nil {
			for i, m := range list {
				if m.Provider == a.view.Model.Provider && m.ID == a.view.Model.ID {
					p.set(i)
				}
			}
		}
		a.push(p)
	})
	return nil
}

func (a *app) setModel(m provider.Info, level string) {
	call(a, protocol.SetModel{Provider: m.Provider, ID: m.ID}, func(info provider.Info, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		when := ""
		if a.view.Running {
			when = " from the next request on"
		}
		a.flash("model %s/%s%s", info.Provider, info.ID, when)
		if level != "" {
			a.setThinking(level)
		}
	})
}

func (a *app) cycleModel() {
	call(a, protocol.CycleModel{}, func(c protocol.Cycled, err error) {
		if err == nil && c.Model == nil {
			err = errors.New("there is no other model")
		}
		if err != nil {
			a.problem(err)
			return
		}
		a.flash("model %s/%s", c.Model.Provider, c.Model.ID)
	})
}

func (a *app) setThinking(level string) {
	call(a, protocol.SetThinking{Level: level}, func(_ string, err error) { a.said(err, "thinking: %s", level) })
}

// thinking sets the level, or lists those that the model has.
func (a *app) thinking(c slash.Command) error {
	if a.view.Model == nil {
		return errors.New("there is no model")
	}
	levels := a.view.Model.Levels()
	if c.Rest != "" {
		if !slices.Contains(levels, c.Rest) {
			return fmt.Errorf("%s has no thinking level %s; it has %s", a.view.Model.ID, render.Quote(c.Rest, 20), strings.Join(levels, ", "))
		}
		a.setThinking(c.Rest)
		return nil
	}
	var list texts
	for _, l := range levels {
		beside := ""
		if l == a.view.Thinking {
			beside = "now"
		}
		list = append(list, struct{ name, beside string }{l, beside})
	}
	p := &picker{title: "Thinking", list: table{list, a, 10}, choose: func(a *app, i int) { a.setThinking(levels[i]) }}
	p.set(slices.Index(levels, a.view.Thinking))
	a.push(p)
	return nil
}

// pickFork lists the messages of the user on this branch.
func (a *app) pickFork() error {
	var list texts
	var ids []session.ID
	previews := render.NewPreviews(a.view.Tree)
	a.look.whole()
	for _, e := range a.look.path {
		if e.Role == message.User {
			list = append(list, struct{ name, beside string }{previews.Of(e).Text, ""})
			ids = append(ids, e.ID)
		}
	}
	if len(list) == 0 {
		return errors.New("you have said nothing on this branch yet")
	}
	p := &picker{title: "New session from before", list: table{list, a, 0}, choose: func(a *app, i int) { a.forkAt(ids[i]) }}
	p.set(len(list) - 1)
	a.push(p)
	return nil
}
