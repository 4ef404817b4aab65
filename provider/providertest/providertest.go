// Package providertest is the test that every codec of a model API must pass,
// and tells what a real server would refuse about a request.
//
//	func TestModel(t *testing.T) {
//		providertest.Run(t, func(base string) provider.Model {
//			return New(provider.Endpoint{Info: provider.Info{…, BaseURL: base}, Key: …})
//		})
//	}
//
// The models talk to a server that plays scripts (internal/fakellm) and that
// refuses what is not right.
package providertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Key is the API key that the models are to use. It must be in no error.
const Key = "sk-providertest-secret"

// Run tests the model that New makes for the URL of a server. The model must have
// an output limit of 1024 tokens or more, take images, reason, and cost $1 for a
// million tokens of input and $2 of output.
func Run(t *testing.T, New func(base string) provider.Model) {
	for _, test := range []struct {
		name string
		run  func(*suite)
	}{
		{"an answer comes in pieces that add up", pieces},
		{"usage and cost", usage},
		{"a turn with tools goes there and back", tools},
		{"thinking comes back as it was", thinking},
		{"images of the user and of tools are sent", images},
		{"the prompt and its changes are sent", prompt},
		{"an answer ends for a reason", reasons},
		{"arguments that are no JSON are kept", badArguments},
		{"failures have a kind", failures},
		{"broken streams keep what came before", broken},
		{"odd but legal streams", odd},
		{"an abort ends a silent answer", abort},
		{"who stops listening hangs up", hangUp},
		{"a model answers several at once", several},
		{"any session can be sent", sessions},
		{"a conversation that has grown is sent as if it were new", growing},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(&suite{T: t, make: New}) })
	}
}

type suite struct {
	*testing.T
	make func(base string) provider.Model

	server *fakellm.Server
	model  provider.Model
}

// play starts a server with a script.
func (s *suite) play(rules string) {
	s.Helper()
	s.server = fakellm.Start(s.T, fakellm.Options{Script: fakellm.MustParse(rules), Strict: true, Chunk: 7})
	s.model = s.make(s.server.URL)
}

// check is the strict check of requests of the model's API.
func (s *suite) check(body []byte) []string {
	switch s.model.Info().API {
	case "anthropic-messages":
		return CheckAnthropic(body)
	case "openai-responses", "azure-openai-responses":
		return CheckResponses(body)
	case "google-generative-ai", "google-vertex":
		return CheckGoogle(body)
	case "bedrock-converse-stream":
		return CheckBedrock(body)
	case "mistral-conversations":
		return CheckMistral(body)
	}
	return CheckChat(body)
}

// ask asks the model and checks the request, the steps of the answer and the
// error.
func (s *suite) ask(ctx context.Context, req provider.Request) (message.Message, error) {
	s.Helper()
	return s.askAnd(ctx, req, func(message.Delta) {})
}

// askAnd is ask that tells of each delta as it comes.
func (s *suite) askAnd(ctx context.Context, req provider.Request, said func(message.Delta)) (message.Message, error) {
	s.Helper()
	n := len(s.server.Requests())
	var f follower
	info := s.model.Info()
	b := message.NewBuilder(message.Message{API: info.API, Provider: info.Provider, Model: info.ID, StopReason: message.Pending})
	var failed error
	for d, err := range s.model.Stream(ctx, req) {
		if failed != nil {
			s.Fatalf("there is more behind the error %v", failed)
		}
		if failed = err; err != nil {
			continue
		}
		f.step(s, d)
		if _, ok := b.Add(d); !ok {
			s.Fatalf("the builder does not take %+v", d)
		}
		said(d)
	}
	if failed == nil {
		f.end(s)
	} else if e, ok := errors.AsType[*provider.Error](failed); ok {
		if strings.Contains(e.Error(), Key) || e.Message == "" {
			s.Errorf("error %q", e)
		}
	} else if failed != ctx.Err() {
		s.Errorf("error %v is neither the context's nor a provider's", failed)
	}
	for _, r := range s.server.Requests()[n:] {
		if bad := append(s.check(r.Body), r.Violations...); len(bad) > 0 {
			s.Errorf("a server would refuse this request: %s\n%s", strings.Join(bad, "\n"), r.Body)
		}
	}
	return b.Message(), failed
}

