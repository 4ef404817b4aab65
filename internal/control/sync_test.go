package control

import (
	"testing"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// A Sync that comes to a session just when it has been left and closed is told of
// all the same, in the one that was gone over to: else a client of RPC would wait
// for its answer for ever.
func TestSyncInASessionThatWasLeft(t *testing.T) {
	m := &lateModel{done: true}
	h := NewHub(Options{Models: lateModels{m}})
	defer h.Close()
	c, err := h.Connect(t.Context(), Start{New: session.Header{CWD: "/srv"}.Complete()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	synced, ready := make(chan string, 2), make(chan struct{}, 2)
	go func() {
		defer close(synced)
		for ev, err := range c.Watch(t.Context(), 0) {
			if err != nil {
				return
			}
			switch e := ev.(type) {
			case protocol.State:
				ready <- struct{}{}
			case protocol.Synced:
				synced <- e.ID
			}
		}
	}()
	<-ready
	old := c.session()
	if _, err := protocol.Call(t.Context(), c, protocol.NewSession{}); err != nil {
		t.Fatal(err)
	}
	<-old.ended
	if err := c.sync(t.Context(), old, "here"); err != nil {
		t.Fatal(err)
	}
	if id := <-synced; id != "here" {
		t.Errorf("synced %q", id)
	}
	h.Close()
	if err := c.sync(t.Context(), old, "there"); err == nil {
		t.Error("a client was promised something of a service that has ended")
	}
}
