package bedrock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// read makes an answer of events, "name data" each, and says its steps.
func read(t *testing.T, info provider.Info, events ...string) (message.Message, string, error) {
	t.Helper()
	d := &decoder{info: info}
	b := message.NewBuilder(message.Message{API: "bedrock-converse-stream", Provider: "p", Model: "m"})
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
		name, data, _ := strings.Cut(e, " ")
		deltas, _, err := d.Event(provider.Event{Name: name, Data: []byte(data)})
		take(deltas)
		if err != nil {
			return b.Message(), strings.Join(steps, "|"), err
		}
	}
	deltas, err := d.End(false)
	take(deltas)
	return b.Message(), strings.Join(steps, "|"), err
}

const begin = `messageStart {"role":"assistant","p":"ab"}`

func delta(i int, v string) string {
	return fmt.Sprintf(`contentBlockDelta {"contentBlockIndex":%d,"delta":%s,"p":"x"}`, i, v)
}
func closed(i int) string { return fmt.Sprintf(`contentBlockStop {"contentBlockIndex":%d}`, i) }
func started(i int, id, name string) string {
	return fmt.Sprintf(`contentBlockStart {"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":"%s","name":"%s"}}}`, i, id, name)
}
func stop(reason string) string { return `messageStop {"stopReason":"` + reason + `"}` }

