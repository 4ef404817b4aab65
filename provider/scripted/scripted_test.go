package scripted

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

func parse(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func user(s string) message.Message {
	return message.Message{Role: message.User, Content: []message.Block{message.Text(s)}}
}

// ask asks a model and returns the answer, the kinds and texts of its deltas,
// and the error.
func ask(ctx context.Context, m provider.Model, msgs ...message.Message) (message.Message, []string, error) {
	b := message.NewBuilder(message.Message{})
	var steps []string
	for d, err := range m.Stream(ctx, provider.Request{Messages: msgs}) {
		if err != nil {
			return b.Message(), steps, err
		}
		steps = append(steps, strings.TrimSpace(string(d.Kind)+" "+d.Text))
		if _, ok := b.Add(d); !ok {
			return b.Message(), steps, errors.New("the builder does not take " + string(d.Kind))
		}
	}
	return b.Message(), steps, nil
}

func TestAnswerComesInPieces(t *testing.T) {
	info := Info("one")
	info.Cost = provider.Price{Input: 3, Output: 15, CacheRead: 0.3}
	m := New(info, parse(t, `[{"reply":{"thinking":"Hm.","text":"Reading it.","chunk":8,
		"toolCalls":[{"name":"read","args":{"path":"a"}},{"name":"read","rawArgs":"{broken"}],
		"usage":{"input":1000000,"output":100000,"cacheRead":1000000,"reasoning":7}}}]`))
	got, steps, err := ask(t.Context(), m, user("read a"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"thinking_start", "thinking_delta Hm.", "thinking_end",
		"text_start", "text_delta Reading", "text_delta it.", "text_end",
		"toolcall_start", `toolcall_delta {"path":`, `toolcall_delta "a"}`, "toolcall_end",
		"toolcall_start", "toolcall_delta {broken", "toolcall_end",
		"info",
	}
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	calls := got.ToolCalls()
	if len(calls) != 2 || calls[0].ID != "call_fake_1_0" || string(calls[0].Arguments) != `{"path":"a"}` || calls[0].ArgumentsError != "" {
		t.Errorf("calls %+v", calls)
	}
	if calls[1].ID != "call_fake_1_1" || calls[1].ArgumentsError == "" {
		t.Errorf("broken arguments pass for good ones: %+v", calls[1])
	}
	if got.StopReason != message.ToolUse || got.ResponseID != "scripted-1" || got.ResponseModel != "" {
		t.Errorf("stop %q, response %q by %q", got.StopReason, got.ResponseID, got.ResponseModel)
	}
	u := got.Usage
	if u.TotalTokens != 2100000 || u.Reasoning == nil || *u.Reasoning != 7 || u.Cost.Total != 3+1.5+0.3 {
		t.Errorf("usage %+v", u)
	}
}

func TestRulesSeeTheRequest(t *testing.T) {
	sys := message.Message{Role: message.System, Content: []message.Block{message.Text("Be brief.")},
		ToolsAdded: []message.ToolSpec{{Name: "read", Parameters: []byte(`{"type":"object","properties":{"file":{}}}`)}}}
	asked := message.Message{Role: message.Assistant, Content: []message.Block{message.ToolCall("c1", "read", []byte(`{"file":"x"}`))}}
	result := message.Message{Role: message.ToolResult, ToolCallID: "c1", ToolName: "read", IsError: true, Content: []message.Block{message.Text("no such file")}}
	rules := `[{"name":"a","when":{"system":"brief","tools":["read"],"user":"(\\w+)$","turn":0,"api":"chat","model":"^one$","stream":true},"reply":{"text":"first {{1}}"}},
		{"when":{"toolResult":"no (\\w+)","toolName":"read","toolError":true,"turn":1,"lastRole":"tool"},"reply":{"text":"no {{t1}} {{n}}","model":"other"}}]`
	m := New(Info("one"), parse(t, rules))
	for _, tt := range []struct {
		msgs []message.Message
		want string
	}{
		{[]message.Message{sys, user("go on")}, "first on"},
		{[]message.Message{sys, user("go on"), asked, result}, "no such 2"},
		{[]message.Message{user("hello")}, "Echo: hello"},
	} {
		got, _, err := ask(t.Context(), m, tt.msgs...)
		if err != nil || got.Text("") != tt.want {
			t.Errorf("answer %q, %v; want %q", got.Text(""), err, tt.want)
		}
		if by := got.ResponseModel; (by == "other") != (tt.want == "no such 2") {
			t.Errorf("%q says it is by %q", tt.want, by)
		}
	}
	got, _, _ := ask(t.Context(), New(Info("one"), script.Empty()), sys, user("read notes"))
	if calls := got.ToolCalls(); len(calls) != 1 || string(calls[0].Arguments) != `{"file":"notes"}` {
		t.Errorf("built-in call %+v", calls)
	}
}

func TestAPI(t *testing.T) {
	for api, want := range map[string]string{
		"openai-completions": "call_fake_1_0", "openai-responses": "call_fake_1_0", "anthropic-messages": "toolu_fake_1_0", "scripted": "call_fake_1_0",
	} {
		info := Info("one")
		info.API = api
		got, _, err := ask(t.Context(), New(info, parse(t, `[{"reply":{"thinking":"Hm.","toolCalls":[{"name":"x"}]}}]`)), user("go"))
		if err != nil || got.ToolCalls()[0].ID != want {
			t.Errorf("%s: %+v, %v", api, got.Content, err)
		}
		if signed := got.Content[0].Signature != ""; signed != (api == "anthropic-messages") {
			t.Errorf("%s: thinking signed with %q", api, got.Content[0].Signature)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		reply  string
		kind   provider.Kind
		status int
		text   string // said before it
	}{
		{`{"error":"rate-limit"}`, provider.Transient, 429, ""},
		{`{"error":"quota"}`, provider.Rejected, 429, ""},
		{`{"error":"server"}`, provider.Transient, 500, ""},
		{`{"error":"bad-gateway"}`, provider.Transient, 502, ""},
		{`{"error":"unavailable"}`, provider.Transient, 503, ""},
		{`{"error":"overloaded"}`, provider.Transient, 503, ""},
		{`{"error":"overflow"}`, provider.Overflow, 400, ""},
		{`{"error":"too-large"}`, provider.Overflow, 413, ""},
		{`{"error":"bad-request"}`, provider.Rejected, 400, ""},
		{`{"error":"auth"}`, provider.Auth, 401, ""},
		{`{"error":"forbidden"}`, provider.Auth, 403, ""},
		{`{"error":"not-found"}`, provider.Rejected, 404, ""},
		{`{"error":"timeout"}`, provider.Transient, 408, ""},
		{`{"error":"reset"}`, provider.Transient, 0, ""},
		{`{"error":{"kind":"server","status":418}}`, provider.Rejected, 418, ""},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"reset"}]}`, provider.Transient, 0, "ab"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":"end","do":"end"}]}`, provider.Transient, 0, "abcd"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"malformed"}]}`, provider.Transient, 0, "ab"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"error","kind":"overloaded"}]}`, provider.Transient, 0, "ab"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"error","kind":"overflow"}]}`, provider.Overflow, 0, "ab"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"error","type":"invalid_request_error"}]}`, provider.Rejected, 0, "ab"},
		{`{"text":"abcd","chunk":2,"at":[{"chunk":0,"do":"error"}]}`, provider.Transient, 0, ""},
	} {
		got, _, err := ask(t.Context(), New(Info("one"), parse(t, `[{"reply":`+tt.reply+`}]`)), user("go"))
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Kind != tt.kind || e.Status != tt.status || e.Message == "" {
			t.Errorf("%s: error %#v, want %s with status %d", tt.reply, err, tt.kind, tt.status)
		}
		if got.Text("") != tt.text {
			t.Errorf("%s: said %q before, want %q", tt.reply, got.Text(""), tt.text)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	m := New(Info("one"), parse(t, `[{"reply":{"error":{"kind":"rate-limit","retryAfter":1.5}}}]`))
	_, _, err := ask(t.Context(), m, user("go"))
	if e, ok := errors.AsType[*provider.Error](err); !ok || e.RetryAfter != 1500*time.Millisecond {
		t.Errorf("error %#v", err)
	}
}

func TestErrorsReadAsBehindACodec(t *testing.T) {
	for _, tt := range []struct{ reply, api, want string }{
		{`{"error":"bad-request"}`, "openai-completions", `400: {"message":"The fake model dislikes this request.","type":"invalid_request_error","param":null,"code":"invalid_value"}`},
		{`{"error":"bad-gateway"}`, "openai-completions", `502: 502 Bad Gateway`},
		{`{"text":"x","at":[{"chunk":0,"do":"error","kind":"overloaded"}]}`, "anthropic-messages", `Overloaded`},
	} {
		info := Info("one")
		info.API = tt.api
		_, _, err := ask(t.Context(), New(info, parse(t, `[{"reply":`+tt.reply+`}]`)), user("go"))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %s", tt.reply, err, tt.want)
		}
	}
}

