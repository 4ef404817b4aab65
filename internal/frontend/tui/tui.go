// Package tui is the terminal UI (docs/spec/frontends.md B, C, D).
//
// One goroutine has it all: it takes keys, events of the session and what work
// beside it came to, changes its state, and draws. Nothing is drawn by a clock: a
// key shows at once, events of a run at most thirty times a second, and a program
// that waits does not wake up.
//
//	transcript   the path, drawn as far as it is seen
//	queue        what waits to be said
//	slot         the editor, or the screen on top of the stack (screen.go)
//	footer       where we are and what it took
//
// A new screen is a type with the three methods of [screen], in a file of its own;
// see screen.go. How things look is in theme.go, what keys do in keys.go, what
// commands do in command.go.
package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Options say which terminal it is and how it is to look. All functions may be nil.
type Options struct {
	Terminal term.Options // In, Out, Getenv, and Size in tests; the rest is set here
	Regular  bool         // keep the terminal's own scrolling
	Theme    string       // "dark", "light", a name of Themes, "light/dark" names, or "system": what the terminal says of itself
	Themes   func() []ThemeFile
	Notes    func(context.Context) []string // what is not right about the terminal; it may take a while
	Links    bool
	ASCII    bool
	Lang     lang.Language

	Who     string // what the session calls this front end; what others do is marked
	Version string
	Home    string // of the user, which paths are shown without
	Hint    string // a line to begin with, such as how to take up the last session
	Agent   string // the user's folder of settings and context files
	Quiet   bool   // no header
	Dir     string // where the session works, and how many bytes its file has, 0 if it
	Size    int64  // has none: what is said until it is there
	Brief   bool   // its first line only

	DoubleEscape   string // what Escape twice does in an empty editor: "tree", "fork", "none"
	CompletionRows int
	Keys           []byte // keybindings.json

	Prompts []protocol.Prompt // said at the start
	Begin   string            // a command that is carried out before them; ""

	Drafts       Drafts                                                         // nil: what is not sent is not kept
	History      []string                                                       // prompts of before, the oldest first
	Remember     func(prompt string) error                                      // keeps one; nil
	Image        func(ctx context.Context, path string) (*message.Block, error) // of a file that is pasted or dropped; nil: its path is typed
	Clipboard    func(ctx context.Context) (Clip, error)                        // what it holds; nil: it cannot be read
	Pictures     func(ctx context.Context) term.Pictures                        // how the terminal shows images; nil: they are named
	CopyOnSelect bool                                                           // with the mouse
	WheelLines   int                                                            // that a step of the wheel scrolls; 0: 3
	Scrollbar    string                                                         // "always", "hidden", otherwise while the end is not seen
	PictureWidth int                                                            // columns, at most; 0: 60
	HideThinking func() bool
	Detach       func() error          // says why the session cannot be left running; nil: it ends with this front end
	KeepThinking func(hide bool) error // in the settings; nil: it is not kept
	TreeFilter   func() string         // what the tree lists at first
	TreeAsks     func() bool           // Enter in the tree asks what to do, also where nothing is left behind; nil: it does not
	// TreeLook is what KeepTreeLook was told of a session: how its tree looked last. Both
	// may be nil.
	TreeLook        func(session string) string
	KeepTreeLook    func(session, look string) error
	SkipSummary     func() bool // go without asking whether what is left is to be summed up
	LeaveTranscript bool        // when the whole screen is left the conversation is printed
	Around          Around
	Files           func(word string) []string                               // completes the path behind @
	Copy            func(string) error                                       // nil: by the terminal (OSC 52)
	Edit            func(ctx context.Context, text string) (string, error)   // in an editor that gets the terminal
	ResumeWords     func(h session.Header, file string) string               // the command that takes the session up again
	Now             func() time.Time                                         // nil: time.Now
	After           func(time.Duration) (at <-chan time.Time, cancel func()) // nil: a timer
	// GoOn has what goes on come to its end without this front end and without the
	// terminal, once Run has returned; nil: it cannot. Unattended says in how many
	// sessions of this program something goes on beside this one; nil: in none.
	GoOn       func()
	Unattended func() int
	// Hangups tells of the end of the terminal; what goes on goes on then.
	Hangups <-chan struct{}

	Crash func(report string) (file string) // keeps what a panic left
}

