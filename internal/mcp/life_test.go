package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/boughdev/bough/message"
)

// until waits for something that another process does.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func statusOf(t *testing.T, m *Manager, name string) ServerStatus {
	t.Helper()
	for _, s := range m.Status() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no server %s", name)
	return ServerStatus{}
}

func specs(m *Manager) string {
	var b strings.Builder
	for _, t := range m.Tools() {
		s := t.Spec()
		fmt.Fprintf(&b, "%s|%s|%s\n", s.Name, s.Description, s.Parameters)
	}
	return b.String()
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func TestNothingIsStartedUnasked(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("test", "ok", ""))
	m := h.manager()
	if n := len(m.Tools()); n != 0 {
		t.Errorf("%d tools of a server that was never started", n)
	}
	if s := statusOf(t, m, "test"); s.State != Idle {
		t.Errorf("state %s", s.State)
	}
}

// A session declares the tools of last time before a server is there, to the
// byte, and a call waits for it.
func TestToolsOfLastTime(t *testing.T) {
	h := newHome(t)
	h.env["BEGIN_FILE"] = filepath.Join(h.o.TempDir, "begin")
	if err := os.WriteFile(h.env["BEGIN_FILE"], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.write(h.stdio("slow", "wait", ""))
	first := h.manager()
	first.Wait(t.Context())
	want := specs(first)
	if !strings.Contains(want, `mcp__slow__echo|Say it again.|{"properties":{"text":{"description":"a < b","type":"string"}},"required":["text"],"type":"object"}`) {
		t.Fatalf("tools: %s", want)
	}
	first.Close()
	if err := os.Remove(h.env["BEGIN_FILE"]); err != nil {
		t.Fatal(err)
	}

	second := h.manager()
	if got := specs(second); got != want {
		t.Errorf("before the start: %s\nwant: %s", got, want)
	}
	second.Start()
	if s := statusOf(t, second, "slow"); s.State != Connecting || !s.Cached || len(s.Tools) == 0 {
		t.Errorf("status while it starts: %+v", s)
	}
	answer := make(chan message.Output)
	go func() { answer <- call(t, second, "mcp__slow__echo", `{"text":"hello"}`) }()
	select {
	case out := <-answer:
		t.Fatalf("answered before the server was there: %s", textOf(out))
	case <-time.After(20 * time.Millisecond): // it must be waiting; if it is late the test is only weaker
	}
	if err := os.WriteFile(h.env["BEGIN_FILE"], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := textOf(<-answer); got != "hello" {
		t.Errorf("the call that waited: %q", got)
	}
	if got := specs(second); got != want {
		t.Errorf("when it is there: %s\nwant: %s", got, want)
	}
	if s := statusOf(t, second, "slow"); s.State != Connected || s.Cached || s.Software != "test 1.2" || s.Version == "" {
		t.Errorf("status: %+v", s)
	}
}

func TestWaitGivesUp(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("slow", "wait", ""))
	m := h.manager()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	m.Wait(ctx)
	if s := statusOf(t, m, "slow"); s.State != Connecting {
		t.Errorf("state %s", s.State)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name, entry, state, want string
	}{
		{"no such command", `"x": {"command": "no-such-command-x"}`, "failed", "there is no command no-such-command-x: install it"},
		{"no such folder", `"x": {"command": "true", "cwd": "gone"}`, "failed", "its folder"},
		{"a variable that is not set", `"x": {"command": "true", "env": {"A": "${NOT_SET_X}"}}`, "failed", "env.A in FILE:1 needs an environment variable that is not set: NOT_SET_X"},
		{"a command for a value that fails", `"x": {"command": "true", "env": {"A": "!exit 4"}}`, "failed", "the command of env.A in FILE:1: exit status 4"},
		{"ends at once", "exit", "failed", "it ended with exit status 3; what it said is in "},
		{"says nothing", "silent", "failed", "it did not answer within 200ms"},
		{"no server at an address", `"x": {"url": "http://127.0.0.1:1/mcp"}`, "failed", "cannot be reached"},
		{"switched off", `"x": {"command": "true", "enabled": false}`, "disabled", ""},
		{"sse", `"x": {"type": "sse", "url": "http://a/sse"}`, "invalid", "is sse, which is not supported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			h.env["SECRET"] = "very-secret-value"
			entry := tt.entry
			if !strings.Contains(entry, ":") {
				entry = h.stdio("x", tt.entry, `"timeout": 0.2`)
			}
			h.write(entry)
			m := h.manager()
			m.pauses = pauses{reach: []time.Duration{0}}
			m.Wait(t.Context())
			s := statusOf(t, m, "x")
			if want := strings.ReplaceAll(tt.want, "FILE", UserFile(h.o.Paths)); string(s.State) != tt.state || !strings.Contains(s.Err, want) {
				t.Errorf("%s: %s; want %s: %s", s.State, s.Err, tt.state, want)
			}
			if tt.entry == "exit" {
				log, err := os.ReadFile(s.Log)
				if err != nil || !strings.Contains(string(log), "no licence, with key ***") || strings.Contains(string(log), "very-secret") {
					t.Errorf("log: %s, %v", log, err)
				}
				if tail := strings.Join(s.Stderr, "\n"); !strings.Contains(tail, "no licence, with key ***") {
					t.Errorf("tail: %s", tail)
				}
			}
		})
	}
}

