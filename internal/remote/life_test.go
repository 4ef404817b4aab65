package remote_test

import (
	"context"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// stub is a door to one session in which nothing happens but what a test says.
type stub struct {
	running atomic.Bool
	asks    atomic.Bool
	left    atomic.Int32
	done    atomic.Int32
	opened  atomic.Int32
	hold    chan struct{} // what a Compact waits for
	events  chan protocol.Event
}

func (s *stub) Open(context.Context, protocol.Open) (protocol.Client, func(), error) {
	s.opened.Add(1)
	return s, func() { s.left.Add(1) }, nil
}

func (s *stub) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	switch cmd.(type) {
	case protocol.GetState:
		st := protocol.State{Running: s.running.Load()}
		if s.asks.Load() {
			st.Open = []protocol.Asked{{ID: "q"}}
		}
		return st, nil
	case protocol.Compact:
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.done.Add(1)
		return protocol.Compacted{}, nil
	}
	s.done.Add(1)
	return protocol.None{}, nil
}

func (s *stub) Watch(ctx context.Context, _ session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		if !yield(protocol.Opened{Header: session.Header{ID: "s", Version: 3}}, nil) || !yield(protocol.State{}, nil) {
			return
		}
		for {
			select {
			case ev := <-s.events:
				if !yield(ev, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// wire is a network in memory.
type wire struct {
	conns chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.ended:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { w.once.Do(func() { close(w.ended) }); return nil }
func (w *wire) Addr() net.Addr { return &net.UnixAddr{} }

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case w.conns <- there:
		return here, nil
	case <-w.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inBubble serves a stub in time that passes as it is told to.
func inBubble(t *testing.T, test func(t *testing.T, s *stub, d *remote.Dialer)) {
	synctest.Test(t, func(t *testing.T) {
		s := &stub{hold: make(chan struct{}), events: make(chan protocol.Event)}
		srv := &remote.Server{Door: s, Tokens: []remote.Key{{Token: secret, Role: remote.Owner}}}
		w := &wire{conns: make(chan net.Conn), ended: make(chan struct{})}
		h := &http.Server{Handler: srv.Handler()}
		served := make(chan struct{})
		go func() { h.Serve(w); close(served) }()
		tr := &http.Transport{DialContext: w.dial}
		test(t, s, &remote.Dialer{Address: "localhost", Token: secret, HTTP: &http.Client{Transport: tr}})
		srv.Close()
		tr.CloseIdleConnections()
		h.Close()
		<-served
		synctest.Wait()
	})
}

func TestWhoHasGoneIsLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, s *stub, d *remote.Dialer) {
		c, leave, err := d.Open(t.Context(), protocol.Open{Session: "s", Own: true})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		for range 10 { // a command now and then keeps it
			time.Sleep(50 * time.Second)
			if _, err := c.Do(t.Context(), protocol.Abort{}); err != nil {
				t.Fatal(err)
			}
		}
		s.running.Store(true) // and so does a run
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := s.left.Load(); n != 0 {
			t.Fatalf("left %d times during a run", n)
		}
		s.asks.Store(true) // unless that waits for people, who are not there
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := s.left.Load(); n != 1 {
			t.Errorf("left %d times", n)
		}
		if _, err := c.Do(t.Context(), protocol.Abort{}); err == nil {
			t.Error("a view of its own was had again")
		}
	})
}

func TestWhoListensStays(t *testing.T) {
	inBubble(t, func(t *testing.T, s *stub, d *remote.Dialer) {
		c, leave, err := d.Open(t.Context(), protocol.Open{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan protocol.Event, 10)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ev, err := range c.Watch(context.Background(), 0) {
				if err != nil {
					t.Error(err)
				}
				got <- ev
			}
		}()
		<-got
		<-got
		time.Sleep(time.Hour) // nothing but pings
		synctest.Wait()
		s.events <- protocol.TurnStarted{}
		if ev := <-got; ev != (protocol.TurnStarted{}) {
			t.Errorf("%T", ev)
		}
		if n := s.opened.Load(); n != 1 || s.left.Load() != 0 {
			t.Errorf("opened %d times, left %d times", n, s.left.Load())
		}
		leave()
		<-ended
		synctest.Wait()
		if n := s.left.Load(); n != 1 {
			t.Errorf("left %d times", n)
		}
	})
}

// When nobody waits for a command any more it goes on, and it is done once.
func TestACommandGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, s *stub, d *remote.Dialer) {
		c, leave, err := d.Open(t.Context(), protocol.Open{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		if _, err := c.Do(ctx, protocol.Compact{}); err != context.Canceled {
			t.Errorf("%v", err)
		}
		time.Sleep(10 * time.Minute) // it is not left meanwhile
		close(s.hold)
		synctest.Wait()
		if s.done.Load() != 1 || s.left.Load() != 0 {
			t.Errorf("done %d times, left %d times", s.done.Load(), s.left.Load())
		}
	})
}

// A reader that reads nothing keeps nobody waiting, and catches up.
func TestASlowReader(t *testing.T) {
	inBubble(t, func(t *testing.T, s *stub, d *remote.Dialer) {
		c, leave, err := d.Open(t.Context(), protocol.Open{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		go_on := make(chan struct{})
		text, facts := 0, 0
		ended := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer close(ended)
			for ev, err := range c.Watch(ctx, 0) {
				if err != nil {
					return
				}
				switch e := ev.(type) {
				case protocol.State:
					<-go_on
				case protocol.Delta:
					text += len(e.Text)
				case protocol.BashOutput:
					text += len(e.Delta)
				case protocol.TurnStarted:
					facts++
				case protocol.Synced:
					cancel()
				}
			}
		}()
		synctest.Wait()
		const n = 20_000
		for i := range n {
			s.events <- protocol.BashOutput{Delta: "0123456789"}
			if i%1000 == 0 {
				s.events <- protocol.TurnStarted{}
			}
		}
		s.events <- protocol.Synced{ID: "end"}
		time.Sleep(30 * time.Second)
		close(go_on)
		<-ended
		if text != 10*n || facts != n/1000 {
			t.Errorf("%d bytes of text and %d facts", text, facts)
		}
	})
}

// A server that says nothing for long is asked again.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{conns: make(chan net.Conn), ended: make(chan struct{})}
		var asked atomic.Int32
		h := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == "POST":
				io.WriteString(rw, `{"success":true,"data":{"client":"c","sessionId":"s"}}`)
			case r.Method == "GET":
				asked.Add(1)
				rw.Header().Set("Bough-Event", "5")
				rw.WriteHeader(200)
				rw.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		})}
		served := make(chan struct{})
		go func() { h.Serve(w); close(served) }()
		tr := &http.Transport{DialContext: w.dial}
		d := &remote.Dialer{Address: "localhost", HTTP: &http.Client{Transport: tr}, Patience: time.Second}
		c, leave, err := d.Open(t.Context(), protocol.Open{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			for _, err := range c.Watch(context.Background(), 0) {
				ended <- err
			}
			close(ended)
		}()
		if err := <-ended; err == nil {
			t.Error("no error")
		}
		<-ended
		if asked.Load() < 2 {
			t.Errorf("asked %d times", asked.Load())
		}
		leave()
		tr.CloseIdleConnections()
		h.Close()
		<-served
	})
}

// meeting is a door that lets two in at once.
type meeting struct {
	*stub
	both sync.WaitGroup
}

func (m *meeting) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	m.both.Done()
	m.both.Wait()
	return m.stub.Open(ctx, o)
}

// Who asks at a session while another does so for the first time shares its client,
// and nothing stays open behind the server.
func TestTwoAskAtASessionAtOnce(t *testing.T) {
	door := &meeting{stub: &stub{}}
	door.both.Add(2)
	s := &remote.Server{Door: door, Tokens: []remote.Key{{Token: secret, Role: remote.Owner}}}
	h := s.Handler()
	var asked sync.WaitGroup
	for range 2 {
		asked.Go(func() {
			r := httptest.NewRequest("POST", "http://localhost/api/v1/do?session=s", strings.NewReader(`{"type":"get_state"}`))
			r.RemoteAddr = "127.0.0.1:1"
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+secret)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != http.StatusOK {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	asked.Wait()
	if opened, left := door.opened.Load(), door.left.Load(); opened != 2 || left != 1 {
		t.Errorf("opened %d times, left %d times; want 2 and 1", opened, left)
	}
	s.Close()
	if left := door.left.Load(); left != 2 {
		t.Errorf("behind the server %d of 2 were left", left)
	}
}
