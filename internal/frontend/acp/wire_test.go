package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/acp"
	"github.com/boughdev/bough/internal/golden"
)

// wire is a client that writes its lines by hand.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
	log  strings.Builder // what went over it, as a transcript
}

func (w *world) wire(change ...func(*acp.Options)) *wire {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o := w.options()
	o.In, o.Out = inR, outW
	for _, c := range change {
		c(&o)
	}
	x := &wire{t: w.t, in: inW, out: bufio.NewReader(outR), done: make(chan error, 1)}
	go func() {
		err := acp.Run(context.Background(), o)
		outW.Close()
		x.done <- err
	}()
	w.t.Cleanup(func() {
		inW.Close()
		go io.Copy(io.Discard, outR)
		<-x.done
	})
	return x
}

func (x *wire) send(line string) {
	x.t.Helper()
	fmt.Fprintf(&x.log, "-> %s\n", line)
	if _, err := io.WriteString(x.in, line+"\n"); err != nil {
		x.t.Fatal(err)
	}
}

func (x *wire) line() string {
	x.t.Helper()
	l, err := x.out.ReadString('\n')
	if err != nil {
		x.t.Fatalf("after %q: %v", l, err)
	}
	fmt.Fprintf(&x.log, "<- %s", l)
	return strings.TrimSuffix(l, "\n")
}

// until reads lines until one holds a text.
func (x *wire) until(text string) string {
	x.t.Helper()
	for {
		if l := x.line(); strings.Contains(l, text) {
			return l
		}
	}
}

func (x *wire) call(id int, method, params string) string {
	x.t.Helper()
	x.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	for {
		l := x.line()
		var e struct {
			ID     any
			Method string
		}
		if json.Unmarshal([]byte(l), &e) == nil && e.Method == "" && e.ID == float64(id) {
			return l
		}
	}
}

var sessionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// options are the choices of a session, see TestChoices.
var options = regexp.MustCompile(`"result":\{"configOptions".*`)

