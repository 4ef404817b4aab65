//go:build unix

package term

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	xterm "golang.org/x/term"
)

// saved is how a terminal was.
type saved struct {
	fd    int
	state *xterm.State
}

func makeRaw(in, _ *os.File) (*saved, error) {
	fd := int(in.Fd())
	if !xterm.IsTerminal(fd) {
		return nil, errors.New("the input is no terminal")
	}
	state, err := xterm.MakeRaw(fd)
	return &saved{fd, state}, err
}

func (s *saved) restore() {
	// There is nothing to be done about a terminal that is gone.
	_ = xterm.Restore(s.fd, s.state)
}

func size(out *os.File) (w, h int, ok bool) {
	if out == nil {
		return 0, 0, false
	}
	w, h, err := xterm.GetSize(int(out.Fd()))
	return w, h, err == nil && w > 0 && h > 0
}

func watchSignals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTSTP)
	return c, func() { signal.Stop(c) }
}

// Stopped says that somebody wants the program to stop for a while.
type Stopped struct{}

func (t *Terminal) signal(s os.Signal) Event {
	switch s {
	case syscall.SIGWINCH:
		if w, h, ok := size(t.out); ok {
			return Resized{w, h}
		}
	case syscall.SIGCONT:
		return Resumed{}
	case syscall.SIGTSTP:
		return Stopped{}
	}
	return nil
}

// stopSelf stops this process, as ctrl+z would, and returns when it goes on. A
// process that nobody could wake up does not stop. The signal is the one that
// cannot be caught: Go does not give up another once somebody has asked for it.
func stopSelf() {
	if syscall.Getppid() == 1 {
		return
	}
	going := make(chan os.Signal, 1)
	signal.Notify(going, syscall.SIGCONT)
	defer signal.Stop(going)
	if syscall.Kill(syscall.Getpid(), syscall.SIGSTOP) == nil {
		select {
		case <-going:
		case <-time.After(300 * time.Millisecond):
		}
	}
}
