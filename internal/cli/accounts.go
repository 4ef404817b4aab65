package cli

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// accounts adds up what the sessions of a store took.
type accounts struct{ store filestore.Store }

var _ control.Accounts = accounts{}

// Family adds up a session and its forks and clones.
func (a accounts) Family(ctx context.Context, file string) (session.Tally, int, error) {
	all, err := a.store.Bills(ctx, nil)
	if err != nil {
		return session.Tally{}, 0, err
	}
	same := filestore.Canonical()
	file = same(file)
	for _, f := range families(all, same) {
		if !slices.ContainsFunc(f, func(b filestore.Billed) bool { return same(b.Path) == file }) {
			continue
		}
		var sum session.Tally
		for _, b := range once(f) {
			sum.Add(b)
		}
		return sum, len(f), nil
	}
	return session.Tally{}, 0, nil
}

// Since adds up all sessions from a time on.
func (a accounts) Since(ctx context.Context, from time.Time) (session.Tally, error) {
	var sum session.Tally
	all, err := a.store.Bills(ctx, nil)
	if err != nil {
		return sum, err
	}
	// What was last touched before has nothing new, nor has a copy of it.
	all = slices.DeleteFunc(all, func(b filestore.Billed) bool { return !b.Touched.IsZero() && b.Touched.Before(from) })
	for _, f := range families(all, filestore.Canonical()) {
		for _, b := range once(f) {
			if !b.Time.Before(from) {
				sum.Add(b)
			}
		}
	}
	return sum, nil
}

// families puts sessions together that are copies of each other in part, in each
// family the oldest first.
func families(all []filestore.Billed, same func(string) string) [][]filestore.Billed {
	slices.SortFunc(all, func(a, b filestore.Billed) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Path, b.Path))
	})
	sums := make([]session.Summary, len(all))
	for i := range all {
		sums[i] = all[i].Summary
	}
	var out [][]filestore.Billed
	for _, members := range session.Families(sums, same) {
		f := make([]filestore.Billed, len(members))
		for k, i := range members {
			f[k] = all[i]
		}
		out = append(out, f)
	}
	return out
}

// once yields the bills of a family, of copies only that of the oldest session.
func once(family []filestore.Billed) iter.Seq2[*filestore.Billed, session.Bill] {
	return func(yield func(*filestore.Billed, session.Bill) bool) {
		counted := map[session.BillKey]bool{}
		for i := range family {
			for k, b := range family[i].Bills() {
				if counted[k] {
					continue
				}
				counted[k] = true
				if !yield(&family[i], b) {
					return
				}
			}
		}
	}
}
