package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// models is the list of models (docs/spec/frontends.md D15).
type models struct {
	a      *app
	p      *picker
	all    []provider.Info
	scope  []provider.Info // those that are cycled through; none: all
	scoped bool            // only they are listed
	usual  string          // model of new sessions, "provider/id"
}

func modelName(i provider.Info) string { return i.Provider + "/" + i.ID }

func (m *models) list() []provider.Info {
	if m.scoped {
		return m.scope
	}
	return m.all
}

func (m *models) len() int { return len(m.list()) }
func (m *models) text(i int) string {
	info := m.list()[i]
	return modelName(info) + " " + info.Name
}

func (m *models) row(i, width int, _ bool) styled.Line {
	info, t := m.list()[i], m.a.theme
	mark := "  "
	if now := m.a.view.Model; now != nil && modelName(*now) == modelName(info) {
		mark = "* "
	}
	l := styled.Line{{Text: mark, Style: t.accent}, {Text: brief(info.ID)}, {Text: " [" + brief(info.Provider) + "]", Style: t.dim}}
	if modelName(info) == m.usual {
		l = append(l, styled.Span{Text: " - " + m.a.t("default"), Style: t.dim})
	}
	facts := ""
	if info.ContextWindow > 0 {
		facts = render.Count(info.ContextWindow)
	}
	if info.Reasoning {
		facts = strings.TrimRight(m.a.t("thinks")+"  "+facts, " ")
	}
	if price := prices(info); price != "" && width >= 76 {
		facts = price + "  " + facts
	}
	if facts != "" && l.Width()+styled.Width(facts)+2 <= width {
		return styled.Join(l.Pad(width-styled.Width(facts), styled.Style{}), styled.Of(facts, t.dim))
	}
	return l
}

// prices are those of a million tokens, in and out; "" if they are not known.
func prices(i provider.Info) string {
	if i.PriceUnknown || i.Cost.Input == 0 && i.Cost.Output == 0 {
		return ""
	}
	usd := func(f float64) string { return "$" + strconv.FormatFloat(f, 'f', -1, 64) }
	return usd(i.Cost.Input) + "/" + usd(i.Cost.Output)
}

// detail says what a model can, and what going over to it means here.
func (m *models) detail(i, width int) []styled.Line {
	info, t := m.list()[i], m.a.theme
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, m.a.t(format, args...)) }
	if info.Name != "" && info.Name != info.ID {
		parts = append(parts, brief(info.Name))
	}
	if info.ContextWindow > 0 {
		add("window %s", render.Count(info.ContextWindow))
	} else {
		add("window unknown")
	}
	if info.MaxTokens > 0 {
		add("answers up to %s", render.Count(info.MaxTokens))
	}
	if info.TakesImages() {
		add("takes images")
	}
	if levels := info.Levels(); len(levels) > 1 {
		add("thinking %s to %s", levels[0], levels[len(levels)-1])
	}
	if p := prices(info); p != "" {
		add("%s per million tokens", p)
	} else {
		add("price unknown")
	}
	rows := styled.Wrap(styled.Of(strings.Join(parts, " · "), t.dim), width, nil, nil)
	if words, odd := m.means(info); words != "" {
		style := t.dim
		if odd {
			style = t.warning
		}
		rows = append(rows, styled.Wrap(styled.Of(words, style), width, nil, nil)...)
	}
	return rows
}

// means says what becomes of the context; odd is what a person should know first.
func (m *models) means(info provider.Info) (words string, odd bool) {
	u, now := m.a.view.Context, m.a.view.Model
	if u == nil || !u.Known || u.Tokens <= 0 || now != nil && modelName(*now) == modelName(info) {
		return "", false
	}
	if info.ContextWindow > 0 && u.Tokens >= info.ContextWindow {
		return m.a.t("The conversation, %s tokens, does not fit: it is summed up first.", render.Count(u.Tokens)), true
	}
	words = m.a.t("The conversation is read anew, since another model has no cache of it")
	if cost := render.Dollars(float64(u.Tokens) / 1e6 * info.Cost.Input); cost != "" {
		words = m.a.t("The conversation is read anew, about %s, since another model has no cache of it", cost)
	}
	if info.ContextWindow > 0 {
		words += m.a.t("; %s of its window are left then", render.Count(info.ContextWindow-u.Tokens))
	}
	return words + m.a.t("."), false
}

