package repl

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
)

// queue shows what waits to be said, or changes it.
func (r *repl) queue(words string) error {
	what, rest, _ := strings.Cut(words, " ")
	rest = strings.TrimSpace(rest)
	var (
		q   protocol.Queue
		err error
	)
	switch what {
	case "":
		q, err = protocol.Call(r.ctx, r.c, protocol.GetQueue{})
		if err == nil {
			r.waiting(q)
		}
	case "send":
		if _, err = protocol.Call(r.ctx, r.c, protocol.SendQueue{}); err == nil {
			r.begin()
		}
	case "clear":
		if q, err = protocol.Call(r.ctx, r.c, protocol.ClearQueue{}); err == nil {
			r.queued = nil
			r.say("%s", dropped(len(q.Items)))
		}
	case "drop", "edit":
		number, text, _ := strings.Cut(rest, " ")
		err = r.changeQueued(what, number, strings.TrimSpace(text))
	default:
		err = fmt.Errorf("/queue shows what waits; /queue drop N, /queue edit N TEXT, /queue send and /queue clear change it")
	}
	r.failed(err)
	return nil
}

func dropped(n int) string {
	if n == 0 {
		return "No message waits."
	}
	return render.Plural(n, "message was", "messages were") + " dropped."
}

// waiting lists what waits, in the order in which it will be said.
func (r *repl) waiting(q protocol.Queue) {
	if len(q.Items) == 0 {
		r.say("No message waits.")
		return
	}
	for i, it := range q.Items {
		when := "after this turn"
		if it.FollowUp {
			when = "at the end"
		}
		if !r.working() {
			when = "with the next message"
		}
		images := ""
		if it.Images > 0 {
			images = " [" + render.Plural(it.Images, "image", "images") + "]"
		}
		head := fmt.Sprintf("[%d] ", i+1)
		if r.out.speech {
			head = fmt.Sprintf("%d: ", i+1)
		}
		tail := images + "   (" + when + ")"
		r.say("%s%s%s", head, render.Quote(it.Text, max(r.o.Width-styled.Width(head+tail)-2, 20)), tail)
	}
}

// changeQueued takes the n-th of the messages that wait back, or gives it another
// text.
func (r *repl) changeQueued(what, number, text string) error {
	q, err := protocol.Call(r.ctx, r.c, protocol.GetQueue{})
	if err != nil {
		return err
	}
	w, err := slash.Queued(q, what, number)
	if err != nil {
		return err
	}
	id := w.ID
	if what == "drop" {
		if q, err = protocol.Call(r.ctx, r.c, protocol.DropQueued{ID: id}); err == nil {
			r.say("%s", dropped(1))
		}
		return err
	}
	if text == "" {
		return fmt.Errorf("say what it is to be instead: /queue edit %s TEXT", number)
	}
	if q, err = protocol.Call(r.ctx, r.c, protocol.EditQueued{ID: id, Text: text}); err == nil {
		r.waiting(q)
	}
	return err
}

// tellWaiting says what goes on waiting after a run that was stopped or failed.
func (r *repl) tellWaiting() {
	q := r.view.Queue
	for _, text := range append(q.Steering, q.FollowUp...) {
		r.say("waits: %s", render.Quote(text, r.o.Width-12))
	}
	r.note("(said after your next message; /queue send: now, /queue clear: never)")
}
