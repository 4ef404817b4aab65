package repl_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
)

// witness keeps what a model is asked, repaired as every codec does it.
type witness struct {
	provider.Model
	mu    sync.Mutex
	asked [][]message.Message
}

func (m *witness) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	m.mu.Lock()
	m.asked = append(m.asked, provider.Prepare(req.Messages, m.Info(), provider.PrepareOptions{}))
	m.mu.Unlock()
	return m.Model.Stream(ctx, req)
}

func (m *witness) last() []message.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[len(m.asked)-1]
}

// illegal says what no provider would accept of a request, or "".
func illegal(msgs []message.Message) string {
	var open []string
	for i, m := range msgs {
		switch m.Role {
		case message.Assistant:
			if len(open) > 0 {
				return fmt.Sprintf("%d: an answer while calls %v are open", i, open)
			}
			for _, c := range m.ToolCalls() {
				open = append(open, c.ID)
			}
		case message.ToolResult:
			k := slices.Index(open, m.ToolCallID)
			if k < 0 {
				return fmt.Sprintf("%d: a result of %s, which is not open", i, m.ToolCallID)
			}
			open = slices.Delete(open, k, k+1)
		case message.User, message.System:
			if len(open) > 0 {
				return fmt.Sprintf("%d: a %s message while calls %v are open", i, m.Role, open)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("calls %v stay open", open)
	}
	return ""
}

func invented(msgs []message.Message) int {
	n := 0
	for _, m := range msgs {
		if m.Role == message.ToolResult && strings.Contains(m.Text(""), provider.NoResult) {
			n++
		}
	}
	return n
}

// parallel is a conversation with an answer of three calls at once.
const parallel = `{"defaults":{"usage":{"input":100,"output":10}},"rules":[
	{"when":{"toolResult":"."},"reply":{"text":"I have read them all."}},
	{"when":{"user":"read all"},"reply":{"text":"Three files.","toolCalls":[{"name":"read","args":{"path":"hello.txt"}},{"name":"read","args":{"path":"main.go"}},{"name":"read","args":{"path":"nope.txt"}}]}},
	{"reply":{"text":"Good."}}]}`

// watched makes a world with a witness in front of its model.
func watched(t *testing.T, rules string) (*world, *witness) {
	m := &witness{}
	w := newWorld(t, rules)
	m.Model = scripted.New(info("stub-large"), w.script)
	w.hub.Close()
	w.hub = control.NewHub(w.options(models{m}))
	t.Cleanup(w.hub.Close)
	return w, m
}

func TestBranchToEveryNumber(t *testing.T) {
	made, _ := watched(t, parallel)
	made.say("read all\nthanks\n")
	file := made.sessions()[0]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// 0 system, 1 user, 2 assistant, 3 to 5 results, 6 assistant, 7 user, 8 assistant
	for n := range 9 {
		for _, how := range []string{"", " --strict", " --exact"} {
			t.Run(fmt.Sprint(n, how), func(t *testing.T) {
				w, m := watched(t, parallel)
				copied := filepath.Join(t.TempDir(), "session.jsonl")
				if err := os.WriteFile(copied, data, 0o600); err != nil {
					t.Fatal(err)
				}
				got := w.run(w.connect(copied), strings.NewReader(fmt.Sprintf("/history\n/branch %d%s\ngo on\n/history\n", n, how)), quiet)
				if got.code != 0 || got.err != "" {
					t.Fatalf("code %d, %q", got.code, got.err)
				}
				if wrong := illegal(m.last()); wrong != "" {
					t.Errorf("the request is illegal: %s", wrong)
				}
				stands, within := n, n >= 2 && n <= 4
				switch {
				case within && how == "":
					stands = 5
					if !strings.Contains(got.out, "moved to [5]: results of this turn belong together\nat [5] tool") {
						t.Errorf("it was not said that it moved:\n%s", got.out)
					}
				case within && how == " --strict":
					stands = 8
					if !strings.Contains(got.out, fmt.Sprintf("Not moved: [%d] lies between a call and its results", n)) {
						t.Errorf("it was not said why not:\n%s", got.out)
					}
				default:
					if !strings.Contains(got.out, fmt.Sprintf("at [%d] ", n)) || strings.Contains(got.out, "moved") {
						t.Errorf("it was not said where:\n%s", got.out)
					}
				}
				missing := 0
				if within && how == " --exact" {
					missing = 5 - n
				}
				if k := invented(m.last()); k != missing {
					t.Errorf("%d invented results, want %d", k, missing)
				}
				if want := regexp.MustCompile(fmt.Sprintf(`\n\[%d\] +user       go on\n\[%d\] +assistant  Good.\n$`, stands+1, stands+2)); !want.MatchString(got.out) {
					t.Errorf("want it to end like %s:\n%s", want, got.out)
				}
				grown, err := os.ReadFile(copied)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(string(grown), string(data)) {
					t.Error("old bytes have changed")
				}
				if strings.Contains(string(grown), provider.NoResult) {
					t.Error("invented results are in the file")
				}
			})
		}
	}
}

func TestBranchAndGoto(t *testing.T) {
	w := newWorld(t, strings.Replace(parallel, `"read","args":{"path":"nope.txt"}`, `"bash","args":{"command":"ls"}`, 1))
	got := w.say(strings.Join([]string{
		"/history", "/branch 0", "/branch", "/back", "/edit", "/retry", "/label x", "/goto",
		"read all", "/history", "/branch 99", "/branch x", "/branch -1", "/branch 3 --nope", "/branch 3 --summary",
		"/branch 1", "/branch", "/label the question", "another", "/history", "/history 1", "/history zero",
		"/branch 6", "/branch", "/back", "/back", "/forward", "/forward", "/forward",
		"/branch the question", "/branch #8", "/branch \"the question\"", "/label", "/label",
		"/goto 1", "read none", "/history --all", "/goto #6", "/edit #6", "/retry", "/tree --ascii", "/tree --ascii all", "/tree --ascii --all READ", "/tree zzz",
	}, "\n"), quiet)
	golden.Equal(t, "branch.txt", got.out+"--\n"+got.err)
}

func TestNumbersAreThoseOfThePrintedList(t *testing.T) {
	w := newWorld(t, "")
	got := w.say("a\nb\n/history\n/branch 1\nc\n/branch 4\n/history\n/branch 2\n", quiet)
	// After c the path is a, c; [4] is b's answer of the list before.
	if !strings.Contains(got.out, `at [4] assistant "Echo: b"`) || !strings.HasSuffix(got.out, "at [2] assistant \"Echo: a\"; next prompt starts branch 2\n") {
		t.Errorf("got\n%s", got.out)
	}
	got = newWorld(t, "").say("a\n/history\nb\n/branch 4\n/branch 5\n", quiet)
	if !strings.Contains(got.out, `at [4] assistant "Echo: b"`) || !strings.Contains(got.out, "There is no [5]; the list goes from [0] to [4].") {
		t.Errorf("a list that has grown:\n%s", got.out)
	}
}

func TestRetry(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"q"},"reply":[{"error":{"kind":"server","message":"busy","body":"busy"}},{"text":"one"},{"text":"two"},{"text":"three"}]}]`)
	got := w.say("q\n/retry\n/retry\n/branch 1\n/retry\n/tree --ascii\n", quiet)
	busy := regexp.MustCompile(`assistant: .*busy.*error\)`)
	got.out = busy.ReplaceAllString(got.out, "assistant: busy (error)")
	want := `one