// Run shows a session until the user leaves or ctx ends. It returns the exit code.
func Run(ctx context.Context, c protocol.Client, o Options) (code int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(ctx, c, o)
	o.Terminal.Full, o.Terminal.Mouse, o.Terminal.Links = !o.Regular, !o.Regular, o.Links
	o.Terminal.ASCII = o.ASCII
	if a.term, err = term.Open(o.Terminal); err != nil {
		return 1, fmt.Errorf("open the terminal: %w", err)
	}
	defer func() {
		failure := recover()
		words := ""
		if failure == nil && !a.lost {
			a.lastFrame()
			words = a.farewell()
		}
		a.term.Close(words)
		cancel()
		if failure != nil {
			code, err = 1, a.crashed(failure, debug.Stack())
			a.saveWhatCan()
			return
		}
		a.work.Wait()
		a.lastDrafts()
		a.keepLooks()
	}()
	a.openEarly()
	a.beside(func() func() { a.watch(); return nil })
	if o.Notes != nil {
		a.beside(func() func() {
			notes := o.Notes(a.ctx)
			return func() {
				for _, n := range notes {
					a.tell(a.theme.warning, "%s", a.t(n))
				}
			}
		})
	}
	return a.loop()
}

// app is one front end. All of it belongs to the loop's goroutine.
type app struct {
	ctx  context.Context // of Run
	c    *goer
	o    Options
	term *term.Terminal

	work   sync.WaitGroup // what goes on beside the loop; it ends with ctx
	events chan watched
	done   chan func()

	view        view.View
	opened      bool // the session is known
	early       early
	theme       *theme
	light       bool   // the terminal has said that it is
	wearing     string // the theme that was asked for last
	keys        *keymap
	look        transcript
	pictures    pictures
	editor      editor
	screens     []screen
	emptied     func()                // is called when no screen is open; nil: the editor is there
	trees       map[string]treeMemory // how the tree of a session looks
	treesKept   map[string]treeMemory // as they are kept outside
	complete    *completion
	args        arguments
	status      status
	shell       *shell
	commands    []protocol.CommandInfo
	loaded      loaded
	stood       standing
	gitBranch   string   // of the folder
	welcomed    string   // the session that was told of when it was taken up
	summing     *string  // the next move sums up what it leaves, with a look at these words
	purpose     *purpose // of the text in the editor; nil: it is to be said
	asking      bool     // whether to leave
	drafts      drafts
	owed        owed  // drafts that are to be kept
	detached    bool  // the session goes on without us
	lost        bool  // the terminal is gone
	over        bool  // the last frame is drawn
	hideThought *bool // is hidden, if that was changed here

	dirty  bool      // the screen shows what is over
	urgent bool      // and is to be drawn at once
	drawn  time.Time // when it was drawn last
	quit   bool
	code   int
	failed error
	begun  bool // the prompts of the start were said

	frame, tick, fade timer
}

type watched struct {
	ev  protocol.Event
	err error
}

// timer is a moment to come; the zero value is none.
type timer struct {
	c      <-chan time.Time
	cancel func()
}

func (a *app) after(t *timer, d time.Duration) {
	t.stop()
	t.c, t.cancel = a.o.After(d)
}

func (t *timer) stop() {
	if t.cancel != nil {
		t.cancel()
	}
	*t = timer{}
}

