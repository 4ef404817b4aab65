package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pauses say how soon what has failed is tried again.
type pauses struct {
	// A server that goes is started again by itself after these, then no more until
	// it is asked for. A call that went well begins the count anew.
	restart []time.Duration

	reach  []time.Duration // between the tries to reach a server by HTTP
	rest   time.Duration   // after which a call tries a server anew that could not be connected to
	stream time.Duration   // how long a server may take to begin the stream of its own messages; some never do, and are used without
}

func usualPauses() pauses {
	return pauses{restart: []time.Duration{time.Second, 5 * time.Second, 25 * time.Second},
		reach: []time.Duration{500 * time.Millisecond, 2 * time.Second}, rest: 30 * time.Second, stream: 5 * time.Second}
}

// closeGrace is how long a connection may take to say goodbye.
const closeGrace = 2 * time.Second

// steady is how long a connection must have lasted for its end not to count with
// those before.
const steady = 10 * time.Minute

// firstVersion is the version of the protocol that is asked for. Servers of a
// newer kind only are found by asking again.
const firstVersion = "2025-11-25"

var (
	errSignIn = errors.New("needs you to sign in")
	errClosed = errors.New("the session is closing")
)

// server is one server with its connection.
type server struct {
	m *Manager
	Server
	cache string
	log   serverLog

	mu       sync.Mutex
	state    State                                            // guarded by mu
	err      error                                            // why it is not connected; guarded by mu
	conn     *connection                                      // guarded by mu
	attempt  *attempt                                         // that is being made; guarded by mu
	offer    offer                                            // guarded by mu
	offered  bool                                             // there is an offer, of now or last time; guarded by mu
	fresh    bool                                             // the offer is of now; guarded by mu
	falls    int                                              // how often it went since a call went well; guarded by mu
	failedAt time.Time                                        // guarded by mu
	pause    *time.Timer                                      // until it is started again; guarded by mu
	wakes    time.Time                                        // when pause ends; guarded by mu
	calls    map[string]func(*mcp.ProgressNotificationParams) // by token; guarded by mu
	token    int                                              // guarded by mu
	version  string                                           // guarded by mu
	software string                                           // guarded by mu
	listing  bool                                             // tools are being listed anew; guarded by mu
	again    bool                                             // and must be once more; guarded by mu
}

// connection is a live one.
type connection struct {
	session *mcp.ClientSession
	proc    *process  // nil for HTTP
	door    *httpDoor // nil for processes
	since   time.Time // when it was made
	ended   chan struct{}
}

// attempt is one try to connect that several may wait for.
type attempt struct {
	done chan struct{}
	conn *connection // after done
	err  error       // after done
}

func (s *server) usable() bool { return s.Err == "" && !s.Server.Disabled }

// start begins to connect if nothing was tried yet.
func (s *server) start() {
	s.mu.Lock()
	idle := s.state == Idle
	if idle {
		s.beginLocked()
	}
	s.mu.Unlock()
	if idle {
		s.m.changed()
	}
}

// retry begins to connect anew if the server has failed.
func (s *server) retry() {
	s.mu.Lock()
	failed := s.attempt == nil && (s.state == Failed || s.state == NeedsSignIn)
	if failed {
		s.falls = 0
		s.beginLocked()
	}
	s.mu.Unlock()
	if failed {
		s.m.changed()
	}
}

