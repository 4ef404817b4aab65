package chat

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// read makes an answer of chunks, and says its steps.
func read(t *testing.T, info provider.Info, chunks ...string) (message.Message, string, error) {
	t.Helper()
	d := newDecoder(info, settingsOf(info))
	b := message.NewBuilder(message.Message{API: "openai-completions", Provider: "p", Model: "m"})
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
	for _, c := range chunks {
		deltas, done, err := d.Event(provider.Event{Data: []byte(c)})
		take(deltas)
		if err != nil {
			return b.Message(), strings.Join(steps, "|"), err
		}
		if done {
			break
		}
	}
	deltas, err := d.End(false)
	take(deltas)
	return b.Message(), strings.Join(steps, "|"), err
}

func delta(s string) string {
	return `{"id":"r1","model":"m","choices":[{"index":0,"delta":` + s + `}]}`
}

func finish(s string) string {
	return `{"id":"r1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + s + `"}]}`
}

func TestToolTurn(t *testing.T) {
	info := with(plain, func(i *provider.Info) { i.Cost = provider.Price{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 1.5} })
	got, steps, err := read(t, info, delta(`{"role":"assistant","content":""}`), delta(`{"content":"I will read "}`), delta(`{"content":"it."}`),
		delta(`{"tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"read","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"not"}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"es.txt\"}"}}]}`),
		finish("tool_calls"), `{"id":"r1","model":"m","choices":[],"usage":{"prompt_tokens":900,"completion_tokens":30,"total_tokens":930,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`, "[DONE]")
	if err != nil {
		t.Fatal(err)
	}
	if want := `text_start 0 |text_delta 0 I will read |text_delta 0 it.|toolcall_start 1 |toolcall_delta 1 |toolcall_delta 1 {"path":"not|toolcall_delta 1 es.txt"}|text_end 0 |toolcall_end 1 `; steps != want {
		t.Errorf("steps\n%s\nwant\n%s", steps, want)
	}
	// pi 1.6.0 writes this but for the times.
	want := `{"role":"assistant","content":[{"type":"text","text":"I will read it."},{"type":"toolCall","id":"c0","name":"read","arguments":{"path":"notes.txt"}}],"api":"openai-completions","provider":"p","model":"m","usage":{"input":900,"output":30,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":930,"cost":{"input":0.0009,"output":0.000059999999999999995,"cacheRead":0,"cacheWrite":0,"total":0.0009599999999999999,"totalFromProvider":false}},"stopReason":"toolUse","timestamp":0,"responseId":"r1","rawStopReason":"tool_calls"}`
	if s := string(got.JSON()); s != want {
		t.Errorf("message\n%s\nwant\n%s", s, want)
	}
}

