// Package control is the session service: it owns live sessions, runs agents in
// them, and carries out the commands of front ends.
//
//	Hub      many sessions, by id
//	Session  one of them, owned by one goroutine
//	Conn     one front end, which stands at one session
//	Door     opens further ones for a front end that stands at several
//
// All policy between two turns of a run is in next.go.
package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/boughdev/bough/internal/journal"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// Options are what sessions are run with.
type Options struct {
	Models Models

	// Setup makes what a session works with, and says what was odd about the
	// files that it is made of. old is the setup that it is to take the place of,
	// or nil. It may still be at work, and is closed later or, if something came in
	// between, goes on; so only what is safe meanwhile may be taken over from it.
	// Setup is not called by the owner. Nil: a model without tools and instructions.
	Setup func(ctx context.Context, p Place, was Was, old Setup) (Setup, []string)

	// Settings shows and changes settings. Nil: there are none to see.
	Settings Settings

	Retry      Retry
	Compaction Compaction
	MaxTurns   int // of one run; 0: no limit

	BranchReserve int64 // tokens to keep free when a branch is summed up

	Budget   Budget
	Accounts Accounts // nil: what other sessions took is not known
	Asks     bool     // there are people who answer questions

	CacheNotices bool // say when a provider has lost much of its cache

	// Of the queues: deliver all at once, or one message each time.
	AllSteering, AllFollowUp bool

	// Follow looks for what other programs append, see rest.
	Follow bool

	// Changes calls changed, on any goroutine, when something has happened to the file
	// of a path, until stop is called. Nil: nobody says so, and it is looked at.
	Changes func(path string, changed func()) (stop func())

	// Find finds the entry that a person means by Start.AtWord. Nil: by its id or
	// label.
	Find func(*session.Tree, string) (session.ID, error)

	// Export writes a conversation to a file. Nil: there are no exports.
	Export func(context.Context, Exporting, protocol.Export) (protocol.Exported, error)

	// FindSession completes the start of a session that somebody switches to by that
	// word. Nil: it is an id or a path.
	FindSession func(ctx context.Context, start Start, word string) (Start, error)

	// Library has all sessions. Nil: there are none to see.
	Library Library

	// Early puts model and thinking level on the path of a session as it begins, not
	// with the first request.
	Early bool

	// InOrder records the results of tools in the order of their calls. Without it
	// each is recorded as soon as it is there.
	InOrder bool

	// Lost is told when a session is closed of which so many entries could never
	// be written. Nil: nobody is.
	Lost func(entries int, err error)

	// Recall makes a tool that reads what compaction has hidden in the session that
	// at returns. It is on where there are tools, and something is hidden. Nil: none.
	Recall func(at func(context.Context) (*session.Tree, session.ID, error)) tool.Tool

	// AutoTitle has a session named by its model after the first run, if a person
	// follows it.
	AutoTitle bool

	// Journal is where answers that are being streamed and messages that wait are
	// kept for the case that the process dies. "": nowhere.
	Journal journal.Dir

	// Address says where this process answers others who want to join a session that
	// it runs. It is asked when the first lease is taken. Nil: nowhere.
	Address func() string

	// Alone refuses to open a session that another process runs and answers for, with
	// a *session.LeasedError: who asked is to join it there. See Start.Beside.
	Alone bool

	// Linger lets what goes on in a session come to its end when nobody stands at it
	// any more.
	Linger bool

	Log *slog.Logger // nil: none
}

// Retry says how transient failures of a model are met.
type Retry struct {
	Max  int           // tries after the first; 0: none
	Base time.Duration // before the first of them; it doubles
	Most time.Duration // before any of them, of our own accord; 0: a minute

	// Asked is the longest wait that a provider may ask for; 0: a minute, less:
	// any.
	Asked time.Duration
}

// Models is where models come from.
type Models interface {
	// Available lists the models that can be asked, in the order of the
	// configuration.
	Available() []provider.Info
	// Model returns one of them.
	Model(provider, id string) (provider.Model, error)
	// Default returns the model of new sessions, and why it is that one where
	// this is worth a word.
	Default() (provider.Model, string, error)
	// Thinking returns the level that a model is asked with unless a session
	// says otherwise.
	Thinking(provider.Info) string
}

// Place says where a session works and lies.
type Place struct {
	Dir       string // the working directory
	SessionID func() string
	File      func() string // "" if kept in memory
	Model     func() (provider.Info, string)
}

