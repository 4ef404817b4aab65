package tui

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// arguments are what may stand behind the command in the editor. They are fetched
// once, when its name is there, and let go when it is gone.
type arguments struct {
	of   string // the command; "": none
	list []candidate
}

// mostArguments is how many labels or sessions are listed.
const mostArguments = 200

// argumentsOf fetches what may stand behind a command, and hands it to got at once or
// when it is there. It returns false for a command of which nothing is known.
func (a *app) argumentsOf(name string, got func([]candidate)) bool {
	switch name {
	case "model":
		a.fetchArguments(got, func() (list []candidate) {
			models, err := protocol.Call(a.ctx, a.c, protocol.GetModels{})
			if err != nil {
				return nil // the command itself tells
			}
			for _, m := range models.Models {
				list = append(list, argument(modelName(m), m.Name))
			}
			return list
		})
	case "login":
		accounts := a.o.Around.Accounts
		if accounts == nil {
			return false
		}
		a.fetchArguments(got, func() (list []candidate) {
			all, err := accounts.List(a.ctx)
			if err != nil {
				return nil // as above
			}
			for _, c := range all {
				list = append(list, argument(c.ID, c.Name))
			}
			return list
		})
	case "resume":
		here := a.view.Header.ID
		a.fetchArguments(got, func() (list []candidate) {
			all, err := protocol.Call(a.ctx, a.c, protocol.ListSessions{Limit: mostArguments})
			if err != nil {
				return nil // as above
			}
			for _, s := range all.Sessions {
				if s.ID != here && s.Name != "" {
					list = append(list, argument(s.Name, s.FirstMessage))
				}
			}
			return list
		})
	case "thinking":
		var list []candidate
		if m := a.view.Model; m != nil {
			for _, level := range m.Levels() {
				list = append(list, argument(level, a.t(costOf[level])))
			}
		}
		got(list)
	case "goto", "label":
		got(a.labels())
	default:
		return false
	}
	return true
}

func (a *app) fetchArguments(got func([]candidate), fetch func() []candidate) {
	a.beside(func() func() {
		list := fetch()
		return func() { got(list) }
	})
}

// labels are those of the session, the newest first.
func (a *app) labels() (list []candidate) {
	if a.view.Tree == nil {
		return nil
	}
	known := map[string]bool{}
	for _, l := range slices.Backward(a.view.Tree.Labels()) {
		if e := a.view.Tree.Get(l.Target); e != nil && !known[l.Text] && len(list) < mostArguments {
			known[l.Text] = true
			list = append(list, argument(l.Text, a.words(e)))
		}
	}
	return list
}

func argument(put, beside string) candidate {
	put = render.OneLine(put)
	if beside = render.OneLine(beside); beside == put {
		beside = ""
	}
	return candidate{put: put, shown: put, beside: beside, sends: true}
}

// completeArgument lists what the words behind a command may become. Nothing of it is
// chosen at first, so that Enter sends what was typed, whether the list was there yet
// or not. It returns false if there is no such command before the cursor.
func (a *app) completeArgument(before string, asked bool) bool {
	name, typed, behind := strings.Cut(strings.TrimPrefix(before, "/"), " ")
	if !strings.HasPrefix(before, "/") || !behind || strings.Contains(before, "\n") || a.purpose != nil || a.early.on {
		a.args = arguments{}
		return false
	}
	if s, ok := slash.Find(name); ok {
		name = s.Name
	}
	from := len(before) - len(typed)
	if a.args.of != name {
		a.args = arguments{of: name}
		known := a.argumentsOf(name, func(list []candidate) {
			if a.args.of != name {
				return
			}
			a.args.list = list
			a.completing()
		})
		if !known {
			a.args = arguments{}
			return false
		}
	}
	list := likely(a.args.list, typed)
	switch {
	case len(list) == 0, len(list) == 1 && list[0].put == typed:
	case len(list) == 1 && asked:
		a.take(from, list[0])
	default:
		a.complete = &completion{from: from, list: list, at: -1}
	}
	return true
}

// likely are the candidates that fit what was typed, those that begin with it first.
func likely(all []candidate, typed string) []candidate {
	typed = strings.ToLower(typed)
	var begins, holds []candidate
	for _, c := range all {
		switch text := strings.ToLower(c.put); {
		case strings.HasPrefix(text, typed):
			begins = append(begins, c)
		case strings.Contains(text, typed), strings.Contains(strings.ToLower(c.beside), typed):
			holds = append(holds, c)
		}
	}
	return append(begins, holds...)
}

// origin marks where a template or skill is from: [p], [u], or its package.
func origin(c protocol.CommandInfo) string {
	switch {
	case c.Origin == "package":
		return "[" + render.OneLine(c.Source) + "] "
	case c.Scope == "project":
		return "[p] "
	case c.Scope == "user":
		return "[u] "
	}
	return ""
}
