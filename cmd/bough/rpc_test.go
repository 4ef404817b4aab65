package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/internal/rawjson"
)

// rpc starts bough in RPC mode.
func rpc(t *testing.T, setup string, o fakellm.Options) *scenario {
	t.Helper()
	return startScenario(t, piped, `{"$setup":`+setup+`}`, o)
}

// ask sends a command and returns its answer.
func (s *scenario) ask(id, command string) object {
	s.t.Helper()
	s.send(command + "\n")
	return s.await(object{"type": "response", "id": id})
}

func (s *scenario) said(text string) {
	s.t.Helper()
	s.command(object{"id": "said " + text, "type": "prompt", "message": text})
	s.await(object{"type": "agent_settled"})
}

// end closes the input and waits for the end, with that exit code.
func (s *scenario) end(code int) {
	s.t.Helper()
	s.in.Close()
	select {
	case <-s.ended:
	case <-time.After(2 * time.Minute):
		s.t.Fatal("the program did not end with its input")
	}
	if got := s.code; got != code {
		s.t.Errorf("exit code %d, want %d\n%s", got, code, &s.stderr)
	}
}

// What is no command is answered and does nothing else (docs/spec/rpc.md 1, 2, 12).
func TestRPCErrors(t *testing.T) {
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) { refuses(t, startScenario(t, d, "", fakellm.Options{})) })
	}
}

func refuses(t *testing.T, s *scenario) {
	t.Helper()
	for _, tt := range []struct{ line, command, id, err string }{
		{"not json", "parse", "", "Failed to parse command: "},
		{`{"type":"get_state"`, "parse", "", "Failed to parse command: "},
		{"", "parse", "", "Failed to parse command: the line is empty"},
		{"\uFEFF{}", "parse", "", "Failed to parse command: "},
		{`{"a":1}{"b":2}`, "parse", "", "Failed to parse command: "},
		{"null", "unknown", "", "Unknown command: undefined"},
		{"5", "unknown", "", "Unknown command: undefined"},
		{"[]", "unknown", "", "Unknown command: undefined"},
		{`"x"`, "unknown", "", "Unknown command: undefined"},
		{`{"id":"u2"}`, "unknown", `"u2"`, "Unknown command: undefined"},
		{`{"id":"u3","type":7}`, "unknown", `"u3"`, "Unknown command: 7"},
		{`{"id":"u1","type":"no_such_command","x":1}`, "no_such_command", `"u1"`, "Unknown command: no_such_command"},
		{`{"id":null,"type":"x"}`, "x", "null", "Unknown command: x"},
		{`{"id":{"a":[1.50]},"type":"x"}`, "x", `{"a":[1.50]}`, "Unknown command: x"},
		{`{"id":1,"type":"set_session_name"}`, "set_session_name", "1", `set_session_name lacks the field "name", which is a text`},
		{`{"id":1,"type":"set_session_name","name":null}`, "set_session_name", "1", `the field "name" of set_session_name must be a text`},
		{`{"id":1,"type":"prompt"}`, "prompt", "1", `prompt lacks the field "message", which is a text`},
		{`{"id":1,"type":"prompt","message":["x"]}`, "prompt", "1", `the field "message" of prompt must be a text`},
		{`{"id":1,"type":"prompt","message":"x","images":[{"type":"image"}]}`, "prompt", "1", `the field "images" of prompt must be a list of images`},
		{`{"id":1,"type":"prompt","message":"x","streamingBehavior":"now"}`, "prompt", "1", `the field "streamingBehavior" of prompt must be "steer" or "followUp"`},
		{`{"id":1,"type":"steer"}`, "steer", "1", `steer lacks the field "message"`},
		{`{"id":1,"type":"switch_session"}`, "switch_session", "1", `switch_session lacks the field "sessionPath"`},
		{`{"id":1,"type":"switch_session","sessionPath":""}`, "switch_session", "1", `sessionPath is empty`},
		{`{"id":1,"type":"fork"}`, "fork", "1", `fork lacks the field "entryId"`},
		{`{"id":1,"type":"fork","entryId":"nobody"}`, "fork", "1", `Invalid entry ID for forking`},
		{`{"id":1,"type":"bash"}`, "bash", "1", `bash lacks the field "command"`},
		{`{"id":1,"type":"bash","command":"echo no","excludeFromContext":"yes"}`, "bash", "1", `the field "excludeFromContext" of bash must be true or false`},
		{`{"id":1,"type":"set_auto_retry","enabled":1}`, "set_auto_retry", "1", `the field "enabled" of set_auto_retry must be true or false`},
		{`{"id":1,"type":"set_model","provider":"fakechat","modelId":"nosuch"}`, "set_model", "1", `Model not found: fakechat/nosuch`},
		{`{"id":1,"type":"get_entries","since":""}`, "get_entries", "1", `Entry not found: `},
		{`{"id":1,"type":"get_entries","since":4}`, "get_entries", "1", `the field "since" of get_entries must be a text`},
	} {
		s.send(tt.line + "\n")
		got := s.await(object{"type": "response", "success": false})
		if got["command"] != tt.command || !strings.HasPrefix(got["error"].(string), tt.err) {
			t.Errorf("%s: %v", tt.line, got)
		}
		id := ""
		if v, ok := got["id"]; ok {
			id = text(v)
		}
		if want := strings.ReplaceAll(tt.id, "1.50", "1.5"); id != want {
			t.Errorf("%s: id %s, want %s", tt.line, id, want)
		}
	}
	// Carriage returns, several lines at once, a line in pieces, line separators.
	s.send("{\"id\":\"cr\",\"type\":\"get_last_assistant_text\"}\r\n{\"id\":\"b\u2028\",\"type\":\"get_fork_messages\"}\n{\"id\":\"c\",\"ty")
	s.await(object{"type": "response", "id": "cr", "success": true})
	s.await(object{"type": "response", "id": "b\u2028", "success": true})
	s.send("pe\":\"get_state\"}\n")
	s.await(object{"type": "response", "id": "c", "success": true})
	// Answers to questions that nobody asked, and a command without an id.
	s.send(`{"type":"extension_ui_response","id":"x","value":"y"}` + "\n" + `{"type":"get_last_assistant_text"}` + "\n")
	s.await(object{"type": "response", "command": "get_last_assistant_text"})
	entries := s.ask("e", `{"id":"e","type":"get_entries"}`)
	if got := s.told(); strings.Contains(got, "agent_start") || strings.Contains(got, "bash_execution_update") || len(pick(entries, "data.entries").([]any)) != 2 {
		t.Errorf("something was done:\n%s", got)
	}
	// The last line needs no end.
	s.send(`{"id":"last","type":"get_state"}`)
	s.end(0)
	if !strings.Contains(s.told(), "#last ok") {
		t.Error("the last line was not answered")
	}
}

