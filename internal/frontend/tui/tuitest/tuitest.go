// Package tuitest runs the terminal UI on an emulated terminal, with a real session
// service behind it and a model that follows a script.
//
//	w := tuitest.New(t, "")
//	s := w.Start(80, 24)
//	s.Type("read hello.txt", "enter")
//	s.Shows("Hello there.")
//	s.Golden("read_80.txt")
//
// Nothing in it counts time: what is waited for is something on the screen.
package tuitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/internal/term/termtest"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool"
)

// World is a session service with scripted models, a folder of files, and one of
// sessions.
type World struct {
	T      *testing.T
	Hub    *control.Hub
	Store  filestore.Store
	Script *script.Script // Release lets a held answer go on
	Dir    string
}

// New makes a world. rules is a script as fakellm has it; "" is its usual behaviour.
// change sets what the sessions are run with.
func New(t *testing.T, rules string, change ...func(*control.Options)) *World {
	t.Helper()
	s := script.Empty()
	if rules != "" {
		var err error
		if s, err = script.Parse([]byte(rules)); err != nil {
			t.Fatal(err)
		}
	}
	w := &World{T: t, Script: s, Dir: t.TempDir(), Store: filestore.Store{Root: t.TempDir(), Sync: filestore.SyncOff}}
	w.File("hello.txt", "Hello there.\n")
	w.File("main.go", "package main\n\nfunc main() {\n\tprintln(\"hello\") // to everybody\n}\n")
	o := control.Options{
		Models: models{scripted.New(info("stub-large"), s), scripted.New(info("stub-small"), s)},
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{w.read(), w.bash()}, Run: w.shell, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: "/srv", Tools: specs})
			}}, nil
		},
		Follow: true, Asks: true,
	}
	for _, f := range change {
		f(&o)
	}
	w.Hub = control.NewHub(o)
	t.Cleanup(w.Hub.Close)
	return w
}

type models []provider.Model

func (ms models) Available() []provider.Info {
	var infos []provider.Info
	for _, m := range ms {
		infos = append(infos, m.Info())
	}
	return infos
}

