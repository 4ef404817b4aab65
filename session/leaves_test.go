package session

import (
	"math/rand/v2"
	"testing"
)

// The ends of branches are those entries that say something and have nothing below
// them that does.
func TestTipsAreWhereNothingIsSaidBelow(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 23))
		tr := tree(t, grow(r, 1+r.IntN(60), false)...)
		below := map[ID][]ID{} // what is said next below an entry
		last := map[ID]ID{}    // bookkeeping below it
		above := func(e *Entry) *Entry {
			for e = tr.Parent(e.ID); e != nil && !e.Speaks(); {
				e = tr.Parent(e.ID)
			}
			return e
		}
		for e := range tr.All() {
			if up := above(e); up != nil && e.Speaks() {
				below[up.ID] = append(below[up.ID], e.ID)
			} else if up != nil {
				last[up.ID] = e.ID
			}
		}
		want := map[ID]bool{}
		for e := range tr.All() {
			if e.Speaks() && len(below[e.ID]) == 0 {
				want[e.ID] = true
			}
		}
		tips := tr.Snapshot().Tips()
		if len(tips) != len(want) {
			t.Fatalf("seed %d: %d tips, want %d", seed, len(tips), len(want))
		}
		for i, tip := range tips {
			id := tip.Entry.ID
			path := tr.Path(id)
			said := 0
			for _, e := range path {
				if e.Type == TypeMessage {
					said++
				}
			}
			fork := ID("")
			for e := above(tip.Entry); e != nil && fork == ""; e = above(e) {
				if len(below[e.ID]) > 1 {
					fork = e.ID
				}
			}
			at := last[id]
			if at == "" {
				at = id
			}
			if !want[id] || tip.Depth != len(path) || tip.Messages != said || tip.Fork != fork || tip.Last.ID != at {
				t.Fatalf("seed %d: tip %s has depth %d, %d messages, fork %q, last %s; want %d, %d, %q, %s",
					seed, id, tip.Depth, tip.Messages, tip.Fork, tip.Last.ID, len(path), said, fork, at)
			}
			if i > 0 && tips[i-1].Last.Time.Before(tip.Last.Time) {
				t.Fatalf("seed %d: tip %s stands behind an older one", seed, id)
			}
		}
	}
}

// Damaged sessions have tips too, and each stands there once.
func TestTipsOfDamagedSessions(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 24))
		tr := tree(t, grow(r, 60, true)...)
		seen := map[ID]bool{}
		for _, tip := range tr.Tips() {
			if seen[tip.Entry.ID] || !tip.Entry.Speaks() {
				t.Fatalf("seed %d: %s stands there twice, or says nothing", seed, tip.Entry.ID)
			}
			seen[tip.Entry.ID] = true
		}
	}
}
