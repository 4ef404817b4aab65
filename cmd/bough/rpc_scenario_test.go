package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/internal/script"
)

// Scenarios of pi's RPC: what a client does, what the model says, and what the
// client was told, in short (docs/spec/rpc.md 15).
//
//	NAME.in.jsonl   commands, and steps that begin with $
//	NAME.llm.json   the script of the model
//	NAME.want       one line a record: what it is and what a client goes by
//
// They are told the same at every door.
func TestRPCScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/rpc/*.in.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			for _, f := range files {
				name := strings.TrimSuffix(filepath.Base(f), ".in.jsonl")
				t.Run(name, func(t *testing.T) { playScenario(t, d, name) })
			}
		})
	}
}

func playScenario(t *testing.T, d door, name string) {
	s := newScenario(t, d, name)
	s.play()
	want, err := os.ReadFile("testdata/rpc/" + name + ".want")
	if err != nil {
		t.Fatal(err)
	}
	got := s.told()
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("record %d:\n got  %s\n want %s", i+1, at(g, i), at(w, i))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "(nothing)"
}

type object = map[string]any

// scenario is one that is being played.
type scenario struct {
	t     *testing.T
	steps []object
	vars  map[string]string
	model *fakellm.Server
	prog  program
	in    io.WriteCloser
	dir   string

	mu      sync.Mutex
	records []object
	used    map[int]bool
	mark    int           // records when something was last sent
	changed chan struct{} // has room for one
	over    bool
	ended   chan struct{}
	code    int // of the exit, once it is over
	stderr  bytes.Buffer
}

func newScenario(t *testing.T, d door, name string) *scenario {
	t.Helper()
	text, err := os.ReadFile("testdata/rpc/" + name + ".in.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var o fakellm.Options
	if path := "testdata/rpc/" + name + ".llm.json"; exists(path) {
		if o.Script, err = script.Load(path); err != nil {
			t.Fatal(err)
		}
	}
	return startScenario(t, d, string(text), o)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func startScenario(t *testing.T, d door, steps string, o fakellm.Options) *scenario {
	t.Helper()
	s := &scenario{t: t, model: fakellm.Start(t, o), used: map[int]bool{}, changed: make(chan struct{}, 1), ended: make(chan struct{}), dir: t.TempDir()}
	for line := range strings.Lines(steps) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var step object
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		s.steps = append(s.steps, step)
	}
	cwd, agent, home := filepath.Join(s.dir, "project"), filepath.Join(s.dir, "agent"), filepath.Join(s.dir, "home")
	for _, d := range []string{cwd, agent, home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	port := s.model.URL[strings.LastIndex(s.model.URL, ":")+1:]
	s.vars = map[string]string{"cwd": cwd, "agentdir": agent, "home": home, "port": port}
	setup := object{}
	if len(s.steps) > 0 && s.steps[0]["$setup"] != nil {
		setup = s.steps[0]["$setup"].(object)
		s.steps = s.steps[1:]
	}
	models, err := os.ReadFile("testdata/rpc/models.json")
	if err != nil {
		t.Fatal(err)
	}
	s.file(agent, "models.json", strings.ReplaceAll(string(models), "__PORT__", port))
	settings := object{"retry": object{"baseDelayMs": 20}}
	more, _ := setup["settings"].(object)
	for k, v := range more {
		settings[k] = v
	}
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	s.file(agent, "settings.json", string(text))
	s.files(cwd, setup["files"])
	s.files(agent, setup["agentFiles"])
	args := []string{"--mode", "rpc"}
	if setup["rawArgs"] == true {
		args = nil
	}
	given, ok := setup["args"].([]any)
	if !ok {
		given = []any{"--provider", "fakechat", "--model", "fake-1"}
	}
	for _, a := range given {
		args = append(args, s.fill(a.(string)))
	}
	env := map[string]string{"PATH": os.Getenv("PATH"), "HOME": home, "PI_CODING_AGENT_DIR": agent, "PI_OFFLINE": "1", "TMPDIR": s.dir}
	var out io.Reader
	s.prog, s.in, out = d.start(t, cwd, env, args, &s.stderr)
	t.Cleanup(func() {
		s.prog.kill() // it has ended, if all went well
		<-s.ended
	})
	go s.read(out)
	return s
}

func (s *scenario) file(dir, name, text string) {
	s.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scenario) files(dir string, files any) {
	s.t.Helper()
	m, _ := files.(object)
	for name, text := range m {
		s.file(dir, name, s.fill(text.(string)))
	}
}

var variable = regexp.MustCompile(`\$\{([\w-]+)\}`)

func (s *scenario) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string { return s.vars[v[2:len(v)-1]] })
}

// read takes down what the program says.
func (s *scenario) read(out io.Reader) {
	defer close(s.ended)
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var rec object
			if jerr := json.Unmarshal(line, &rec); jerr != nil || err != nil {
				rec = object{"type": "not a record: " + string(line)}
			}
			s.mu.Lock()
			s.records = append(s.records, rec)
			s.mu.Unlock()
		}
		if err != nil {
			code := s.prog.wait()
			s.mu.Lock()
			s.over, s.code = true, code
			s.records = append(s.records, object{"type": "exit", "code": code})
			s.mu.Unlock()
		}
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// await waits for a record that has all members of a pattern.
func (s *scenario) await(pattern object) object {
	s.t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		s.mu.Lock()
		from := s.mark
		if pattern["type"] == "response" {
			from = 0
		}
		for i := from; i < len(s.records); i++ {
			if !s.used[i] && fits(s.records[i], pattern) {
				s.used[i] = true
				defer s.mu.Unlock()
				return s.records[i]
			}
		}
		over := s.over
		s.mu.Unlock()
		if over {
			s.t.Fatalf("the program ended before %v\n%s", pattern, &s.stderr)
		}
		select {
		case <-s.changed:
		case <-deadline:
			s.t.Fatalf("no record %v came; so far\n%s", pattern, s.told())
		}
	}
}

func fits(v, pattern any) bool {
	p, ok := pattern.(object)
	if !ok {
		return reflect.DeepEqual(v, pattern)
	}
	o, ok := v.(object)
	if !ok {
		return false
	}
	for k, want := range p {
		if !fits(o[k], want) {
			return false
		}
	}
	return true
}

func (s *scenario) send(text string) {
	s.t.Helper()
	s.mu.Lock()
	s.mark = len(s.records)
	s.mu.Unlock()
	if _, err := io.WriteString(s.in, s.fill(text)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scenario) command(c any) {
	s.t.Helper()
	line, err := json.Marshal(c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(string(line) + "\n")
}

func (s *scenario) play() {
	s.t.Helper()
	for _, step := range s.steps {
		s.step(step)
	}
	s.in.Close() // may be closed already
	select {
	case <-s.ended:
	case <-time.After(2 * time.Minute):
		s.t.Fatal("the program did not end with its input")
	}
}

func (s *scenario) step(step object) {
	s.t.Helper()
	for word, v := range step {
		switch word {
		case "$wait":
			rec := s.await(v.(object))
			names, _ := step["$capture"].(object)
			for name, where := range names {
				s.vars[name] = fmt.Sprint(pick(rec, where.(string)))
			}
		case "$async":
			s.command(v)
		case "$raw":
			s.send(v.(string))
		case "$release":
			resp, err := http.Post(s.model.URL+"/__fake/release/"+v.(string), "", nil)
			if err != nil {
				s.t.Fatal(err)
			}
			resp.Body.Close()
		case "$sleep": // until a command has begun, which nobody tells
			time.Sleep(time.Duration(v.(float64)) * time.Millisecond)
		case "$signal":
			s.prog.signal(s.t, map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP}[v.(string)])
		case "$write":
			s.files(s.vars["cwd"], v)
		case "$close":
			s.in.Close()
		case "$exit":
			<-s.ended
		case "type":
			s.command(step)
			if id, ok := step["id"]; ok {
				s.await(object{"type": "response", "id": id})
			}
		}
	}
}

// pick follows a dotted path; negative places count from the end.
func pick(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case object:
			v = x[key]
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil {
				return nil
			}
			if n < 0 {
				n += len(x)
			}
			v = x[n]
		}
	}
	return v
}

// told is what the program said, in short. How often a text or a tool's output was
// cut is nobody's contract.
func (s *scenario) told() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.records {
		l := short(r)
		again := len(lines) > 0 && lines[len(lines)-1] == l && (strings.Contains(l, "_delta") || l == "bash_execution_update")
		if again || r["type"] == "tool_execution_update" {
			continue
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n") + "\n"
}

func short(r object) string {
	typ, _ := r["type"].(string)
	var b strings.Builder
	b.WriteString(typ)
	add := func(from object, keys ...string) {
		for _, k := range keys {
			if v, ok := from[k]; ok {
				fmt.Fprintf(&b, " %s:%s", k, text(v))
			}
		}
	}
	switch {
	case typ == "exit":
		return fmt.Sprintf("exit %v", r["code"])
	case typ == "response":
		return shortResponse(r)
	case typ == "message_update":
		e, _ := r["assistantMessageEvent"].(object)
		return fmt.Sprintf("%s %v [%v]", typ, e["type"], e["contentIndex"])
	case typ == "message_start" || typ == "message_end":
		m, _ := r["message"].(object)
		fmt.Fprintf(&b, " %v", m["role"])
		if why, ok := m["stopReason"]; ok {
			fmt.Fprintf(&b, " %v", why)
		}
	case strings.HasPrefix(typ, "tool_execution"):
		fmt.Fprintf(&b, " %v %v", r["toolName"], r["toolCallId"])
		add(r, "isError")
	case typ == "entry_appended":
		e, _ := r["entry"].(object)
		fmt.Fprintf(&b, " %v", e["type"])
	case typ == "queue_update":
		fmt.Fprintf(&b, " [%s,%s]", text(r["steering"]), text(r["followUp"]))
	case typ == "agent_end":
		list, _ := r["messages"].([]any)
		fmt.Fprintf(&b, " messages:%d willRetry:%v", len(list), r["willRetry"])
	case typ == "session":
	default:
		add(r, "reason", "aborted", "willRetry", "attempt", "success", "level", "name")
		if list, ok := r["toolResults"].([]any); ok && typ == "turn_end" {
			fmt.Fprintf(&b, " toolResults:%d", len(list))
		}
	}
	return b.String()
}

func shortResponse(r object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "response %v", r["command"])
	if id, ok := r["id"]; ok {
		fmt.Fprintf(&b, " #%v", id)
	}
	if r["success"] == true {
		b.WriteString(" ok")
	} else {
		b.WriteString(" error")
	}
	data, has := r["data"]
	d, _ := data.(object)
	if has && data == nil {
		b.WriteString(" null")
	}
	if v, ok := d["disposition"]; ok {
		fmt.Fprintf(&b, " %v", v)
	}
	for _, k := range []string{"messages", "entries", "models", "commands", "levels"} {
		if list, ok := d[k].([]any); ok {
			fmt.Fprintf(&b, " %s:%d", k, len(list))
		}
	}
	for _, k := range []string{"isStreaming", "isCompacting", "pendingMessageCount", "messageCount", "cancelled", "exitCode", "level", "thinkingLevel", "steeringMode", "followUpMode", "isScoped", "totalMessages"} {
		if v, ok := d[k]; ok {
			fmt.Fprintf(&b, " %s:%s", k, text(v))
		}
	}
	return b.String()
}

func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
