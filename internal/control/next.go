package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// Next is all policy between two turns, in this order:
//
//  1. the last answer failed: transient → hide it, wait, try again; refused for
//     something that can be left out → hide it, try once without that; too long →
//     hide it, compact, try once more; else end
//  2. the conversation is over its limit → compaction
//  3. steering queue → user entries
//  4. nothing heard and no tool results: follow-up queue → user entries; still
//     nothing → end
//  5. the limit of turns
//  6. prompt, tools, model or thinking differ from what the path declares →
//     entries that say so
//  7. project the path → the next request, if the budgets allow it or people do
func (r *run) Next(ctx context.Context, last *agent.Turn) (*agent.Step, error) {
	again := false
	if last == nil {
		r.waitForTools(ctx)
	}
	switch {
	case last != nil && r.tooLong(ctx, last):
		if !r.recover(ctx, last) {
			return nil, nil
		}
		again = true
	case last == nil || last.Err == nil:
		r.makeRoom(ctx, last)
	default:
		wait, ok := r.failed(ctx, last)
		if !ok {
			return nil, nil
		}
		if !r.wait(ctx, wait, last) {
			return nil, nil
		}
		again = true
	}
	var step *agent.Step
	err := r.owner(func() (err error) {
		step, err = r.next(ctx, last, again)
		return err
	})
	if step == nil || err != nil {
		return nil, err
	}
	return r.paid(ctx, step, last == nil)
}

// waitForTools gives tools that are still on their way the time to come.
func (r *run) waitForTools(ctx context.Context) {
	var setup Setup
	if err := r.owner(func() error { setup = r.s.setup; return nil }); err != nil {
		return // the session is closed; what follows says so
	}
	setup.Ready(ctx)
	r.owner(func() error {
		r.s.retool()
		return nil
	})
}

// owner lets the session's owner do f, also after the run's context has ended.
func (r *run) owner(f func() error) error {
	var err error
	if derr := r.s.do(context.Background(), func() { err = f() }); derr != nil {
		return derr
	}
	return err
}

