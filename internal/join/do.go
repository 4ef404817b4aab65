package join

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Do carries out a command where the session lives. One that only asks is asked
// again where the session went meanwhile; others fail, with what became of them.
func (c *Client) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	switch x := cmd.(type) {
	case protocol.SwitchSession:
		return protocol.None{}, c.switchTo(ctx, x)
	case protocol.Sync:
		return protocol.None{}, c.sync(ctx, x)
	}
	for try := 1; ; try++ {
		p := c.place()
		began := time.Now()
		v, err := c.ask(ctx, p, cmd)
		if err == nil || ctx.Err() != nil || !c.lost(p, err) {
			return v, err
		}
		if err := c.again(ctx, p); err != nil {
			return nil, err
		}
		switch {
		case !repeatable(cmd):
			return nil, c.fate(ctx, cmd, began)
		case try == tries:
			return nil, err
		}
	}
}

// lost reports whether an error means that the process of a place has ended, or
// does not answer.
func (c *Client) lost(p *place, err error) bool {
	return p.holder != nil && (errors.Is(err, protocol.ErrClosed) || c.o.Lost(err)) && !c.isClosed()
}

// repeatable reports whether a command may be said twice.
func repeatable(cmd protocol.Request) bool {
	for _, prefix := range []string{"get_", "list_", "search_", "check_", "set_", "abort"} {
		if strings.HasPrefix(cmd.Name(), prefix) {
			return true
		}
	}
	return false
}

// switchTo goes over to another session: where that lives already, else in the
// process that this one lives in.
func (c *Client) switchTo(ctx context.Context, cmd protocol.SwitchSession) error {
	c.moving.Lock()
	defer c.moving.Unlock()
	p := c.place()
	path := c.o.Path(ctx, cmd.Session)
	if p.holder == nil {
		_, err := p.Do(ctx, cmd)
		if _, elsewhere := errors.AsType[*session.LeasedError](err); !elsewhere {
			return err
		}
	} else if h := c.o.Holder(path); h == nil || *h == *p.holder {
		_, err := c.ask(ctx, p, protocol.SwitchSession{Session: path, CWD: cmd.CWD})
		return err
	}
	next, err := c.enter(ctx, path, func(ctx context.Context, beside bool) (protocol.Client, func(), error) {
		return c.o.Here(ctx, path, beside)
	})
	if err != nil {
		return err
	}
	if next.holder != nil && c.o.Notes != nil {
		next.notes = c.o.Notes(next.holder)
	}
	c.goTo(next, path)
	return nil
}

// sync has the place in the stream of events told of. It is sent where all watchers
// are, and told of at the next place if it was lost at this one.
func (c *Client) sync(ctx context.Context, cmd protocol.Sync) error {
	p, err := c.meet(ctx, cmd.ID)
	if err != nil {
		return err
	}
	if _, err = c.ask(ctx, p, cmd); err == nil || c.lost(p, err) && ctx.Err() == nil || p.ctx.Err() != nil {
		return nil
	}
	return err
}

// meet waits until all watchers have come to the place where the session lives, and
// notes the sync that is about to be sent there.
func (c *Client) meet(ctx context.Context, id string) (*place, error) {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cond.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		there := true
		for w := range c.watchers {
			there = there && w.at == c.at
		}
		switch {
		case c.closed:
			return nil, protocol.ErrClosed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case there:
			c.syncs = append(c.syncs, pending{id, c.at})
			return c.at, nil
		}
		c.cond.Wait()
	}
}

// fate is the error of a command whose process ended before it answered: it says
// what became of it.
func (c *Client) fate(ctx context.Context, cmd protocol.Request, began time.Time) error {
	const ended = "The bough that ran this session ended meanwhile. "
	fail := func(text string) error { return &protocol.Error{Code: protocol.IO, Text: ended + text} }
	there := func(text string) error { return &protocol.Error{Code: protocol.Delivered, Text: ended + text} }
	what, said := words(cmd)
	if what == "" {
		return fail(fmt.Sprintf("Whether it has carried out %s is not known; look, and say it again if not.", cmd.Name()))
	}
	queue, err := protocol.Call(ctx, c, protocol.GetQueue{})
	var kept *session.Session
	if err == nil {
		kept, err = c.read(ctx)
	}
	if err != nil {
		return fail(fmt.Sprintf("Whether the %s is in the session cannot be seen: %v", what, err))
	}
	defer kept.Close()
	for _, w := range queue.Items {
		if w.Text == said {
			return there("The message waits in the queue.")
		}
	}
	began = began.Truncate(time.Millisecond)
	for e := range kept.Tree().Log() {
		if !e.Time.Before(began) && says(e, said) {
			if what == "message" {
				return there("The message is in the session; a retry asks for the answer.")
			}
			return there(fmt.Sprintf("The %s is in the session.", what))
		}
	}
	return fail(fmt.Sprintf("The %s is not in the session; say it again.", what))
}

// words are what a command puts into the session, and a word for it; "" if it is
// none of those that say something.
func words(cmd protocol.Request) (what, said string) {
	switch x := cmd.(type) {
	case protocol.Prompt:
		return "message", x.Text
	case protocol.PromptAt:
		return "message", x.Text
	case protocol.Steer:
		return "message", x.Text
	case protocol.FollowUp:
		return "message", x.Text
	case protocol.Bash:
		return "command", x.Command
	}
	return "", ""
}

// says reports whether an entry is what was said. Of a command of bough's nobody
// knows here what it stands for.
func says(e *session.Entry, said string) bool {
	body, err := e.Body()
	if err != nil {
		return false
	}
	m, ok := body.(session.Message)
	switch {
	case !ok:
		return false
	case m.Message.Role == message.Bash:
		return m.Message.Command == said
	case m.Message.Role != message.User:
		return false
	}
	return strings.HasPrefix(said, "/") || m.Message.Text("") == said
}

func (c *Client) read(ctx context.Context) (*session.Session, error) {
	c.mu.Lock()
	path := c.path
	c.mu.Unlock()
	return c.o.Read(ctx, path)
}
