package remote

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// client is a front end's way to a session elsewhere.
type client struct {
	d      *Dialer
	how    protocol.Open
	ctx    context.Context // ends when it is closed
	cancel context.CancelFunc

	opening sync.Mutex // held while it is opened again

	mu     sync.Mutex
	at     opening            // guarded by mu
	locals []*session.Session // whose trees are in use; guarded by mu
	closed bool               // guarded by mu
}

var _ protocol.Client = (*client)(nil)

func (c *client) where() opening {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Do carries out a command there.
func (c *client) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	body, err := protocol.EncodeCommand(cmd)
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.until(ctx)
	defer cancel()
	key := randomID()
	for range 2 {
		at := c.where()
		var b []byte
		b, err = c.d.ask(ctx, "POST", "/do?client="+url.QueryEscape(at.Client), body, key, true) // the server does what has a key once
		if err == nil {
			return protocol.DecodeAnswer(cmd.Name(), b)
		}
		if protocol.CodeOf(err) != UnknownClient {
			break
		}
		if err = c.again(ctx, at.Client); err != nil {
			break
		}
	}
	if c.ctx.Err() != nil {
		return nil, protocol.ErrClosed
	}
	return nil, err
}

// until is a context that ends with the client too.
func (c *client) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// again opens the session anew, which the server has left since nothing was heard
// of this client for long. A view of its own cannot be had again.
func (c *client) again(ctx context.Context, gone string) error {
	c.opening.Lock()
	defer c.opening.Unlock()
	at := c.where()
	if at.Client != gone {
		return nil // somebody else has done it
	}
	if c.how.Own {
		return ErrGone
	}
	c.d.log().Debug("a session is opened again", "session", at.Session)
	next, err := c.d.open(ctx, protocol.Open{Session: at.Session, CWD: c.how.CWD, Who: c.how.Who})
	if protocol.CodeOf(err) == protocol.NotFound || protocol.CodeOf(err) == protocol.UnknownSession {
		return ErrGone
	} else if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = next
	return nil
}

// stands notes at which session the client stands.
func (c *client) stands(id, file string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.Session != id {
		c.at = opening{Client: c.at.Client, Session: id, File: file}
	}
}

// local opens the session's file if it can be read here, for a watcher.
func (c *client) local(ctx context.Context) (tree *session.Tree, end session.Seq, id string) {
	at := c.where()
	if c.d.Local == nil || !at.here() {
		return nil, 0, ""
	}
	s, err := c.d.Local(ctx, at.File)
	if err != nil {
		c.d.log().Debug("the session's file is not read here", "file", at.File, "err", err)
		return nil, 0, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || s.Header().ID != at.Session || s.End() == 0 {
		s.Close() // it was read only
		return nil, 0, ""
	}
	c.locals = append(c.locals, s)
	return s.Tree().Snapshot(), s.End(), at.Session
}

// close leaves the session.
func (c *client) close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	at, locals := c.at, c.locals
	c.mu.Unlock()
	c.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := c.d.once(ctx, http.MethodDelete, "/clients/"+url.PathEscape(at.Client), nil, ""); err != nil {
		c.d.log().Debug("leave a session", "err", err) // it is left after a while
	}
	for _, s := range locals {
		s.Close() // was read only
	}
}
