package repl

import (
	"context"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// summarize has the next move sum up what is left.
func (r *repl) summarize(words string) {
	if len(r.chain()) == 0 {
		r.say("Nothing has been said here, so there is nothing to sum up.")
		return
	}
	r.summary = &words
	r.say("What you leave with the next /branch, /goto or /edit is summed up for the place you go to. Saying something calls it off.")
}

// summing says that a branch is being summed up.
func (r *repl) summing() {
	if r.o.Quiet {
		return
	}
	r.note("(summing up the branch; ctrl+c stops)")
}

// took says what a summary took.
func (r *repl) took(id session.ID) {
	e := r.view.Tree.Get(id)
	if r.o.Quiet || e == nil {
		return
	}
	body, err := e.Body()
	if err != nil {
		r.failed(err)
		return
	}
	b, ok := body.(session.BranchSummary)
	if !ok || b.Usage == nil {
		return
	}
	var t turn
	t.use(b.Usage)
	r.note("(the summary took %s)", t.took(r.view.Model != nil && !r.view.Model.PriceUnknown))
}

// meanwhile does something that may take long, and shows what happens. ctrl+c
// aborts it. Lines wait for its end, but for the answers to its questions. failed is
// what it fails with; an error ends the conversation.
func (r *repl) meanwhile(do func() error) (failed, err error) {
	over := make(chan error, 1)
	r.work.Go(func() { over <- do() })
	for {
		var lines <-chan line
		if r.choices() != "" && r.o.Terminal && !r.eof {
			r.ask()
			lines = r.in.next()
		}
		select {
		case failed := <-over:
			r.stopping = false
			return failed, nil
		case l := <-lines:
			r.in.asked = false
			if err := r.line(l); err != nil {
				return nil, err
			}
			if r.eof || r.quit {
				r.callOff()
			}
		case w := <-r.events:
			if err := r.event(w); err != nil {
				return nil, err
			}
		case <-r.interrupts:
			r.callOff()
		case <-r.ctx.Done():
			return nil, context.Cause(r.ctx)
		}
	}
}

// callOff stops what meanwhile waits for.
func (r *repl) callOff() {
	switch {
	case r.eof, r.quit: // nobody is there to answer
	case r.o.Terminal:
		r.out.interrupted()
	default:
		r.code, r.eof, r.o.Prompts = interrupted, true, nil
	}
	if r.stopping {
		return
	}
	r.stopping = true
	r.work.Go(func() {
		// Whoever waits for the end is told of it.
		_, _ = protocol.Call(r.ctx, r.c, protocol.Abort{})
	})
}
