package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/acp"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/mcp"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

func acpCommand() command {
	return command{"acp", "[OPTIONS]", "serve an editor (Agent Client Protocol)",
		"An editor starts it and speaks with it on standard input and output: Zed, JetBrains,\nNeovim and others (bough help acp). It ends with its input. The options are those of\nbough that say how sessions are set up: --model, --thinking, --tools, --session-dir, …\n",
		nil, nil} // see acpMain
}

// signIn is what an editor is told of keys.
const signIn = "bough takes keys from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, …), which the editor can be " +
	"configured to set, and from what `bough auth login PROVIDER` has stored. A server of your own stands in models.json of the agent folder. " +
	"What is set up later is found without a new start."

// acpMain serves an editor.
func acpMain(ctx context.Context, env Env, words []string) error {
	c := acpCommand()
	a, err := parse(words)
	switch {
	case err != nil:
		return usage{err, "bough acp --help"}
	case a.help:
		_, err := io.WriteString(env.Stdout, c.helpText())
		return err
	case len(a.messages)+len(a.files) > 0:
		return c.usage("takes no words: what is said comes from the editor")
	case a.print || a.repl || a.mode != "" || a.cont || a.resume || a.listModels || a.export != "" || a.session != "" || a.sessionID != "" || a.fork != "" || a.at != "" || a.name != "" || a.attach:
		return c.usage("the editor says which session is opened and how it is shown; the options are those of models, tools and instructions")
	}
	for _, w := range a.warn {
		fmt.Fprintf(env.Stderr, "bough: %s\n", w)
	}
	r, err := newRunner(env, a)
	if err != nil {
		return err
	}
	return r.runACP(ctx)
}

func (r *runner) runACP(ctx context.Context) error {
	r.warnOfTools()
	models, err := r.models(ctx, modeACP)
	if err != nil {
		return err
	}
	r.editor = &editor{lenders: map[string]workspace.Lender{}, brought: map[string][]mcp.Server{}}
	o := r.options(modeACP, models)
	o.Asks, o.Follow = true, true
	o.Lost = r.tellLost
	l := r.newListener()
	defer l.close()
	apart := r.apart(modeACP)
	o.Address, o.Alone = l.address, !apart
	hub := control.NewHub(o)
	defer hub.Close()
	l.door = r.door(hub, models)
	door := l.door
	who := fmt.Sprintf("%s %d", acp.Who, os.Getpid()) // several editors are told apart
	if !apart {
		door = joining{way{r, hub, models, who}, l.door}
	}
	if r.env.StdinTerminal {
		r.say("an editor speaks with this command in JSON, one message a line; bough help acp says how to set it up. End with ctrl+d.")
	}
	err = acp.Run(ctx, acp.Options{In: r.env.Stdin, Out: r.env.Stdout, Door: door, Version: Version, Who: who, SignIn: signIn,
		List: func(ctx context.Context, q protocol.ListSessions) (protocol.Sessions, error) {
			return library{r}.List(ctx, r.env.Dir, q)
		}, Attach: r.attach, Command: r.oneCommand, Lend: r.editor.lend, Servers: r.editor.bring})
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) || errors.Is(err, context.Canceled) {
		return nil // the editor is gone
	}
	return err
}

// attach makes of a file what @file does.
func (r *runner) attach(ctx context.Context, path string) (string, *message.Block, error) {
	return r.fileArg(ctx, path)
}

// oneCommand carries out one command line of the REPL and returns what it says.
func (r *runner) oneCommand(ctx context.Context, c protocol.Client, line string) (string, error) {
	var said strings.Builder
	line = strings.Join(strings.Split(line, "\n"), " ") // a command is one line
	_, err := repl.Run(ctx, c, repl.Options{In: strings.NewReader(line + "\n"), Out: &said, Err: &said, Quiet: true, NoHeader: true,
		Version: Version, Home: r.paths.Home, TreeFilter: func() string { return r.current().TreeFilter }})
	return said.String(), err
}

// editor is what an editor lends and brings along.
type editor struct {
	mu      sync.Mutex
	lenders map[string]workspace.Lender // by session; guarded by mu
	brought map[string][]mcp.Server     // by folder; guarded by mu
}

func (e *editor) lend(id string, l workspace.Lender) func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lenders[id] = l
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.lenders[id] == l {
			delete(e.lenders, id)
		}
	}
}

func (e *editor) lender(id string) workspace.Lender {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l, ok := e.lenders[id]; ok {
		return l
	}
	return nil
}

// bring takes the MCP servers of the sessions of a folder.
func (e *editor) bring(dir string, list []acp.Server) {
	var out []mcp.Server
	pairs := func(m map[string]string) (p []mcp.Pair) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			p = append(p, mcp.Pair{Key: k, Value: m[k]})
		}
		return p
	}
	for _, s := range list {
		b := mcp.Server{Name: s.Name, Command: s.Command, Args: s.Args, Env: pairs(s.Env), URL: s.URL, Headers: pairs(s.Headers)}
		if s.SSE {
			b.Err = "is reached by sse, which is not supported; many such servers also have streamable HTTP"
		}
		out = append(out, mcp.Brought(b))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.brought[filepath.Clean(dir)] = out
}

func (e *editor) servers(dir string) []mcp.Server {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.brought[filepath.Clean(dir)]
}

// workspace is the folder of a session, with what an editor lends.
func (r *runner) workspace(p control.Place) workspace.Workspace {
	local := workspace.NewLocal(p.Dir)
	if r.editor == nil {
		return local
	}
	return workspace.Lend(local, func() workspace.Lender { return r.editor.lender(p.SessionID()) })
}
