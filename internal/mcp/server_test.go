package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// modeVariable makes the test binary an MCP server on its standard input and
// output that behaves in a certain way.
const modeVariable = "BOUGH_MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		serveTest(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// png is an image of one pixel.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89")

func serveTest(mode string) {
	fmt.Fprintln(os.Stderr, "test server:", mode)
	switch mode {
	case "silent": // takes all and answers nothing, also when its input ends
		if f := os.Getenv("STARTED_FILE"); f != "" {
			_ = os.WriteFile(f, nil, 0o600)
		}
		select {}
	case "exit":
		fmt.Fprintln(os.Stderr, "no licence, with key "+os.Getenv("SECRET"))
		os.Exit(3)
	case "chatty": // prints what is no message
		fmt.Println("Welcome to the server!")
		fmt.Println(`{"level":"info","msg":"starting"}`)
		fmt.Println(`{"jsonrpc":"2.0","broken`)
	case "deaf": // reads no more once it has told its tools
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			_ = json.Unmarshal(in.Bytes(), &m)
			switch m.Method {
			case "initialize":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deaf","version":"1"}}}`+"\n", m.ID)
			case "tools/list":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"hear","inputSchema":{"type":"object"}}]}}`+"\n", m.ID)
				select {}
			}
		}
	case "wait": // begins when a file is there
		for {
			if _, err := os.Stat(os.Getenv("BEGIN_FILE")); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "child": // has started something that outlives it
		c := exec.Command("sleep", "600")
		if err := c.Start(); err != nil {
			panic(err)
		}
		_ = os.WriteFile(os.Getenv("PID_FILE"), fmt.Append(nil, c.Process.Pid), 0o600)
	}
	if err := testServer(mode).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// testServer is a server with tools of all kinds.
func testServer(mode string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1.2"}, &mcp.ServerOptions{Instructions: "Use it for tests.\nMore words."})
	object := json.RawMessage(`{"type":"object"}`)
	add := func(t *mcp.Tool, f mcp.ToolHandler) {
		if t.InputSchema == nil {
			t.InputSchema = object
		}
		s.AddTool(t, f)
	}
	text := func(words string) mcp.ToolHandler {
		return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}, nil
		}
	}
	if mode == "many" {
		for i := range 500 {
			add(&mcp.Tool{Name: fmt.Sprintf("tool_%03d", i), Description: fmt.Sprintf("Does the thing of number %d.", i)}, text(fmt.Sprint("did ", i)))
		}
		return s
	}
	add(&mcp.Tool{Name: "echo", Description: "Say it again.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"a < b"}},"required":["text"]}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a struct{ Text string }
			_ = json.Unmarshal(r.Params.Arguments, &a)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil
		})
	add(&mcp.Tool{Name: "env"}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		dir, _ := os.Getwd()
		return text(strings.Join(append(os.Environ(), "DIR="+dir), "\n"))(nil, r)
	})
	add(&mcp.Tool{Name: "big"}, text(strings.Repeat("äöü 0123456789\n", 10000)))
	add(&mcp.Tool{Name: "nothing"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	add(&mcp.Tool{Name: "fails"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such table"}}}, nil
	})
	add(&mcp.Tool{Name: "refuses"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the table is missing"}
	})
	add(&mcp.Tool{Name: "structured"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"rows": 3}}, nil
	})
	add(&mcp.Tool{Name: "parts"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "before"},
			&mcp.ImageContent{Data: png, MIMEType: "image/png"},
			&mcp.TextContent{Text: "after"},
			&mcp.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://a", Text: "inside"}},
			&mcp.ResourceLink{URI: "test://b", Name: "b", Description: "the other"},
		}}, nil
	})
	add(&mcp.Tool{Name: "images"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := &mcp.CallToolResult{}
		for range maxImages + 2 {
			r.Content = append(r.Content, &mcp.ImageContent{Data: png, MIMEType: "image/png"})
		}
		return r, nil
	})
	add(&mcp.Tool{Name: "steps"}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(),
				Progress: float64(i + 1), Total: 4, Message: "step"})
		}
		var a struct{ Until string }
		_ = json.Unmarshal(r.Params.Arguments, &a)
		for ctx.Err() == nil && !exists(a.Until) {
			time.Sleep(2 * time.Millisecond)
		}
		return text("done")(ctx, r)
	})
	add(&mcp.Tool{Name: "hangs"}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		mark := func(name string) {
			if dir := os.Getenv("MARK_DIR"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, name), nil, 0o600)
			}
		}
		mark("called")
		<-ctx.Done()
		mark("cancelled")
		return nil, ctx.Err()
	})
	add(&mcp.Tool{Name: "dies"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(7)
		return nil, nil
	})
	add(&mcp.Tool{Name: "grow"}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add(&mcp.Tool{Name: "grown"}, text("I am new"))
		return text("grown")(nil, r)
	})
	add(&mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"string"}}}`)})
		return text(fmt.Sprint("refused: ", err != nil))(ctx, r)
	})
	s.AddResource(&mcp.Resource{URI: "test://a", Name: "a", MIMEType: "text/plain"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://a", Text: "the text of a"}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "ui://app", Name: "app"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, errors.New("not for us")
	})
	return s
}

