package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
)

// mouse is what a terminal sends of the left button: 0 pressed, 32 moved.
func mouse(s *tuitest.Screen, code, x, y int, end string) {
	s.Send(fmt.Sprintf("\x1b[<%d;%d;%d%s", code, x+1, y+1, end))
}

func drag(s *tuitest.Screen, x, y, toX, toY int) {
	mouse(s, 0, x, y, "M")
	mouse(s, 32, toX, toY, "M")
	mouse(s, 0, toX, toY, "m")
}

// where finds a text on the screen.
func where(t *testing.T, s *tuitest.Screen, text string) (x, y int) {
	t.Helper()
	s.Shows(text)
	for y, row := range s.Rows() {
		if before, _, ok := strings.Cut(row, text); ok {
			return tuitest.Width(before), y
		}
	}
	t.Fatalf("%q went away", text)
	return 0, 0
}

func copying(copied chan string) func(*tui.Options) {
	return func(o *tui.Options) {
		o.CopyOnSelect = true
		o.Copy = func(text string) error { copied <- text; return nil }
	}
}

const longAnswer = `{"rules":[{"when":{"user":"go"},"reply":{"text":"The quick brown fox jumps over the lazy dog and runs away into the deep forest.\n\n- an item that is long enough to be broken into more than one row\n\n世界你好世界你好世界你好世界你好世界你好世界你好\n\n    code that is far too long for the row it stands in, xyz"}}]}`

// What is marked is copied as it was said, without the breaks of the width.
func TestSelectionIsTheText(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{"within a row", "quick", "brown", "quick brown"},
		{"backwards", "lazy", "fox", "x jumps over the l"},
		{"over a break", "fox", "dog", "fox jumps over the lazy dog"},
		{"an item", "an item", "one row", "an item that is long enough to be broken into more than one row"},
		{"two blocks", "deep", "an item", "deep forest.\n\n• an item"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tuitest.New(t, longAnswer)
			copied := make(chan string, 1)
			s := w.Start(40, 40, copying(copied))
			s.Type("go", "enter")
			s.Shows("stands in, xyz")
			x, y := where(t, s, tt.from)
			toX, toY := where(t, s, tt.to)
			drag(s, x, y, toX+tuitest.Width(tt.to)-1, toY)
			if got := <-copied; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestSelectionOfWideCharactersAndCode(t *testing.T) {
	w := tuitest.New(t, longAnswer)
	copied := make(chan string, 1)
	s := w.Start(40, 40, copying(copied))
	s.Type("go", "enter")
	s.Shows("stands in, xyz")
	x, y := where(t, s, "世界你好")
	drag(s, x+1, y, x+6, y) // from the middle of one to the middle of another
	if got := <-copied; got != "世界你好" {
		t.Errorf("%q", got)
	}
	drag(s, x, y, 3, y+1)
	if got, want := <-copied, "世界你好世界你好世界你好世界你好世界你好世界"[:len("世")*19]; !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
	x, y = where(t, s, "code that")
	toX, toY := where(t, s, "xyz")
	drag(s, x, y, toX+2, toY)
	if got, want := <-copied, "code that is far too long for the row it stands in, xyz"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSelectionCopiesOnlyIfItIsTo(t *testing.T) {
	w := tuitest.New(t, "")
	copied := make(chan string, 1)
	s := w.Start(80, 24, copying(copied), func(o *tui.Options) { o.CopyOnSelect = false })
	s.Type("hello you", "enter")
	x, y := where(t, s, "Echo: hello you")
	drag(s, x, y, x+3, y)
	s.Shows("ctrl+x copies it")
	s.Type("ctrl+x")
	if got := <-copied; got != "Echo" {
		t.Errorf("%q", got)
	}
	s.Type("ctrl+x") // nothing is marked any more: the answer
	if got := <-copied; got != "Echo: hello you" {
		t.Errorf("%q", got)
	}
}

func TestScrollbar(t *testing.T) {
	bar := func(s *tuitest.Screen) string {
		var b strings.Builder
		for _, row := range s.Rows() {
			if r := []rune(row); len(r) == 40 && (r[39] == '█' || r[39] == '│') {
				b.WriteRune(r[39])
			}
		}
		return b.String()
	}
	w := tuitest.New(t, "")
	s := w.Start(40, 20)
	for i := range 6 {
		s.Type(fmt.Sprintf("question %d", i), "enter")
		s.Shows(fmt.Sprintf("Echo: question %d", i))
	}
	if b := bar(s); b != "" {
		t.Errorf("a bar at the end: %q", b)
	}
	s.Type("pageUp")
	s.Until("a bar in the middle", func(string) bool {
		b := bar(s)
		return strings.Contains(b, "█") && strings.HasSuffix(b, "│")
	})
	mouse(s, 0, 39, 0, "M") // to the start
	mouse(s, 0, 39, 0, "m")
	s.Shows("question 0")
	s.Until("a bar at the top", func(string) bool { return strings.HasPrefix(bar(s), "█") })
	mouse(s, 0, 39, 14, "M")
	mouse(s, 0, 39, 14, "m")
	s.Shows("Echo: question 5")
	s.Until("no bar", func(string) bool { return bar(s) == "" })
}
