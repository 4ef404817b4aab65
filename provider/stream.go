package provider

import (
	"context"
	"fmt"
	"iter"

	"github.com/boughdev/bough/message"
)

// A Decoder makes the deltas of one answer of the events in which it comes.
type Decoder interface {
	// Event reads one event. done means that no later event is needed.
	Event(ev Event) (deltas []message.Delta, done bool, err error)

	// End is called once behind the last event and returns what is still to be
	// said, the stop reason at last, or an error if the answer is not complete.
	// cut tells that the stream was not ended by the server.
	End(cut bool) ([]message.Delta, error)
}

// An Aborter is a Decoder that says how blocks end when the call is aborted.
type Aborter interface{ Aborted() []message.Delta }

// maxAnswer is how long an answer may become, in bytes of text, thinking and
// arguments: more than any model says. A server that does not end would else
// fill memory and the session.
const maxAnswer = 32 << 20

// Stream makes a call and yields what d makes of the answer.
func (e Endpoint) Stream(ctx context.Context, c Call, d Decoder) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		say := func(deltas []message.Delta) bool {
			for _, delta := range deltas {
				if !yield(delta, nil) {
					return false
				}
			}
			return true
		}
		fail := func(err error) { yield(message.Delta{}, err) }
		size := 0
		for ev, err := range e.Events(ctx, c) {
			if err != nil {
				// A connection may break between the last word and the end.
				if last, endErr := d.End(true); endErr == nil && ctx.Err() == nil {
					say(last)
					return
				}
				if a, ok := d.(Aborter); !ok || ctx.Err() == nil || say(a.Aborted()) {
					fail(err)
				}
				return
			}
			deltas, done, err := d.Event(ev)
			for _, delta := range deltas {
				size += len(delta.Text)
			}
			if size > maxAnswer {
				fail(&Error{Kind: Rejected, Message: fmt.Sprintf("the answer does not end: it is longer than %d MB", maxAnswer>>20)})
				return
			}
			if !say(deltas) {
				return
			}
			if err != nil {
				fail(err)
				return
			}
			if done {
				break
			}
		}
		last, err := d.End(false)
		if say(last) && err != nil {
			fail(err)
		}
	}
}
