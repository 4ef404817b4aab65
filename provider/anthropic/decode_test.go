package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// read makes an answer of events, and says its steps.
func read(t *testing.T, info provider.Info, events ...string) (message.Message, string, error) {
	t.Helper()
	d := &decoder{info: info}
	b := message.NewBuilder(message.Message{API: "anthropic-messages", Provider: "p", Model: "m"})
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

const (
	begin = `{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":900,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":1}}}`
	end   = `{"type":"message_stop"}`
)

func opened(i int, v string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, v)
}

func delta(i int, v string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, v)
}

func closed(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func stop(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":30}}`
}

func TestToolTurn(t *testing.T) {
	info := with(claude, func(i *provider.Info) {
		i.Cost = provider.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	})
	got, steps, err := read(t, info, begin, `{"type":"ping"}`,
		opened(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"hm"}`), delta(0, `{"type":"signature_delta","signature":"c2"}`), delta(0, `{"type":"signature_delta","signature":"ln"}`), closed(0),
		opened(1, `{"type":"redacted_thinking","data":"ZW5j"}`), closed(1),
		opened(2, `{"type":"text","text":""}`), delta(2, `{"type":"text_delta","text":"I look."}`), delta(2, `{"type":"citations_delta","citation":{}}`), closed(2),
		opened(3, `{"type":"tool_use","id":"t1","name":"read","input":{}}`), delta(3, `{"type":"input_json_delta","partial_json":""}`), delta(3, `{"type":"input_json_delta","partial_json":"{\"a\":1"}`), delta(3, `{"type":"input_json_delta","partial_json":"}"}`), closed(3),
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30,"input_tokens":null,"cache_creation":{"ephemeral_1h_input_tokens":4},"output_tokens_details":{"thinking_tokens":7}}}`, end)
	if err != nil {
		t.Fatal(err)
	}
	if want := `thinking_start 0 |thinking_delta 0 hm|thinking_end 0 |thinking_start 1 |thinking_delta 1 [The provider keeps this part of the thinking to itself.]|thinking_end 1 |text_start 2 |text_delta 2 I look.|text_end 2 |toolcall_start 3 |toolcall_delta 3 |toolcall_delta 3 {"a":1|toolcall_delta 3 }|toolcall_end 3 `; steps != want {
		t.Errorf("steps\n%s\nwant\n%s", steps, want)
	}
	want := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"thinking","thinking":"[The provider keeps this part of the thinking to itself.]","thinkingSignature":"ZW5j","redacted":true},{"type":"text","text":"I look."},{"type":"toolCall","id":"t1","name":"read","arguments":{"a":1}}],"api":"anthropic-messages","provider":"p","model":"m","usage":{"input":900,"output":30,"cacheRead":20,"cacheWrite":10,"cacheWrite1h":4,"reasoning":7,"totalTokens":960,"cost":{"input":0.0027,"output":0.00045,"cacheRead":0.000006,"cacheWrite":0.000037500000000000003,"total":0.0031935,"totalFromProvider":false}},"stopReason":"toolUse","timestamp":0,"responseId":"msg_1","rawStopReason":"tool_use"}`
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
		{"nothing at all", []string{begin, stop("end_turn"), end}, `[]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"blocks that are not ended", []string{begin, opened(0, `{"type":"text","text":"a"}`), stop("max_tokens"), end}, `[{"type":"text","text":"a"}]`, func(m message.Message) bool { return m.StopReason == message.Length }},
		{"no last event, but a reason", []string{begin, opened(0, `{"type":"text","text":"a"}`), closed(0), stop("end_turn")}, `[{"type":"text","text":"a"}]`, nil},
		{"input that comes at once", []string{begin, opened(0, `{"type":"tool_use","id":"t","name":"x","input":{"a": 1.0}}`), closed(0), stop("tool_use"), end}, `[{"type":"toolCall","id":"t","name":"x","arguments":{"a": 1.0}}]`, nil},
		{"input that is cut off", []string{begin, opened(0, `{"type":"tool_use","id":"t","name":"x","input":{}}`), delta(0, `{"type":"input_json_delta","partial_json":"{\"a"}`), closed(0), stop("max_tokens"), end}, "",
			func(m message.Message) bool {
				return m.Content[0].ArgumentsError != "" && m.StopReason == message.Length
			}},
		{"blocks, events and deltas of tomorrow", []string{begin, `{"type":"hologram"}`, opened(0, `{"type":"server_tool_use","id":"s"}`), delta(0, `{"type":"input_json_delta","partial_json":"x"}`), closed(0), opened(1, `{"type":"text","text":""}`), delta(1, `{"type":"hologram_delta","text":"x"}`), delta(1, `{"type":"text_delta","text":"a"}`), delta(7, `{"type":"text_delta","text":"b"}`), closed(1), stop("end_turn"), end}, `[{"type":"text","text":"a"}]`, nil},
		{"a refusal", []string{begin, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"policy"}}}`, end}, `[]`,
			func(m message.Message) bool {
				return m.StopReason == message.Failed && m.ErrorMessage == "the model refused to answer: policy" && m.RawStopReason == "refusal"
			}},
		{"a reason of tomorrow", []string{begin, stop("tired"), end}, `[]`, func(m message.Message) bool {
			return m.StopReason == message.Failed && strings.HasSuffix(m.ErrorMessage, "tired")
		}},
		{"a pause", []string{begin, stop("pause_turn"), end}, `[]`, func(m message.Message) bool { return m.StopReason == message.Stop }},
		{"another model answers", []string{strings.Replace(begin, `"model":"m"`, `"model":"n"`, 1), stop("end_turn"), end}, `[]`, func(m message.Message) bool { return m.ResponseModel == "n" }},
		{"all usage comes last", []string{`{"type":"message_start","message":{"id":"x","model":"m"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":3}}`, end}, `[]`,
			func(m message.Message) bool { return m.Usage.Input == 5 && m.Usage.TotalTokens == 10 }},
		{"events that come twice", []string{begin, begin, opened(0, `{"type":"text","text":""}`), opened(0, `{"type":"text","text":""}`), delta(0, `{"type":"text_delta","text":"a"}`), closed(0), closed(0), delta(0, `{"type":"text_delta","text":"b"}`), stop("end_turn"), stop("end_turn"), end, end}, `[{"type":"text","text":"a"}]`, nil},
		{"nonsense", []string{`{"type":"message_start"}`, `[]`, `{"type":"content_block_start","index":-1}`, `{"type":"content_block_start","index":"x","content_block":{"type":"text"}}`, `{"type":"message_delta","usage":{"input_tokens":1e400}}`, end}, `[]`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := read(t, claude, tt.in...)
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
		{"ends early", []string{begin, opened(0, `{"type":"text","text":"a"}`)}, provider.Transient, "stream ended early"},
		{"overloaded", []string{begin, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, provider.Transient, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{"too long", []string{`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 tokens > 1 maximum"}}`}, provider.Overflow, "prompt is too long"},
		{"a line that cannot be read", []string{begin, `{"broken":`}, provider.Transient, "unreadable"},
	} {
		m, _, err := read(t, claude, tt.in...)
		if provider.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %s, %v", tt.name, provider.KindOf(err), err)
		}
		if tt.in[0] == begin && (m.Usage.Input != 900 || m.ResponseID != "msg_1") {
			t.Errorf("%s: what was known is lost: %s", tt.name, m.JSON())
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(begin), []byte(opened(0, `{"type":"thinking"}`)), []byte(stop("end_turn")))
	f.Add([]byte(opened(0, `{"type":"tool_use","input":{"a":1}}`)), []byte(delta(0, `{"type":"input_json_delta","partial_json":"{"}`)), []byte(end))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		d := &decoder{info: claude}
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
