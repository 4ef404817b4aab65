package control

import (
	"context"
	"sync"
)

// turns has the calls of an answer ask people in their order, though they run beside
// each other. The zero value is ready.
type turns struct {
	mu   sync.Mutex
	last *turn            // guarded by mu
	of   map[string]*turn // by the call; guarded by mu
}

// turn is that of one call.
type turn struct {
	before <-chan struct{} // closed when all calls before have asked, or will not
	over   chan struct{}
	once   sync.Once
}

// join gives a call that begins its turn.
func (t *turns) join(call string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]*turn{}
	}
	if old := t.of[call]; old != nil { // ids are the model's, and need not differ
		old.end()
	}
	mine := &turn{over: make(chan struct{})}
	if t.last != nil {
		mine.before = t.last.over
	}
	t.last, t.of[call] = mine, mine
}

// leave ends the turn of a call that is over.
func (t *turns) leave(call string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.of[call]; x != nil {
		x.end()
		delete(t.of, call)
	}
	if len(t.of) == 0 {
		t.last = nil
	}
}

// wait returns when it is a call's turn, or ctx has ended.
func (t *turns) wait(ctx context.Context, call string) {
	t.mu.Lock()
	x := t.of[call]
	t.mu.Unlock()
	if x == nil || x.before == nil {
		return
	}
	select {
	case <-x.before:
	case <-ctx.Done():
	}
}

// end lets the next call have its turn. A call that needs no question gives it up at
// once.
func (t *turns) end(call string) {
	t.mu.Lock()
	x := t.of[call]
	t.mu.Unlock()
	if x != nil {
		x.end()
	}
}

func (x *turn) end() {
	x.once.Do(func() {
		if x.before == nil {
			close(x.over)
			return
		}
		go func() {
			<-x.before
			close(x.over)
		}()
	})
}
