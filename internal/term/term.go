// Package term is the terminal itself: what comes from it as events, what goes to
// it as rows. It is the only place that writes escape sequences.
//
//	t, err := term.Open(term.Options{In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv})
//	defer t.Close()                   // also after a panic: the terminal is as it was
//	for ev := range t.Events() { … t.Draw(frame) }
//
// Drawing is by whole rows: those that are the same as before are not sent. There
// is no clock in here: a frame is drawn when it is given, so an idle program does
// not wake up, and a key is on the screen as soon as it is handled.
package term

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// Options say which terminal it is.
type Options struct {
	In     io.Reader // the file of a terminal; otherwise something that a test types into
	Out    io.Writer
	Getenv func(string) string

	Full  bool // use the whole screen, not what comes below
	Mouse bool // tell of the mouse

	Colors Colors
	Links  bool
	ASCII  bool // lines and marks are drawn with plain characters, wherever they come from

	Progress bool // tell the terminal that something goes on, for its tab

	// Size is how large it is where Out is no terminal, and Sizes what it becomes.
	Size  func() (width, height int)
	Sizes <-chan Resized
}

// Terminal is one that was taken: raw, with the modes that a program wants.
type Terminal struct {
	o      Options
	in     *os.File // nil if In is none
	out    *os.File // likewise
	raw    *saved
	events chan Event
	bytes  chan []byte
	stop   chan struct{}
	done   sync.WaitGroup
	reader *reader
	told   [2]int // the size that was looked at last, on Windows

	screen screen

	writes  chan []byte // holds one
	written chan struct{}
	busy    bool // one is being written; of the caller's goroutine
	failed  chan error
}

// Open takes a terminal.
func Open(o Options) (*Terminal, error) {
	t := &Terminal{o: o, events: make(chan Event, 64), bytes: make(chan []byte), stop: make(chan struct{}),
		writes: make(chan []byte, 1), written: make(chan struct{}, 1), failed: make(chan error, 1)}
	t.in, _ = o.In.(*os.File)
	t.out, _ = o.Out.(*os.File)
	t.screen = screen{enc: encoder{colors: o.Colors, links: o.Links, ascii: o.ASCII, marks: !o.Full}, full: o.Full, progress: o.Progress}
	t.measure()
	if err := t.take(); err != nil {
		return nil, err
	}
	go t.write()
	t.done.Go(t.pump)
	return t, nil
}

// Events are what comes from the terminal, until Close.
func (t *Terminal) Events() <-chan Event { return t.events }

// Size is how large the terminal is.
func (t *Terminal) Size() (width, height int) { return t.screen.width, t.screen.height }

// Resize takes the size that a Resized told of. Everything is drawn anew then.
func (t *Terminal) Resize(width, height int) {
	t.screen.width, t.screen.height = max(width, 1), max(height, 1)
	t.Redraw()
}

// Redraw has the next frame drawn whole. Where the terminal's own scrolling is kept
// the screen is cleared for it: nobody knows where a terminal puts its rows when it
// becomes narrower.
func (t *Terminal) Redraw() {
	t.screen.valid = false
	if !t.o.Full && len(t.screen.shown) > 0 {
		t.screen.wipe = true
	}
}

// Ready reports whether a frame may be drawn: the one before has been written. A
// slow line gets fewer frames and never later ones; Drawn says when to try again.
func (t *Terminal) Ready() bool {
	if t.busy {
		select {
		case <-t.written:
			t.busy = false
		default:
		}
	}
	return !t.busy
}

// Draw shows a frame. The terminal must be ready.
func (t *Terminal) Draw(f Frame) {
	if b := t.screen.frame(f); b != nil {
		t.busy = true
		t.writes <- b
	}
}

// Copy puts a text into the clipboard of the terminal (OSC 52), with the next frame.
func (t *Terminal) Copy(text string) {
	t.screen.extra += "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
}

// Drawn gets a value when a frame has been written.
func (t *Terminal) Drawn() <-chan struct{} { return t.written }

// Settled is to be called with what Drawn gave.
func (t *Terminal) Settled() { t.busy = false }

func (t *Terminal) write() {
	for b := range t.writes {
		if b == nil {
			return
		}
		if _, err := t.o.Out.Write(b); err != nil {
			select {
			case t.failed <- err:
			default:
			}
		}
		t.written <- struct{}{}
	}
}

// send writes what is not a frame, and gives up if nobody reads it.
func (t *Terminal) send(s string) {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		// A terminal that is gone needs no modes.
		_, _ = io.WriteString(t.o.Out, s)
	}()
	select {
	case <-sent:
	case <-time.After(time.Second):
	}
}

// settle waits until the frame that is on its way is there, but not for ever.
func (t *Terminal) settle() {
	if !t.busy {
		return
	}
	select {
	case <-t.written:
	case <-time.After(time.Second):
	}
	t.busy = false
}

