// Package join is a front end's way to a session wherever that lives: in this
// process, or in another one that runs it.
//
//	nobody has the session       it is opened here; others find this process in its lease
//	a process has it             it is joined there
//	that process ends, or dies   one of those who joined takes the session over, the
//	                             others join that one
//
// A [Client] is a [protocol.Client] over all that. To a front end going from one
// place to another looks like going over to another session: Opened, the entries,
// State. What was going on when a process ended is told of as ended.
package join

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Options say how sessions are opened and found. Functions must be set where nothing is said of nil.
type Options struct {
	// Here opens the session of a path in this process. If another one has it the
	// error is a *session.LeasedError, unless it is to be opened beside that.
	Here func(ctx context.Context, path string, beside bool) (protocol.Client, func(), error)

	// There joins the session of a path in the process that answers at addr.
	There func(ctx context.Context, addr, path string) (protocol.Client, func(), error)

	// Lost reports whether an error of a client of There means that nothing is to be
	// had there any more.
	Lost func(error) bool

	// Holder says which process has the session of a path; nil: none.
	Holder func(path string) *session.LeasedError

	// Path is the path of the session that a word of SwitchSession means, or the word.
	Path func(ctx context.Context, word string) string

	// Read opens the session of a path to be read as it is kept.
	Read func(ctx context.Context, path string) (*session.Session, error)

	// Answers reports whether the process at addr answers at all; nil: it is waited
	// for however long that takes.
	Answers func(ctx context.Context, addr string) bool

	// Must refuses to open a session beside a process that has it and does not
	// answer.
	Must bool

	// Notes makes what people are told of a session that was joined when a front end
	// began; nil: nothing.
	Notes func(holder *session.LeasedError) []protocol.Notice
}

// A Client stands at one session. It is safe for several goroutines.
type Client struct {
	o Options

	moving sync.Mutex // held while it goes from one place to another

	mu       sync.Mutex
	cond     sync.Cond             // a watcher has come to a place, or gone
	at       *place                // guarded by mu
	path     string                // of the session; guarded by mu
	closed   bool                  // guarded by mu
	watchers map[*watcher]struct{} // guarded by mu
	syncs    []pending             // not told of yet; guarded by mu
}

var _ protocol.Client = (*Client)(nil)

// place is where a session lives.
type place struct {
	protocol.Client
	leave  func()
	holder *session.LeasedError // the process; nil: this one
	notes  []protocol.Notice    // for whoever watches first; guarded by the client's mu
	lost   bool                 // it went with its process; guarded by the client's mu
	still  atomic.Bool          // the process did not answer when it was last asked

	ctx context.Context // ends when the client has gone elsewhere
	end context.CancelFunc
}

func newPlace(c protocol.Client, leave func(), holder *session.LeasedError) *place {
	p := &place{Client: c, leave: leave, holder: holder}
	p.ctx, p.end = context.WithCancel(context.Background())
	return p
}

// Open opens a session by here, or joins the session of path where it lives. path is
// "" if it is a new one.
func Open(ctx context.Context, o Options, path string, here func(ctx context.Context, beside bool) (protocol.Client, func(), error)) (*Client, error) {
	c := &Client{o: o, path: path, watchers: map[*watcher]struct{}{}}
	c.cond.L = &c.mu
	p, err := c.enter(ctx, path, here)
	if err != nil {
		return nil, err
	}
	if p.holder != nil && o.Notes != nil {
		p.notes = o.Notes(p.holder)
	}
	c.at = p
	return c, nil
}

// Joined says which process the session lives in; nil: this one.
func (c *Client) Joined() *session.LeasedError { return c.place().holder }

// Close leaves the session.
func (c *Client) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	p := c.at
	c.cond.Broadcast()
	c.mu.Unlock()
	p.leave()
	p.end()
}

func (c *Client) place() *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// A process that has just ended, or just begun, is no reason to work beside it.
const (
	tries     = 5
	firstWait = 20 * time.Millisecond // it doubles
)

// enter opens a session or joins it.
func (c *Client) enter(ctx context.Context, path string, here func(ctx context.Context, beside bool) (protocol.Client, func(), error)) (*place, error) {
	wait := firstWait
	for try := 1; ; try++ {
		client, leave, err := here(ctx, false)
		holder, elsewhere := errors.AsType[*session.LeasedError](err)
		switch {
		case err == nil:
			return newPlace(client, leave, nil), nil
		case !elsewhere:
			return nil, err
		}
		if holder.Addr == "" && holder.PID != 0 && !c.o.Must {
			break // nobody is to join there
		}
		if holder.Addr != "" {
			if client, leave, err = c.o.There(ctx, holder.Addr, path); err == nil {
				return newPlace(client, leave, holder), nil
			}
		}
		if try == tries || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			if c.o.Must {
				return nil, fmt.Errorf("process %d has this session and does not answer (%w). bough --session %s --no-attach works beside it", holder.PID, err, path)
			}
			break
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	client, leave, err := here(ctx, true)
	if err != nil {
		return nil, err
	}
	return newPlace(client, leave, nil), nil
}

// again finds the session anew that was lost with the process of p. Who comes later
// finds that done.
func (c *Client) again(ctx context.Context, p *place) error {
	c.moving.Lock()
	defer c.moving.Unlock()
	c.mu.Lock()
	path, closed, done := c.path, c.closed, c.at != p
	c.mu.Unlock()
	switch {
	case closed:
		return protocol.ErrClosed
	case done:
		return nil
	}
	next, err := c.enter(ctx, path, func(ctx context.Context, beside bool) (protocol.Client, func(), error) {
		return c.o.Here(ctx, path, beside)
	})
	if err != nil {
		return fmt.Errorf("the bough that ran this session (process %d) has ended, and the session cannot be opened: %w", p.holder.PID, err)
	}
	text := fmt.Sprintf("The bough that ran this session (process %d) has ended; it goes on here.", p.holder.PID)
	if h := next.holder; h != nil && *h == *p.holder {
		text = "The connection to the bough that runs this session was lost for a moment."
	} else if h != nil {
		text = fmt.Sprintf("The bough that ran this session (process %d) has ended; process %d runs it now.", p.holder.PID, h.PID)
	}
	next.notes = []protocol.Notice{{Level: "info", Text: text}}
	c.mu.Lock()
	p.lost = true
	c.mu.Unlock()
	c.goTo(next, path)
	return nil
}

// goTo leaves one place for another. The caller holds moving.
func (c *Client) goTo(next *place, path string) {
	c.mu.Lock()
	old := c.at
	if c.closed {
		c.mu.Unlock()
		next.leave()
		return
	}
	c.at, c.path = next, path
	c.mu.Unlock()
	old.end()
	old.leave()
}
