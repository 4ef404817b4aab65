package rpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// slowReader is the last record of a client that does not read what it wanted to be
// told.
const slowReader = `{"type":"bough_error","code":"slow_reader","error":"More than 64 MiB of events wait to be read, so the connection ends. What was said is in the sessions."}`

// respond has an answer written behind all that has happened in a view so far. Of a
// view that is gone it is written with the attached one.
func (s *server) respond(ctx context.Context, w *window, a answer) {
	s.mu.Lock()
	for s.owed > maxOwed {
		s.cond.Wait()
	}
	if w.over {
		w = s.attached
	}
	s.asked++
	id := strconv.Itoa(s.asked)
	w.answers[id] = a
	w.order = append(w.order, id)
	s.owed += a.size
	s.mu.Unlock()
	// After an error there is no place in the stream. If the session is closed that
	// ends, and what is not answered then is answered with its end.
	if _, err := protocol.Call(ctx, w.c, protocol.Sync{ID: id}); err != nil && !errors.Is(err, protocol.ErrClosed) && ctx.Err() == nil {
		w.put(protocol.Synced{ID: id})
	}
}

// take takes the answer behind a sync.
func (w *window) take(id string) (answer, bool) {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := w.answers[id]
	if ok {
		delete(w.answers, id)
		s.owed -= a.size
		s.cond.Broadcast()
	}
	for len(w.order) > 0 {
		if _, waits := w.answers[w.order[0]]; waits {
			break
		}
		w.order = w.order[1:]
	}
	return a, ok
}

