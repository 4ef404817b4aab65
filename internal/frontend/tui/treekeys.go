package tui

import (
	"errors"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func (t *treeScreen) update(a *app, ev term.Event) {
	t.note = ""
	a.status.flash = ""
	if t.label != nil {
		t.labelling(a, ev)
		return
	}
	switch e := ev.(type) {
	case term.Paste:
		t.query.paste(e.Text)
		t.search(a)
	case term.Mouse:
		t.mouse(a, e)
	case term.Key:
		t.key(a, e)
	}
}

func (t *treeScreen) mouse(a *app, m term.Mouse) {
	switch {
	case m.Button == term.WheelUp && t.preview && m.Mod&term.Shift != 0:
		t.side.scroll = max(t.side.scroll-3, 0)
	case m.Button == term.WheelUp:
		t.stand(t.at - 3)
	case m.Button == term.WheelDown && t.preview && m.Mod&term.Shift != 0:
		t.side.scroll += 3
	case m.Button == term.WheelDown:
		t.stand(t.at + 3)
	case m.Button == term.LeftButton && m.Action == term.Press:
		i := t.top + m.Y - t.list
		if m.Y < t.list || m.Y >= t.list+t.room || i >= len(t.rows) {
			return
		}
		r := t.rows[i]
		w := styled.Width(r.Prefix)
		sign := r.Folds && r.Head && m.X >= 2+w-3 && m.X < 2+w || r.Folds && !r.Head && m.X >= 2+w && m.X < 4+w
		switch {
		case sign:
			t.stand(i)
			t.setFold(a, r.Entry.ID, !r.Folded)
		case i == t.at:
			t.choose(a)
		default:
			t.stand(i)
		}
	}
}

// filterKeys are the keys of filters.
var filterKeys = []struct {
	action string
	filter render.Filter
}{
	{"app.tree.filter.default", render.Default}, {"app.tree.filter.noTools", render.NoTools}, {"app.tree.filter.userOnly", render.UserOnly},
	{"app.tree.filter.labeledOnly", render.LabeledOnly}, {"app.tree.filter.all", render.All},
}

func (t *treeScreen) key(a *app, k term.Key) {
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	for _, f := range filterKeys {
		if is(f.action) {
			to := f.filter
			if t.filter == to {
				to = render.Default
			}
			t.setFilter(a, to)
			return
		}
	}
	idle := t.query.empty() && !t.typing
	if t.going && !is("tui.select.cancel") {
		return
	}
	switch {
	case is("tui.select.cancel"):
		t.cancel(a, k)
	case is("tui.select.confirm"):
		if t.find != nil && !t.find.over {
			t.enter = true // when it is known what there is to choose
			return
		}
		t.choose(a)
	case is("tui.select.up"):
		t.around(-1)
	case is("tui.select.down"):
		t.around(1)
	case is("tui.select.pageUp", "tui.editor.cursorLeft"):
		t.stand(t.at - max(t.room, 1))
	case is("tui.select.pageDown", "tui.editor.cursorRight"):
		t.stand(t.at + max(t.room, 1))
	case is("tui.editor.cursorLineStart"):
		t.stand(0)
	case is("tui.editor.cursorLineEnd"):
		t.stand(len(t.rows) - 1)
	case is("bough.tree.previewUp") && t.preview:
		t.side.scroll = max(t.side.scroll-1, 0)
	case is("bough.tree.previewDown") && t.preview:
		t.side.scroll++
	case is("app.tree.foldOrUp"):
		t.foldOrUp(a)
	case is("app.tree.unfoldOrDown"):
		t.unfoldOrDown(a)
	case is("bough.tree.prevSibling"):
		t.sibling(-1)
	case is("bough.tree.nextSibling"):
		t.sibling(1)
	case is("bough.tree.nextPoint"):
		t.next(1, func(i int) bool { return t.kids[i] > 1 })
	case is("bough.tree.prevPoint"):
		t.next(-1, func(i int) bool { return t.kids[i] > 1 })
	case is("bough.tree.nextLabel"):
		t.next(1, func(i int) bool { return a.view.Tree.Label(t.rows[i].Entry.ID) != "" })
	case is("bough.tree.prevLabel"):
		t.next(-1, func(i int) bool { return a.view.Tree.Label(t.rows[i].Entry.ID) != "" })
	case is("bough.tree.leaf"):
		if i := slices.IndexFunc(t.rows, func(r render.Row) bool { return r.Leaf }); i >= 0 {
			t.stand(i)
		} else if i, ok := t.listed(a.view.Leaf); ok {
			t.stand(i)
		}
	case is("app.tree.filter.cycleForward"):
		t.cycle(a, 1)
	case is("app.tree.filter.cycleBackward"):
		t.cycle(a, -1)
	case is("bough.tree.layout"):
		if t.find != nil {
			t.find.flat = !t.find.flat
		} else {
			t.layout = (t.layout + 1) % treeLayout(len(layoutNames))
		}
		t.remember(a)
		t.grow(a)
	case is("bough.tree.compare"):
		t.compare(a)
	case is("bough.tree.fork"):
		t.fork(a)
	case is("bough.tree.clone"):
		t.clone(a)
	case is("bough.tree.take"):
		t.bring(a)
	case is("bough.tree.hide"):
		t.hide(a)
	case is("app.message.copy"):
		t.copy(a)
	case is("bough.tree.preview") && idle:
		t.preview = !t.preview
	case is("app.tree.editLabel") && idle:
		if e := t.chosen(); e != nil {
			t.label = &input{}
			t.label.set(a.view.Tree.Label(e.ID))
		}
	case is("app.tree.toggleLabelTimestamp") && idle:
		t.times = (t.times + 1) % 3
		t.remember(a)
	case k.Text == "/" && idle:
		t.typing = true
	case k.Text == "?" && idle:
		t.more = !t.more
	case len(k.Text) == 1 && k.Text[0] >= '1' && k.Text[0] <= '9' && idle:
		t.child(int(k.Text[0] - '0'))
	default:
		was := t.query.text
		if t.query.empty() && is("tui.editor.deleteCharBackward") {
			t.typing = false
			return
		}
		t.query.key(a.keys, k)
		if t.query.text != was {
			t.search(a)
		}
	}
}

// cancel ends what is innermost: a search, a mark, the tree.
func (t *treeScreen) cancel(a *app, k term.Key) {
	switch {
	case k.Name == "escape" && (!t.query.empty() || t.typing):
		// What was found is stood at, also if there may be more of it.
		if e := t.chosen(); e != nil && t.find != nil {
			if _, found := t.find.hits[e.ID]; found {
				t.want = e.ID
			}
		}
		t.query, t.typing = input{}, false
		t.search(a)
	case k.Name == "escape" && t.mark != "":
		t.mark = ""
	default:
		t.leaveTree(a)
	}
}

// leaveTree closes the tree.
func (t *treeScreen) leaveTree(a *app) {
	if t.find != nil && t.find.cancel != nil {
		t.find.cancel()
	}
	a.close(t)
}

// remember keeps how the tree looks, for when it is opened again.
func (t *treeScreen) remember(a *app) {
	a.trees[a.view.Header.ID] = treeMemory{t.filter, t.layout, t.times}
}

func (t *treeScreen) setFilter(a *app, f render.Filter) {
	t.filter = f
	if t.layout == turns {
		t.layout = spine
	}
	t.remember(a)
	t.regrow(a)
}

func (t *treeScreen) cycle(a *app, by int) {
	all := render.Filters()
	at := slices.Index(all, t.filter)
	t.setFilter(a, all[(at+by+len(all))%len(all)])
}

func (t *treeScreen) around(by int) {
	n := len(t.rows)
	if n > 0 {
		t.stand((t.at + by + n) % n)
	}
}

// next goes to the next row for which something holds.
func (t *treeScreen) next(by int, holds func(int) bool) {
	for i := t.at + by; i >= 0 && i < len(t.rows); i += by {
		if holds(i) {
			t.stand(i)
			return
		}
	}
	t.note = t.a.t("there is none further on")
}

// setFold folds or unfolds what hangs on an entry.
func (t *treeScreen) setFold(a *app, id session.ID, fold bool) {
	if fold {
		t.fold[id] = true
	} else {
		delete(t.fold, id)
	}
	t.grow(a)
}

// start is the first row of the run of rows that one lies in.
func (t *treeScreen) start(i int) int {
	for t.rows[i].Above >= 0 && t.kids[t.rows[i].Above] == 1 {
		i = t.rows[i].Above
	}
	return i
}

func (t *treeScreen) foldOrUp(a *app) {
	if len(t.rows) == 0 {
		return
	}
	r := t.rows[t.at]
	switch start := t.start(t.at); {
	case r.Folds && !r.Folded:
		t.setFold(a, r.Entry.ID, true)
	case start != t.at:
		t.stand(start)
	case r.Above >= 0:
		t.stand(t.start(r.Above))
	}
}

func (t *treeScreen) unfoldOrDown(a *app) {
	if len(t.rows) == 0 {
		return
	}
	if r := t.rows[t.at]; r.Folded {
		t.setFold(a, r.Entry.ID, false)
		return
	}
	i := t.at
	for t.kids[i] == 1 {
		i++
	}
	if t.kids[i] > 1 {
		i++
	}
	t.stand(i)
}

// siblings are the rows that hang on the same entry.
func (t *treeScreen) siblings(above int) (rows []int) {
	for i := max(above, 0); i < len(t.rows); i++ {
		if t.rows[i].Above == above {
			rows = append(rows, i)
		}
	}
	return rows
}

// sibling goes to a neighbour of the branch that the cursor is in.
func (t *treeScreen) sibling(by int) {
	if len(t.rows) == 0 {
		return
	}
	for i := t.start(t.at); ; {
		above := t.rows[i].Above
		all := t.siblings(above)
		if len(all) > 1 {
			at := slices.Index(all, i)
			t.stand(all[(at+by+len(all))%len(all)])
			return
		}
		if above < 0 {
			t.note = t.a.t("there is one branch only")
			return
		}
		i = t.start(above)
	}
}

// child goes to the n-th way on from the nearest place at or above the cursor where
// branches part.
func (t *treeScreen) child(n int) {
	if len(t.rows) == 0 {
		return
	}
	i := t.at
	for i >= 0 && t.kids[i] < 2 {
		i = t.rows[i].Above
	}
	all := t.siblings(i)
	if n > len(all) || len(all) < 2 {
		t.note = t.a.t("there is no branch %d here", n)
		return
	}
	t.stand(all[n-1])
}

// labelling takes a key while a label is written.
func (t *treeScreen) labelling(a *app, ev term.Event) {
	if p, ok := ev.(term.Paste); ok {
		t.label.paste(p.Text)
		return
	}
	k, ok := ev.(term.Key)
	if !ok {
		return
	}
	e := t.chosen()
	switch {
	case a.keys.is(k, "tui.select.cancel"):
		t.label = nil
	case a.keys.is(k, "tui.select.confirm"):
		text := strings.Join(strings.Fields(t.label.text), " ")
		t.label = nil
		if e == nil || text == a.view.Tree.Label(e.ID) {
			return
		}
		text = render.Cut(text, 200)
		call(a, protocol.SetLabel{Entry: e.ID, Text: text}, func(_ session.ID, err error) { t.said(a, err, "") })
	default:
		t.label.key(a.keys, k)
	}
}

// said notes what came of something.
func (t *treeScreen) said(a *app, err error, done string) {
	if err != nil {
		done = a.sentence(err)
	}
	t.note = done
}

// copy copies all of the entry.
func (t *treeScreen) copy(a *app) {
	e := t.chosen()
	if e == nil {
		return
	}
	text := ""
	if body, err := e.Body(); err == nil {
		switch b := body.(type) {
		case session.Message:
			if text = b.Message.Text("\n\n"); e.Role == message.Bash {
				text = b.Message.Command
			} else if text == "" {
				text = b.Message.ErrorMessage
			}
		default:
			text, _ = render.Full(e, false) // what cannot be read has no text
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		t.note = a.t("there is no text to copy")
		return
	}
	if a.o.Copy == nil && len(text) > mostCopied {
		t.said(a, errors.New("the text is more than terminals take over; /export writes it to a file"), "")
		return
	}
	a.copyText(text)
}

// hide keeps an entry from the model, or lets it see it again.
func (t *treeScreen) hide(a *app) {
	e := t.chosen()
	if e == nil {
		return
	}
	hidden := false
	if links, err := render.Chain(a.view.Tree, a.view.Leaf); err == nil {
		for _, l := range links {
			hidden = hidden || l.Entry.ID == e.ID && l.Omitted
		}
	}
	if hidden {
		call(a, protocol.Unhide{Entry: e.ID}, func(_ protocol.Hidden, err error) { t.said(a, err, a.t("the model sees it again")) })
		return
	}
	call(a, protocol.Hide{Entry: e.ID}, func(_ protocol.Hidden, err error) { t.said(a, err, a.t("the model does not see it from here on")) })
}
