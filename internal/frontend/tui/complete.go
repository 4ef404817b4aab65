package tui

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// completion is a list below the editor of what the word at the cursor may become.
type completion struct {
	from  int // where the word begins
	list  []candidate
	at    int // the chosen one; -1: none yet
	first int
}

type candidate struct {
	put    string // in place of the word
	shown  string
	beside string
	sends  bool // Enter sends it too: a command that needs no arguments
	stays  bool // the list goes on behind it: a folder
}

// completing looks after each change whether something can be completed.
func (a *app) completing() { a.completeAt(false) }

func (a *app) completeAt(asked bool) {
	a.complete = nil
	e := &a.editor
	before := e.text[:e.at]
	if strings.HasPrefix(before, "/") && !strings.ContainsAny(before, " \n") {
		if list := a.commandsLike(before[1:]); len(list) > 0 && !(len(list) == 1 && list[0].put == before && !asked) {
			a.complete = &completion{from: 0, list: list}
		}
		return
	}
	if a.completeArgument(before, asked) {
		return
	}
	word := before[strings.LastIndexAny(before, " \t\n'=(`")+1:]
	if i := strings.LastIndex(before, `@"`); i >= 0 && !strings.Contains(before[i+2:], `"`) {
		word = before[i:]
	}
	at := strings.HasPrefix(word, "@")
	if a.o.Files == nil || !at && (!asked || word == "") {
		return
	}
	path := strings.TrimPrefix(strings.TrimPrefix(word, "@"), `"`)
	var list []candidate
	for _, f := range a.o.Files(path) {
		if f = render.OneLine(f); f == path {
			continue
		}
		put := f
		if strings.ContainsAny(f, " \t") {
			put = `"` + f + `"`
			if strings.HasSuffix(f, "/") {
				put = `"` + f
			}
		}
		if at {
			put = "@" + put
		}
		list = append(list, candidate{put: put, shown: f, stays: strings.HasSuffix(f, "/")})
	}
	switch {
	case len(list) == 0:
	case len(list) == 1 && asked && !at:
		a.take(len(before)-len(word), list[0])
	default:
		a.complete = &completion{from: len(before) - len(word), list: list}
	}
}

// commandsLike lists the commands that fit what was typed of a name: those that
// begin with it first.
func (a *app) commandsLike(typed string) []candidate {
	var list []candidate
	var ranks []int
	add := func(name, args, help string) {
		rank := 0
		lower := strings.ToLower(name)
		switch typed := strings.ToLower(typed); {
		case strings.HasPrefix(lower, typed):
			rank = 3
		case strings.Contains(lower, typed):
			rank = 2
		case scattered(lower, typed):
			rank = 1
		default:
			return
		}
		shown := "/" + name
		if args != "" {
			shown += " " + args
		}
		needs := args != "" && !strings.HasPrefix(args, "[")
		c := candidate{put: "/" + name, shown: render.OneLine(shown), beside: render.OneLine(help), sends: !needs}
		if needs {
			c.put += " "
		}
		list = append(list, c)
		ranks = append(ranks, rank)
	}
	do := dispatch()
	for _, s := range slash.All() {
		if _, ok := do[s.Name]; ok {
			add(s.Name, a.t(s.Args), a.t(s.Help))
		}
	}
	for _, c := range a.commands {
		add(c.Command, c.ArgHint, origin(c)+c.Description)
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return ranks[y] - ranks[x] })
	sorted := make([]candidate, len(list))
	for i, at := range order {
		sorted[i] = list[at]
	}
	return sorted
}

// key takes a key while the list is open. It returns false for those that the editor
// is to have.
func (c *completion) key(a *app, k term.Key) bool {
	n := len(c.list)
	switch {
	case a.keys.is(k, "tui.select.up"):
		c.at = (max(c.at, 0) + n - 1) % n
	case a.keys.is(k, "tui.select.down"):
		c.at = (c.at + 1) % n
	case a.keys.is(k, "tui.select.cancel"):
		a.complete = nil
	case a.keys.is(k, "tui.input.tab"):
		a.take(c.from, c.list[max(c.at, 0)])
	case a.keys.is(k, "tui.select.confirm", "tui.input.submit"):
		if c.at < 0 {
			a.complete = nil
			return false
		}
		chosen := c.list[c.at]
		sends := chosen.sends
		a.take(c.from, chosen)
		return !sends
	default:
		return false
	}
	return true
}

// take puts a candidate in place of the word at the cursor.
func (a *app) take(from int, c candidate) {
	a.complete = nil
	e := &a.editor
	e.change(false)
	put := c.put
	if !c.stays && strings.HasPrefix(put, "@") {
		put += " "
	}
	e.text, e.at = e.text[:from]+put+e.text[e.at:], from+len(put)
	if c.stays {
		a.completing()
	}
}

// rows draws the list.
func (c *completion) rows(a *app, width int) []styled.Line {
	n := min(a.o.CompletionRows, len(c.list))
	c.first = min(max(c.first, c.at-n+1, 0), max(c.at, 0))
	names := 0
	for _, x := range c.list {
		names = max(names, styled.Width(x.shown))
	}
	names = min(names, max(width/2, 10))
	var out []styled.Line
	for i := c.first; i < c.first+n; i++ {
		x := c.list[i]
		mark, style := "   ", styled.Style{}
		if i == c.at {
			mark, style = " > ", a.theme.selection
		}
		l := styled.Join(styled.Of(mark, a.theme.cursor), styled.Of(x.shown, styled.Style{}).Cut(names).Pad(names+2, styled.Style{}), styled.Of(x.beside, a.theme.muted)).Cut(width)
		if i == c.at {
			l = l.Styled(style).Pad(width, style)
		}
		out = append(out, l)
	}
	return out
}
