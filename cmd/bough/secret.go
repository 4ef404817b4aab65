package main

import (
	"context"
	"os"

	"golang.org/x/term"
)

// secret reads a line of the terminal without showing it. When ctx ends the
// terminal shows what is typed again.
func secret(ctx context.Context) (string, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type read struct {
		line []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // nothing but the end of the process ends a read that hangs
		line, err := term.ReadPassword(fd)
		flush(fd)
		done <- read{line, err}
	}()
	select {
	case in := <-done:
		return string(in.line), in.err
	case <-ctx.Done():
		_ = term.Restore(fd, before) // the end is near anyhow
		return "", ctx.Err()
	}
}
