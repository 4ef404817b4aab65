package control

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// Compaction says when conversations are compacted.
type Compaction struct {
	Enabled bool // by itself; it can be asked for always

	// For returns what is kept free of the window of a model, and how much of the
	// end of a conversation stays, in tokens. Nil: the usual.
	For func(provider, model string) (reserve, keep int64)
}

func (c Compaction) limits(i provider.Info) compaction.Limits {
	l := compaction.Limits{Window: i.ContextWindow, Reserve: 16384, Keep: 20000}
	if c.For != nil {
		l.Reserve, l.Keep = c.For(i.Provider, i.ID)
	}
	return l
}

// errNothing says that there is nothing to compact.
var errNothing = errors.New("nothing to compact")

// compacting is one compaction that is being made.
type compacting struct {
	s      *Session
	reason protocol.Reason
	retry  bool // the request that was too long is to be made again

	// What follows is made by prepare.
	plan  *compaction.Plan
	trims []compaction.Trim
	asker compaction.Asker
	ended func()
}

// prepare decides what is to be done. Owner's.
func (c *compacting) prepare() error {
	s := c.s
	if s.model == nil {
		return protocol.Fail(protocol.NoModel, "No model is configured, so nobody can sum up the conversation. Choose one with --model.")
	}
	p, err := s.branch.Project()
	if err != nil {
		return &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	path := s.branch.Path()
	if n := len(path); c.reason == protocol.Manual && n > 0 && path[n-1].Type == session.TypeCompaction {
		return &protocol.Error{Code: protocol.NotRunnable, Text: "Already compacted", Err: errNothing}
	}
	limits := s.opts.Compaction.limits(s.model.Info())
	c.plan, c.trims, err = compaction.Measure(path, p, nil).Fit(limits, c.reason == protocol.OverflowedBy)
	switch {
	case err != nil:
		return &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	case c.plan == nil && len(c.trims) == 0:
		text := fmt.Sprintf("Nothing to compact: all of it is within the last %d tokens, which are kept (setting compaction.keepRecentTokens).", limits.Within().Keep)
		return &protocol.Error{Code: protocol.NotRunnable, Text: text, Err: errNothing}
	}
	c.asker, c.ended = s.asker("compaction", c.reason)
	return nil
}

// compact makes a compaction: it plans, asks for the summary, and appends. What
// goes wrong is told as the end of the compaction; nothing of it stays then. If
// there is nothing to compact the error is errNothing, and nothing is told unless
// somebody asked for it. For an operation's goroutine.
func (s *Session) compact(ctx context.Context, reason protocol.Reason, instructions string, retry bool) (*protocol.Compacted, error) {
	c := &compacting{s: s, reason: reason, retry: retry}
	begun := false
	err := s.owner(func() error {
		if reason == protocol.Manual {
			begun = true
			s.beginCompaction(reason)
		}
		err := c.prepare()
		if err == nil && c.plan != nil && !begun {
			begun = true
			s.beginCompaction(reason)
		}
		return err
	})
	var written session.Compaction
	if err == nil && c.plan != nil {
		written, err = c.plan.Write(ctx, c.asker, instructions)
		c.ended()
	}
	var done *protocol.Compacted
	derr := s.owner(func() error {
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err == nil {
			done, err = c.keep(written)
		}
		s.followCompaction(reason, done, err)
		if begun {
			s.endCompaction(c, done, ctx.Err() != nil, err)
		}
		return nil
	})
	if derr != nil {
		return nil, derr
	}
	return done, err
}

// keep appends what was made. Owner's.
func (c *compacting) keep(written session.Compaction) (*protocol.Compacted, error) {
	s := c.s
	done := &protocol.Compacted{Summary: written.Summary, FirstKept: written.FirstKept, TokensBefore: written.TokensBefore,
		Usage: written.Usage, Details: written.Details}
	for _, t := range c.trims {
		if _, err := s.append(session.ContextEdit{Target: t.Entry, Content: t.Content}); err != nil {
			return nil, err
		}
		done.Shortened = append(done.Shortened, t.Entry)
	}
	if n := len(c.trims); n > 0 {
		s.tellTrimmed(c.trims)
	}
	if c.plan != nil {
		done.Messages = len(c.plan.History) + len(c.plan.Prefix)
		e, err := s.append(written)
		if err != nil {
			return nil, err
		}
		done.Entry = e.ID
	}
	p, err := s.branch.Project()
	if err != nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	done.TokensAfter = compaction.EstimateOf(p.Items)
	return done, nil
}

func (s *Session) tellTrimmed(trims []compaction.Trim) {
	var left int64
	for _, t := range trims {
		left += t.Left
	}
	what := "A message is too long for the model, which now sees its beginning and its end"
	if len(trims) > 1 {
		what = fmt.Sprintf("%d messages are too long for the model, which now sees their beginnings and ends", len(trims))
	}
	s.note("warning", "%s; about %d tokens between are left out. The session keeps all of it.", what, left)
}

// beginCompaction and endCompaction tell of a compaction. Owner's.
func (s *Session) beginCompaction(reason protocol.Reason) {
	s.compacting = true
	s.emit(protocol.CompactionStarted{Reason: reason})
}

func (s *Session) endCompaction(c *compacting, done *protocol.Compacted, aborted bool, err error) {
	s.compacting = false
	end := protocol.CompactionEnded{Reason: c.reason, Result: done, WillRetry: c.retry && err == nil}
	switch {
	case err == nil:
	case aborted:
		end.Aborted = true
	default:
		end.Error = compactionFailure(err)
	}
	s.emit(end)
}

// compactionFailure says why a compaction came to nothing.
func compactionFailure(err error) string {
	if e := errorOf(err); e != nil {
		return "Summarization failed: " + e.Error()
	}
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		return e.Text
	}
	return "Summarization failed: " + err.Error()
}

