package tui_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// shelf keeps drafts in memory.
type shelf struct {
	mu   sync.Mutex
	kept map[string]map[session.ID]string // guarded by mu
	full bool                             // and nothing more can be kept; guarded by mu
}

func (s *shelf) Load(id string) (map[session.ID]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.kept[id]), nil
}

func (s *shelf) Save(id string, drafts map[session.ID]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return errors.New("keep the draft: no space left on device")
	}
	if s.kept == nil {
		s.kept = map[string]map[session.ID]string{}
	}
	if s.kept[id] == nil {
		s.kept[id] = map[session.ID]string{}
	}
	for at, text := range drafts {
		if s.kept[id][at] = text; text == "" {
			delete(s.kept[id], at)
		}
	}
	return nil
}

// What was typed and not sent stays where it was typed, and is there again after a
// restart.
func TestDraftsStayWhereTheyWereTyped(t *testing.T) {
	w := tuitest.New(t, "")
	drafts := &shelf{}
	keep := func(o *tui.Options) { o.Drafts = drafts }
	c := w.Connect("")
	defer c.Close()
	s := tuitest.Start(t, c, 80, 24, keep)
	s.Shows("stub-large")
	s.Type("first", "enter")
	s.Shows("Echo: first")
	s.Hides("Working")
	s.Type("second", "enter")
	s.Shows("Echo: second")
	s.Hides("Working")
	s.Type("/branch 2", "enter") // behind the first answer
	s.Hides("Echo: second")
	s.Type("half a thought")
	s.Shows("half a thought")
	s.Type("alt+[") // back
	s.Shows("Echo: second")
	s.Hides("half a thought")
	s.Type("another thought")
	s.Shows("another thought")
	s.Type("alt+]")
	s.Hides("another thought")
	s.Shows("half a thought")
	s.End()

	s = tuitest.Start(t, c, 80, 24, keep)
	defer s.End()
	s.Shows("Echo: first", "half a thought")
	s.Type("enter")
	s.Shows("Echo: half a thought")
	s.Hides("Working")
	s.Type("alt+[", "alt+[")
	s.Shows("another thought")
}

func TestPromptsOfBefore(t *testing.T) {
	w := tuitest.New(t, "")
	said := make(chan string, 1)
	s := w.Start(80, 24, func(o *tui.Options) {
		o.History = []string{"long ago", "yesterday"}
		o.Remember = func(p string) error { said <- p; return nil }
	})
	s.Type("up", "up")
	s.Shows("long ago")
	s.Type("enter")
	s.Shows("Echo: long ago")
	if p := <-said; p != "long ago" {
		t.Errorf("%q was kept", p)
	}
}

// A file of an image that is dropped on the terminal goes with the message.
func TestImagesAreDropped(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, func(o *tui.Options) {
		o.Image = func(_ context.Context, path string) (*message.Block, error) {
			if path != "/tmp/my image.png" {
				t.Errorf("path %q", path)
			}
			b := message.Image([]byte("abc"), "image/png")
			return &b, nil
		}
	})
	s.Paste(`/tmp/my\ image.png`)
	s.Shows("[image #1 3 B]")
	s.Paste("/tmp/my notes.md")
	s.Shows("/tmp/my notes.md")
	s.Type("ctrl+a")
	s.Type("look at ")
	s.Type("enter")
	s.Shows("Echo: look at", "[image png")
}

// Who comes to a tool that runs sees what it has said.
func TestComingLate(t *testing.T) {
	w := tuitest.New(t, "")
	c := w.Connect("")
	defer c.Close()
	s := tuitest.Start(t, c, 80, 24)
	s.Shows("stub-large")
	s.Type("run wait", "enter")
	s.Shows("waiting for the end")
	other := tuitest.Start(t, c, 80, 24)
	other.Shows("$ wait", "waiting for the end", "Working")
	other.Type("escape")
	other.Shows("Stopped")
	other.End()
	s.End()
}

// A draft that could not be kept is kept once it can, at the latest at the end; so is
// that there is none any more.
func TestDraftsThatCouldNotBeKept(t *testing.T) {
	for _, tt := range []struct {
		name, was string
		types     []string
		want      string
	}{
		{"a text", "", []string{"not sent"}, "not sent"},
		{"none any more", "of yesterday", []string{"ctrl+u"}, ""},
		{"another one", "of yesterday", []string{"ctrl+u", "of today"}, "of today"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPuppet()
			drafts := &shelf{full: true, kept: map[string]map[session.ID]string{"puppet": {}}}
			if tt.was != "" {
				drafts.kept["puppet"][""] = tt.was
			}
			s := tuitest.Start(t, p, 80, 24, func(o *tui.Options) { o.Drafts, o.After = drafts, atOnce })
			s.Shows("no model", tt.was)
			s.Type(tt.types...)
			s.Shows("no space left on device")
			drafts.mu.Lock()
			drafts.full = false
			drafts.mu.Unlock()
			s.End()
			if got := drafts.kept["puppet"][""]; got != tt.want {
				t.Errorf("%q is kept, want %q", got, tt.want)
			}
		})
	}
}

// atOnce is a clock whose every wait is over.
func atOnce(time.Duration) (<-chan time.Time, func()) {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c, func() {}
}
