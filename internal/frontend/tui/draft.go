package tui

import (
	"errors"
	"maps"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Drafts keeps what was typed and not sent, by sessions and places in them. Its
// methods are called beside the loop. Others may keep theirs in the same session, so
// Save gets only what has changed; "" is a draft that is no more.
type Drafts interface {
	Load(session string) (map[session.ID]string, error)
	Save(session string, changed map[session.ID]string) error
}

// drafts are what was typed and not sent (docs/spec/frontends.md D3-07). A text
// belongs to the place that it was typed at: who moves finds there what was typed
// there, and here again what is left here.
type drafts struct {
	texts map[session.ID]string // but for that of the editor
	at    session.ID            // the place that the editor's text belongs to
	of    string                // the session
	saved string                // of the editor, when it was kept last
	kept  map[session.ID]string // as they were kept last
	known bool                  // what was kept is loaded
	keep  timer
}

// place is where a text of the editor belongs to: what was said last here.
func (a *app) place(leaf session.ID) session.ID {
	if a.view.Tree == nil {
		return ""
	}
	if e := render.Above(a.view.Tree, leaf); e != nil {
		return e.ID
	}
	return ""
}

// openDrafts takes up the drafts of a session that has been opened.
func (a *app) openDrafts() {
	d := &a.drafts
	if id := a.view.Header.ID; d.of != id {
		if d.of != "" && d.known {
			a.keepDrafts()
		}
		*d = drafts{of: id, keep: d.keep, at: a.place(a.view.Leaf), known: a.o.Drafts == nil}
	}
	d.at = a.place(a.view.Leaf)
	if len(a.editor.history) == 0 {
		a.recallPath()
	}
	a.recallLook(d.of)
	if a.o.Drafts == nil || d.known {
		return
	}
	of, written := d.of, a.early.on && !a.editor.empty()
	a.beside(func() func() {
		texts, err := a.o.Drafts.Load(of)
		return func() {
			if d.of != of || d.known {
				return
			}
			if err != nil {
				a.problem(err)
			}
			d.known, d.kept = true, texts
			for id, text := range texts {
				if _, newer := d.texts[id]; !newer {
					d.put(id, text)
				}
			}
			if text := d.texts[d.at]; text != "" && a.editor.empty() {
				a.editor.set(text)
				d.saved = text
			} else if text != "" && written && !a.editor.empty() {
				more, images := a.editor.says()
				a.editor.set(text + "\n\n" + more)
				for _, b := range images {
					a.editor.attachImage(b)
				}
			}
		}
	})
}

func (d *drafts) put(id session.ID, text string) {
	if strings.TrimSpace(text) == "" {
		delete(d.texts, id)
		return
	}
	if d.texts == nil {
		d.texts = map[session.ID]string{}
	}
	d.texts[id] = text
}

// grown follows the conversation: what is being typed goes on with it.
func (d *drafts) grown(to session.ID) {
	delete(d.texts, d.at)
	d.at = to
}

// swap leaves the text of the editor at its place and takes up that of another one.
func (a *app) swap(to session.ID) {
	d := &a.drafts
	if to == d.at || a.purpose != nil {
		return
	}
	text, _ := a.editor.says()
	d.put(d.at, text)
	d.at = to
	if text != d.texts[to] {
		a.editor.set(d.texts[to])
	}
}

// typed has a draft kept in a while, if it is another one than was kept.
func (a *app) typed() {
	if a.o.Drafts != nil && a.drafts.keep.c == nil && a.editor.text != a.drafts.saved {
		a.after(&a.drafts.keep, draftTime)
	}
}

// all are the drafts with the one that is being typed.
func (a *app) allDrafts() map[session.ID]string {
	d := &a.drafts
	text, _ := a.editor.says()
	if a.purpose != nil {
		text = ""
	}
	all := maps.Clone(d.texts)
	if all == nil {
		all = map[session.ID]string{}
	}
	delete(all, d.at)
	if strings.TrimSpace(text) != "" {
		all[d.at] = text
	}
	return all
}

// changedDrafts are those that are not as they were kept last, and are from now on.
func (a *app) changedDrafts() map[session.ID]string {
	d, all := &a.drafts, a.allDrafts()
	changed := map[session.ID]string{}
	for id, text := range all {
		if d.kept[id] != text {
			changed[id] = text
		}
	}
	for id := range d.kept {
		if all[id] == "" {
			changed[id] = ""
		}
	}
	d.kept = all
	return changed
}

func (a *app) keepDrafts() {
	d := &a.drafts
	d.keep.stop()
	if a.o.Drafts == nil || !d.known || d.of == "" {
		return
	}
	d.saved = a.editor.text
	of, all := d.of, a.changedDrafts()
	if len(all) == 0 && !a.owed.any() {
		return
	}
	a.owed.add(of, all)
	a.beside(func() func() {
		err := a.owed.pay(a.o.Drafts)
		return func() { a.problem(err) }
	})
}

// lastDrafts keeps them at the end.
func (a *app) lastDrafts() {
	if d := &a.drafts; a.o.Drafts != nil && d.known && d.of != "" {
		// Nobody is there any more who could be told.
		a.owed.add(d.of, a.changedDrafts())
		_ = a.owed.pay(a.o.Drafts)
	}
}

// owed are the drafts that are still to be kept, by session. Whoever keeps some takes
// the newest of all; what could not be kept is owed again.
type owed struct {
	paying sync.Mutex // one keeps them at a time

	mu sync.Mutex
	by map[string]map[session.ID]string // guarded by mu
}

func (o *owed) add(of string, changed map[session.ID]string) {
	if len(changed) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by == nil {
		o.by = map[string]map[session.ID]string{}
	}
	if o.by[of] == nil {
		o.by[of] = map[session.ID]string{}
	}
	maps.Copy(o.by[of], changed)
}

func (o *owed) any() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.by) > 0
}

// pay keeps them all.
func (o *owed) pay(in Drafts) error {
	o.paying.Lock()
	defer o.paying.Unlock()
	o.mu.Lock()
	all := o.by
	o.by = nil
	o.mu.Unlock()
	var failed error
	for of, changed := range all {
		if err := in.Save(of, changed); err != nil {
			failed = errors.Join(failed, err)
			o.mu.Lock()
			maps.Copy(changed, o.by[of]) // which are newer
			if o.by == nil {
				o.by = map[string]map[session.ID]string{}
			}
			o.by[of] = changed
			o.mu.Unlock()
		}
	}
	return failed
}

// recallPath makes what was said on this path the history of the editor.
func (a *app) recallPath() {
	for _, e := range a.look.path {
		if e.Role != message.User {
			continue
		}
		if body, err := e.Body(); err == nil {
			if m, ok := body.(session.Message); ok {
				if _, text, isSkill := skill(m.Message.Text("\n")); !isSkill {
					a.editor.remember(text)
				}
			}
		}
	}
}
