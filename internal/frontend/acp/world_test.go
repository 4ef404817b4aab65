package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/acp"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool/builtin"
)

// models gives one scripted model.
type models struct{ m provider.Model }

func (m models) Available() []provider.Info                { return []provider.Info{m.m.Info()} }
func (m models) Model(_, _ string) (provider.Model, error) { return m.m, nil }
func (m models) Default() (provider.Model, string, error)  { return m.m, "", nil }
func (m models) Thinking(provider.Info) string             { return "off" }

// world is a session service with a scripted model, as a door.
type world struct {
	t      *testing.T
	hub    *control.Hub
	store  filestore.Store
	script *script.Script
	dir    string

	mu      sync.Mutex
	lenders map[string]workspace.Lender // guarded by mu
}

func newWorld(t *testing.T, rules string, change ...func(*control.Options)) *world {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}, script: s, dir: t.TempDir(), lenders: map[string]workspace.Lender{}}
	o := control.Options{
		Models: models{scripted.New(scripted.Info("one"), s)},
		Asks:   true,
		Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
			ws := workspace.Lend(workspace.NewLocal(p.Dir), func() workspace.Lender {
				w.mu.Lock()
				defer w.mu.Unlock()
				return w.lenders[p.SessionID()]
			})
			return control.Plain{Kit: builtin.Tools(ws, builtin.Options{}), Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: p.Dir, Tools: specs})
			}}, nil
		},
		Retry: control.Retry{Max: 2, Base: time.Millisecond},
	}
	for _, c := range change {
		c(&o)
	}
	w.hub = control.NewHub(o)
	t.Cleanup(w.hub.Close)
	return w
}

func (w *world) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	start := control.Start{Store: w.store, Own: o.Own, Who: o.Who}
	if o.Session == "" {
		start.New = session.Header{CWD: o.CWD}.Complete()
		start.File = w.store.FilePath(start.New)
	} else {
		start.Open = o.Session
	}
	if o.Entry != nil {
		start.AtWord = string(*o.Entry)
	}
	c, err := w.hub.Connect(ctx, start)
	if err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}

func (w *world) list(ctx context.Context, q protocol.ListSessions) (r protocol.Sessions, err error) {
	for s, err := range w.store.List(ctx) {
		if err != nil {
			return r, err
		}
		if q.All || s.CWD == q.CWD {
			r.Sessions = append(r.Sessions, protocol.SessionInfo{Summary: s})
		}
	}
	slices.SortFunc(r.Sessions, func(a, b protocol.SessionInfo) int { return strings.Compare(a.ID, b.ID) })
	return r, nil
}

func (w *world) lend(id string, l workspace.Lender) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lenders[id] = l
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.lenders, id)
	}
}

func (w *world) options() acp.Options {
	return acp.Options{Door: w, Version: "test", SignIn: "Set a key.", List: w.list, Lend: w.lend}
}

// editor is a client of the library's, which keeps what it is told.
type editor struct {
	t    *testing.T
	conn *sdk.ClientSideConnection
	end  func() // the editor goes
	done chan error

	caps sdk.ClientCapabilities
	ask  func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)

	mu      sync.Mutex
	updates map[sdk.SessionId][]sdk.SessionUpdate // guarded by mu
	moved   chan struct{}
	asked   []sdk.RequestPermissionRequest // guarded by mu
	buffers map[string]string              // files that are open; guarded by mu
	runs    []sdk.CreateTerminalRequest    // guarded by mu
	killed  int                            // terminals; guarded by mu
	hang    bool                           // commands do not end by themselves
	slow    chan struct{}                  // what a terminal waits for before it is told of; nil: nothing
}

var _ sdk.Client = (*editor)(nil)

func (w *world) editor(change ...func(*editor, *acp.Options)) *editor {
	w.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	e := &editor{t: w.t, done: make(chan error, 1), updates: map[sdk.SessionId][]sdk.SessionUpdate{}, moved: make(chan struct{}, 1), buffers: map[string]string{}}
	o := w.options()
	o.In, o.Out = inR, outW
	for _, c := range change {
		c(e, &o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		e.done <- acp.Run(ctx, o)
		outW.Close()
	}()
	e.conn = sdk.NewClientSideConnection(e, inW, outR)
	e.conn.SetLogger(slog.New(slog.DiscardHandler))
	var once sync.Once
	e.end = func() {
		once.Do(func() {
			inW.Close()
			if err := <-e.done; err != nil {
				w.t.Errorf("the agent ended with %v", err)
			}
			cancel()
		})
	}
	w.t.Cleanup(e.end)
	if _, err := e.conn.Initialize(w.t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber, ClientCapabilities: e.caps}); err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (e *editor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	e.updates[n.SessionId] = append(e.updates[n.SessionId], n.Update)
	e.mu.Unlock()
	e.wake()
	return nil
}

func (e *editor) wake() {
	select {
	case e.moved <- struct{}{}:
	default:
	}
}

func (e *editor) RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	e.wake()
	return e.ask(ctx, r)
}

func choose(kind sdk.PermissionOptionKind) func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	return func(_ context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
		for _, o := range r.Options {
			if o.Kind == kind {
				return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
			}
		}
		return sdk.RequestPermissionResponse{}, fmt.Errorf("no %s among %v", kind, r.Options)
	}
}

