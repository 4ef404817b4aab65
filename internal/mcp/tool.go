package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// Tools returns the tools that are declared to models: those of the servers, in
// the order of the servers and as each has them, then those that reach the rest.
// What a server offered last time counts until it is there.
func (m *Manager) Tools() []tool.Tool {
	m.mu.Lock()
	have, changes := m.tools, m.changes
	m.mu.Unlock()
	if have != nil {
		return have
	}
	named := m.names()
	tools := []tool.Tool{}
	var rest []*serverTool
	resources := false
	for _, s := range m.servers {
		if !s.usable() {
			continue
		}
		offer := s.current()
		many := 0
		var mine []*serverTool
		for _, t := range offer.Tools {
			x := s.ExposureOf(t.Name)
			if x == "hidden" {
				continue
			}
			mine = append(mine, &serverTool{s: s, offered: t, exposure: x, name: named[toolKey{s, t.Name}]})
			if x == "codemode" {
				many++
			}
		}
		// The tools that need not be declared are, if all of a server fit.
		whole := len(tools)+many <= m.o.MaxTools
		for _, t := range mine {
			if t.exposure == "direct" || t.exposure == "codemode" && whole {
				tools = append(tools, t)
			} else {
				rest = append(rest, t)
			}
		}
		resources = resources || offer.Resources && s.Exposure != "hidden"
	}
	if len(rest) > 0 {
		tools = append(tools, searchTool(rest), callTool(rest))
	}
	if resources {
		tools = append(tools, m.resourceTools()...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changes == changes { // else they are of before
		m.tools = tools
	}
	return tools
}

// serverTool is a tool of a server.
type serverTool struct {
	s *server
	offered
	name     string
	exposure string
}

// Of reports whose tool t is, as the server calls it, and whether the server says
// that it only reads; for tools of a Manager only.
func Of(t tool.Tool) (server, name string, readOnly, ok bool) {
	st, ok := t.(*serverTool)
	if !ok {
		return "", "", false, false
	}
	return st.s.Name, st.offered.Name, st.offered.ReadOnly, true
}

func (t *serverTool) Spec() message.ToolSpec {
	return message.ToolSpec{Name: t.name, Description: t.Description, Parameters: message.Value(t.Parameters)}
}

func (t *serverTool) Run(ctx context.Context, args json.RawMessage, progress func(message.Output)) (message.Output, error) {
	if len(args) == 0 || rawjson.IsNull(args) {
		args = json.RawMessage("{}")
	}
	if rawjson.Kind(args) != '{' || !rawjson.Valid(args) {
		return message.ErrorOutput(fmt.Sprintf("The arguments of %s must be a JSON object.", t.name)), nil
	}
	res, err := t.s.call(ctx, t.offered.Name, args, progress)
	if err != nil {
		return t.s.failure(ctx, err), nil
	}
	return t.s.m.output(t.s, t.offered.Name, res), nil
}

// call calls a tool of the server. The time limit begins anew with each sign of
// progress.
func (s *server) call(ctx context.Context, name string, args json.RawMessage, progress func(message.Output)) (*mcp.CallToolResult, error) {
	c, err := s.connection(ctx, false)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(s.m.ctx, func() { cancel(errClosed) })
	defer stop()
	limit := time.AfterFunc(s.Timeout, func() { cancel(errTimeout) })
	defer limit.Stop()

	show := lastWins(progress)
	defer show.close()
	token := s.follow(func(p *mcp.ProgressNotificationParams) {
		limit.Reset(s.Timeout)
		show.say(progressText(p))
	})
	defer s.unfollow(token)

	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken(token)
	type result struct {
		res *mcp.CallToolResult
		err error
	}
	done := make(chan result, 1)
	go func() {
		res, err := c.session.CallTool(ctx, params)
		done <- result{res, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		// The server is told by then, or cannot be.
		r.err = context.Cause(ctx)
	}
	if r.err != nil && ctx.Err() != nil {
		r.err = context.Cause(ctx)
	}
	switch _, answered := refusal(r.err); {
	case r.err == nil:
		s.mu.Lock()
		s.falls = 0
		s.mu.Unlock()
	case ctx.Err() != nil || answered:
	case c.over(r.err):
		r.err = errGone
	default:
		r.err = fmt.Errorf("its answer cannot be used: %s", s.words(r.err))
	}
	return r.res, r.err
}

// over reports whether a connection has ended with an error.
func (c *connection) over(err error) bool {
	for _, end := range []error{mcp.ErrConnectionClosed, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return c.proc != nil && c.proc.gone(0)
}

// errGone is for a connection that ended during a call.
var errGone = errors.New("it went away")

// failure is what a model reads of a call that came to nothing.
func (s *server) failure(ctx context.Context, err error) message.Output {
	switch told, answered := refusal(err); {
	case ctx.Err() != nil:
		return message.ErrorOutput("The call was aborted.")
	case errors.Is(err, errTimeout):
		return message.ErrorOutput(fmt.Sprintf("The MCP server %s did not answer within %s. The call was given up; it may have had an effect.", s.Name, s.Timeout))
	case answered:
		return message.ErrorOutput(fmt.Sprintf("The MCP server %s refused the call: %s", s.Name, cutText(told.Message, 4<<10)))
	case errors.Is(err, errGone):
		return message.ErrorOutput(fmt.Sprintf("The MCP server %s went away during the call, which may have had an effect. It comes back if it can; try again in a moment.", s.Name))
	}
	return message.ErrorOutput(fmt.Sprintf("The MCP server %s cannot be used now: %s.", s.Name, strings.TrimSuffix(s.words(err), ".")))
}

// follow has f called with the progress of a call, under the token it returns.
func (s *server) follow(f func(*mcp.ProgressNotificationParams)) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token++
	token := "bough-" + strconv.Itoa(s.token)
	if s.calls == nil {
		s.calls = map[string]func(*mcp.ProgressNotificationParams){}
	}
	s.calls[token] = f
	return token
}

func (s *server) unfollow(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, token)
}

func (s *server) progress(p *mcp.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	f := s.calls[token]
	s.mu.Unlock()
	if f != nil {
		f(p)
	}
}

func progressText(p *mcp.ProgressNotificationParams) string {
	var n string
	if p.Total > 0 {
		n = fmt.Sprintf("%.0f%%", 100*min(1, max(0, p.Progress/p.Total)))
	}
	text := cutText(oneLine(p.Message), 300)
	switch {
	case text != "" && n != "":
		return n + " " + text
	case text != "":
		return text
	case n != "":
		return n
	}
	return strconv.FormatFloat(p.Progress, 'g', 6, 64)
}

// shower hands progress on as long as the call runs: after that nobody may be
// told any more.
type shower struct {
	f      func(message.Output)
	mu     sync.Mutex
	closed bool // guarded by mu, which is held while f runs
}

func lastWins(f func(message.Output)) *shower { return &shower{f: f} }

func (s *shower) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f != nil && !s.closed {
		s.f(message.TextOutput(text))
	}
}

func (s *shower) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
