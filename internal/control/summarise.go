package control

import (
	"context"
	"time"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// asker returns what asks the session's model for summaries, with the session's
// retries, and what is to be called when there is nothing more to ask. source is
// "compaction" or "branchSummary"; reason that of a compaction. Owner's; what is
// returned is for another goroutine.
func (s *Session) asker(source string, reason protocol.Reason) (a compaction.Asker, ended func()) {
	info, policy, omitted := s.model.Info(), s.opts.Retry, s.omitted
	tell := func(ev protocol.Event) { s.post(func() { s.emit(ev) }) }
	tried := false
	a = compaction.Asker{Model: s.model, Thinking: s.thinking, Allow: s.allowSummary(reason == "" || reason == protocol.Manual),
		Without: func(req provider.Request) provider.Request {
			for _, o := range omitted {
				if o.by == info.Provider && o.model == info.ID {
					req = req.Without(o.Omission, len(req.Messages))
				}
			}
			return req
		},
		Again: func(ctx context.Context, try int, err error) bool {
			wait, ok := policy.wait(try, err)
			if !ok {
				return false
			}
			tried = true
			tell(protocol.SummaryRetryScheduled{Attempt: try, Max: policy.Max, Delay: wait, Error: err.Error()})
			if !sleep(ctx, wait) {
				return false
			}
			tell(protocol.SummaryRetryStarted{Source: source, Reason: reason})
			return true
		}}
	return a, func() {
		if tried {
			tell(protocol.SummaryRetryEnded{})
		}
	}
}

// wait says how long to wait after the try that failed, the first is 1, or that
// there is no sense in another.
func (r Retry) wait(try int, err error) (time.Duration, bool) {
	e := errorOf(err)
	if e == nil || e.Kind != provider.Transient || try > r.Max {
		return 0, false
	}
	if e.RetryAfter > 0 && r.Asked > 0 && e.RetryAfter > r.Asked {
		return 0, false
	}
	return max(min(r.Base<<min(try-1, 20), r.Most), e.RetryAfter), true
}