func TestToolTurn(t *testing.T) {
	info := claude
	info.Cost = provider.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	got, steps, err := read(t, info, head+" r-1", begin,
		delta(0, `{"reasoningContent":{"text":"h"}}`), delta(0, `{"reasoningContent":{"text":"m"}}`), delta(0, `{"reasoningContent":{"signature":"c2"}}`), delta(0, `{"reasoningContent":{"signature":"ln"}}`), closed(0),
		delta(1, `{"reasoningContent":{"redactedContent":"AQI="}}`), delta(1, `{"reasoningContent":{"redactedContent":"Aw=="}}`), closed(1),
		delta(2, `{"text":"I "}`), delta(2, `{"text":"look."}`), delta(2, `{"citation":{}}`), closed(2),
		started(3, "t1", "read"), delta(3, `{"toolUse":{"input":""}}`), delta(3, `{"toolUse":{"input":"{\"a\":1"}}`), delta(3, `{"toolUse":{"input":"}"}}`), closed(3),
		started(4, "t2", "ls"), closed(4), `tomorrow {"x":1}`,
		stop("tool_use"), `metadata {"usage":{"inputTokens":900,"outputTokens":30,"totalTokens":960,"cacheReadInputTokens":20,"cacheWriteInputTokens":10,"cacheDetails":[{"ttl":"1h","inputTokens":4},{"ttl":"5m","inputTokens":6}]},"metrics":{"latencyMs":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `thinking_start 0 |thinking_delta 0 h|thinking_delta 0 m|thinking_end 0 |thinking_start 1 |thinking_delta 1 [The provider keeps this part of the thinking to itself.]|thinking_end 1 |text_start 2 |text_delta 2 I |text_delta 2 look.|text_end 2 |toolcall_start 3 |toolcall_delta 3 |toolcall_delta 3 {"a":1|toolcall_delta 3 }|toolcall_end 3 |toolcall_start 4 |toolcall_end 4 `; steps != want {
		t.Errorf("steps\n%s\nwant\n%s", steps, want)
	}
	want := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"thinking","thinking":"[The provider keeps this part of the thinking to itself.]","thinkingSignature":"AQID","redacted":true},{"type":"text","text":"I look."},{"type":"toolCall","id":"t1","name":"read","arguments":{"a":1}},{"type":"toolCall","id":"t2","name":"ls","arguments":{}}],"api":"bedrock-converse-stream","provider":"p","model":"m","usage":{"input":900,"output":30,"cacheRead":20,"cacheWrite":10,"cacheWrite1h":4,"totalTokens":960,"cost":{"input":0.0027,"output":0.00045,"cacheRead":0.000006,"cacheWrite":0.000037500000000000003,"total":0.0031935,"totalFromProvider":false}},"stopReason":"toolUse","timestamp":0,"responseId":"r-1","rawStopReason":"tool_use"}`
	if s := string(got.JSON()); s != want {
		t.Errorf("message\n%s\nwant\n%s", s, want)
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     []string
		want   string // content
		reason message.StopReason
		fail   provider.Kind
	}{
		{"nothing at all", []string{begin, stop("end_turn")}, `[]`, message.Stop, ""},
		{"a block that is not ended", []string{begin, delta(0, `{"text":"a"}`), stop("max_tokens")}, `[{"type":"text","text":"a"}]`, message.Length, ""},
		{"the window is full", []string{begin, delta(0, `{"text":"a"}`), stop("model_context_window_exceeded")}, `[{"type":"text","text":"a"}]`, message.Length, ""},
		{"a call, but another reason", []string{begin, started(0, "a", "b"), stop("end_turn")}, `[{"type":"toolCall","id":"a","name":"b","arguments":{}}]`, message.ToolUse, ""},
		{"a reason without calls", []string{begin, delta(0, `{"text":"a"}`), stop("tool_use")}, `[{"type":"text","text":"a"}]`, message.Stop, ""},
		{"a guardrail", []string{begin, delta(0, `{"text":"no"}`), stop("guardrail_intervened")}, `[{"type":"text","text":"no"}]`, message.Failed, ""},
		{"a filter", []string{begin, stop("content_filtered")}, `[]`, message.Failed, ""},
		{"a reason of tomorrow", []string{begin, stop("bored")}, `[]`, message.Failed, ""},
		{"what Bedrock could not read", []string{begin, stop("malformed_tool_use")}, "", "", provider.Transient},
		{"no end", []string{begin, delta(0, `{"text":"a"}`), closed(0)}, "", "", provider.Transient},
		{"one index for two blocks", []string{begin, delta(0, `{"reasoningContent":{"text":"hm"}}`), delta(0, `{"text":"a"}`), started(0, "c", "d"), delta(0, `{"toolUse":{"input":"{}"}}`), stop("tool_use")},
			`[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"toolCall","id":"c","name":"d","arguments":{}}]`, message.ToolUse, ""},
		{"no index", []string{begin, `contentBlockDelta {"delta":{"text":"a"}}`, `contentBlockStop {}`, `contentBlockDelta {"delta":{"text":"b"}}`, stop("end_turn")}, `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, message.Stop, ""},
		{"arguments of no call", []string{begin, delta(0, `{"toolUse":{"input":"{}"}}`), delta(1, `{"toolUse":7}`), delta(2, `{"reasoningContent":{}}`), delta(3, `7`), stop("end_turn")}, `[]`, message.Stop, ""},
		{"not JSON", []string{begin, `contentBlockDelta {"delta"`}, "", "", provider.Transient},
		{"a router", []string{begin, stop("end_turn"), `metadata {"trace":{"promptRouter":{"invokedModelId":"arn:x"}}}`}, `[]`, message.Stop, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := read(t, claude, tt.in...)
			if provider.KindOf(err) != tt.fail {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				return
			}
			if got := string(message.Value(m.JSON())); !strings.Contains(got, `"content":`+tt.want+`,`) || m.StopReason != tt.reason || (m.ErrorMessage != "") != (tt.reason == message.Failed) {
				t.Errorf("%s", got)
			}
			if tt.name == "a router" && m.ResponseModel != "arn:x" {
				t.Errorf("by %q", m.ResponseModel)
			}
		})
	}
}

// Whatever events come, what is made of them is what a builder takes.
func FuzzDecoder(f *testing.F) {
	f.Add(strings.Join([]string{begin, delta(0, `{"reasoningContent":{"text":"h"}}`), delta(0, `{"reasoningContent":{"redactedContent":"AQI="}}`), closed(0), delta(1, `{"text":"a"}`), started(1, "t", "n"), delta(1, `{"toolUse":{"input":"{"}}`), stop("tool_use"), `metadata {"usage":{"inputTokens":1e99,"outputTokens":-1}}`}, "\n"))
	f.Add("contentBlockDelta {\"delta\":{\"text\":\"\\ud800\"}}\ncontentBlockStop {\"contentBlockIndex\":-5}\n" + head + " x\nmessageStop {\"stopReason\":7}")
	f.Fuzz(func(t *testing.T, events string) {
		m, _, err := read(t, claude, strings.Split(events, "\n")...)
		if err == nil && m.StopReason == "" {
			t.Fatalf("no stop reason: %s", m.JSON())
		}
	})
}