// pickModel lists the models; a name that is exact is taken at once.
func (a *app) pickModel(word string) error {
	a.beside(func() func() {
		got, err := protocol.Call(a.ctx, a.c, protocol.GetModels{})
		usual := a.settingText("defaultProvider") + "/" + a.settingText("defaultModel")
		return func() {
			if err != nil {
				a.problem(err)
				return
			}
			a.showModels(word, got, usual)
		}
	})
	return nil
}

// settingText is what a setting that is a text is set to; "" if it is not. Not for
// the loop.
func (a *app) settingText(key string) (text string) {
	got, err := protocol.Call(a.ctx, a.c, protocol.GetSettings{Key: key})
	if err != nil || len(got.Settings) != 1 || json.Unmarshal([]byte(got.Settings[0].Force().Value), &text) != nil {
		return ""
	}
	return text
}

func (a *app) showModels(word string, got protocol.Models, usual string) {
	list := got.Models
	if now := a.view.Model; now != nil && !slices.ContainsFunc(list, func(i provider.Info) bool { return modelName(i) == modelName(*now) }) {
		list = append([]provider.Info{*now}, list...)
	}
	if i, level, ok := exact(list, word); ok {
		a.setModel(list[i], level)
		return
	}
	m := &models{a: a, all: list, scope: got.Scope, scoped: len(got.Scope) > 0 && word == "", usual: usual}
	m.p = &picker{title: "Models", list: m, choose: func(a *app, i int) { a.setModel(m.list()[i], "") }, detail: m.detail, act: m.act, state: m.state,
		more:  []hint{{"app.models.save", "also the default"}},
		empty: "no models can be asked; /login stores a key, and /help models says more"}
	if len(got.Scope) > 0 {
		m.p.more = append(m.p.more, hint{"tui.input.tab", "all or those to cycle through"})
	}
	m.p.query.set(word)
	if word == "" && a.view.Model != nil {
		m.stand(modelName(*a.view.Model))
	}
	a.push(m.p)
}

// exact finds the model that a word names, with a level behind a colon.
func exact(list []provider.Info, word string) (at int, level string, ok bool) {
	find := func(name string) (found []int) {
		for i, m := range list {
			if name == modelName(m) {
				return []int{i}
			}
			if name == m.ID {
				found = append(found, i)
			}
		}
		return found
	}
	if found := find(word); len(found) == 1 {
		return found[0], "", true
	}
	if i := strings.LastIndexByte(word, ':'); i > 0 {
		if found := find(word[:i]); len(found) == 1 {
			return found[0], word[i+1:], true
		}
	}
	return 0, "", false
}

func (m *models) stand(name string) {
	for i, info := range m.list() {
		if modelName(info) == name {
			m.p.set(i)
		}
	}
}

func (m *models) state() styled.Line {
	if len(m.scope) == 0 {
		return nil
	}
	if m.scoped {
		return styled.Of(m.a.t("to cycle through"), m.a.theme.dim)
	}
	return styled.Of(m.a.t("all"), m.a.theme.dim)
}

func (m *models) act(a *app, i int, k term.Key) bool {
	switch {
	case a.keys.is(k, "tui.input.tab") && len(m.scope) > 0:
		name := ""
		if i >= 0 {
			name = modelName(m.list()[i])
		}
		m.scoped = !m.scoped
		m.p.changed()
		m.stand(name)
	case a.keys.is(k, "app.models.save") && i >= 0:
		info := m.list()[i]
		a.close(m.p)
		a.saveSettings(a.t("the default from now on: %s", modelName(info)), protocol.SetModel{Provider: info.Provider, ID: info.ID}, protocol.SetSetting{Key: "defaultProvider", Value: quoted(info.Provider), Save: true},
			protocol.SetSetting{Key: "defaultModel", Value: quoted(info.ID), Save: true})
	default:
		return false
	}
	return true
}