// Start says which session a front end is to stand at.
type Start struct {
	Store session.Store // nil: in memory only

	// Open is the id or path of a session that exists. Without it a new one is
	// begun, with the header New.
	Open string
	New  session.Header
	File string // where a new session will lie, if it is kept

	Dir    string // to work in; "": the session's own
	AtWord string // the entry to stand at, see Options.Find; "": where the session stood last

	// Own opens a view of its own, also if the session is live already: with a leaf,
	// queues, a model and runs of its own. What it says is a branch in the same log.
	Own bool

	// Main makes such a view the main one if there is none.
	Main bool

	// Entry is where to stand, in place of AtWord, "" before the first entry; nil:
	// see AtWord. A place between a tool call and its results becomes that behind
	// the last result, unless Exact is set.
	Entry *session.ID
	Exact bool

	Beside bool // open it also if another process runs it, whatever Options.Alone says

	Provider, Model string // "" : the session's, else the default
	Thinking        string
	AsWas           bool   // a session that has been talked in goes on with its own, whatever these say
	Label           string // names the session

	Who string // the front end, as others are told what it does; see protocol.Open

	copied [][]byte // entries of a new session, not to be written yet
}

// Hub has the sessions that are live in this process.
type Hub struct {
	opts Options

	mu       sync.Mutex
	sessions map[string]*Session      // see keyOf, and a number for views of their own; guarded by mu
	busy     map[string]chan struct{} // of sessions that are being started or closed; closed after that; guarded by mu
	starting int                      // sessions; guarded by mu
	changes  []Change                 // while sessions are started, which lack them; guarded by mu
	closed   bool                     // guarded by mu
	fewer    chan struct{}            // closed when there are fewer sessions; nil: nobody waits; guarded by mu

	views atomic.Int64 // of their own, so far

	lingering sync.WaitGroup // sessions that nobody stands at
}

// NewHub makes a hub without sessions.
func NewHub(o Options) *Hub {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Lost == nil {
		o.Lost = func(int, error) {}
	}
	if o.Retry.Most == 0 {
		o.Retry.Most = time.Minute
	}
	if o.Retry.Asked == 0 {
		o.Retry.Asked = time.Minute
	}
	return &Hub{opts: o, sessions: map[string]*Session{}, busy: map[string]chan struct{}{}}
}

// Connect returns a client that stands at the session of start. The caller must
// close it.
func (h *Hub) Connect(ctx context.Context, start Start) (*Conn, error) {
	s, err := h.open(ctx, start)
	if err != nil {
		return nil, err
	}
	return newConn(h, s, start), nil
}