// home is a user with an mcp.json.
type home struct {
	t   *testing.T
	o   Options
	env map[string]string
	exe string
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, env: map[string]string{}, exe: exe}
	h.o = Options{Dir: filepath.Join(dir, "work"), TempDir: filepath.Join(dir, "tmp"), Version: "9.9",
		Paths:   config.Paths{Home: dir, Agent: filepath.Join(dir, "agent"), Cache: filepath.Join(dir, "cache"), State: filepath.Join(dir, "state")},
		Env:     func(name string) string { return h.env[name] },
		Environ: append(os.Environ(), "PI_SESSION_ID=outer")}
	for _, d := range []string{h.o.Dir, h.o.TempDir, h.o.Paths.Agent} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// stdio writes the entry of a server of a mode, with more fields after it.
func (h *home) stdio(name, mode, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`%q: {"command": %q, "env": {%q: %q, "MARK_DIR": "$MARK_DIR", "SECRET": "${SECRET}", "PID_FILE": "$PID_FILE", "BEGIN_FILE": "$BEGIN_FILE", "STARTED_FILE": "$STARTED_FILE"}%s}`,
		name, h.exe, modeVariable, mode, more)
}

func (h *home) write(entries ...string) {
	h.t.Helper()
	doc := `{"mcpServers": {` + strings.Join(entries, ",\n") + "}}"
	if err := os.WriteFile(UserFile(h.o.Paths), []byte(doc), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// manager starts a manager of what is written.
func (h *home) manager() *Manager {
	h.t.Helper()
	for _, name := range []string{"MARK_DIR", "SECRET", "PID_FILE", "BEGIN_FILE", "STARTED_FILE"} {
		if h.env[name] == "" {
			h.env[name] = "unused-" + name
		}
	}
	var problems []config.Problem
	h.o.Servers, problems = Load(h.o.Paths, h.o.Dir, true)
	for _, p := range problems {
		h.t.Log(p)
	}
	m := New(h.o)
	h.t.Cleanup(m.Close)
	return m
}

func find(t *testing.T, m *Manager, name string) tool.Tool {
	t.Helper()
	var have []string
	for _, x := range m.Tools() {
		if x.Spec().Name == name {
			return x
		}
		have = append(have, x.Spec().Name)
	}
	t.Fatalf("there is no tool %s among %v", name, have)
	return nil
}

func call(t *testing.T, m *Manager, name, args string) message.Output {
	t.Helper()
	out, err := find(t, m, name).Run(t.Context(), json.RawMessage(args), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func textOf(o message.Output) string {
	var all []string
	for _, b := range o.Content {
		if b.Type == message.TextBlock {
			all = append(all, b.Text)
		} else {
			all = append(all, "<"+string(b.Type)+" "+b.MimeType+">")
		}
	}
	return strings.Join(all, "\n")
}

// each runs a test with a server over both transports.
func each(t *testing.T, f func(t *testing.T, h *home, m *Manager)) {
	t.Run("stdio", func(t *testing.T) {
		h := newHome(t)
		h.write(h.stdio("test", "ok", ""))
		m := h.manager()
		m.Wait(t.Context())
		f(t, h, m)
	})
	t.Run("http", func(t *testing.T) {
		h := newHome(t)
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return testServer("ok") }, nil))
		t.Cleanup(web.Close)
		h.write(fmt.Sprintf(`"test": {"url": %q}`, web.URL+"/mcp"))
		m := h.manager()
		t.Cleanup(m.Close) // before the server goes
		m.Wait(t.Context())
		f(t, h, m)
	})
}

func TestResults(t *testing.T) {
	each(t, func(t *testing.T, h *home, m *Manager) {
		for _, tt := range []struct {
			name, tool, args, want string
			isError                bool
		}{
			{"text", "echo", `{"text":"grüß <b>"}`, "grüß <b>", false},
			{"nothing", "nothing", `{}`, "The tool returned nothing.", false},
			{"no arguments at all", "nothing", ``, "The tool returned nothing.", false},
			{"arguments that are no object", "echo", `[1]`, "The arguments of mcp__test__echo must be a JSON object.", true},
			{"an error of the tool", "fails", `{}`, "no such table", true},
			{"an error of the protocol", "refuses", `{}`, "The MCP server test refused the call: the table is missing", true},
			{"structured content alone", "structured", `{}`, `{"rows":3}`, false},
			{"a question that nobody answers", "ask", `{}`, "refused: true", false},
		} {
			t.Run(tt.name, func(t *testing.T) {
				out := call(t, m, "mcp__test__"+tt.tool, tt.args)
				if got := textOf(out); got != tt.want || out.IsError != tt.isError {
					t.Errorf("%s: %q, error %v; want %q, error %v", tt.tool, got, out.IsError, tt.want, tt.isError)
				}
			})
		}
		out := call(t, m, "mcp__test__parts", `{}`)
		files, _ := filepath.Glob(filepath.Join(h.o.TempDir, "*.wav"))
		if len(files) != 1 {
			t.Fatalf("files of sound: %v", files)
		}
		want := "before\n<image image/png>\nafter\n[Sound: audio/wav, 4 bytes, in the file " + files[0] +
			"]\n[Resource test://a]\ninside\n[Resource test://b (b): the other; read_mcp_resource reads it from server test]"
		if got := textOf(out); got != want {
			t.Errorf("parts: %s\nwant: %s", got, want)
		}
		if got := string(out.Details); got != `{"server":"test","tool":"parts"}` {
			t.Errorf("details %s", got)
		}
		out = call(t, m, "mcp__test__images", `{}`)
		if n := strings.Count(textOf(out), "<image"); n != maxImages || strings.Count(textOf(out), "[Image that is not shown, as there are more than 10: ") != 2 {
			t.Errorf("%d images: %s", n, textOf(out))
		}
	})
}
