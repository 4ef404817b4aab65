package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/session/filestore"
)

// attachScript makes runs of a few turns, said in small pieces.
const attachScript = `{"defaults":{"chunk":3},"rules":[
 {"when":{"turn":{"max":6}},"reply":{"text":"Working on it, step by step, and saying so at some length.","toolCalls":[{"name":"bash","args":{"command":"echo one"}}]}},
 {"when":{},"reply":{"text":"Done."}}]}`

// rpcFront is a front end in a process of its own.
type rpcFront struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser

	mu     sync.Mutex
	cond   *sync.Cond
	lines  []object // guarded by mu
	ended  bool     // guarded by mu
	asked  int
	stderr strings.Builder
}

func startFront(t *testing.T, ctx context.Context, dir string, env []string, args ...string) *rpcFront {
	t.Helper()
	f := &rpcFront{t: t}
	f.cond = sync.NewCond(&f.mu)
	f.cmd = exec.CommandContext(ctx, "bough", append([]string{"--mode", "rpc"}, args...)...)
	f.cmd.Dir, f.cmd.Env, f.cmd.Stderr = dir, env, &f.stderr
	var err error
	if f.in, err = f.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		sc := bufio.NewScanner(out)
		sc.Buffer(nil, 1<<24)
		for sc.Scan() {
			var o object
			if json.Unmarshal(sc.Bytes(), &o) != nil {
				break // cut off by a kill
			}
			f.mu.Lock()
			f.lines = append(f.lines, o)
			f.cond.Broadcast()
			f.mu.Unlock()
		}
		f.mu.Lock()
		f.ended = true
		f.cond.Broadcast()
		f.mu.Unlock()
	}()
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended = true
		f.cond.Broadcast()
	})
	return f
}

// send sends a command and returns its id.
func (f *rpcFront) send(command string) string {
	f.t.Helper()
	f.asked++
	id := fmt.Sprint("c", f.asked)
	if _, err := io.WriteString(f.in, `{"id":"`+id+`",`+strings.TrimPrefix(command, "{")+"\n"); err != nil {
		f.t.Fatalf("%s: %v\n%s", command, err, f.stderr.String())
	}
	return id
}

// until waits for a line; nil if the process ends first.
func (f *rpcFront) until(from int, is func(object) bool) (line object, at int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for at = from; ; at++ {
		for at == len(f.lines) {
			if f.ended {
				return nil, at
			}
			f.cond.Wait()
		}
		if is(f.lines[at]) {
			return f.lines[at], at + 1
		}
	}
}

func (f *rpcFront) answer(id string) object {
	f.t.Helper()
	r, _ := f.until(0, func(o object) bool { return o["type"] == "response" && o["id"] == id })
	if r == nil {
		f.t.Fatalf("%s was not answered\n%s", id, f.stderr.String())
	}
	return r
}

func (f *rpcFront) ask(command string) object {
	f.t.Helper()
	return f.answer(f.send(command))
}

// rests waits until nothing goes on in the session.
func (f *rpcFront) rests() {
	f.t.Helper()
	for {
		f.mu.Lock()
		from := len(f.lines)
		f.mu.Unlock()
		data, _ := f.ask(`{"type":"get_state"}`)["data"].(map[string]any)
		if data["isStreaming"] == false {
			return
		}
		if o, _ := f.until(from, func(o object) bool { return o["type"] == "agent_settled" }); o == nil {
			f.t.Fatalf("the process has ended\n%s", f.stderr.String())
		}
	}
}

func (f *rpcFront) entries() string {
	f.t.Helper()
	b, err := json.Marshal(f.ask(`{"type":"get_entries"}`)["data"])
	if err != nil {
		f.t.Fatal(err)
	}
	return string(b)
}

func attachEnv(t *testing.T) (dir string, env []string, store filestore.Store) {
	t.Helper()
	dir = t.TempDir()
	script := filepath.Join(dir, "script.json")
	if err := os.WriteFile(script, []byte(attachScript), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "BOUGH_OFFLINE=1", "BOUGH_SCRIPT="+script)
	return dir, env, filestore.Store{Root: filepath.Join(dir, "agent", "sessions"), Leases: filepath.Join(dir, "state", "bough", "leases"), Live: true}
}

