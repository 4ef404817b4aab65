package repl

import (
	"context"

	"github.com/boughdev/bough/internal/render"
)

// A Question is words, and what can be done about them; nothing is one of the ways.
type Question struct {
	Lines []string
	Ways  []Way
}

// Way is something to do. It says in a sentence what came of it.
type Way struct {
	Text string
	Do   func(context.Context) (string, error)
}

// numbered asks the question that the way of a command is chosen by.
func (r *repl) numbered(name string) {
	q, err := r.o.Questions[name](r.ctx)
	if err != nil {
		r.failed(err)
		return
	}
	for _, l := range q.Lines {
		r.out.line(none, render.OneLine(l))
	}
	for i, w := range q.Ways {
		r.say("%d: %s", i+1, render.OneLine(w.Text))
	}
	r.offer("what to do", len(q.Ways), func(n int) error {
		said, err := q.Ways[n-1].Do(r.ctx)
		if err != nil {
			r.failed(err)
			return nil
		}
		r.say("%s", render.OneLine(said))
		return nil
	})
}
