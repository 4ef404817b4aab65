package tui

import (
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// focus has the keyboard in the conversation: block by block, each to be opened,
// copied, stood at (docs/spec/frontends.md C, bough.transcript.focus).
type focus struct{}

func (a *app) focusTranscript() {
	t := &a.look
	if a.o.Regular {
		a.flash("the conversation is the terminal's here; --tui-mode fullscreen has its own keys for it")
		return
	}
	i := len(t.list) - 1
	if n := len(t.items); n > 0 {
		i = min(t.items[n-1], i)
	}
	for i >= 0 && !t.stands(i) {
		i--
	}
	if i < 0 {
		a.flash("nothing has been said yet")
		return
	}
	t.focuses, t.focused = true, i
	a.push(&focus{})
}

// stands reports whether an item is one to stand at: no line of ours.
func (t *transcript) stands(i int) bool {
	return i >= 0 && i < len(t.list) && (t.list[i].at >= 0 || t.list[i].older)
}

// entryAt is the entry of an item; nil: none.
func (t *transcript) entryAt(i int) *session.Entry {
	if i < 0 || i >= len(t.list) || t.list[i].at < 0 {
		return nil
	}
	return t.path[t.list[i].at]
}

func (f *focus) hints() []hint {
	return []hint{{"bough.block.toggle", "open, close"}, {"bough.block.show", "all of it"}, {"bough.block.copy", "copy"}, {"bough.block.branch", "stand here"},
		{"bough.block.before", "stand before"}, {"bough.block.edit", "say anew"}, {"bough.tree.hide", "hide"}, {"tui.select.cancel", "back"}}
}

func (f *focus) update(a *app, ev term.Event) {
	t := &a.look
	if m, ok := ev.(term.Mouse); ok {
		a.wheel(m)
		return
	}
	k, ok := ev.(term.Key)
	if !ok {
		return
	}
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	e := t.entryAt(t.focused)
	switch {
	case is("tui.select.cancel", "bough.transcript.focus"):
		t.focuses = false
		a.close(f)
	case is("tui.select.up"):
		t.step(-1, a.room())
	case is("tui.select.down"):
		t.step(1, a.room())
	case is("tui.altScreen.previousPrompt", "tui.select.pageUp"):
		t.stepTo(-1, a.room(), t.isPrompt)
	case is("tui.altScreen.nextPrompt", "tui.select.pageDown"):
		t.stepTo(1, a.room(), t.isPrompt)
	case is("tui.altScreen.search"):
		t.focuses = false
		a.close(f)
		a.openSearch()
	case is("app.tools.expand"):
		t.toggleAll()
	case is("bough.block.toggle"):
		t.toggle(t.focused)
	case e == nil:
	case is("bough.block.show"):
		a.showEntry(e.ID, false)
	case is("bough.block.copy", "app.message.copy"):
		if text, err := render.Full(e, false); err != nil {
			a.problem(err)
		} else {
			a.copyText(strings.TrimSpace(text))
		}
	case is("bough.tree.hide"):
		a.toggleHidden(e.ID)
	case is("bough.block.branch"):
		f.leave(a, func() { a.goTo(protocol.Navigate{Target: e.ID, At: true}) })
	case is("bough.block.before"):
		f.leave(a, func() { a.goTo(protocol.Navigate{Target: e.Parent, At: true, Exact: e.Type == session.TypeCompaction}) })
	case is("bough.block.edit"):
		switch {
		case e.Type == session.TypeCompaction:
			f.leave(a, func() { a.summaryAnew(e) })
		case e.Role == message.User:
			f.leave(a, func() { a.goTo(protocol.Navigate{Target: e.ID}) })
		default:
			f.leave(a, func() { a.problem(a.replace(slash.Command{Rest: string(e.ID)})) })
		}
	}
}

// leave gives the keyboard back and does something that moves the conversation,
// which waits for no run.
func (f *focus) leave(a *app, do func()) {
	if a.view.Running {
		a.flash("stop first (%s)", a.keys.name("app.interrupt"))
		return
	}
	a.look.focuses = false
	a.close(f)
	do()
}

func (f *focus) view(a *app, width, height int) panel {
	head := styled.Of(" "+a.t("Conversation"), a.theme.title)
	if e := a.look.entryAt(a.look.focused); e != nil {
		words := ""
		if n := render.IndexOf(a.view.Tree, e.ID); n >= 0 && a.view.Tree.Size() < mostCounted {
			words = " " + a.words(e)
		}
		if !e.Time.IsZero() {
			words += " · " + e.Time.Local().Format("2006-01-02 15:04")
		}
		if l := a.view.Tree.Label(e.ID); l != "" {
			words += " · {" + render.OneLine(l) + "}"
		}
		head = styled.Join(head, styled.Of(words, a.theme.dim))
	}
	rows := []styled.Line{a.border(a.status.line(a), "", width, a.theme.accent), head.Cut(width), styled.Join(margin, a.help(f.hints(), width-1))}
	return panel{rows: rows[:min(len(rows), max(height, 1))]}
}

// step moves the focus by blocks.
func (t *transcript) step(by, height int) { t.stepTo(by, height, t.stands) }

func (t *transcript) stepTo(by, height int, is func(i int) bool) {
	for i := t.focused + by; i < len(t.list); i += by {
		if n := len(t.list); i < 0 {
			if !t.extend() {
				return
			}
			i += len(t.list) - n
		}
		if is(i) {
			t.focused = i
			t.reveal(i, 0, height)
			return
		}
	}
}

// reveal scrolls so that a row of an item is seen, and as much of it as fits.
func (t *transcript) reveal(i, row, height int) {
	t.hold(height)
	lines := len(t.of(i).lines)
	if i < t.top || i == t.top && row <= t.off {
		t.top, t.off = i, row
		return
	}
	// How far below the top it begins.
	y := -t.off
	for k := t.top; k < i && y < height; k++ {
		y += len(t.of(k).lines)
	}
	if need := min(lines-row, height); y+row+need <= height {
		return
	}
	t.top, t.off = i, row
	t.up(max(height-min(lines-row, height), 0))
}

// toggle opens or closes a block.
func (t *transcript) toggle(i int) {
	if t.isOlder(i) {
		t.toggleOlder(!t.older.open)
		return
	}
	id := headID
	if e := t.entryAt(i); e != nil {
		id = e.ID
	} else if i < 0 || i >= len(t.list) || !t.list[i].head {
		return
	}
	if t.open == nil {
		t.open = map[session.ID]bool{}
	}
	t.open[id] = !t.open[id]
}

// click opens or closes what stands on a row of the screen.
func (t *transcript) click(y int) {
	if y >= 0 && y < len(t.items) {
		t.hold(t.rows)
		t.toggle(t.items[y])
	}
}

// seenAs are the rows of an item as they are shown: marked where the keyboard stands,
// and where what is searched was found.
func (t *transcript) seenAs(i int) []styled.Line {
	lines := t.of(i).lines
	here := t.focuses && i == t.focused
	if !here && t.find == "" && !t.chosen.any() {
		return lines
	}
	out := make([]styled.Line, len(lines))
	for k, l := range lines {
		if t.find != "" {
			l = t.hit(l)
		}
		if here && k > 0 {
			bar := "▌"
			if t.app.o.ASCII {
				bar = "|"
			}
			l = styled.Join(styled.Of(bar, t.app.theme.cursor), l.Slice(1, t.width))
		}
		out[k] = t.choose(l, i, k)
	}
	return out
}

// hit marks what is searched in a row.
func (t *transcript) hit(l styled.Line) styled.Line {
	text := l.Text()
	from, to := foldIndex(text, t.find)
	if from < 0 {
		return l
	}
	style := styled.Style{Attr: styled.Reverse}
	var out styled.Line
	at := 0
	for from >= 0 {
		a, b := styled.Width(text[:from]), styled.Width(text[:to])
		out = styled.Join(out, l.Slice(at, a))
		out = append(out, styled.Span{Text: text[from:to], Style: style})
		at = b
		f, e := foldIndex(text[to:], t.find)
		if f < 0 {
			break
		}
		from, to = to+f, to+e
	}
	return styled.Join(out, l.Slice(at, max(l.Width(), at)))
}
