package cli

import (
	"context"
	"errors"
	"syscall"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/rpc"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/catalog"
)

// runRPC serves a client on standard input and output.
func (r *runner) runRPC(ctx context.Context, c protocol.Client, door protocol.Door) (int, error) {
	if r.env.StdinTerminal {
		r.say("--mode rpc reads commands in JSON, one a line; bough help rpc has them. End with ctrl+d.")
	}
	var leave func()
	if open, ok := c.(interface{ Close() }); ok {
		leave = open.Close
	}
	if r.env.Between != nil {
		far, end, err := r.env.Between(&entrance{Door: door, first: c})
		if err != nil {
			return 1, err
		}
		defer end()
		client, leaveFar, err := far.Open(ctx, protocol.Open{Who: string(modeRPC)})
		if err != nil {
			return 1, err
		}
		defer leaveFar()
		c, door, leave = client, far, leaveFar
	}
	err := rpc.Run(ctx, c, rpc.Options{In: r.env.Stdin, Out: r.env.Stdout, Err: r.env.Stderr, Door: door, Leave: leave, Version: Version})
	if errors.Is(err, syscall.EPIPE) {
		return 1, errSilent // the client is gone
	}
	return 0, err
}

// switched completes the start of the session in a file. Where nothing is yet, a
// session is begun that will lie there (docs/spec/rpc.md 5.7).
func (r *runner) switched(ctx context.Context, start control.Start, path string) (control.Start, error) {
	if path == "" {
		return start, protocol.Fail(protocol.BadRequest, "sessionPath is empty. It is the path of a session file.")
	}
	start.Open, start.Dir, start.Store = "", r.env.Dir, r.store
	return r.openNamed(ctx, start, r.env.abs(path))
}

// Scope lists the models that --models or the settings restrict cycling to, as they
// are now.
func (m *models) Scope() []provider.Info {
	patterns := m.r.current().EnabledModels
	if len(patterns) == 0 {
		return nil
	}
	var out []provider.Info
	picks, _ := catalog.Scope(patterns, m.reg.Available()) // warned of at the start
	for _, p := range picks {
		out = append(out, p.Info)
	}
	return out
}
