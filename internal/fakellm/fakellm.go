// Package fakellm is a scriptable stand-in for several model APIs, for tests. It
// listens on the loopback address only and answers as a script of
// internal/script says; what it says depends on nothing but the requests, ids
// and times included.
//
// Any prefix before these paths is accepted, /v1 or others:
//
//	POST …/chat/completions       OpenAI Chat Completions
//	POST …/mistral/v1/chat/completions   Mistral's own form of it
//	POST …/responses              OpenAI Responses
//	POST …/messages               Anthropic Messages
//	POST …/messages/count_tokens
//	POST …/models/ID:streamGenerateContent, …/models/ID:generateContent   Google
//	POST …/model/ID/converse-stream, …/converse   Amazon Bedrock
//	GET  …/models, …/models/ID    Anthropic's if the request has anthropic-version
//
// With "stream": true, or stream… in the path, the answer is an event stream.
// Besides:
//
//	GET  /__fake/health, /__fake/requests, /__fake/holds
//	POST /__fake/release/NAME     lets the reply at that hold go on
//	POST /__fake/reset            counters, holds and the log of requests
//	POST /__fake/script           the body replaces the script
//
// A test starts a server and tells the client under test its URL:
//
//	s := fakellm.Start(t, fakellm.Options{Script: fakellm.MustParse(`[{"reply":{"text":"Hi."}}]`)})
//	client.BaseURL = s.URL + "/v1"
package fakellm

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/script"
)

// Script is a script of internal/script, where its format is told.
type Script = script.Script

// MustParse reads a script that is known to be good.
func MustParse(text string) *Script {
	s, err := script.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return s
}

// Options say how a server behaves.
type Options struct {
	Script *Script // the server plays a copy; nil: the built-in behaviour

	// Strict refuses with status 400 what a real server would refuse: orphan
	// tool results, unanswered calls, missing max_tokens and so on. Without it
	// such requests are only noted, see Request.Violations.
	Strict bool

	Chunk  int           // characters in a piece, where the script does not say; 0: 16
	Delay  time.Duration // before each piece, where the script does not say
	Models []string      // for GET /models; those of the script win
	Log    io.Writer     // gets a line of JSON for each request and for its end; nil: none
}

// Server is a fake model server. It is an [http.Handler], too.
type Server struct {
	URL  string // http://127.0.0.1:PORT, once it listens
	Port int

	o      Options
	script *script.Script
	pace   script.Pace

	mu       sync.Mutex
	requests []*record     // guarded by mu
	changed  chan struct{} // closed when a request begins or ends; guarded by mu
	closed   bool          // guarded by mu

	writing  sync.Mutex // held while a line is written to o.Log
	handlers sync.WaitGroup
	serving  sync.WaitGroup
	http     *http.Server
	stop     context.CancelFunc
}

var _ http.Handler = (*Server)(nil)

// New makes a server that does not listen yet.
func New(o Options) *Server {
	s := &Server{o: o, script: script.Empty(), pace: script.Pace{Chunk: o.Chunk, Delay: o.Delay}, changed: make(chan struct{})}
	if o.Script != nil {
		s.script = o.Script.Copy()
	}
	return s
}

// Start makes a server that listens on a free port until the test is over.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := New(o)
	if err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Listen starts to serve on a port of the loopback address, 0 for a free one.
func (s *Server) Listen(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("fakellm: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.URL, s.Port = "http://"+l.Addr().String(), l.Addr().(*net.TCPAddr).Port
	s.http = &http.Server{Handler: s, BaseContext: func(net.Listener) context.Context { return ctx }}
	s.serving.Go(func() {
		_ = s.http.Serve(l) // its only end is Close
	})
	return nil
}

// Close breaks off all replies and connections and waits for their end.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if s.http != nil {
		s.stop()
		_ = s.http.Close() // the listener is of no use to anybody now
	}
	s.handlers.Wait()
	s.serving.Wait()
}

// Release lets the reply go on that has waited longest at the holds of that
// name. If none waits, the next one that comes there need not.
func (s *Server) Release(name string) { s.script.Release(name) }

// AwaitHold returns when a reply waits at the hold of that name, or with the
// error of ctx.
func (s *Server) AwaitHold(ctx context.Context, name string) error {
	return s.script.AwaitHold(ctx, name)
}

// AwaitHang returns when a reply hangs, or with the error of ctx.
func (s *Server) AwaitHang(ctx context.Context) error { return s.script.AwaitHang(ctx) }

// SetScript replaces the rules. Requests are counted on, and what waits goes on
// waiting.
func (s *Server) SetScript(to *Script) { s.script.Replace(to) }

// Reset starts all over: counters, holds, releases and the log of requests.
func (s *Server) Reset() {
	s.script.Reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// Requests returns the requests so far, in the order they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, len(s.requests))
	for i, r := range s.requests {
		out[i] = r.Request
	}
	return out
}

// Await returns request n, counted from 1, when it is over, or the error of ctx.
func (s *Server) Await(ctx context.Context, n int) (Request, error) {
	for {
		s.mu.Lock()
		i := slices.IndexFunc(s.requests, func(r *record) bool { return r.N == n && r.Over })
		var got Request
		if i >= 0 {
			got = s.requests[i].Request
		}
		changed := s.changed
		s.mu.Unlock()
		if i >= 0 {
			return got, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("request %d: %w", n, ctx.Err())
		}
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	s.handlers.Add(1)
	s.mu.Unlock()
	defer s.handlers.Done()
	s.route(w, r)
}