func TestOtherOutputIsNoFault(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("test", "chatty", ""))
	m := h.manager()
	m.Wait(t.Context())
	if got := textOf(call(t, m, "mcp__test__echo", `{"text":"ok"}`)); got != "ok" {
		t.Errorf("echo: %s", got)
	}
	log, err := os.ReadFile(statusOf(t, m, "test").Log)
	if err != nil || !strings.Contains(string(log), "stdout: Welcome to the server!") {
		t.Errorf("log: %s, %v", log, err)
	}
}

func TestEnvironment(t *testing.T) {
	h := newHome(t)
	h.env["SECRET"] = "s3cret"
	h.write(h.stdio("test", "ok", `"cwd": "~/sub", "args": ["~/arg"]`))
	if err := os.Mkdir(filepath.Join(h.o.Paths.Home, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := h.manager()
	m.Wait(t.Context())
	env := "\n" + textOf(call(t, m, "mcp__test__env", `{}`))
	for _, want := range []string{"\nAI_AGENT=bough", "\nBOUGH=1", "\nSECRET=s3cret", "\nDIR=" + filepath.Join(h.o.Paths.Home, "sub")} {
		if !strings.Contains(env, want) {
			t.Errorf("no %s in the environment of the server", want)
		}
	}
	if strings.Contains(env, "PI_SESSION_ID") {
		t.Error("the outer session is in the environment of the server")
	}
}

func TestBigResult(t *testing.T) {
	each(t, func(t *testing.T, h *home, m *Manager) {
		text := textOf(call(t, m, "mcp__test__big", `{}`))
		files, _ := filepath.Glob(filepath.Join(h.o.TempDir, "*.txt"))
		if len(files) != 1 {
			t.Fatalf("files: %v", files)
		}
		full, err := os.ReadFile(files[0])
		if want := strings.Repeat("äöü 0123456789\n", 10000); err != nil || string(full) != want {
			t.Errorf("the file has %d bytes, want %d; %v", len(full), len(want), err)
		}
		if len(text) > maxText+300 || !strings.HasPrefix(text, "äöü 0123456789\n") || !strings.Contains(text, "chars truncated…\n") ||
			!strings.HasSuffix(text, "\n\n[The middle of 180000 bytes of text is left out. Full output: "+files[0]+"]") {
			t.Errorf("%d bytes: %s … %s", len(text), text[:100], text[len(text)-200:])
		}
	})
}

func TestProgress(t *testing.T) {
	each(t, func(t *testing.T, h *home, m *Manager) {
		var mu sync.Mutex
		var seen []string
		last := filepath.Join(h.o.TempDir, "seen")
		out, err := find(t, m, "mcp__test__steps").Run(t.Context(), json.RawMessage(fmt.Sprintf(`{"until":%q}`, last)), func(o message.Output) {
			mu.Lock()
			defer mu.Unlock()
			if seen = append(seen, textOf(o)); len(seen) == 3 {
				_ = os.WriteFile(last, nil, 0o600)
			}
		})
		if err != nil || textOf(out) != "done" {
			t.Fatalf("%s, %v", textOf(out), err)
		}
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(seen, ", "); got != "25% step, 50% step, 75% step" {
			t.Errorf("progress: %s", got)
		}
	})
}

func TestCancelledCallIsCancelledAtTheServer(t *testing.T) {
	h := newHome(t)
	h.env["MARK_DIR"] = h.o.TempDir
	h.write(h.stdio("test", "ok", ""))
	m := h.manager()
	m.Wait(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan message.Output)
	go func() {
		out, _ := find(t, m, "mcp__test__hangs").Run(ctx, json.RawMessage(`{}`), nil)
		done <- out
	}()
	until(t, "the call arrives", func() bool { return exists(filepath.Join(h.o.TempDir, "called")) })
	cancel()
	if out := <-done; textOf(out) != "The call was aborted." || !out.IsError {
		t.Errorf("%s", textOf(out))
	}
	until(t, "the server hears of it", func() bool { return exists(filepath.Join(h.o.TempDir, "cancelled")) })
	if got := textOf(call(t, m, "mcp__test__echo", `{"text":"still here"}`)); got != "still here" {
		t.Errorf("after the abort: %s", got)
	}
}

func TestCallThatHangs(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("test", "ok", `"timeout": 0.5`))
	m := h.manager()
	m.Wait(t.Context())
	if got := textOf(call(t, m, "mcp__test__hangs", `{}`)); got != "The MCP server test did not answer within 500ms. The call was given up; it may have had an effect." {
		t.Errorf("%s", got)
	}
	if s := statusOf(t, m, "test"); s.State != Connected {
		t.Errorf("one slow call must not end the connection: %s", s.State)
	}
}

// What a server does not read fills the pipe to it, and holds nobody up for good.
func TestServerThatDoesNotRead(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("test", "deaf", `"timeout": 0.5`))
	m := h.manager()
	m.Wait(t.Context())
	args := fmt.Sprintf(`{"words":%q}`, strings.Repeat("x", 1<<20))
	for range 2 {
		if got := textOf(call(t, m, "mcp__test__hear", args)); !strings.Contains(got, "did not answer within 500ms") {
			t.Errorf("%s", got)
		}
	}
	m.Close()
}

