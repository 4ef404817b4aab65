// Command bough is a coding agent whose conversations are trees.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"

	"github.com/boughdev/bough/internal/cli"
)

func main() { os.Exit(realMain()) }

func realMain() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bough: the working directory is gone: %v\n", err)
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	interrupts := make(chan struct{}) // whoever listens takes an interrupt
	var got atomic.Int32
	watchSignals(cancel, interrupts, &got)
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = 0 // not a terminal
	}
	return cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Dir: dir,
		StdinTerminal: term.IsTerminal(int(os.Stdin.Fd())), StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		Width: width, Interrupts: interrupts, Signalled: func() int { return int(got.Load()) },
	})
}

// watchSignals ends ctx with the first signal and the program with the second.
// An interrupt goes to whoever takes it; if nobody does, it is a signal too.
func watchSignals(cancel func(), interrupts chan<- struct{}, got *atomic.Int32) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			n := int32(s.(syscall.Signal))
			if s == syscall.SIGINT {
				select {
				case interrupts <- struct{}{}:
					continue
				default: // nobody listens
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
