package filestore

import (
	"context"
	"iter"

	"github.com/boughdev/bough/session"
)

// Billed is a session and what it took.
type Billed struct {
	session.Summary

	dump string
}

// Bills yields what was paid for, in the order of the log. The keys are equal for
// copies of an entry in forks and clones.
func (b Billed) Bills() iter.Seq2[session.BillKey, session.Bill] { return session.BillsOf(b.dump) }

// Bills returns what all sessions of the store took, in no order. It has a cache of its
// own, so that lists need not carry the bills. progress, if not nil, is told now and
// then how many files of those that have changed were read.
func (s Store) Bills(ctx context.Context, progress func(read, of int)) ([]Billed, error) {
	dirs, err := s.projects()
	if err != nil {
		return nil, err
	}
	l := s.lister(dirs, true, bills)
	l.look(ctx)
	stales, read := 0, 0
	for i := range l.files {
		if l.files[i].state == stale {
			stales++
		}
	}
	l.scan(ctx, func(*listed) bool {
		if read++; progress != nil {
			progress(read, stales)
		}
		return true
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.keep()
	all := make([]Billed, 0, len(l.files))
	for i := range l.files {
		f := &l.files[i]
		if sum, ok := l.summary(f); ok {
			all = append(all, Billed{sum, f.row.dump})
		}
	}
	return all, nil
}
