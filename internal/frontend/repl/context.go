package repl

import (
	"errors"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// context lists what the model sees here.
func (r *repl) context(c slash.Command) error {
	a, err := c.Args()
	leaf := r.view.Leaf
	if err == nil && len(a.Words) > 0 {
		leaf, err = r.entry(a.Text())
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	l, err := render.ContextOf(lang.English, r.view.Tree, leaf)
	if err != nil {
		r.failed(err)
		return nil
	}
	if len(l.Rows) == 0 {
		r.say("The model sees nothing yet.")
		return nil
	}
	if len(a.Words) > 0 && !r.onPath(leaf) {
		r.list = r.chainTo(leaf)
	} else {
		r.list = r.chain()
	}
	window := int64(0)
	if m := r.view.Model; m != nil {
		window = m.ContextWindow
	}
	for _, line := range l.Lines(r.o.Width, window) {
		r.out.line(none, line)
	}
	return nil
}

// replace takes up a message for the model to see it with other words.
func (r *repl) replace(c slash.Command) error {
	a, err := c.Args()
	if err == nil && len(a.Words) == 0 {
		err = errors.New("say which entry: /replace N. /context numbers them")
	}
	var id session.ID
	if err == nil {
		id, err = r.entry(a.Words[0])
	}
	if err == nil && !r.onPath(id) {
		err = errors.New("that entry is not on the way to here, so the model does not see it")
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	text, ok, err := slash.WordsSeen(r.view.Tree, r.view.Leaf, id)
	switch {
	case err != nil:
		r.failed(err)
		return nil
	case !ok:
		r.say("Only what you, the model and the tools said can be replaced.")
		return nil
	}
	r.say("what you write next takes the place of %s for the model; the entry itself stays, /unhide brings it back, /back calls it off", r.describe(id))
	r.draft = &draft{edits: id, stayed: true}
	r.out.line(none, render.Clean(text))
	return nil
}

// replaced gives the model other words in place of those of a message.
func (r *repl) replaced(id session.ID, text string) error {
	h, err := protocol.Call(r.ctx, r.c, protocol.EditContext{Entry: id, Text: text})
	if err != nil {
		r.failed(err)
		return nil
	}
	r.draft = nil
	return r.edited(h, "the model sees other words now in place of %s; /unhide brings it back")
}
