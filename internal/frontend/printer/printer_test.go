package printer_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/printer"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/memstore"
	"github.com/boughdev/bough/tool"
)

// models gives one scripted model.
type models struct{ m provider.Model }

func (m models) Available() []provider.Info                 { return []provider.Info{m.m.Info()} }
func (m models) Model(p, id string) (provider.Model, error) { return m.m, nil }
func (m models) Default() (provider.Model, string, error)   { return m.m, "", nil }
func (m models) Thinking(provider.Info) string              { return "off" }
func prompts(texts ...string) (all []protocol.Prompt) {
	for _, t := range texts {
		all = append(all, protocol.Prompt{Text: t})
	}
	return all
}

// world is a session service with a scripted model.
type world struct {
	t      *testing.T
	script *script.Script
	store  *memstore.Store
	hub    *control.Hub
	conn   *control.Conn
}

func newWorld(t *testing.T, rules string, o control.Options) *world {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	o.Models = models{scripted.New(scripted.Info("one"), s)}
	echo := tool.New(message.ToolSpec{Name: "echo", Description: "says it again"},
		func(_ context.Context, a struct{ Text string }, _ func(message.Output)) (message.Output, error) {
			return message.TextOutput(a.Text), nil
		})
	o.Setup = func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
		return control.Plain{Kit: []tool.Tool{echo}}, nil
	}
	w := &world{t: t, script: s, store: &memstore.Store{}, hub: control.NewHub(o)}
	t.Cleanup(w.hub.Close)
	if w.conn, err = w.hub.Connect(t.Context(), control.Start{Store: w.store, New: session.Header{ID: "s", CWD: "/srv"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.conn.Close)
	return w
}

// run prints to buffers.
func (w *world) run(o printer.Options) (code int, out, errs string) {
	w.t.Helper()
	var b, e bytes.Buffer
	o.Out, o.Err = &b, &e
	code, err := printer.Run(w.t.Context(), w.conn, o)
	if err != nil {
		w.t.Errorf("error %v", err)
	}
	return code, b.String(), e.String()
}

// kept returns the messages of the session's file.
func (w *world) kept() (all []message.Message) {
	w.t.Helper()
	s, err := session.Open(w.t.Context(), w.store, "s")
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Main().Project()
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Messages()
}

func TestText(t *testing.T) {
	const rules = `{"rules":[
		{"when":{"user":"^tool","turn":0},"reply":{"text":"I look.","toolCalls":[{"name":"echo","args":{"text":"x"}}]}},
		{"when":{"user":"^tool"},"reply":{"text":"Seen."}},
		{"when":{"user":"^blocks"},"reply":{"content":[{"type":"text","text":"one"},{"type":"thinking","text":"hm"},{"type":"text","text":"two"}]}},
		{"when":{"user":"^silent"},"reply":{"thinking":"hm"}},
		{"when":{"user":"^cut"},"reply":{"text":"so far","stop":"length"}},
		{"when":{"user":"^refused"},"reply":{"error":"auth"}},
		{"when":{"user":"^broken"},"reply":{"text":"half of it","chunk":2,"at":[{"chunk":3,"do":"error","type":"invalid_request_error","message":"no"}]}},
		{"when":{"user":"^busy"},"times":1,"reply":{"error":"overloaded"}},
		{"when":{"user":"^loop"},"reply":{"text":"again","toolCalls":[{"name":"echo","args":{"text":"x"}}]}},
		{"when":{"user":"^colours"},"reply":{"text":"\u001b[31mred\u001b[0m\tand\u0007 plain"}}
	]}`
	for _, tt := range []struct {
		name      string
		prompts   []protocol.Prompt
		o         printer.Options
		code      int
		out, errs string // errs: part of it
	}{
		{"an answer", prompts("hello"), printer.Options{}, 0, "Echo: hello\n", ""},
		{"of several the last one", prompts("one", "two"), printer.Options{}, 0, "Echo: two\n", ""},
		{"behind tools", prompts("tool"), printer.Options{}, 0, "Seen.\n", ""},
		{"blocks on lines of their own", prompts("blocks"), printer.Options{}, 0, "one\ntwo\n", ""},
		{"nothing said", prompts("silent"), printer.Options{}, 0, "", "the model said nothing"},
		{"nothing to say", nil, printer.Options{}, 0, "", ""},
		{"cut by the limit", prompts("cut"), printer.Options{}, 1, "so far\n", "cut off by the output limit"},
		{"refused", prompts("refused"), printer.Options{}, 1, "", "the model failed: 401"},
		{"broken off: half a text is none", prompts("broken"), printer.Options{}, 1, "", "the model failed"},
		{"a failure before the last one is told", prompts("refused", "hello"), printer.Options{}, 0, "Echo: hello\n", "the model failed: 401"},
		{"tried again", prompts("busy"), printer.Options{}, 0, "Echo: busy\n", "trying again in 1ms (1 of 2)"},
		{"the limit of turns", prompts("loop"), printer.Options{}, 1, "again\n", "Stopped after 5 turns"},
		{"to a pipe as it is", prompts("colours"), printer.Options{}, 0, "\x1b[31mred\x1b[0m\tand\a plain\n", ""},
		{"to a terminal what it shows", prompts("colours"), printer.Options{Terminal: true}, 0, "red\tand plain\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, rules, control.Options{MaxTurns: 5, Retry: control.Retry{Max: 2, Base: time.Millisecond}})
			tt.o.Prompts = tt.prompts
			code, out, errs := w.run(tt.o)
			if code != tt.code || out != tt.out {
				t.Errorf("exit code %d, output %q; want %d, %q", code, out, tt.code, tt.out)
			}
			if tt.errs == "" && errs != "" || !strings.Contains(errs, tt.errs) {
				t.Errorf("told %q, want %q", errs, tt.errs)
			}
			for line := range strings.Lines(errs) {
				if !strings.HasPrefix(line, "bough: ") {
					t.Errorf("a line that nobody said: %q", line)
				}
			}
		})
	}
}

