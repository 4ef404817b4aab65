package tui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
)

// settingsList is the screen of the settings (docs/spec/frontends.md D18): what each
// is, where that comes from, and in its place another value.
type settingsList struct {
	a      *app
	p      *picker
	list   []protocol.Setting
	hints  []string
	undos  []protocol.SetSetting
	told   string // what came of the last change
	failed bool   // of told
}

// settings opens the screen, or does what the words say.
func (a *app) settings(c slash.Command) error {
	change, ok, err := slash.SettingChange(c.Rest)
	switch {
	case err != nil:
		return err
	case ok:
		call(a, change, func(set protocol.SettingSet, err error) {
			if err != nil {
				a.problem(err)
				return
			}
			a.tell(a.theme.dim, "%s; %s", a.settingRow(set.Setting), a.told(set.Effect))
			if set.Undo != "" {
				a.tell(a.theme.dim, "To undo: %s", set.Undo)
			}
			a.settingChanged(set.Setting)
		})
		return nil
	}
	call(a, protocol.GetSettings{All: true}, func(got protocol.Settings, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		s := &settingsList{a: a, list: got.Settings, hints: got.Hints}
		s.order()
		for _, u := range got.Unknown { // what it is set to may be a secret of somebody else
			s.list = append(s.list, protocol.Setting{Key: u.Key, Kind: foreignKind, Unused: "bough does not use it and leaves it in the file", Sources: []protocol.SettingSource{{From: u.From}}})
		}
		s.p = &picker{title: "Settings", list: s, stays: true, verb: "change", most: 10, choose: func(_ *app, i int) { s.edit(i) }, detail: s.detail, act: s.act, state: s.state}
		s.p.more = []hint{{"tui.editor.undo", "undo"}, {"tui.editor.deleteToLineEnd", "back to the default"}}
		if word := strings.TrimSpace(c.Rest); word != "--all" {
			s.p.query.set(word)
		}
		a.push(s.p)
	})
	return nil
}

// foreignKind is that of names in a file which are no settings of bough's.
const foreignKind = "foreign"

// order puts what nobody goes by last.
func (s *settingsList) order() {
	slices.SortStableFunc(s.list, func(a, b protocol.Setting) int {
		return map[bool]int{true: 1}[a.Unused != ""] - map[bool]int{true: 1}[b.Unused != ""]
	})
}

func (s *settingsList) len() int { return len(s.list) }
func (s *settingsList) text(i int) string {
	return s.list[i].Key + " " + s.list[i].Help + " " + s.list[i].Section
}

func (s *settingsList) row(i, width int, _ bool) styled.Line {
	set, t := s.list[i], s.a.theme
	now := set.Force()
	style := styled.Style{}
	if set.Unused != "" {
		style = t.dim
	}
	names := min(36, max(width/2, 8))
	l := styled.Of(brief(set.Key), style).Cut(names).Pad(names+1, styled.Style{})
	value := brief(s.a.shown(now.Value))
	if set.Kind == foreignKind {
		value = s.a.t("not used by bough")
	}
	from, _, _ := strings.Cut(now.From, ",")
	from = " (" + brief(s.a.t(from)) + ")"
	if width < 50 || now.Value == "" && set.Kind != foreignKind {
		from = ""
	}
	vs := t.success
	if now.From == "default" || now.Value == "" {
		vs = t.dim
	}
	return styled.Join(l, styled.Of(value, vs).Cut(max(width-names-1-styled.Width(from), 4)), styled.Of(from, t.dim)).Cut(width)
}

func (a *app) shown(value string) string {
	if value == "" {
		return a.t("(not set)")
	}
	return value
}

func (s *settingsList) detail(i, width int) []styled.Line {
	set, t := s.list[i], s.a.theme
	rows := []styled.Line{nil}
	if set.Kind == foreignKind {
		rows = append(rows, styled.Wrap(styled.Of(s.a.capital(s.a.told(set.Unused))+s.a.t("."), t.dim), width, nil, nil)...)
		return append(rows, styled.Of(brief(s.a.from(set.Force().From)), t.dim).Cut(width))
	}
	words := s.a.sentences(s.a.told(set.Help), s.a.capital(s.a.allowed(set.Allowed))+s.a.t("."))
	if set.Default != "" {
		words = s.a.sentences(words, s.a.t("Default: %s.", set.Default))
	}
	if set.Unused != "" {
		words = s.a.sentences(words, s.a.told(set.Unused)+s.a.t("."))
	}
	rows = append(rows, styled.Wrap(styled.Of(brief(words), t.dim), width, nil, nil)...)
	seen := false
	for _, f := range set.Sources {
		line, style := brief(s.a.from(f.From)+": "+s.a.shown(f.Value)), t.dim
		switch {
		case f.Ignored != "":
			line, style = line+" "+s.a.t("(ignored: %s)", brief(s.a.told(f.Ignored))), t.warning
		case !seen:
			seen, style = true, t.accent
			line += " " + s.a.t("(counts)")
		}
		rows = append(rows, styled.Of(line, style).Cut(width))
	}
	return rows
}

