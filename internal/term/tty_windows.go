package term

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
	xterm "golang.org/x/term"
)

// saved is how a console was.
type saved struct {
	in, out  int
	state    *xterm.State
	outState *xterm.State
}

func makeRaw(in, out *os.File) (*saved, error) {
	s := &saved{in: int(in.Fd())}
	var err error
	if s.state, err = xterm.MakeRaw(s.in); err != nil {
		return nil, err
	}
	if out == nil {
		return s, nil
	}
	s.out = int(out.Fd())
	if s.outState, err = xterm.GetState(s.out); err != nil {
		s.outState = nil
		return s, nil // not a console
	}
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(s.out), &mode); err != nil {
		return s, nil
	}
	return s, windows.SetConsoleMode(windows.Handle(s.out), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
}

func (s *saved) restore() {
	// There is nothing to be done about a console that is gone.
	_ = xterm.Restore(s.in, s.state)
	if s.outState != nil {
		_ = xterm.Restore(s.out, s.outState)
	}
}

func size(out *os.File) (w, h int, ok bool) {
	if out == nil {
		return 0, 0, false
	}
	w, h, err := xterm.GetSize(int(out.Fd()))
	return w, h, err == nil && w > 0 && h > 0
}

// tick stands for a look at the size, which Windows does not tell of.
type tick struct{}

func (tick) Signal()        {}
func (tick) String() string { return "tick" }

func watchSignals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	t := time.NewTicker(250 * time.Millisecond)
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-t.C:
				select {
				case c <- tick{}:
				default:
				}
			case <-stop:
				return
			}
		}
	}()
	return c, func() { t.Stop(); close(stop) }
}

// Stopped says that somebody wants the program to stop for a while. On Windows
// nobody does.
type Stopped struct{}

func (t *Terminal) signal(os.Signal) Event {
	w, h, ok := size(t.out)
	if !ok || [2]int{w, h} == t.told {
		return nil
	}
	first := t.told == [2]int{}
	t.told = [2]int{w, h}
	if first {
		return nil
	}
	return Resized{w, h}
}

func stopSelf() {}
