// Package cli is the command line: it reads options, puts the parts of bough
// together and picks a front end.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
)

// Version is the version of this build.
const Version = "0.1.0"

// Env is what the command line works with. Everything that hangs on the machine
// comes in here.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Dir    string // the working directory; "" if it is gone

	StdinTerminal, StdoutTerminal bool
	Width                         int             // of the terminal, in columns; 0 if unknown
	Interrupts                    <-chan struct{} // one for each ctrl+c; nil: none

	// Secret reads a line of the terminal that is not shown; nil: there is none.
	Secret func(context.Context) (string, error)

	OpenRouter string // where its sign-in is, for tests; "" is the real one

	Between Between // in RPC mode, for tests; nil: nothing is between

	// LeaveTerminal has the program go on without its terminal, and its shell too; nil:
	// it cannot. Hangups tells of the end of the terminal in place of ending ctx; nil:
	// it never does.
	LeaveTerminal func() error
	Hangups       func() <-chan struct{}

	// Signalled returns the number of the signal that ended ctx, or 0.
	Signalled func() int
}

// usage is an error of the command line itself.
type usage struct {
	error
	help string // the command line that tells what there is
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, env Env) int {
	code, err := run(ctx, env)
	if err != nil {
		code = max(code, 1)
	}
	if c, ok := errors.AsType[exitCode](err); ok {
		code = int(c)
	}
	if s := env.signalled(); s != 0 {
		return 128 + s
	}
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE) // nobody reads the output any more
	}
	if err != nil && !errors.Is(err, errSilent) {
		fmt.Fprintf(env.Stderr, "bough: %v\n", err)
	}
	if u, ok := errors.AsType[usage](err); ok {
		fmt.Fprintf(env.Stderr, "%s lists what there is.\n", u.help)
	}
	return code
}

// exitCode ends the program with that code; all has been said.
type exitCode int

func (exitCode) Error() string { return "" }

func (exitCode) Is(target error) bool { return target == errSilent }

func (e Env) signalled() int {
	if e.Signalled == nil {
		return 0
	}
	return e.Signalled()
}

func run(ctx context.Context, env Env) (int, error) {
	if found, err := commandOf(ctx, env); found {
		return 0, err
	}
	a, err := parse(env.Args)
	if err != nil {
		return 1, usage{err, "bough --help"}
	}
	switch {
	case a.version:
		_, err := fmt.Fprintln(env.Stdout, Version)
		return 0, err
	case a.help:
		_, err := io.WriteString(env.Stdout, helpText())
		return 0, err
	}
	for _, w := range a.warn {
		fmt.Fprintf(env.Stderr, "bough: %s\n", w)
	}
	if a.export != "" || a.allBranches {
		return 0, exportOption(ctx, env, a)
	}
	r, err := newRunner(env, a)
	if err != nil {
		return 1, err
	}
	if a.listModels {
		return 0, r.listModels()
	}
	return r.run(ctx)
}

// mode is a way to run.
type mode string

const (
	modePrint mode = "print"
	modeJSON  mode = "json"
	modeREPL  mode = "repl"
	modeTUI   mode = "tui"
	modeRPC   mode = "rpc"
	modeServe mode = "serve"
	modeACP   mode = "acp"
)

// chooseMode follows docs/spec/frontends.md A-02.
func chooseMode(a *args, env Env) mode {
	switch {
	case a.mode == "rpc":
		return modeRPC
	case a.mode == "json":
		return modeJSON
	case a.repl:
		return modeREPL
	case a.print:
		return modePrint
	case !env.StdinTerminal || !env.StdoutTerminal:
		return modePrint
	case env.Getenv("TERM") == "dumb":
		return modeREPL
	}
	return modeTUI
}

// talks reports whether there is somebody to talk with, message by message.
func (m mode) talks() bool { return m == modeREPL || m == modeTUI }

// abs makes a path that a user gave absolute: ~ is the home directory, the rest
// is relative to the working directory.
func (e Env) abs(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(e.Getenv("HOME"), path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	return filepath.Clean(path)
}