func TestAnswers(t *testing.T) {
	const usage = `{"choices":[],"usage":`
	for _, tt := range []struct {
		name  string
		in    []string
		want  string // content
		check func(message.Message) bool
	}{
		{"thinking, then text", []string{delta(`{"reasoning_content":"hm","content":null}`), delta(`{"reasoning_content":"m"}`), delta(`{"content":"yes"}`), finish("stop")},
			`[{"type":"thinking","thinking":"hmm","thinkingSignature":"reasoning_content"},{"type":"text","text":"yes"}]`, nil},
		{"thinking in two fields counts once", []string{delta(`{"reasoning":"hm","reasoning_content":"hm"}`), delta(`{"reasoning_content":"m","reasoning":"m"}`), finish("stop")},
			`[{"type":"thinking","thinking":"hmm","thinkingSignature":"reasoning_content"}]`, nil},
		{"reasoning details are joined", []string{
			delta(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"signature":null}]}`),
			delta(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"signature":"s"}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"e","index":1}]}`), finish("stop")},
			`[{"type":"thinking","thinking":"ab","thinkingSignature":"[{\"type\":\"reasoning.text\",\"text\":\"ab\",\"index\":0,\"signature\":\"s\"},{\"type\":\"reasoning.encrypted\",\"data\":\"e\",\"index\":1}]"}]`, nil},
		{"reasoning in the details alone", []string{delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"a"}]}`), finish("stop")},
			`[{"type":"thinking","thinking":"a","thinkingSignature":"[{\"type\":\"reasoning.summary\",\"summary\":\"a\"}]"}]`, nil},
		{"two calls by turns", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":""}},{"index":1,"id":"b","function":{"name":"ls","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"{\"x\":1}"}}]}`), finish("tool_calls")},
			`[{"type":"toolCall","id":"a","name":"read","arguments":{"x":1}},{"type":"toolCall","id":"b","name":"ls","arguments":{}}]`, nil},
		{"calls that share an index", []string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}`), delta(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"ls","arguments":"{}"}}]}`), finish("stop")},
			`[{"type":"toolCall","id":"a","name":"read","arguments":{}},{"type":"toolCall","id":"b","name":"ls","arguments":{}}]`, func(m message.Message) bool { return m.StopReason == message.ToolUse }},
		{"calls without an index", []string{delta(`{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{"}}]}`), delta(`{"tool_calls":[{"function":{"arguments":"}"}}]}`), delta(`{"tool_calls":[{"id":"b","function":{"name":"ls"}}]}`), finish("tool_calls")},
			`[{"type":"toolCall","id":"a","name":"read","arguments":{}},{"type":"toolCall","id":"b","name":"ls","arguments":{}}]`, nil},
		{"a name that comes late, and arguments that are an object", []string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"x\""}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"name":"read","arguments":":2}"}}]}`), delta(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"ls","arguments":{"y": 3}}}]}`), finish("tool_calls")},
			`[{"type":"toolCall","id":"a","name":"read","arguments":{"x":2}},{"type":"toolCall","id":"b","name":"ls","arguments":{"y": 3}}]`, nil},
		{"a signature of Google's", []string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"QUJD"}}}]}`), finish("tool_calls")},
			`[{"type":"toolCall","id":"a","name":"read","arguments":{},"thoughtSignature":"QUJD"}]`, nil},
		{"arguments that are cut off", []string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"x\": \"n"}}]}`), finish("length")},
			"", func(m message.Message) bool {
				c := m.Content[0]
				return m.StopReason == message.Length && strings.Contains(c.ArgumentsError, `{"x": "n`) && string(c.Arguments) == "{}"
			}},
		{"big numbers and the order of keys stay", []string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"z\":12345678901234567890,\"a\":1.50}"}}]}`), finish("tool_calls")},
			`[{"type":"toolCall","id":"a","name":"read","arguments":{"z":12345678901234567890,"a":1.50}}]`, nil},
		{"nothing at all", []string{delta(`{"role":"assistant","content":""}`), finish("stop")}, `[]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"a refusal", []string{delta(`{"refusal":"I will not."}`), finish("stop")}, `[{"type":"text","text":"I will not."}]`, nil},
		{"a filter", []string{delta(`{"content":"No."}`), finish("content_filter")}, `[{"type":"text","text":"No."}]`,
			func(m message.Message) bool {
				return m.StopReason == message.Failed && m.RawStopReason == "content_filter" && m.ErrorMessage == "the provider ended the answer: content_filter"
			}},
		{"no reason, but an end", []string{delta(`{"content":"a"}`), "[DONE]"}, `[{"type":"text","text":"a"}]`, func(m message.Message) bool { return m.StopReason == message.Stop && m.RawStopReason == "" }},
		{"parts of Mistral's", []string{delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}`), finish("stop")},
			`[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"}]`, nil},
		{"another choice is passed over", []string{`{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`}, `[{"type":"text","text":"a"}]`, nil},
		{"another model answers", []string{`{"id":"x","model":"m-2","choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`}, `[{"type":"text","text":"a"}]`,
			func(m message.Message) bool { return m.ResponseModel == "m-2" && m.ResponseID == "x" }},
		{"unknown fields and chunks", []string{`[]`, `5`, `{"object":"ping"}`, `{"choices":null}`, `{"choices":[null,{"delta":null}]}`, "", delta(`{"content":"a","hologram":{}}`), finish("stop")}, `[{"type":"text","text":"a"}]`, nil},
		{"cached tokens are not input", []string{delta(`{"content":"a"}`), finish("stop"), usage + `{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":3}}}`}, "",
			func(m message.Message) bool {
				u := m.Usage
				return u.Input == 30 && u.CacheRead == 60 && u.CacheWrite == 10 && u.Output == 7 && *u.Reasoning == 3 && u.TotalTokens == 107
			}},
		{"DeepSeek's cache", []string{finish("stop"), usage + `{"prompt_tokens":100,"completion_tokens":7,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}`}, "",
			func(m message.Message) bool { return m.Usage.Input == 36 && m.Usage.CacheRead == 64 }},
		{"xAI's reasoning", []string{finish("stop"), usage + `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":35,"completion_tokens_details":{"reasoning_tokens":20}}}`}, "",
			func(m message.Message) bool { return m.Usage.Output == 25 && m.Usage.TotalTokens == 35 }},
		{"OpenRouter's bill", []string{finish("stop"), usage + `{"prompt_tokens":10,"completion_tokens":5,"cost":0.25,"is_byok":true,"cost_details":{"upstream_inference_cost":1}}}`}, "",
			func(m message.Message) bool { return m.Usage.Cost.Total == 1.25 && *m.Usage.Cost.FromProvider }},
		{"Moonshot's and Groq's usage", []string{`{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":10,"completion_tokens":5}}]}`, `{"x_groq":{"usage":{"prompt_tokens":11,"completion_tokens":5}}}`}, "",
			func(m message.Message) bool { return m.Usage.Input == 11 }},
		{"nonsense in the usage", []string{finish("stop"), usage + `{"prompt_tokens":-5,"completion_tokens":"x","prompt_tokens_details":7,"total_tokens":1e400}}`}, "",
			func(m message.Message) bool { return m.Usage.Input == 0 && m.Usage.Output == 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := read(t, plain, tt.in...)
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
		{"ends early", []string{delta(`{"content":"a"}`)}, provider.Transient, "stream ended early"},
		{"an error in the stream", []string{delta(`{"content":"a"}`), `{"error":{"message":"The engine is overloaded.","type":"server_error","code":"overloaded"}}`}, provider.Transient, "The engine is overloaded."},
		{"an error beside a reason", []string{`{"choices":[{"delta":{},"finish_reason":"error"}],"error":{"code":502,"message":"Upstream"}}`}, provider.Transient, "Upstream"},
		{"too long", []string{`{"error":{"message":"x","code":"context_length_exceeded"}}`}, provider.Overflow, "x"},
		{"a line that cannot be read", []string{delta(`{"content":"a"}`), `{"choices":[{"del`}, provider.Transient, "unreadable"},
		{"the network of the server", []string{finish("network_error")}, provider.Transient, "network_error"},
	} {
		_, _, err := read(t, plain, tt.in...)
		if provider.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %s, %v", tt.name, provider.KindOf(err), err)
		}
	}
	if _, _, err := read(t, with(plain, func(i *provider.Info) { i.Compat = compat("supportsFinishReason", false) }), delta(`{"content":"a"}`)); err != nil {
		t.Errorf("a server without reasons: %v", err)
	}
}

func TestServerThatDoesNotStream(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"id":"r1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a","reasoning":"hm","tool_calls":[{"id":"c","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`)
	}))
	defer s.Close()
	b := message.NewBuilder(message.Message{})
	for d, err := range New(provider.Endpoint{Info: with(plain, func(i *provider.Info) { i.BaseURL = s.URL })}).Stream(context.Background(), provider.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Add(d)
	}
	m := b.Message()
	if got := string(message.EncodeContent(m.Content)); got != `[{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning"},{"type":"text","text":"a"},{"type":"toolCall","id":"c","name":"ls","arguments":{}}]` || m.StopReason != message.ToolUse {
		t.Errorf("%s, %s", got, m.StopReason)
	}
}

