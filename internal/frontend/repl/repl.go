// Package repl is the smallest complete front end: one line in, text out, and
// nothing else of a terminal is needed. It works on a dumb terminal, in pipes, in
// tests and in lessons (docs/spec/frontends.md E).
//
//	> read main.go
//	[read main.go]
//	It prints a greeting.
//	(1.3k in, 80 out, $0.006, 4.9%)
//	> /branch 1
//	at [1] user "read main.go"; next prompt starts branch 2
//
// Output is only ever added to. What answers a line goes to Out; failures of a
// prompt and notices go to Err.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Options say where lines come from and how answers are written.
type Options struct {
	In       io.Reader
	Out, Err io.Writer

	// Terminal says that a person types the lines: there are prompts and
	// colours, and lines that come while a run goes on are queued. Otherwise
	// they wait for its end.
	Terminal bool
	NoColor  bool   // no escape sequences on a terminal either
	ASCII    bool   // draw trees with characters that every font has
	Width    int    // columns; 0: 79
	Speech   string // what asks for lines that are good to listen to, such as a setting; "": nothing (speech.go)
	Quiet    bool   // answers alone: no header, no line of tokens and cost
	NoHeader bool

	// Settings that may change on the way. Nil: as if they had their defaults.
	HideThinking func() bool
	TreeFilter   func() string // "default", or a filter of /tree

	Version string
	Home    string // of the user, which paths are shown without
	Hint    string // a line to begin with, such as how to take up the last session

	// Prompts are said before the first line is read.
	Prompts []protocol.Prompt

	// Interrupts has one value for each ctrl+c; nil: there are none.
	Interrupts <-chan struct{}

	// Who is the name of this front end in the session, if it is no other's: what is
	// said in another name was said elsewhere. "": nobody else is there.
	Who string

	// Sessions lists the sessions that /resume offers, newest first; nil: it
	// takes an id or a path only.
	Sessions func(context.Context) ([]session.Summary, error)

	// Questions are asked in the screen reader mode by commands that have screens of
	// their own in the terminal UI.
	Questions map[string]func(context.Context) (Question, error)

	// Detach says why the session cannot be left running; nil: it ends with the
	// front end.
	Detach func() error

	// Copy puts a text into the clipboard; nil: /copy prints it.
	Copy func(string) error
}

// Exit codes beside that of the last prompt.
const (
	interrupted = 130
	brokenPipe  = 141
)

// Run reads lines until they end, /quit, or ctx ends, and returns the exit code:
// 0 or 1, as the last prompt came out; 130 after an interrupt; 141, without an
// error, if nobody reads the output any more. The error has not been told yet.
func Run(ctx context.Context, c protocol.Client, o Options) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := newREPL(ctx, c, o)
	r.work.Go(r.watch)
	if o.Interrupts != nil {
		r.work.Go(r.pump)
	}
	defer func() {
		r.leave()
		cancel()
		r.work.Wait()
	}()
	return r.run()
}

// repl is one conversation with a person or a pipe. All of it but in, and the
// functions that are sent to done, belongs to one goroutine.
type repl struct {
	ctx context.Context // of Run
	c   protocol.Client
	o   Options
	in  *input
	out *output

	work       sync.WaitGroup // what goes on beside the loop; it ends with ctx
	events     chan watched
	done       chan func()
	interrupts chan struct{} // holds one

	view   view.View
	opened int  // sessions that were opened
	headed bool // the first of them has its header
	moving bool // we go over to another one ourselves
	ready  bool // and the last of them is known

	typing assembler
	draft  *draft // what the next prompt replaces
	eof    bool
	quit   bool
	code   int // to end with, if not status
	status int // of the last prompt

	runs      int // that go on and that we wait for
	lastAsked protocol.Asked
	passed    passed
	menu      *menu
	between   bool // something of others was shown behind what was typed last
	stopping  bool // and were told to stop
	turn      turn
	text      answer
	calls     calls
	wait      countdown
	shell     *shell
	noticed   string            // the last notice
	early     []protocol.Notice // of a session that is not shown yet
	foreign   int               // entries of other programs that were not told of yet
	queued    []string          // said while a run went on
	replied   string            // the question that was answered here last
	idle      time.Time         // of the last interrupt at an idle prompt

	list   []session.ID      // the numbered path that was printed last
	listed []session.Summary // sessions, likewise

	compactions int // that have ended, well or not

	summary *string // the next move sums up what is left, with these instructions
}

