package repl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// menu is a numbered list that was just written: the next line may choose from it. It
// is there for one line; whatever else is said goes where it would go without it.
type menu struct {
	from, to int
	do       func(n int) error
	words    func(s string) error // takes what is no number; nil: nothing does
}

// offer says how to choose from a list of n. It returns false where lists are not
// chosen from.
func (r *repl) offer(what string, n int, do func(n int) error) bool {
	if !r.out.speech || !r.o.Terminal || n == 0 {
		return false
	}
	r.menu = &menu{from: 1, to: n, do: do}
	r.say("Type the number of %s, 1 to %d, or an empty line for none.", what, n)
	return true
}

// chosen takes a line for a choice from the list. It returns false if it is none.
func (r *repl) chosen(m *menu, words string) (ok bool, err error) {
	n, err := strconv.Atoi(strings.TrimPrefix(words, "#"))
	switch {
	case words == "":
		r.say("nothing chosen")
	case err == nil && (n < m.from || n > m.to):
		r.say("There is no %d in the list. Type a number from %d to %d, or an empty line for none.", n, m.from, m.to)
		r.menu = m
	case err == nil:
		return true, m.do(n)
	case m.words != nil:
		return true, m.words(words)
	default:
		return false, nil
	}
	return true, nil
}

// offerPlace has the entry chosen to go to, by its number in the whole session.
func (r *repl) offerPlace(n int) {
	if !r.o.Terminal || r.working() || n == 0 {
		return
	}
	r.menu = &menu{from: 0, to: n - 1, do: func(n int) error {
		return r.goTo(slash.Command{Rest: fmt.Sprintf("#%d", n)})
	}}
	r.say("Type the number of the entry to go to, or an empty line to stay.")
}

// offerModels lists models to choose from.
func (r *repl) offerModels(list []provider.Info) error {
	for i, m := range list {
		s := fmt.Sprintf("%d: %s/%s", i+1, m.Provider, m.ID)
		if m.ContextWindow > 0 {
			s += "; " + render.Count(m.ContextWindow) + " tokens"
		}
		if now := r.view.Model; now != nil && now.Provider == m.Provider && now.ID == m.ID {
			s += "; this one"
		}
		r.say("%s", s)
	}
	r.offer("the model", len(list), func(n int) error {
		return r.setModel(list[n-1].Provider, list[n-1].ID, "")
	})
	return nil
}

// offerLevels lists thinking levels to choose from.
func (r *repl) offerLevels(levels []string) error {
	for i, l := range levels {
		if l == r.view.Thinking {
			l += "; this one"
		}
		r.say("%d: %s", i+1, l)
	}
	r.offer("the thinking level", len(levels), func(n int) error { return r.thinking(levels[n-1]) })
	return nil
}

// offerSettings lists settings to choose from.
func (r *repl) offerSettings(list []protocol.Setting) {
	for i, s := range list {
		r.say("%d: %s", i+1, slash.SettingRow(s, r.o.Home))
	}
	if len(list) == 0 {
		r.say("All settings have their defaults; /settings --all lists them.")
	}
	r.offer("the setting to hear more of, or to change", len(list), func(n int) error { return r.explainSetting(list[n-1].Key) })
}

// offerValues asks for the value of a setting.
func (r *repl) offerValues(s protocol.Setting) {
	if !r.o.Terminal {
		return
	}
	set := func(v string) error { return r.settings("save " + s.Key + " " + v) }
	values := s.Words
	if s.Kind == "flag" {
		values = []string{"true", "false"}
	}
	for i, v := range values {
		r.say("%d: %s", i+1, v)
	}
	if s.Kind == "number" {
		values = nil
	}
	if len(values) > 0 {
		r.offer("the value, which is kept in your settings", len(values), func(n int) error { return set(values[n-1]) })
		return
	}
	r.menu = &menu{from: -1 << 53, to: 1 << 53, do: func(n int) error { return set(strconv.Itoa(n)) }, words: set}
	r.say("Type the value, which is kept in your settings, or an empty line to leave it.")
}
