package builtin

import (
	"context"

	"github.com/boughdev/bough/internal/workspace"
)

// BashResult is how a command of the user ended (docs/spec/rpc.md 5.6).
type BashResult struct {
	Output         string
	ExitCode       *int // nil if it was cancelled
	Cancelled      bool
	Truncated      bool
	FullOutputPath string // where all of the output is if it was cut
}

// RunUserCommand runs a command that the user typed. onDelta, which may be nil,
// gets the output as it comes. When ctx ends, the command is cancelled, which is
// no error; an error means that it could not be run.
func RunUserCommand(ctx context.Context, ws workspace.Workspace, o Options, command string, onDelta func(string)) (BashResult, error) {
	c := capture{dir: o.tempDir(), plain: plain{dropCR: true}}
	show := func(text []byte) {
		if onDelta != nil && len(text) > 0 {
			onDelta(string(text))
		}
	}
	exit, err := ws.Run(ctx, o.shellCommand(command, nil, func(b []byte) { show(c.add(b)) }))
	show(c.finish())
	if err != nil && ctx.Err() == nil {
		return BashResult{}, err
	}
	text, cut := c.tail()
	r := BashResult{Output: text, Truncated: cut.cut()}
	if r.Truncated {
		r.FullOutputPath = c.fullPath()
	}
	if err != nil {
		r.Cancelled = true
	} else {
		r.ExitCode = &exit.Code
	}
	return r, nil
}
