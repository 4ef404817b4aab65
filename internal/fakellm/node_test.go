package fakellm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// These tests hold the server against fake-llm.mjs, with which transcripts were
// recorded. They need node 20 and the folder with the tools and the conformance
// cases: $BOUGH_SHARED, or "shared" beside the checkout.

// shared returns the path of a file in that folder.
func shared(t *testing.T, elem ...string) string {
	t.Helper()
	root := os.Getenv("BOUGH_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no reference to compare with (set BOUGH_SHARED):", err)
	}
	return path
}

// pair is the two servers, asked alike.
type pair struct {
	server       *Server
	ours, theirs string // URLs
}

// startPair starts both servers with the same flags.
func startPair(t *testing.T, o Options, flags ...string) pair {
	t.Helper()
	if testing.Short() {
		t.Skip("the comparison takes its time")
	}
	mjs := shared(t, "tools", "fake-llm.mjs")
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Skip("no node to run the reference with:", err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if v, err := strconv.Atoi(major); err != nil || v < 20 {
		t.Skipf("the reference needs node 20, this is %s", out)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{mjs, "--exit-with-stdin"}, flags...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Error("reference:", err)
		}
	})
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := Start(t, o)
	return pair{s, s.URL, "http://127.0.0.1:" + strings.TrimSpace(port)}
}

// got is what came back.
type got struct {
	status int
	header http.Header
	body   string
	err    string // how the body broke off: "", "cut" by us, "broken"
}

// fetch asks one server. more, if not nil, hears how much has come of the body.
func fetch(ctx context.Context, t *testing.T, method, url, body string, header http.Header, more func(n int)) got {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Close = true
	var g got
	var buf bytes.Buffer
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		defer res.Body.Close()
		g.status, g.header = res.StatusCode, res.Header
		p := make([]byte, 32<<10)
		for err == nil {
			var n int
			n, err = res.Body.Read(p)
			buf.Write(p[:n])
			if more != nil {
				more(buf.Len())
			}
		}
	}
	g.body = buf.String()
	switch {
	case err == io.EOF && res != nil:
	case ctx.Err() != nil:
		g.err = "cut"
	default:
		g.err = "broken"
	}
	return g
}

