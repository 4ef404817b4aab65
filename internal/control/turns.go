package control

import (
	"context"
	"slices"
	"sync"
)

// turns has the calls of an answer ask people in their order, though they run beside
// each other. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	calls []turn // whose turn is not over, in order; guarded by mu
}

// turn is that of one call.
type turn struct {
	call string
	come chan struct{} // closed when all calls before have asked, or will not
}

// join gives a call that begins its turn.
func (t *turns) join(call string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endLocked(call) // ids are the model's, and need not differ
	t.calls = append(t.calls, turn{call, make(chan struct{})})
	if len(t.calls) == 1 {
		close(t.calls[0].come)
	}
}

// wait returns when it is a call's turn, or ctx has ended.
func (t *turns) wait(ctx context.Context, call string) {
	t.mu.Lock()
	i := t.indexLocked(call)
	if i < 0 {
		t.mu.Unlock()
		return
	}
	come := t.calls[i].come
	t.mu.Unlock()
	select {
	case <-come:
	case <-ctx.Done():
	}
}

// end lets the next call have its turn. A call that needs no question gives it up at
// once.
func (t *turns) end(call string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endLocked(call)
}

func (t *turns) endLocked(call string) {
	i := t.indexLocked(call)
	if i < 0 {
		return
	}
	t.calls = slices.Delete(t.calls, i, i+1)
	if i == 0 && len(t.calls) > 0 {
		close(t.calls[0].come)
	}
}

func (t *turns) indexLocked(call string) int {
	return slices.IndexFunc(t.calls, func(x turn) bool { return x.call == call })
}
