package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// opening is what opens a session.
type opening struct {
	protocol.Open
	roots   []string // that the editor works in besides CWD
	servers []Server
	replay  bool // what was said so far is told
	clone   bool // a new session with the path to there is made
}

func (a *agent) newSession(ctx context.Context, p sdk.NewSessionRequest) (any, error) {
	s, err := a.open(ctx, opening{Open: protocol.Open{CWD: p.Cwd}, roots: p.AdditionalDirectories, servers: servers(p.McpServers)})
	if err != nil {
		return nil, err
	}
	o := s.options(ctx)
	return s.after(sdk.NewSessionResponse{SessionId: s.id, Modes: o.modes, Models: o.models, ConfigOptions: o.all()}), nil
}

func (a *agent) loadSession(ctx context.Context, p sdk.LoadSessionRequest) (any, error) {
	s, err := a.reopen(ctx, p.SessionId, opening{Open: protocol.Open{CWD: p.Cwd}, roots: p.AdditionalDirectories, servers: servers(p.McpServers), replay: true})
	if err != nil {
		return nil, err
	}
	o := s.options(ctx)
	return s.after(sdk.LoadSessionResponse{Modes: o.modes, Models: o.models, ConfigOptions: o.all()}), nil
}

func (a *agent) resumeSession(ctx context.Context, p sdk.ResumeSessionRequest) (any, error) {
	s, err := a.reopen(ctx, p.SessionId, opening{Open: protocol.Open{CWD: p.Cwd}, roots: p.AdditionalDirectories, servers: servers(p.McpServers)})
	if err != nil {
		return nil, err
	}
	o := s.options(ctx)
	return s.after(sdk.ResumeSessionResponse{Modes: o.modes, Models: o.models, ConfigOptions: o.all()}), nil
}

// forkSession begins a session with what was said up to where another one stands
// or, as _meta says {"bough":{"entry":"ID"}}, up to an entry of it.
func (a *agent) forkSession(ctx context.Context, p sdk.UnstableForkSessionRequest) (any, error) {
	o := opening{Open: protocol.Open{Session: string(p.SessionId), CWD: p.Cwd, Own: true}, roots: p.AdditionalDirectories,
		servers: servers(asServers(p.McpServers)), clone: true}
	if e, ok := metaEntry(p.Meta); ok {
		id := session.ID(e)
		o.Entry = &id
	}
	if err := folder(p.Cwd); err != nil {
		return nil, err
	}
	s, err := a.open(ctx, o)
	if err != nil {
		return nil, err
	}
	c := s.options(ctx)
	// The response has types of its own for the same things.
	return s.after(struct {
		SessionID     sdk.SessionId             `json:"sessionId"`
		Modes         *sdk.SessionModeState     `json:"modes,omitempty"`
		Models        *sdk.SessionModelState    `json:"models,omitempty"`
		ConfigOptions []sdk.SessionConfigOption `json:"configOptions,omitempty"`
	}{s.id, c.modes, c.models, c.all()}), nil
}

// metaEntry is the entry that a request names for bough.
func metaEntry(meta map[string]any) (string, bool) {
	b, ok := meta["bough"].(map[string]any)
	if !ok {
		return "", false
	}
	e, ok := b["entry"].(string)
	return e, ok
}

func (a *agent) closeSession(_ context.Context, p sdk.CloseSessionRequest) (any, error) {
	s, err := a.find(p.SessionId)
	if err != nil {
		return nil, err
	}
	a.forget(s)
	s.close()
	return sdk.CloseSessionResponse{}, nil
}

func (a *agent) forget(s *live) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[s.id] == s {
		delete(a.sessions, s.id)
	}
}

func (a *agent) listSessions(ctx context.Context, p sdk.ListSessionsRequest) (any, error) {
	if a.o.List == nil {
		return nil, &sdk.RequestError{Code: noMethod, Message: "Sessions cannot be listed here."}
	}
	q := protocol.ListSessions{All: true}
	if p.Cwd != nil && *p.Cwd != "" {
		if !filepath.IsAbs(*p.Cwd) {
			return nil, invalid("cwd is %q. It is the full path of a folder.", *p.Cwd)
		}
		q.All, q.CWD = false, filepath.Clean(*p.Cwd)
	}
	if p.Cursor != nil {
		q.Cursor = *p.Cursor
	}
	found, err := a.o.List(ctx, q)
	if err != nil {
		return nil, err
	}
	r := sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}
	for _, s := range found.Sessions {
		i := sdk.SessionInfo{SessionId: sdk.SessionId(s.ID), Cwd: s.CWD}
		if t := titleOf(s.Summary); t != "" {
			i.Title = &t
		}
		if !s.Touched.IsZero() {
			i.UpdatedAt = sdk.Ptr(s.Touched.UTC().Format(time.RFC3339Nano))
		}
		r.Sessions = append(r.Sessions, i)
	}
	if found.Next != "" {
		r.NextCursor = &found.Next
	}
	return r, nil
}

