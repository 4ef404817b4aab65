package repl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool"
)

// models are scripted models that share a script.
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

func (ms models) Default() (provider.Model, string, error) {
	if len(ms) == 0 {
		return nil, "", errors.New("No model is configured.")
	}
	return ms[0], "", nil
}

func (ms models) Thinking(provider.Info) string { return "off" }

// world is a hub, a scripted model, a folder of files and one of sessions.
type world struct {
	t      *testing.T
	hub    *control.Hub
	store  filestore.Store
	script *script.Script
	dir    string
}

func info(id string) provider.Info {
	i := scripted.Info(id)
	i.Provider, i.ContextWindow = "stub", 20000
	i.Cost = provider.Price{Input: 3, Output: 15}
	return i
}

// newWorld makes a world. rules is a script; "" is the built-in behaviour.
func newWorld(t *testing.T, rules string, change ...func(*control.Options)) *world {
	t.Helper()
	s := script.Empty()
	if rules != "" {
		var err error
		if s, err = script.Parse([]byte(rules)); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{t: t, store: filestore.Store{Root: t.TempDir(), Sync: filestore.SyncOff}, script: s, dir: t.TempDir()}
	w.file("hello.txt", "Hello there.\n")
	w.file("main.go", "package main\n")
	o := w.options(models{scripted.New(info("stub-large"), s), scripted.New(info("stub-small"), s)})
	for _, f := range change {
		f(&o)
	}
	w.hub = control.NewHub(o)
	t.Cleanup(w.hub.Close)
	return w
}

func (w *world) options(ms models) control.Options {
	return control.Options{
		Models: ms,
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{w.read(), w.bash()}, Run: w.shell, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: "/srv", Tools: specs})
			}}, nil
		},
	}
}

func (w *world) file(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read() tool.Tool {
	return tool.New(message.ToolSpec{Name: "read", Description: "reads", Parameters: []byte(`{"type":"object","properties":{"path":{}}}`)},
		func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
			b, err := os.ReadFile(filepath.Join(w.dir, a.Path))
			if err != nil {
				return message.ErrorOutput("there is no file " + a.Path), nil
			}
			return message.TextOutput(string(b)), nil
		})
}

// alone is a tool whose calls, and those beside them, run one after the other.
type alone struct{ tool.Tool }

func (alone) Sequential() bool { return true }

// bash is a tool that does nothing but fail, edit, or wait for its end.
func (w *world) bash() tool.Tool {
	return alone{tool.New(message.ToolSpec{Name: "bash", Description: "runs", Parameters: []byte(`{"type":"object","properties":{"command":{}}}`)},
		func(ctx context.Context, a struct{ Command string }, _ func(message.Output)) (message.Output, error) {
			switch a.Command {
			case "false":
				return message.ErrorOutput("some output\n\nCommand exited with code 1"), nil
			case "edit":
				o := message.TextOutput("Edited.")
				o.Details = []byte(`{"diff":"-1 a\n+1 b\n+2 c\n+3 d"}`)
				return o, nil
			case "wait":
				<-ctx.Done()
				return message.TextOutput("so far"), ctx.Err()
			}
			return message.TextOutput("ok"), nil
		})}
}

func (w *world) shell(ctx context.Context, command string, say func(string)) (protocol.BashResult, error) {
	code := 0
	switch command {
	case "wait":
		say("waiting\n")
		<-ctx.Done()
		return protocol.BashResult{Output: "waiting\n", Cancelled: true}, nil
	case "false":
		code = 1
		return protocol.BashResult{ExitCode: &code}, nil
	case "true":
		return protocol.BashResult{ExitCode: &code}, nil
	}
	say("one\n")
	say("\x1b[31mtwo")
	return protocol.BashResult{Output: "one\ntwo", ExitCode: &code}, nil
}