// quoted writes a text as JSON, so that it is taken as one.
func quoted(s string) string {
	b, _ := json.Marshal(s) // of a text: it does not fail
	return string(b)
}

// saveSettings carries out commands one after the other, and then says so.
func (a *app) saveSettings(words string, list ...protocol.Request) {
	a.beside(func() func() {
		var err error
		for _, c := range list {
			if err == nil {
				_, err = a.c.Do(a.ctx, c)
			}
		}
		return func() { a.said(err, "%s", words) }
	})
}

func (a *app) setModel(m provider.Info, level string) {
	call(a, protocol.SetModel{Provider: m.Provider, ID: m.ID}, func(info provider.Info, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		if a.view.Running {
			a.flash("model %s from the next request on", modelName(info))
		} else {
			a.flash("model %s", modelName(info))
		}
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
		a.flash("model %s", modelName(*c.Model))
	})
}

func (a *app) setThinking(level string) {
	call(a, protocol.SetThinking{Level: level}, func(_ string, err error) { a.said(err, "thinking: %s", level) })
}

// costOf says in a word what a thinking level costs.
var costOf = map[string]string{"off": "no thinking", "minimal": "almost no tokens", "low": "few tokens", "medium": "the usual", "high": "many tokens, slower",
	"xhigh": "very many tokens", "max": "as many as it takes"}

// thinking sets the level, or lists those that the model has.
func (a *app) thinking(c slash.Command) error {
	if a.view.Model == nil {
		return errors.New("there is no model")
	}
	name, levels := modelName(*a.view.Model), a.view.Model.Levels()
	if c.Rest != "" {
		if !slices.Contains(levels, c.Rest) {
			return fmt.Errorf("%s has no thinking level %s; it has %s", a.view.Model.ID, render.Quote(c.Rest, 20), strings.Join(levels, ", "))
		}
		a.setThinking(c.Rest)
		return nil
	}
	var list texts
	for _, l := range levels {
		beside := a.t(costOf[l])
		if l == a.view.Thinking {
			beside = strings.TrimLeft(beside+"  "+a.t("(now)"), " ")
		}
		list = append(list, struct{ name, beside string }{l, beside})
	}
	p := &picker{title: "Thinking", list: table{list, a, 10}, choose: func(a *app, i int) { a.setThinking(levels[i]) },
		more: []hint{{"app.thinking.save", "also the default"}}}
	p.act = func(a *app, i int, k term.Key) bool {
		if !a.keys.is(k, "app.thinking.save") || i < 0 {
			return false
		}
		a.close(p)
		a.saveSettings(a.t("thinking %s from now on for %s", levels[i], name), protocol.SetThinking{Level: levels[i]}, protocol.SetSetting{Key: "modelThinkingLevels." + name, Value: levels[i], Save: true})
		return true
	}
	p.set(slices.Index(levels, a.view.Thinking))
	a.push(p)
	return nil
}

// cycled is the list of models that are cycled through, in that order, and then the
// others (D17).
type cycled struct {
	a  *app
	p  *picker
	in []provider.Info // in the order of cycling
	no []provider.Info // the others
}

func (c *cycled) len() int          { return len(c.in) + len(c.no) }
func (c *cycled) text(i int) string { info := c.of(i); return modelName(info) + " " + info.Name }

func (c *cycled) of(i int) provider.Info {
	if i < len(c.in) {
		return c.in[i]
	}
	return c.no[i-len(c.in)]
}

func (c *cycled) row(i, width int, _ bool) styled.Line {
	info, box := c.of(i), "[ ] "
	if i < len(c.in) {
		box = "[x] "
	}
	return styled.Line{{Text: box, Style: c.a.theme.accent}, {Text: brief(info.ID)}, {Text: " [" + brief(info.Provider) + "]", Style: c.a.theme.dim}}.Cut(width)
}