func newApp(ctx context.Context, c protocol.Client, o Options) *app {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	if o.HideThinking == nil {
		o.HideThinking = func() bool { return false }
	}
	if o.WheelLines <= 0 {
		o.WheelLines = 3
	}
	if o.PictureWidth <= 0 {
		o.PictureWidth = 60
	}
	if o.CompletionRows <= 0 {
		o.CompletionRows = 5
	}
	if o.Terminal.Getenv == nil {
		o.Terminal.Getenv = func(string) string { return "" }
	}
	a := &app{trees: map[string]treeMemory{}, treesKept: map[string]treeMemory{}, ctx: ctx, c: &goer{Client: c}, o: o, events: make(chan watched), done: make(chan func()), dirty: true}
	a.light = lightTerminal(o.Terminal.Getenv)
	problems := a.firstTheme()
	keys, odd := readKeys(o.Keys)
	a.keys, problems = keys, append(problems, odd...)
	a.look.app, a.editor.lang = a, o.Lang
	for _, h := range o.History {
		a.editor.remember(h)
	}
	a.look.lead()
	if o.Hint != "" {
		a.look.say(a.theme.dim, a.told(o.Hint))
	}
	for _, p := range problems {
		a.look.say(a.theme.warning, a.told(p))
	}
	return a
}

// beside does work that takes a while; what it returns is done by the loop.
func (a *app) beside(work func() func()) {
	a.work.Go(func() {
		f := func() func() {
			defer func() {
				if failure := recover(); failure != nil {
					f := fault{failure, debug.Stack()}
					a.send(func() { panic(f) }) // where the terminal can be put right
				}
			}()
			return work()
		}()
		if f != nil {
			a.send(f)
		}
	})
}

func (a *app) send(f func()) {
	select {
	case a.done <- f:
	case <-a.ctx.Done():
	}
}

// call carries out a command beside the loop; then says what came of it.
func call[R any](a *app, cmd protocol.Command[R], then func(R, error)) {
	a.beside(func() func() {
		r, err := protocol.Call(a.ctx, a.c, cmd)
		return func() {
			if a.ctx.Err() == nil {
				then(r, err)
			}
		}
	})
}

func (a *app) watch() {
	for ev, err := range a.c.Watch(a.ctx, 0) {
		select {
		case a.events <- watched{ev, err}:
		case <-a.ctx.Done():
			return
		}
	}
	select {
	case a.events <- watched{err: protocol.ErrClosed}:
	case <-a.ctx.Done():
	}
}

// frameTime is how often a run may have the screen drawn.
const frameTime = 33 * time.Millisecond

// draftTime is how long a draft may be typed before it is kept.
const draftTime = 2 * time.Second

func (a *app) loop() (int, error) {
	for !a.quit {
		if a.emptied != nil && len(a.screens) == 0 {
			a.emptied()
			continue
		}
		a.draw()
		select {
		case ev := <-a.term.Events():
			a.input(ev)
			a.typed()
			a.dirty, a.urgent = true, true
		case w := <-a.events:
			a.event(w)
			a.dirty = true
		case f := <-a.done:
			f()
			a.dirty, a.urgent = true, true
		case <-a.o.Hangups:
			a.hungUp()
		case <-a.term.Drawn():
			a.term.Settled()
		case <-a.frame.c:
			a.frame.stop()
			a.urgent = true
		case <-a.tick.c:
			a.tick.stop()
			a.dirty = true
		case <-a.early.told.c:
			a.early.told.stop()
			a.early.slow, a.dirty, a.urgent = true, true, true
		case <-a.drafts.keep.c:
			a.keepDrafts()
		case <-a.fade.c:
			a.fade.stop()
			a.status.flash, a.status.promise = "", ""
			a.dirty = true
		case <-a.ctx.Done():
			return a.code, context.Cause(a.ctx)
		}
	}
	return a.code, a.failed
}

// draw shows what has changed, now or in a while.
func (a *app) draw() {
	if !a.dirty {
		return
	}
	if !a.urgent {
		if wait := frameTime - a.o.Now().Sub(a.drawn); wait > 0 && wait <= frameTime {
			if a.frame.c == nil {
				a.after(&a.frame, wait)
			}
			return
		}
	}
	if a.term.Ready() {
		a.term.Draw(a.paint())
		a.dirty, a.urgent = false, false
		a.drawn = a.o.Now()
		a.frame.stop()
	}
	if a.busy() && a.tick.c == nil {
		a.after(&a.tick, 125*time.Millisecond)
	}
}

// busy reports whether something goes on that shows as such.
func (a *app) busy() bool { return a.view.Running || a.shell != nil || a.status.work != "" }

