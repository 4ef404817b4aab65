package tui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// What is left on the terminal is the conversation with its colors, and of a huge one
// its end, which says so.
func TestWhatIsLeft(t *testing.T) {
	for _, tt := range []struct {
		messages int
		has      []string
		hasNot   string
	}{
		{3, []string{"question 0", "question 2"}, "The end of the conversation"},
		{2000, []string{"The end of the conversation, 1000 rows.", "question 1999"}, "question 1 "},
	} {
		t.Run(fmt.Sprint(tt.messages), func(t *testing.T) {
			var events []protocol.Event
			parent := ""
			for i := range tt.messages {
				id := fmt.Sprintf("u%d", i)
				events = append(events, protocol.Appended{Entry: session.NewEntry(session.ID(id), session.ID(parent), time.Unix(0, 0), session.Message{Message: user(fmt.Sprintf("question %d \x1b[2J\x1b[H", i))})})
				parent = id
			}
			s := tuitest.Start(t, newPuppet(append(events, protocol.LeafMoved{New: "u0"}, protocol.LeafMoved{New: session.ID(parent)})...), 60, 20, func(o *tui.Options) { o.LeaveTranscript = true })
			s.Shows(fmt.Sprintf("question %d", tt.messages-1))
			s.Type("ctrl+d")
			if code, err := s.Ended(); code != 0 || err != nil {
				t.Errorf("code %d, %v", code, err)
			}
			_, end, _ := strings.Cut(s.Raw()[strings.LastIndex(s.Raw(), "\x1b[?1049l"):], "\x1b[?1049l")
			for _, want := range tt.has {
				if !strings.Contains(end, want) {
					t.Errorf("%q is not left", want)
				}
			}
			if strings.Contains(end, tt.hasNot) {
				t.Errorf("%q is left", tt.hasNot)
			}
			if n := strings.Count(end, "\n"); n > 1010 {
				t.Errorf("%d rows", n)
			}
			if moves := regexp.MustCompile(`\x1b\[[0-9;?]*[A-LSTd-lr-u]`).FindString(end); moves != "" {
				t.Errorf("the cursor is moved: %q", moves)
			}
		})
	}
}
