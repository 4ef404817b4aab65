package tui

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func isEdited(e *session.Entry) bool {
	return e.Role == message.User || e.Type == session.TypeCustomMessage
}

// choose goes to the entry under the cursor, and asks what is to be asked first.
func (t *treeScreen) choose(a *app) {
	e := t.chosen()
	if e == nil {
		return
	}
	tree, leaf := a.view.Tree, a.view.Leaf
	if tree.Effective(leaf) == e.ID {
		t.leaveTree(a)
		a.flash("already here")
		return
	}
	if isEdited(e) {
		t.part(a, e, protocol.Navigate{Target: e.ID})
		return
	}
	end, err := tree.TurnEnd(e.ID, leaf)
	switch {
	case err != nil:
		t.said(a, err, "")
	case end == e.ID:
		t.part(a, e, protocol.Navigate{Target: e.ID, Exact: true})
	case tree.Effective(leaf) == end:
		t.leaveTree(a)
		a.flash("already here: results of a turn belong together")
	default:
		t.within(a, e, end)
	}
}

// within asks where to stand of a place between calls and their results.
func (t *treeScreen) within(a *app, e *session.Entry, end session.ID) {
	tree := a.view.Tree
	choices := []choice{{"After the complete turn", func() { t.part(a, tree.Get(end), protocol.Navigate{Target: end, At: true}) }}}
	for up := e; up != nil; up = tree.Parent(up.ID) {
		if up.Role != message.Assistant {
			continue
		}
		if p := tree.Parent(up.ID); p != nil {
			choices = append(choices, choice{"Before the turn", func() { t.part(a, p, protocol.Navigate{Target: p.ID, At: true}) }})
		}
		break
	}
	choices = append(choices, choice{"Here, with the missing calls marked as not run", func() { t.part(a, e, protocol.Navigate{Target: e.ID, At: true, Exact: true}) }})
	a.push(&question{text: "This lies between a call and its results. Where to stand?", choices: choices})
}

// left are the entries that a move leaves behind, as a summary of them counts them;
// none if that is just bookkeeping.
func left(tree *session.Tree, leaf session.ID, chosen session.ID) []*session.Entry {
	entries, _ := compaction.Left(tree, leaf, chosen)
	if !slices.ContainsFunc(entries, func(e *session.Entry) bool { return e.Speaks() && e.Role != message.System }) {
		return nil
	}
	return entries
}

// part asks what is to become of what is left behind, if something is.
func (t *treeScreen) part(a *app, e *session.Entry, n protocol.Navigate) {
	entries := left(a.view.Tree, a.view.Leaf, e.ID)
	if a.summing != nil && len(entries) > 0 { // /summarize has answered the question
		n.Summarize, n.Instructions, a.summing = true, *a.summing, nil
		t.move(a, n)
		return
	}
	if asks := a.o.TreeAsks != nil && a.o.TreeAsks(); !asks && (len(entries) == 0 || a.o.SkipSummary != nil && a.o.SkipSummary()) {
		t.move(a, n)
		return
	} else if len(entries) == 0 {
		a.push(&question{text: "Go there?", choices: t.ways(a, e, choice{"Go there", func() { t.move(a, n) }})})
		return
	}
	summed := n
	summed.Summarize = true
	q := &question{text: "Leave this branch?"}
	words := func(f *render.Facts) {
		if f == nil {
			return
		}
		parts := []string{a.n(f.Entries, "%d entry", "%d entries")}
		if f.Turns > 0 {
			parts = append(parts, a.n(f.Turns, "%d turn", "%d turns"))
		}
		parts = append(parts, a.t("~%s tokens", render.Count(f.Tokens)))
		if n := len(f.Changed); n > 0 {
			parts = append(parts, a.n(n, "%d file changed", "%d files changed"))
		}
		q.text = a.t("Leave this branch?  %s. It stays in the tree.", strings.Join(parts, a.t(", ")))
		q.choices[1].text = a.t("Go there, with a summary of what is left") + a.price(f.Tokens)
	}
	q.choices = t.ways(a, e,
		choice{"Go there, no summary", func() { t.move(a, n) }},
		choice{"Go there, with a summary of what is left", func() { t.move(a, summed) }},
		choice{"Go there, and say what the summary is to look at ...", func() { a.push(&instructions{tree: t, back: q, move: summed}) }})
	if len(entries) <= atOnce/10 {
		f := render.FactsOf(slices.Values(entries))
		words(&f)
	} else {
		a.beside(func() func() {
			f := render.FactsOf(slices.Values(entries))
			return func() { words(&f) }
		})
	}
	a.push(q)
}