// A connection that breaks behind the last word does no harm, before it does.
func TestCutConnection(t *testing.T) {
	for _, tt := range []struct {
		name  string
		say   string
		whole bool
	}{
		{"behind the reason", "data: " + delta(`{"content":"a"}`) + "\n\ndata: " + finish("stop") + "\n\n", true},
		{"before the reason", "data: " + delta(`{"content":"a"}`) + "\n\n", false},
		{"in an event", "data: " + delta(`{"content":"a"}`) + "\n\ndata: {\"choices\":", false},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, tt.say)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}))
		b := message.NewBuilder(message.Message{})
		var failed error
		for d, err := range New(provider.Endpoint{Info: with(plain, func(i *provider.Info) { i.BaseURL = s.URL })}).Stream(t.Context(), provider.Request{}) {
			if failed = err; err == nil {
				b.Add(d)
			}
		}
		s.Close()
		m := b.Message()
		if m.Text("") != "a" || (failed == nil) != tt.whole || (m.StopReason == message.Stop) != tt.whole || !tt.whole && provider.KindOf(failed) != provider.Transient {
			t.Errorf("%s: %v after %s", tt.name, failed, m.JSON())
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(delta(`{"content":"a"}`)), []byte(finish("stop")))
	f.Add([]byte(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":{}}},{}]}`)), []byte(`{"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(delta(`{"reasoning_details":[{"type":"reasoning.text","text":"a"},5]}`)), []byte("[DONE]"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := newDecoder(plain, settingsOf(plain))
		builder := message.NewBuilder(message.Message{})
		take := func(deltas []message.Delta) {
			for _, delta := range deltas {
				if _, ok := builder.Add(delta); !ok {
					t.Fatalf("the builder does not take %+v", delta)
				}
			}
		}
		for _, c := range [][]byte{a, b, a} {
			deltas, _, err := d.Event(provider.Event{Data: c})
			take(deltas)
			if err != nil {
				return
			}
		}
		deltas, _ := d.End(false)
		take(deltas)
	})
}
