// Package builtin has the tools that every session starts with: read, bash,
// edit, write and, to be switched on, grep, find and ls. Their names, arguments,
// limits and details are pi's (docs/spec/frontends.md J).
package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// Options are the settings of the tools.
type Options struct {
	// ShellPath is the shell for commands; "" means bash, else sh.
	ShellPath string
	// ShellPrefix is put on a line of its own before every command.
	ShellPrefix string
	// BashTimeout applies to commands of the model that have no timeout of
	// their own; 0 means 600 s, a negative one none.
	BashTimeout time.Duration
	// AgentDir is the folder of the agent; its bin comes first in PATH. "" means
	// none.
	AgentDir string
	// Session tells the commands of the model where they run. It is asked before
	// each; nil means that they are not told.
	Session func() Session
	// TempDir is where output goes that is too long; "" means the system's.
	TempDir string

	// Images are the limits of images that go to a model.
	Images ImageLimits
	// NoImages returns the id of the current model if it takes no images, else
	// ""; nil means that it takes them.
	NoImages func() string
}

// Session is what commands of the model find in their environment, as PI_ and
// BOUGH_ variables. What is "" is not set.
type Session struct {
	ID, File        string
	Provider, Model string
	ReasoningLevel  string
}

// Tools returns the tools in their order. The first four are the default set.
func Tools(ws workspace.Workspace, o Options) []tool.Tool {
	s := &set{ws: ws, o: o}
	list := []tool.Tool{
		onFile{function{readSpec, s.read, s.readsFile}, s, false},
		function{bashSpec, s.bash, s.runs},
		onFile{function{editSpec, s.edit, s.edits}, s, true},
		onFile{function{writeSpec, s.write, s.writes}, s, true},
		function{grepSpec, s.grep, s.readsFolder},
		function{findSpec, s.find, s.readsFolder},
		function{lsSpec, s.ls, s.readsFolder},
	}
	if runtime.GOOS == "windows" {
		list = append(list, function{powershellSpec(), s.powershell, s.runsPowershell})
	}
	return list
}

// set is what the tools of one workspace share.
type set struct {
	ws workspace.Workspace
	o  Options
}

// function is a tool whose arguments are decoded by ourselves: numbers may come
// as strings, and an optional null counts as absent.
type function struct {
	spec message.ToolSpec
	run  func(ctx context.Context, a *arguments, progress func(message.Output)) message.Output

	effect effect
}

func (f function) Spec() message.ToolSpec { return f.spec }

func (f function) Run(ctx context.Context, args json.RawMessage, progress func(message.Output)) (message.Output, error) {
	if progress == nil {
		progress = func(message.Output) {}
	}
	return f.run(ctx, &arguments{tool: f.spec.Name, object: args}, progress), nil
}

// onFile is a function that works on the file that is its argument path.
type onFile struct {
	function
	set     *set
	changes bool
}

var _ tool.OnFile = onFile{}

// File names the file by where links to it lead.
func (f onFile) File(args json.RawMessage) (string, bool) {
	a := &arguments{object: args}
	_, path := a.path(f.set, "path")
	if len(a.wrong) > 0 {
		return "", false
	}
	if l, ok := f.set.ws.(interface{ Same(path string) string }); ok {
		path = l.Same(path)
	}
	return path, f.changes
}

func fail(format string, args ...any) message.Output {
	return message.ErrorOutput(fmt.Sprintf(format, args...))
}

// trouble tells the model why something could not be done with a file. doing is
// like "read"; name is the file as the model named it.
func trouble(doing, name string, err error) message.Output {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fail("Aborted before %s was %s.", name, past(doing))
	}
	why := err.Error()
	var at *fs.PathError
	switch {
	case errors.Is(err, workspace.ErrFolder):
		return fail("%s is a folder. Use ls to see what is in it.", name)
	case errors.Is(err, workspace.ErrSpecial):
		return fail("Cannot %s %s: it is a device, pipe or socket.", doing, name)
	case errors.Is(err, fs.ErrPermission):
		why = "permission denied"
	case errors.As(err, &at):
		why = at.Err.Error()
	}
	return fail("Cannot %s %s: %s", doing, name, why)
}

func past(doing string) string {
	switch doing {
	case "read":
		return "read"
	case "write":
		return "written"
	case "list":
		return "listed"
	}
	return doing + "ed"
}