back at [1] user "q"; this answer begins branch 2
two
at [1] user "q"; next prompt starts branch 3, /retry asks the model again
three
  #1 * user: q
  #2 |- assistant: busy (error)
  #3 |    assistant: one
  #4 |- assistant: two
> #5 * assistant: three
`
	if got.out != want || got.code != 0 {
		t.Errorf("code %d\n%s", got.code, golden.Diff(want, got.out))
	}
}

// What the REPL does to a file is what the commands behind it do.
func TestFileIsThatOfOtherFrontEnds(t *testing.T) {
	w := newWorld(t, "")
	w.say("read hello.txt\n/name a name\n/label here\n/edit 1\nhello\n")
	t1 := w.load(w.sessions()[0])
	var got []string
	log := slices.Collect(t1.Log())
	for _, e := range log {
		got = append(got, strings.TrimSpace(string(e.Type)+" "+string(e.Role)))
	}
	want := []string{"model_change", "thinking_level_change", "message system", "message user", "message assistant", "message toolResult",
		"message assistant", "session_info", "label", "message user", "message assistant"}
	if !slices.Equal(got, want) {
		t.Errorf("entries %q", got)
	}
	system := log[2].ID
	if e := log[9]; e.Parent != system {
		t.Errorf("the edited message hangs on %s, not on the instructions", e.Parent)
	}
	if label := t1.Label(log[6].ID); label != "here" {
		t.Errorf("the answer's label is %q", label)
	}
}
