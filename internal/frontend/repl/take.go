package repl

import (
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// take brings something of another branch here.
func (r *repl) take(c slash.Command) error {
	cmd, err := slash.Taking(c, r.entry)
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	var took protocol.Taken
	failed, err := r.meanwhile(func() (err error) {
		took, err = protocol.Call(r.ctx, r.c, cmd)
		return err
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		r.failed(failed)
		return nil
	case took.Aborted:
		r.note("(stopped; nothing was taken)")
		return nil
	}
	r.draft, r.summary = nil, nil
	if err := r.await(func() bool { return r.view.Leaf == took.Leaf }); err != nil {
		return err
	}
	if n := len(took.Entries); n == 1 {
		r.say("brought here: %s; /back leaves it again", r.describe(took.Entries[0]))
	} else {
		r.say("brought here: %s, %s to %s; /back leaves them again", render.Plural(n, "message", "messages"), r.number(took.Entries[0]), r.number(took.Entries[n-1]))
	}
	if cmd.What == protocol.TakeSummary {
		r.took(took.Entries[0])
	}
	return nil
}
