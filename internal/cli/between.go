package cli

import (
	"context"
	"sync"

	"github.com/boughdev/bough/protocol"
)

// Between puts something between a front end and its sessions: it returns the door
// that the front end is given in place of the one to them, and what ends it.
type Between func(protocol.Door) (protocol.Door, func(), error)

// entrance is a door at which who comes first stands at a session that is open
// already.
type entrance struct {
	protocol.Door
	first protocol.Client

	mu    sync.Mutex
	taken bool // guarded by mu
}

func (e *entrance) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	e.mu.Lock()
	first := !e.taken
	e.taken = true
	e.mu.Unlock()
	if first {
		return e.first, func() {}, nil
	}
	return e.Door.Open(ctx, o)
}
