package control

import (
	"context"
	"errors"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// compactNow makes a compaction that somebody asked for. A run is stopped for it.
// What is queued while it goes on is said after it, unless it comes to nothing.
func (s asked) compactNow(ctx context.Context, c protocol.Compact) (protocol.Compacted, error) {
	if _, err := owned(ctx, s, func() (protocol.None, error) {
		if s.op != nil && s.op.summing {
			return protocol.None{}, s.atRest()
		}
		return protocol.None{}, nil
	}); err != nil {
		return protocol.Compacted{}, err
	}
	if err := s.abort(ctx); err != nil {
		return protocol.Compacted{}, err
	}
	work, cancel := context.WithCancel(s.ctx)
	op := &operation{cancel: cancel, done: make(chan struct{}), summing: true, compacts: true, by: s.by}
	if _, err := owned(ctx, s, func() (protocol.None, error) {
		err := s.atRest()
		if err == nil {
			s.op = op
			s.spent.beginRun()
		}
		return protocol.None{}, err
	}); err != nil {
		cancel()
		return protocol.Compacted{}, err
	}
	var (
		done *protocol.Compacted
		err  error
	)
	go func() {
		done, err = s.compact(work, protocol.Manual, c.Instructions, false)
		s.owner(func() error {
			s.op = nil
			cancel()
			s.recordHeld()
			if err == nil && op.queued && len(s.steering)+len(s.followUp) > 0 {
				if _, err := s.sendQueue(); err != nil {
					s.note("warning", "%v", err)
				}
			}
			close(op.done)
			return nil
		}) // else the session is closed
	}()
	select {
	case <-op.done:
	case <-s.ended:
		return protocol.Compacted{}, protocol.ErrClosed
	case <-ctx.Done():
		return protocol.Compacted{}, ctx.Err() // the work goes on
	}
	switch {
	case errors.Is(err, context.Canceled):
		return protocol.Compacted{}, &protocol.Error{Code: protocol.Cancelled, Text: "Compaction cancelled", Err: err}
	case err != nil && protocol.CodeOf(err) == "":
		return protocol.Compacted{}, &protocol.Error{Code: protocol.NotRunnable, Text: compactionFailure(err), Err: err}
	case err != nil:
		return protocol.Compacted{}, err
	}
	return *done, nil
}

// editSummary puts another summary beside that of a compaction. Owner's.
func (s *Session) editSummary(c protocol.EditSummary) (session.ID, error) {
	if err := s.atRest(); err != nil {
		return "", err
	}
	text := session.TrimSpace(c.Text)
	if text == "" {
		return "", protocol.Fail(protocol.BadRequest, "A summary without words is none. /uncompact stands before the compaction.")
	}
	tree := s.live.Tree()
	e := tree.Get(c.Entry)
	if e == nil {
		return "", protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", c.Entry)
	}
	body, err := e.Body()
	if err != nil {
		return "", &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	old, ok := body.(session.Compaction)
	if !ok {
		return "", protocol.Fail(protocol.BadRequest, "Only the summary of a compaction can be said anew.")
	}
	var before session.ID
	if p := tree.Parent(e.ID); p != nil {
		before = p.ID
	}
	was := s.branch.Leaf()
	if err := s.moveTo(before); err != nil {
		return "", err
	}
	if old.FirstKept == e.ID {
		old.FirstKept = "" // nothing
	}
	s.visited(was)
	old.Summary, old.Usage = text, nil // it was paid for once
	added, err := s.append(old)
	if err != nil {
		return "", err
	}
	return added.ID, nil
}
