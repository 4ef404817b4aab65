package tui_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
)

// How the tree looks outlives the program.
func TestLookOfTheTree(t *testing.T) {
	for _, kept := range []string{"", "user-only turns 1", "user-only spine 9", "nosuch spine 0", "all nosuch 0", "all spine", "\x00"} {
		t.Run(kept, func(t *testing.T) {
			var saved string
			s, _ := look(t, 100, 24, counter(), func(o *tui.Options) {
				o.TreeLook = func(string) string { return kept }
				o.KeepTreeLook = func(session, look string) error { saved = session + ": " + look; return nil }
			})
			s.Shows("root now")
			s.Type("/tree\r")
			want := "layout: spine"
			if kept == "user-only turns 1" {
				want = "layout: turns"
			}
			s.Shows(want)
			s.Type("ctrl+o")
			s.Until("the next filter", func(screen string) bool {
				return strings.Contains(screen, "[no-tools]") || strings.Contains(screen, "[labeled-only]")
			})
			s.Type("escape")
			s.End()
			if want := map[bool]string{true: "puppet: no-tools spine 0", false: "puppet: labeled-only spine 1"}[kept != "user-only turns 1"]; saved != want {
				t.Errorf("%q is kept, want %q", saved, want)
			}
		})
	}
}

// With treeEnter set to ask, Enter asks also who does not want to be asked for a summary.
func TestTreeAsks(t *testing.T) {
	yes := func() bool { return true }
	s, p := look(t, 100, 24, counter(), func(o *tui.Options) { o.TreeAsks, o.SkipSummary = yes, yes })
	s.Shows("root now")
	s.Type("/tree\r")
	s.Shows("you are here")
	s.Type("up", "up", "up", "up", "enter")
	s.Shows("New session from there", "Only read it")
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, done := range p.done {
		if done == "navigate" {
			t.Error("it went there unasked")
		}
	}
}