// ways are what else can be done with an entry, behind ways to go there.
func (t *treeScreen) ways(a *app, e *session.Entry, there ...choice) []choice {
	list := append(there,
		choice{"New session from there", func() { t.fork(a) }},
		choice{"Only read it, and stay where you are", func() { t.preview = true }})
	if e.Role == message.Assistant && !t.onPath(a, e.ID) {
		list = append(list, choice{"Bring this answer to where you are", func() { t.bring(a) }})
	}
	return list
}

// price is about what a summary of so many tokens costs; "" if it is not known.
func (a *app) price(tokens int64) string {
	m := a.view.Model
	if m == nil || m.PriceUnknown {
		return ""
	}
	const written = 1000 // tokens of a summary, about
	if c := render.Dollars((float64(tokens)*m.Cost.Input + written*m.Cost.Output) / 1e6); c != "" {
		return "  " + a.t("(about %s)", c)
	}
	return ""
}

func (t *treeScreen) onPath(a *app, id session.ID) bool {
	return a.view.Tree.CommonAncestor(a.view.Leaf, id) == id
}

// move moves the conversation. The tree closes when that is done and stays as it is
// when it fails.
func (t *treeScreen) move(a *app, n protocol.Navigate) {
	t.mover.move(a, n, t.said, func() { t.leaveTree(a) })
}

// mover moves the conversation for a screen.
type mover struct {
	going bool
	after func() // what is done when the run has ended
}

// move moves the conversation; what runs is stopped first. said is told what comes of
// it, arrived that it is done.
func (m *mover) move(a *app, n protocol.Navigate, said func(a *app, err error, done string), arrived func()) {
	m.going = true
	if a.view.Running {
		said(a, nil, a.t("stopping the run"))
		m.after = func() {
			said(a, nil, "")
			m.move(a, n, said, arrived)
		}
		call(a, protocol.Abort{}, func(_ protocol.None, err error) {
			if err != nil {
				m.after, m.going = nil, false
				said(a, err, "")
				return
			}
			a.takeBack()
		})
		return
	}
	var wait *summing
	if n.Summarize {
		wait = &summing{"Summing up what is left behind"}
		a.push(wait)
	}
	call(a, n, func(nav protocol.Navigated, err error) {
		m.going = false
		if wait != nil {
			a.close(wait)
		}
		switch {
		case err != nil:
			said(a, err, "")
		case nav.Aborted:
			said(a, nil, a.t("stopped; nothing has moved"))
		default:
			arrived()
			a.moved(nav, nil)
		}
	})
}

// stopped does what waits for the end of the run.
func (m *mover) stopped() {
	if do := m.after; do != nil {
		m.after = nil
		do()
	}
}

// fork goes over to a new session: from before a message of the user, or with the
// conversation up to another entry.
func (t *treeScreen) fork(a *app) {
	e := t.chosen()
	switch {
	case e == nil:
	case e.Role != message.User:
		t.clone(a)
	case a.view.Running:
		t.note = a.t("stop the run first")
	default:
		call(a, protocol.Fork{Entry: e.ID}, func(f protocol.Forked, err error) {
			if err != nil {
				t.said(a, err, "")
				return
			}
			t.leaveTree(a)
			a.offer(f.Text, f.Images)
			a.flash("new session from before that message")
		})
	}
}

