package provider

import (
	"context"
	"iter"

	"github.com/boughdev/bough/message"
)

// New makes a model of a function that gives its answer as a whole. Of the
// answer only Content is needed: without a StopReason it is ToolUse if there are
// tool calls, else Stop. An error that is no *[Error] counts as [Rejected].
func New(info Info, answer func(ctx context.Context, req Request) (message.Message, error)) Model {
	return function{info, answer}
}

type function struct {
	info   Info
	answer func(context.Context, Request) (message.Message, error)
}

func (f function) Info() Info { return f.info }

func (f function) Stream(ctx context.Context, req Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		m, err := f.answer(ctx, req)
		if err != nil {
			if ctx.Err() == nil && KindOf(err) == "" {
				err = &Error{Kind: Rejected, Message: err.Error(), Err: err}
			}
			yield(message.Delta{}, err)
			return
		}
		for d := range m.Deltas() {
			if !yield(d, nil) {
				return
			}
		}
	}
}