// connection returns the connection, and makes it or waits for it if need be. A
// server that has failed is left alone for a while unless force is set.
func (s *server) connection(ctx context.Context, force bool) (*connection, error) {
	if !s.usable() {
		return nil, s.reason()
	}
	s.mu.Lock()
	if s.conn != nil {
		defer s.mu.Unlock()
		return s.conn, nil
	}
	a := s.attempt
	if a == nil {
		if !force {
			if err := s.restingLocked(); err != nil {
				s.mu.Unlock()
				return nil, err
			}
		}
		a = s.beginLocked()
	}
	s.mu.Unlock()
	select {
	case <-a.done:
		return a.conn, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *server) reason() error {
	if s.Err != "" {
		return fmt.Errorf("its entry in %s:%d cannot be used: %s", s.File, s.Line, s.Err)
	}
	return fmt.Errorf("it is switched off in %s:%d", s.File, s.Line)
}

// restingLocked says why a server is not tried again just now, if so.
func (s *server) restingLocked() error {
	switch {
	case s.pause != nil:
		return fmt.Errorf("%w. It is started again in a moment", s.err)
	case s.state == Failed && s.falls > len(s.m.pauses.restart):
		return fmt.Errorf("%w. It went %d times and is left alone until /mcp reconnect %s", s.err, s.falls, s.Name)
	case s.state == Failed && time.Since(s.failedAt) < s.m.pauses.rest:
		return s.err
	}
	return nil
}

// beginLocked makes a try.
func (s *server) beginLocked() *attempt {
	s.stopPauseLocked()
	a := &attempt{done: make(chan struct{})}
	s.attempt = a
	s.state, s.err = Connecting, nil
	if !s.m.goes(func() { s.try(a) }) {
		s.state, s.attempt = Disconnected, nil
		a.err = errClosed
		close(a.done)
	}
	return a
}

func (s *server) stopPauseLocked() {
	if s.pause != nil {
		s.pause.Stop()
		s.pause = nil
	}
}

// try connects and lists the tools; it ends the attempt.
func (s *server) try(a *attempt) {
	conn, o, err := s.connect(s.m.ctx)
	watched := false
	s.mu.Lock()
	s.attempt = nil
	switch {
	case err == nil:
		s.conn, s.state, s.err = conn, Connected, nil
		s.offer, s.offered, s.fresh = o, true, true
		r := conn.session.InitializeResult()
		s.version = r.ProtocolVersion
		if r.ServerInfo != nil {
			s.software = cutText(r.ServerInfo.Name+" "+r.ServerInfo.Version, 100)
		}
		o.write(s.cache)
		watched = s.m.goes(func() { s.watch(conn) })
	case errors.Is(err, errSignIn):
		s.state, s.err = NeedsSignIn, fmt.Errorf("it needs you to sign in: bough mcp login %s", s.Name)
	default:
		s.state, s.err, s.failedAt = Failed, err, time.Now()
	}
	a.conn, a.err = conn, s.err
	s.mu.Unlock()
	close(a.done)
	s.m.changed()
	if err == nil && !watched { // Close was called meanwhile
		s.end(conn)
	}
}

// connect makes a connection and asks for what there is.
func (s *server) connect(ctx context.Context) (*connection, offer, error) {
	r, err := s.resolve(ctx)
	if err != nil {
		return nil, offer{}, err
	}
	s.log.hide(r.secrets)
	s.log.fresh()
	for try := 0; ; try++ {
		conn, o, err := s.connectOnce(ctx, r, firstVersion)
		if err != nil && wantsNewer(err) && ctx.Err() == nil {
			conn, o, err = s.connectOnce(ctx, r, "")
		}
		if err == nil {
			return conn, o, nil
		}
		if r.URL == "" || !errors.Is(err, errTransient) || try == len(s.m.pauses.reach) || ctx.Err() != nil {
			return nil, offer{}, err
		}
		if !sleep(ctx, s.m.pauses.reach[try]) {
			return nil, offer{}, errClosed
		}
	}
}

// errTransient marks an error of HTTP that may pass.
var errTransient = errors.New("cannot be reached")

// sleep reports false if ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *server) connectOnce(ctx context.Context, r resolved, version string) (*connection, offer, error) {
	c := &connection{since: time.Now(), ended: make(chan struct{})}
	var t mcp.Transport
	if r.URL != "" {
		c.door = newDoor(r, s.m.o.HTTP, s.m.pauses.stream)
		t = c.door.transport(r.URL, s.oauth())
	} else {
		proc, err := launch(r.Server, s.m.o.Dir, r.environ, &s.log)
		if err != nil {
			return nil, offer{}, err
		}
		c.proc = proc
		t = proc.transport(&s.log)
	}
	session, err := within(ctx, s.Timeout, func(ctx context.Context) (*mcp.ClientSession, error) {
		return s.client().Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	})
	if err != nil {
		err = s.explain(ctx, c, err)
		s.end(c)
		return nil, offer{}, err
	}
	c.session = session
	o, err := s.list(ctx, c)
	if err != nil {
		err = s.explain(ctx, c, err)
		s.end(c)
		return nil, offer{}, err
	}
	return c, o, nil
}

// errTimeout is for a server that does not answer in time.
var errTimeout = errors.New("no answer in time")