func (t *treeScreen) clone(a *app) {
	e := t.chosen()
	switch {
	case e == nil:
	case a.view.Running:
		t.note = a.t("stop the run first")
	default:
		call(a, protocol.Clone{Entry: e.ID}, func(_ protocol.None, err error) {
			if err != nil {
				t.said(a, err, "")
				return
			}
			t.leaveTree(a)
			a.flash("new session with the conversation up to there")
		})
	}
}

// bring takes an answer of another branch over to where the conversation stands.
func (t *treeScreen) bring(a *app) {
	if e := t.chosen(); e != nil {
		a.bringOver(protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{e.ID}}, t.said)
	}
}

// bringOver brings something of another branch here and says what came of it.
func (a *app) bringOver(cmd protocol.Take, said func(a *app, err error, done string)) {
	if a.view.Running {
		said(a, nil, a.t("stop the run first"))
		return
	}
	var wait *summing
	if cmd.What == protocol.TakeSummary {
		wait = &summing{"Summing up that branch"}
		a.push(wait)
	}
	call(a, cmd, func(got protocol.Taken, err error) {
		if wait != nil {
			a.close(wait)
		}
		switch {
		case err != nil:
			said(a, err, "")
		case got.Aborted:
			said(a, nil, a.t("stopped; nothing was taken"))
		case cmd.What == protocol.TakeSummary:
			said(a, nil, a.t("the summary is here now; /back leaves it again"))
		default:
			said(a, nil, a.n(len(got.Entries), "brought here: %d message; /back leaves it again", "brought here: %d messages; /back leaves it again"))
		}
	})
}

// summing is what stands on the screen while something is summed up.
type summing struct{ words string }

func (w *summing) hints() []hint { return []hint{{"app.interrupt", "stop; nothing moves then"}} }

func (w *summing) update(a *app, ev term.Event) {
	if k, ok := ev.(term.Key); ok && a.keys.is(k, "app.interrupt", "app.clear") {
		call(a, protocol.Abort{}, func(_ protocol.None, err error) { a.problem(err) })
	}
}

func (w *summing) view(a *app, width, _ int) panel {
	line := a.status.line(a)
	if a.status.work == "" {
		line = styled.Of(a.t(w.words), styled.Style{})
	}
	return panel{rows: []styled.Line{
		a.border(nil, "", width, a.theme.warning),
		styled.Join(margin, line).Cut(width),
		styled.Join(margin, a.help(w.hints(), width-1)),
	}}
}

// instructions asks what a summary is to look at above all.
type instructions struct {
	tree *treeScreen
	back *question
	move protocol.Navigate
	text input
}

func (s *instructions) hints() []hint {
	return []hint{{"tui.select.confirm", "sum up and go"}, {"tui.select.cancel", "back to the question"}}
}

func (s *instructions) update(a *app, ev term.Event) {
	if p, ok := ev.(term.Paste); ok {
		s.text.paste(p.Text)
		return
	}
	k, ok := ev.(term.Key)
	switch {
	case !ok:
	case a.keys.is(k, "tui.select.cancel"):
		a.close(s)
		a.push(s.back)
	case a.keys.is(k, "tui.select.confirm"):
		a.close(s)
		s.move.Instructions = s.text.text
		s.tree.move(a, s.move)
	default:
		s.text.key(a.keys, k)
	}
}

func (s *instructions) view(a *app, width, _ int) panel {
	line, x := s.text.draw(max(width-3, 1), styled.Style{})
	return panel{x: x + 3, y: 2, cursor: true, rows: []styled.Line{
		a.border(nil, "", width, a.theme.warning),
		styled.Of(" "+a.t("What is the summary to look at above all?"), a.theme.title).Cut(width),
		styled.Join(styled.Of(" > ", a.theme.accent), line),
		styled.Join(margin, a.help(s.hints(), width-1)),
	}}
}
