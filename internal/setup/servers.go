package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/mcp"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/tool/builtin"
)

// serverWait is how long a first prompt waits for MCP servers whose tools are not
// known from last time.
const serverWait = 10 * time.Second

// servers are the MCP servers of a session. A setup that takes the place of
// another goes on with those of the first if they are the same.
type servers struct {
	manager *mcp.Manager
	list    []mcp.Server
	changed chan struct{}
	waited  bool // a prompt has waited for them

	told map[string]bool // that they failed, by name; the session's owner's

	mu    sync.Mutex
	users int // guarded by mu: the setups that work with them
}

// connect begins to connect to the MCP servers of a folder. A setup that goes
// before shares its own if they are the same; those of them that failed are tried
// again.
func (m *Maker) connect(p control.Place, trusted bool, images builtin.ImageLimits, old *setup) (*servers, []string) {
	list, problems := mcp.Load(m.Paths, p.Dir, trusted)
	if m.Brought != nil {
		list = mcp.Beside(list, m.Brought(p.Dir))
	}
	var odd []string
	for _, pr := range problems {
		odd = append(odd, pr.String())
	}
	if old != nil && old.servers != nil && reflect.DeepEqual(old.servers.list, list) && old.servers.share() {
		old.servers.manager.Retry()
		return old.servers, odd
	}
	if !slices.ContainsFunc(list, func(s mcp.Server) bool { return s.Err == "" && !s.Disabled }) {
		return nil, odd
	}
	s := &servers{list: list, changed: make(chan struct{}, 1), told: map[string]bool{}, users: 1}
	for _, l := range list {
		if l.Command == "" || l.Disabled || l.Err != "" || strings.ContainsAny(l.Command, `$/\`) {
			continue
		}
		if _, err := exec.LookPath(l.Command); err != nil {
			s.told[l.Name] = true
			odd = append(odd, fmt.Sprintf("The MCP server %s cannot be started: there is no command %s.", l.Name, l.Command))
		}
	}
	s.manager = mcp.New(mcp.Options{Servers: list, Dir: p.Dir, Paths: m.Paths, Env: config.Env(m.Getenv), Environ: os.Environ(),
		Version: m.Version, Image: images.Fit,
		OnChange: func() {
			select {
			case s.changed <- struct{}{}:
			default: // one is on its way
			}
		}})
	s.manager.Start()
	return s, odd
}

// ready waits for servers whose tools are not known, once.
func (s *servers) ready(ctx context.Context) {
	if s == nil || s.waited {
		return
	}
	s.waited = true
	ctx, cancel := context.WithTimeout(ctx, serverWait)
	defer cancel()
	s.manager.Ready(ctx)
}

// news tells of servers that have failed.
func (s *servers) news() (lines []string) {
	if s == nil {
		return nil
	}
	for _, st := range s.manager.Status() {
		failed := st.State == mcp.Failed || st.State == mcp.NeedsSignIn
		if failed && !s.told[st.Name] {
			lines = append(lines, fmt.Sprintf("The MCP server %s: %s: %s", st.Name, st.State, st.Err))
		}
		if failed || st.State == mcp.Connected {
			s.told[st.Name] = failed
		}
	}
	return lines
}

// infos is how it stands with the servers.
func (s *servers) infos() (out []protocol.ServerInfo) {
	if s == nil {
		return nil
	}
	for _, st := range s.manager.Status() {
		i := protocol.ServerInfo{Server: st.Name, Scope: string(st.Source), Target: st.Target, State: string(st.State), Problem: st.Err, Log: st.Log}
		for _, t := range st.Tools {
			if t.Exposure != "hidden" {
				i.Tools = append(i.Tools, t.Declared)
			}
		}
		out = append(out, i)
	}
	return out
}

// share reports whether one more setup may work with the servers: not after the
// last one is closed.
func (s *servers) share() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		return false
	}
	s.users++
	return true
}

func (s *servers) close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.users--
	last := s.users == 0
	s.mu.Unlock()
	if last {
		s.manager.Close()
	}
}
