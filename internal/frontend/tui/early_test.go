package tui_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// awaited is a session that is there when open is closed, or fails then.
type awaited struct {
	protocol.Client
	open chan struct{}
	err  error
}

func (c *awaited) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	<-c.open
	return c.Client.Do(ctx, cmd)
}

func (c *awaited) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		select {
		case <-c.open:
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		if c.err != nil {
			yield(nil, c.err)
			return
		}
		c.Client.Watch(ctx, after)(yield)
	}
}

func startAwaited(t *testing.T, w *tuitest.World, change ...func(*tui.Options)) (*tuitest.Screen, *awaited) {
	real := w.Connect("")
	c := &awaited{Client: real, open: make(chan struct{})}
	s := tuitest.Start(t, c, 80, 16, append(change, func(o *tui.Options) { o.Dir = "/home/me/project" })...)
	t.Cleanup(func() { s.End(); real.Close() })
	return s, c
}

// patient never finds that the session takes long, hasty does so at once.
func patient(d time.Duration) (<-chan time.Time, func()) {
	if d == 200*time.Millisecond {
		return nil, func() {}
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

func hasty(d time.Duration) (<-chan time.Time, func()) {
	if d == 200*time.Millisecond {
		d = 0
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

func TestTheScreenIsThereBeforeTheSession(t *testing.T) {
	s, c := startAwaited(t, tuitest.New(t, ""), func(o *tui.Options) { o.After = patient })
	s.Shows("bough 0.x", "~/project")
	s.Type("one", "left", "left", "X", "end")
	s.Shows("oXne")
	s.Type("enter", "two")
	s.Type("ctrl+c") // clears it, when its turn comes
	s.Type("three")
	s.Paste("four")
	if screen := s.String(); strings.Contains(screen, "stub-large") || strings.Contains(screen, "no model") || strings.Contains(screen, "two") {
		t.Errorf("before there is a session\n%s", screen)
	}
	close(c.open)
	s.Shows("stub-large", "threefour")
	s.Until("oXne is said", func(screen string) bool { return strings.Contains(screen, "\n oXne") })
}

func TestASlowSessionIsToldOfAndLeft(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		size       int64
		key        string
	}{
		{"of a file", "Reading 2.1 MB ... · esc leaves", 2 << 20, "escape"},
		{"a new one", "Starting ... · esc leaves", 0, "ctrl+c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := startAwaited(t, tuitest.New(t, ""), func(o *tui.Options) { o.Size, o.After = tt.size, hasty })
			s.Shows(tt.says)
			s.Type("a", tt.key)
			if code, err := s.Ended(); code != 0 || err != nil {
				t.Errorf("code %d, %v", code, err)
			}
		})
	}
}

func TestASessionThatDoesNotOpen(t *testing.T) {
	s, c := startAwaited(t, tuitest.New(t, ""), func(o *tui.Options) { o.After = patient })
	s.Shows("~/project")
	s.Type("lost", "enter")
	c.err = errors.New("the file is torn")
	close(c.open)
	if code, err := s.Ended(); code != 1 || err == nil || err.Error() != "the file is torn" {
		t.Errorf("code %d, %v", code, err)
	}
}

// Where the terminal keeps its own scrolling nothing is written twice.
func TestRegularModeBeforeTheSession(t *testing.T) {
	s, c := startAwaited(t, tuitest.New(t, ""), func(o *tui.Options) { o.Regular, o.After = true, patient })
	s.Shows("~/project")
	s.Type("hello")
	s.Shows("hello")
	close(c.open)
	s.Shows("stub-large", "hello", "bough 0.x")
	all := strings.Join(s.History(), "\n") + s.String()
	for _, once := range []string{"bough 0.x", "stub-large", "hello"} {
		if n := strings.Count(all, once); n != 1 {
			t.Errorf("%q stands there %d times\n%s", once, n, all)
		}
	}
	if strings.Contains(all, "~/project") {
		t.Errorf("the folder of before is left\n%s", all)
	}
}

// A draft of before is not lost to what is written before it is known.
func TestADraftAndWhatIsWrittenBefore(t *testing.T) {
	s, c := startAwaited(t, tuitest.New(t, ""), func(o *tui.Options) {
		o.After, o.Drafts = patient, allDrafts("of yesterday")
	})
	s.Type("of today")
	s.Shows("of today")
	close(c.open)
	s.Shows("of yesterday", "of today", "stub-large")
}

// allDrafts is a draft at the start of every session.
type allDrafts string

func (d allDrafts) Load(string) (map[session.ID]string, error) {
	return map[session.ID]string{"": string(d)}, nil
}
func (allDrafts) Save(string, map[session.ID]string) error { return nil }

// Whatever befalls the terminal before the session is there ends well.
func TestTheTerminalBeforeTheSession(t *testing.T) {
	s, _ := startAwaited(t, tuitest.New(t, ""), func(o *tui.Options) { o.After = patient })
	s.Shows("~/project")
	s.Type("a line that is longer than forty columns are", "/tree", "enter", "up", "down", "pageUp", "tab")
	s.Resize(40, 10)
	s.Shows("columns are/tree", "~/project")
	s.Send("\x1b[<0;3;3M\x1b[<0;9;3m\x1b[<64;3;3M") // a click and the wheel
	s.Resize(20, 3)
	s.Resize(80, 16)
	s.Shows("~/project", "a line that is longer than forty columns are/tree")
	if code, err := s.End(); code != 129 || err != nil {
		t.Errorf("the terminal is gone: code %d, %v", code, err)
	}
}
