package control

import (
	"context"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// A Door opens sessions of a hub.
type Door struct {
	Hub *Hub

	// Find completes the start of what is to be opened: which file, in which folder,
	// with which model.
	Find func(ctx context.Context, o protocol.Open) (Start, error)
}

var _ protocol.Door = Door{}

// Open returns a client that stands at a session.
func (d Door) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	start, err := d.Find(ctx, o)
	var here *Session // that is in no file yet
	if code := protocol.CodeOf(err); o.Session != "" && (code == protocol.NotFound || code == protocol.UnknownSession) {
		here = d.Hub.join(o.Session)
	}
	if err != nil && here == nil {
		return nil, nil, err
	}
	start.Entry, start.Exact, start.Own, start.Main, start.Who = o.Entry, o.Exact, o.Own, o.Own, o.Who
	start.Beside = start.Beside || o.Own
	if start.Open == "" {
		start.Label = o.Name
	}
	c, err := d.connect(ctx, here, start)
	if err != nil {
		return nil, nil, err
	}
	if o.Entry != nil {
		// Who joins a session that is open already takes the others along.
		if err := c.standAt(ctx, *o.Entry, o.Exact); err != nil {
			c.Close()
			return nil, nil, err
		}
	}
	return c, c.Close, nil
}

func (d Door) connect(ctx context.Context, here *Session, start Start) (*Conn, error) {
	if here == nil {
		return d.Hub.Connect(ctx, start)
	}
	c := newConn(d.Hub, here, start)
	if start.Own {
		c.Close()
		return nil, errOnePlace
	}
	return c, nil
}

// standAt moves the leaf of the session to an entry, unless it is there.
func (c *Conn) standAt(ctx context.Context, entry session.ID, exact bool) error {
	_, err := owned(ctx, asked{c.session(), c.start.Who}, func() (protocol.None, error) {
		s := c.session()
		at, err := s.stand(entry, exact)
		if err != nil || at == s.branch.Leaf() {
			return protocol.None{}, err
		}
		if err := s.atRest(); err != nil {
			return protocol.None{}, err
		}
		return protocol.None{}, s.step(at)
	})
	return err
}
