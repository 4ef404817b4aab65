// Package memstore keeps sessions in memory: for tests, and for sessions that
// are to leave nothing behind.
package memstore

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/boughdev/bough/session"
)

// Store is a place of sessions. The zero value is empty and ready.
type Store struct {
	mu    sync.Mutex
	logs  map[string]*log   // guarded by mu
	lease map[string]string // addresses of owners; guarded by mu
}

var _ session.Store = (*Store)(nil)

// Create makes a log.
func (s *Store) Create(ctx context.Context, h session.Header, entries ...[]byte) (session.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.logs[h.ID]; ok {
		return nil, fmt.Errorf("create session %s: %w", h.ID, session.ErrExists)
	}
	l := &log{header: h, grown: make(chan struct{})}
	l.add(h.Line())
	for _, e := range entries {
		l.add(e)
	}
	if s.logs == nil {
		s.logs = map[string]*log{}
	}
	s.logs[h.ID] = l
	return l, nil
}

// Open returns the log of that id.
func (s *Store) Open(ctx context.Context, id string) (session.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.logs[id]
	if !ok {
		return nil, fmt.Errorf("open session %s: %w", id, session.ErrNotFound)
	}
	return l, nil
}

// List yields all sessions.
func (s *Store) List(ctx context.Context) iter.Seq2[session.Summary, error] {
	return func(yield func(session.Summary, error) bool) {
		s.mu.Lock()
		logs := make([]*log, 0, len(s.logs))
		for _, l := range s.logs {
			logs = append(logs, l)
		}
		s.mu.Unlock()
		for _, l := range logs {
			sum, err := session.Summarize(l.header, l.Entries(ctx, 0), nil)
			if !yield(sum, err) || err != nil {
				return
			}
		}
	}
}

// Lease makes the caller the owner of a session.
func (s *Store) Lease(ctx context.Context, id, addr string) (func() error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if owner, ok := s.lease[id]; ok {
		return nil, &session.LeasedError{Addr: owner}
	}
	if s.lease == nil {
		s.lease = map[string]string{}
	}
	s.lease[id] = addr
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.lease, id)
		return nil
	}, nil
}

type log struct {
	header session.Header

	mu    sync.Mutex
	data  []byte        // only grows; guarded by mu
	last  session.Seq   // behind the last entry; guarded by mu
	grown chan struct{} // closed and replaced with each append; guarded by mu
}

// add appends a line; mu is held, or nobody else has the log yet.
func (l *log) add(line []byte) session.Line {
	l.data = append(append(l.data, line...), '\n')
	l.last = session.Seq(len(l.data))
	return session.Line{Seq: l.last, Size: len(line) + 1}
}

func (l *log) Header() session.Header { return l.header }

func (l *log) Append(ctx context.Context, after session.Seq, line []byte) (session.Line, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after < l.last && !(after == 0 && bytes.Count(l.data, []byte{'\n'}) == 1) {
		return session.Line{}, session.ErrConflict
	}
	at := l.add(line)
	close(l.grown)
	l.grown = make(chan struct{})
	return at, nil
}

func (l *log) Entries(ctx context.Context, after session.Seq) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		l.mu.Lock()
		data := l.data[after:]
		l.mu.Unlock()
		for at, line := range session.Lines(data, after) {
			if e, err := session.Decode(line, at, l); err == nil && !yield(e, nil) {
				return
			}
		}
	}
}

func (l *log) Tail(ctx context.Context, after session.Seq) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for {
			l.mu.Lock()
			grown := l.grown
			l.mu.Unlock()
			for e := range l.Entries(ctx, after) {
				after = e.Line.Seq
				if !yield(e, nil) {
					return
				}
			}
			select {
			case <-grown:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

func (l *log) Read(at session.Line) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if int(at.Seq) > len(l.data) || at.Size > int(at.Seq) {
		return nil, fmt.Errorf("read line at %d: behind the end", at.Seq)
	}
	return bytes.Trim(l.data[int(at.Seq)-at.Size:at.Seq], "\n"), nil
}

func (l *log) Close() error { return nil }
