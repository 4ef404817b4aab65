package control

import (
	"context"
	"errors"
	"strings"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// sumUp asks for the summary of entries. The owner does then with what came of
// it: the summary, nil if there was nothing to sum up, or the error, which is the
// context's after an abort. Owner's.
func (s *Session) sumUp(target session.ID, entries []*session.Entry, o compaction.BranchOptions, then func(*session.BranchSummary, error)) {
	ctx, cancel := context.WithCancel(s.ctx)
	op := &operation{cancel: cancel, done: make(chan struct{}), summing: true, by: s.author()}
	s.op = op
	s.spent.beginRun()
	s.emit(protocol.BranchSummaryStarted{Target: target})
	o.Reserve = s.opts.BranchReserve
	ask, ended := s.asker("branchSummary", "")
	go func() {
		sum, err := branchSummary(ctx, ask, entries, o)
		ended()
		// If the session is closed nobody waits any more.
		_ = s.do(context.WithoutCancel(ctx), func() {
			if err == nil && ctx.Err() != nil {
				err = ctx.Err() // aborted in the last moment
			}
			if err != nil {
				sum = nil
			}
			then(sum, err)
			s.op = nil
			cancel()
			s.recordHeld()
			close(op.done)
		})
	}()
}

func branchSummary(ctx context.Context, a compaction.Asker, entries []*session.Entry, o compaction.BranchOptions) (*session.BranchSummary, error) {
	b, err := compaction.MeasureBranch(new(session.Projector), entries, nil)
	if err != nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	sum, err := b.SumUp(ctx, a, o)
	if err == nil || isCancelled(err) {
		return sum, err
	}
	code, why := protocol.IO, err.Error()
	if e := errorOf(err); e != nil {
		why = strings.TrimSpace(said(e) + " " + e.Advice)
		if e.Kind == provider.Auth {
			code = protocol.NoAuth
		}
	}
	return nil, &protocol.Error{Code: code, Text: "The branch could not be summed up, so nothing has changed: " + why, Err: err}
}

// await lets the owner begin something and waits for its end, which may come
// later. When ctx ends the waiting ends, not the work.
func await[R any](ctx context.Context, s asked, begin func(done func(R, error))) (R, error) {
	type result struct {
		r   R
		err error
	}
	got := make(chan result, 1)
	var none R
	if err := s.do(ctx, func() { begin(func(r R, err error) { got <- result{r, err} }) }); err != nil {
		return none, err
	}
	select {
	case g := <-got:
		return g.r, g.err
	case <-s.ended:
		select {
		case g := <-got:
			return g.r, g.err
		default:
			return none, protocol.ErrClosed
		}
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }

func failureOf(err error) string {
	if err == nil || isCancelled(err) {
		return ""
	}
	return err.Error()
}

func errNoModel(why ...string) error {
	text := strings.Join(append(why, "No model is configured. Run bough auth login PROVIDER in a terminal, set a key in the environment, choose a model with --model, or try --model offline/demo."), " ")
	return protocol.Fail(protocol.NoModel, "%s", text)
}
