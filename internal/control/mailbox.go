package control

import (
	"context"
	"sync"

	"github.com/boughdev/bough/protocol"
)

// A mailbox holds events for one watcher until it takes them. Putting never
// waits: progress that was not taken in time is merged with the next.
type mailbox struct {
	mu     sync.Mutex
	events []protocol.Event // guarded by mu
	ended  bool             // guarded by mu
	wake   chan struct{}    // has room for one
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

func (m *mailbox) put(ev protocol.Event) {
	m.mu.Lock()
	if !m.mergeLocked(ev) {
		m.events = append(m.events, ev)
	}
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox) ring() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// mergeLocked joins ev with what waits, if that can be.
func (m *mailbox) mergeLocked(ev protocol.Event) bool {
	if len(m.events) == 0 {
		return false
	}
	last := &m.events[len(m.events)-1]
	sum, ok := protocol.Merge(*last, ev)
	if ok {
		*last = sum
	}
	return ok
}

// end lets take return false once all is taken.
func (m *mailbox) end() {
	m.mu.Lock()
	m.ended = true
	m.mu.Unlock()
	m.ring()
}

// take waits for events. It returns false when there will be none, or ctx's error.
func (m *mailbox) take(ctx context.Context) ([]protocol.Event, bool, error) {
	for {
		m.mu.Lock()
		evs, ended := m.events, m.ended
		m.events = nil
		m.mu.Unlock()
		if len(evs) > 0 {
			return evs, true, nil
		}
		if ended {
			return nil, false, nil
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}