// within runs f and returns when it does, or when time is up. f may go on then:
// it ends with the connection.
func within[T any](ctx context.Context, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f(ctx)
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			r.err = context.Cause(ctx)
		}
		return r.v, r.err
	case <-ctx.Done():
		var zero T
		return zero, context.Cause(ctx)
	}
}

// address is the URL without what may be a key in it.
func (s *server) address() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return "its address"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// refusal returns the error that the server answered with, if it did: the library
// has one of its own of that kind, for what could not be sent.
func refusal(err error) (*jsonrpc.Error, bool) {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return e, ok && e.Message != "rejected by transport"
}

// wantsNewer reports whether a server knows only versions without a handshake.
func wantsNewer(err error) bool {
	e, ok := refusal(err)
	return ok && (e.Code == mcp.CodeUnsupportedProtocolVersion || e.Code == jsonrpc.CodeMethodNotFound)
}

// explain says in plain words why a connection could not be made or has gone.
func (s *server) explain(ctx context.Context, c *connection, err error) error {
	switch {
	case ctx.Err() != nil:
		return errClosed
	case errors.Is(err, errSignIn):
		return errSignIn
	case errors.Is(err, errTokens):
		return errors.New(s.words(err))
	case c.proc != nil:
		if errors.Is(err, errTimeout) {
			return fmt.Errorf("it did not answer within %s; is it an MCP server that talks on its standard input and output? See %s", s.Timeout, s.logFile())
		}
		if c.proc.gone(endGrace) {
			return fmt.Errorf("%s; what it said is in %s", c.proc.state, s.logFile())
		}
		return fmt.Errorf("it cannot be talked to: %s", s.words(err))
	case errors.Is(err, errTimeout):
		return fmt.Errorf("%s did not answer within %s", s.address(), s.Timeout)
	}
	switch status := int(c.door.status.Load()); {
	case status == http.StatusUnauthorized && !s.signsIn():
		return fmt.Errorf("it refuses the Authorization header (401): correct headers.Authorization in %s:%d", s.File, s.Line)
	case status == http.StatusUnauthorized:
		return errSignIn
	case status == http.StatusForbidden:
		return fmt.Errorf("it refuses access (403): %s", s.words(err))
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return fmt.Errorf("there is no MCP server at %s (%d): many have theirs at a path such as /mcp", s.address(), status)
	case c.door.transient() && status == 0:
		return fmt.Errorf("%w: %s", errTransient, s.words(err))
	case c.door.transient():
		return fmt.Errorf("%w: it answers %d %s", errTransient, status, http.StatusText(status))
	}
	return fmt.Errorf("it cannot be talked to: %s", s.words(err))
}

// words are those of an error, in one line, without secrets and without what the
// library says of its own steps.
func (s *server) words(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*url.Error](err); ok {
		text = e.Err.Error()
	} else if e, ok := refusal(err); ok {
		text = e.Message
	}
	for _, own := range []string{"rejected by transport: ", `calling "initialize": `, `sending "initialize": `} {
		text = strings.ReplaceAll(text, own, "")
	}
	return cutText(oneLine(s.log.scrub(text)), 400)
}

// watch waits for the end of a connection.
func (s *server) watch(c *connection) {
	gone := make(chan struct{})
	var why error
	go func() {
		why = c.session.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-c.ended:
	case <-s.m.ctx.Done():
	}
	select {
	case <-gone:
	default:
		why = nil
	}
	s.lost(c, why)
	s.end(c)
}

// lost is called when a connection has gone: by itself unless it is no longer
// the one that counts.
func (s *server) lost(c *connection, why error) {
	s.mu.Lock()
	if s.conn != c {
		s.mu.Unlock()
		return
	}
	s.conn = nil
	s.state = Disconnected
	if s.m.ctx.Err() != nil {
		s.mu.Unlock()
		return
	}
	if time.Since(c.since) > steady {
		s.falls = 0
	}
	s.falls++
	switch {
	case c.proc != nil:
		state := "it closed its output"
		if c.proc.gone(endGrace) {
			state = c.proc.state
		}
		s.err = fmt.Errorf("%s; what it said is in %s", state, s.logFile())
	case why != nil:
		s.err = fmt.Errorf("the connection broke: %s", s.words(why))
	default:
		s.err = errors.New("the connection ended")
	}
	switch {
	case s.falls > len(s.m.pauses.restart):
		s.state, s.failedAt = Failed, time.Now()
	case c.proc != nil:
		d := s.m.pauses.restart[s.falls-1]
		s.wakes = time.Now().Add(d)
		s.pause = time.AfterFunc(d, func() {
			s.mu.Lock()
			if s.pause != nil && s.conn == nil && s.attempt == nil {
				s.beginLocked()
			}
			s.mu.Unlock()
			s.m.changed()
		})
	}
	s.mu.Unlock()
	s.m.changed()
}

