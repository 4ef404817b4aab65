package filestore

import (
	"bytes"
	"os"
	"sync"
	"time"
)

// syncer forces a file to the disk without holding up those who append: one
// goroutine, which runs only while there is something to do, and does for all
// that was appended meanwhile.
type syncer struct {
	policy Policy

	mu      sync.Mutex
	f       *os.File // guarded by mu
	dir     string   // to be forced to the disk too, once; guarded by mu
	due     time.Time
	dirty   bool          // guarded by mu
	running chan struct{} // closed when the goroutine has ended; nil if none runs; guarded by mu
	closed  bool          // guarded by mu
	wake    chan struct{}
}

// How long what was appended may stay in memory only.
const (
	soon  = 20 * time.Millisecond // a user's message, the end of a turn: together with what follows at once
	later = time.Second           // anything else
)

func newSyncer(f *os.File, p Policy) *syncer {
	return &syncer{policy: p, f: f, wake: make(chan struct{}, 1)}
}

// appended is told of each line. With SyncAlways it waits.
func (s *syncer) appended(line []byte) error {
	switch s.policy {
	case SyncOff:
		return nil
	case SyncAlways:
		s.mu.Lock()
		defer s.mu.Unlock()
		return fdatasync(s.f)
	}
	head := line[:min(len(line), 256)]
	tail := line[max(0, len(line)-1024):]
	s.want(bytes.Contains(head, []byte(`"role":"user"`)) || bytes.Contains(tail, []byte(`"stopReason":"stop"`)))
	return nil
}

// want asks for a sync, urgent or not.
func (s *syncer) want(urgent bool) {
	if s.policy == SyncOff {
		return
	}
	wait := later
	if urgent {
		wait = soon
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if due := time.Now().Add(wait); !s.dirty || due.Before(s.due) {
		s.due = due
	}
	s.dirty = true
	if s.running == nil {
		s.running = make(chan struct{})
		go s.run(s.running)
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *syncer) run(done chan struct{}) {
	defer close(done)
	for {
		s.mu.Lock()
		if !s.dirty {
			s.running = nil
			s.mu.Unlock()
			return
		}
		wait := time.Until(s.due)
		if wait <= 0 || s.closed {
			f, dir := s.f, s.dir
			s.dirty, s.dir = false, ""
			s.mu.Unlock()
			fdatasync(f) // nothing can be done about a failure; the bytes are with the system
			if dir != "" {
				syncDir(dir)
			}
			continue
		}
		s.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.wake:
		}
		timer.Stop()
	}
}

// use goes over to another file.
func (s *syncer) use(f *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.f = f
}

// close does what is due and waits for it.
func (s *syncer) close() {
	s.mu.Lock()
	s.closed = true
	running := s.running
	s.mu.Unlock()
	if running == nil {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	<-running
}

func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	d.Sync() // not every file system can
	d.Close()
}
