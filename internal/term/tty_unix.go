//go:build unix

package term

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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

// reader hands over what is typed until it is closed. Of a terminal it then takes
// no byte more: the next program gets them.
type reader struct {
	wake  *os.File // nil if the input cannot be left
	ended chan struct{}
	stop  chan struct{}
}

func newReader(in io.Reader, tty *os.File, out chan<- []byte, failed func(error)) *reader {
	r := &reader{ended: make(chan struct{}), stop: make(chan struct{})}
	wait := func() bool { return true }
	if tty != nil {
		if woken, wake, err := os.Pipe(); err == nil {
			r.wake = wake
			wait = func() bool { return readable(int(tty.Fd()), int(woken.Fd())) }
			defer func() { go func() { <-r.ended; woken.Close() }() }()
		}
	}
	go func() {
		defer close(r.ended)
		buf := make([]byte, 4096)
		for wait() {
			n, err := in.Read(buf)
			if n > 0 {
				select {
				case out <- append([]byte(nil), buf[:n]...):
				case <-r.stop:
					return
				}
			}
			if err != nil {
				failed(err)
				return
			}
		}
	}()
	return r
}

func (r *reader) close() {
	close(r.stop)
	if r.wake != nil {
		r.wake.Close()
		<-r.ended
	}
}

// readable waits for input, and returns false when the pipe is closed.
func readable(fd, pipe int) bool {
	for {
		var set unix.FdSet
		set.Set(fd)
		set.Set(pipe)
		_, err := unix.Select(max(fd, pipe)+1, &set, nil, nil, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err != nil || !set.IsSet(pipe) // an error shows when it is read
	}
}