// Close ends what was begun, also of the library.
func TestNoGoroutineIsLeft(t *testing.T) {
	each(t, func(t *testing.T, h *home, m *Manager) {
		call(t, m, "mcp__test__steps", `{"until":"/"}`)
		m.Close()
		var left string
		until(t, "all goroutines of the client end", func() bool {
			buf := make([]byte, 1<<20)
			left = ""
			for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
				if strings.Contains(g, "(*ClientSession)") || strings.Contains(g, "(*streamableClientConn)") || strings.Contains(g, "(*server).") || strings.Contains(g, "(*serverLog)") {
					left = g
				}
			}
			return left == ""
		})
	})
}

func TestServerDiesInMidCall(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("test", "ok", ""))
	m := h.manager()
	m.pauses.restart = []time.Duration{time.Hour, 0}
	m.Wait(t.Context())
	die := func() string {
		out := call(t, m, "mcp__test__dies", `{}`)
		if !out.IsError {
			t.Error("no error")
		}
		return textOf(out)
	}
	if got := die(); got != "The MCP server test went away during the call, which may have had an effect. It comes back if it can; try again in a moment." {
		t.Errorf("during: %s", got)
	}
	until(t, "the end is noticed", func() bool { return statusOf(t, m, "test").State == Disconnected })
	if got := textOf(call(t, m, "mcp__test__echo", `{}`)); !strings.Contains(got, "it ended with exit status 7") || !strings.Contains(got, "It is started again in a moment.") {
		t.Errorf("meanwhile: %s", got)
	}
	if s := statusOf(t, m, "test"); s.Pause == 0 || len(m.Tools()) == 0 {
		t.Errorf("status: %+v", s)
	}

	// By hand it comes back at once; then it goes twice, comes back by itself once.
	if err := m.Reconnect(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	m.pauses.restart = []time.Duration{0}
	die()
	until(t, "it is started again", func() bool {
		s := m.servers[0]
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.falls == 1 && s.state == Connected
	})
	die()
	until(t, "it is given up", func() bool { return statusOf(t, m, "test").State == Failed })
	if got := textOf(call(t, m, "mcp__test__echo", `{}`)); !strings.Contains(got, "It went 2 times and is left alone until /mcp reconnect test") {
		t.Errorf("given up: %s", got)
	}
	if err := m.Reconnect(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	if got := textOf(call(t, m, "mcp__test__echo", `{"text":"back"}`)); got != "back" {
		t.Errorf("after reconnect: %s", got)
	}

	// Those that have failed are tried again, those that live are left alone.
	first := m.servers[0].conn
	m.Retry()
	if m.servers[0].conn != first {
		t.Error("a server that lives was connected to anew")
	}
	m.pauses.restart = nil
	die()
	until(t, "it is given up once more", func() bool { return statusOf(t, m, "test").State == Failed })
	m.Retry()
	until(t, "it is back", func() bool { return statusOf(t, m, "test").State == Connected })
}

func TestListChanged(t *testing.T) {
	each(t, func(t *testing.T, h *home, m *Manager) {
		before := len(m.Tools())
		call(t, m, "mcp__test__grow", `{}`)
		until(t, "the new tool is there", func() bool { return len(m.Tools()) == before+1 })
		if got := textOf(call(t, m, "mcp__test__grown", `{}`)); got != "I am new" {
			t.Errorf("%s", got)
		}
	})
}

func TestResources(t *testing.T) {
	each(t, func(t *testing.T, h *home, m *Manager) {
		if got := textOf(call(t, m, "list_mcp_resources", `{}`)); got != `{"resources":[{"server":"test","uri":"test://a","name":"a","mimeType":"text/plain"}]}` {
			t.Errorf("list: %s", got)
		}
		if got := textOf(call(t, m, "list_mcp_resource_templates", `{"server":"test"}`)); got != `{"resourceTemplates":[]}` {
			t.Errorf("templates: %s", got)
		}
		if got := textOf(call(t, m, "read_mcp_resource", `{"server":"test","uri":"test://a"}`)); got != "the text of a" {
			t.Errorf("read: %s", got)
		}
		for _, args := range []string{`{"server":"nobody","uri":"test://a"}`, `{"server":"test","uri":"test://nothing"}`, `{"server":"test"}`} {
			if out := call(t, m, "read_mcp_resource", args); !out.IsError {
				t.Errorf("%s: %s", args, textOf(out))
			}
		}
	})
}

// Of 500 tools none is declared, so that the request stays small; two tools reach
// them all.
func TestManyTools(t *testing.T) {
	h := newHome(t)
	h.write(h.stdio("big", "many", `"toolExposure": {"tool_007": "direct", "tool_4*": "hidden"}`), h.stdio("test", "ok", ""))
	m := h.manager()
	m.Wait(t.Context())
	var names []string
	for _, x := range m.Tools() {
		names = append(names, x.Spec().Name)
	}
	all := strings.Join(names, " ")
	if !strings.HasPrefix(all, "mcp__big__tool_007 mcp__test__") || !strings.Contains(all, " mcp__search mcp__call") || len(names) > 30 {
		t.Errorf("%d tools: %s", len(names), all)
	}
	if got := textOf(call(t, m, "mcp__search", `{"query":"number 123."}`)); !strings.HasPrefix(got, "mcp__big__tool_123\nDoes the thing of number 123.\nArguments: {") {
		t.Errorf("search: %s", got)
	}
	if got := textOf(call(t, m, "mcp__search", `{"query":""}`)); strings.Count(got, "\n") != 399 || strings.Contains(got, "tool_4") || strings.Contains(got, "tool_007") {
		t.Errorf("%d names: %.100s", strings.Count(got, "\n"), got)
	}
	for args, want := range map[string]string{
		`{"tool":"mcp__big__tool_123","arguments":{}}`:   "did 123",
		`{"tool":"mcp__big__tool_124","arguments":"{}"}`: "did 124",
		`{"tool":"mcp__big__tool_125"}`:                  "did 125",
	} {
		if got := textOf(call(t, m, "mcp__call", args)); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	for _, args := range []string{`{"tool":"mcp__big__tool_400","arguments":{}}`, `{"tool":7}`, `{}`, `null`} {
		if out := call(t, m, "mcp__call", args); !out.IsError || !strings.Contains(textOf(out), "There is no tool") {
			t.Errorf("%s: %s", args, textOf(out))
		}
	}
}

func TestHTTP(t *testing.T) {
	t.Run("headers go to the server alone, trouble passes", func(t *testing.T) {
		var n atomic.Int32
		h := newHome(t)
		h.env["TOKEN"] = "t0ken-of-mine"
		real := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return testServer("ok") }, nil)
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("the header went to another server")
			}
			real.ServeHTTP(w, r)
		}))
		defer other.Close()
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer t0ken-of-mine" {
				t.Errorf("Authorization %q", r.Header.Get("Authorization"))
			}
			switch {
			case n.Add(1) == 1:
				http.Error(w, "busy", http.StatusServiceUnavailable)
			default:
				http.Redirect(w, r, other.URL+"/mcp", http.StatusTemporaryRedirect)
			}
		}))
		defer web.Close()
		h.write(fmt.Sprintf(`"test": {"url": %q, "headers": {"Authorization": "Bearer ${TOKEN}"}}`, web.URL+"/mcp"))
		m := h.manager()
		defer m.Close()
		m.pauses.reach = []time.Duration{0}
		m.Wait(t.Context())
		if s := statusOf(t, m, "test"); s.State != Connected {
			t.Fatalf("%s: %s", s.State, s.Err)
		}
		if got := textOf(call(t, m, "mcp__test__echo", `{"text":"x"}`)); got != "x" {
			t.Errorf("%s", got)
		}
	})
	for _, tt := range []struct {
		name   string
		status int
		header string
		want   string
		state  State
	}{
		{"not found", 404, "", "there is no MCP server at", Failed},
		{"always busy", 503, "", "cannot be reached: it answers 503 Service Unavailable", Failed},
		{"a wrong key", 401, `"Authorization": "Bearer wrong"`, "it refuses the Authorization header (401): correct headers.Authorization", Failed},
		{"a sign-in", 401, "", "it needs you to sign in: bough mcp login test", NeedsSignIn},
		{"no access", 403, "", "it refuses access (403)", Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(tt.status) }))
			defer web.Close()
			h.write(fmt.Sprintf(`"test": {"url": %q, "headers": {%s}}`, web.URL, tt.header))
			m := h.manager()
			m.pauses.reach = []time.Duration{0}
			m.Wait(t.Context())
			if s := statusOf(t, m, "test"); s.State != tt.state || !strings.Contains(s.Err, tt.want) {
				t.Errorf("%s: %s; want %s: %s", s.State, s.Err, tt.state, tt.want)
			}
		})
	}
	t.Run("a stream that never begins", func(t *testing.T) {
		h := newHome(t)
		real := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return testServer("ok") }, nil)
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				<-r.Context().Done()
				return
			}
			real.ServeHTTP(w, r)
		}))
		defer web.Close()
		h.write(fmt.Sprintf(`"test": {"url": %q}`, web.URL))
		m := h.manager()
		defer m.Close()
		m.pauses.stream = 20 * time.Millisecond
		m.Wait(t.Context())
		if got := textOf(call(t, m, "mcp__test__echo", `{"text":"x"}`)); got != "x" {
			t.Errorf("%s", got)
		}
	})
}