// Many lines that are none are answered one by one, and a prompt of 50 MB comes
// through.
func TestRPCTakesMuch(t *testing.T) {
	s := rpc(t, `{"args":["--provider","fakechat","--model","fake-1","--no-session"]}`, fakellm.Options{Script: fakellm.MustParse(`[{"reply":{"text":"Long."}}]`)})
	const n = 10_000
	s.send(strings.Repeat("}{\n", n))
	s.await(object{"type": "response", "command": "parse"})
	s.ask("after", `{"id":"after","type":"get_state"}`)
	if got := strings.Count(s.told(), "response parse error\n"); got != n {
		t.Errorf("%d answers to %d lines", got, n)
	}
	words := strings.Repeat("0123456789", 5<<20)
	s.command(object{"id": "p", "type": "prompt", "message": words})
	m := s.await(object{"type": "message_end", "message": object{"role": "user"}})
	if pick(m, "message.content.0.text") != words {
		t.Error("the prompt has changed on its way")
	}
	s.await(object{"type": "agent_settled"})
	s.end(0)
}

// A client that does not read holds up neither the run nor the commands; later it
// gets all there was, in order.
func TestRPCClientThatDoesNotRead(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script.json")
	if err := os.WriteFile(script, []byte(`[{"when":{"user":"^go"},"reply":{"text":"`+strings.Repeat("long ", 20_000)+`"}},{"when":{},"reply":{"text":"second"}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent", "settings.json"), []byte(`{"compaction":{"enabled":false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "s.jsonl")
	cmd := exec.Command("bough", "--mode", "rpc", "--model", "scripted/one", "--session", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "BOUGH_OFFLINE=1", "BOUGH_SCRIPT="+script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // it has ended, if all went well
	fmt.Fprintln(in, `{"id":"1","type":"prompt","message":"go"}`)
	fmt.Fprintln(in, `{"id":"2","type":"prompt","message":"and on","streamingBehavior":"followUp"}`)
	// The file tells that the run has come to its end, though nobody has read a byte.
	deadline := time.Now().Add(2 * time.Minute)
	for {
		b, _ := os.ReadFile(file) // not there yet
		if bytes.Contains(b, []byte(`"text":"second"`)) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the run waits for the reader; the file has %d bytes", len(b))
		}
		time.Sleep(10 * time.Millisecond) // until the file has grown
	}
	in.Close()
	dec := json.NewDecoder(out)
	said, settled := "", false
	for {
		var r object
		if err := dec.Decode(&r); err != nil {
			break
		}
		if e, ok := r["assistantMessageEvent"].(object); ok && e["type"] == "text_delta" {
			said += e["delta"].(string)
		}
		settled = settled || r["type"] == "agent_settled"
	}
	if want := strings.Repeat("long ", 20_000) + "second"; said != want || !settled {
		t.Errorf("%d bytes of text came, want %d; settled %v", len(said), len(want), settled)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// When the reader is gone the program ends with code 1 and has kept what was said.
func TestRPCReaderGone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.jsonl")
	cmd := exec.Command("bough", "--mode", "rpc", "--model", "offline/demo", "--session", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "BOUGH_OFFLINE=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	fmt.Fprintln(in, `{"type":"prompt","message":"hello"}`)
	cmd.Wait() // its error is the exit code
	if code := cmd.ProcessState.ExitCode(); code != 1 || stderr.Len() > 0 {
		t.Errorf("exit code %d, said %q; want 1 and nothing", code, &stderr)
	}
	if b, err := os.ReadFile(file); err != nil || !bytes.Contains(b, []byte("hello")) {
		t.Errorf("the prompt is not in the file: %v", err)
	}
}

// A conversation of 10,000 entries in a row has a tree, which is nested as deep.
func TestRPCTreeOfALongConversation(t *testing.T) {
	const n = 10_000
	var lines strings.Builder
	lines.WriteString(`{"type":"session","version":3,"id":"11111111-2222-7333-8444-555555555555","timestamp":"2023-11-14T22:13:20.000Z","cwd":"${cwd}"}` + "\n")
	parent := "null"
	for i := range n {
		fmt.Fprintf(&lines, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2023-11-14T22:13:21.000Z","message":{"role":"user","content":"number %d","timestamp":1}}`+"\n", i, parent, i)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	setup, err := json.Marshal(object{"args": []string{"--provider", "fakechat", "--model", "fake-1", "--session", "long.jsonl"}, "files": object{"long.jsonl": lines.String()}})
	if err != nil {
		t.Fatal(err)
	}
	s := rpc(t, string(setup), fakellm.Options{})
	before, err := os.ReadFile(filepath.Join(s.vars["cwd"], "long.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s.send(`{"id":"t","type":"get_tree"}` + "\n")
	s.end(0)
	// It is nested deeper than encoding/json reads.
	line := strings.TrimPrefix(s.records[0]["type"].(string), "not a record: ")
	nest := strings.Index(line, "]}]")
	if !rawjson.Valid([]byte(line)) || nest < 0 || strings.Count(line[:nest], `"children":[`) != n+1 { // and the thinking level, which is on the path before it is in the file
		t.Errorf("the tree is not nested %d deep: %d bytes, %.200s", n+1, len(line), line)
	}
	if after, err := os.ReadFile(filepath.Join(s.vars["cwd"], "long.jsonl")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("looking has changed the file: %d bytes, were %d (%v)", len(after), len(before), err)
	}
}

// Several sessions, images, retries and shells, as a client may mix them.
func TestRPCMixed(t *testing.T) {
	s := rpc(t, `{"settings":{"retry":{"baseDelayMs":600000,"maxRetries":3}}}`, fakellm.Options{Script: fakellm.MustParse(`{"rules":[
	 {"when":{"user":"^fail"},"reply":{"error":"overloaded"}},
	 {"when":{"user":"^hold"},"reply":{"text":"A long answer.","at":[{"chunk":0,"do":"hold","name":"h"}]}},
	 {"when":{},"reply":{"text":"Fine."}}]}`)})
	// A wait for a retry is ended, which is no abort.
	s.command(object{"id": "f", "type": "prompt", "message": "fail"})
	s.await(object{"type": "auto_retry_start"})
	if st := s.ask("g", `{"id":"g","type":"get_state"}`); pick(st, "data.isStreaming") != true {
		t.Errorf("while it waits for a retry: %v", st)
	}
	s.ask("r", `{"id":"r","type":"abort_retry"}`)
	if end := s.await(object{"type": "auto_retry_end"}); end["finalError"] != "Retry cancelled" || end["success"] != false {
		t.Errorf("end of the retry: %v", end)
	}
	s.await(object{"type": "agent_settled", "aborted": false})
	if st := s.ask("g2", `{"id":"g2","type":"get_state"}`); pick(st, "data.isStreaming") != false {
		t.Errorf("after it: %v", st)
	}
	// An image that is really one, of a model that takes none, is no fault of the protocol.
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))
	s.command(object{"id": "i", "type": "prompt", "message": "look", "images": []any{object{"type": "image", "data": png, "mimeType": "image/png"}}})
	s.await(object{"type": "agent_settled"})
	messages := s.ask("m", `{"id":"m","type":"get_messages"}`)
	if !strings.Contains(text(messages), png) {
		t.Error("the image is not in the message")
	}
	// Two prompts at once: one begins a run, the other is refused.
	s.send(`{"id":"p1","type":"prompt","message":"hold"}` + "\n" + `{"id":"p2","type":"prompt","message":"hold"}` + "\n")
	if r := s.await(object{"type": "response", "id": "p1"}); pick(r, "data.disposition") != "started" {
		t.Errorf("first prompt: %v", r)
	}
	if r := s.await(object{"type": "response", "id": "p2"}); r["success"] != false {
		t.Errorf("second prompt: %v", r)
	}
	// Another session in the middle of a run: the run is aborted, and no event comes
	// behind the answer.
	s.ask("n", `{"id":"n","type":"new_session","parentSession":"/from/there.jsonl"}`)
	st := s.ask("g3", `{"id":"g3","type":"get_state"}`)
	if pick(st, "data.isStreaming") != false || pick(st, "data.messageCount") != 0.0 {
		t.Errorf("the new session: %v", st)
	}
	if told := s.told(); !strings.HasSuffix(told[:strings.Index(told, "response get_state #g3")], "agent_settled aborted:true\nresponse new_session #n ok cancelled:false\n") {
		t.Errorf("the end of the old one:\n%s", told)
	}
	s.said("hello")
	file := pick(s.ask("g4", `{"id":"g4","type":"get_state"}`), "data.sessionFile").(string)
	b, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(b[:bytes.IndexByte(b, '\n')]), `"parentSession":"/from/there.jsonl"`) {
		t.Errorf("header of the new session: %v %.200s", err, b)
	}
	s.end(0)
}

// A signal ends the program in order: what was said up to then is kept.
func TestRPCSignals(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}, {syscall.SIGINT, 130}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			s := rpc(t, `{}`, fakellm.Options{Script: fakellm.MustParse(`[{"reply":{"text":"Half of it was said","at":[{"chunk":1,"do":"hold","name":"h"}]}}]`)})
			file := pick(s.ask("g", `{"id":"g","type":"get_state"}`), "data.sessionFile").(string)
			s.command(object{"id": "p", "type": "prompt", "message": "talk"})
			s.await(object{"type": "message_update", "assistantMessageEvent": object{"type": "text_delta"}})
			s.prog.signal(t, tt.signal)
			<-s.ended
			if code := s.code; code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if told := s.told(); strings.Contains(told, "agent_settled") {
				t.Errorf("the end of the run was told:\n%s", told)
			}
			if b, err := os.ReadFile(file); err != nil || !bytes.Contains(b, []byte("Half of it")) || !bytes.Contains(b, []byte(`"stopReason":"aborted"`)) {
				t.Errorf("the partial answer is not in the file: %v", err)
			}
		})
	}
}

// Each command has one answer, whatever goes on, also while sessions are left and
// entered.
func TestRPCEverythingAtOnce(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := rpc(t, `{"args":["--model","offline/demo"]}`, fakellm.Options{})
		const n = 200
		for i := range n {
			c := object{"id": i, "message": "hello", "command": "echo x", "entryId": "x", "name": "a name", "sessionPath": "b.jsonl"}
			c["type"] = []string{"prompt", "prompt", "steer", "follow_up", "abort", "clear_queue", "get_state", "get_messages", "get_tree", "bash", "abort_bash",
				"new_session", "fork", "clone", "compact", "set_session_name", "get_session_stats", "abort_retry", "switch_session"}[r.IntN(19)]
			s.command(c)
		}
		for i := range n {
			s.await(object{"type": "response", "id": float64(i)})
		}
		s.end(0)
		if got := strings.Count("\n"+s.told(), "\nresponse "); got != n {
			t.Errorf("seed %d: %d answers to %d commands", seed, got, n)
		}
	}
}
