package tui

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// input takes what comes from the terminal.
func (a *app) input(ev term.Event) {
	switch e := ev.(type) {
	case term.Resized:
		a.term.Resize(e.Width, e.Height)
		if a.o.Regular {
			a.look.replay()
		}
		return
	case term.Background:
		a.light = !e.Dark()
		a.dress(a.o.Theme)
		return
	case term.Scheme:
		a.light = !e.Dark
		a.dress(a.o.Theme)
		return
	case term.Resumed:
		a.problem(a.term.Retake())
		return
	case term.Stopped:
		a.suspend()
		return
	case term.Lost:
		a.hungUp()
		return
	case term.Kitty, term.Focus:
		return
	}
	if a.takesEarly(ev) {
		return
	}
	a.keepPromise(ev)
	if s := a.top(); s != nil {
		if m, ok := ev.(term.Mouse); ok && !isWhole(s) && a.wheel(m) {
			return
		}
		s.update(a, ev)
		return
	}
	switch e := ev.(type) {
	case term.Key:
		a.key(e)
	case term.Paste:
		a.paste(e.Text)
	case term.Mouse:
		a.mouse(e)
	}
}

func isWhole(s screen) bool {
	w, ok := s.(filler)
	return ok && w.whole()
}

// wheel scrolls the transcript.
func (a *app) wheel(m term.Mouse) bool {
	if m.Button != term.WheelUp && m.Button != term.WheelDown || a.o.Regular {
		return false
	}
	by := a.o.WheelLines
	if m.Button == term.WheelUp {
		by = -by
	}
	a.look.scroll(by, a.room())
	return true
}

// room is about how many rows the transcript has.
func (a *app) room() int {
	_, h := a.term.Size()
	return max(h-6-len(a.view.Queue.Items), 3)
}

// key takes a key of the main view.
func (a *app) key(k term.Key) {
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	if a.look.chosen.any() {
		text := a.look.chosenText()
		a.look.chosen = selection{}
		switch {
		case is("app.message.copy"):
			a.copyText(text)
			return
		case is("app.interrupt"):
			return
		}
	}
	if a.complete != nil && a.complete.key(a, k) {
		return
	}
	full := !a.o.Regular
	switch {
	case is("app.interrupt"):
		a.interrupt()
	case is("app.clear"):
		a.clear()
	case is("app.exit") && a.editor.empty():
		a.leave()
	case is("app.suspend"):
		a.suspend()
	case full && is("tui.altScreen.pageUp"):
		a.look.scroll(-max(a.room()-1, 1), a.room())
	case full && is("tui.altScreen.pageDown"):
		a.look.scroll(max(a.room()-1, 1), a.room())
	case full && is("tui.altScreen.halfPageUp"):
		a.look.scroll(-max(a.room()/2, 1), a.room())
	case full && is("tui.altScreen.halfPageDown"):
		a.look.scroll(max(a.room()/2, 1), a.room())
	case full && is("tui.altScreen.lineUp"):
		a.look.scroll(-1, a.room())
	case full && is("tui.altScreen.lineDown"):
		a.look.scroll(1, a.room())
	case full && is("tui.altScreen.previousPrompt"):
		a.look.toPrompt(-1, a.room())
	case full && is("tui.altScreen.nextPrompt"):
		a.look.toPrompt(1, a.room())
	case full && is("tui.altScreen.top"):
		a.look.whole()
		a.look.hold(a.room())
		a.look.top, a.look.off = 0, 0
	case full && is("tui.altScreen.bottom"):
		a.look.follow()
	case is("tui.altScreen.search"):
		a.openSearch()
	case is("bough.transcript.focus"):
		a.focusTranscript()
	case is("app.tools.expand"):
		if !a.editor.unfold() {
			a.look.toggleAll()
		}
	case is("app.message.followUp"):
		a.submit(protocol.AsFollowUp)
	case is("app.message.dequeue"):
		if len(a.view.Queue.Items) > 1 {
			a.openQueue()
		} else {
			a.takeBack()
		}
	case is("app.message.copy"):
		a.copyAnswer(1)
	case is("app.model.select"):
		a.pickModel("")
	case is("app.model.cycleForward", "app.model.cycleBackward"):
		a.cycleModel()
	case is("app.thinking.toggle"):
		a.toggleThinking()
	case is("app.thinking.cycle"):
		call(a, protocol.CycleThinking{}, func(level string, err error) {
			if err == nil && level == "" {
				err = errors.New("this model has no thinking levels")
			}
			a.said(err, "thinking: %s", level)
		})
	case is("app.clipboard.pasteImage"):
		a.pasteClipboard()
	case is("app.editor.external"):
		a.external()
	case is("app.session.new"):
		a.run("/new")
	case is("app.session.tree"):
		a.run("/tree")
	case is("app.session.fork"):
		a.run("/fork")
	case is("app.session.resume"):
		a.run("/resume")
	case is("bough.pos.back"):
		a.run("/back")
	case is("bough.pos.forward"):
		a.run("/forward")
	case is("bough.sibling.prev"):
		a.toVersion(-1)
	case is("bough.sibling.next"):
		a.toVersion(1)
	case is("tui.input.submit"):
		if before := a.editor.at - 1; before >= 0 && a.editor.text[before] == '\\' {
			a.editor.remove(before)
			a.editor.insert("\n")
			return
		}
		a.submit(protocol.AsSteering)
	case is("tui.input.tab"):
		a.completeAt(true)
	default:
		if a.editor.key(a.keys, k) {
			a.completing()
		}
	}
}

