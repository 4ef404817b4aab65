// Command bough is a coding agent whose conversations are trees.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/boughdev/bough/internal/cli"
)

func main() { os.Exit(realMain(nil)) }

// realMain runs the program. between is nil but in tests, see cli.Env.
func realMain(between cli.Between) int {
	if wake() {
		return 0
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // it is gone
	} else {
		dir = physical(dir)
	}
	// What prints by itself must not get between the lines of a product
	// (docs/spec/frontends.md A-03).
	stdout := os.Stdout
	os.Stdout = os.Stderr
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	interrupts := make(chan struct{}) // whoever listens takes an interrupt
	var got atomic.Int32
	watchSignals(cancel, interrupts, &got)
	width, _, err := term.GetSize(int(stdout.Fd()))
	if err != nil {
		width = 0 // not a terminal
	}
	return cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: stdout, Stderr: os.Stderr, Getenv: os.Getenv, Dir: dir,
		StdinTerminal: term.IsTerminal(int(os.Stdin.Fd())), StdoutTerminal: term.IsTerminal(int(stdout.Fd())),
		Secret: secret, Width: width, Interrupts: interrupts, Signalled: func() int { return int(got.Load()) }, Between: between, LeaveTerminal: leaveTerminal, Hangups: hangups,
	})
}

// physical returns the path of a folder without symbolic links, as pi and the
// system see it, so that a project is the same whatever way led to it.
func physical(dir string) string {
	if runtime.GOOS == "windows" {
		return dir
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// watchSignals ends ctx with the first signal and the program with the second.
// An interrupt goes to whoever takes it; if nobody does, it is a signal too.
func watchSignals(cancel func(), interrupts chan<- struct{}, got *atomic.Int32) {
	signals := make(chan os.Signal, 4)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as SIGHUP is under nohup
			signal.Notify(signals, s)
		}
	}
	// A reader that went away is an error of writing, not the end on the spot:
	// what was said is still to be kept.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		for s := range signals {
			n := int32(s.(syscall.Signal))
			if s == syscall.SIGINT {
				// Who listens may just be taking the one before.
				select {
				case interrupts <- struct{}{}:
					continue
				case <-time.After(50 * time.Millisecond): // nobody listens
				}
			}
			if got.Load() != 0 {
				os.Exit(128 + int(n))
			}
			got.Store(n)
			cancel()
		}
	}()
}

// hangups takes the end of the terminal for something that happens, not for the end of
// the program.
func hangups() <-chan struct{} {
	took, signals := make(chan struct{}), make(chan os.Signal, 1)
	if signal.Ignored(syscall.SIGHUP) {
		return took
	}
	signal.Ignore(syscall.SIGHUP) // whoever took it takes it no more
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			select {
			case took <- struct{}{}:
			case <-time.After(time.Second): // it is known already
			}
		}
	}()
	return took
}
