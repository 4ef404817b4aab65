package join_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

var errCut = errors.New("the line is cut")

// world is some processes that share a store. Each is known by its address.
type world struct {
	t     *testing.T
	store filestore.Store

	mu        sync.Mutex
	processes map[string]*process
}

// process is a hub, and those who joined its sessions.
type process struct {
	w    *world
	addr string
	hub  *control.Hub
	dead context.Context
	die  context.CancelFunc
}

func newWorld(t *testing.T) *world {
	dir := t.TempDir()
	return &world{t: t, processes: map[string]*process{},
		store: filestore.Store{Root: filepath.Join(dir, "sessions"), Leases: filepath.Join(dir, "leases"), Live: true}}
}

func (w *world) process(addr string, m provider.Model) *process {
	p := &process{w: w, addr: addr}
	p.dead, p.die = context.WithCancel(context.Background())
	p.hub = control.NewHub(control.Options{Models: models{m}, Alone: true, Address: func() string { return addr }})
	w.mu.Lock()
	w.processes[addr] = p
	w.mu.Unlock()
	w.t.Cleanup(p.hub.Close)
	return p
}

// end is a clean end; those who joined lose it first.
func (p *process) end() {
	p.die()
	p.hub.Close()
}

func (p *process) here(ctx context.Context, path string, beside bool) (protocol.Client, func(), error) {
	c, err := p.hub.Connect(ctx, control.Start{Store: p.w.store, Open: path, Beside: beside})
	if err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}

func (p *process) open(path string) (*join.Client, error) {
	return join.Open(p.w.t.Context(), join.Options{
		Here: p.here,
		There: func(ctx context.Context, addr, path string) (protocol.Client, func(), error) {
			p.w.mu.Lock()
			there := p.w.processes[addr]
			p.w.mu.Unlock()
			if there == nil || there == p || there.dead.Err() != nil {
				return nil, nil, errCut
			}
			c, leave, err := there.here(ctx, path, false)
			if err != nil {
				return nil, nil, err
			}
			return wire{c, there.dead}, leave, nil
		},
		Lost:   func(err error) bool { return errors.Is(err, errCut) },
		Holder: p.w.store.Holder,
		Path:   func(_ context.Context, word string) string { return word },
		Read:   p.w.read,
		Notes: func(h *session.LeasedError) []protocol.Notice {
			return []protocol.Notice{{Level: "info", Text: "joined " + h.Addr}}
		},
	}, path, func(ctx context.Context, beside bool) (protocol.Client, func(), error) {
		return p.here(ctx, path, beside)
	})
}

// wire is the way to another process.
type wire struct {
	protocol.Client
	dead context.Context
}

func (w wire) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	if w.dead.Err() != nil {
		return nil, errCut
	}
	v, err := w.Client.Do(ctx, cmd)
	if w.dead.Err() != nil {
		return nil, errCut // its answer does not come any more
	}
	return v, err
}

func (w wire) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(w.dead, cancel)()
		for ev, err := range w.Client.Watch(ctx, after) {
			if w.dead.Err() != nil {
				yield(nil, errCut)
				return
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// model answers each message with an echo of it, once it may.
type model struct{ gate chan struct{} }

func (m model) Info() provider.Info { return provider.Info{Provider: "echo", ID: "echo"} }

func (m model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		said := req.Messages[len(req.Messages)-1].Text("")
		if !yield(message.Delta{Kind: message.TextStart}, nil) || !yield(message.Delta{Kind: message.TextDelta, Text: "Echo: " + said}, nil) {
			return
		}
		if m.gate != nil {
			select {
			case <-m.gate:
			case <-ctx.Done():
				yield(message.Delta{}, ctx.Err())
				return
			}
		}
		_ = yield(message.Delta{Kind: message.TextEnd}, nil) && yield(message.Delta{Kind: message.Info, StopReason: message.Stop}, nil)
	}
}

type models struct{ m provider.Model }

func (m models) Available() []provider.Info                { return nil }
func (m models) Model(_, _ string) (provider.Model, error) { return m.m, nil }
func (m models) Default() (provider.Model, string, error)  { return m.m, "", nil }
func (m models) Thinking(provider.Info) string             { return "off" }

// screen is a front end that keeps what it is shown.
type screen struct {
	c      *join.Client
	mu     sync.Mutex
	cond   *sync.Cond
	view   view.View
	events []protocol.Event
	err    error
	done   chan struct{}
}

func show(t *testing.T, c *join.Client) *screen {
	s := &screen{c: c, done: make(chan struct{})}
	s.cond = sync.NewCond(&s.mu)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		<-s.done
		c.Close()
	})
	go func() {
		defer close(s.done)
		for ev, err := range c.Watch(ctx, 0) {
			s.mu.Lock()
			if err != nil {
				s.err = err
			} else {
				s.view.Apply(ev)
				s.events = append(s.events, ev)
			}
			s.cond.Broadcast()
			s.mu.Unlock()
		}
	}()
	return s
}