func (ms models) Model(p, id string) (provider.Model, error) {
	for _, m := range ms {
		if m.Info().Provider == p && m.Info().ID == id {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no model %s/%s", p, id)
}

func (ms models) Default() (provider.Model, string, error) { return ms[0], "", nil }
func (ms models) Thinking(provider.Info) string            { return "off" }

func info(id string) provider.Info {
	i := scripted.Info(id)
	i.Provider, i.ContextWindow = "stub", 20000
	i.Cost = provider.Price{Input: 3, Output: 15}
	return i
}

// File writes a file that the model may read.
func (w *World) File(name, text string) {
	w.T.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

func (w *World) read() tool.Tool {
	return tool.New(message.ToolSpec{Name: "read", Description: "reads", Parameters: []byte(`{"type":"object","properties":{"path":{}}}`)},
		func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
			b, err := os.ReadFile(filepath.Join(w.Dir, a.Path))
			if err != nil {
				return message.ErrorOutput("there is no file " + a.Path), nil
			}
			return message.TextOutput(string(b)), nil
		})
}

// bash is a tool that says lines, fails, edits, or waits for its end.
func (w *World) bash() tool.Tool {
	return tool.New(message.ToolSpec{Name: "bash", Description: "runs", Parameters: []byte(`{"type":"object","properties":{"command":{}}}`)},
		func(ctx context.Context, a struct{ Command string }, progress func(message.Output)) (message.Output, error) {
			switch a.Command {
			case "false":
				return message.ErrorOutput("some output\n\nCommand exited with code 1"), nil
			case "many":
				var b strings.Builder
				for i := range 100 {
					fmt.Fprintf(&b, "line %d\n", i+1)
				}
				return message.TextOutput(b.String()), nil
			case "wait":
				progress(message.TextOutput("waiting for the end"))
				<-ctx.Done()
				return message.TextOutput("so far"), ctx.Err()
			}
			return message.TextOutput("ok"), nil
		})
}

func (w *World) shell(ctx context.Context, command string, say func(string)) (protocol.BashResult, error) {
	code := 0
	if command == "wait" {
		say("waiting\n")
		<-ctx.Done()
		return protocol.BashResult{Output: "waiting\n", Cancelled: true}, nil
	}
	say("one\n\x1b[31mtwo")
	return protocol.BashResult{Output: "one\ntwo", ExitCode: &code}, nil
}

// Connect stands at a session: the one of open, or a new one.
func (w *World) Connect(open string) *control.Conn {
	w.T.Helper()
	start := control.Start{Store: w.Store, Open: open, Dir: w.Dir, Who: "me"}
	if open == "" {
		start.New = session.Header{CWD: "/srv/app"}.Complete()
		start.File = w.Store.FilePath(start.New)
	}
	c, err := w.Hub.Connect(w.T.Context(), start)
	if err != nil {
		w.T.Fatal(err)
	}
	return c
}

// Screen is a terminal with the UI on it, and somebody who types.
type Screen struct {
	*termtest.Terminal
	T     *testing.T
	keys  *io.PipeWriter
	sizes chan term.Resized
	ended chan struct{}
	code  int
	err   error
}

// Start shows a new session on a terminal of that size, and waits until it is there:
// who comes to a tool that runs already does not hear what it said before.
func (w *World) Start(width, height int, change ...func(*tui.Options)) *Screen {
	w.T.Helper()
	c := w.Connect("")
	s := Start(w.T, c, width, height, change...)
	w.T.Cleanup(func() { s.End(); c.Close() })
	s.Shows("stub-large")
	return s
}

// Start shows what a client says on a terminal of that size.
func Start(t *testing.T, c protocol.Client, width, height int, change ...func(*tui.Options)) *Screen {
	return show(t, func(ctx context.Context, o tui.Options) (int, error) { return tui.Run(ctx, c, o) }, width, height, change...)
}

// Before shows questions that come before there is a session.
func Before(t *testing.T, ask func(context.Context, tui.Options) error, width, height int, change ...func(*tui.Options)) *Screen {
	return show(t, func(ctx context.Context, o tui.Options) (int, error) { return 0, ask(ctx, o) }, width, height, change...)
}

func show(t *testing.T, run func(context.Context, tui.Options) (int, error), width, height int, change ...func(*tui.Options)) *Screen {
	in, keys := io.Pipe()
	s := &Screen{Terminal: termtest.New(width, height), T: t, keys: keys, sizes: make(chan term.Resized), ended: make(chan struct{})}
	o := tui.Options{Who: "me", Version: "0.x", Home: "/home/me", Theme: "dark",
		Terminal: term.Options{In: in, Out: s.Terminal, Colors: term.Palette, Getenv: func(string) string { return "" },
			Size: func() (int, int) { return width, height }, Sizes: s.sizes}}
	for _, f := range change {
		f(&o)
	}
	go func() {
		defer close(s.ended)
		s.code, s.err = run(t.Context(), o)
		in.CloseWithError(fmt.Errorf("the UI has ended with code %d: %v", s.code, s.err)) // who types on is told
	}()
	return s
}

// Type sends texts and keys: what is the name of a key with more than one letter is
// that key.
func (s *Screen) Type(what ...string) {
	s.T.Helper()
	for _, k := range what {
		s.Send(termtest.Keys(k))
	}
}

// Send sends bytes.
func (s *Screen) Send(b string) {
	s.T.Helper()
	if _, err := io.WriteString(s.keys, b); err != nil {
		s.T.Fatalf("typing %q: %v\n%s", b, err, s.String())
	}
}

// Paste pastes a text.
func (s *Screen) Paste(text string) { s.Send(termtest.Pasted(text)) }

// Resize makes the terminal another size.
func (s *Screen) Resize(width, height int) {
	s.Terminal.Resize(width, height)
	s.Sized(width, height)
}

// Sized tells the UI of a size.
func (s *Screen) Sized(width, height int) { s.sizes <- term.Resized{Width: width, Height: height} }

// patience is how long a test waits for something that never comes. It is no
// measure of anything.
const patience = 30 * time.Second

// Until waits until the screen is as it should be.
func (s *Screen) Until(what string, is func(screen string) bool) {
	s.T.Helper()
	limit := time.After(patience)
	for {
		changed := s.Changed()
		if is(s.String()) {
			return
		}
		select {
		case <-changed:
		case <-limit:
			s.T.Fatalf("never: %s\n%s", what, s.String())
		}
	}
}

// Shows waits until texts stand on the screen.
func (s *Screen) Shows(texts ...string) {
	s.T.Helper()
	s.Until(strings.Join(texts, ", "), func(screen string) bool {
		for _, t := range texts {
			if !strings.Contains(screen, t) {
				return false
			}
		}
		return true
	})
}

// Hides waits until a text is not on the screen any more.
func (s *Screen) Hides(text string) {
	s.T.Helper()
	s.Until("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// Golden waits until the screen is what the file testdata/name holds. When files are
// written anew it is what the screen shows once it is quiet.
func (s *Screen) Golden(name string) {
	s.T.Helper()
	s.golden(name, s.String)
}

// GoldenStyles is Golden for how the rows look.
func (s *Screen) GoldenStyles(name string) {
	s.T.Helper()
	s.golden(name, s.Styles)
}

func (s *Screen) golden(name string, shows func() string) {
	s.T.Helper()
	if golden.Updating() {
		for quiet := false; !quiet; {
			select {
			case <-s.Changed():
			case <-time.After(500 * time.Millisecond):
				quiet = true
			}
		}
		golden.Equal(s.T, name, shows())
		return
	}
	want, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		s.T.Fatal(err)
	}
	limit := time.After(patience)
	for {
		changed := s.Changed()
		if shows() == string(want) {
			return
		}
		select {
		case <-changed:
		case <-limit:
			golden.Equal(s.T, name, shows())
			return
		}
	}
}

// End ends the UI, if it has not ended, and returns its exit code and error.
func (s *Screen) End() (int, error) {
	s.keys.CloseWithError(errors.New("hung up"))
	<-s.ended
	return s.code, s.err
}

// Left reports whether the UI has ended, as who has left it wanted.
func (s *Screen) Left() bool {
	select {
	case <-s.ended:
		return s.code == 0 && s.err == nil
	default:
		return false
	}
}

// Ended waits for the UI to end by itself.
func (s *Screen) Ended() (int, error) {
	s.T.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.T.Fatalf("it goes on\n%s", s.String())
	}
	return s.code, s.err
}

// On is a screen and somebody who types, for a program that the test starts itself.
func On(t *testing.T, screen *termtest.Terminal, keys *io.PipeWriter) *Screen {
	return &Screen{Terminal: screen, T: t, keys: keys}
}

// Width is how many columns a text takes.
func Width(s string) int { return styled.Width(s) }