// open returns a session that is live already, or makes it so. The caller holds
// it until it calls leave. Who opens one does not wait for others to be started.
func (h *Hub) open(ctx context.Context, start Start) (*Session, error) {
	for {
		live, err := load(ctx, start)
		if err != nil {
			return nil, err
		}
		e, err := h.enter(keyOf(live, start), start)
		if err == nil && e.begin {
			return h.begin(ctx, live, start, e)
		}
		live.Close() // of no use
		if err != nil || e.s != nil {
			return e.s, err
		}
		select {
		case <-e.busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// entering is what is to be done about a session that somebody wants to open.
type entering struct {
	s    *Session      // it is live
	busy chan struct{} // it is just being started or closed: ask again when this is closed

	begin   bool // it is to be begun
	key     string
	own     bool
	opts    Options
	changes int // of the hub, so far
}

func (h *Hub) enter(key string, start Start) (entering, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return entering{}, protocol.ErrClosed
	}
	s, busy := h.sessions[key], h.busy[key]
	own := start.Own && !(start.Main && s == nil)
	switch {
	case own && s != nil && start.Open == "":
		return entering{}, errOnePlace
	case own:
		key += fmt.Sprintf("\x00%d", h.views.Add(1))
	case busy != nil:
		return entering{busy: busy}, nil
	case s != nil:
		s.holders++
		return entering{s: s}, nil
	}
	h.busy[key] = make(chan struct{})
	h.starting++
	return entering{begin: true, key: key, own: own, opts: h.opts, changes: len(h.changes)}, nil
}

// errOnePlace is for who wants a place of their own in a session that is in no log
// yet.
var errOnePlace = protocol.Fail(protocol.NotRunnable, "Nothing has been said in that session yet, so there is only one place in it to stand at.")

// join returns the main view of a session that is live and was perhaps never
// written, by its path or id; nil if there is none. The caller holds it until it
// calls leave.
func (h *Hub) join(word string) *Session {
	abs, err := filepath.Abs(word)
	if err != nil {
		abs = word
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, s := range h.sessions {
		if key == word || key == abs || strings.HasSuffix(key, "_"+word+".jsonl") {
			s.holders++
			return s
		}
	}
	return nil
}

// begin starts a session.
func (h *Hub) begin(ctx context.Context, live *session.Session, start Start, e entering) (*Session, error) {
	start.Own = e.own
	s, err := newSession(ctx, h, live, start, e)
	h.mu.Lock()
	h.idleLocked(e.key)
	missed := h.changes[e.changes:]
	if h.starting--; h.starting == 0 {
		h.changes = nil
	}
	closed := h.closed
	if err == nil && !closed {
		s.holders = 1
		h.sessions[e.key] = s
	}
	h.mu.Unlock()
	switch {
	case err != nil:
		live.Close() // the error of starting is the one to tell
		return nil, err
	case closed:
		s.close()
		return nil, protocol.ErrClosed
	}
	for _, c := range missed {
		s.adjust(ctx, c)
	}
	if h.views.Load() > 0 {
		s.post(s.look) // what other views have said meanwhile
	}
	return s, nil
}

// idleLocked lets those go on who wait for a session to be started or closed.
func (h *Hub) idleLocked(key string) {
	close(h.busy[key])
	delete(h.busy, key)
	if h.fewer != nil {
		close(h.fewer)
		h.fewer = nil
	}
}

// keyOf tells sessions apart: by their files, since copies of a file have one id,
// or by their ids.
func keyOf(live *session.Session, start Start) string {
	path := start.File
	if p, ok := live.Log().(interface{ Path() string }); ok {
		path = p.Path()
	}
	if path == "" {
		return live.Header().ID
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

func load(ctx context.Context, start Start) (*session.Session, error) {
	if start.Open == "" {
		return session.New(start.Store, start.New, start.copied...)
	}
	if start.Store == nil {
		return nil, fmt.Errorf("open session %s: sessions are kept in memory only", start.Open)
	}
	s, err := session.Open(ctx, start.Store, start.Open)
	if errors.Is(err, session.ErrNotFound) {
		return nil, &protocol.Error{Code: protocol.UnknownSession, Text: err.Error(), Err: err}
	}
	return s, err
}

// stir lets the other views of a session's log look what is new in it.
func (h *Hub) stir(s *Session) {
	if h.views.Load() == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	log, _, _ := strings.Cut(s.key, "\x00")
	for key, other := range h.sessions {
		if of, _, _ := strings.Cut(key, "\x00"); of != log || other == s {
			continue
		}
		select {
		case other.mail <- other.look:
		default: // it has much to do, and looks before it appends
		}
	}
}

// leave gives up a session; nobody's session is closed.
func (h *Hub) leave(s *Session) {
	h.mu.Lock()
	s.holders--
	last := s.holders == 0 && h.sessions[s.key] == s
	if last && h.opts.Linger && !h.closed {
		h.lingering.Go(func() {
			s.rest()
			h.drop(s)
		})
		last = false
	}
	h.mu.Unlock()
	if last {
		h.drop(s)
	}
}

// drop closes a session unless somebody has come to it meanwhile. Who opens it
// again waits until it is closed.
func (h *Hub) drop(s *Session) {
	h.mu.Lock()
	if s.holders > 0 || h.sessions[s.key] != s {
		h.mu.Unlock()
		return
	}
	delete(h.sessions, s.key)
	h.busy[s.key] = make(chan struct{})
	h.mu.Unlock()
	s.close()
	h.mu.Lock()
	h.idleLocked(s.key)
	h.mu.Unlock()
}

// Close ends all sessions: what runs is aborted, and what was said is kept.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	var (
		all  []*Session
		busy []chan struct{}
	)
	for _, s := range h.sessions {
		all = append(all, s)
	}
	for _, b := range h.busy {
		busy = append(busy, b)
	}
	clear(h.sessions)
	h.mu.Unlock()
	for _, s := range all {
		s.close()
	}
	for _, b := range busy {
		<-b
	}
	h.lingering.Wait()
}