// fetchOurs asks our server, and no longer than until the reply hangs.
func (p pair) fetchOurs(t *testing.T, method, path, body string, header http.Header) got {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	watch, over := context.WithCancel(ctx)
	defer over()
	wg.Go(func() {
		if p.server.AwaitHang(watch) == nil {
			time.Sleep(100 * time.Millisecond) // to read what is on its way
			cancel()
		}
	})
	g := fetch(ctx, t, method, p.ours+path, body, header, nil)
	if g.err == "cut" { // the next request must not find it hanging
		if _, err := p.server.Await(t.Context(), p.server.script.Requests()); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// fetchTheirs asks the reference, and if ours was cut, no longer than it takes
// to see that nothing else comes.
func (p pair) fetchTheirs(t *testing.T, method, path, body string, header http.Header, ours got) got {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if ours.err != "cut" {
		return fetch(ctx, t, method, p.theirs+path, body, header, nil)
	}
	enough := time.AfterFunc(time.Minute, cancel)
	defer enough.Stop()
	more := func(n int) {
		if n >= len(ours.body) {
			enough.Reset(50 * time.Millisecond)
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	if ours.status == 0 { // nothing at all is to come once it has the request
		want := strconv.Itoa(p.server.script.Requests())
		wg.Go(func() {
			for ctx.Err() == nil {
				health := fetch(ctx, t, "GET", p.theirs+"/__fake/health", "", nil, nil).body
				if string(at([]byte(health), "requests")) == want {
					more(0)
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	return fetch(ctx, t, method, p.theirs+path, body, header, more)
}

// both asks both servers and compares.
func (p pair) both(t *testing.T, method, path, body string, header http.Header) got {
	t.Helper()
	a := p.fetchOurs(t, method, path, body, header)
	b := p.fetchTheirs(t, method, path, body, header, a)
	what := fmt.Sprintf("%s %s %s", method, path, body)
	if a.status != b.status || a.err != b.err {
		t.Errorf("%s: status %d %q, reference %d %q", what, a.status, a.err, b.status, b.err)
	}
	if a.body != b.body {
		t.Errorf("%s:\n%s\nreference:\n%s", what, a.body, b.body)
	}
	for _, h := range []string{"Content-Type", "Cache-Control", "Request-Id", "X-Request-Id", "Retry-After", "X-A", "Content-Length"} {
		if x, y := a.header.Get(h), b.header.Get(h); x != y && !(h == "Content-Length" && x+y == "0") {
			t.Errorf("%s: header %s %q, reference %q", what, h, x, y)
		}
	}
	return a
}

// play starts both over with a script.
func (p pair) play(t *testing.T, script string) {
	t.Helper()
	p.both(t, "POST", "/__fake/script", script, nil)
	p.both(t, "POST", "/__fake/reset", "", nil)
}

var paths = map[string]string{"chat": "/v1/chat/completions", "responses": "/v1/responses", "anthropic": "/v1/messages"}

// turn is one message of a conversation for all APIs.
type turn struct {
	role, text string
	calls      []string // of an assistant: ids; of a tool: the one it answers
}

// bodyOf writes a request the way a client of that API does.
func bodyOf(api string, stream bool, system string, tools []string, turns []turn) string {
	var msgs, offered []raw
	text := func(kind, s string) raw { return arr(obj("type", kind, "text", s)) }
	schema := obj("type", "object", "properties", obj("path", obj("type", "string"), "cmd", obj()))
	for _, name := range tools {
		switch api {
		case "chat":
			offered = append(offered, obj("type", "function", "function", obj("name", name, "parameters", schema)))
		case "anthropic":
			offered = append(offered, obj("name", name, "input_schema", schema))
		default:
			offered = append(offered, obj("type", "function", "name", name, "parameters", schema))
		}
	}
	if system != "" && api == "chat" {
		msgs = append(msgs, obj("role", "system", "content", system))
	}
	for _, m := range turns {
		msgs = append(msgs, messages(api, m, text)...)
	}
	pairs := []any{"model", "fake-1", "stream", stream, "tools", arr(offered...)}
	switch api {
	case "chat":
		pairs = append(pairs, "messages", arr(msgs...), "stream_options", obj("include_usage", true))
	case "anthropic":
		pairs = append(pairs, "system", text("text", system), "messages", arr(msgs...), "max_tokens", 100)
	default:
		pairs = append(pairs, "instructions", system, "input", arr(msgs...), "include", arr("reasoning.encrypted_content"))
	}
	return string(obj(pairs...))
}

func messages(api string, m turn, text func(kind, s string) raw) []raw {
	var out, calls []raw
	switch {
	case api == "chat" && m.role == "tool":
		return []raw{obj("role", "tool", "tool_call_id", m.calls[0], "content", m.text)}
	case api == "chat":
		pairs := []any{"role", m.role, "content", m.text}
		for _, id := range m.calls {
			calls = append(calls, obj("id", id, "type", "function", "function", obj("name", "read", "arguments", `{"path":"x"}`)))
		}
		if len(calls) > 0 {
			pairs = append(pairs, "tool_calls", arr(calls...))
		}
		return []raw{obj(pairs...)}
	case api == "anthropic" && m.role == "tool":
		return []raw{obj("role", "user", "content", arr(obj("type", "tool_result", "tool_use_id", m.calls[0], "content", text("text", m.text), "is_error", true)))}
	case api == "anthropic":
		blocks := []raw{obj("type", "text", "text", m.text)}
		for _, id := range m.calls {
			blocks = append(blocks, obj("type", "tool_use", "id", id, "name", "read", "input", obj("path", "x")))
		}
		return []raw{obj("role", m.role, "content", arr(blocks...))}
	case m.role == "tool":
		return []raw{obj("type", "function_call_output", "call_id", m.calls[0], "output", m.text)}
	case m.role == "assistant":
		out = append(out, obj("type", "reasoning", "summary", arr[raw]()), obj("type", "message", "role", "assistant", "content", text("output_text", m.text)))
		for _, id := range m.calls {
			out = append(out, obj("type", "function_call", "call_id", id, "name", "read", "arguments", `{"path":"x"}`))
		}
		return out
	}
	return []raw{obj("role", m.role, "content", text("input_text", m.text))}
}

// conversations makes some of a prompt.
func conversations(prompt string) [][]turn {
	return [][]turn{
		{{role: "user", text: prompt}},
		{{role: "user", text: prompt}, {role: "assistant", text: "Looking.", calls: []string{"c1"}}, {role: "tool", text: "these notes\nare old\n", calls: []string{"c1"}}},
		{{role: "user", text: "before"}, {role: "assistant", text: "Yes."}, {role: "user", text: prompt}},
	}
}

var holds = regexp.MustCompile(`"do": *"hold", *"name": *"(\w+)"`)

// ask asks for a prompt in all APIs, with and without a stream.
func (p pair) ask(t *testing.T, script, prompt string) {
	t.Helper()
	for _, api := range []string{"chat", "responses", "anthropic"} {
		for _, stream := range []bool{true, false} {
			for i, turns := range conversations(prompt) {
				system, tools := "You are a helper.", []string{"read", "bash", "write", "ls"}
				if i == 2 {
					tools = nil
					system = "Summarize what was said."
				}
				for _, m := range holds.FindAllStringSubmatch(script, -1) {
					p.both(t, "POST", "/__fake/release/"+m[1], "", nil)
				}
				p.both(t, "POST", paths[api], bodyOf(api, stream, system, tools, turns), nil)
			}
		}
	}
}

func TestSameAsReferenceInConformanceScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(shared(t, "conformance", "rpc"), "*.llm.json"))
	if err != nil {
		t.Fatal(err)
	}
	p := startPair(t, Options{})
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".llm.json"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p.play(t, string(script))
			for _, prompt := range prompts(t, string(script), strings.Replace(file, ".llm.json", ".in.jsonl", 1)) {
				p.ask(t, string(script), prompt)
			}
		})
	}
}

// prompts returns some of what a scenario asks, and what its script waits for.
func prompts(t *testing.T, script, file string) []string {
	in, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	most := 8
	if strings.Contains(script, "hang") {
		most = 4 // to save time
	}
	var out []string
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) && len(out) < most {
			out = append(out, s)
		}
	}
	for _, m := range plainPrompt.FindAllStringSubmatch(script, -1) {
		add(m[1])
	}
	for line := range bytes.Lines(in) {
		for _, v := range [][]byte{line, rawjson.Get(line, "$async")} {
			add(str(at(v, "message")))
		}
	}
	return out
}

var plainPrompt = regexp.MustCompile(`"user": *"\^?([a-z -]+)"`)

func TestSameAsReferenceInBuiltinBehaviour(t *testing.T) {
	t.Parallel()
	p := startPair(t, Options{})
	for _, prompt := range []string{
		"hello", "  padded\u00a0\ufeff ", "read a.txt", "Read a.txt and b/c.txt, d  e", "run ls -l\n| wc", "BASH x", "write f.txt: some\ntext", "write f.txt:",
		"ls", "ls src", "lsx", "think: deep \u2028 thoughts", "think:", "long 40", "long 0", "fail nothing", "fail",
		"fail rate-limit", "fail quota", "fail server", "fail bad-gateway", "fail unavailable", "fail overloaded", "fail overflow", "fail too-large",
		"fail bad-request", "Fail AUTH", "fail forbidden", "fail not-found", "fail timeout", "fail reset",
		"<conversation>\n[User]: build a house " + strings.Repeat("😀", 120) + "\n</conversation>", "# Conversation\nWhat was the original request?",
		"😀 and é and \u2029 \"quoted\" \\ \b\f\x01 <html>&", "x" + strings.Repeat("😀", 2100),
	} {
		p.ask(t, "", prompt)
	}
	hang := bodyOf("chat", true, "", nil, []turn{{role: "user", text: "fail hang"}})
	p.both(t, "POST", paths["chat"], hang, nil)
	p.log(t)
}

// log compares what both have noted of the requests.
func (p pair) log(t *testing.T) {
	t.Helper()
	list := func(base string) [][]byte {
		return elements([]byte(fetch(t.Context(), t, "GET", base+"/__fake/requests", "", nil, nil).body))
	}
	theirs := list(p.theirs)
	ours := list(p.ours)
	for range 100 { // an answer ends when the client already has it
		if len(ours) == 0 || at(ours[len(ours)-1], "response") != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
		ours = list(p.ours)
	}
	if len(ours) != len(theirs) {
		t.Fatalf("%d requests, reference %d", len(ours), len(theirs))
	}
	for i := range ours {
		for _, path := range []string{"kind", "n", "path", "api", "model", "stream", "rule", "violations", "auth", "body",
			"response.n", "response.rule", "response.status", "response.deltas", "response.aborted", "response.kind"} {
			keys := strings.Split(path, ".")
			if a, b := at(ours[i], keys...), at(theirs[i], keys...); !bytes.Equal(a, b) {
				t.Errorf("request %d: %s is %s, reference %s", i+1, path, a, b)
			}
		}
	}
}

func TestSameAsReferenceInOddScripts(t *testing.T) {
	t.Parallel()
	p := startPair(t, Options{Chunk: 5}, "--chunk", "5")
	for _, tt := range []struct {
		script  string
		prompts []string
	}{
		{`[{"reply":{"text":"a text in pieces 😀😀","wire":{"crlf":true,"splitBytes":7,"comments":true},"at":[{"chunk":1,"do":"malformed"},{"chunk":2,"do":"malformed","data":"{{user}}"}]}}]`, []string{"x"}},
		{`[{"reply":{"content":[{"type":"text","text":"a"},{"type":"toolCall","name":"read","args":{"b":[1.50,1e21,null,"\ud800"],"10":true,"9":{}}},{"type":"thinking","text":"because","signature":"sig"},{"type":"text","text":""},{"type":"toolCall","id":"own","name":"x","rawArgs":"{broken"}],"usage":{"input":7,"cacheRead":5,"cacheWrite":3,"reasoning":2}}}]`, []string{"x"}},
		{`[{"reply":{"toolCalls":[{"name":"a"},{"name":"b","args":null},{"name":"c","rawArgs":"null"}],"thinking":"why"}}]`, []string{"x"}},
		{`{"defaults":{"model":"other","usage":{"input":1},"text":"default","stop":"length"},"rules":[{"when":{"user":"a"},"reply":{}},{"when":{"user":"b"},"reply":{"text":"b","stop":null,"usage":{"output":2}}}]}`, []string{"a", "b", "c"}},
		{`[{"when":{"user":"(\\w)"},"reply":{"text":"no","stop":"{{1}}"}}]`, []string{"failed", "x"}},
		{`[{"reply":{"text":"no","stop":"failed"}}]`, []string{"x"}},
		{`[{"reply":{"text":"no","stop":"content_filter"}}]`, []string{"x"}},
		{`[{"reply":{"text":"no","stop":"max_output_tokens"}}]`, []string{"x"}},
		{`[{"reply":{"text":"ab","repeat":3,"chunk":4}},{"reply":{"text":"ab","repeat":0}}]`, []string{"x"}},
		{`[{"reply":[{"text":"one {{n}}"},{"text":"two {{n}} {{model}}"}],"times":5},{"when":{"stream":true},"reply":{"text":"streams"}}]`, []string{"x"}},
		{`[{"when":{"user":"(\\w+) ?(x)?","toolResult":"(\\w+)$"},"reply":{"text":"{{0}} {{1}} {{2}} {{3}} {{t1}} {{t2}} {{t}} {{toolName}} {{toolResult}} {{01}}"}},{"when":{"toolName":"read","toolError":true},"reply":{"text":"failed"}}]`, []string{"word", "word x", "😀"}},
		{`{"otherwise":"error","rules":[{"when":{"summary":true},"reply":{"text":"sum"}},{"when":{"turn":1,"lastRole":"tool"},"reply":{"text":"turn"}},{"when":{"noTools":false,"tools":["ls"],"firstUser":"^q"},"reply":{"text":"tools"}}]}`, []string{"q", "r", "summarize"}},
		{`[{"reply":{"error":{"kind":"rate-limit","status":420,"type":"t","code":"c","message":"m {{user}}","headers":{"x-a":"b"},"retryAfter":7}}}]`, []string{"x"}},
		{`[{"reply":{"error":{"status":418,"body":{"b":1,"a":[2.0]}}}}]`, []string{"x"}},
		{`[{"reply":{"error":{"kind":"overflow","body":"<p>no</p>"}}}]`, []string{"x"}},
		{`[{"reply":{"error":{}}}]`, []string{"x"}},
		{`[{"reply":{"error":"","text":"fine"}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","at":[{"chunk":1,"do":"error","kind":"overloaded"}]}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","at":[{"chunk":"end","do":"error","type":"odd","message":"m"}]}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","thinking":"xyz","at":[{"chunk":2,"do":"pause","ms":50},{"chunk":2,"do":"reset"}]}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","at":[{"chunk":2,"do":"end"}]}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","at":[{"chunk":"end","do":"end"}],"delayMs":1,"firstDelayMs":5,"endDelayMs":5}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","at":[{"chunk":2,"do":"hang"}]}}]`, []string{"x"}},
		{`[{"reply":{"text":"abcdefghijkl","at":[{"chunk":1,"do":"hold","name":"go","maxMs":9000}]}}]`, []string{"x"}},
		{`{"models":["m1",{"id":"m2"}],"rules":[]}`, []string{"x"}},
	} {
		p.play(t, tt.script)
		for _, prompt := range tt.prompts {
			p.ask(t, tt.script, prompt)
		}
		p.both(t, "GET", "/models", "", nil)
		p.log(t)
	}
}

func TestSameAsReferenceInExpressions(t *testing.T) {
	t.Parallel()
	p := startPair(t, Options{})
	for _, tt := range []struct{ expr, text string }{
		{`^(a.)c$`, "abc"}, {`^(a.)c$`, "a\rc"}, {`/^(a.)c$/s`, "a\nc"}, {`/^(B)/im`, "a\nb"}, {`(a[^])c`, "a\nc"}, {`a[]c|(b)`, "ac b"},
		{`([\s]x)(\S)`, "\u00a0xy"}, {`([^\S\n]+)`, "a \t\u2003\nb"}, {`([\w-.]+)`, "?a-.b"}, {`([[:alpha:]]+)`, "x:]"}, {`x{2}y{1,}(z{,3})`, "xxyyz{,3}"},
		{`({x})`, "{x}"}, {`(\{\}\/\-\_\a\e\z\Q)`, "{}/-_aezQ"}, {`(\u0041\x42\u{3})`, "ABuuu"}, {`/(\u{1F600}+)/u`, "x😀😀"}, {`(\ud83d\ude00)`, "😀"},
		{`/(\p{Lu}+)/u`, "aBCÄ"}, {`(\p{1})`, "p{1}"}, {`(?<year>\d+)-(x)`, "12-x"}, {`/(b)/y`, "ab"}, {`/(b)/gi`, "aB"}, {`\b(foo)\b`, "a foo b"},
		{`([\b])`, "x\b"}, {`(\cJ)`, "a\nb"}, {`(a|ab)(c|bcd)(d*)`, "abcd"}, {`(a+?)(a*)`, "aaa"}, {`(x)?(y)`, "y"}, {`([a-c[]+)`, "zb["},
		{`([^\d\s]+)`, "12 ab"}, {`(\W+)`, "a é b"}, {`/(É)/i`, "é"}, {`(.*)`, "é😀\u2028x"}, {`(\S+)$`, "one\ntwo"}, {`/^(\w+)$/m`, "one!\ntwo"}, {`(\$\^\.)`, "$^."},
		{`^$`, "x"}, {``, "x"}, {`(a]b})`, "a]b}"}, {`([\]\-\^\\]+)`, `x]-^\`}, {`([a\-z]+)`, "b-za"}, {`([+--]+)`, "+,-."},
	} {
		script := string(obj("otherwise", "error", "rules", arr(obj("when", obj("user", tt.expr), "reply", obj("text", "{{0}}|{{1}}|{{2}}|{{3}}")))))
		p.play(t, script)
		p.both(t, "POST", paths["chat"], bodyOf("chat", false, "", nil, []turn{{role: "user", text: tt.text}}), nil)
	}
}

func TestSameAsReferenceInRefusals(t *testing.T) {
	t.Parallel()
	p := startPair(t, Options{Strict: true, Models: []string{"a", "b/c"}}, "--strict", "--models", "a,b/c")
	for _, tt := range []struct{ path, body string }{
		{"chat", `{"messages":[{"role":"user","content":"hi"}]}`},
		{"chat", `{"model":"m"}`},
		{"chat", `{"model":"m","messages":[]}`},
		{"chat", `{"model":5,"messages":[{"role":"user","content":[{"type":"text","text":"hi"},"there",{"type":"image_url"}]}]}`},
		{"chat", `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":""}]}`},
		{"chat", `{"model":"m","messages":[{"role":"tool","tool_call_id":"x","content":"hi"}]}`},
		{"chat", `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","content":"hi"}]}`},
		{"chat", `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}},{"id":"b","custom":{"name":"g"}},{"id":"a"}]}]}`},
		{"chat", `{"model":"m","messages":[{"role":"assistant","content":"x","tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]},{"role":"user","content":"hi"}]}`},
		{"chat", `{"model":"m","messages":[{"role":"assistant","content":"x","tool_calls":[{"function":{"name":"f"}}]},{"role":"user","content":"hi"}]}`},
		{"chat", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"function":{"name":"a b","parameters":{"type":"array"}}},{"name":"a b"},{"type":"x"}]}`},
		{"chat", `{"model":"m","stream":true,"messages":[{"role":"developer","content":[{"text":"be"},{"text":"brief"}]},{"role":"user","content":"hi"}]}`},
		{"responses", `{"model":"m"}`},
		{"responses", `{"model":"m","input":"just text"}`},
		{"responses", `{"model":"m","input":[]}`},
		{"responses", `{"model":"m","input":[{"role":"developer","content":"x"},{"role":"user","content":"hi"},{"type":"custom_tool_call","call_id":"c","name":"n","input":"free"},{"type":"item_reference","id":"z"},{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"out"}]}]}`},
		{"responses", `{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"n","arguments":"{}"},{"role":"assistant","content":[{"type":"output_text","text":"a"}]},{"role":"assistant","content":"b"}]}`},
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{"anthropic", `{"model":"m","max_tokens":10,"messages":[{"role":"assistant","content":"hi"}]}`},
		{"anthropic", `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":""},{"role":"user","content":[]},{"role":"user"}]}`},
		{"anthropic", `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`},
		{"anthropic", `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","id":"a.b","name":"n","input":{}}]},{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a.b","content":"r"}]}]}`},
		{"anthropic", `{"model":"m","max_tokens":2000,"thinking":{"budget_tokens":100},"messages":[{"role":"user","content":"a"}]}`},
		{"anthropic", `{"model":"m","max_tokens":2000,"thinking":{"budget_tokens":2000},"messages":[{"role":"user","content":"a"}]}`},
		{"anthropic", `{"model":"m","max_tokens":2000,"thinking":{"budget_tokens":1999},"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"a"},{"role":"system","content":"more"}],"stream":true}`},
		{"chat", `not json`}, {"responses", `5`}, {"anthropic", `null`}, {"chat", `[]`}, {"chat", ``},
	} {
		p.both(t, "POST", paths[tt.path], tt.body, http.Header{"Authorization": {"Bearer x"}})
	}
	anthropic := http.Header{"Anthropic-Version": {"2023-06-01"}, "X-Api-Key": {"x"}}
	for _, path := range []string{"/models", "/v1/models/", "/v1/models/a", "/models/b/c", "/models/b%2Fc", "/models/z", "/x", "/"} {
		p.both(t, "GET", path, "", nil)
		p.both(t, "GET", path, "", anthropic)
	}
	body := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Count 😀 these."},{"role":"assistant","content":"ok"}]}`
	p.both(t, "POST", "/x/y/messages/count_tokens", body, anthropic)
	p.both(t, "POST", "/x/y/messages/?beta=true", body, anthropic)
	p.both(t, "POST", "/v1/embeddings", body, nil)
	p.both(t, "PUT", paths["chat"], body, nil)
	p.both(t, "GET", "/__fake/health", "", nil)
	p.both(t, "GET", "/__fake/holds", "", nil)
	p.both(t, "GET", "/__fake/reset", "", nil)
	p.both(t, "POST", "/__fake/nothing", "", nil)
	p.log(t)
	if !json.Valid([]byte(fetch(t.Context(), t, "GET", p.ours+"/__fake/requests", "", nil, nil).body)) {
		t.Error("the log is not JSON")
	}
}
