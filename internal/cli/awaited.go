package cli

import (
	"context"
	"iter"
	"sync"

	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// awaited is the client of a session that is opened when it is first watched, so that
// a screen may be there before. What it is asked waits for that.
type awaited struct {
	ctx    context.Context // of the session; it outlives who watches
	cancel context.CancelFunc
	open   func(context.Context) (*join.Client, error)

	once  sync.Once
	ready chan struct{} // closed when there are:
	c     *join.Client
	err   error
}

func newAwaited(ctx context.Context, open func(context.Context) (*join.Client, error)) *awaited {
	o := &awaited{open: open, ready: make(chan struct{})}
	o.ctx, o.cancel = context.WithCancel(ctx)
	return o
}

func (o *awaited) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	select {
	case <-o.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.c.Do(ctx, cmd)
}

// Watch opens the session, unless its reader goes meanwhile.
func (o *awaited) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		o.once.Do(func() {
			defer close(o.ready)
			defer context.AfterFunc(ctx, o.cancel)()
			o.c, o.err = o.open(o.ctx)
		})
		if o.err != nil {
			yield(nil, o.err)
			return
		}
		o.c.Watch(ctx, after)(yield)
	}
}

// there is the client, once there is one.
func (o *awaited) there() *join.Client {
	select {
	case <-o.ready:
		return o.c
	default:
		return nil
	}
}

// Close is called when nobody watches any more.
func (o *awaited) Close() {
	if c := o.there(); c != nil {
		c.Close()
	}
}