// until waits for an event and returns its place.
func (s *screen) until(t *testing.T, what string, is func(protocol.Event) bool) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := 0; ; at++ {
		for at == len(s.events) {
			if s.err != nil {
				t.Fatalf("waiting for %s: %v", what, s.err)
			}
			s.cond.Wait()
		}
		if is(s.events[at]) {
			s.events = s.events[at+1:]
			return
		}
	}
}

func (s *screen) state(t *testing.T) {
	t.Helper()
	s.until(t, "the state", func(ev protocol.Event) bool { _, ok := ev.(protocol.State); return ok })
}

func (s *screen) ended(t *testing.T) {
	t.Helper()
	s.until(t, "the end of a run", func(ev protocol.Event) bool { _, ok := ev.(protocol.RunEnded); return ok })
}

func (s *screen) notice(t *testing.T, part string) {
	t.Helper()
	s.until(t, "the notice "+part, func(ev protocol.Event) bool {
		n, ok := ev.(protocol.Notice)
		return ok && strings.Contains(n.Text, part)
	})
}

// words are what was said on the path, as the screen has it.
func (s *screen) words(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, e := range s.view.Path() {
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := body.(session.Message); ok && m.Message.Role != message.System {
			out = append(out, m.Message.Text(""))
		}
	}
	return strings.Join(out, " | ")
}

func (w *world) read(ctx context.Context, path string) (*session.Session, error) {
	return session.Open(ctx, w.store, path)
}

func (w *world) begun() string {
	w.t.Helper()
	log, err := w.store.Create(w.t.Context(), session.Header{CWD: w.t.TempDir()}.Complete(),
		[]byte(`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hi","timestamp":1}}`))
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	return log.(interface{ Path() string }).Path()
}

func (s *screen) say(t *testing.T, text string) error {
	t.Helper()
	_, err := protocol.Call(t.Context(), s.c, protocol.Prompt{Text: text, WhenBusy: protocol.AsFollowUp})
	return err
}

// Who opens a session that another process runs stands at it there; when that
// process ends one of those who joined has it, and the other one joins that.
func TestJoinAndTakeOver(t *testing.T) {
	w := newWorld(t)
	path := w.begun()
	var ps []*process
	var ss []*screen
	for i := range 4 {
		p := w.process(fmt.Sprint("p", i), model{})
		c, err := p.open(path)
		if err != nil {
			t.Fatal(err)
		}
		if joined := c.Joined() != nil; joined != (i > 0) {
			t.Fatalf("process %d: joined %v", i, joined)
		}
		s := show(t, c)
		if i > 0 {
			s.notice(t, "joined p0")
		}
		s.state(t)
		ps, ss = append(ps, p), append(ss, s)
	}
	want := "hi"
	for round := 0; len(ss) > 1; round++ {
		for i, s := range ss {
			text := fmt.Sprintf("round %d by %d", round, i)
			if err := s.say(t, text); err != nil {
				t.Fatal(err)
			}
			for _, s := range ss {
				s.ended(t)
			}
			want += " | " + text + " | Echo: " + text
			for i, s := range ss {
				if got := s.words(t); got != want {
					t.Fatalf("screen %d shows\n%s\nwant\n%s", i, got, want)
				}
			}
		}
		// The one that runs the session ends.
		i := 0
		for ss[i].c.Joined() != nil {
			i++
		}
		ps[i].end()
		ps, ss = append(ps[:i], ps[i+1:]...), append(ss[:i], ss[i+1:]...)
		owners := 0
		for _, s := range ss {
			s.notice(t, "has ended")
			s.state(t)
			if s.c.Joined() == nil {
				owners++
			}
		}
		if owners != 1 {
			t.Fatalf("%d processes run the session", owners)
		}
	}
}

// What was going on when its process ended is told of as ended, and a message that
// was on its way is said to be in the session or not.
func TestTheRunEndsWithItsProcess(t *testing.T) {
	w := newWorld(t)
	path := w.begun()
	p := w.process("p0", model{make(chan struct{})})
	if _, err := p.open(path); err != nil {
		t.Fatal(err)
	}
	c, err := w.process("p1", model{}).open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := show(t, c)
	s.state(t)
	if err := s.say(t, "one"); err != nil {
		t.Fatal(err)
	}
	s.until(t, "the answer", func(ev protocol.Event) bool { _, ok := ev.(protocol.Delta); return ok })
	p.end()
	s.notice(t, "and with it what was going on")
	s.until(t, "the end of the loop", func(ev protocol.Event) bool { _, ok := ev.(protocol.LoopEnded); return ok })
	s.ended(t)
	s.notice(t, "it goes on here")
	s.state(t)
	if got, want := s.words(t), "hi | one | Echo: one"; got != want {
		t.Errorf("the screen shows %s, want %s", got, want)
	}
	if err := s.say(t, "two"); err != nil {
		t.Fatal(err)
	}
	s.ended(t)
	if got, want := s.words(t), "hi | one | Echo: one | two | Echo: two"; got != want {
		t.Errorf("the screen shows %s, want %s", got, want)
	}
}

