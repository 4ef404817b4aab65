package script

import (
	"context"
	"slices"
	"time"
)

// Hold is a place where a reply waits.
type Hold struct {
	Name    string
	Request int // the number of the request that it answers
}

type hold struct {
	Hold
	done chan struct{} // closed when it is released
}

// Release lets the reply go on that has waited longest at the holds of that
// name. If none waits, the next one that comes there need not.
func (s *Script) Release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.holds, func(h *hold) bool { return h.Name == name })
	if i < 0 {
		s.released[name]++
		return
	}
	close(s.holds[i].done)
	s.holds = slices.Delete(s.holds, i, i+1)
	s.changedLocked()
}

// Holds returns where replies wait, longest first.
func (s *Script) Holds() []Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Hold, len(s.holds))
	for i, h := range s.holds {
		out[i] = h.Hold
	}
	return out
}

// AwaitHold returns when a reply waits at the hold of that name, or with the
// error of ctx.
func (s *Script) AwaitHold(ctx context.Context, name string) error {
	return s.await(ctx, func() bool {
		return slices.ContainsFunc(s.holds, func(h *hold) bool { return h.Name == name })
	})
}

// await waits until something is so; it is asked with the mutex held.
func (s *Script) await(ctx context.Context, isSo func() bool) error {
	for {
		s.mu.Lock()
		ok, changed := isSo(), s.changed
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Hang waits for the end of ctx, as a reply does that says nothing more.
func (s *Script) Hang(ctx context.Context) {
	s.hanging(1)
	<-ctx.Done()
	s.hanging(-1)
}

func (s *Script) hanging(change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent += change
	s.changedLocked()
}

// AwaitHang returns when a reply hangs, or with the error of ctx.
func (s *Script) AwaitHang(ctx context.Context) error {
	return s.await(ctx, func() bool { return s.silent > 0 })
}

// Reset starts all over: counters, holds, releases.
func (s *Script) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = 0
	clear(s.used)
	clear(s.released)
	for _, h := range s.holds {
		close(h.done)
	}
	s.holds = nil
	s.changedLocked()
}

// Replace takes over the rules of another script, unused. Requests are counted
// on, and what waits goes on waiting.
func (s *Script) Replace(by *Script) {
	by.mu.Lock()
	p := by.program
	by.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.program = p
	s.used = make([]int, len(p.rules))
}

// Requests returns how many requests there were.
func (s *Script) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// wait holds request n until it is released, for at most limit. It returns false
// if ctx ends before.
func (s *Script) wait(ctx context.Context, name string, n int, limit time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	s.mu.Lock()
	if s.released[name] > 0 {
		s.released[name]--
		s.mu.Unlock()
		return true
	}
	h := &hold{Hold{name, n}, make(chan struct{})}
	s.holds = append(s.holds, h)
	s.changedLocked()
	s.mu.Unlock()

	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-h.done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = slices.DeleteFunc(s.holds, func(o *hold) bool { return o == h })
	s.changedLocked()
	return ctx.Err() == nil
}

// changedLocked wakes those who wait for a hold or a hang.
func (s *Script) changedLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}
