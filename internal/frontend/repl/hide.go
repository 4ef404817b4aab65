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
	if id, err = protocol.Call(r.ctx, r.c, protocol.Hide{Entry: id}); err != nil {
		r.failed(err)
		return nil
	}
	r.say("hidden from the model: %s; /unhide brings it back", r.describe(id))
	return nil
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
	if id, err = protocol.Call(r.ctx, r.c, protocol.Unhide{Entry: id}); err != nil {
		r.failed(err)
		return nil
	}
	r.say("the model sees it again: %s", r.describe(id))
	return nil
}