// next is the owner's part.
func (r *run) next(ctx context.Context, last *agent.Turn, again bool) (*agent.Step, error) {
	s := r.s
	heard := false
	switch {
	case last == nil || again:
		r.beginLoop()
		if last == nil {
			if _, err := s.live.CatchUp(ctx); err != nil {
				s.opts.Log.Warn("read what others appended", "err", err)
			}
			if err := r.declare(); err != nil {
				return nil, err
			}
			if err := s.keepChoices(); err != nil {
				return nil, err
			}
			for _, q := range r.first {
				if err := r.say(q); err != nil {
					return nil, err
				}
			}
			if err := r.deliver(&s.steering, s.opts.AllSteering); err != nil {
				return nil, err
			}
			if s.live.Unsaved() > 0 {
				return nil, errors.New("nothing was sent, since the session cannot be saved; what was said is kept in memory, and /retry sends it once that works")
			}
		}
		return r.step()
	case len(s.steering) > 0 && ctx.Err() == nil:
		heard = true
		s.emit(protocol.TurnStarted{})
		if err := r.deliver(&s.steering, s.opts.AllSteering); err != nil {
			return nil, err
		}
	case len(last.Results) > 0:
	case len(s.followUp) > 0 && ctx.Err() == nil:
		heard = true
		s.emit(protocol.TurnStarted{})
		if err := r.deliver(&s.followUp, s.opts.AllFollowUp); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	if s.opts.MaxTurns > 0 && r.turns >= s.opts.MaxTurns && ctx.Err() == nil {
		r.failure = fmt.Sprintf("Stopped after %d turns, the limit of a run (setting maxTurns, option --max-turns). /retry goes on.", r.turns)
		s.note("warning", "%s", r.failure)
		return nil, nil
	}
	if !heard {
		s.emit(protocol.TurnStarted{})
	}
	if err := r.declare(); err != nil {
		return nil, err
	}
	return r.step()
}

// failed decides what follows an answer that failed: how long to wait before the
// next try, or false.
func (r *run) failed(ctx context.Context, last *agent.Turn) (wait time.Duration, again bool) {
	err := r.owner(func() error {
		s := r.s
		r.failure, r.kind, r.advice = last.Answer.ErrorMessage, provider.KindOf(last.Err), ""
		if e := errorOf(last.Err); e != nil {
			r.advice = e.Advice
		}
		if ctx.Err() != nil {
			r.aborted = true
			return nil
		}
		if again = r.refused(last); again {
			return r.hide(last)
		}
		policy := s.opts.Retry
		wait = min(policy.Base<<min(r.retries, 20), policy.Most)
		if e := errorOf(last.Err); r.kind == provider.Transient && e != nil && e.RetryAfter > 0 {
			if policy.Asked > 0 && e.RetryAfter > policy.Asked {
				s.note("warning", "The provider asks to wait %s. That is too long to go on by itself (setting retry.provider.maxRetryDelayMs); /retry asks again.", e.RetryAfter.Round(time.Second))
				r.kind = provider.Rejected
			}
			wait = max(wait, e.RetryAfter)
		}
		if r.kind != provider.Transient || r.retries >= policy.Max {
			if r.retries > 0 {
				r.endLoop(false)
				s.emit(protocol.RetryEnded{Attempt: r.retries, FinalError: r.failure})
			}
			return nil
		}
		r.retries++
		r.endLoop(true)
		s.emit(protocol.RetryStarted{Attempt: r.retries, Max: policy.Max, Delay: wait, Error: r.failure})
		again = true
		return r.hide(last)
	})
	return wait, again && err == nil
}

// wait waits for the next try. It returns false if the run or the wait is ended.
func (r *run) wait(ctx context.Context, d time.Duration, last *agent.Turn) bool {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := r.owner(func() error { r.s.endWait = cancel; return nil }); err != nil {
		return false // the session is closed
	}
	done := sleep(waiting, d)
	r.owner(func() error {
		r.s.endWait = nil
		if !done {
			if ctx.Err() == nil {
				r.failure = last.Answer.ErrorMessage // and nothing goes on by itself
			}
			r.s.emit(protocol.RetryEnded{Attempt: r.retries, FinalError: "Retry cancelled"})
		}
		return nil
	}) // else the session is closed
	return done
}

func errorOf(err error) *provider.Error {
	for err != nil {
		if e, ok := err.(*provider.Error); ok {
			return e
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return nil
		}
		err = u.Unwrap()
	}
	return nil
}

// hide takes a failed answer out of what the model sees. Owner's.
func (r *run) hide(last *agent.Turn) error {
	path := r.s.branch.Path()
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Role == message.Assistant {
			_, err := r.s.append(session.ContextEdit{Target: path[i].ID, Omit: true})
			r.failure, r.kind, r.advice = "", "", ""
			r.turns-- // a failed try is no turn
			return err
		}
	}
	return nil
}

// deliver says what is queued, all or one. Owner's.
func (r *run) deliver(q *[]queued, all bool) error {
	for len(*q) > 0 {
		m := (*q)[0]
		*q = (*q)[1:]
		r.s.taken = append(r.s.taken, m)
		r.s.emit(protocol.QueueChanged{Queue: r.s.queue()})
		if err := r.say(m); err != nil {
			return err
		}
		if !all {
			return nil
		}
	}
	return nil
}

// declare makes the path say what is in force. Owner's.
func (r *run) declare() error {
	s := r.s
	if err := s.settle(); err != nil {
		return err
	}
	p, err := s.branch.Project()
	if err != nil {
		return &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	s.seeCompaction(p)
	declared := s.spoken.declares(p)
	m, changed := prompt.Diff(declared, s.prompt)
	nothing := declared.Role != message.System && len(m.Sections)+len(m.ToolsAdded) == 0
	if !changed || nothing {
		return nil
	}
	m.Timestamp = time.Now().UnixMilli()
	_, err = r.record(m)
	return err
}

// step makes the next request. Owner's.
func (r *run) step() (*agent.Step, error) {
	s := r.s
	r.turns++
	p, err := s.branch.Project()
	if err != nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	var msgs []message.Message
	msgs, r.from = s.spoken.of(p)
	r.sent = r.without(provider.Request{Messages: msgs, Thinking: s.thinking, SessionID: s.id()})
	return &agent.Step{Model: s.model, Tools: s.tools, Request: r.sent, Around: r.guard(s.tools)}, nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
