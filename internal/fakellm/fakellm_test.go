package fakellm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/script"
)

// everything is a script that uses every kind of block.
const everything = `{"defaults":{"chunk":6},"rules":[{"reply":{"thinking":"Let me see.","text":"It is 😀 & <b>.",
	"toolCalls":[{"name":"read","args":{"path":"a.txt","2":[1.50]}},{"name":"ls","id":"own"}],
	"usage":{"input":100,"output":20,"cacheRead":30,"cacheWrite":40,"reasoning":5},"model":"other"}}]}`

func post(t *testing.T, s *Server, api, body string) (int, string) {
	t.Helper()
	g := fetch(t.Context(), t, "POST", s.URL+paths[api], body, nil, nil)
	return g.status, g.body
}

func ask(api string, stream bool, prompt string) string {
	return bodyOf(api, stream, "", []string{"read"}, []turn{{role: "user", text: prompt}})
}

// The files are what fake-llm.mjs said; a test below holds both together.
func TestTranscripts(t *testing.T) {
	s := Start(t, Options{Script: MustParse(everything)})
	for _, api := range []string{"chat", "responses", "anthropic"} {
		for file, stream := range map[string]bool{api + ".sse": true, api + ".json": false} {
			s.Reset()
			status, body := post(t, s, api, ask(api, stream, "go"))
			want, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			if status != 200 || body != string(want) {
				t.Errorf("%s: status %d\n%s\nwant\n%s", file, status, body, want)
			}
		}
	}
}

// Google's words are not the reference's, which does not know them. pi's client
// reads them.
func TestGoogle(t *testing.T) {
	s := Start(t, Options{Script: MustParse(everything)})
	ask := `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"read","parametersJsonSchema":{"type":"object"}}]}],"contents":[{"role":"user","parts":[{"text":"go"}]}]}`
	for file, method := range map[string]string{"google.sse": "streamGenerateContent?alt=sse", "google.json": "generateContent"} {
		s.Reset()
		g := fetch(t.Context(), t, "POST", s.URL+"/v1beta/models/a%2Fb:"+method, ask, nil, nil)
		golden.Equal(t, file, g.body)
		if r := s.Requests(); g.status != 200 || len(r) != 1 || len(r[0].Violations) > 0 || r[0].Model != "a/b" || r[0].Stream != strings.HasPrefix(method, "s") || r[0].API != script.Google {
			t.Errorf("%s: status %d, %+v", file, g.status, r)
		}
	}
}

