package remote

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/protocol"
)

// A guest is a client of somebody at the other end.
type guest struct {
	s      *Server
	id     string
	shared bool // of all who say ?session=
	c      protocol.Client
	leave  func()
	ctx    context.Context // ends when it is let go
	cancel context.CancelFunc

	syncing sync.Mutex // held while a Sync is carried out, and while it is looked which were
	synced  []string   // the last ones; guarded by syncing

	mu      sync.Mutex
	busy    int                // requests and streams; guarded by mu
	timer   *time.Timer        // guarded by mu
	feeds   map[string]*feed   // by the names of streams; guarded by mu
	errands map[string]*errand // by their keys; guarded by mu
	keys    []string           // of errands, the oldest first; guarded by mu
	notices []protocol.Notice  // that no stream has told yet; guarded by mu
	closed  bool               // guarded by mu
}

// errand is a command that may be asked for again, because its answer was lost.
type errand struct {
	of   [sha256.Size]byte // the body of the request
	done chan struct{}
	a    answer // once done is closed
	err  error
}

type answer struct {
	status int
	body   []byte
}

const mostErrands = 256

// letIn opens a session for a client that is busy until it is released. If one of
// that id has come meanwhile it is that one.
func (s *Server) letIn(ctx context.Context, id string, shared bool, o protocol.Open) (*guest, error) {
	c, leave, err := s.Door.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	g := &guest{s: s, id: id, shared: shared, c: c, leave: sync.OnceFunc(leave), busy: 1, feeds: map[string]*feed{}, errands: map[string]*errand{}}
	g.ctx, g.cancel = context.WithCancel(s.ctx)
	s.mu.Lock()
	closed, other := s.closed, s.guests[id]
	if other != nil && !other.hold() {
		other = nil
	}
	if !closed && other == nil {
		s.guests[id] = g
	}
	s.mu.Unlock()
	switch {
	case closed:
		g.close()
		return nil, protocol.ErrClosed
	case other != nil:
		g.close()
		return other, nil
	}
	return g, nil
}

// guest returns the client that a request is of, which may do without a session if
// anywhere is set. It is busy until it is released.
func (s *Server) guest(r *http.Request, anywhere bool) (*guest, *failure) {
	q := r.URL.Query()
	id, at := q.Get("client"), q.Get("session")
	if id != "" && at != "" || id == "" && at == "" && !anywhere {
		return nil, &failure{http.StatusBadRequest, protocol.BadRequest, "say whose command it is, with ?client=ID or ?session=ID"}
	}
	if id != "" {
		if g := s.find(id); g != nil && !g.shared {
			return g, nil
		}
		return nil, &noClient
	}
	if isPath(at) {
		return nil, &failure{http.StatusBadRequest, protocol.BadRequest, "?session= takes the id of a session; POST " + prefix + "/open takes a path too"}
	}
	id = "session " + at
	if g := s.find(id); g != nil {
		return g, nil
	}
	g, err := s.letIn(r.Context(), id, true, protocol.Open{Session: at, Who: "http"})
	if err != nil {
		err = inCodes(err)
		return nil, &failure{statusOf(protocol.CodeOf(err)), protocol.CodeOf(err), err.Error()}
	}
	return g, nil
}

func isPath(at string) bool { return strings.ContainsAny(at, `/\`) || strings.HasSuffix(at, ".jsonl") }

func (s *Server) find(id string) *guest {
	s.mu.Lock()
	g := s.guests[id]
	s.mu.Unlock()
	if g == nil || !g.hold() {
		return nil
	}
	return g
}

func (g *guest) hold() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.busy++
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	return true
}

func (g *guest) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
	g.waitLocked()
}

func (g *guest) waitLocked() {
	if g.busy == 0 && !g.closed {
		g.timer = time.AfterFunc(leaveAfter, g.expire)
	}
}

// expire lets a client go that nobody has asked anything of for a while. A run that
// it may have begun is waited for, unless that waits for people.
func (g *guest) expire() {
	g.s.mu.Lock()
	if g.s.closed {
		g.s.mu.Unlock()
		return
	}
	g.s.work.Add(1)
	g.s.mu.Unlock()
	defer g.s.work.Done()
	ctx, cancel := context.WithTimeout(g.ctx, 10*time.Second)
	st, err := protocol.Call(ctx, g.c, protocol.GetState{})
	cancel()
	g.mu.Lock()
	if g.busy > 0 || g.closed {
		g.mu.Unlock()
		return
	}
	if err == nil && st.Running && len(st.Open) == 0 {
		g.waitLocked()
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	g.s.drop(g)
}

// drop lets a client go.
func (s *Server) drop(g *guest) {
	s.mu.Lock()
	if s.guests[g.id] == g {
		delete(s.guests, g.id)
	}
	s.mu.Unlock()
	g.close()
}

func (g *guest) close() {
	g.mu.Lock()
	g.closed = true
	if g.timer != nil {
		g.timer.Stop()
	}
	g.mu.Unlock()
	g.cancel()
	g.leave()
}

// do carries out a command. With a key it is done once, however often it is asked
// for, and goes on if nobody waits for it.
func (g *guest) do(ctx context.Context, key string, cmd protocol.Request, body []byte) (answer, error) {
	if key == "" {
		return g.carryOut(ctx, cmd)
	}
	of := sha256.Sum256(body)
	g.mu.Lock()
	e := g.errands[key]
	if e == nil && g.closed {
		g.mu.Unlock()
		return answer{}, protocol.ErrClosed
	}
	if e == nil {
		e = &errand{of: of, done: make(chan struct{})}
		g.rememberLocked(key, e)
		g.busy++
		g.s.work.Go(func() {
			defer g.release()
			e.a, e.err = g.carryOut(g.ctx, cmd)
			close(e.done)
		})
	}
	g.mu.Unlock()
	if e.of != of {
		return answer{}, protocol.Fail(protocol.BadRequest, "The %s was that of another command. Each command needs one of its own.", headerKey)
	}
	select {
	case <-e.done:
		return e.a, e.err
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// rememberLocked keeps an errand, and forgets the oldest that is done if there are
// many.
func (g *guest) rememberLocked(key string, e *errand) {
	g.errands[key] = e
	g.keys = append(g.keys, key)
	if len(g.keys) <= mostErrands {
		return
	}
	for i, k := range g.keys {
		select {
		case <-g.errands[k].done:
			delete(g.errands, k)
			g.keys = append(g.keys[:i:i], g.keys[i+1:]...)
			return
		default:
		}
	}
}

func (g *guest) carryOut(ctx context.Context, cmd protocol.Request) (answer, error) {
	if c, ok := cmd.(protocol.Sync); ok {
		// A stream that has just begun anew may come too late for it.
		g.syncing.Lock()
		defer g.syncing.Unlock()
		g.synced = append(g.synced[max(0, len(g.synced)-63):], c.ID)
	}
	v, err := g.c.Do(ctx, cmd)
	if err != nil {
		return answer{}, err
	}
	b, err := protocol.EncodeAnswer(cmd.Name(), v, nil)
	return answer{http.StatusOK, b}, err
}
