// Package acp is the front end of editors: the agent side of the Agent Client
// Protocol, JSON-RPC 2.0 over standard input and output, one message a line.
//
//	in    {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{…}}       a request
//	out   {"jsonrpc":"2.0","method":"session/update","params":{…}}              what happens in a session
//	out   {"jsonrpc":"2.0","id":1,"method":"session/request_permission",…}      a request to the editor
//	out   {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}           the answer
//
// Each session has a goroutine that follows its events and writes them as updates
// (follow.go). A prompt is answered by it, so that all that was said comes before
// the answer. Messages, that is their types, are those of the library; the wire is
// our own (conn.go), since a prompt and the cancel behind it must be taken in their
// order, and a line may be longer than the library reads.
package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// Who is what others are told of what an editor does, see [protocol.Open], unless
// [Options] say otherwise.
const Who = "acp"

// Options are what an agent works with.
type Options struct {
	In  io.Reader
	Out io.Writer

	Door    protocol.Door
	Version string
	Who     string // the name of this editor, which no other has; "": [Who]

	// SignIn says how keys are set up, in a sentence or two.
	SignIn string

	// List lists sessions, also if none is open. Nil: they are not listed.
	List func(context.Context, protocol.ListSessions) (protocol.Sessions, error)

	// Attach makes of a file what @file on the command line does. Nil: the model is
	// told where it is.
	Attach func(ctx context.Context, path string) (text string, image *message.Block, err error)

	// Command carries out a command of bough, "/tree", and returns what it says. Nil:
	// there are none but those of the session.
	Command func(ctx context.Context, c protocol.Client, line string) (string, error)

	// Lend has the tools of a session work through what the editor lends, until
	// the function that it returns is called. Nil: they do not.
	Lend func(session string, l workspace.Lender) (release func())

	// Servers says which MCP servers the sessions that are opened in a folder from
	// now on get besides those of the settings. Nil: an editor's are not used.
	Servers func(dir string, servers []Server)
}

// Server is an MCP server that the editor wants to be used.
type Server struct {
	Name string

	Command string // of one that runs as a process
	Args    []string
	Env     map[string]string

	URL     string // of one that is reached over HTTP
	SSE     bool   // by its old form
	Headers map[string]string
}

// ending is how long what is under way may take when the editor has gone.
const ending = 5 * time.Second

// Run serves an editor until the input ends, ctx ends or nobody reads the output
// any more. What runs in its sessions ends with it.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.Who = cmp.Or(o.Who, Who)
	a := &agent{ctx: ctx, o: o, sessions: map[sdk.SessionId]*live{}}
	a.conn = newConn(o.Out, func(err error) { cancel(err) })
	a.conn.methods = a.methods()
	read := make(chan error, 1)
	go func() { read <- a.conn.read(ctx, o.In) }() // a read that hangs ends with the process
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel(errGone)
	done := make(chan struct{})
	go func() {
		a.closeAll()
		a.conn.work.Wait()
		close(done)
	}()
	t := time.NewTimer(ending)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
	return err
}

var errGone = errors.New("the editor has gone")

// agent serves one editor.
type agent struct {
	ctx  context.Context // of Run
	o    Options
	conn *conn

	opening sync.Mutex // held while a session is opened, since Options.Servers counts for the next one

	mu       sync.Mutex
	client   sdk.ClientCapabilities  // guarded by mu
	sessions map[sdk.SessionId]*live // guarded by mu
	ended    bool                    // guarded by mu
}

// methods are what an editor may ask for.
func (a *agent) methods() map[string]method {
	return map[string]method{
		sdk.AgentMethodInitialize:             on(a.initialize),
		sdk.AgentMethodAuthenticate:           on(a.authenticate),
		sdk.AgentMethodSessionNew:             on(a.newSession),
		sdk.AgentMethodSessionLoad:            on(a.loadSession),
		sdk.AgentMethodSessionResume:          on(a.resumeSession),
		sdk.AgentMethodSessionFork:            on(a.forkSession),
		sdk.AgentMethodSessionList:            on(a.listSessions),
		sdk.AgentMethodSessionClose:           on(a.closeSession),
		sdk.AgentMethodSessionSetMode:         on(a.setMode),
		sdk.AgentMethodSessionSetModel:        on(a.setModel),
		sdk.AgentMethodSessionSetConfigOption: on(a.setConfigOption),
		sdk.AgentMethodSessionPrompt:          inOrder(a.prompt),
		sdk.AgentMethodSessionCancel:          inOrder(a.cancel),
	}
}

// imageTypes are what models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

const signInID = "keys"

func (a *agent) initialize(_ context.Context, p sdk.InitializeRequest) (any, error) {
	a.mu.Lock()
	a.client = p.ClientCapabilities
	a.mu.Unlock()
	r := sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: "bough", Title: sdk.Ptr("bough"), Version: a.o.Version},
		AuthMethods: []sdk.AuthMethod{{Agent: &sdk.AuthMethodAgent{Id: signInID, Name: "Keys of bough",
			Description: sdk.Ptr(a.o.SignIn)}}},
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: sdk.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: sdk.SessionCapabilities{Close: &sdk.SessionCloseCapabilities{}, Fork: &sdk.SessionForkCapabilities{},
				Resume: &sdk.SessionResumeCapabilities{}},
		},
	}
	if a.o.List != nil {
		r.AgentCapabilities.SessionCapabilities.List = &sdk.SessionListCapabilities{}
	}
	if a.o.Servers != nil {
		r.AgentCapabilities.McpCapabilities = sdk.McpCapabilities{Http: true}
	}
	return r, nil
}

// authenticate has nothing to do: keys are looked for with each request.
func (a *agent) authenticate(_ context.Context, p sdk.AuthenticateRequest) (any, error) {
	if p.MethodId != signInID {
		return nil, invalid("There is no way to sign in that is called %q; there is %q.", p.MethodId, signInID)
	}
	return sdk.AuthenticateResponse{}, nil
}

func (a *agent) lends() (read, write, terminal bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client.Fs.ReadTextFile, a.client.Fs.WriteTextFile, a.client.Terminal
}

// find returns a session that is open.
func (a *agent) find(id sdk.SessionId) (*live, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.sessions[id]; ok {
		return s, nil
	}
	if id == "" {
		return nil, invalid("sessionId is empty. session/load opens a session, session/new begins one.")
	}
	return nil, &sdk.RequestError{Code: notFound, Message: "The session " + string(id) + " is not open. session/load opens it, session/new begins one."}
}

func (a *agent) closeAll() {
	a.mu.Lock()
	a.ended = true
	all := a.sessions
	a.sessions = nil
	a.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}

// params decodes what a request came with. What is missing is the method's affair:
// some editors leave out lists that are empty.
func params[P any](raw json.RawMessage) (P, error) {
	var p P
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, invalid("The parameters cannot be read: %v", err)
	}
	return p, nil
}

// on makes a method that may take its time.
func on[P any](do func(context.Context, P) (any, error)) method {
	return func(raw json.RawMessage) (job, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) { return do(ctx, p) }, nil
	}
}

// inOrder makes a method whose beginning is done before the next line is read.
func inOrder[P any](begin func(P) (job, error)) method {
	return func(raw json.RawMessage) (job, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		return begin(p)
	}
}
