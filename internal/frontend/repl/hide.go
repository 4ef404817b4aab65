package repl

import (
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// hide keeps a message from the model from here on.
func (r *repl) hide(word string) error {
	if word == "" {
		r.say("Say which entry: /hide N. /history numbers them.")
		return nil
	}
	id, err := r.entry(word)
	if err != nil {
		r.failed(err)
		return nil
	}
	h, err := protocol.Call(r.ctx, r.c, protocol.Hide{Entry: id})
	if err != nil {
		r.failed(err)
		return nil
	}
	return r.edited(h, "hidden from the model: %s; /unhide brings it back")
}

// unhide lets the model see a message again, the one that was hidden last if
// none is named.
func (r *repl) unhide(word string) error {
	var (
		id  session.ID
		err error
	)
	if word != "" {
		if id, err = r.entry(word); err != nil {
			r.failed(err)
			return nil
		}
	}
	h, err := protocol.Call(r.ctx, r.c, protocol.Unhide{Entry: id})
	if err != nil {
		r.failed(err)
		return nil
	}
	return r.edited(h, "the model sees it again: %s")
}

// edited tells what has come of a message once the lists show it, too.
func (r *repl) edited(h protocol.Hidden, format string) error {
	if err := r.await(func() bool { return r.view.Tree.Has(h.Edit) }); err != nil {
		return err
	}
	r.say(format, r.describe(h.Entry))
	return nil
}
