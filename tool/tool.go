// Package tool is the contract of a tool that a model can call.
package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/boughdev/bough/message"
)

// Tool is something a model can call. It may run several times at once.
type Tool interface {
	Spec() message.ToolSpec

	// Run does one call. args is a JSON object. progress, which may be called
	// any number of times before Run returns, shows the output so far; each call
	// replaces the one before. What goes wrong in the tool's own work is an
	// Output with IsError, for the model to read; an error is for what the
	// model cannot mend, and becomes an error result too. When ctx ends Run
	// returns soon, with what there is.
	Run(ctx context.Context, args json.RawMessage, progress func(message.Output)) (message.Output, error)
}

// Sequential may be implemented by a tool whose calls must not run beside other
// calls of the same answer.
type Sequential interface{ Sequential() bool }

// OnFile may be implemented by a tool whose calls are about one file. File tells
// which, the same word for the same file, "" if none, and whether the call changes
// it. Calls of one answer run in their order where they are about the same file
// and one of them changes it.
type OnFile interface {
	File(args json.RawMessage) (file string, changes bool)
}

// New makes a tool of a function whose arguments are decoded into an A.
func New[A any](spec message.ToolSpec, run func(ctx context.Context, args A, progress func(message.Output)) (message.Output, error)) Tool {
	return funcTool[A]{spec, run}
}

type funcTool[A any] struct {
	spec message.ToolSpec
	run  func(context.Context, A, func(message.Output)) (message.Output, error)
}

func (t funcTool[A]) Spec() message.ToolSpec { return t.spec }

func (t funcTool[A]) Run(ctx context.Context, args json.RawMessage, progress func(message.Output)) (message.Output, error) {
	var a A
	if err := json.Unmarshal(args, &a); err != nil {
		return message.ErrorOutput(fmt.Sprintf("Invalid arguments for %s: %v", t.spec.Name, err)), nil
	}
	if progress == nil {
		progress = func(message.Output) {}
	}
	return t.run(ctx, a, progress)
}