// The process that runs a session is killed at any moment, again and again: one of
// those who joined takes it over, all show the same, what was shown as said is in
// the session, and nothing is in it twice.
func TestTheOwnerIsKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sessions are not joined there")
	}
	times := 50
	if testing.Short() {
		times = 5
	}
	dir, env, store := attachEnv(t)
	path := filepath.Join(dir, "s.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	begin := func() *rpcFront {
		f := startFront(t, ctx, dir, env, "--model", "scripted/one", "--session", path)
		f.ask(`{"type":"get_state"}`)
		return f
	}
	first := begin()
	first.answer(first.send(`{"type":"prompt","message":"begin"}`))
	first.until(0, func(o object) bool { return o["type"] == "agent_settled" })
	fronts := []*rpcFront{first, begin(), begin()}
	r := rand.New(rand.NewPCG(7, 11))
	shown := map[string]bool{}
	fate := map[string]string{} // of each prompt
	for i := range times {
		h := store.Holder(path)
		if h == nil || h.Addr == "" {
			t.Fatalf("kill %d: the session is run by %+v", i, h)
		}
		owner := 0
		for fronts[owner].cmd.Process.Pid != h.PID {
			if owner++; owner == len(fronts) {
				t.Fatalf("kill %d: the session is run by process %d, which is none of ours", i, h.PID)
			}
		}
		sayer := fronts[r.IntN(len(fronts))]
		text := fmt.Sprintf("prompt %d", i)
		sayer.mu.Lock()
		from := len(sayer.lines)
		sayer.mu.Unlock()
		id := sayer.send(`{"type":"prompt","streamingBehavior":"followUp","message":"` + text + `"}`)
		lines := 0 // the prompt is on its way, or has been answered for some time
		if r.IntN(2) == 0 {
			lines = r.IntN(60)
		}
		for range lines {
			_, from = sayer.until(from, func(object) bool { return true })
		}
		if err := fronts[owner].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		fronts[owner].cmd.Wait() // it was killed
		left := append(append([]*rpcFront{}, fronts[:owner]...), fronts[owner+1:]...)
		if sayer != fronts[owner] {
			a := sayer.answer(id)
			fate[text] = "said"
			if a["success"] != true {
				fate[text] = fmt.Sprint(a["error"])
			}
		}
		for _, f := range left {
			f.rests()
		}
		if a, b := left[0].entries(), left[1].entries(); a != b {
			t.Fatalf("kill %d: one shows\n%s\nthe other one\n%s", i, a, b)
		}
		for _, f := range fronts {
			f.mu.Lock()
			mine := map[string]bool{}
			for _, o := range f.lines {
				if o["type"] != "message_end" {
					continue
				}
				m, _ := json.Marshal(o["message"])
				if role := o["message"].(map[string]any)["role"]; role == "user" && mine[string(m)] {
					t.Errorf("kill %d: %s was shown twice", i, m)
				}
				mine[string(m)], shown[string(m)] = true, true
			}
			f.mu.Unlock()
		}
		fronts = append(left, begin())
	}
	last := fronts[len(fronts)-1]
	last.ask(`{"type":"prompt","message":"the end"}`)
	last.rests()
	for _, f := range fronts {
		f.in.Close()
		f.cmd.Wait() // its end is of no interest
	}
	had := map[string]int{}
	users := map[string]int{}
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var e struct {
			Type    string
			Message map[string]any
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Type != "message" {
			continue
		}
		m, _ := json.Marshal(e.Message)
		had[string(m)]++
		if e.Message["role"] == "user" {
			users[fmt.Sprint(e.Message["content"])]++
		}
	}
	for m := range shown {
		if had[m] != 1 {
			t.Errorf("%s was shown and is %d times in the file", m, had[m])
		}
	}
	for text, what := range fate {
		n := 0
		for u, k := range users {
			if strings.Contains(u, text+"]") || strings.HasSuffix(u, text) || strings.Contains(u, "text:"+text+" ") {
				n += k
			}
		}
		switch {
		case strings.Contains(what, "is not in the session"):
			if n != 0 {
				t.Errorf("%s was said to be not in the session (%s), and is %d times in it", text, what, n)
			}
		case strings.Contains(what, "is in the session"), strings.Contains(what, "waits in the queue"):
			if n != 1 {
				t.Errorf("%s was said to be in the session (%s), and is %d times in it", text, what, n)
			}
		case n > 1:
			t.Errorf("%s is %d times in the session", text, n)
		case what != "said":
			t.Errorf("%s: %s", text, what)
		}
	}
}
