package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// A Server lets clients in at a door by HTTP. What it is made of must not change
// once Handler was called.
type Server struct {
	Door    protocol.Door
	Tokens  []Key
	Hosts   []string // names, with their ports, that it has on a network; none: this machine is served alone
	Version string
	MaxBody int64        // bytes of a request; 0: 256 MB
	Log     *slog.Logger // nil: none

	once   sync.Once
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // what goes on without a request

	mu     sync.Mutex        // may be held when a guest's is taken, not the other way round
	guests map[string]*guest // guarded by mu
	closed bool              // guarded by mu
	number uint64            // for the events of the next feed; guarded by mu
}

func (s *Server) begin() {
	s.once.Do(func() {
		s.ctx, s.cancel = context.WithCancel(context.Background())
		s.guests = map[string]*guest{}
		if s.Log == nil {
			s.Log = slog.New(slog.DiscardHandler)
		}
		if s.MaxBody == 0 {
			s.MaxBody = 256 << 20
		}
	})
}

// nextNumber is where a feed begins to count, so that the numbers of one are never
// those of another.
func (s *Server) nextNumber() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number += 1 << 32
	return s.number
}

// Handler returns what serves requests.
func (s *Server) Handler() http.Handler {
	s.begin()
	mux := http.NewServeMux()
	for _, route := range []struct {
		method, path string
		h            http.Handler
	}{
		{"GET", "/health", http.HandlerFunc(s.health)},
		{"POST", "/open", s.let(s.open)},
		{"POST", "/do", s.let(s.do)},
		{"GET", "/events", s.let(s.events)},
		{"DELETE", "/clients/{id}", s.let(s.leave)},
	} {
		mux.Handle(route.method+" "+prefix+route.path, route.h)
		mux.HandleFunc(prefix+route.path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", route.method)
			refuse(w, failure{http.StatusMethodNotAllowed, protocol.BadRequest, "this address takes " + route.method})
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, failure{http.StatusNotFound, protocol.NotFound, "there is nothing at this address; see bough help remote"})
	})
	return s.guard(mux)
}

// Close ends all streams and leaves all sessions.
func (s *Server) Close() {
	s.begin()
	s.mu.Lock()
	s.closed = true
	guests := s.guests
	s.guests = nil
	s.mu.Unlock()
	s.cancel()
	for _, g := range guests {
		g.close()
	}
	s.work.Wait()
}

// failure is an answer that is an error.
type failure struct {
	status int
	code   protocol.Code
	text   string
}

func refuse(w http.ResponseWriter, f failure) {
	b, _ := protocol.EncodeAnswer("", nil, &protocol.Error{Code: f.code, Text: f.text}) // an error is always written
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	reply(w, f.status, b)
}

func reply(w http.ResponseWriter, status int, b []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)+1))
	w.WriteHeader(status)
	slow := &patient{w: w, rc: http.NewResponseController(w)}
	if _, err := slow.Write(b); err == nil {
		slow.Write([]byte("\n")) // the client has gone if that fails, and asks again
	}
}

// patient writes in pieces, each within its time.
type patient struct {
	w  io.Writer
	rc *http.ResponseController
}

func (p *patient) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		// Not all connections have deadlines; those of tests do without.
		p.rc.SetWriteDeadline(time.Now().Add(writeWithin))
		var m int
		m, err = p.w.Write(b[n:min(len(b), n+1<<20)])
		n += m
	}
	return n, err
}

// statusOf is the status of an error with a code.
func statusOf(code protocol.Code) int {
	switch code {
	case protocol.BadRequest:
		return http.StatusBadRequest
	case protocol.UnknownCommand, protocol.UnknownEntry, protocol.UnknownSession, protocol.NotFound, UnknownClient:
		return http.StatusNotFound
	case protocol.Busy, protocol.Compacting, protocol.Cancelled:
		return http.StatusConflict
	case protocol.NoModel, protocol.NoAuth, protocol.NotRunnable:
		return http.StatusUnprocessableEntity
	case Closed:
		return http.StatusGone
	case Forbidden:
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}

// inCodes gives an error of the service its code.
func inCodes(err error) error {
	if errors.Is(err, protocol.ErrClosed) {
		return &protocol.Error{Code: Closed, Text: err.Error()}
	}
	h, ok := errors.AsType[*session.LeasedError](err)
	switch {
	case !ok:
		return err
	case h.Addr == "":
		return protocol.Fail(protocol.Busy, "This session is open in another bough (process %d), which nobody can join. End that one first.", h.PID)
	}
	return protocol.Fail(protocol.Busy, "This session is open in another bough (process %d). That one answers at http://%s, with the same token.", h.PID, h.Addr)
}

// refuseWith answers with an error of the service.
func refuseWith(w http.ResponseWriter, name string, err error) {
	err = inCodes(err)
	b, _ := protocol.EncodeAnswer(name, nil, err) // an error is always written
	reply(w, statusOf(protocol.CodeOf(err)), b)
}

// let lets in who has a token, and tells the handler what that is worth.
func (s *Server) let(h func(http.ResponseWriter, *http.Request, Role)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		role, ok := s.role(r)
		switch {
		case !ok:
			s.Log.Warn("a request without a valid token", "peer", r.RemoteAddr, "path", r.URL.Path)
			refuse(w, failure{http.StatusUnauthorized, Unauthorized, "a valid token is needed, in the header Authorization: Bearer TOKEN"})
		case s.ctx.Err() != nil:
			refuse(w, failure{http.StatusGone, Closed, "this process is about to end"})
		default:
			h(w, r, role)
		}
	})
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	b := rawjson.AppendString([]byte(`{"ok":true,"version":`), s.Version)
	if fromHere(r) {
		b = fmt.Appendf(b, `,"pid":%d`, os.Getpid())
	}
	reply(w, http.StatusOK, append(b, '}'))
}

