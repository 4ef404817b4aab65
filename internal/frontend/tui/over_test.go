package tui_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
)

// What stays on a terminal that scrolls by itself is the conversation, each row once,
// and nothing that is over with the program: no question, no work, no editor.
func TestWhatStaysOnTheTerminal(t *testing.T) {
	for _, height := range []int{14, 24} {
		t.Run(map[int]string{14: "low", 24: "high"}[height], func(t *testing.T) {
			w := tuitest.New(t, "")
			s := w.Start(80, height, func(o *tui.Options) { o.Regular = true })
			s.Type("first", "enter")
			s.Shows("Echo: first")
			s.Hides("Working")
			s.Type("run wait", "enter")
			s.Shows("waiting for the end", "Working")
			s.Type("ctrl+d")
			s.Shows("Leave all the same?", "Stop it and leave")
			s.Type("1")
			if code, err := s.Ended(); code != 0 || err != nil {
				t.Errorf("code %d, %v", code, err)
			}
			all := strings.Join(append(s.Terminal.History(), s.Terminal.Rows()...), "\n")
			for text, n := range map[string]int{"Echo: first": 1, "run wait": 1, "$ wait": 1, "Leave all": 0, "Stay": 0, "Working": 0, "stub-large": 0, "───": 0} {
				if got := strings.Count(all, text); got != n {
					t.Errorf("%q is there %d times, not %d:\n%s", text, got, n, all)
				}
			}
		})
	}
}
