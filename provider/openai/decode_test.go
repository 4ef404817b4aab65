package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// read makes an answer of events, and says its steps.
func read(t *testing.T, d *decoder, events ...string) (message.Message, string, error) {
	t.Helper()
	b := message.NewBuilder(message.Message{API: "openai-responses", Provider: "p", Model: "m"})
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
		deltas, done, err := d.Event(provider.Event{Data: []byte(e)})
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

func event(typ string, at int, rest string) string {
	return fmt.Sprintf(`{"type":"response.%s","output_index":%d,%s}`, typ, at, rest)
}

func completed(output string) string {
	return `{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[` + output + `],"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":90,"cache_write_tokens":10},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":7}}}}`
}

const (
	created   = `{"type":"response.created","response":{"id":"resp_1","model":"m","status":"in_progress","usage":null}}`
	reasoned  = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}]}`
	encrypted = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"x"}`
	spoken    = `{"id":"msg_1","type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"I look."}]}`
	called    = `{"id":"fc_1","type":"function_call","call_id":"c1","name":"read","arguments":"{\"a\":1}","namespace":"files"}`
)

// turn has the events of a whole answer.
func turn(item string, last string) []string {
	return []string{created, `{"type":"response.in_progress","response":{"id":"resp_1","model":"m"}}`,
		event("output_item.added", 0, `"item":{"id":"rs_1","type":"reasoning","summary":[]}`), event("reasoning_summary_part.added", 0, `"summary_index":0`),
		event("reasoning_summary_text.delta", 0, `"delta":"a"`), event("reasoning_summary_part.added", 0, `"summary_index":1`), event("reasoning_summary_text.delta", 0, `"delta":"b"`),
		event("output_item.done", 0, `"item":`+item),
		event("output_item.added", 1, `"item":{"id":"msg_1","type":"message","content":[]}`), event("output_text.delta", 1, `"delta":"I look."`), event("output_text.done", 1, `"text":"I look."`), event("output_item.done", 1, `"item":`+spoken),
		event("output_item.added", 2, `"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read","arguments":""}`), event("function_call_arguments.delta", 2, `"delta":"{\"a\""`), event("function_call_arguments.delta", 2, `"delta":":1}"`),
		event("function_call_arguments.done", 2, `"arguments":"{\"a\":1}"`), event("output_item.done", 2, `"item":`+called), last}
}