// pump makes events of bytes, sizes and signals.
func (t *Terminal) pump() {
	var d Decoder
	var wait <-chan time.Time
	emit := func(evs ...Event) bool {
		for _, ev := range evs {
			select {
			case t.events <- ev:
			case <-t.stop:
				return false
			}
		}
		return true
	}
	signals, off := watchSignals()
	defer off()
	ok := true
	for ok {
		select {
		case b := <-t.bytes:
			ok = emit(d.Feed(b)...)
			wait = nil
			if d.Waiting() {
				wait = time.After(escapeTimeout(t.o.Getenv))
			}
		case <-wait:
			wait = nil
			ok = emit(d.Flush()...)
		case s := <-signals:
			if ev := t.signal(s); ev != nil {
				ok = emit(ev)
			}
		case size := <-t.o.Sizes:
			ok = emit(size)
		case err := <-t.failed:
			ok = emit(Lost{err})
		case <-t.stop:
			return
		}
	}
}

// escapeTimeout is how long an Escape waits for what it may begin.
func escapeTimeout(getenv func(string) string) time.Duration {
	if s := getenv("PI_TUI_ESC_TIMEOUT"); s != "" {
		if d, err := time.ParseDuration(s + "ms"); err == nil && d >= 0 && d < 10*time.Second {
			return d
		}
	}
	if getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != "" {
		return 100 * time.Millisecond
	}
	return 10 * time.Millisecond
}

// take makes the terminal raw and asks it for what we want to know.
func (t *Terminal) take() error {
	if t.in != nil {
		raw, err := makeRaw(t.in, t.out)
		if err != nil {
			return err
		}
		if t.raw == nil {
			t.raw = raw
		}
	}
	r, err := newReader(t.o.In, t.bytes, func(err error) {
		select {
		case t.failed <- err:
		default:
		}
	})
	if err != nil {
		if t.raw != nil {
			t.raw.restore()
		}
		return err
	}
	t.reader = r
	// No wrapping, pastes in brackets, keys told apart, what color is behind,
	// and whether it becomes a dark or a light one.
	s := "\x1b[?7l\x1b[?2004h\x1b[>1u\x1b[?u\x1b]11;?\x1b\\\x1b[?2031h"
	if t.o.Full {
		s = "\x1b[?1049h" + s
	}
	if t.o.Mouse {
		s += "\x1b[?1002h\x1b[?1006h"
	}
	t.send(s)
	t.screen.valid, t.screen.shows = false, true
	if t.o.Full {
		t.screen.again()
	}
	return nil
}

// leave ends the reading, if it has begun.
func (t *Terminal) leave() {
	if t.reader != nil {
		t.reader.close()
		t.reader = nil
	}
}

// give gives the terminal back as it was.
func (t *Terminal) give() {
	t.settle()
	t.leave()
	s := "\x1b[m"
	if !t.o.Full && t.screen.y < len(t.screen.shown)-1 {
		s = "\x1b[m" + string(down(len(t.screen.shown)-1-t.screen.y))
	}
	if t.o.Mouse {
		s += "\x1b[?1006l\x1b[?1002l"
	}
	s += "\x1b[?2031l\x1b[<u\x1b[?2004l\x1b[?7h\x1b[?25h"
	if t.o.Full {
		s += t.screen.noMore() + "\x1b[?1049l"
	} else {
		s += "\r\n"
	}
	if t.screen.working {
		s += "\x1b]9;4;0\x07"
		t.screen.working = false
	}
	t.send(s)
	t.screen.shown, t.screen.y = nil, 0
	if t.raw != nil {
		t.raw.restore()
	}
}

func down(n int) []byte {
	s := screen{}
	s.put("\x1b[")
	s.number(n)
	s.put("B")
	return s.enc.b
}

// Lend gives the terminal back for as long as f runs, such as an editor.
func (t *Terminal) Lend(f func() error) error {
	t.give()
	err := f()
	t.measure()
	return errors.Join(err, t.take())
}

// Suspend stops the program until somebody has it go on.
func (t *Terminal) Suspend() error {
	return t.Lend(func() error { stopSelf(); return nil })
}

// Retake puts the terminal into our modes once more, after somebody else had it
// without our being asked.
func (t *Terminal) Retake() error {
	t.settle()
	t.leave()
	t.measure()
	return t.take()
}

// Close gives the terminal back, with some words behind.
func (t *Terminal) Close(words string) {
	close(t.stop)
	t.give()
	if words != "" {
		t.send(words)
	}
	t.writes <- nil
	t.done.Wait()
}

func (t *Terminal) measure() {
	w, h := 80, 24
	if t.o.Size != nil {
		w, h = t.o.Size()
	} else if x, y, ok := size(t.out); ok {
		w, h = x, y
	}
	t.screen.width, t.screen.height = max(w, 1), max(h, 1)
}
