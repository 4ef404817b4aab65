package control

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// begun is a session file with one message.
func begun(t *testing.T, store filestore.Store) string {
	t.Helper()
	h := session.Header{CWD: t.TempDir()}.Complete()
	log, err := store.Create(t.Context(), h, []byte(`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hi","timestamp":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	return log.(interface{ Path() string }).Path()
}

// A hub that is to be alone with its sessions gives the address of who has one, in
// place of working beside it, and takes over what has been let go of with all that
// was written by then.
func TestAloneWithItsSessions(t *testing.T) {
	dir := t.TempDir()
	store := filestore.Store{Root: filepath.Join(dir, "sessions"), Leases: filepath.Join(dir, "leases")}
	path := begun(t, store)
	hub := func(addr string) *Hub {
		h := NewHub(Options{Models: lateModels{&lateModel{done: true}}, Alone: true, Address: func() string { return addr }})
		t.Cleanup(h.Close)
		return h
	}
	first, second := hub("127.0.0.1:1"), hub("127.0.0.1:2")
	c, err := first.Connect(t.Context(), Start{Store: store, Open: path})
	if err != nil {
		t.Fatal(err)
	}
	_, err = second.Connect(t.Context(), Start{Store: store, Open: path})
	if l, ok := errors.AsType[*session.LeasedError](err); !ok || l.Addr != "127.0.0.1:1" {
		t.Errorf("the second was told %v", err)
	}
	beside, err := second.Connect(t.Context(), Start{Store: store, Open: path, Beside: true})
	if err != nil {
		t.Fatal(err)
	}
	beside.Close()
	c.Close()
	if h := store.Holder(path); h != nil {
		t.Errorf("process %d holds a session that was closed", h.PID)
	}
	after, err := second.Connect(t.Context(), Start{Store: store, Open: path})
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	if h := store.Holder(path); h == nil || h.Addr != "127.0.0.1:2" {
		t.Errorf("the holder is %+v", h)
	}
}

// A session that could not be started leaves nothing behind that keeps others from
// starting it.
func TestLeaseOfASessionThatDidNotStart(t *testing.T) {
	dir := t.TempDir()
	store := filestore.Store{Root: filepath.Join(dir, "sessions"), Leases: filepath.Join(dir, "leases")}
	path := begun(t, store)
	h := NewHub(Options{Models: lateModels{&lateModel{done: true}}})
	defer h.Close()
	if _, err := h.Connect(t.Context(), Start{Store: store, Open: path, AtWord: "nowhere"}); err == nil {
		t.Fatal("it stands at an entry that there is not")
	}
	if l := store.Holder(path); l != nil {
		t.Errorf("process %d holds the session", l.PID)
	}
}

// heldModel says one word, and ends well when it is let go of.
type heldModel struct{ asked, free chan struct{} }

func (m heldModel) Info() provider.Info { return provider.Info{Provider: "held", ID: "held"} }

func (m heldModel) Stream(ctx context.Context, _ provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		for _, d := range []message.Delta{{Kind: message.TextStart}, {Kind: message.TextDelta, Text: "Well"}} {
			if !yield(d, nil) {
				return
			}
		}
		close(m.asked)
		select {
		case <-m.free:
			_ = yield(message.Delta{Kind: message.TextEnd}, nil) && yield(message.Delta{Kind: message.Info, StopReason: message.Stop}, nil)
		case <-ctx.Done():
			yield(message.Delta{}, ctx.Err())
		}
	}
}

type heldModels struct{ m heldModel }

func (h heldModels) Available() []provider.Info                { return nil }
func (h heldModels) Model(_, _ string) (provider.Model, error) { return h.m, nil }
func (h heldModels) Default() (provider.Model, string, error)  { return h.m, "", nil }
func (h heldModels) Thinking(provider.Info) string             { return "off" }

// What goes on in a session where that is wanted comes to its end after the last
// front end has gone; without that it is aborted.
func TestLinger(t *testing.T) {
	for _, tt := range []struct {
		linger bool
		want   message.StopReason
	}{{false, message.Aborted}, {true, message.Stop}} {
		m := heldModel{make(chan struct{}), make(chan struct{})}
		h := NewHub(Options{Models: heldModels{m}, Linger: tt.linger})
		c, err := h.Connect(t.Context(), Start{New: session.Header{CWD: t.TempDir()}.Complete()})
		if err != nil {
			t.Fatal(err)
		}
		s := c.session()
		if _, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		<-m.asked
		c.Close()
		close(m.free)
		<-s.ended
		h.Close()
		leaf := s.live.Tree().Get(s.live.Tree().Leaf())
		body, err := leaf.Body()
		if err != nil {
			t.Fatal(err)
		}
		if said, ok := body.(session.Message); !ok || said.Message.StopReason != tt.want || said.Message.Text("") != "Well" {
			t.Errorf("linger %v: the last entry is %+v, want an answer that ended with %q", tt.linger, body, tt.want)
		}
	}
}

// A session that is taken over keeps its model; one that is begun from there has the
// one that was named.
func TestTakenOverAsItWas(t *testing.T) {
	dir := t.TempDir()
	store := filestore.Store{Root: filepath.Join(dir, "sessions")}
	h := session.Header{CWD: dir}.Complete()
	log, err := store.Create(t.Context(), h,
		[]byte(`{"type":"model_change","id":"m1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","provider":"two","modelId":"two"}`),
		[]byte(`{"type":"message","id":"a1","parentId":"m1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hi","timestamp":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	hub := NewHub(Options{Models: namedModels{}})
	defer hub.Close()
	c, err := hub.Connect(t.Context(), Start{Store: store, Open: log.(interface{ Path() string }).Path(), Provider: "one", Model: "one", AsWas: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, want := range []string{"two", "one"} {
		st, err := protocol.Call(t.Context(), c, protocol.GetState{})
		if err != nil || st.Model == nil || st.Model.ID != want {
			t.Fatalf("session %d has the model %+v (%v), want %s", i, st.Model, err, want)
		}
		if _, err := protocol.Call(t.Context(), c, protocol.NewSession{}); err != nil {
			t.Fatal(err)
		}
	}
}

// namedModels has all models.
type namedModels struct{ heldModels }

func (namedModels) Model(at, id string) (provider.Model, error) {
	return named{provider.Info{Provider: at, ID: id}}, nil
}

type named struct{ info provider.Info }

func (n named) Info() provider.Info { return n.info }
func (n named) Stream(context.Context, provider.Request) iter.Seq2[message.Delta, error] {
	return func(func(message.Delta, error) bool) {}
}

// Who asks where a client stands does not take the notices of the start from whoever
// shows them.
func TestNoticesAreForThoseWhoShowThem(t *testing.T) {
	store := filestore.Store{Root: filepath.Join(t.TempDir(), "sessions"), Live: true}
	path := begun(t, store)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("{ this is no entry\n")
	f.Close()
	h := NewHub(Options{Models: lateModels{&lateModel{done: true}}})
	defer h.Close()
	c, err := h.Connect(t.Context(), Start{Store: store, Open: path})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	told := func(after session.Seq) (n int) {
		for ev, err := range c.Watch(t.Context(), after) {
			if err != nil {
				t.Fatal(err)
			}
			switch ev.(type) {
			case protocol.Notice:
				n++
			case protocol.State:
				return n
			}
		}
		return n
	}
	if asked, shown := told(^session.Seq(0)), told(0); asked != 0 || shown != 1 {
		t.Errorf("who asked was told %d notices, who shows them %d", asked, shown)
	}
}