func (e *editor) ReadTextFile(_ context.Context, r sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t, ok := e.buffers[r.Path]; ok {
		return sdk.ReadTextFileResponse{Content: t}, nil
	}
	b, err := os.ReadFile(r.Path)
	return sdk.ReadTextFileResponse{Content: string(b)}, err
}

func (e *editor) WriteTextFile(_ context.Context, r sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buffers[r.Path] = r.Content
	return sdk.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

func (e *editor) CreateTerminal(_ context.Context, r sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	e.mu.Lock()
	e.runs = append(e.runs, r)
	made := sdk.CreateTerminalResponse{TerminalId: fmt.Sprintf("t%d", len(e.runs))}
	e.wake()
	e.mu.Unlock()
	if e.slow != nil {
		<-e.slow
	}
	return made, nil
}

func (e *editor) WaitForTerminalExit(ctx context.Context, _ sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	if e.hang {
		<-ctx.Done()
		return sdk.WaitForTerminalExitResponse{}, ctx.Err()
	}
	return sdk.WaitForTerminalExitResponse{ExitCode: sdk.Ptr(3)}, nil
}

func (e *editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	return sdk.TerminalOutputResponse{Output: "from the editor\r\n"}, nil
}

func (e *editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.killed++
	return sdk.KillTerminalResponse{}, nil
}

func (e *editor) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	return sdk.ReleaseTerminalResponse{}, nil
}

// new begins a session.
func (e *editor) new(dir string) sdk.SessionId {
	e.t.Helper()
	r, err := e.conn.NewSession(e.t.Context(), sdk.NewSessionRequest{Cwd: dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	return r.SessionId
}

// say says something and waits for the end of the turn.
func (e *editor) say(id sdk.SessionId, text string) sdk.StopReason {
	e.t.Helper()
	r, err := e.conn.Prompt(e.t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
	if err != nil {
		e.t.Fatal(err)
	}
	return r.StopReason
}

// await waits until something is so.
func (e *editor) await(so func() bool) {
	e.t.Helper()
	for {
		e.mu.Lock()
		yes := so()
		e.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-e.moved:
		case <-e.t.Context().Done():
			e.t.Fatal("it never came so far")
		}
	}
}

// transcript is what the editor shows: texts joined, calls as they stand, the
// thoughts in brackets.
func (e *editor) transcript(id sdk.SessionId) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return transcript(e.updates[id])
}

func transcript(updates []sdk.SessionUpdate) string {
	var rows []string
	at := map[sdk.ToolCallId]int{}
	shown := map[sdk.ToolCallId]sdk.SessionUpdateToolCall{}
	last := ""
	text := func(kind string, b sdk.ContentBlock) {
		s := "[image]"
		if b.Text != nil {
			s = b.Text.Text
		}
		if kind == last {
			rows[len(rows)-1] += s
			return
		}
		rows, last = append(rows, kind+": "+s), kind
	}
	draw := func(c sdk.SessionUpdateToolCall) {
		s := fmt.Sprintf("call %s: %s, %s, %s", c.ToolCallId, c.Title, c.Kind, c.Status)
		for _, l := range c.Locations {
			s += " at " + filepath.Base(l.Path)
			if l.Line != nil {
				s += fmt.Sprintf(":%d", *l.Line)
			}
		}
		for _, x := range c.Content {
			switch {
			case x.Diff != nil:
				old := "(new)"
				if x.Diff.OldText != nil {
					old = *x.Diff.OldText
				}
				s += fmt.Sprintf(" {%q -> %q}", old, x.Diff.NewText)
			case x.Terminal != nil:
				s += " terminal " + x.Terminal.TerminalId
			case x.Content.Content.Text != nil:
				s += fmt.Sprintf(" %q", x.Content.Content.Text.Text)
			}
		}
		rows[at[c.ToolCallId]] = s
	}
	for _, u := range updates {
		switch {
		case u.UserMessageChunk != nil:
			text("user", u.UserMessageChunk.Content)
		case u.AgentMessageChunk != nil:
			text("agent", u.AgentMessageChunk.Content)
		case u.AgentThoughtChunk != nil:
			text("thought", u.AgentThoughtChunk.Content)
		case u.ToolCall != nil:
			last = ""
			at[u.ToolCall.ToolCallId] = len(rows)
			rows = append(rows, "")
			shown[u.ToolCall.ToolCallId] = *u.ToolCall
			draw(*u.ToolCall)
		case u.ToolCallUpdate != nil:
			v := u.ToolCallUpdate
			c, ok := shown[v.ToolCallId]
			if !ok {
				rows = append(rows, "update of an unknown call "+string(v.ToolCallId))
				continue
			}
			if v.Title != nil {
				c.Title = *v.Title
			}
			if v.Kind != nil {
				c.Kind = *v.Kind
			}
			if v.Status != nil {
				c.Status = *v.Status
			}
			if v.Content != nil {
				c.Content = v.Content
			}
			if v.Locations != nil {
				c.Locations = v.Locations
			}
			shown[v.ToolCallId] = c
			draw(c)
		}
	}
	return strings.Join(rows, "\n")
}

func isCode(err error, code int) bool {
	e, ok := errors.AsType[*sdk.RequestError](err)
	return ok && e.Code == code
}

func sdkID(id string) sdk.SessionId { return sdk.SessionId(id) }

func load(id, dir string) sdk.LoadSessionRequest {
	return sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: dir, McpServers: []sdk.McpServer{}}
}
