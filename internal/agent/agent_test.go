package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/tool"
)

// answers is a model that gives one answer after the other.
type answers struct {
	mu   sync.Mutex
	list []func(context.Context, func(message.Delta) bool) error // guarded by mu
}

func (a *answers) Info() provider.Info {
	return provider.Info{ID: "m", Provider: "p", API: "a"}
}

func (a *answers) Stream(ctx context.Context, _ provider.Request) iter.Seq2[message.Delta, error] {
	a.mu.Lock()
	next := a.list[0]
	a.list = a.list[1:]
	a.mu.Unlock()
	return func(yield func(message.Delta, error) bool) {
		if err := next(ctx, func(d message.Delta) bool { return yield(d, nil) }); err != nil {
			yield(message.Delta{}, err)
		}
	}
}

// says makes an answer of a text and calls; each call is "name" or "name!" for
// arguments that are no JSON.
func says(stop message.StopReason, text string, calls ...string) func(context.Context, func(message.Delta) bool) error {
	return func(_ context.Context, send func(message.Delta) bool) error {
		i := 0
		if text != "" {
			send(message.Delta{Kind: message.TextStart})
			send(message.Delta{Kind: message.TextDelta, Text: text})
			send(message.Delta{Kind: message.TextEnd})
			i = 1
		}
		for n, c := range calls {
			name, bad := strings.CutSuffix(c, "!")
			send(message.Delta{Kind: message.ToolCallStart, Index: i, ID: fmt.Sprint("c", n), Name: name})
			args := "{}"
			if bad {
				args = `{"path":`
			}
			send(message.Delta{Kind: message.ToolCallDelta, Index: i, Text: args})
			send(message.Delta{Kind: message.ToolCallEnd, Index: i})
			i++
		}
		send(message.Delta{Kind: message.Info, StopReason: stop})
		return nil
	}
}

// host runs turns until an answer has no calls, and notes what it sees.
type host struct {
	model *answers
	tools []tool.Tool

	mu   sync.Mutex
	seen []string // guarded by mu
}

func (h *host) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, fmt.Sprintf(format, args...))
}

func (h *host) Next(_ context.Context, last *agent.Turn) (*agent.Step, error) {
	if last != nil && (last.Err != nil || len(last.Results) == 0) {
		return nil, nil
	}
	return &agent.Step{Model: h.model, Tools: h.tools}, nil
}

func (h *host) Record(_ context.Context, m message.Message) error {
	text := m.Text("")
	switch m.Role {
	case message.Assistant:
		h.note("answer %s %q %d calls", m.StopReason, text, len(m.ToolCalls()))
	case message.ToolResult:
		h.note("result %s error=%v ran=%v %.40s", m.ToolCallID, m.IsError, m.DurationMs != nil, text)
	}
	return nil
}

func (h *host) Emit(ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.ToolStarted:
		h.note("start %s", e.CallID)
	case protocol.ToolEnded:
		h.note("end %s", e.CallID)
	}
}

func makes(name string, run func(context.Context) (message.Output, error)) tool.Tool {
	return tool.New(message.ToolSpec{Name: name}, func(ctx context.Context, _ struct{}, _ func(message.Output)) (message.Output, error) {
		return run(ctx)
	})
}

type lonely struct{ tool.Tool }

func (lonely) Sequential() bool { return true }

func play(t *testing.T, ctx context.Context, tools []tool.Tool, list ...func(context.Context, func(message.Delta) bool) error) []string {
	t.Helper()
	h := &host{model: &answers{list: list}, tools: tools}
	if err := agent.Run(ctx, h); err != nil {
		t.Fatal(err)
	}
	return h.seen
}