// must asks a model that has to answer.
func (s *suite) must(msgs ...message.Message) message.Message {
	s.Helper()
	m, err := s.ask(s.Context(), provider.Request{Messages: msgs, Thinking: "high", SessionID: "s-1"})
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// sent returns the body of the last request.
func (s *suite) sent() string {
	all := s.server.Requests()
	return string(all[len(all)-1].Body)
}

func user(text string) message.Message {
	return message.Message{Role: message.User, Content: []message.Block{message.Text(text)}}
}

func system(text string) message.Message {
	return message.Message{Role: message.System, Content: []message.Block{message.Text(text)}, IsText: true,
		ToolsAdded: []message.ToolSpec{{Name: "read", Description: "Reads a file.", Parameters: message.Value(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}}
}

func pieces(s *suite) {
	s.play(`[{"when":{"user":"^say"},"reply":{"text":"A sentence in several pieces, with é and 😀."}},{"reply":{"content":[]}}]`)
	if m := s.must(user("say it")); m.Text("") != "A sentence in several pieces, with é and 😀." || m.StopReason != message.Stop || m.ResponseID == "" || m.ResponseModel != "" {
		s.Errorf("answer %s", m.JSON())
	}
	if m := s.must(user("nothing")); len(m.Content) != 0 || m.StopReason != message.Stop {
		s.Errorf("answer %s", m.JSON())
	}
}

func usage(s *suite) {
	s.play(`[{"reply":{"text":"x","model":"another","usage":{"input":1000000,"output":500000,"cacheRead":30,"cacheWrite":20,"reasoning":0}}}]`)
	m := s.must(user("hi"))
	u := m.Usage
	input, written := int64(1000000), int64(20)
	if strings.HasPrefix(s.model.Info().API, "google-") { // it does not tell what it writes
		input, written = 1000020, 0
	}
	if u.Input != input || u.Output != 500000 || u.CacheRead != 30 || u.CacheWrite != written || u.TotalTokens != 1500050 || math.Abs(u.Cost.Input-1) > 1e-4 || u.Cost.Output != 1 || u.Cost.FromProvider == nil || *u.Cost.FromProvider {
		s.Errorf("usage %s", u.JSON())
	}
	if m.ResponseModel != "another" {
		s.Errorf("the answer is by %q", m.ResponseModel)
	}
}

func tools(s *suite) {
	s.play(`[{"when":{"user":"^read","turn":0,"system":"brief","tools":["read"]},"reply":{"text":"I read.","toolCalls":[{"name":"read","rawArgs":"{\"path\":\"a b\",\"n\":12345678901234567890}"},{"name":"read","args":{}}]}},
		{"when":{"toolResult":"^(\\w+)","toolName":"^read$"},"reply":{"text":"It says {{t1}}."}}]`)
	talk := []message.Message{system("Be brief."), user("read it")}
	m := s.must(talk...)
	calls := m.ToolCalls()
	if m.StopReason != message.ToolUse || len(calls) != 2 || string(calls[0].Arguments) != `{"path":"a b","n":12345678901234567890}` || calls[0].ID == calls[1].ID || calls[0].ID == "" {
		s.Fatalf("answer %s", m.JSON())
	}
	talk = append(talk, m)
	for _, c := range calls {
		talk = append(talk, message.TextOutput("first line").Result(c, 1, nil))
	}
	if got := s.must(talk...).Text(""); got != "It says first." {
		s.Errorf("answer %q", got)
	}
	if !strings.Contains(s.sent(), "12345678901234567890") {
		s.Errorf("the number was rounded: %s", s.sent())
	}
	// The same without the results, as after a jump in the tree.
	if got := s.must(append(talk[:3:3], user("and?"))...).Text(""); got != "Echo: and?" {
		s.Errorf("answer %q", got)
	}
}

func thinking(s *suite) {
	s.play(`[{"when":{"user":"^think","turn":0},"reply":{"thinking":"Let me see.","text":"Yes."}}]`)
	m := s.must(user("think"))
	if len(m.Content) != 2 || m.Content[0].Type != message.ThinkingBlock || m.Content[0].Text != "Let me see." {
		s.Fatalf("answer %s", m.JSON())
	}
	proof := m.Content[0].Signature
	if s.model.Info().API == "mistral-conversations" { // has none
		proof = m.Content[0].Text
	}
	s.must(user("think"), m, user("go on"))
	if proof == "" || !strings.Contains(s.sent(), proof) {
		s.Errorf("the signature %q is not in %s", proof, s.sent())
	}
	foreign := m
	foreign.Model = "another"
	s.must(user("think"), foreign, user("go on"))
	if strings.Contains(s.sent(), "Let me see.") || !strings.Contains(s.sent(), "Yes.") {
		s.Errorf("the thinking of another model is in %s", s.sent())
	}
}

func images(s *suite) {
	s.play(`[{"when":{"user":"look","turn":0},"reply":{"toolCalls":[{"name":"read","args":{}}]}}]`)
	ask := message.Message{Role: message.User, Content: []message.Block{message.Text("look"), message.Image([]byte("user's"), "image/png")}}
	m := s.must(ask)
	shown := message.Output{Content: []message.Block{message.Text("seen"), message.Image([]byte("tool's"), "image/jpeg")}}
	failed := shown
	failed.IsError = true
	for _, out := range []message.Output{shown, failed} {
		s.must(ask, m, out.Result(m.ToolCalls()[0], 1, nil))
		for _, b := range []message.Block{ask.Content[1], shown.Content[1]} {
			if !strings.Contains(s.sent(), b.Data) || !strings.Contains(s.sent(), strings.TrimPrefix(b.MimeType, "image/")) {
				s.Errorf("image %s is not in %s", b.Data, s.sent())
			}
		}
	}
}

func prompt(s *suite) {
	s.play(`[{"when":{"system":"brief[\\s\\S]*and kind","tools":["read","ls"]},"reply":{"text":"right"}},{"reply":{"text":"wrong"}}]`)
	later := system("And kind.")
	later.Content = []message.Block{message.Text("Be and kind.")}
	later.ToolsAdded[0].Name = "ls"
	if got := s.must(system("Be brief."), user("hi"), later, user("hi")).Text(""); got != "right" {
		s.Errorf("answer %q to %s", got, s.sent())
	}
}

func reasons(s *suite) {
	for _, tt := range []struct {
		stop string
		want message.StopReason
	}{{"stop", message.Stop}, {"length", message.Length}, {"content_filter", message.Failed}} {
		s.play(`[{"reply":{"text":"x","stop":"` + tt.stop + `"}}]`)
		m := s.must(user("hi"))
		if m.StopReason != tt.want || m.RawStopReason == "" || (m.ErrorMessage != "") != (tt.want == message.Failed) || m.Text("") != "x" {
			s.Errorf("%s: %s", tt.stop, m.JSON())
		}
	}
}

func badArguments(s *suite) {
	s.play(`[{"when":{"turn":0},"reply":{"toolCalls":[{"name":"read","rawArgs":"{\"path\": \"no"}],"stop":"length"}}]`)
	m := s.must(user("hi"))
	c := m.ToolCalls()
	if len(c) != 1 || c[0].ArgumentsError == "" || string(c[0].Arguments) != "{}" || m.StopReason != message.Length {
		s.Fatalf("answer %s", m.JSON())
	}
	s.must(user("hi"), m, message.ErrorOutput("not run").Result(c[0], 1, nil))
}

func failures(s *suite) {
	for _, tt := range []struct {
		kind   string
		want   provider.Kind
		status bool
	}{
		{`"rate-limit"`, provider.Transient, true}, {`"quota"`, provider.Rejected, true}, {`"server"`, provider.Transient, true},
		{`"bad-gateway"`, provider.Transient, true}, {`"unavailable"`, provider.Transient, true}, {`"overloaded"`, provider.Transient, true},
		{`"overflow"`, provider.Overflow, true}, {`"too-large"`, provider.Overflow, true}, {`"bad-request"`, provider.Rejected, true},
		{`{"kind":"auth","message":"Wrong key: ` + Key + `"}`, provider.Auth, true}, {`"forbidden"`, provider.Auth, true}, {`"not-found"`, provider.Rejected, true},
		{`"timeout"`, provider.Transient, true}, {`"reset"`, provider.Transient, false}, {`{"kind":"rate-limit","retryAfter":7}`, provider.Transient, true},
	} {
		s.play(`[{"reply":{"error":` + tt.kind + `}}]`)
		m, err := s.ask(s.Context(), provider.Request{Messages: []message.Message{user("hi")}})
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Kind != tt.want || (e.Status != 0) != tt.status || len(m.Content) != 0 {
			s.Errorf("%s: %#v", tt.kind, err)
		}
		if ok && strings.Contains(tt.kind, "retryAfter") != (e.RetryAfter == 7*time.Second) {
			s.Errorf("%s: come again after %v", tt.kind, e.RetryAfter)
		}
	}
}

func broken(s *suite) {
	for _, tt := range []struct {
		do   string
		want provider.Kind
	}{
		{`"do":"reset"`, provider.Transient}, {`"do":"end"`, provider.Transient}, {`"do":"malformed"`, provider.Transient},
		{`"do":"error","kind":"overloaded"`, provider.Transient}, {`"do":"error","kind":"overflow"`, provider.Overflow}, {`"do":"error","kind":"bad-request"`, provider.Rejected},
	} {
		s.play(`[{"reply":{"text":"one two three","chunk":4,"at":[{"chunk":2,"do":"pause","ms":20},{"chunk":2,` + tt.do + `}]}}]`)
		m, err := s.ask(s.Context(), provider.Request{Messages: []message.Message{user("hi")}})
		if provider.KindOf(err) != tt.want || m.Text("") != "one two " || m.ResponseID == "" {
			s.Errorf("%s: %s %v after %s", tt.do, provider.KindOf(err), err, m.JSON())
		}
	}
}

func odd(s *suite) {
	for _, wire := range []string{`{"crlf":true}`, `{"splitBytes":5}`, `{"comments":true}`, `{"crlf":true,"splitBytes":3,"comments":true}`} {
		s.play(`[{"reply":{"thinking":"Hm 😀.","text":"Answer é.","toolCalls":[{"name":"read","args":{"path":"ü"}}],"wire":` + wire + `}}]`)
		m := s.must(user("hi"))
		if m.Text("") != "Answer é." || len(m.ToolCalls()) != 1 || string(m.ToolCalls()[0].Arguments) != `{"path":"ü"}` || m.Content[0].Text != "Hm 😀." {
			s.Errorf("%s: %s", wire, m.JSON())
		}
	}
}

// abort ends the context while the server says no more, which it would not do for
// ever: a model that waited for more would never come back.
func abort(s *suite) {
	for name, reply := range map[string]string{
		"before the answer": `{"error":"hang"}`,
		"in the answer":     `{"text":"one two","chunk":4,"at":[{"chunk":1,"do":"hang"}]}`,
	} {
		s.play(`[{"reply":` + reply + `}]`)
		ctx, cancel := context.WithCancel(s.Context())
		said := func(d message.Delta) {
			if d.Kind == message.TextDelta {
				cancel()
			}
		}
		if strings.HasPrefix(name, "before") {
			server := s.server
			go func() {
				_ = server.AwaitHang(ctx) // or until ctx ends, with the call
				cancel()
			}()
		}
		m, err := s.askAnd(ctx, provider.Request{Messages: []message.Message{user("hi")}}, said)
		cancel()
		if err != context.Canceled {
			s.Errorf("%s: %v", name, err)
		}
		if strings.HasPrefix(name, "in") && m.Text("") != "one " {
			s.Errorf("%s: %s", name, m.JSON())
		}
		s.over(1)
	}
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if _, err := s.ask(ctx, provider.Request{Messages: []message.Message{user("hi")}}); err != context.Canceled {
		s.Errorf("asked with a context that has ended: %v", err)
	}
}

// over waits until the server has seen that request n is over.
func (s *suite) over(n int) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 5*time.Second)
	defer cancel()
	if r, err := s.server.Await(ctx, n); err != nil || !r.Aborted {
		s.Errorf("the server has not seen the end of %d: %v", n, err)
	}
}

func hangUp(s *suite) {
	s.play(`[{"reply":{"text":"one two","chunk":4,"at":[{"chunk":1,"do":"hang"}]}}]`)
	for d, err := range s.model.Stream(s.Context(), provider.Request{Messages: []message.Message{user("hi")}}) {
		if err != nil || d.Kind == message.TextDelta {
			break
		}
	}
	s.over(1)
}

func several(s *suite) {
	s.play(`[]`)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			b := message.NewBuilder(message.Message{})
			for d, err := range s.model.Stream(s.Context(), provider.Request{Messages: []message.Message{user(fmt.Sprint("number ", i))}}) {
				if err != nil {
					s.Error(err)
					return
				}
				b.Add(d)
			}
			if got := b.Message(); got.Text("") != fmt.Sprint("Echo: number ", i) {
				s.Errorf("%d: %s", i, got.JSON())
			}
		})
	}
	all.Wait()
}

func sessions(s *suite) {
	s.play(`[{"reply":{"text":"x"}}]`)
	for seed := range uint64(25) {
		msgs := Conversation(rand.New(rand.NewPCG(seed, 7)), s.model.Info())
		if _, err := s.ask(s.Context(), provider.Request{Messages: append(msgs, user("end")), Thinking: "low"}); err != nil {
			s.Fatalf("seed %d: %v", seed, err)
		}
	}
}
