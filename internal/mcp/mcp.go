// Package mcp connects to the MCP servers of mcp.json and makes tools of what
// they offer.
//
// A server runs, or is connected to, in the background; nothing here waits for
// one unless a tool of it is called or [Manager.Wait] is. What a server offered
// last time is kept in the cache folder, so that its tools can be declared before
// it is there, and with the same bytes as last time.
//
//	New ──▶ Start ──▶ connecting ──▶ connected ──▶ disconnected ──▶ connecting …
//	                      └──▶ failed, needs sign-in
//
// The wire is that of github.com/modelcontextprotocol/go-sdk. Processes and their
// pipes are ours (process.go, stdio.go): whatever a server prints that is no
// message must not end the connection, and what it starts must end with it.
package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// Options say which servers there are and where their things are.
type Options struct {
	Servers []Server     // as [Load] found them
	Dir     string       // the session's directory: where servers run
	Paths   config.Paths // of caches, logs and tokens
	Env     config.Env   // for ${NAME} in values and for HTTP proxies
	Environ []string     // what servers inherit, as os.Environ gives it
	Version string       // of bough, told to servers

	// OnChange, which may be nil, is called when what [Manager.Tools] or
	// [Manager.Status] return has changed. It must return soon.
	OnChange func()

	// Image makes of an image what a model can be sent, or says why not; nil takes
	// images as they are.
	Image func(data []byte, mimeType string) (b message.Block, note string, ok bool)

	HTTP     http.RoundTripper // nil: a transport of its own
	MaxTools int               // how many tools are declared at most, the rest can be searched; 0: 100
	TempDir  string            // of results that are too long; "": the system's
}

// Manager holds the connections to all servers. Its methods may be called by
// several goroutines.
type Manager struct {
	o       Options
	keys    *auth.Keys
	servers []*server
	pauses  pauses

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // all goroutines

	mu      sync.Mutex
	tools   []tool.Tool // guarded by mu; nil: to be made anew
	changes int         // guarded by mu
	closed  bool        // guarded by mu
}

// New returns a manager that has not started anything yet.
func New(o Options) *Manager {
	o.MaxTools = cmp.Or(o.MaxTools, 100)
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	if o.HTTP == nil {
		o.HTTP = newTransport()
	}
	m := &Manager{o: o, keys: auth.New(o.Env, nil), pauses: usualPauses()}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	for _, c := range o.Servers {
		s := &server{m: m, Server: c, state: Idle}
		s.cache, s.log.path = s.cacheFile(), s.logFile()
		switch {
		case c.Err != "":
			s.state, s.err = Invalid, fmt.Errorf("%s", c.Err)
		case c.Disabled:
			s.state = Disabled
		default:
			s.offer, s.offered = readOffer(s.cache)
		}
		m.servers = append(m.servers, s)
	}
	return m
}

// Start begins to connect to all servers and does not wait for them.
func (m *Manager) Start() {
	for _, s := range m.servers {
		s.start()
	}
}

// Wait starts all servers and waits until each is connected or has failed, or
// until ctx ends.
func (m *Manager) Wait(ctx context.Context) {
	m.Start()
	for _, s := range m.servers {
		_, _ = s.connection(ctx, false) // how it went is in its status
	}
}

// Ready starts all servers and waits, until ctx ends, for those of which nothing is
// known from last time: then all tools are declared that there are.
func (m *Manager) Ready(ctx context.Context) {
	m.Start()
	for _, s := range m.servers {
		s.mu.Lock()
		known := s.offered
		s.mu.Unlock()
		if !known {
			_, _ = s.connection(ctx, false) // as above
		}
	}
}

// Close ends all connections and processes and waits for them; a few seconds at
// most.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	for _, s := range m.servers {
		s.mu.Lock()
		s.stopPauseLocked()
		s.mu.Unlock()
	}
	m.work.Wait()
}

// goes starts a goroutine that Close waits for, unless it is too late.
func (m *Manager) goes(f func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.work.Go(f)
	return true
}

// changed makes the tools anew and tells.
func (m *Manager) changed() {
	m.mu.Lock()
	m.tools = nil
	m.changes++
	closed := m.closed
	m.mu.Unlock()
	if m.o.OnChange != nil && !closed {
		m.o.OnChange()
	}
}

// Reconnect connects to a server anew, also if it has failed too often to be
// tried again, and waits for it.
func (m *Manager) Reconnect(ctx context.Context, name string) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	s.disconnect()
	_, err = s.connection(ctx, true)
	return err
}

// Retry begins to connect anew to the servers that have failed, and does not wait
// for them: how it went is in their status.
func (m *Manager) Retry() {
	for _, s := range m.servers {
		s.retry()
	}
}

func (m *Manager) server(name string) (*server, error) {
	i := slices.IndexFunc(m.servers, func(s *server) bool { return sameName(s.Name, name) })
	if i < 0 {
		return nil, fmt.Errorf("there is no MCP server %q: bough mcp list shows those that there are", name)
	}
	return m.servers[i], nil
}

// State is how it stands with a server.
type State string

const (
	Idle         State = "not started"
	Connecting   State = "connecting"
	Connected    State = "connected"
	Disconnected State = "disconnected" // connects again with the next call, or by itself
	Failed       State = "failed"
	NeedsSignIn  State = "needs sign-in"
	Disabled     State = "disabled"
	Invalid      State = "invalid" // its entry cannot be used
)

// ServerStatus is what there is to say of a server.
type ServerStatus struct {
	Name      string
	Source    Source
	File      string
	Line      int
	Target    string // the command or URL as written
	Exposure  string
	State     State
	Err       string        // why it is not connected; "" if it is, or was not tried
	Stderr    []string      // its last lines, if it has failed
	Log       string        // the file that has all of them
	Tools     []ToolStatus  // as it offers them now, or did last time
	Cached    bool          // the tools are those of last time
	Resources bool          // it offers some
	Version   string        // of the protocol
	Software  string        // the server's name and version
	Summary   string        // one line of what it is for
	Pause     time.Duration // until it is started again
}

// ToolStatus is what there is to say of a tool of a server.
type ToolStatus struct {
	Name        string // the server's
	Declared    string // as models know it
	Description string
	Exposure    string // as [Server.ExposureOf] has it
	ReadOnly    bool
}

// Status returns how it stands with all servers, in their order.
func (m *Manager) Status() []ServerStatus {
	named := m.names()
	out := make([]ServerStatus, 0, len(m.servers))
	for _, s := range m.servers {
		st := s.status()
		st.Summary = s.summary()
		for i := range st.Tools {
			st.Tools[i].Declared = named[toolKey{s, st.Tools[i].Name}]
		}
		out = append(out, st)
	}
	return out
}
