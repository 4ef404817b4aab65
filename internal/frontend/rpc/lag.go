package rpc

import "slices"

// lag is a kind of command that an abort finds only from some event on, while the
// abort may be sent right behind it.
type lag int

const (
	noLag         lag = iota
	shellLag          // commands of the user
	compactionLag     // compactions
	summaryLag        // summaries of branches
)

// sent is a command that is not known to run yet.
type sent struct {
	lag lag
	id  any // of a command of the user; a text, or nil
}

// send keeps in mind that a command is on its way.
func (w *window) send(l lag, id any) *sent {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	x := &sent{l, nil}
	if l == shellLag {
		x.id = id
	}
	if !w.closing {
		w.sent = append(w.sent, x)
	}
	return x
}

// runs strikes off a command that is over, or nil.
func (w *window) runs(x *sent) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.strikeLocked(slices.Index(w.sent, x))
}

// found strikes off the command that an event tells of. s.mu is held.
func (w *window) found(l lag, id any) {
	w.strikeLocked(slices.IndexFunc(w.sent, func(x *sent) bool { return x.lag == l && x.id == id }))
}

func (w *window) strikeLocked(i int) {
	if i >= 0 {
		w.sent = slices.Delete(w.sent, i, i+1)
		w.s.cond.Broadcast()
	}
}

// await waits until those of some kinds that were sent run, or are over.
func (w *window) await(lags ...lag) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for slices.ContainsFunc(w.sent, func(x *sent) bool { return slices.Contains(lags, x.lag) }) {
		w.s.cond.Wait()
	}
}
