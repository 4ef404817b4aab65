package control

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Accounts tells what other sessions took. Its methods are called from any goroutine
// and may take a while.
type Accounts interface {
	// Family adds up the session in a file and its forks and clones, each model call
	// counted once, and says how many sessions they are.
	Family(ctx context.Context, file string) (session.Tally, int, error)

	// Since adds up all sessions from a time on, each model call counted once.
	Since(ctx context.Context, from time.Time) (session.Tally, error)
}

// stats counts what the session holds and took.
func (s *Session) stats(ctx context.Context) (protocol.Stats, error) {
	var out protocol.Stats
	tree, leaf, err := s.snapshot(ctx, func() { out.Context = s.contextUse() })
	if err != nil {
		return out, err
	}
	a, err := tree.Account(leaf)
	if err != nil {
		return out, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	out.Stats, out.Shares, out.Branch, out.Rebilled, out.Unpriced = a.Stats, a.Shares, a.Branch, a.Rebilled, a.All.Unpriced
	return out, nil
}

// snapshot returns the tree and the leaf as they are now, for a goroutine that may
// take its time. more is called by the owner.
func (s *Session) snapshot(ctx context.Context, more func()) (tree *session.Tree, leaf session.ID, err error) {
	err = s.do(ctx, func() {
		tree, leaf = s.live.Tree().Snapshot(), s.branch.Leaf()
		more()
	})
	return tree, leaf, err
}

// cost adds up what model calls took.
func (s *Session) cost(ctx context.Context, c protocol.GetCost) (protocol.Cost, error) {
	var (
		out  protocol.Cost
		file string
		ferr error
	)
	tree, leaf, err := s.snapshot(ctx, func() {
		file = s.path()
		out.Next, ferr = s.forecast()
	})
	if err == nil {
		err = ferr
	}
	if err != nil || c.NextOnly {
		return out, err
	}
	fail := func(err error) (protocol.Cost, error) {
		return out, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	var turn []*session.Entry
	for e := tree.Get(leaf); e != nil && len(turn) < tree.Size(); e = tree.Parent(e.ID) {
		turn = append(turn, e)
		if e.Role == message.User {
			break
		}
	}
	slices.Reverse(turn)
	if out.Turn, err = session.TallyOf(slices.Values(turn)); err != nil {
		return fail(err)
	}
	a, err := tree.Account(leaf)
	if err != nil {
		return fail(err)
	}
	out.Branch, out.Session, out.Rebilled = a.Branch, a.All, a.Rebilled
	if c.Others && s.opts.Accounts != nil {
		family, n, err := s.opts.Accounts.Family(ctx, file)
		if err != nil {
			return fail(fmt.Errorf("add up the forks: %w", err))
		}
		if n == 0 { // it is not in a file
			family, n = out.Session, 1
		}
		out.Family, out.Members = &family, n
		today, err := s.opts.Accounts.Since(ctx, midnight(time.Now()))
		if err != nil {
			return fail(fmt.Errorf("add up the day: %w", err))
		}
		out.Today = &today
	}
	out.Budget, err = s.budgets(ctx)
	return out, err
}

// midnight is when the day of a time began, where the user is.
func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}