// titleOf is the name of a session, or how it begins.
func titleOf(s session.Summary) string {
	if s.Name != "" {
		return render.OneLine(s.Name)
	}
	return shorten(render.OneLine(s.FirstMessage), 100)
}

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// folder refuses what no session can work in.
func folder(dir string) error {
	if !filepath.IsAbs(dir) {
		return invalid("cwd is %q. It is the full path of a folder.", dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return invalid("The folder %s cannot be used: %v", dir, err)
	case !info.IsDir():
		return invalid("%s is not a folder.", dir)
	}
	return nil
}

// reopen opens a session that exists, or returns it if it is open.
func (a *agent) reopen(ctx context.Context, id sdk.SessionId, o opening) (*live, error) {
	if id == "" {
		return nil, invalid("sessionId is empty. session/list has the ids that there are.")
	}
	if strings.ContainsAny(string(id), `/\`) {
		return nil, &sdk.RequestError{Code: notFound, Message: fmt.Sprintf("There is no session %q.", id)}
	}
	if err := folder(o.CWD); err != nil {
		return nil, err
	}
	if s, err := a.find(id); err == nil {
		return s, s.again(ctx, o.replay)
	}
	o.Session = string(id)
	return a.open(ctx, o)
}

// open opens a session.
func (a *agent) open(ctx context.Context, o opening) (*live, error) {
	if o.Session == "" {
		if err := folder(o.CWD); err != nil {
			return nil, err
		}
	}
	o.Who = a.o.Who
	c, leave, err := a.enter(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.clone {
		if _, err := protocol.Call(ctx, c, protocol.Clone{}); err != nil {
			leave()
			return nil, err
		}
	}
	s := &live{a: a, c: c, leave: leave, left: make(chan struct{}), dir: o.CWD, roots: append([]string{o.CWD}, o.roots...)}
	if err := s.start(ctx, o.replay); err != nil {
		s.close()
		return nil, err
	}
	if len(o.servers) > 0 && a.o.Servers == nil {
		s.note("The MCP servers of the editor are not used; `bough mcp add` sets servers up for bough.")
	}
	a.mu.Lock()
	other, twice := a.sessions[s.id]
	ended := a.ended
	if !twice && !ended {
		a.sessions[s.id] = s
	}
	a.mu.Unlock()
	switch {
	case ended:
		s.close()
		return nil, errGone
	case twice:
		s.close()
		return other, nil
	}
	s.lend()
	return s, nil
}

// enter goes through the door.
func (a *agent) enter(ctx context.Context, o opening) (protocol.Client, func(), error) {
	if a.o.Servers != nil {
		a.opening.Lock()
		defer a.opening.Unlock()
		a.o.Servers(filepath.Clean(o.CWD), o.servers)
	}
	return a.o.Door.Open(ctx, o.Open)
}

// servers are the MCP servers of a request.
func servers(list []sdk.McpServer) (out []Server) {
	headers := func(list []sdk.HttpHeader) map[string]string {
		m := map[string]string{}
		for _, h := range list {
			m[h.Name] = h.Value
		}
		return m
	}
	for _, l := range list {
		switch {
		case l.Http != nil:
			out = append(out, Server{Name: l.Http.Name, URL: l.Http.Url, Headers: headers(l.Http.Headers)})
		case l.Sse != nil:
			out = append(out, Server{Name: l.Sse.Name, URL: l.Sse.Url, SSE: true, Headers: headers(l.Sse.Headers)})
		case l.Stdio != nil:
			s := Server{Name: l.Stdio.Name, Command: l.Stdio.Command, Args: l.Stdio.Args, Env: map[string]string{}}
			for _, e := range l.Stdio.Env {
				s.Env[e.Name] = e.Value
			}
			out = append(out, s)
		}
	}
	return out
}

// asServers reads servers that came in another type.
func asServers(list any) []sdk.McpServer {
	var out []sdk.McpServer
	if raw, err := rawjson.Encode(list); err == nil {
		_ = json.Unmarshal(raw, &out) // what no server is is left out
	}
	return out
}