// disconnect ends the connection on request and forgets past failures.
func (s *server) disconnect() {
	s.mu.Lock()
	c := s.conn
	s.conn, s.falls = nil, 0
	s.stopPauseLocked()
	if c != nil {
		s.state = Disconnected
	}
	s.mu.Unlock()
	if c != nil {
		close(c.ended)
		s.m.changed()
	}
}

// end closes a connection; a process and all that it started are gone then.
func (s *server) end(c *connection) {
	said := make(chan struct{})
	go func() {
		if c.session != nil {
			_ = c.session.Close() // nothing to do about it
		}
		close(said)
	}()
	if c.proc != nil {
		c.proc.stop()
		s.log.close()
	}
	t := time.NewTimer(closeGrace)
	defer t.Stop()
	select {
	case <-said:
	case <-t.C:
	}
}

// list asks for all that a server offers.
func (s *server) list(ctx context.Context, c *connection) (offer, error) {
	o := offer{Tools: []offered{}}
	r := c.session.InitializeResult()
	o.Instructions = cutText(r.Instructions, maxInstructions)
	if r.Capabilities == nil || r.Capabilities.Resources != nil {
		o.Resources = r.Capabilities != nil
	}
	if r.Capabilities == nil || r.Capabilities.Tools == nil {
		return o, nil
	}
	seen := map[string]bool{}
	cursor := ""
	for {
		page, err := within(ctx, s.Timeout, func(ctx context.Context) (*mcp.ListToolsResult, error) {
			return c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return o, err
		}
		for _, t := range page.Tools {
			if t == nil || t.Name == "" || seen[t.Name] {
				continue
			}
			seen[t.Name] = true
			o.Tools = append(o.Tools, toOffered(t))
		}
		if page.NextCursor == "" || page.NextCursor == cursor || len(o.Tools) >= maxOffered {
			break
		}
		cursor = page.NextCursor
	}
	if len(o.Tools) > maxOffered {
		s.log.print("bough", fmt.Sprintf("it has %d tools; only %d are used", len(o.Tools), maxOffered))
		o.Tools = o.Tools[:maxOffered]
	}
	return o, nil
}

// relist asks for the tools again after the server has said that they changed.
// What it says while that goes on is heard too.
func (s *server) relist(session *mcp.ClientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conn
	if c == nil || c.session != session {
		return
	}
	if s.listing {
		s.again = true
		return
	}
	s.listing = s.m.goes(func() {
		for {
			o, err := s.list(s.m.ctx, c)
			s.mu.Lock()
			current := s.conn == c
			if err == nil && current {
				s.offer = o
			}
			more := s.again && current
			s.again, s.listing = false, more
			s.mu.Unlock()
			if err == nil && current {
				o.write(s.cache)
				s.m.changed()
			}
			if !more {
				return
			}
		}
	})
}

// current is what the server offers, now or last time.
func (s *server) current() offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offer
}

func (s *server) logFile() string {
	if s.m.o.Paths.State == "" {
		return ""
	}
	return filepath.Join(s.m.o.Paths.State, "mcp", s.Name+".log")
}

func (s *server) status() ServerStatus {
	st := ServerStatus{Name: s.Name, Source: s.Source, File: s.File, Line: s.Line, Target: s.Target(), Exposure: s.Exposure, Log: s.logFile()}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.State, st.Cached, st.Version, st.Software, st.Resources = s.state, s.offered && !s.fresh, s.version, s.software, s.offer.Resources
	if s.err != nil {
		st.Err = s.err.Error()
	}
	if s.state == Failed || s.state == Disconnected {
		st.Stderr = s.log.last()
	}
	if s.pause != nil {
		st.Pause = max(0, time.Until(s.wakes))
	}
	for _, t := range s.offer.Tools {
		st.Tools = append(st.Tools, ToolStatus{Name: t.Name, Description: t.Description, ReadOnly: t.ReadOnly, Exposure: s.ExposureOf(t.Name)})
	}
	return st
}