// body reads the JSON of a request.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if typ, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || typ != "application/json" {
		refuse(w, failure{http.StatusUnsupportedMediaType, protocol.BadRequest, "the body must be JSON, with the header Content-Type: application/json"})
		return nil, false
	}
	large := failure{http.StatusRequestEntityTooLarge, TooLarge, fmt.Sprintf("the request is larger than %d MB", s.MaxBody>>20)}
	if r.ContentLength > s.MaxBody {
		refuse(w, large)
		return nil, false
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		refuse(w, large)
		return nil, false
	} else if err != nil {
		refuse(w, failure{http.StatusBadRequest, protocol.BadRequest, "the request broke off"})
		return nil, false
	}
	return b, true
}

// open opens a session and lets a client stand at it.
func (s *Server) open(w http.ResponseWriter, r *http.Request, role Role) {
	b, ok := s.body(w, r)
	if !ok {
		return
	}
	o, err := protocol.DecodeOpen(b)
	if err != nil {
		refuseWith(w, "open", err)
		return
	}
	if s, given := rawjson.GetString(b, "session"); given && s == "" { // of a script that found no session
		refuse(w, failure{http.StatusBadRequest, protocol.BadRequest, "the field \"session\" is empty; it is left out for a new session"})
		return
	}
	if role == Viewer && (o.Session == "" || o.Create || o.Entry != nil || o.CWD != "" || o.Own || isPath(o.Session)) {
		refuse(w, failure{http.StatusForbidden, Forbidden, "a viewer can only look at a session that there is, by its id"})
		return
	}
	g, err := s.letIn(r.Context(), randomID(), false, o)
	if err != nil {
		refuseWith(w, "open", err)
		return
	}
	defer g.release()
	opened, err := g.where(r.Context())
	if err != nil {
		s.drop(g)
		refuseWith(w, "open", err)
		return
	}
	at := opening{Client: g.id, Session: opened.Header.ID, File: opened.File}
	at.Machine, at.Inode = place(opened.File)
	s.Log.Info("a client has come", "client", g.id[:8], "session", at.Session, "who", o.Who, "role", role.String())
	reply(w, http.StatusOK, at.encode())
}

// where returns what a client stands at. What people are told of the session, once,
// is kept for the first stream.
func (g *guest) where(ctx context.Context) (protocol.Opened, error) {
	var opened protocol.Opened
	for ev, err := range g.c.Watch(ctx, ^session.Seq(0)) {
		if err != nil {
			return opened, err
		}
		switch e := ev.(type) {
		case protocol.Opened:
			opened = e
		case protocol.Notice:
			g.mu.Lock()
			g.notices = append(g.notices, e)
			g.mu.Unlock()
		case protocol.State:
			return opened, nil
		}
	}
	return opened, protocol.ErrClosed
}

// do carries out a command.
func (s *Server) do(w http.ResponseWriter, r *http.Request, role Role) {
	b, ok := s.body(w, r)
	if !ok {
		return
	}
	cmd, err := protocol.DecodeCommand(b)
	if err != nil {
		refuseWith(w, commandName(b), err)
		return
	}
	name := cmd.Name()
	if need, _ := needs(name); role < need {
		refuse(w, failure{http.StatusForbidden, Forbidden, fmt.Sprintf("%s needs the role %s", name, need)})
		return
	}
	g, f := s.guest(r, ofLibrary(name))
	if f != nil {
		refuse(w, *f)
		return
	}
	defer g.release()
	if g.shared && moves(name) {
		refuse(w, failure{http.StatusBadRequest, protocol.BadRequest,
			fmt.Sprintf("%s goes over to another session, which needs a client of your own: POST %s/open first, then ?client=ID", name, prefix)})
		return
	}
	a, err := g.do(r.Context(), r.Header.Get(headerKey), cmd, b)
	switch {
	case r.Context().Err() != nil && err != nil: // nobody listens any more
	case err != nil:
		refuseWith(w, name, err)
	default:
		reply(w, a.status, a.body)
	}
}

func commandName(b []byte) string {
	if !rawjson.Valid(b) {
		return ""
	}
	name, _ := rawjson.GetString(b, "type")
	return name
}

// leave lets a client go.
func (s *Server) leave(w http.ResponseWriter, r *http.Request, _ Role) {
	s.mu.Lock()
	g := s.guests[r.PathValue("id")]
	s.mu.Unlock()
	if g == nil || g.shared {
		refuse(w, noClient)
		return
	}
	s.drop(g)
	w.WriteHeader(http.StatusNoContent)
}

var noClient = failure{http.StatusNotFound, UnknownClient, "there is no such client (any more); POST " + prefix + "/open gives another one"}