func (s *settingsList) state() styled.Line {
	switch {
	case s.failed:
		return styled.Of(s.told, s.a.theme.failure)
	case s.told != "":
		return styled.Of(s.told, s.a.theme.success)
	case len(s.hints) > 0:
		return styled.Of(brief(s.hints[0]), s.a.theme.warning)
	}
	return nil
}

func (s *settingsList) act(a *app, i int, k term.Key) bool {
	switch {
	case a.keys.is(k, "tui.editor.undo") && s.p.query.empty():
		if n := len(s.undos); n > 0 {
			c := s.undos[n-1]
			s.undos = s.undos[:n-1]
			s.set(c, false)
		}
	case a.keys.is(k, "tui.editor.deleteToLineEnd") && i >= 0 && s.list[i].Kind != foreignKind && s.p.query.at == len(s.p.query.text):
		s.set(protocol.SetSetting{Key: s.list[i].Key, Unset: true, Save: true}, true)
	case k.Text == " " && s.p.query.empty() && i >= 0:
		s.edit(i)
	default:
		return false
	}
	return true
}

// choicesOf are the values that a setting can have, if they are few.
func (a *app) choicesOf(set protocol.Setting) []string {
	switch {
	case set.Kind == "flag":
		return []string{"true", "false"}
	case set.Kind == "word":
		return set.Words
	}
	return nil
}

// edit changes a setting: the next of two values, one of a list, or a text.
func (s *settingsList) edit(i int) {
	set := s.list[i]
	if set.Kind == foreignKind {
		s.failed, s.told = true, s.a.t("%s is not used by bough; change it in the file.", brief(set.Key))
		return
	}
	now := plain(set.Force().Value)
	if set.Key == "theme" { // the files are looked for beside the loop
		s.a.beside(func() func() {
			names := s.a.themeNames(now)
			return func() { s.choose(set, now, names) }
		})
		return
	}
	s.choose(set, now, s.a.choicesOf(set))
}

// choose changes a setting to one of some values, if it has such.
func (s *settingsList) choose(set protocol.Setting, now string, values []string) {
	switch at := slices.Index(values, now); {
	case len(values) > 0 && len(values) <= 3 && set.Key != "theme":
		s.set(protocol.SetSetting{Key: set.Key, Value: values[(at+1)%len(values)], Save: true}, true)
	case len(values) > 0:
		var list texts
		for _, v := range values {
			beside := ""
			if v == now {
				beside = s.a.t("now")
			}
			list = append(list, struct{ name, beside string }{v, beside})
		}
		p := &picker{title: set.Key, list: table{list, s.a, 24}, choose: func(_ *app, i int) {
			s.set(protocol.SetSetting{Key: set.Key, Value: values[i], Save: true}, true)
		}}
		if set.Key == "theme" {
			p.previews(s.a, values)
		}
		p.set(max(at, 0))
		s.a.push(p)
	default:
		words := s.a.sentences(s.a.told(set.Help), s.a.t("It is %s.", s.a.allowed(set.Allowed)))
		if set.Kind == "list" || set.Kind == "object" || set.Kind == "any" {
			words = s.a.sentences(words, s.a.t("It is written as JSON."))
		}
		t := &typing{title: set.Key, words: brief(words), done: func(_ *app, text string) {
			s.set(protocol.SetSetting{Key: set.Key, Value: text, Save: true}, true)
		}}
		if set.Kind != "text" {
			now = set.Force().Value
		}
		t.in.set(brief(now))
		s.a.push(t)
	}
}

// plain is a value without the quotes of a text.
func plain(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(value)) == nil {
		return b.String()
	}
	return value
}

// set changes a setting in the user's file; undo says that it can be taken back.
func (s *settingsList) set(c protocol.SetSetting, undo bool) {
	at := slices.IndexFunc(s.list, func(o protocol.Setting) bool { return o.Key == c.Key })
	back := protocol.SetSetting{Key: c.Key, Unset: true, Save: true}
	if at >= 0 {
		for _, f := range s.list[at].Sources {
			if strings.HasPrefix(f.From, "user") && f.Value != "" {
				back = protocol.SetSetting{Key: c.Key, Value: f.Value, Save: true}
			}
		}
	}
	call(s.a, c, func(set protocol.SettingSet, err error) {
		if s.failed = err != nil; err != nil {
			s.told = s.a.sentence(err)
			return
		}
		if undo {
			s.undos = append(s.undos, back)
		}
		if at >= 0 && set.Setting.Key == c.Key {
			s.list[at] = set.Setting
		}
		s.told = c.Key + " = " + render.Cut(brief(s.a.shown(set.Setting.Force().Value)), 30) + s.a.t(", ") + s.a.told(set.Effect)
		s.a.settingChanged(set.Setting)
	})
}

// settingChanged takes up at once what the terminal itself goes by.
func (a *app) settingChanged(set protocol.Setting) {
	if set.Key == "theme" {
		a.o.Theme = plain(set.Force().Value)
		a.dress(a.o.Theme)
	}
}