func TestGoogleConversations(t *testing.T) {
	const (
		user   = `{"role":"user","parts":[{"text":"go"}]}`
		call   = `{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I look."},{"functionCall":{"name":"read","args":{"a":1}}},{"functionCall":{"name":"ls"}},{"functionCall":{"name":"read","args":{}}}]}`
		answer = `{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one"}}},{"functionResponse":{"name":"ls","response":{"error":"two"}}},{"functionResponse":{"name":"read","response":{"output":"three"}}}]}`
	)
	items := conversation(script.Google, "", []byte(`{"contents":[`+user+`,`+call+`,`+answer+`]}`)).Items
	var got []string
	for _, it := range items {
		for _, c := range it.Calls {
			got = append(got, c.ID+" "+c.Name+" "+string(c.Args))
		}
		got = append(got, strings.TrimSpace(fmt.Sprint(it.Role, " ", it.Text, " ", it.CallID)), fmt.Sprint(it.IsError))
	}
	if want := `user go|false|call_1_2 read {"a":1}|call_1_3 ls |call_1_4 read {}|assistant I look.|false|tool one call_1_2|false|tool two call_1_3|true|tool three call_1_4|false`; strings.Join(got, "|") != want {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	s := Start(t, Options{Strict: true, Script: MustParse(`[{"reply":{"text":"fine"}}]`)})
	for contents, want := range map[string]string{
		user:                             "",
		user + "," + call + "," + answer: "",
		"":                               "the conversation is empty",
		call + "," + answer:              "the model's turn must follow the user's",
		user + "," + call:                "the last content is the model's",
		user + "," + call + "," + user:   "without a result",
		user + "," + answer:              "answers no open tool call",
		user + `,{"role":"model","parts":[]},` + user:                                 "no parts",
		`{"role":"assistant","parts":[{"text":"a"}]}`:                                 "role assistant",
		user + "," + call + "," + strings.Replace(answer, `[`, `[{"text":"and"},`, 1): "beside other parts",
	} {
		s.Reset()
		g := fetch(t.Context(), t, "POST", s.URL+"/models/m:generateContent", `{"contents":[`+contents+`]}`, nil, nil)
		found := strings.Join(s.Requests()[0].Violations, "; ")
		if refused := g.status == 400 && strings.Contains(g.body, `"status":"INVALID_ARGUMENT"`); refused != (want != "") || !strings.Contains(found, want) || want == "" && found != "" {
			t.Errorf("%s: %d %s, found %q, want %q", contents, g.status, g.body, found, want)
		}
	}
}

func TestSameAsReferenceInTranscripts(t *testing.T) {
	t.Parallel()
	p := startPair(t, Options{})
	for _, api := range []string{"chat", "responses", "anthropic"} {
		for _, stream := range []bool{true, false} {
			p.play(t, everything)
			p.both(t, "POST", paths[api], ask(api, stream, "go"), nil)
		}
	}
}

func TestHoldGoesOnWhenReleased(t *testing.T) {
	s := Start(t, Options{Script: MustParse(`[{"reply":{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)})
	var wg sync.WaitGroup
	var body string
	wg.Go(func() { _, body = post(t, s, "chat", ask("chat", true, "x")) })
	if err := s.AwaitHold(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if got := fetch(t.Context(), t, "GET", s.URL+"/__fake/holds", "", nil, nil).body; got != `[{"name":"go","n":1}]` {
		t.Errorf("holds %s", got)
	}
	s.Release("go")
	wg.Wait()
	if !strings.Contains(body, `"content":"cd"`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("stream %s", body)
	}
}

func TestClientThatGoesAwayIsNoted(t *testing.T) {
	s := Start(t, Options{Script: MustParse(`[{"name":"slow","reply":{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/messages?x=1", strings.NewReader(ask("anthropic", true, "x")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "secret")
	req.Header.Set("X-Other", "seen")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := s.AwaitHold(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	cancel()
	r, err := s.Await(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Aborted || r.Pieces != 1 || r.Rule != "slow" || r.Path != "/v1/messages?x=1" || r.API != script.Anthropic || r.Model != "fake-1" || !r.Stream {
		t.Errorf("request %+v", r)
	}
	if r.Auth != "x-api-key" || r.Header.Get("X-Api-Key") != "" || r.Header.Get("X-Other") != "seen" || string(r.Body) != ask("anthropic", true, "x") {
		t.Errorf("auth %q, header %v, body %s", r.Auth, r.Header, r.Body)
	}
	if len(s.script.Holds()) != 0 {
		t.Error("the hold is still there")
	}
}

func TestConnectionsBreak(t *testing.T) {
	s := Start(t, Options{})
	for _, tt := range []struct{ reply, status, err, tail string }{
		{`{"error":"reset"}`, "reset", "broken", ""},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"pause","ms":20},{"chunk":1,"do":"reset"}]}`, "reset", "broken", `"text":"ab"}}` + "\n\n"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"end"}]}`, "truncated", "", `"text":"ab"}}` + "\n\n"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"malformed","data":"{oops"},{"chunk":1,"do":"end"}]}`, "truncated", "", "\n\ndata: {oops\n\n"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"error","kind":"overloaded"}]}`, "stream-error", "", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"},
	} {
		s.Reset()
		s.SetScript(MustParse(`[{"reply":` + tt.reply + `}]`))
		g := fetch(t.Context(), t, "POST", s.URL+paths["anthropic"], ask("anthropic", true, "x"), nil, nil)
		if g.err != tt.err || !strings.HasSuffix(g.body, tt.tail) {
			t.Errorf("%s: %q, %s", tt.reply, g.err, g.body)
		}
		if r, err := s.Await(t.Context(), 1); err != nil || r.Status != tt.status || r.Aborted {
			t.Errorf("%s: noted as %+v, %v", tt.reply, r, err)
		}
	}
}

func TestOddStreams(t *testing.T) {
	s := Start(t, Options{Chunk: 3, Delay: time.Millisecond, Script: MustParse(`[{"reply":{"text":"é😀abc","wire":{"crlf":true,"splitBytes":5,"comments":true}}}]`)})
	_, body := post(t, s, "anthropic", ask("anthropic", true, "x"))
	events := strings.Split(strings.TrimSuffix(body, "\r\n\r\n"), "\r\n\r\n")
	for _, e := range events {
		if !strings.HasPrefix(e, ": keep-alive\r\nevent: ") || strings.Count(e, "\n") != 2 {
			t.Errorf("event %q", e)
		}
	}
	if len(events) != 8 || !strings.HasSuffix(events[3], `"text":"é😀a"}}`) {
		t.Errorf("%d events, %q", len(events), events)
	}
}

func TestStrict(t *testing.T) {
	for _, strict := range []bool{true, false} {
		s := Start(t, Options{Strict: strict, Script: MustParse(`[{"times":1,"reply":{"text":"fine"}}]`)})
		status, body := post(t, s, "anthropic", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
		if refused := status == 400; refused != strict {
			t.Errorf("strict %v: status %d, %s", strict, status, body)
		}
		if r := s.Requests(); len(r) != 1 || !reflect.DeepEqual(r[0].Violations, []string{"max_tokens is required"}) || (r[0].Rule == "strict") != strict {
			t.Errorf("strict %v: requests %+v", strict, r)
		}
	}
}

func TestLog(t *testing.T) {
	var log bytes.Buffer
	s := Start(t, Options{Log: &log, Models: []string{"m"}})
	post(t, s, "responses", "{\n \"model\": \"m\", \"input\": \"hi\" }")
	if _, err := s.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	all := fetch(t.Context(), t, "GET", s.URL+"/__fake/requests", "", nil, nil).body
	s.Close() // the log is ours now
	lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
	if len(lines) != 2 || !json.Valid(lines[0]) || !json.Valid(lines[1]) || !json.Valid([]byte(all)) {
		t.Fatalf("log %s, requests %s", log.Bytes(), all)
	}
	if got := string(at(lines[0], "body")); got != `{"model":"m","input":"hi"}` {
		t.Errorf("body %s", got)
	}
	if got := string(at(lines[1], "status")); got != "200" {
		t.Errorf("status %s", got)
	}
}

func TestCloseBreaksOff(t *testing.T) {
	s := Start(t, Options{})
	done := make(chan got)
	go func() {
		done <- fetch(t.Context(), t, "POST", s.URL+paths["chat"], ask("chat", true, "fail hang"), nil, nil)
	}()
	if err := s.AwaitHang(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if g := <-done; g.err == "" {
		t.Errorf("the client got %+v", g)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Await(ctx, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a request that never was: %v", err)
	}
}

func TestListenTellsOfATakenPort(t *testing.T) {
	s := Start(t, Options{})
	if err := New(Options{}).Listen(s.Port); err == nil {
		t.Error("two servers on one port")
	}
}

func FuzzRequest(f *testing.F) {
	for _, api := range []string{"chat", "responses", "anthropic"} {
		for _, turns := range conversations("read a.txt") {
			f.Add(api, []byte(bodyOf(api, true, "Be brief.", []string{"read"}, turns)))
		}
	}
	f.Add("google", []byte(`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"x"}},{"functionCall":7},null]},{"parts":[{"functionResponse":{"name":"x","response":5}}]},5]}`))
	f.Add("chat", []byte(`{"model":null,"messages":[{"role":"user","content":["\ud800",{"text":5}]},5],"tools":[{"function":null}]}`))
	s := New(Options{})
	f.Fuzz(func(t *testing.T, api string, body []byte) {
		path, ok := paths[api]
		if api == "google" {
			path, ok = "/models/m:streamGenerateContent", true
		}
		if !ok || bytes.Contains(body, []byte("fail")) || bytes.Contains(body, []byte("long")) {
			return // some of these never end
		}
		w := &recorder{header: http.Header{}}
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1"+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		s.ServeHTTP(w, r)
		s.Reset()
		if w.status == 0 || w.Len() == 0 {
			t.Errorf("no answer to %s", body)
		}
		if w.header.Get("Content-Type") == "application/json" && !json.Valid(w.Bytes()) {
			t.Errorf("answer %s", w.Bytes())
		}
	})
}

// recorder keeps an answer.
type recorder struct {
	bytes.Buffer
	header http.Header
	status int
}

var _ io.Writer = (*recorder)(nil)

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }
