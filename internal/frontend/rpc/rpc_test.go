package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/rpc"
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

type object = map[string]any

// models gives one scripted model.
type models struct{ m provider.Model }

func (m models) Available() []provider.Info { return []provider.Info{m.m.Info()} }
func (m models) Model(p, id string) (provider.Model, error) {
	if p == m.m.Info().Provider && id == m.m.Info().ID {
		return m.m, nil
	}
	return nil, protocol.Fail(protocol.NotFound, "Model not found: %s/%s", p, id)
}
func (m models) Default() (provider.Model, string, error) { return m.m, "", nil }
func (m models) Thinking(provider.Info) string            { return "off" }

// shell is what a session works with here: the command "wait" runs until it is
// aborted.
type shell struct{ control.Plain }

func (shell) Shell(ctx context.Context, command string, tell func(string)) (protocol.BashResult, error) {
	tell(command + "\n")
	if command == "wait" {
		<-ctx.Done()
	}
	return protocol.BashResult{Output: command, Cancelled: ctx.Err() != nil}, nil
}

// client is a program that drives bough over RPC.
type client struct {
	t      *testing.T
	script *script.Script
	store  filestore.Store
	hub    *control.Hub
	in     *io.PipeWriter
	ended  chan error // what Run returned

	mu      sync.Mutex
	records []object // guarded by mu
	raw     []string // guarded by mu
	moved   chan struct{}
	ids     int
	seen    int // records that next has passed
}

// start starts a server with a model that follows rules, at a new session or at that
// of a file.
func start(t *testing.T, rules, file string) *client {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, script: s, store: filestore.Store{Root: t.TempDir()}, moved: make(chan struct{}, 1), ended: make(chan error, 1)}
	kit := []tool.Tool{tool.New(message.ToolSpec{Name: "read", Description: "reads"}, func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
		return message.TextOutput("content of " + a.Path), nil
	})}
	c.hub = control.NewHub(control.Options{
		Models: models{scripted.New(scripted.Info("one"), s)},
		Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
			return shell{control.Plain{Kit: kit, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: p.Dir, Tools: specs})
			}}}, nil
		},
		Early: true, InOrder: true,
	})
	t.Cleanup(c.hub.Close)
	door := control.Door{Hub: c.hub, Find: c.find}
	first, leave, err := door.Open(t.Context(), protocol.Open{Session: file, Who: "rpc"})
	if err != nil {
		t.Fatal(err)
	}
	in, w := io.Pipe()
	r, out := io.Pipe()
	c.in = w
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(r)
	}()
	go func() {
		err := rpc.Run(context.WithoutCancel(t.Context()), first, rpc.Options{In: in, Out: out, Err: io.Discard, Door: door, Version: "1"})
		out.Close()
		c.ended <- err
	}()
	t.Cleanup(func() {
		w.Close()
		<-read
		leave()
	})
	return c
}

// find completes the start of a session: a path, or what its id begins with.
func (c *client) find(ctx context.Context, o protocol.Open) (control.Start, error) {
	start := control.Start{Store: c.store}
	switch {
	case o.Session == "":
		start.New = session.Header{CWD: c.store.Root}.Complete()
		start.File = c.store.FilePath(start.New)
		return start, nil
	case !strings.Contains(o.Session, "/"):
		found, err := c.store.Find(ctx, c.store.Root, o.Session)
		if err != nil || len(found) != 1 {
			return start, protocol.Fail(protocol.UnknownSession, "No session has the id %q.", o.Session)
		}
		start.Open = found[0].Path
		return start, nil
	}
	if _, err := os.Stat(o.Session); err != nil {
		return start, protocol.Fail(protocol.NotFound, "There is no session file %s.", o.Session)
	}
	start.Open = o.Session
	return start, nil
}