// write writes all there is to write, of one view after the other.
func (s *server) write(ctx context.Context) error {
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		for more := true; more; {
			more = false
			for _, w := range s.all() {
				some, err := s.writeView(w)
				if err != nil && !s.over.Load() {
					if ferr := s.flush(); ferr != nil {
						return ferr
					}
				}
				if err != nil {
					return err
				}
				more = more || some
			}
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
}

// writeView writes what waits of a view. It reports whether there was something.
func (s *server) writeView(w *window) (bool, error) {
	s.mu.Lock()
	events, err, late := w.waiting, w.err, s.tardy
	w.waiting = nil
	s.mu.Unlock()
	if late != nil {
		return false, s.tellSlow(late)
	}
	for _, ev := range events {
		if s.over.Load() {
			return false, errEnd
		}
		if err := s.event(w, ev.Event); err != nil {
			return false, err
		}
		s.mu.Lock()
		w.weight -= ev.size
		late := s.tardy
		s.mu.Unlock()
		if late != nil {
			return false, s.tellSlow(late)
		}
	}
	if len(events) > 0 {
		return true, s.flush()
	}
	if err != nil {
		return false, s.leave(w, err)
	}
	return false, nil
}

func (s *server) tellSlow(w *window) error {
	s.put(fmt.Appendf(nil, `%s,"view":%q}`, strings.TrimSuffix(slowReader, "}"), w.name))
	return fmt.Errorf("the client does not read what it has subscribed to: view %s has more than %d MiB to tell", w.name, maxWaiting>>20)
}

// leave does away with a view whose stream has ended.
func (s *server) leave(w *window, why error) error {
	s.mu.Lock()
	attached := w == s.attached
	if w == s.plain {
		s.plain = s.attached
	}
	s.mu.Unlock()
	if attached {
		return why
	}
	s.accept(w)
	s.astray(w, math.MaxInt)
	s.mu.Lock()
	order := w.order
	s.mu.Unlock()
	for _, id := range order {
		if a, ok := w.take(id); ok {
			s.say(a)
		}
	}
	s.mu.Lock()
	late := len(w.answers) > 0 || len(w.started) > 0
	if !late {
		w.over = true
		s.views = slices.DeleteFunc(s.views, func(v *window) bool { return v == w })
	}
	s.mu.Unlock()
	if late { // it was asked for meanwhile
		s.ring()
		return nil
	}
	if s.every == full {
		s.put(w.mark(w.record("view_closed")))
	}
	close(w.ended)
	if s.finishedAll() {
		return errEnd
	}
	return nil
}

// finishedAll reports whether all views have come to their end.
func (s *server) finishedAll() bool {
	return !slices.ContainsFunc(s.all(), func(w *window) bool { return !w.finished })
}

func (s *server) event(w *window, ev protocol.Event) error {
	from, id := w.view.Leaf, w.view.Header.ID
	w.view.Apply(ev)
	switch e := ev.(type) {
	case protocol.Opened:
		s.accept(w) // their run goes on in a session that others stand at too
		w.wasAt, w.wasID = from, id
		w.wire, w.paths, w.compacting = protocol.Wire{Ours: w.level == full}, new(session.Projector), false
		s.mu.Lock()
		w.file = e.File
		s.mu.Unlock()
	case protocol.State:
		w.compacting = e.Compacting
		s.mu.Lock()
		w.reason = "open"
		if w.forking {
			w.reason, w.forking = "fork", false
		}
		s.mu.Unlock()
	case protocol.Synced:
		w.policy = e.Policy
		return s.synced(w, e.ID)
	case protocol.RunStarted:
		w.begun()
	case protocol.LoopStarted, protocol.RunEnded:
		s.accept(w)
	case protocol.CompactionStarted, protocol.BranchSummaryStarted:
		w.compacting = true
	case protocol.CompactionEnded, protocol.BranchSummaryEnded:
		w.compacting = false
	case protocol.Notice:
		if w.level != full {
			fmt.Fprintf(s.o.Err, "bough: %s\n", e.Text)
		}
	}
	s.tell(w, ev, from)
	s.ask(w, ev)
	return nil
}

// synced writes what stands in the stream of a view where a sync was carried out.
func (s *server) synced(w *window, id string) error {
	if id == endID {
		s.accept(w)
		s.astray(w, math.MaxInt)
		if w.finished = true; s.finishedAll() {
			return errEnd
		}
		return nil
	}
	if n, ok := strings.CutPrefix(id, promptID); ok {
		number, _ := strconv.Atoi(n) // it is ours
		s.astray(w, number)
		return nil
	}
	if a, ok := w.take(id); ok {
		s.say(a)
	}
	return nil
}

// begun finds the prompt that a run has begun with, if it is one of ours. The
// reader may be about to learn that.
func (w *window) begun() {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for w.asking {
		s.cond.Wait()
	}
	if len(w.started) > 0 {
		w.accepted = append(w.accepted, w.started[0].answer)
		w.started = w.started[1:]
	}
}

// astray answers the prompts up to a number whose run has begun unseen, in a
// session that was just being left or entered.
func (s *server) astray(w *window, number int) {
	s.mu.Lock()
	var late []answer
	for len(w.started) > 0 && w.started[0].number <= number {
		late = append(late, w.started[0].answer)
		w.started = w.started[1:]
	}
	s.mu.Unlock()
	for _, a := range late {
		s.say(a)
	}
}

// accept answers the prompts whose run begins to talk.
func (s *server) accept(w *window) {
	for _, a := range w.accepted {
		s.say(a)
	}
	w.accepted = nil
}

// say writes an answer.
func (s *server) say(a answer) {
	if a.pour == nil {
		s.put(a.make())
		return
	}
	a.pour(&bulk{out: s.out, odd: s.o.Err, moved: func() { s.moved.Add(1) }})
}

// put writes lines. Flush tells if that fails.
func (s *server) put(lines ...[]byte) {
	for _, l := range lines {
		s.out.Write(l)        // bufio keeps the first error for Flush
		s.out.WriteByte('\n') // likewise
	}
	s.moved.Add(int64(len(lines)))
}

// flush lets the reader have what was written.
func (s *server) flush() error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}
