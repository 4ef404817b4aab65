package google

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// read makes an answer of events, and says its steps.
func read(t *testing.T, info provider.Info, events ...string) (message.Message, string, error) {
	t.Helper()
	d := &decoder{info: info}
	b := message.NewBuilder(message.Message{API: "google-generative-ai", Provider: "p", Model: "m"})
	var steps []string
	take := func(deltas []message.Delta) {
		for _, delta := range deltas {
			if _, ok := b.Add(delta); !ok {
				t.Fatalf("the builder does not take %+v", delta)
			}
			if delta.Kind != message.Info {
				steps = append(steps, fmt.Sprintf("%s %d %s", delta.Kind, delta.Index, delta.Text))
			}
		}
	}
	for _, e := range events {
		name, data, ok := strings.Cut(e, " ")
		if !ok || name != provider.Whole {
			name, data = "", e
		}
		deltas, done, err := d.Event(provider.Event{Name: name, Data: []byte(data)})
		take(deltas)
		if err != nil || done {
			return b.Message(), strings.Join(steps, "|"), err
		}
	}
	deltas, err := d.End(false)
	take(deltas)
	return b.Message(), strings.Join(steps, "|"), err
}

func parts(p ...string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + strings.Join(p, ",") + `]},"index":0}],"modelVersion":"gemini-2.5-flash","responseId":"r1"}`
}

func finish(reason string, p ...string) string {
	return strings.Replace(parts(p...), `"index":0}]`, `"finishReason":"`+reason+`","index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30,"candidatesTokenCount":7,"thoughtsTokenCount":5,"totalTokenCount":112}`, 1)
}

func text(s string) string { return `{"text":"` + s + `"}` }