// connect stands at a session: the one of open, or a new one.
func (w *world) connect(open string) *control.Conn {
	w.t.Helper()
	start := control.Start{Store: w.store, Open: open, Dir: w.dir}
	if open == "" {
		start.New = session.Header{CWD: "/srv"}.Complete()
		start.File = w.store.FilePath(start.New)
	}
	c, err := w.hub.Connect(w.t.Context(), start)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// ran is what a conversation came to.
type ran struct {
	out, err string
	code     int
}

// run has a conversation in the session that c stands at and leaves it.
func (w *world) run(c *control.Conn, in io.Reader, change ...func(*repl.Options)) ran {
	w.t.Helper()
	var out, errs bytes.Buffer
	o := repl.Options{In: in, Out: &out, Err: &errs, Version: "0.x"}
	for _, f := range change {
		f(&o)
	}
	code, err := repl.Run(w.t.Context(), c, o)
	if err != nil {
		w.t.Errorf("run: %v", err)
	}
	c.Close()
	return ran{out.String(), errs.String(), code}
}

// say has a conversation in a new session.
func (w *world) say(lines string, change ...func(*repl.Options)) ran {
	w.t.Helper()
	return w.run(w.connect(""), strings.NewReader(lines), change...)
}

func quiet(o *repl.Options) { o.Quiet = true }

// sessions returns the files of all sessions, oldest first.
func (w *world) sessions() []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.store.Root, "*", "*.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// load reads the entries of a session file.
func (w *world) load(file string) *session.Tree {
	w.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	_, entries, err := session.Load(data)
	if err != nil {
		w.t.Fatal(err)
	}
	t := session.NewTree()
	for _, e := range entries {
		t.Add(e)
	}
	return t
}

// stable replaces what differs from run to run.
func stable(s string) string {
	s = regexp.MustCompile(`session [0-9a-f]{8}\.\.\.`).ReplaceAllString(s, "session 01970000...")
	s = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllString(s, "SESSION")
	s = regexp.MustCompile(`file      .*`).ReplaceAllString(s, "file      FILE")
	return s
}

// typist types a line whenever the output ends in a prompt.
type typist struct {
	mu    sync.Mutex
	out   bytes.Buffer
	lines []string
	in    *io.PipeWriter
	typed chan string
}

func newTypist(lines ...string) (*typist, io.Reader) {
	r, w := io.Pipe()
	t := &typist{lines: lines, in: w, typed: make(chan string, len(lines)+1)}
	go func() {
		for s := range t.typed {
			if s == "\x04" {
				w.Close()
				return
			}
			// The other end may be gone already.
			_, _ = io.WriteString(w, s+"\n")
		}
	}()
	return t, r
}

// Write notes what is shown, and types when it is asked to.
func (t *typist) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Write(p)
	if s := "\n" + t.out.String(); slices.ContainsFunc([]string{"> ", ". ", "you: ", "more: ", "choice: ", "answer, 1 to 3: "}, func(p string) bool { return strings.HasSuffix(s, "\n"+p) }) {
		next := "\x04"
		if len(t.lines) > 0 {
			next, t.lines = t.lines[0], t.lines[1:]
			t.out.WriteString(next + "\n") // as a terminal echoes it
		}
		t.typed <- next
	}
	return len(p), nil
}

func (t *typist) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.String()
}

// types has a conversation on a terminal without colours.
func (w *world) types(c *control.Conn, lines ...string) string {
	w.t.Helper()
	t, in := newTypist(lines...)
	w.run(c, in, func(o *repl.Options) { o.Out, o.Err, o.Terminal, o.NoColor = t, t, true, true })
	return t.String()
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// The conversation of the issue: ask, read, look, go back, ask again, retry,
// edit, look at the tree, leave, come back to the same place.
func TestStory(t *testing.T) {
	w := newWorld(t, `{"defaults":{"usage":{"input":1300,"output":80}},"rules":[
		{"when":{"toolResult":"Hello"},"reply":{"text":"It says hello."}},
		{"when":{"user":"what does hello.txt say|read it again"},"reply":{"toolCalls":[{"name":"read","args":{"path":"hello.txt"}}]}},
		{"when":{"user":"summary"},"reply":{"text":"A greeting."}}]}`)
	first := w.types(w.connect(""),
		"what does hello.txt say?",
		"/history",
		"/branch 1",
		"read it again",
		"/history",
		"/retry",
		"/edit 1",
		"give me a summary",
		"/history",
		"/tree",
		"/branch",
		"/quit")
	golden.Equal(t, "story.txt", stable(first))
	file := w.sessions()[0]
	leaf := w.load(file).Leaf()
	second := w.types(w.connect(file), "/history", "/tree")
	golden.Equal(t, "story_reopened.txt", stable(second))
	if now := w.load(file).Leaf(); now != leaf {
		t.Errorf("the leaf is %s, was %s", now, leaf)
	}
}

func promptOf(s string) protocol.Prompt { return protocol.Prompt{Text: s} }

// Nothing below a question would look like a fault of bough.
func TestAnswerOfNothingIsTold(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"^hm"},"reply":{"thinking":"hm"}},{"when":{"user":"^tool","turn":0},"reply":{"toolCalls":[{"name":"read","args":{"path":"hello.txt"}}]}}]`)
	const told = "(the model said nothing)\n"
	if got := w.say("hm"); !strings.Contains(got.out, told) {
		t.Errorf("%q is not in\n%s", told, got.out)
	}
	for _, prompt := range []string{"hello", "tool"} {
		if got := w.say(prompt); strings.Contains(got.out, told) {
			t.Errorf("%q is in\n%s", told, got.out)
		}
	}
}

// The line below an answer says how much of what was sent the cache had.
func TestCachedShareIsShown(t *testing.T) {
	for usage, want := range map[string]string{
		`{"input":100,"output":3,"cacheRead":8900,"cacheWrite":1000}`: "(100 in, 8.9k cached = 89%, 1.0k to the cache, 3 out, ",
		`{"input":100,"output":3,"cacheRead":9900,"cacheWrite":0}`:    "(100 in, 9.9k cached = 99%, 3 out, ",
		`{"input":100,"output":3,"cacheRead":0,"cacheWrite":900}`:     "(100 in, 900 to the cache, 3 out, ",
		`{"input":100,"output":3,"cacheRead":0,"cacheWrite":0}`:       "(100 in, 3 out, ",
	} {
		w := newWorld(t, `[{"reply":{"text":"x","usage":`+usage+`}}]`)
		got := w.say("hello", func(o *repl.Options) { o.Quiet = false })
		if !strings.Contains(got.out, want) {
			t.Errorf("%s: %q is not in\n%s", usage, want, got.out)
		}
	}
}
