package provider

import (
	"context"
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
		for ev, err := range e.Events(ctx, c) {
			if err != nil {
				// A connection may break between the last word and the end.
				if last, endErr := d.End(true); endErr == nil && ctx.Err() == nil {
					say(last)
				} else {
					fail(err)
				}
				return
			}
			deltas, done, err := d.Event(ev)
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