// event takes in what happened in the session.
func (a *app) event(w watched) {
	if w.err != nil {
		if !errors.Is(w.err, context.Canceled) {
			a.failed, a.code = w.err, 1
		}
		a.quit = true
		return
	}
	before, was := a.view.Leaf, a.view.Header
	a.view.Apply(w.ev)
	switch e := w.ev.(type) {
	case protocol.Opened:
		a.opened, a.stood = false, standing{}
		a.status.tally = tally{}
		a.look.reset()
		a.openedAgain(was)
	case protocol.State:
		if !a.opened && a.view.Tree != nil && a.view.Tree.Size() > mostCounted {
			a.beside(func() func() { debug.FreeOSMemory(); return nil }) // what opening a long session took
		}
		a.opened = true
		a.look.rebuild()
		a.openDrafts()
		a.fetchCommands()
		a.welcome()
		a.stands(e)
		a.lookAtGit()
		a.begin()
		a.isThere()
	case protocol.Appended:
		a.look.appended(e, before)
		a.status.tally.appended(e)
		if !e.Foreign {
			a.drafts.grown(a.place(a.view.Leaf))
		}
		a.shellRecorded(e)
		a.heard(e)
	case protocol.PermissionsChanged:
		a.heardPermissions(e)
	case protocol.LeafMoved:
		a.lookedAtForeign()
		a.look.rebuild()
		a.status.tally.moved = true
		if a.view.Tree != nil && a.view.Tree.Size() <= mostCounted {
			a.status.tally.count(a)
		}
		if a.others(e.By) {
			a.drafts.grown(a.place(e.New)) // nobody's words go away under their fingers
		} else if a.view.Tree != nil && (a.view.Tree.Has(e.New) || e.New == "") {
			a.swap(a.place(e.New))
		}
		if a.others(e.By) {
			a.flash("%s moved: %s", a.who(e.By), a.position(e.New))
		}
	case protocol.AnswerStarted:
		a.look.fresh()
	case protocol.Asked:
		a.ask(e)
	case protocol.BashOutput:
		a.shellOutput(e)
	default:
		a.status.event(a, e)
	}
	for _, s := range a.screens {
		if f, ok := s.(follower); ok {
			f.event(a, w.ev)
		}
	}
}

// begin says the prompts of the start.
func (a *app) begin() {
	if a.begun {
		return
	}
	a.begun = true
	if a.o.Begin != "" {
		a.run(a.o.Begin)
	}
	for _, p := range a.o.Prompts {
		a.prompt(p)
	}
}

// tell writes a line below the conversation.
func (a *app) tell(style styled.Style, format string, args ...any) {
	a.look.say(style, render.Clean(a.t(format, args...)))
}

// problem tells why something failed.
func (a *app) problem(err error) {
	if err != nil && a.ctx.Err() == nil {
		a.tell(a.theme.failure, "Error: %s", a.sentence(err))
	}
}

// flash shows a line for a moment, where the status is.
func (a *app) flash(format string, args ...any) {
	a.status.flash, a.status.promise = render.OneLine(a.t(format, args...)), ""
	a.after(&a.fade, 4*time.Second)
}

// t says a text in the user's language, and n how many there are of something; what
// comes finished from elsewhere goes through told. The texts are in internal/lang.
func (a *app) t(text string, args ...any) string { return a.o.Lang.T(text, args...) }
func (a *app) n(n int, one, many string, more ...any) string {
	return a.o.Lang.N(n, one, many, more...)
}
func (a *app) told(words string) string { return a.o.Lang.Said(words) }

// sentence makes a sentence of an error.
func (a *app) sentence(err error) string {
	s := a.told(render.OneLine(err.Error()))
	if s == "" {
		return s
	}
	s = capital(s)
	switch last, _ := utf8.DecodeLastRuneInString(s); {
	case strings.ContainsRune(".!?。！？", last):
	case unicode.Is(unicode.Han, last):
		s += "。"
	default:
		s += "."
	}
	return s
}

// capital begins a text with a capital letter.
func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}