func TestTurns(t *testing.T) {
	ok := makes("ok", func(context.Context) (message.Output, error) { return message.TextOutput("fine"), nil })
	fails := makes("fails", func(context.Context) (message.Output, error) { return message.Output{}, errors.New("broken") })
	panics := makes("panics", func(context.Context) (message.Output, error) { panic("oh") })
	for _, tt := range []struct {
		name  string
		tools []tool.Tool
		list  []func(context.Context, func(message.Delta) bool) error
		want  []string
	}{
		{"an answer ends the run", nil, []func(context.Context, func(message.Delta) bool) error{says(message.Stop, "hi")},
			[]string{`answer stop "hi" 0 calls`}},
		{"a call is run and answered", []tool.Tool{ok}, []func(context.Context, func(message.Delta) bool) error{says(message.ToolUse, "", "ok"), says(message.Stop, "done")},
			[]string{`answer toolUse "" 1 calls`, "start c0", "end c0", "result c0 error=false ran=true fine", `answer stop "done" 0 calls`}},
		{"a server that says stop to calls means them", []tool.Tool{ok}, []func(context.Context, func(message.Delta) bool) error{says(message.Stop, "", "ok"), says(message.Stop, "done")},
			[]string{`answer toolUse "" 1 calls`, "start c0", "end c0", "result c0 error=false ran=true fine", `answer stop "done" 0 calls`}},
		{"what fails is for the model to read", []tool.Tool{lonely{fails}, panics}, []func(context.Context, func(message.Delta) bool) error{says(message.ToolUse, "", "fails", "panics", "none", "fails!"), says(message.Stop, "done")},
			[]string{`answer toolUse "" 4 calls`, "start c0", "end c0", "result c0 error=true ran=true broken", "start c1", "end c1", "result c1 error=true ran=true The tool panics crashed: oh",
				"start c2", "end c2", "result c2 error=true ran=false There is no tool \"none\". Tools: fails, p", "start c3", "end c3", "result c3 error=true ran=false The call was not run: arguments are not ",
				`answer stop "done" 0 calls`}},
		{"calls of an answer that was cut off are not run", []tool.Tool{ok}, []func(context.Context, func(message.Delta) bool) error{says(message.Length, "", "ok"), says(message.Stop, "done")},
			[]string{`answer length "" 1 calls`, "start c0", "end c0", "result c0 error=true ran=false The answer was cut off by the output lim", `answer stop "done" 0 calls`}},
		{"a failure keeps what was said", nil, []func(context.Context, func(message.Delta) bool) error{func(_ context.Context, send func(message.Delta) bool) error {
			send(message.Delta{Kind: message.TextStart})
			send(message.Delta{Kind: message.TextDelta, Text: "half"})
			return &provider.Error{Kind: provider.Transient, Message: "gone"}
		}}, []string{`answer error "half" 0 calls`}},
		{"a stream that ends without a reason has failed", nil, []func(context.Context, func(message.Delta) bool) error{func(_ context.Context, send func(message.Delta) bool) error {
			send(message.Delta{Kind: message.TextStart})
			send(message.Delta{Kind: message.TextDelta, Text: "half"})
			return nil
		}}, []string{`answer error "half" 0 calls`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := play(t, t.Context(), tt.tools, tt.list...); !slices.Equal(got, tt.want) {
				t.Errorf("saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// Calls of one answer run at once, and each result is kept as soon as it is there.
func TestCallsRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after := func(name string, d time.Duration) tool.Tool {
			return makes(name, func(context.Context) (message.Output, error) {
				time.Sleep(d)
				return message.TextOutput(name), nil
			})
		}
		start := time.Now()
		got := play(t, t.Context(), []tool.Tool{after("slow", 3*time.Second), after("quick", time.Second)},
			says(message.ToolUse, "", "slow", "quick"), says(message.Stop, "done"))
		want := []string{`answer toolUse "" 2 calls`, "start c0", "start c1", "end c1", "result c1 error=false ran=true quick", "end c0", "result c0 error=false ran=true slow", `answer stop "done" 0 calls`}
		if !slices.Equal(got, want) {
			t.Errorf("saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %s, want the time of the slowest", took)
		}
	})
}

// A tool that wants to be alone is.
func TestCallsOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleep := makes("sleep", func(context.Context) (message.Output, error) {
			time.Sleep(time.Second)
			return message.TextOutput("x"), nil
		})
		start := time.Now()
		play(t, t.Context(), []tool.Tool{lonely{sleep}}, says(message.ToolUse, "", "sleep", "sleep", "sleep"), says(message.Stop, "done"))
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("three calls took %s, want 3s", took)
		}
	})
}

// When the context ends the turn is recorded as far as it has come.
func TestAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hang := makes("hang", func(ctx context.Context) (message.Output, error) {
			<-ctx.Done()
			return message.TextOutput("so far"), ctx.Err()
		})
		time.AfterFunc(time.Second, cancel)
		got := play(t, ctx, []tool.Tool{hang}, says(message.ToolUse, "", "hang"), func(ctx context.Context, _ func(message.Delta) bool) error { return ctx.Err() })
		want := []string{`answer toolUse "" 1 calls`, "start c0", "end c0", "result c0 error=true ran=true so farAborted.", `answer aborted "" 0 calls`}
		if !slices.Equal(got, want) {
			t.Errorf("saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// fileTool works on the file that its name begins with and changes it if its name
// ends in an exclamation mark.
type fileTool struct{ tool.Tool }

func (f fileTool) File(json.RawMessage) (string, bool) {
	file, _, _ := strings.Cut(f.Spec().Name, "-")
	return file, strings.HasSuffix(f.Spec().Name, "-write")
}

// Calls on one file run in the order of the answer; others run beside them.
func TestCallsOnOneFileKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		timed := func(name string, d time.Duration) tool.Tool {
			return fileTool{makes(name, func(context.Context) (message.Output, error) {
				from := time.Since(begin)
				time.Sleep(d)
				return message.TextOutput(fmt.Sprintf("%s %v-%v", name, from, time.Since(begin))), nil
			})}
		}
		got := play(t, t.Context(), []tool.Tool{timed("f-write", 3*time.Second), timed("f-read", time.Second), timed("g-read", time.Second), timed("-read", time.Second)},
			says(message.ToolUse, "", "f-read", "f-write", "f-read", "f-read", "g-read", "-read", "f-write", "f-read"), says(message.Stop, "done"))
		var results []string
		for _, s := range got {
			if rest, ok := strings.CutPrefix(s, "result "); ok {
				id, _, _ := strings.Cut(rest, " ")
				_, rest, _ = strings.Cut(rest, "true ")
				results = append(results, id+" "+rest)
			}
		}
		slices.Sort(results)
		want := []string{"c0 f-read 0s-1s", "c1 f-write 1s-4s", "c2 f-read 4s-5s", "c3 f-read 4s-5s", "c4 g-read 0s-1s", "c5 -read 0s-1s", "c6 f-write 5s-8s", "c7 f-read 8s-9s"}
		if !slices.Equal(results, want) {
			t.Errorf("results\n%s\nwant\n%s", strings.Join(results, "\n"), strings.Join(want, "\n"))
		}
	})
}