// draft is a message that is to be said anew.
type draft struct {
	protocol.Prompt
	sendable bool // by an empty line
	stayed   bool // it was taken up where the conversation stood already

	summary session.ID // it takes the place of this one's summary; "": it is a message
	edits   session.ID // it is what the model sees in place of this message; "": it is said
}

type watched struct {
	ev  protocol.Event
	err error
}

func newREPL(ctx context.Context, c protocol.Client, o Options) *repl {
	if o.Width <= 0 {
		o.Width = 79
	}
	if o.Speech != "" {
		o.NoColor, o.Width = true, spokenWidth
	}
	return &repl{ctx: ctx, c: c, o: o, in: newInput(o.In), code: -1,
		out:    &output{out: o.Out, err: o.Err, color: o.Terminal && !o.NoColor, width: breakAt(o), hide: o.HideThinking, speech: o.Speech != ""},
		events: make(chan watched), done: make(chan func()), interrupts: make(chan struct{}, 1)}
}

// breakAt is the width that text is broken at: a terminal's. Who listens hears a line
// as a whole.
func breakAt(o Options) int {
	if !o.Terminal || o.Speech != "" {
		return 0
	}
	return o.Width
}

// pump takes interrupts at once, also while a line is being written, so that
// whoever sends them sees that somebody listens.
func (r *repl) pump() {
	for {
		select {
		case <-r.o.Interrupts:
		case <-r.ctx.Done():
			return
		}
		select {
		case r.interrupts <- struct{}{}:
		case <-r.ctx.Done():
			return
		}
	}
}

// watch passes on what happens in the session.
func (r *repl) watch() {
	send := func(w watched) bool {
		select {
		case r.events <- w:
			return true
		case <-r.ctx.Done():
			return false
		}
	}
	for ev, err := range r.c.Watch(r.ctx, 0) {
		if !send(watched{ev, err}) {
			return
		}
	}
	send(watched{err: protocol.ErrClosed})
}

// run is the conversation.
func (r *repl) run() (int, error) {
	if err := r.await(func() bool { return r.ready }); err != nil {
		return 1, err
	}
	r.header()
	r.tellEarly()
	if r.view.Running && r.o.Terminal && !r.o.Quiet {
		r.out.text(dim, "(a run goes on here; ctrl+c stops it)")
	}
	r.goesOn()
	for {
		switch {
		case errors.Is(r.out.failed, syscall.EPIPE), errors.Is(r.out.failed, io.ErrClosedPipe):
			return brokenPipe, nil
		case r.out.failed != nil:
			return 1, fmt.Errorf("write the output: %w", r.out.failed)
		case r.quit:
			return r.ending(), nil
		case r.free() && len(r.o.Prompts) > 0:
			p := r.o.Prompts[0]
			r.o.Prompts = r.o.Prompts[1:]
			r.prompt(p)
			continue
		case r.eof && r.asked() != nil:
			r.refuse(*r.asked())
			continue
		case r.free() && r.eof:
			return r.ending(), nil
		}
		if err := r.step(); err != nil {
			return 1, err
		}
	}
}

func (r *repl) ending() int {
	r.out.fresh()
	if r.code >= 0 {
		return r.code
	}
	return r.status
}

// working reports whether a run goes on, ours or that of another front end.
func (r *repl) working() bool { return r.runs > 0 || r.view.Running }

// free reports whether nothing goes on that a line would have to wait for.
func (r *repl) free() bool { return !r.working() && r.shell == nil }