// said flashes what came of a command, or tells why it failed.
func (a *app) said(err error, format string, args ...any) {
	if err != nil {
		a.problem(err)
		return
	}
	a.flash(format, args...)
}

// twice is how long a key counts as pressed twice, if the screen does not say more.
const twice = 500 * time.Millisecond

// promise tells for a moment what the key of an action does when it is pressed again.
func (a *app) promise(action, format string, args ...any) {
	a.flash(format, args...)
	a.status.promise = action
}

// keepPromise takes a promise back when something else is pressed.
func (a *app) keepPromise(ev term.Event) {
	if a.status.promise == "" {
		return
	}
	k, pressed := ev.(term.Key)
	_, pasted := ev.(term.Paste)
	if pasted || pressed && (a.top() != nil || !a.keys.is(k, a.status.promise)) {
		a.status.flash, a.status.promise = "", ""
	}
}

// again reports whether the key of an action is pressed for the second time; last is
// when it was pressed before.
func (a *app) again(action string, last time.Time) bool {
	return a.status.promise == action || a.o.Now().Sub(last) < twice
}

// interrupt is Escape: it ends the innermost thing that goes on.
func (a *app) interrupt() {
	switch {
	case a.purpose != nil:
		a.purpose = nil
		a.editor.set("")
		a.flash("called off")
	case a.view.Running || a.status.work != "":
		call(a, protocol.Abort{}, func(_ protocol.None, err error) {
			a.problem(err)
			if len(a.view.Queue.Items) > 0 {
				a.takeBack()
			}
		})
	case a.shell != nil:
		call(a, protocol.AbortBash{}, func(_ protocol.None, err error) { a.problem(err) })
	case strings.HasPrefix(a.editor.text, "!"):
		a.editor.set("") // undo brings it back
		a.complete = nil
	case a.editor.empty() && a.doubleEscape() != "":
		action := a.doubleEscape()
		if a.again("app.interrupt", a.editor.escaped) {
			a.editor.escaped = time.Time{}
			a.status.flash, a.status.promise = "", ""
			a.run("/" + action)
			return
		}
		a.editor.escaped = a.o.Now()
		a.promise("app.interrupt", "%s again: /%s", a.keys.name("app.interrupt"), action)
	}
}

// doubleEscape is the command that Escape twice stands for; "" for none.
func (a *app) doubleEscape() string {
	if a.o.DoubleEscape == "none" {
		return ""
	}
	return cmp.Or(a.o.DoubleEscape, "tree")
}

