package rpc

import (
	"context"
	"slices"
	"strconv"

	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// firstName is the name of the view that a client begins with.
const firstName = "v1"

// maxWaiting is how many bytes of events a view that was subscribed may have to
// tell before its client is held to be dead (docs/spec/rpc.md 14.6).
const maxWaiting = 64 << 20

// window is a view as a client has it: a session, and where it stands there.
type window struct {
	s       *server
	name    string // "v1"
	c       protocol.Client
	release func() // gives the session up, which ends the stream

	ready chan struct{} // closed when the session's state is known
	ended chan struct{} // closed when all its events are written
	ahead chan struct{} // closed when the last compaction is over; the reader's

	// What follows is guarded by s.mu.
	waiting []event // to be written
	weight  int     // of those, in bytes
	bounded bool    // they may not be more than maxWaiting
	closing bool    // it takes no commands any more
	over    bool    // it is gone
	err     error   // why its stream has ended
	first   opened  // how it was when it was opened
	answers map[string]answer
	order   []string          // of answers, as they were asked for; some are written
	asking  bool              // something that a run may begin with is being handed over
	prompts int               // that runs began with
	started []prompt          // prompts that runs began with, not yet told of
	file    string            // of the session, "" if it is kept in memory
	words   map[string]string // modes that there are none of, as they were set
	forking bool              // it goes over to a copy
	sent    []*sent           // commands that are not known to run yet

	// What follows is the writer's.
	wire    protocol.Wire
	view    view.View
	paths   *session.Projector
	counter session.Counter
	model   struct { // the last that was told of
		of   *provider.Info
		json []byte
	}
	policy     protocol.Policy // at the last sync
	compacting bool
	accepted   []answer // of prompts whose run has not begun to talk
	level      level
	seq        int64 // of the records of a subscription
	told       bool  // its first state is known
	finished   bool  // its stream has come to endID

	// Of the session that was left last, and how.
	wasID  string
	wasAt  session.ID
	reason string
}

// event is one that waits, and about how many bytes it has.
type event struct {
	protocol.Event
	size int
}

// opened is what the client is told of a view that it has opened.
type opened struct {
	protocol.Opened
	leaf session.ID
}

// prompt is one that a run began with.
type prompt struct {
	number int
	answer answer
}

// add begins a view and follows it.
func (s *server) add(c protocol.Client, release func()) *window {
	ctx, unwatch := context.WithCancel(s.watching)
	if release == nil {
		release = unwatch
	}
	w := &window{s: s, c: c, release: release, ready: make(chan struct{}), ended: make(chan struct{}),
		answers: map[string]answer{}, words: map[string]string{}}
	s.mu.Lock()
	s.opened++
	w.name = "v" + strconv.Itoa(s.opened)
	s.views = append(s.views, w)
	s.mu.Unlock()
	go func() {
		defer unwatch()
		w.follow(ctx)
	}()
	return w
}

// all returns the views there are.
func (s *server) all() []*window {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.views)
}

// here is the attached view.
func (s *server) here() *window {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attached
}

// view returns the view of a name, if it takes commands.
func (s *server) view(name string) (*window, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.views {
		if w.name == name && w.takes() {
			return w, nil
		}
	}
	return nil, unknownView(name)
}

// takes reports whether a view takes commands: before its stream has begun there is
// no place to answer them at. s.mu is held.
func (w *window) takes() bool {
	select {
	case <-w.ready:
		return !w.closing
	default:
		return false
	}
}

func unknownView(name string) error {
	return protocol.Fail(UnknownView, "There is no view %q. list_views tells which there are.", name)
}

// closeViews gives up the sessions of the views that were opened.
func (s *server) closeViews() {
	done := make(chan struct{})
	views := slices.DeleteFunc(s.all(), func(w *window) bool { return w.name == firstName })
	for _, w := range views {
		go func() {
			w.release()
			done <- struct{}{}
		}()
	}
	for range views {
		<-done
	}
}

// follow takes the events of a view as they come.
func (w *window) follow(ctx context.Context) {
	err := error(protocol.ErrClosed)
	for ev, werr := range w.c.Watch(ctx, 0) {
		if werr != nil {
			err = werr
			break
		}
		if !w.put(ev) {
			return
		}
	}
	w.s.mu.Lock()
	w.err, w.closing, w.sent = err, true, nil
	w.s.cond.Broadcast()
	w.s.mu.Unlock()
	w.s.ring()
}

// put keeps an event for the writer. It returns false when no more are wanted.
func (w *window) put(ev protocol.Event) bool {
	s := w.s
	size := protocol.Weight(ev)
	s.mu.Lock()
	w.note(ev)
	merged := false
	if n := len(w.waiting); n > 0 {
		last := &w.waiting[n-1]
		if sum, ok := protocol.Merge(last.Event, ev); ok {
			all := protocol.Weight(sum)
			w.weight += all - last.size
			*last, merged = event{sum, all}, true
		}
	}
	if !merged {
		w.waiting = append(w.waiting, event{ev, size})
		w.weight += size
	}
	wanted := s.tardy == nil
	if wanted && w.bounded && w.weight > maxWaiting {
		s.tardy, wanted = w, false
		close(s.slow)
	}
	if !wanted {
		w.waiting, w.weight = nil, 0
	}
	s.mu.Unlock()
	s.ring()
	return wanted
}

// note takes what others than the writer go by. s.mu is held.
func (w *window) note(ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.Opened:
		if w.first.Header.ID == "" {
			w.first.Opened = e
		}
	case protocol.State:
		select {
		case <-w.ready:
		default:
			w.first.leaf = e.Leaf
			close(w.ready)
		}
	case protocol.BashStarted:
		w.found(shellLag, e.ID)
	case protocol.CompactionStarted:
		w.found(compactionLag, nil)
	case protocol.BranchSummaryStarted:
		w.found(summaryLag, nil)
	}
}

// ring wakes the writer.
func (s *server) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