// A server that breaks its word costs the call, and no more.
func TestAnswersThatAreWrong(t *testing.T) {
	results := map[string]string{
		"number":   `{"content":7}`,
		"nothing":  `{}`,
		"null":     `null`,
		"unknown":  `{"content":[{"type":"hologram","data":1}]}`,
		"base64":   `{"content":[{"type":"image","data":"%%%","mimeType":"image/png"}]}`,
		"noimage":  `{"content":[{"type":"image","data":"","mimeType":"image/png"}]}`,
		"svg":      `{"content":[{"type":"image","data":"PHN2Zz4=","mimeType":"image/svg+xml"}]}`,
		"halfpair": `{"content":[{"type":"text","text":"a\ud800b"}]}`,
		"control":  `{"content":[{"type":"text","text":"\u001b[31mred\u0000"}]}`,
		"ok":       `{"content":[{"type":"text","text":"fine"}]}`,
	}
	want := map[string]string{
		"number": "error", "null": "The tool returned nothing.", "unknown": "error", "base64": "error",
		"nothing": "The tool returned nothing.", "noimage": "[Image that cannot be shown: image/png, 0 bytes, in the file FILE]",
		"svg":      "[Image that cannot be shown: image/svg+xml, 5 bytes, in the file FILE]",
		"halfpair": "a\ufffdb", "control": "\x1b[31mred\x00", "ok": "fine",
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := results[m.Params.Name]
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"0"}}`
		case "tools/list":
			var tools []string
			for name := range results {
				tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
			}
			tools = append(tools, `{"name":"ok","inputSchema":{"type":"object"}}`, `{"name":"","inputSchema":{}}`, `{"name":"noschema"}`, `null`)
			result = `{"tools":[` + strings.Join(tools, ",") + `]}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	defer web.Close()
	h := newHome(t)
	h.write(fmt.Sprintf(`"test": {"url": %q}`, web.URL+"/mcp?key=very-secret"))
	m := h.manager()
	defer m.Close()
	m.Ready(t.Context())
	if s := statusOf(t, m, "test"); s.State != Connected || s.Version != "2025-03-26" {
		t.Fatalf("%s: %s", s.State, s.Err)
	}
	for name, want := range want {
		out := call(t, m, "mcp__test__"+name, `{}`)
		got := textOf(out)
		if i, j := strings.Index(got, h.o.TempDir), strings.LastIndex(got, "]"); i >= 0 && j > i {
			got = got[:i] + "FILE" + got[j:]
		}
		if want == "error" && (!out.IsError || !strings.Contains(got, "The MCP server test")) || want != "error" && got != want || strings.Contains(got, "very-secret") {
			t.Errorf("%s: %q, error %v; want %q", name, got, out.IsError, want)
		}
	}
	if got := textOf(call(t, m, "mcp__test__ok", `{}`)); got != "fine" {
		t.Errorf("after all that: %s", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	h := newHome(t)
	var changes atomic.Int32
	h.o.OnChange = func() { changes.Add(1) }
	h.write(h.stdio("a", "ok", ""), h.stdio("b", "exit", ""))
	m := h.manager()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			m.Wait(t.Context())
			m.Tools()
			m.Status()
			if got := textOf(call(t, m, "mcp__a__echo", fmt.Sprintf(`{"text":"%d"}`, i))); got != strconv.Itoa(i) {
				t.Errorf("call %d: %s", i, got)
			}
		})
	}
	wg.Wait()
	if changes.Load() == 0 {
		t.Error("no change was told")
	}
	for range 3 {
		wg.Go(m.Close)
	}
	wg.Wait()
	if _, err := m.servers[0].connection(t.Context(), true); !errors.Is(err, errClosed) {
		t.Errorf("a connection after Close: %v", err)
	}
}
