package control

import "context"

// Unattended returns how many sessions go on that nobody stands at, see
// Options.Linger.
func (h *Hub) Unattended() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, s := range h.sessions {
		if s.holders == 0 {
			n++
		}
	}
	return n
}

// Settle waits until no session is left: what goes on has come to its end, and nobody
// stands at one any more.
func (h *Hub) Settle(ctx context.Context) {
	for {
		h.mu.Lock()
		if len(h.sessions)+len(h.busy) == 0 || h.closed {
			h.mu.Unlock()
			return
		}
		if h.fewer == nil {
			h.fewer = make(chan struct{})
		}
		fewer := h.fewer
		h.mu.Unlock()
		select {
		case <-fewer:
		case <-ctx.Done():
			return
		}
	}
}

// works reports whether something goes on in a session.
func (s *Session) works(ctx context.Context) (yes bool) {
	// One that is closed does nothing.
	_ = s.do(ctx, func() { yes = s.op != nil || len(s.bashes) > 0 })
	return yes
}