func TestConversationIsRepaired(t *testing.T) {
	failed := message.Message{Role: message.Assistant, StopReason: message.Aborted, Content: []message.Block{message.Text("half")}}
	open := message.Message{Role: message.Assistant, Content: []message.Block{message.ToolCall("c1", "read", nil)}}
	m := New(Info("one"), parse(t, `[{"when":{"turn":0,"userTurns":2,"messages":4,"any":"`+provider.NoResult+`"},"reply":{"text":"fine"}}]`))
	got, _, err := ask(t.Context(), m, user("a"), open, user("b"), failed)
	if err != nil || got.Text("") != "fine" {
		t.Errorf("answer %q, %v", got.Text(""), err)
	}
}

func TestStopReasons(t *testing.T) {
	for _, tt := range []struct {
		stop string
		want message.StopReason
	}{
		{"stop", message.Stop}, {"end_turn", message.Stop}, {"toolUse", message.ToolUse}, {"length", message.Length}, {"content_filter", message.Failed},
	} {
		got, _, err := ask(t.Context(), New(Info("one"), parse(t, `[{"reply":{"text":"x","stop":"`+tt.stop+`"}}]`)), user("go"))
		if err != nil || got.StopReason != tt.want || got.RawStopReason != tt.stop || (got.ErrorMessage != "") != (tt.want == message.Failed) {
			t.Errorf("%s: %q, %q, %q, %v", tt.stop, got.StopReason, got.RawStopReason, got.ErrorMessage, err)
		}
	}
}

func TestHoldUntilReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, `[{"reply":{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"hold","name":"go"}]}}]`)
		done := make(chan string)
		go func() {
			got, _, err := ask(t.Context(), New(Info("one"), s), user("go"))
			if err != nil {
				t.Error(err)
			}
			done <- got.Text("")
		}()
		if err := s.AwaitHold(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		if h := s.Holds(); len(h) != 1 || h[0] != (script.Hold{Name: "go", Request: 1}) {
			t.Errorf("holds %+v", h)
		}
		s.Release("go")
		if got := <-done; got != "abcd" {
			t.Errorf("answer %q", got)
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	for _, reply := range []string{
		`{"error":"hang"}`,
		`{"text":"abcd","firstDelayMs":5000}`,
		`{"text":"abcd","delayMs":5000}`,
		`{"text":"abcd","endDelayMs":5000}`,
		`{"text":"abcd","at":[{"chunk":0,"do":"hold"}]}`,
		`{"text":"abcd","at":[{"chunk":0,"do":"pause","ms":5000}]}`,
		`{"text":"abcd","at":[{"chunk":"end","do":"hang"}]}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := parse(t, `[{"reply":`+reply+`}]`)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			if _, _, err := ask(ctx, New(Info("one"), s), user("go")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: error %v", reply, err)
			}
			if d := time.Since(start); d != time.Second || len(s.Holds()) != 0 {
				t.Errorf("%s: ended after %v with holds %v", reply, d, s.Holds())
			}
		})
	}
}

func TestHangIsTold(t *testing.T) {
	s := parse(t, `[{"reply":{"text":"abcd","chunk":2,"at":[{"chunk":1,"do":"hang"}]}}]`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if err := s.AwaitHang(t.Context()); err != nil {
			t.Error(err)
		}
		cancel()
	}()
	got, _, err := ask(ctx, New(Info("one"), s), user("go"))
	if !errors.Is(err, context.Canceled) || got.Text("") != "ab" {
		t.Errorf("said %q, %v", got.Text(""), err)
	}
}

func TestBreakingOffTheRange(t *testing.T) {
	m := New(Info("one"), parse(t, `[{"reply":{"text":"abcd","chunk":1}}]`))
	for range m.Stream(t.Context(), provider.Request{Messages: []message.Message{user("go")}}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, steps, err := ask(ctx, m, user("go")); !errors.Is(err, context.Canceled) || len(steps) != 0 {
		t.Errorf("with an ended context: %q, %v", steps, err)
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "replies.json")
	if _, err := Load(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(file, []byte(`[{"reply":{"text":"Hi."}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := ask(t.Context(), New(Info("one"), s), user("go")); err != nil || got.Text("") != "Hi." {
		t.Errorf("answer %q, %v", got.Text(""), err)
	}
	if err := os.WriteFile(file, []byte(`[{}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "replies.json: rule 0: no reply") {
		t.Errorf("bad script: %v", err)
	}
}