// followCompaction keeps count of compactions that came to nothing. After the
// second in a row those that are due by size wait for more and more turns, so that
// a summary that never succeeds is not asked for in each. Owner's.
func (s *Session) followCompaction(reason protocol.Reason, done *protocol.Compacted, err error) {
	switch {
	case errors.Is(err, errNothing), errors.Is(err, context.Canceled):
		return
	case err == nil && (s.model == nil || !s.limits().Exceeded(done.TokensAfter)):
		s.futile, s.pause = 0, 0
		return
	}
	if s.futile++; s.futile < 2 || reason == protocol.Manual {
		return
	}
	s.pause = 1 << min(s.futile, 6)
	if s.futile == 2 {
		s.note("warning", "The conversation could not be made shorter twice, so bough tries that again after %d turns only. /compact tries at once; a model with a larger window may take it all.", s.pause)
	}
}

func (s *Session) limits() compaction.Limits {
	return s.opts.Compaction.limits(s.model.Info()).Within()
}

// owner lets the session's owner do f, also after an operation's context has
// ended.
func (s *Session) owner(f func() error) error {
	var err error
	if derr := s.do(context.Background(), func() { err = f() }); derr != nil {
		return derr
	}
	return err
}

// due returns why a compaction is due before what is said next, or "", and whether
// the last answer failed for that reason. Owner's.
func (s *Session) due(next []queued) (reason protocol.Reason, failed bool) {
	if !s.opts.Compaction.Enabled || s.model == nil {
		return "", false
	}
	use, p, err := s.measure()
	if err != nil {
		return "", false // the request will say so
	}
	if s.overflowed(p) {
		return protocol.OverflowedBy, true
	}
	tokens := use.Tokens()
	for _, q := range next {
		tokens += message.Estimate(userMessage(q))
	}
	if !s.limits().Exceeded(tokens) {
		return "", false
	}
	if s.pause > 0 {
		s.pause--
		return "", false
	}
	if cutSilently(p, s.model.Info()) {
		return protocol.OverflowedBy, false
	}
	return protocol.OverLimit, false
}

// cutSilently reports whether the last answer was given to more than the window has
// room for: some servers leave out the beginning then, and say nothing.
func cutSilently(p session.Projection, info provider.Info) bool {
	n := len(p.Items)
	if n == 0 {
		return false
	}
	m := p.Items[n-1].Message
	return m.Role == message.Assistant && m.StopReason == message.Stop && m.Usage != nil && m.Usage.Input+m.Usage.CacheRead > info.ContextWindow
}

// overflowed reports whether the conversation ends with an answer that the
// session's model could not give, since all before it was too long, and which is
// not hidden. Owner's.
func (s *Session) overflowed(p session.Projection) bool {
	n := len(p.Items)
	if n == 0 {
		return false
	}
	m, info := p.Items[n-1].Message, s.model.Info()
	return m.Role == message.Assistant && m.StopReason == message.Failed && m.Provider == info.Provider && m.Model == info.ID &&
		provider.SaysTooLong(m.ErrorMessage)
}