// file writes a session: a question, an answer, and two questions behind that.
func file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	lines := `{"type":"session","version":3,"id":"11111111-2222-7333-8444-555555555555","timestamp":"2023-11-14T22:13:20.000Z","cwd":"` + filepath.Dir(path) + `"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2023-11-14T22:13:21.000Z","message":{"role":"user","content":[{"type":"text","text":"one"}],"timestamp":1}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2023-11-14T22:13:22.000Z","message":{"role":"assistant","content":[{"type":"text","text":"first"}],"api":"scripted","provider":"scripted","model":"one","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":2}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2023-11-14T22:13:23.000Z","message":{"role":"user","content":[{"type":"text","text":"two"}],"timestamp":3}}
{"type":"message","id":"aaaa0004","parentId":"aaaa0002","timestamp":"2023-11-14T22:13:24.000Z","message":{"role":"user","content":[{"type":"text","text":"three"}],"timestamp":4}}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (c *client) read(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 256<<20)
	for s.Scan() {
		var rec object
		if err := json.Unmarshal(s.Bytes(), &rec); err != nil {
			rec = object{"type": "no record", "line": s.Text()}
		}
		c.mu.Lock()
		c.records = append(c.records, rec)
		c.raw = append(c.raw, s.Text())
		c.mu.Unlock()
		select {
		case c.moved <- struct{}{}:
		default:
		}
	}
}

// until waits for a record, and returns its place too.
func (c *client) until(what string, from int, fits func(object) bool) (object, int) {
	c.t.Helper()
	deadline := time.After(2 * time.Minute)
	for i := from; ; {
		c.mu.Lock()
		for ; i < len(c.records); i++ {
			if r := c.records[i]; fits(r) {
				c.mu.Unlock()
				return r, i
			}
		}
		c.mu.Unlock()
		select {
		case <-c.moved:
		case <-deadline:
			c.t.Fatalf("no %s came; so far\n%s", what, strings.Join(c.told(0), "\n"))
		}
	}
}

// told is what came from a place on, in short.
func (c *client) told(from int) (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.records[from:] {
		line := fmt.Sprint(r["type"])
		if r["type"] == "response" {
			line = fmt.Sprintf("%v %v", r["command"], r["success"])
		}
		for _, k := range []string{"view", "seq", "reason", "aborted", "code"} {
			if v, ok := r[k]; ok {
				line += fmt.Sprintf(" %s:%v", k, v)
			}
		}
		list = append(list, line)
	}
	return list
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a command and returns its answer.
func (c *client) ask(command object) object {
	c.t.Helper()
	c.ids++
	id := fmt.Sprintf("ask %d", c.ids)
	command["id"] = id
	line, err := json.Marshal(command)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(line))
	return c.answer(id)
}

func (c *client) answer(id any) object {
	c.t.Helper()
	r, _ := c.until(fmt.Sprint("answer to ", id), 0, func(r object) bool { return r["type"] == "response" && r["id"] == id })
	return r
}

// does sends a command that is to succeed and returns the data of its answer.
func (c *client) does(command object) object {
	c.t.Helper()
	r := c.ask(command)
	if r["success"] != true {
		c.t.Fatalf("%v: %v", command, r)
	}
	data, _ := r["data"].(object)
	return data
}

// fails sends a command that is to fail with a code.
func (c *client) fails(code string, command object) {
	c.t.Helper()
	r := c.ask(command)
	if r["success"] != false || r["code"] != code || r["error"] == "" {
		c.t.Errorf("%v: %v, want the code %s", command, r, code)
	}
}

// settled waits for the end of the next run of a view, which must be subscribed.
func (c *client) settled(view string, from int) {
	c.t.Helper()
	c.until("end of a run of "+view, from, func(r object) bool {
		return r["type"] == "agent_settled" && (view == "" || r["view"] == view)
	})
}

// here is how many records there are.
func (c *client) here() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.records)
}

// of returns the records of a view from a place on.
func (c *client) of(view string, from int) (list []object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.records[from:] {
		if r["view"] == view && r["type"] != "response" {
			list = append(list, r)
		}
	}
	return list
}

func types(list []object) (names []string) {
	for _, r := range list {
		names = append(names, fmt.Sprint(r["type"]))
	}
	return names
}

// end closes the input and waits until all is done.
func (c *client) end() {
	c.t.Helper()
	c.in.Close()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
}

// entries are the lines of a session file, each with a parent that stands before it.
func entries(t *testing.T, path string) (list []object) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[any]bool{nil: true}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var e object
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if i == 0 {
			continue
		}
		if !known[e["parentId"]] || known[e["id"]] {
			t.Errorf("line %d: entry %v below %v", i, e["id"], e["parentId"])
		}
		known[e["id"]] = true
		list = append(list, e)
	}
	return list
}

// said is the text of a message entry, with its role.
func said(e object) string {
	m, _ := e["message"].(object)
	text := ""
	blocks, _ := m["content"].([]any)
	for _, b := range blocks {
		text += fmt.Sprint(b.(object)["text"])
	}
	return fmt.Sprintf("%v: %s", m["role"], text)
}

// branch is the conversation on the way to an entry of a file.
func branch(list []object, leaf any) (talk []string) {
	at := map[any]object{}
	for _, e := range list {
		at[e["id"]] = e
	}
	for e := at[leaf]; e != nil; e = at[e["parentId"]] {
		if m, _ := e["message"].(object); e["type"] == "message" && m["role"] != "system" {
			talk = append([]string{said(e)}, talk...)
		}
	}
	return talk
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v\nwant %v", what, got, want)
	}
}
