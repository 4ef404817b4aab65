package tui_test

import (
	"strings"
	"testing"
	"time"
)

// What a key is said to do when it is pressed again, it does as long as that is said,
// and no longer.
func TestPressedAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first string
		says  string
		then  string // pressed in between
		after time.Duration
		again bool
	}{
		{"ctrl+c at once", "ctrl+c", "ctrl+c again quits", "", 0, true},
		{"ctrl+c after it was read", "ctrl+c", "ctrl+c again quits", "", 3 * time.Second, true},
		{"ctrl+c when it is over", "ctrl+c", "ctrl+c again quits", "", 5 * time.Second, false},
		{"ctrl+c after a letter", "ctrl+c", "ctrl+c again quits", "x", time.Second, false},
		{"escape after it was read", "escape", "esc again: /tree", "", 3 * time.Second, true},
		{"escape when it is over", "escape", "esc again: /tree", "", 5 * time.Second, false},
		{"escape after a letter and none", "escape", "esc again: /tree", "x backspace", time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, atHome(scene{session: told}), 80, 24, 0, func(s *stage) {
				s.play(tt.first)
				s.Shows(tt.says)
				for _, k := range strings.Fields(tt.then) {
					s.play(k)
					s.Hides(tt.says)
				}
				time.Sleep(tt.after)
				s.settle()
				if tt.after > 4*time.Second {
					s.Hides(tt.says)
				}
				s.play(tt.first)
				switch {
				case !tt.again && tt.then == "x": // which is cleared
					s.Hides("again")
					s.play("y")
					s.Shows("y")
				case !tt.again:
					s.Shows(tt.says)
				case tt.first == "escape":
					s.Shows("Session tree")
				default:
					if code, err := s.Ended(); code != 0 || err != nil {
						t.Errorf("code %d, %v", code, err)
					}
				}
			})
		})
	}
}