// makeRoom makes a compaction if one is due before the next turn, the first if last
// is nil. If it fails the run goes on without.
func (r *run) makeRoom(ctx context.Context, last *agent.Turn) {
	s := r.s
	r.compactIfDue(ctx, func() (protocol.Reason, bool) {
		next := s.steering
		switch {
		case last == nil:
			next = append(slices.Clone(r.first), s.steering...)
		case s.opts.MaxTurns > 0 && r.turns >= s.opts.MaxTurns:
			return "", false
		case len(last.Results) == 0 && len(next) == 0:
			if next = s.followUp; len(next) == 0 {
				return "", false // the run is over
			}
		}
		return s.due(next)
	})
}

// afterwards makes a compaction if one is due when a run has come to its end.
func (r *run) afterwards(ctx context.Context) {
	r.compactIfDue(ctx, func() (protocol.Reason, bool) {
		if r.failure != "" {
			return "", false
		}
		reason, failed := r.s.due(nil)
		if reason != "" {
			r.endLoop(false)
		}
		return reason, failed
	})
}

// compactIfDue asks the owner whether a compaction is due, and makes it.
func (r *run) compactIfDue(ctx context.Context, due func() (protocol.Reason, bool)) {
	var (
		reason protocol.Reason
		failed bool
	)
	if err := r.owner(func() error {
		if ctx.Err() == nil {
			reason, failed = due()
		}
		if failed {
			return r.hideLast()
		}
		return nil
	}); err != nil || reason == "" {
		return
	}
	// What goes wrong is told by the end of the compaction.
	_, _ = r.s.compact(ctx, reason, "", failed)
}

// tooLong reports whether an answer failed or broke off since the conversation is
// too long for the model, so that it may succeed after a compaction.
func (r *run) tooLong(ctx context.Context, last *agent.Turn) (is bool) {
	r.owner(func() error {
		is = r.s.opts.Compaction.Enabled && ctx.Err() == nil && filled(last, r.s.model.Info())
		return nil
	})
	return is
}

func filled(last *agent.Turn, info provider.Info) bool {
	if last.Err != nil {
		e := errorOf(last.Err)
		return e != nil && e.Kind == provider.Overflow && e.Fault == ""
	}
	u := last.Answer.Usage
	switch {
	case last.Answer.StopReason != message.Length || u == nil || info.ContextWindow <= 0:
		return false
	case u.Output == 0:
		return 100*(u.Input+u.CacheRead) >= 99*info.ContextWindow
	}
	// Less than the model may say, with little of the window left.
	return u.Output < info.MaxTokens && 10*u.ContextTokens() >= 9*info.ContextWindow
}

// recover meets an answer that failed since the conversation is too long: it is
// hidden, the conversation compacted, and the model asked once more. It returns
// false if the run is over.
func (r *run) recover(ctx context.Context, last *agent.Turn) (again bool) {
	s := r.s
	failure := last.Answer.ErrorMessage
	if failure == "" {
		failure = "The conversation fills the window of the model, so the answer was cut off."
	}
	tried := false
	if err := r.owner(func() error {
		r.endLoop(false)
		if tried = r.recovered; tried {
			s.emit(protocol.CompactionEnded{Reason: protocol.OverflowedBy, Error: "The conversation is still too long after a compaction. Go back with /branch, or choose a model with a larger window."})
			return nil
		}
		r.recovered = true
		r.turns-- // a failed try is no turn
		return r.hideLast()
	}); err == nil && !tried && ctx.Err() == nil {
		if _, err = s.compact(ctx, protocol.OverflowedBy, "", true); err == nil {
			return true
		}
	}
	r.owner(func() error {
		r.failure, r.kind, r.advice = failure, provider.Overflow, ""
		if e := errorOf(last.Err); e != nil {
			r.advice = e.Advice
		}
		if r.retries > 0 {
			s.emit(protocol.RetryEnded{Attempt: r.retries, FinalError: r.failure})
		}
		return nil
	})
	return false
}

// hideLast takes the last answer and the results of its calls out of what the
// model sees. Owner's.
func (r *run) hideLast() error {
	path := r.s.branch.Path()
	var hide []session.ID
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		if e.Role == message.ToolResult {
			hide = append(hide, e.ID)
		}
		if e.Role == message.Assistant {
			hide = append(hide, e.ID)
			break
		}
	}
	for i := len(hide) - 1; i >= 0; i-- {
		if _, err := r.s.append(session.ContextEdit{Target: hide[i], Omit: true}); err != nil {
			return err
		}
	}
	r.failure, r.kind, r.advice = "", "", ""
	return nil
}