func TestToolTurn(t *testing.T) {
	info := with(flash, func(i *provider.Info) { i.Cost = provider.Price{Input: 3, Output: 15, CacheRead: 0.3} })
	got, steps, err := read(t, info,
		parts(`{"text":"h","thought":true}`), parts(`{"text":"m","thought":true,"thoughtSignature":"QUFB"}`), parts(`{"text":"","thought":true,"thoughtSignature":""}`),
		parts(text("I "), `{"text":"look.","thoughtSignature":"QkJC"}`), parts(`{"text":""}`),
		parts(`{"functionCall":{"name":"read","args":{"a":12345678901234567890}},"thoughtSignature":"Q0ND"}`, `{"functionCall":{"name":"read","args":{"a":12345678901234567890}}}`),
		parts(`{"functionCall":{"id":"own","name":"ls"}}`), finish("STOP", `{"text":"","thoughtSignature":"RERE"}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `thinking_start 0 |thinking_delta 0 h|thinking_delta 0 m|thinking_end 0 |text_start 1 |text_delta 1 I |text_delta 1 look.|text_end 1 ` +
		`|toolcall_start 2 |toolcall_delta 2 {"a":12345678901234567890}|toolcall_end 2 |toolcall_start 3 |toolcall_delta 3 {"a":12345678901234567890}|toolcall_end 3 ` +
		`|toolcall_start 4 |toolcall_delta 4 {}|toolcall_end 4 |text_start 5 |text_end 5 `; steps != want {
		t.Errorf("steps\n%s\nwant\n%s", steps, want)
	}
	want := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"QUFB"},{"type":"text","text":"I look.","textSignature":"QkJC"},` +
		`{"type":"toolCall","id":"call_fe762073","name":"read","arguments":{"a":12345678901234567890},"thoughtSignature":"Q0ND"},{"type":"toolCall","id":"call_f89b381c","name":"read","arguments":{"a":12345678901234567890}},` +
		`{"type":"toolCall","id":"own","name":"ls","arguments":{}},{"type":"text","text":"","textSignature":"RERE"}],"api":"google-generative-ai","provider":"p","model":"m",` +
		`"usage":{"input":70,"output":12,"cacheRead":30,"cacheWrite":0,"reasoning":5,"totalTokens":112,"cost":{"input":0.00021,"output":0.00018,"cacheRead":0.000009,"cacheWrite":0,"total":0.00039900000000000005,"totalFromProvider":false}},` +
		`"stopReason":"toolUse","timestamp":0,"responseId":"r1","rawStopReason":"STOP"}`
	if s := string(got.JSON()); s != want {
		t.Errorf("message\n%s\nwant\n%s", s, want)
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    []string
		want  string // content
		check func(message.Message) bool
	}{
		{"nothing at all", []string{finish("STOP")}, `[]`, func(m message.Message) bool { return m.StopReason == message.Stop && m.Usage.Output == 12 }},
		{"too long", []string{parts(text("a")), finish("MAX_TOKENS")}, `[{"type":"text","text":"a"}]`, func(m message.Message) bool { return m.StopReason == message.Length }},
		{"a reason in every event", []string{finish("STOP", text("a")), finish("STOP", text("b"))}, `[{"type":"text","text":"ab"}]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"the last event comes twice", []string{parts(text("a")), finish("STOP", text("b")), finish("STOP", text("b"))}, `[{"type":"text","text":"ab"}]`, nil},
		{"the same words twice, each as if they were the last", []string{`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`, `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`}, `[{"type":"text","text":"aa"}]`, nil},
		{"the same words twice", []string{parts(text("a")), parts(text("a")), finish("STOP")}, `[{"type":"text","text":"aa"}]`, nil},
		{"the same call twice", []string{parts(`{"functionCall":{"id":"i","name":"x","args":{}}}`), parts(`{"functionCall":{"id":"i","name":"x","args":{}}}`), finish("STOP")}, `[{"type":"toolCall","id":"i","name":"x","arguments":{}}]`, nil},
		{"one id for two calls", []string{parts(`{"functionCall":{"id":"i","name":"x","args":{}}}`, `{"functionCall":{"id":"i","name":"y","args":{}}}`), finish("STOP")},
			`[{"type":"toolCall","id":"i","name":"x","arguments":{}},{"type":"toolCall","id":"call_244647f5","name":"y","arguments":{}}]`, nil},
		{"thoughts between words", []string{parts(text("a"), `{"text":"b","thought":true}`, text("c")), finish("STOP")}, `[{"type":"text","text":"a"},{"type":"thinking","thinking":"b"},{"type":"text","text":"c"}]`, nil},
		{"a signature alone before the words", []string{parts(`{"thoughtSignature":"QUFB"}`), parts(text("a")), finish("STOP")}, `[{"type":"text","text":"a","textSignature":"QUFB"}]`, nil},
		{"safety", []string{parts(text("a")), finish("SAFETY")}, `[{"type":"text","text":"a"}]`, func(m message.Message) bool {
			return m.StopReason == message.Failed && m.RawStopReason == "SAFETY" && m.ErrorMessage == "the provider ended the answer: SAFETY"
		}},
		{"recitation, with words to it", []string{`{"candidates":[{"finishReason":"RECITATION","finishMessage":"It is a poem."}]}`}, `[]`, func(m message.Message) bool {
			return m.StopReason == message.Failed && m.ErrorMessage == "the provider ended the answer: RECITATION (It is a poem.)"
		}},
		{"a blocked prompt", []string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"No."},"usageMetadata":{"promptTokenCount":9}}`}, `[]`, func(m message.Message) bool {
			return m.StopReason == message.Failed && m.RawStopReason == "PROHIBITED_CONTENT" && m.ErrorMessage == "the provider refuses the request: PROHIBITED_CONTENT (No.)" && m.Usage.Input == 9
		}},
		{"a reason of tomorrow", []string{finish("TIRED")}, `[]`, func(m message.Message) bool {
			return m.StopReason == message.Failed && strings.HasSuffix(m.ErrorMessage, "TIRED")
		}},
		{"another model answers", []string{strings.ReplaceAll(finish("STOP"), `"gemini-2.5-flash"`, `"models/gemini-2.5-flash-09"`)}, `[]`, func(m message.Message) bool { return m.ResponseModel == "gemini-2.5-flash-09" }},
		{"usage in parts", []string{`{"usageMetadata":{"promptTokenCount":10}}`, `{"usageMetadata":{"candidatesTokenCount":2}}`, `{"usageMetadata":{"thoughtsTokenCount":3}}`, `{"candidates":[{"finishReason":"STOP"}]}`}, `[]`,
			func(m message.Message) bool {
				return m.Usage.Input == 10 && m.Usage.Output == 5 && *m.Usage.Reasoning == 3 && m.Usage.TotalTokens == 15
			}},
		{"tools of the provider's own", []string{`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":4,"cachedContentTokenCount":20}}`}, `[]`, func(m message.Message) bool { return m.Usage.Input == 4 && m.Usage.CacheRead == 20 }},
		{"all events as a list", []string{provider.Whole + ` [` + parts(text("a")) + "," + finish("STOP", text("b")) + `]`}, `[{"type":"text","text":"ab"}]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"the answer as one document", []string{provider.Whole + ` ` + finish("STOP", text("b"))}, `[{"type":"text","text":"b"}]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"parts of other kinds, and second thoughts", []string{parts(`{"executableCode":{"code":"x"}}`, `{"inlineData":{"data":"AAAA"},"thoughtSignature":"QUFB"}`, `7`, `null`, `{}`), `{"candidates":[{"index":1,"content":{"parts":[{"text":"no"}]},"finishReason":"SAFETY"}]}`, finish("STOP")}, `[]`,
			func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"arguments that are no object", []string{parts(`{"functionCall":{"name":"x","args":"{\"a"}}`, `{"functionCall":{}}`), finish("STOP")}, ``, func(m message.Message) bool {
			c := m.ToolCalls()
			return len(c) == 2 && c[0].ArgumentsError != "" && string(c[0].Args()) == "{}" && c[1].Name == "unknown" && c[1].ArgumentsError == ""
		}},
		{"nonsense", []string{`[]`, `7`, `"x"`, `{"candidates":{"a":1}}`, `{"candidates":[{"content":{"parts":{"text":"x"}},"finishReason":7}]}`, `{"usageMetadata":{"promptTokenCount":1e400,"candidatesTokenCount":-1}}`, "", "[DONE]", finish("STOP")}, `[]`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := read(t, flash, tt.in...)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(message.EncodeContent(m.Content)); tt.want != "" && got != tt.want {
				t.Errorf("content\n%s\nwant\n%s", got, tt.want)
			}
			if tt.check != nil && !tt.check(m) {
				t.Errorf("message %s", m.JSON())
			}
		})
	}
}

func TestBrokenAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		kind provider.Kind
		text string
	}{
		{"ends early", []string{parts(text("a"))}, provider.Transient, "stream ended early"},
		{"nothing comes", nil, provider.Transient, "stream ended early"},
		{"overloaded", []string{parts(text("a")), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`}, provider.Transient, "The model is overloaded."},
		{"too many requests", []string{`{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`}, provider.Transient, "quota"},
		{"too long", []string{`{"error":{"code":400,"message":"The input token count (2) exceeds the maximum number of tokens allowed (1).","status":"INVALID_ARGUMENT"}}`}, provider.Overflow, "token count"},
		{"an error in a list", []string{provider.Whole + ` [` + parts(text("a")) + `,{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}]`}, provider.Auth, "no"},
		{"a call that slipped", []string{parts(text("a")), finish("MALFORMED_FUNCTION_CALL")}, provider.Transient, "MALFORMED_FUNCTION_CALL"},
		{"a line that cannot be read", []string{parts(text("a")), `{"broken":`}, provider.Transient, "unreadable"},
	} {
		m, _, err := read(t, flash, tt.in...)
		if provider.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %s, %v", tt.name, provider.KindOf(err), err)
		}
		if len(tt.in) == 2 && (m.Text("") != "a" || m.ResponseID != "r1") {
			t.Errorf("%s: what was known is lost: %s", tt.name, m.JSON())
		}
		if e, ok := err.(*provider.Error); ok && strings.Contains(tt.name, "many") && e.RetryAfter != 34500*time.Millisecond {
			t.Errorf("%s: come again after %v", tt.name, e.RetryAfter)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(parts(text("a"), `{"text":"b","thought":true,"thoughtSignature":"QUFB"}`)), []byte(parts(`{"functionCall":{"name":"x","args":{"a":1}}}`)), []byte(finish("STOP")))
	f.Add([]byte(`[`+finish("SAFETY")+`]`), []byte(`{"promptFeedback":{"blockReason":"x"}}`), []byte(`{"error":{"code":429}}`))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		d := &decoder{info: flash}
		builder := message.NewBuilder(message.Message{})
		take := func(deltas []message.Delta) {
			for _, delta := range deltas {
				if _, ok := builder.Add(delta); !ok {
					t.Fatalf("the builder does not take %+v", delta)
				}
			}
		}
		for i, e := range [][]byte{a, b, c, b} {
			name := ""
			if i == 2 {
				name = provider.Whole
			}
			deltas, _, err := d.Event(provider.Event{Name: name, Data: e})
			take(deltas)
			if err != nil {
				return
			}
		}
		deltas, _ := d.End(false)
		take(deltas)
		seen := map[string]bool{}
		for _, c := range builder.Message().ToolCalls() {
			if c.ID == "" || seen[c.ID] || c.Name == "" {
				t.Fatalf("call %s", c.JSON())
			}
			seen[c.ID] = true
		}
	})
}