// clear is ctrl+c: it clears the editor, or stops what goes on, or quits.
func (a *app) clear() {
	if a.again("app.clear", a.editor.cleared) {
		a.leave()
		return
	}
	a.editor.cleared = a.o.Now()
	switch {
	case !a.editor.empty():
		a.editor.set("")
		a.complete = nil
	case a.view.Running || a.status.work != "" || a.shell != nil:
		a.interrupt()
		a.promise("app.clear", "stopping; %s again quits", a.keys.name("app.clear"))
	default:
		a.promise("app.clear", "%s again quits", a.keys.name("app.clear"))
	}
}

func (a *app) suspend() {
	a.problem(a.term.Suspend())
	if a.o.Regular {
		a.look.replay()
	}
}

// external has the text edited by another program, which gets the terminal.
func (a *app) external() {
	if a.o.Edit == nil {
		a.flash("there is no editor; set EDITOR")
		return
	}
	text, images := a.editor.says()
	var changed string
	err := a.term.Lend(func() (err error) {
		changed, err = a.o.Edit(a.ctx, text)
		return err
	})
	if a.o.Regular {
		a.look.replay()
	}
	if err != nil {
		a.problem(err)
		return
	}
	a.editor.set(strings.TrimRight(changed, "\n"))
	for _, b := range images {
		a.editor.attachImage(b)
	}
}

// takeBack puts what waits into the editor, in front of what is there.
func (a *app) takeBack() {
	call(a, protocol.ClearQueue{}, func(q protocol.Queue, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		texts := append(q.Steering, q.FollowUp...)
		if len(texts) == 0 {
			return
		}
		said, images := a.editor.says()
		if said != "" {
			texts = append(texts, said)
		}
		a.editor.set(strings.Join(texts, "\n\n"))
		for _, b := range images {
			a.editor.attachImage(b)
		}
	})
}

// toVersion goes over to another version of the turn that is in view: the newest
// leaf under a neighbour of its message.
func (a *app) toVersion(step int) {
	for i := len(a.look.path) - 1; i >= 0; i-- {
		e := a.look.path[i]
		if e.Role != message.User {
			continue
		}
		list := a.versions(e)
		for at := range list {
			if list[at].ID != e.ID || len(list) < 2 {
				continue
			}
			to := at + step
			if to < 0 || to >= len(list) {
				a.flash("this is version %d of %d", at+1, len(list))
				return
			}
			a.goTo(protocol.Navigate{Target: a.newest(list[to].ID), At: true})
			return
		}
	}
	a.flash("this turn has one version only")
}

// goTo moves the conversation and says where to.
func (a *app) goTo(n protocol.Navigate) {
	if a.summing != nil {
		n.Summarize, n.Instructions, a.summing = true, *a.summing, nil
	}
	call(a, n, func(nav protocol.Navigated, err error) { a.moved(nav, err) })
}

// moved says what came of a move.
func (a *app) moved(nav protocol.Navigated, err error) {
	switch {
	case err != nil:
		a.problem(err)
		return
	case nav.Aborted:
		a.flash("stopped; nothing has moved")
		return
	}
	if a.view.Tree.Has(nav.Leaf) || nav.Leaf == "" {
		a.swap(a.place(nav.Leaf))
	}
	if nav.Text != "" || len(nav.Images) > 0 {
		a.offer(nav.Text, nav.Images)
	}
	words := a.position(nav.Leaf)
	if k := a.keys.name("bough.pos.back"); k != "" && nav.Old != nav.Leaf {
		words += " · " + a.t("%s goes back", k)
	}
	a.flash("%s", words)
}

// offer puts a text that comes back into the editor; what stands there is asked for
// first.
func (a *app) offer(text string, images []message.Block) {
	put := func() {
		a.editor.set(text)
		for _, b := range images {
			a.editor.attachImage(b)
		}
	}
	if a.editor.empty() {
		put()
		return
	}
	a.push(&question{text: "The editor holds a draft. What is to become of it?", choices: []choice{
		{"Replace it with the message", put},
		{"Put the message before it", func() {
			old, _ := a.editor.says()
			text += "\n\n" + old
			put()
		}},
		{"Keep the draft", nil},
	}})
}