func TestToolTurn(t *testing.T) {
	info := with(gpt, func(i *provider.Info) {
		i.Cost = provider.Price{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 1.5}
	})
	const before = `thinking_start 0 |thinking_delta 0 a|thinking_delta 0 ` + "\n\n" + `|thinking_delta 0 b|`
	const after = `text_start 1 |text_delta 1 I look.|text_end 1 |toolcall_start 2 |toolcall_delta 2 {"a"|toolcall_delta 2 :1}|toolcall_end 2 `
	for _, tt := range []struct {
		name, item, last, steps, sig string
		asked                        bool
	}{
		{"the secret comes with the item", encrypted, completed(""), before + "thinking_end 0 |" + after, encrypted, true},
		{"the secret comes last", reasoned, completed(encrypted), before + after + "|thinking_end 0 ", encrypted, true},
		{"no secret was asked for", reasoned, completed(reasoned), before + "thinking_end 0 |" + after, reasoned, false},
		{"no secret comes", reasoned, completed(""), before + after + "|thinking_end 0 ", reasoned, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, steps, err := read(t, &decoder{info: info, encrypted: tt.asked}, turn(tt.item, tt.last)...)
			if err != nil {
				t.Fatal(err)
			}
			if steps != tt.steps {
				t.Errorf("steps\n%s\nwant\n%s", steps, tt.steps)
			}
			want := `{"role":"assistant","content":[{"type":"thinking","thinking":"a\n\nb","thinkingSignature":` + string(rawjson.Quote(tt.sig)) + `},{"type":"text","text":"I look.","textSignature":"{\"v\":1,\"id\":\"msg_1\",\"phase\":\"final_answer\"}"},{"type":"toolCall","id":"c1|fc_1","name":"read","arguments":{"a":1},"namespace":"files"}],` +
				`"api":"openai-responses","provider":"p","model":"m","usage":{"input":900,"output":30,"cacheRead":90,"cacheWrite":10,"reasoning":7,"totalTokens":1030,"cost":{"input":0.0009,"output":0.000059999999999999995,"cacheRead":0.000044999999999999996,"cacheWrite":0.000015,"total":0.0010199999999999999,"totalFromProvider":false}},"stopReason":"toolUse","timestamp":0,"responseId":"resp_1","rawStopReason":"completed"}`
			if s := string(got.JSON()); s != want {
				t.Errorf("message\n%s\nwant\n%s", s, want)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    []string
		want  string // content
		check func(message.Message) bool
	}{
		{"nothing at all", []string{created, completed("")}, `[]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"items that come whole", []string{event("output_item.done", 0, `"item":`+spoken), event("output_item.done", 1, `"item":`+called), completed("")},
			`[{"type":"text","text":"I look.","textSignature":"{\"v\":1,\"id\":\"msg_1\",\"phase\":\"final_answer\"}"},{"type":"toolCall","id":"c1|fc_1","name":"read","arguments":{"a":1},"namespace":"files"}]`, nil},
		{"items told by their id", []string{`{"type":"response.output_item.added","item":{"id":"msg_9","type":"message"}}`, `{"type":"response.output_text.delta","item_id":"msg_9","delta":"a"}`, `{"type":"response.output_item.done","item":{"id":"msg_9","type":"message","content":[{"type":"output_text","text":"a"}]}}`, completed("")},
			`[{"type":"text","text":"a","textSignature":"{\"v\":1,\"id\":\"msg_9\"}"}]`, nil},
		{"an end that says more than the pieces", []string{event("output_item.added", 0, `"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read"}`), event("function_call_arguments.delta", 0, `"delta":"{"`), event("output_item.done", 0, `"item":`+called), completed("")},
			`[{"type":"toolCall","id":"c1|fc_1","name":"read","arguments":{"a":1},"namespace":"files"}]`, nil},
		{"items that are not ended", []string{event("output_item.added", 0, `"item":{"id":"msg_1","type":"message"}`), event("refusal.delta", 0, `"delta":"no"`), completed("")}, `[{"type":"text","text":"no"}]`, nil},
		{"arguments that are cut off", []string{event("output_item.added", 0, `"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read"}`), event("function_call_arguments.delta", 0, `"delta":"{\"a"`), event("output_item.done", 0, `"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read","arguments":"{\"a"}`),
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`}, "",
			func(m message.Message) bool {
				return m.StopReason == message.Length && m.RawStopReason == "incomplete.max_output_tokens" && m.Content[0].ArgumentsError != ""
			}},
		{"a filter", []string{`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`}, `[]`,
			func(m message.Message) bool {
				return m.StopReason == message.Failed && m.RawStopReason == "incomplete.content_filter" && m.ErrorMessage != ""
			}},
		{"raw reasoning", []string{event("output_item.added", 0, `"item":{"id":"rs","type":"reasoning"}`), event("reasoning_text.delta", 0, `"delta":"hm"`), event("output_item.done", 0, `"item":{"id":"rs","type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]}`), completed("")},
			`[{"type":"thinking","thinking":"hm","thinkingSignature":"{\"id\":\"rs\",\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":\"hm\"}]}"}]`, nil},
		{"another model answers", []string{strings.Replace(created, `"model":"m"`, `"model":"m-2025"`, 1), completed("")}, `[]`, func(m message.Message) bool { return m.ResponseModel == "m-2025" }},
		{"items that come twice", []string{created, created, event("output_item.added", 0, `"item":{"id":"msg_1","type":"message"}`), event("output_item.added", 0, `"item":{"id":"msg_1","type":"message"}`), event("output_item.done", 0, `"item":`+spoken), event("output_item.done", 0, `"item":`+spoken), event("output_text.delta", 0, `"delta":"x"`), completed("")},
			`[{"type":"text","text":"I look.","textSignature":"{\"v\":1,\"id\":\"msg_1\",\"phase\":\"final_answer\"}"}]`, nil},
		{"items and events of tomorrow", []string{`{"type":"response.hologram"}`, `[]`, "[DONE]", event("output_item.added", 0, `"item":{"type":"web_search_call","id":"ws"}`), event("output_text.delta", 0, `"delta":"x"`), event("output_item.done", 0, `"item":{"type":"web_search_call"}`), completed("")}, `[]`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := read(t, &decoder{info: gpt}, tt.in...)
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
	failed := func(code, text string) string {
		return `{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"` + code + `","message":"` + text + `"},"usage":{"input_tokens":5,"output_tokens":1}}}`
	}
	for _, tt := range []struct {
		name string
		in   []string
		kind provider.Kind
		text string
	}{
		{"ends early", []string{created}, provider.Transient, "stream ended early"},
		{"an error event", []string{created, `{"type":"error","code":"server_error","message":"The engine is overloaded.","param":null}`}, provider.Transient, "The engine is overloaded."},
		{"a failure", []string{created, failed("server_error", "It failed.")}, provider.Transient, "server_error: It failed."},
		{"too long", []string{created, failed("context_length_exceeded", "Too much.")}, provider.Overflow, "Too much."},
		{"an empty account", []string{created, failed("insufficient_quota", "No money.")}, provider.Rejected, "No money."},
		{"an invalid prompt", []string{created, failed("invalid_prompt", "No.")}, provider.Rejected, "No."},
		{"cancelled", []string{created, `{"type":"response.cancelled","response":{"status":"cancelled"}}`}, provider.Transient, "cancelled"},
		{"a line that cannot be read", []string{created, `{"broken":`}, provider.Transient, "unreadable"},
	} {
		m, _, err := read(t, &decoder{info: gpt}, tt.in...)
		if provider.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) || m.ResponseID != "resp_1" {
			t.Errorf("%s: %s, %v, %s", tt.name, provider.KindOf(err), err, m.JSON())
		}
		if tt.name == "a failure" && (m.Usage.Input != 5 || m.RawStopReason != "failed") {
			t.Errorf("what was known is lost: %s", m.JSON())
		}
	}
}

func FuzzDecode(f *testing.F) {
	all := turn(encrypted, completed(""))
	f.Add([]byte(all[2]), []byte(all[4]), []byte(all[7]))
	f.Add([]byte(all[12]), []byte(all[13]), []byte(all[16]))
	f.Add([]byte(created), []byte(event("output_item.done", 0, `"item":`+spoken)), []byte(completed(encrypted)))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		d := &decoder{info: gpt, encrypted: true}
		builder := message.NewBuilder(message.Message{})
		take := func(deltas []message.Delta) {
			for _, delta := range deltas {
				if _, ok := builder.Add(delta); !ok {
					t.Fatalf("the builder does not take %+v", delta)
				}
			}
		}
		for _, e := range [][]byte{a, b, c, b} {
			deltas, _, err := d.Event(provider.Event{Data: e})
			take(deltas)
			if err != nil {
				return
			}
		}
		deltas, _ := d.End(false)
		take(deltas)
	})
}