// step does the next thing that comes.
func (r *repl) step() error {
	var lines <-chan line
	if !r.eof && (r.free() || r.asked() != nil || r.o.Terminal && r.working()) {
		r.ask()
		lines = r.in.next()
	}
	select {
	case w := <-r.events:
		return r.event(w)
	case l := <-lines:
		r.in.asked = false
		return r.line(l)
	case f := <-r.done:
		f()
		return nil
	case <-r.interrupts:
		r.interrupt()
		return nil
	case <-r.wait.ticks():
		r.wait.show(r.out)
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// await takes what happens until something is so.
func (r *repl) await(so func() bool) error {
	for !so() {
		select {
		case w := <-r.events:
			if err := r.event(w); err != nil {
				return err
			}
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		}
	}
	return nil
}

// beside does work that takes a while; what it returns is done by the loop.
func (r *repl) beside(work func() func()) {
	r.work.Go(func() {
		f := work()
		select {
		case r.done <- f:
		case <-r.ctx.Done():
		}
	})
}

// leave gives up the input, and stops a command of the user, which nothing else
// would break off.
func (r *repl) leave() {
	close(r.in.stop)
	if r.shell == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 5*time.Second)
	defer cancel()
	// The session is left anyhow, and its end stops the command too.
	_, _ = protocol.Call(ctx, r.c, protocol.AbortBash{})
}

// ask writes the prompt of a person who may type.
func (r *repl) ask() {
	if choices := r.choices(); choices != "" && r.o.Terminal {
		r.out.ask(r.choicesMark(choices))
		return
	}
	if !r.o.Terminal || !r.free() {
		return
	}
	r.tellForeign()
	if r.typing.pending() {
		r.out.ask(r.mark(". "))
	} else {
		r.out.ask(r.mark("> "))
	}
}

// line takes a line of input.
func (r *repl) line(l line) error {
	r.idle = time.Time{}
	if r.o.Terminal && !errors.Is(l.err, io.EOF) { // ctrl+d leaves the line open
		r.out.answered()
	}
	switch {
	case errors.Is(l.err, io.EOF):
		r.eof = true
		if t, ok := r.typing.end(); ok {
			return r.said(t)
		}
		return nil
	case errors.Is(l.err, errTooLong):
		r.out.problem("Error: " + l.err.Error())
		r.status = 1
		return nil
	case l.err != nil:
		return fmt.Errorf("read the input: %w", l.err)
	}
	if t, ok := r.typing.add(l.text); ok {
		return r.said(t)
	}
	return nil
}

// interrupt is ctrl+c: it stops what goes on, or ends at the second time.
func (r *repl) interrupt() {
	if r.o.Terminal {
		r.out.interrupted()
	}
	going := r.working() || r.shell != nil
	switch {
	case going && r.stopping:
		r.code, r.quit = interrupted, true
	case going:
		r.stop()
	case !r.o.Terminal:
		r.code, r.quit = interrupted, true
	case !r.idle.IsZero() && time.Since(r.idle) < 2*time.Second:
		r.quit = true
	default:
		r.idle = time.Now()
		r.typing, r.draft = assembler{}, nil
		r.note("(ctrl+c again within two seconds ends, and so do ctrl+d and /quit)")
	}
}

// stop ends what goes on and keeps what was said. What a pipe has still to say
// is not said any more.
func (r *repl) stop() {
	r.stopping, r.idle = true, time.Time{}
	if !r.o.Terminal {
		r.code, r.eof, r.o.Prompts = interrupted, true, nil
	}
	if r.shell != nil {
		r.beside(func() func() {
			_, err := protocol.Call(r.ctx, r.c, protocol.AbortBash{})
			return func() { r.failed(err) }
		})
	}
	if r.working() {
		r.beside(func() func() {
			_, err := protocol.Call(r.ctx, r.c, protocol.Abort{})
			return func() { r.failed(err) }
		})
	}
}

// failed tells of an error that is not one of a prompt.
func (r *repl) failed(err error) {
	if err != nil && r.ctx.Err() == nil {
		r.say("%s", sentence(err))
	}
}
