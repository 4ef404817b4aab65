package join

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// watcher is one call of Watch. Its fields but at belong to its goroutine.
type watcher struct {
	at *place // the one whose events come; nil: none yet; guarded by the client's mu

	running, looping bool
	open             []protocol.Asked // questions that wait
	barren           int              // places in a row that had nothing to say
}

// pending is a Sync that was sent and not told of yet.
type pending struct {
	id string
	to *place
}

// Watch yields the events of the session, wherever it goes.
func (c *Client) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		w := &watcher{}
		c.mu.Lock()
		c.watchers[w] = struct{}{}
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			delete(c.watchers, w)
			c.cond.Broadcast()
			c.mu.Unlock()
		}()
		for {
			p := c.place()
			more, err := c.follow(ctx, w, p, after, yield)
			moved, lost, closed := c.stands(p)
			switch {
			case !more:
				return
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case closed, !moved && p.holder == nil:
				if err != nil && !closed {
					yield(nil, err)
				}
				return
			case lost && !w.lose(p, yield):
				return
			case !moved:
				if w.barren++; w.barren > tries {
					yield(nil, fmt.Errorf("process %d tells nothing of the session: %w", p.holder.PID, err))
					return
				}
				if err := c.again(ctx, p); err != nil {
					yield(nil, err)
					return
				}
			}
			after = 0
		}
	}
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// stands says whether the client has gone elsewhere since it was at a place, and
// whether it, or this watcher first, has lost that with its process.
func (c *Client) stands(p *place) (moved, lost, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	moved = c.at != p
	return moved, p.lost || !moved && p.holder != nil, c.closed
}

// follow yields what happens at one place, until there is no more. It returns false
// when nobody wants more.
func (c *Client) follow(ctx context.Context, w *watcher, p *place, after session.Seq, yield func(protocol.Event, error) bool) (more bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	for ev, err := range p.Watch(ctx, after) {
		if err != nil {
			return true, err
		}
		for _, ev := range c.seen(w, p, ev) {
			if !yield(ev, nil) {
				return false, nil
			}
		}
	}
	return true, nil
}

// seen keeps what must be known when the place is lost, and returns what is to be
// told in place of an event.
func (c *Client) seen(w *watcher, p *place, ev protocol.Event) []protocol.Event {
	evs := []protocol.Event{ev}
	switch e := ev.(type) {
	case protocol.RunStarted:
		w.running = true
	case protocol.LoopStarted:
		w.running, w.looping = true, true
	case protocol.LoopEnded:
		w.looping = false
	case protocol.RunEnded:
		w.running, w.looping = false, false
	case protocol.Opened:
		w.running, w.looping, w.open = false, false, nil
		c.mu.Lock()
		if c.at == p && e.File != "" {
			c.path = e.File
		}
		for _, n := range p.notes {
			evs = append(evs, n)
		}
		p.notes = nil
		c.mu.Unlock()
	case protocol.State:
		w.running, w.barren, w.open = e.Running, 0, slices.Clone(e.Open)
		c.mu.Lock()
		if w.at != p {
			w.at = p
			c.cond.Broadcast()
		}
		c.syncs = slices.DeleteFunc(c.syncs, func(s pending) bool {
			if s.to == p {
				return false
			}
			evs = append(evs, protocol.Synced{ID: s.id}) // it was lost on the way
			return true
		})
		c.mu.Unlock()
	case protocol.Asked:
		w.open = append(w.open, e)
	case protocol.Answered:
		w.open = slices.DeleteFunc(w.open, func(q protocol.Asked) bool { return q.ID == e.ID })
	case protocol.Synced:
		c.mu.Lock()
		c.syncs = slices.DeleteFunc(c.syncs, func(s pending) bool { return s.id == e.ID && s.to == p })
		c.mu.Unlock()
	}
	return evs
}

// lose tells that what went on has ended with the process of p.
func (w *watcher) lose(p *place, yield func(protocol.Event, error) bool) bool {
	if !w.running && !w.looping {
		return true
	}
	why := fmt.Sprintf("The bough that ran this session (process %d) has ended, and with it what was going on. What was said by then is kept.", p.holder.PID)
	var evs []protocol.Event
	for _, q := range w.open {
		evs = append(evs, protocol.Answered{ID: q.ID}) // taken back
	}
	w.open = nil
	evs = append(evs, protocol.Notice{Level: "warning", Text: why})
	if w.looping {
		evs = append(evs, protocol.LoopEnded{})
	}
	evs = append(evs, protocol.RunEnded{Failure: why})
	w.running, w.looping = false, false
	for _, ev := range evs {
		if !yield(ev, nil) {
			return false
		}
	}
	return true
}