// types returns the types of records, deltas left out.
func types(t *testing.T, lines string) (all []string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var r struct {
			Type    string
			Message struct{ Role string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if r.Type != "message_update" {
			all = append(all, strings.TrimSpace(r.Type+" "+r.Message.Role))
		}
	}
	return all
}

func TestJSON(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"^refused"},"reply":{"error":"auth"}}]`, control.Options{})
	code, out, errs := w.run(printer.Options{JSON: true, Prompts: prompts("hello", "refused", "bye")})
	if code != 0 || errs != "" {
		t.Errorf("exit code %d, told %q", code, errs)
	}
	if head, _, _ := strings.Cut(out, "\n"); !strings.HasPrefix(head, `{"type":"session","version":3,"id":"s",`) {
		t.Errorf("first record %s", head)
	}
	run := []string{"agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant", "message_end assistant", "turn_end assistant", "agent_end", "agent_settled"}
	first := slices.Insert(slices.Clone(run), 2, "message_start system", "message_end system") // which declares the tool
	want := slices.Concat([]string{"session"}, first, run, run)
	if got := types(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("records\n%v, want\n%v", got, want)
	}
	for _, text := range []string{`"text":"Echo: hello"`, `"stopReason":"error"`, `"text":"Echo: bye"`} {
		if !strings.Contains(out, text) {
			t.Errorf("no %s in\n%s", text, out)
		}
	}
}

const held = `[{"reply":{"text":"one two three","chunk":4,"at":[{"chunk":1,"do":"hold","name":"here"}]}}]`

// Records are there as soon as what they tell has happened.
func TestJSONAtOnce(t *testing.T) {
	w := newWorld(t, held, control.Options{})
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := printer.Run(t.Context(), w.conn, printer.Options{JSON: true, Prompts: prompts("x"), Out: out, Err: io.Discard})
		out.Close()
		done <- err
	}()
	lines := bufio.NewScanner(in)
	seen := false
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"text_delta"`) && !seen {
			seen = true
			w.script.Release("here") // not before its first words were seen
		}
	}
	if err := <-done; err != nil || !seen {
		t.Errorf("error %v, first words seen: %t", err, seen)
	}
}

// gone is a writer that nobody reads any more after some lines.
type gone struct{ lines int }

func (g *gone) Write(b []byte) (int, error) {
	if g.lines -= bytes.Count(b, []byte("\n")); g.lines < 0 {
		return 0, syscall.EPIPE
	}
	return len(b), nil
}

// A reader that goes away ends the run, and what was said is kept.
func TestReaderGone(t *testing.T) {
	w := newWorld(t, held, control.Options{})
	_, err := printer.Run(t.Context(), w.conn, printer.Options{JSON: true, Prompts: prompts("x"), Out: &gone{lines: 7}, Err: io.Discard})
	if !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error %v, want EPIPE", err)
	}
	w.conn.Close()
	w.cut()

	w = newWorld(t, "[]", control.Options{})
	if _, err := printer.Run(t.Context(), w.conn, printer.Options{Prompts: prompts("x"), Out: &gone{}, Err: io.Discard}); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("text: error %v, want EPIPE", err)
	}
}

// cut checks that the last answer was kept as far as it came.
func (w *world) cut() {
	w.t.Helper()
	all := w.kept()
	last := all[len(all)-1]
	if last.Role != message.Assistant || last.StopReason != message.Aborted || !strings.HasPrefix(last.Text(""), "one") {
		w.t.Errorf("last message %s", last.JSON())
	}
}

// A signal ends the run, and what was said is kept.
func TestSignal(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		w := newWorld(t, held, control.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			w.script.AwaitHold(ctx, "here")
			cancel()
		}()
		var out bytes.Buffer
		_, err := printer.Run(ctx, w.conn, printer.Options{JSON: asJSON, Prompts: prompts("x"), Out: &out, Err: io.Discard})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if strings.Contains(out.String(), "agent_settled") || !asJSON && out.Len() > 0 {
			t.Errorf("printed %s", &out)
		}
		w.conn.Close()
		w.cut()
	}
}

func TestServiceGone(t *testing.T) {
	w := newWorld(t, held, control.Options{})
	go func() {
		w.script.AwaitHold(t.Context(), "here")
		w.hub.Close()
	}()
	code, err := printer.Run(t.Context(), w.conn, printer.Options{Prompts: prompts("x", "y"), Out: io.Discard, Err: io.Discard})
	if code == 0 && err == nil {
		t.Error("it passes for an answer")
	}
}
