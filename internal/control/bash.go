package control

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// bash is a command of the user that is running.
type bash struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// bash runs a command of the user. Its result is recorded at once, or, while a
// run goes on, when that has ended. Who no longer waits for it does not end it.
func (s asked) bash(ctx context.Context, c protocol.Bash) (protocol.BashResult, error) {
	if strings.ContainsRune(c.Command, 0) {
		return protocol.BashResult{}, protocol.Fail(protocol.BadRequest, "A command of the shell cannot hold a character of the value 0.")
	}
	work, cancel := context.WithCancel(s.ctx)
	b := &bash{cancel, make(chan struct{})}
	var (
		r      protocol.BashResult // with failed, to be read when b is done
		failed error
	)
	if err := s.do(ctx, func() {
		s.bashes[b] = struct{}{}
		setup := s.setup
		s.emit(protocol.BashStarted{ID: c.ID, Command: c.Command})
		s.work.Go(func() {
			defer cancel()
			defer close(b.done)
			r, failed = s.runBash(work, setup, b, c)
		})
	}); err != nil {
		return protocol.BashResult{}, err
	}
	select {
	case <-b.done:
		return r, failed
	case <-ctx.Done():
		return protocol.BashResult{}, ctx.Err()
	}
}

func (s asked) runBash(ctx context.Context, setup Setup, b *bash, c protocol.Bash) (protocol.BashResult, error) {
	r, err := setup.Shell(ctx, c.Command, func(delta string) {
		s.post(func() { s.emit(protocol.BashOutput{ID: c.ID, Delta: delta}) })
	})
	if err != nil && protocol.CodeOf(err) == "" && s.ctx.Err() == nil {
		err = &protocol.Error{Code: protocol.IO, Text: fmt.Sprintf("run the command: %v", err), Err: err}
	}
	derr := s.do(context.WithoutCancel(ctx), func() {
		delete(s.bashes, b)
		if err == nil {
			err = s.keepBash(c, r)
		}
	})
	if err == nil {
		err = derr
	}
	return r, err
}

// keepBash records a command's result. Owner's.
func (s *Session) keepBash(c protocol.Bash, r protocol.BashResult) error {
	m := message.Message{Role: message.Bash, Command: c.Command, Output: r.Output, ExitCode: r.ExitCode, Cancelled: r.Cancelled,
		Truncated: r.Truncated, FullOutputPath: r.FullOutputPath, ExcludeFromContext: c.ExcludeFromContext, Timestamp: time.Now().UnixMilli()}
	if s.op != nil {
		s.held = append(s.held, m)
		return nil
	}
	_, err := s.append(session.Message{Message: m})
	return err
}

// recordHeld records what waited for the end of a run. Owner's.
func (s *Session) recordHeld() {
	for _, m := range s.held {
		if _, err := s.append(session.Message{Message: m}); err != nil {
			s.note("error", "The result of %q could not be recorded: %v", m.Command, err)
		}
	}
	s.held = nil
}

// abortBash cancels the user's commands.
func (s *Session) abortBash(ctx context.Context) error {
	return s.do(ctx, func() {
		for b := range s.bashes {
			b.cancel()
		}
	})
}

// endBash cancels the user's commands and waits until their results are recorded.
func (s *Session) endBash(ctx context.Context) {
	var going []*bash
	// Of one that is closed there is nothing to wait for.
	_ = s.do(ctx, func() {
		for b := range s.bashes {
			b.cancel()
			going = append(going, b)
		}
	})
	for _, b := range going {
		select {
		case <-b.done:
		case <-ctx.Done():
		}
	}
}
