package remote_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// counter counts what comes over a connection.
type counter struct{ n atomic.Int64 }

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.HasSuffix(r.URL.Path, "/events") {
		body := resp.Body
		resp.Body = struct {
			readFunc
			closeFunc
		}{func(b []byte) (int, error) {
			n, err := body.Read(b)
			c.n.Add(int64(n))
			return n, err
		}, body.Close}
	}
	return resp, err
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// Where the session's file can be read, its entries are not sent.
func TestEntriesOfAFileThatIsHere(t *testing.T) {
	w := newWorld(t)
	h := session.Header{CWD: "/srv"}.Complete()
	long := strings.Repeat("x", 1<<20)
	log, err := w.store.Create(t.Context(), h, []byte(`{"type":"message","id":"A","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"`+long+`","timestamp":5}}`))
	if err != nil {
		t.Fatal(err)
	}
	file := log.(interface{ Path() string }).Path()
	log.Close()
	near := w.open(w.door, protocol.Open{Session: file})
	var asked []string
	var sent counter
	d := w.dialer()
	d.HTTP = &http.Client{Transport: &sent}
	d.Local = func(ctx context.Context, file string) (*session.Session, error) {
		asked = append(asked, file)
		return session.Open(ctx, w.store, file)
	}
	far := w.open(d, protocol.Open{Session: h.ID})
	if n := sent.n.Load(); n > 10_000 {
		t.Errorf("%d bytes were sent", n)
	}
	if len(asked) != 1 || asked[0] != file {
		t.Errorf("asked for %q", asked)
	}
	far.say("hello")
	near.say("and more")
	far.all()
	near.all()
	if got, want := far.folded(), near.folded(); got != want {
		t.Errorf("far: %d bytes, near: %d bytes", len(got), len(want))
	}
	// Going over to another session it is sent what that has.
	if _, err := protocol.Call(t.Context(), far, protocol.NewSession{}); err != nil {
		t.Fatal(err)
	}
	far.say("hello")
	far.all()
	if id, _ := far.head(); id == h.ID || strings.Contains(far.folded(), long) {
		t.Error("it is still there")
	}
}

// A file of the same name that is another one is not taken for it.
func TestAFileThatIsNotTheOne(t *testing.T) {
	w := newWorld(t)
	id, file := w.begun()
	other := session.Header{CWD: "/srv"}.Complete()
	d := w.dialer()
	asked := 0
	d.Local = func(ctx context.Context, name string) (*session.Session, error) {
		asked++
		if name != file {
			t.Errorf("asked for %s", name)
		}
		return session.New(w.store, other, []byte(`{"type":"custom","id":"Z","parentId":null,"customType":"x"}`))
	}
	near := w.open(w.door, protocol.Open{Session: filepath.Clean(file)})
	far := w.open(d, protocol.Open{Session: id})
	if got, want := far.folded(), near.folded(); got != want || asked != 1 {
		t.Errorf("far:\n%s\nnear:\n%s", got, want)
	}
}

var _ protocol.Door = (*remote.Dialer)(nil)
