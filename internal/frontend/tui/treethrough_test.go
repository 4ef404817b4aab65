package tui

import (
	"fmt"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// On however many processors a tree is looked through, each entry is looked at once
// and the same is found.
func TestATreeIsLookedThroughInParts(t *testing.T) {
	tree := session.NewTree()
	parent := session.ID("")
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 3*soughtAtOnce + 17 {
		e := session.NewEntry(session.ID(fmt.Sprintf("e%07d", i)), parent, now, session.Message{Message: message.Message{
			Role: message.User, Content: []message.Block{message.Text(fmt.Sprintf("word %d.", i%100))}}})
		if i%5000 == 7 {
			e = session.NewEntry(e.ID, parent, now, session.Label{Target: parent, Text: "a mark"})
		}
		tree.Add(e)
		parent = e.ID
	}
	for _, text := range []string{"word 7.", "nowhere", "mark", "label:mark word", "word", "tool:read"} {
		w, err := readQuery(text, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, among := range []map[session.ID]*hitText{nil, {"e0000007": nil, "e0000008": nil, "e0010006": nil, "e0024000": nil}} {
			want := map[session.ID]bool{}
			finder, needle := search.NewFinder(w.Options), search.NewNeedle(w.Label)
			for e := range tree.Log() {
				if _, in := among[e.ID]; among != nil && !in {
					continue
				}
				if _, ok := w.in(finder, tree, e, needle); ok {
					want[e.ID] = true
				}
			}
			seen, texts, got := 0, 0, map[session.ID]bool{}
			for some := range w.through(t.Context(), tree, among, true) {
				seen += some.seen
				for id, text := range some.hits {
					if got[id] || !want[id] {
						t.Fatalf("%q: %s, twice %v", text, id, got[id])
					}
					got[id] = true
					if text != nil {
						texts++
					}
				}
			}
			if len(got) != len(want) || seen != tree.Size() || texts != min(len(want), mostTexts) {
				t.Errorf("%q among %d: %d, want %d; %d of %d entries seen; %d with texts", text, len(among), len(got), len(want), seen, tree.Size(), texts)
			}
		}
	}
}