// A conversation as it stands on the wire.
func TestTranscript(t *testing.T) {
	w := newWorld(t, `{"defaults":{"chunk":1000},"rules":[
		{"when":{"user":"^change","turn":0},"reply":{"thinking":"Where is it?","text":"I look.","toolCalls":[{"id":"c1","name":"read","args":{"path":"a.txt"}}]}},
		{"when":{"user":"^change","turn":1},"reply":{"toolCalls":[{"id":"c2","name":"edit","args":{"path":"a.txt","edits":[{"oldText":"two","newText":"2"}]}}]}},
		{"when":{"user":"^change","turn":2},"reply":{"text":"Done."}}]}`)
	w.write("a.txt", "one\ntwo\nthree\n")
	x := w.wire()
	x.call(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{}}`)
	made := x.call(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, w.dir))
	id := sessionID.FindString(made)
	x.until("available_commands_update")
	x.call(3, "session/prompt", `{"sessionId":"`+id+`","prompt":[{"type":"text","text":"change it"}]}`)
	x.call(4, "session/prompt", `{"sessionId":"`+id+`","prompt":[{"type":"text","text":"/help"}]}`)
	x.call(5, "session/set_config_option", `{"sessionId":"`+id+`","configId":"thinking","value":"off"}`)
	x.call(6, "session/load", fmt.Sprintf(`{"sessionId":"%s","cwd":%q,"mcpServers":[]}`, id, w.dir))
	x.until("available_commands_update")
	x.call(7, "session/close", `{"sessionId":"`+id+`"}`)
	var rows strings.Builder
	for l := range strings.Lines(strings.NewReplacer(id, "SESSION", w.dir, "/project").Replace(x.log.String())) {
		if !strings.Contains(l, "usage_update") { // it counts the tokens of a folder's name too
			rows.WriteString(options.ReplaceAllString(l, `"result":{…}}`))
		}
	}
	golden.Equal(t, "transcript.txt", rows.String())
}

func TestBadMessages(t *testing.T) {
	w := newWorld(t, working)
	x := w.wire()
	id := sessionID.FindString(x.call(1, "session/new", fmt.Sprintf(`{"cwd":%q}`, w.dir)))
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", `hello`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{"half of it", `{"jsonrpc":"2.0","id":1,`, `"id":null,"error":{"code":-32700`},
		{"null", `null`, `"id":null,"error":{"code":-32600`},
		{"a list", `[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`, `"id":null,"error":{"code":-32600`},
		{"an id that is none", `{"jsonrpc":"2.0","id":{"a":1},"method":"initialize"}`, `"id":null,"error":{"code":-32600`},
		{"a method that is a number", `{"jsonrpc":"2.0","id":5,"method":7}`, `"id":null,"error":{"code":-32600`},
		{"no method", `{"jsonrpc":"2.0","id":6}`, `"id":6,"error":{"code":-32600`},
		{"an unknown method", `{"jsonrpc":"2.0","id":"x","method":"session/fly"}`, `"id":"x","error":{"code":-32601`},
		{"params that are a text", `{"jsonrpc":"2.0","id":7,"method":"session/new","params":"x"}`, `"id":7,"error":{"code":-32602`},
		{"no params", `{"jsonrpc":"2.0","id":8,"method":"session/new"}`, `"id":8,"error":{"code":-32602`},
		{"a folder that is not there", `{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"/nowhere/at/all","mcpServers":[]}}`, `"id":9,"error":{"code":-32602`},
		{"a relative folder", `{"jsonrpc":"2.0","id":10,"method":"session/new","params":{"cwd":"src","mcpServers":[]}}`, `"id":10,"error":{"code":-32602`},
		{"a session that is not open", `{"jsonrpc":"2.0","id":11,"method":"session/prompt","params":{"sessionId":"nope","prompt":[{"type":"text","text":"x"}]}}`, `"id":11,"error":{"code":-32002`},
		{"a session that is not there", `{"jsonrpc":"2.0","id":12,"method":"session/load","params":{"sessionId":"nope","cwd":"` + w.dir + `","mcpServers":[]}}`, `"id":12,"error":{"code":-32002`},
		{"a path for a session", `{"jsonrpc":"2.0","id":13,"method":"session/load","params":{"sessionId":"../../etc/passwd","cwd":"` + w.dir + `","mcpServers":[]}}`, `"id":13,"error":{"code":-32002`},
		{"an empty prompt", `{"jsonrpc":"2.0","id":14,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[]}}`, `"id":14,"error":{"code":-32602`},
		{"a prompt of nothing known", `{"jsonrpc":"2.0","id":15,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"hologram"}]}}`, `"id":15,"error":{"code":-32602`},
		{"sound", `{"jsonrpc":"2.0","id":16,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}}`, `"id":16,"error":{"code":-32602`},
		{"an image that is none", `{"jsonrpc":"2.0","id":17,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"image","data":"!","mimeType":"image/png"}]}}`, `"id":17,"error":{"code":-32602`},
		{"an option that there is not", `{"jsonrpc":"2.0","id":18,"method":"session/set_config_option","params":{"sessionId":"` + id + `","configId":"color","value":"red"}}`, `"id":18,"error":{"code":-32602`},
		{"a model that there is not", `{"jsonrpc":"2.0","id":19,"method":"session/set_model","params":{"sessionId":"` + id + `","modelId":"x/y"}}`, `"id":19,"error":{"code":-32602`},
		{"a way to sign in that there is not", `{"jsonrpc":"2.0","id":20,"method":"authenticate","params":{"methodId":"magic"}}`, `"id":20,"error":{"code":-32602`},
		{"an answer that nobody waits for", `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":21,"method":"x"}`, `"id":21,"error":{"code":-32601`},
		{"a notification that there is not", `{"jsonrpc":"2.0","method":"$/progress"}` + "\n" + `{"jsonrpc":"2.0","id":22,"method":"x"}`, `"id":22,"error":{"code":-32601`},
		{"a cancel of nothing", `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}` + "\n" + `{"jsonrpc":"2.0","id":23,"method":"x"}`, `"id":23,"error":{"code":-32601`},
		{"blank lines", "\n\n" + `{"jsonrpc":"2.0","id":24,"method":"x"}`, `"id":24,"error":{"code":-32601`},
	} {
		x.send(tt.line)
		got := x.line()
		for strings.Contains(got, `"method":"session/update"`) {
			got = x.line()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := x.call(50, "session/prompt", `{"sessionId":"`+id+`","prompt":[{"type":"text","text":"hello"}]}`); !strings.Contains(got, `"stopReason":"end_turn"`) {
		t.Errorf("after all that: %s", got)
	}
}

// A prompt and a cancel right behind it are taken in their order.
func TestCancelRightBehind(t *testing.T) {
	w := newWorld(t, working)
	x := w.wire()
	id := sessionID.FindString(x.call(1, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, w.dir)))
	for n := 2; n < 30; n++ {
		x.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"%s","prompt":[{"type":"text","text":"long"}]}}`, n, id) + "\n" +
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`)
		if got := x.until(fmt.Sprintf(`"id":%d,`, n)); !strings.Contains(got, `"stopReason":"cancelled"`) {
			t.Fatalf("prompt %d: %s", n, got)
		}
	}
	x.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":30,"method":"session/prompt","params":{"sessionId":"%s","prompt":[{"type":"text","text":"long"}]}}`, id))
	x.until("one ")
	x.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":30}}`)
	if got := x.until(`"id":30,`); !strings.Contains(got, `"stopReason":"cancelled"`) {
		t.Errorf("a request that was given up: %s", got)
	}
}

// Who goes in the middle of an answer leaves what was said.
func TestGoneInMidPrompt(t *testing.T) {
	w := newWorld(t, working)
	x := w.wire()
	id := sessionID.FindString(x.call(1, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, w.dir)))
	x.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"%s","prompt":[{"type":"text","text":"long"}]}}`, id))
	x.until("one ")
	x.in.Close()
	go io.Copy(io.Discard, x.out)
	if err := <-x.done; err != nil {
		t.Errorf("the agent ended with %v", err)
	}
	x.done <- nil
	e := w.editor()
	if _, err := e.conn.LoadSession(t.Context(), load(id, w.dir)); err != nil {
		t.Fatal(err)
	}
	if got := e.transcript(sdkID(id)); !strings.HasPrefix(got, "user: long\nagent: one ") {
		t.Errorf("loaded\n%s", got)
	}
}

// Who does not read holds up himself only.
func TestBrokenOutput(t *testing.T) {
	w := newWorld(t, working)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o := w.options()
	o.In, o.Out = inR, outW
	done := make(chan error, 1)
	go func() { done <- acp.Run(context.Background(), o) }()
	outR.Close()
	io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
	if err := <-done; err == nil {
		t.Error("nobody reads, and the agent ended without an error")
	}
	inW.Close()
}

// 10 MB are no limit.
func TestLongLine(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"Read."}}]`)
	x := w.wire()
	id := sessionID.FindString(x.call(1, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, w.dir)))
	got := x.call(2, "session/prompt", `{"sessionId":"`+id+`","prompt":[{"type":"text","text":"`+strings.Repeat("x", 12<<20)+`"}]}`)
	if !strings.Contains(got, `"stopReason":"end_turn"`) {
		t.Errorf("%s", got)
	}
}
