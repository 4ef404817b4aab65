package fakellm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

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
	f.Add("chat", []byte(`{"model":null,"messages":[{"role":"user","content":["\ud800",{"text":5}]},5],"tools":[{"function":null}]}`))
	s := New(Options{})
	f.Fuzz(func(t *testing.T, api string, body []byte) {
		path, ok := paths[api]
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
