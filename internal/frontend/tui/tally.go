package tui

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// tally is what the session took, for the footer: counted once, then grown by what
// is appended.
type tally struct {
	all, branch session.Tally
	known       bool
	moved       bool // since branch was counted
	asked       bool // it is being counted
	late        []protocol.Appended
}

// mostCounted is how many entries a session may have for what it took to be counted
// when it is opened. Of a longer one it is counted after the first run: all bills are
// read for that.
const mostCounted = 4000

// count reads what the session took so far, if it is not known.
func (t *tally) count(a *app) {
	if t.asked || t.known && !t.moved || a.view.Tree == nil {
		return
	}
	t.asked, t.moved, t.late = true, false, nil
	of := a.view.Header.ID
	a.read(func(tree *session.Tree, leaf session.ID) func() {
		all, err := session.TallyOf(tree.Log())
		branch, berr := session.TallyOf(slices.Values(tree.Path(leaf)))
		return func() {
			if of != a.view.Header.ID {
				return
			}
			t.asked = false
			if err != nil || berr != nil {
				return // the footer goes without; /cost says why
			}
			t.all, t.branch, t.known = all, branch, true
			for _, e := range t.late {
				t.add(e)
			}
			t.late = nil
			if t.moved && a.view.Tree.Size() <= mostCounted {
				t.count(a)
			}
		}
	})
}

// appended counts a new entry.
func (t *tally) appended(e protocol.Appended) {
	switch {
	case t.asked:
		t.late = append(t.late, e)
	case t.known:
		t.add(e)
	}
}

func (t *tally) add(e protocol.Appended) {
	b, ok, err := e.Entry.Bill()
	if err != nil || !ok {
		return
	}
	t.all.Add(b)
	if !e.Foreign {
		t.branch.Add(b)
	}
}

// took is tokens and cost, for the footer: as much of them as there is room for, the
// cost of the session above all.
func (t *tally) took(a *app, room int) string {
	if !t.known {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		mark string
		n    float64
	}{{"^", t.all.Input}, {"v", t.all.Output}, {"R", t.all.CacheRead}, {"W", t.all.CacheWrite}} {
		if p.n > 0 {
			parts = append(parts, p.mark+render.Count(p.n))
		}
	}
	tokens, cost := strings.Join(parts, " "), render.Dollars(t.all.Cost)
	ways := []string{tokens + " " + cost, cost}
	if b := render.Dollars(t.branch.Cost); b != "" && b != cost && !t.moved {
		ways = append([]string{tokens + " " + cost + " " + a.t("(branch %s)", b)}, ways...)
	}
	for _, words := range ways {
		if words = strings.TrimSpace(words); words != "" && styled.Width(words) <= room {
			return words + "  "
		}
	}
	return ""
}