func (a *app) scopedModels(cmd slash.Command) error {
	call(a, protocol.GetModels{}, func(got protocol.Models, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		c := &cycled{a: a, in: got.Scope}
		for _, info := range got.Models {
			if !slices.ContainsFunc(got.Scope, func(o provider.Info) bool { return modelName(o) == modelName(info) }) {
				c.no = append(c.no, info)
			}
		}
		c.p = &picker{title: "Models to cycle through", list: c, stays: true, verb: "in or out", choose: func(_ *app, i int) { c.turn(i) }, act: c.act, state: func() styled.Line {
			if len(c.in) == 0 {
				return styled.Of(a.t("none: all are"), a.theme.dim)
			}
			return nil
		}, more: []hint{{"app.models.save", "save"}, {"app.models.enableAll", "all"}, {"app.models.clearAll", "none"}, {"app.models.toggleProvider", "provider"},
			{"app.models.reorderUp", "up"}, {"app.models.reorderDown", "down"}}}
		c.p.empty = "no models can be asked; /login stores a key"
		c.p.query.set(cmd.Rest)
		a.push(c.p)
	})
	return nil
}

// turn takes a model in or out; the cursor stays at it.
func (c *cycled) turn(i int) {
	info := c.of(i)
	c.put(info, i >= len(c.in))
	c.stand(info)
	c.apply()
}

func (c *cycled) put(info provider.Info, in bool) {
	is := func(o provider.Info) bool { return modelName(o) == modelName(info) }
	c.in, c.no = slices.DeleteFunc(slices.Clone(c.in), is), slices.DeleteFunc(slices.Clone(c.no), is)
	if in {
		c.in = append(c.in, info)
	} else {
		c.no = append([]provider.Info{info}, c.no...)
	}
}

func (c *cycled) stand(info provider.Info) {
	c.p.changed()
	for i := range c.len() {
		if modelName(c.of(i)) == modelName(info) {
			c.p.set(i)
		}
	}
}

// change is what the setting is to be.
func (c *cycled) change(save bool) protocol.SetSetting {
	names := []string{}
	for _, info := range c.in {
		names = append(names, modelName(info))
	}
	b, _ := json.Marshal(names) // of texts: it does not fail
	return protocol.SetSetting{Key: "enabledModels", Value: string(b), Save: save}
}

// apply has it count in this run.
func (c *cycled) apply() {
	call(c.a, c.change(false), func(_ protocol.SettingSet, err error) { c.a.problem(err) })
}

func (c *cycled) act(a *app, i int, k term.Key) bool {
	is := func(action string) bool { return a.keys.is(k, action) }
	found := make([]provider.Info, 0, len(c.p.found))
	for _, at := range c.p.found {
		found = append(found, c.of(at))
	}
	if i < 0 && !is("app.models.save") {
		return false
	}
	switch {
	case is("app.models.save"):
		a.close(c.p)
		a.saveSettings(a.n(len(c.in), "saved: %d model to cycle through", "saved: %d models to cycle through"), c.change(true))
		return true
	case is("app.models.enableAll"), is("app.models.clearAll"):
		for _, info := range found {
			c.put(info, is("app.models.enableAll"))
		}
	case is("app.models.toggleProvider"):
		of, in := c.of(i).Provider, i >= len(c.in)
		for _, info := range slices.Concat(c.in, c.no) {
			if info.Provider == of {
				c.put(info, in)
			}
		}
	case is("app.models.reorderUp") && i > 0 && i < len(c.in):
		c.in = slices.Clone(c.in)
		c.in[i-1], c.in[i] = c.in[i], c.in[i-1]
		c.stand(c.in[i-1])
		c.apply()
		return true
	case is("app.models.reorderDown") && i+1 < len(c.in):
		c.in = slices.Clone(c.in)
		c.in[i+1], c.in[i] = c.in[i], c.in[i+1]
		c.stand(c.in[i+1])
		c.apply()
		return true
	default:
		return is("app.models.reorderUp") || is("app.models.reorderDown")
	}
	c.stand(found[0])
	c.apply()
	return true
}