// sayAndCut is a client whose process dies when it has, or has not, carried out a
// command.
type sayAndCut struct {
	wire
	p     *process
	first bool
}

func (s sayAndCut) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	if !s.first {
		s.p.end()
		return nil, errCut
	}
	v, err := s.Client.Do(ctx, cmd)
	if err != nil {
		return v, err
	}
	var v0 view.View
	for ev, err := range s.Client.Watch(ctx, 0) {
		if err != nil {
			return nil, err
		}
		v0.Apply(ev)
		if e := v0.Tree.Get(v0.Leaf); e != nil && e.ID != "a1" && e.Role != message.System {
			break // it is recorded
		}
	}
	s.p.end()
	return nil, errCut
}

func TestWhatBecameOfAMessage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cmd   protocol.Request
		first bool
		want  string
	}{
		{"said and not answered", protocol.Prompt{Text: "new"}, true, "is in the session"},
		{"not said", protocol.Prompt{Text: "new"}, false, "is not in the session; say it again"},
		{"not said, though it was said long ago", protocol.Prompt{Text: "hi"}, false, "is not in the session; say it again"},
		{"a command", protocol.Compact{}, false, "Whether it has carried out compact is not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.begun()
			p, p1 := w.process("p0", model{}), w.process("p1", model{})
			if _, err := p.open(path); err != nil {
				t.Fatal(err)
			}
			c, err := join.Open(t.Context(), join.Options{
				Here: p1.here,
				There: func(ctx context.Context, addr, path string) (protocol.Client, func(), error) {
					c, leave, err := p.here(ctx, path, false)
					return sayAndCut{wire{c, p.dead}, p, tt.first}, leave, err
				},
				Lost: func(err error) bool { return errors.Is(err, errCut) },
				Read: w.read,
			}, path, func(ctx context.Context, beside bool) (protocol.Client, func(), error) {
				return p1.here(ctx, path, beside)
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if c.Joined() == nil {
				t.Fatal("it has not joined")
			}
			_, err = c.Do(t.Context(), tt.cmd)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
			if c.Joined() != nil {
				t.Error("the session was not taken over")
			}
			if _, err := protocol.Call(t.Context(), c, protocol.GetState{}); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A session that somebody goes over to is joined where it lives, and one that was
// left is let go of.
func TestSwitchToWhereASessionLives(t *testing.T) {
	w := newWorld(t)
	a, b, free := w.begun(), w.begun(), w.begun()
	pa, pb := w.process("pa", model{}), w.process("pb", model{})
	ca, err := pa.open(a)
	if err != nil {
		t.Fatal(err)
	}
	cb, err := pb.open(b)
	if err != nil {
		t.Fatal(err)
	}
	sa, sb := show(t, ca), show(t, cb)
	sa.state(t)
	sb.state(t)
	switchTo := func(path string) {
		t.Helper()
		if _, err := protocol.Call(t.Context(), ca, protocol.SwitchSession{Session: path}); err != nil {
			t.Fatal(err)
		}
		sa.state(t)
	}
	switchTo(b)
	if h := ca.Joined(); h == nil || h.Addr != "pb" {
		t.Fatalf("it has joined %+v", h)
	}
	if h := w.store.Holder(a); h != nil {
		t.Errorf("%s still has the session that was left", h.Addr)
	}
	if err := sa.say(t, "from a"); err != nil {
		t.Fatal(err)
	}
	sb.ended(t)
	if got, want := sb.words(t), "hi | from a | Echo: from a"; got != want {
		t.Errorf("the owner shows %s, want %s", got, want)
	}
	switchTo(free) // in the process of b
	if h := w.store.Holder(free); h == nil || h.Addr != "pb" {
		t.Errorf("the holder is %+v", h)
	}
	// An answer is found in the stream wherever the client has gone meanwhile.
	for i, path := range []string{a, b, free, b, a} {
		id := fmt.Sprint("sync ", i)
		if _, err := protocol.Call(t.Context(), ca, protocol.SwitchSession{Session: path}); err != nil {
			t.Fatal(err)
		}
		if _, err := protocol.Call(t.Context(), ca, protocol.Sync{ID: id}); err != nil {
			t.Fatal(err)
		}
		sa.until(t, id, func(ev protocol.Event) bool { s, ok := ev.(protocol.Synced); return ok && s.ID == id })
	}
}

// A process that has the session and does not answer is worked beside, or that is
// refused.
func TestASilentHolder(t *testing.T) {
	w := newWorld(t)
	path := w.begun()
	p := w.process("p0", model{})
	if _, err := p.open(path); err != nil {
		t.Fatal(err)
	}
	p.die() // but it has the lease
	c, err := w.process("p1", model{}).open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := show(t, c)
	s.notice(t, "also open in another bough")
	s.state(t)
	if c.Joined() != nil {
		t.Error("it has joined a process that does not answer")
	}
}
