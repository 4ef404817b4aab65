package provider

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
)

func talk(t *testing.T, lines ...string) []message.Message {
	t.Helper()
	var out []message.Message
	for _, l := range lines {
		m, err := message.Decode([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func lines(msgs []message.Message) string {
	var b strings.Builder
	for _, m := range msgs {
		b.Write(m.JSON())
		b.WriteByte('\n')
	}
	return b.String()
}

const (
	withImage = `{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"timestamp":1}`
	signed    = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"toolCall","id":"c|fc_1","name":"read","arguments":{}}],"api":"anthropic-messages","provider":"p","model":"m","stopReason":"toolUse","timestamp":1}`
	result    = `{"role":"toolResult","toolCallId":"c|fc_1","toolName":"read","content":[{"type":"text","text":"r"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false,"timestamp":1}`
	answer    = `{"role":"assistant","content":[{"type":"text","text":"yes "}],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":1}`
	words     = `{"role":"user","content":[{"type":"text","text":"and?"}],"timestamp":1}`
)

func TestWithout(t *testing.T) {
	tools := `{"role":"system","content":"s","toolsAdded":[{"name":"a","description":"A","parameters":{"type":"object","x":1}},{"name":"b","description":"B","parameters":{}}],"timestamp":1}`
	for _, tt := range []struct {
		name string
		o    Omission
		upto int
		msgs []string
		has  []string // of the request
		not  []string
		same bool // nothing is changed
	}{
		{"images up to a place", Omission{Fault: Images}, 1, []string{withImage, answer, withImage}, []string{ImageRefused, `"AAAA"`}, nil, false},
		{"all images", Omission{Fault: Images}, 3, []string{withImage, signed, result}, []string{"look", `"r"`}, []string{`"AAAA"`}, false},
		{"only older images", Omission{Fault: ManyImages}, 3, []string{withImage, answer, withImage}, []string{`"AAAA"`, ImageRefused}, nil, false},
		{"no images", Omission{Fault: Images}, 1, []string{words}, nil, nil, true},
		{"a place behind the end", Omission{Fault: Images}, 99, []string{withImage}, nil, []string{`"AAAA"`}, false},
		{"a place before the beginning", Omission{Fault: Images}, -1, []string{withImage}, nil, nil, true},
		{"thinking and ids of items", Omission{Fault: Thoughts}, 3, []string{words, signed, result, answer, words}, []string{`"id":"c"`, `"toolCallId":"c"`}, []string{"hm", "fc_1"}, false},
		{"a call goes with its results", Omission{Fault: Thoughts}, 2, []string{words, signed, result, answer, words}, []string{`"id":"c"`, `"toolCallId":"c"`}, []string{"fc_1"}, false},
		{"calls as text", Omission{Fault: Calls}, 3, []string{words, signed, result, answer, words}, []string{"I called read with {}", "Result of read:", `"AAAA"`}, []string{"toolCall", "toolResult"}, false},
		{"a result without words", Omission{Fault: Calls}, 9, []string{strings.Replace(result, `"read"`, `""`, 1)}, []string{"Result of unknown"}, nil, false},
		{"blank texts", Omission{Fault: Texts}, 9, []string{`{"role":"user","content":[{"type":"text","text":" "},{"type":"text","text":"a\u0000\ud800b\n"}],"timestamp":1}`, `{"role":"assistant","content":[],"timestamp":1}`}, []string{`"ab\n"`, "(empty)"}, []string{`" "`}, false},
		{"texts that are whole", Omission{Fault: Texts}, 9, []string{words, answer}, nil, nil, true},
		{"sides that follow one another", Omission{Fault: Roles}, 9, []string{words, words, strings.Replace(answer, "stop\"", "error\"", 1), withImage, answer, tools, words}, []string{"\"and?\"},{\"type\":\"text\",\"text\":\"and?\"},{\"type\":\"text\",\"text\":\"look\""}, nil, false},
		{"an answer at the end", Omission{Fault: Prefill}, 9, []string{words, answer}, []string{"Go on."}, nil, false},
		{"blank words at the end", Omission{Fault: Prefill}, 9, []string{words, answer, `{"role":"user","content":" ","timestamp":1}`}, []string{"Go on."}, nil, false},
		{"words at the end", Omission{Fault: Prefill}, 9, []string{answer, words}, nil, nil, true},
		{"a result at the end", Omission{Fault: Prefill}, 9, []string{signed, result}, nil, nil, true},
		{"a tool", Omission{Fault: BadTool, Name: "a"}, 0, []string{tools, words}, []string{`"b"`}, []string{`"a"`}, false},
		{"a tool that is not there", Omission{Fault: BadTool, Name: "z"}, 0, []string{tools, words}, nil, nil, true},
		{"the schemas of all tools", Omission{Fault: BadTool}, 0, []string{tools, words}, []string{`"a"`, `"b"`, `{\"type\":\"object\",\"x\":1}`}, []string{`"x":1`}, false},
		{"all tools", Omission{Fault: AllTools}, 0, []string{tools, words, signed, result}, []string{"I called"}, []string{`"name":"a"`, "toolResult"}, false},
		{"thinking at all", Omission{Fault: ThinkingMode}, 0, []string{words, signed, result}, nil, []string{"hm"}, false},
		{"cache marks", Omission{Fault: CacheMarks}, 0, []string{words}, nil, nil, false},
		{"a parameter", Omission{Fault: Parameter, Name: "x"}, 0, []string{words}, nil, nil, false},
		{"an empty conversation", Omission{Fault: Roles}, 3, nil, nil, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := Request{Messages: talk(t, tt.msgs...), Thinking: "high"}
			before := lines(req.Messages)
			got := req.Without(tt.o, tt.upto)
			if lines(req.Messages) != before {
				t.Fatalf("the request itself was changed: %s", lines(req.Messages))
			}
			text := lines(got.Messages)
			for _, s := range tt.has {
				if !strings.Contains(text, s) {
					t.Errorf("%q is not in %s", s, text)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(text, s) {
					t.Errorf("%q is in %s", s, text)
				}
			}
			if same(req, got) != tt.same {
				t.Errorf("same = %v: %s", !tt.same, text)
			}
			if again := got.Without(tt.o, tt.upto); tt.o.Fault != Roles && tt.o.Fault != Calls && !same(got, again) {
				t.Errorf("leaving it out twice changes %s to %s", text, lines(again.Messages))
			}
		})
	}
}

// In the middle of a turn the API asks for thinking that is no longer there, so
// the model must not think; in later turns it may again.
func TestWithoutThoughtsInATurn(t *testing.T) {
	for _, tt := range []struct {
		upto int
		msgs []string
		want string
	}{
		{3, []string{words, signed, result}, "off"},
		{3, []string{words, signed, result, answer, words}, "high"},
		{3, []string{words, strings.Replace(signed, "anthropic-messages", "openai-responses", 1), result}, "high"},
	} {
		if got := (Request{Messages: talk(t, tt.msgs...), Thinking: "high"}).Without(Omission{Fault: Thoughts}, tt.upto); got.Thinking != tt.want {
			t.Errorf("thinking %q, want %q, for %s", got.Thinking, tt.want, lines(got.Messages))
		}
	}
}

func TestOmission(t *testing.T) {
	req := Request{Messages: talk(t, `{"role":"system","content":"","toolsAdded":[{"name":"a"},{"name":"b"}],"timestamp":1}`, withImage)}
	for _, tt := range []struct {
		e    Error
		want Omission
		ok   bool
	}{
		{Error{}, Omission{}, false},
		{Error{Fault: Images}, Omission{Fault: Images}, true},
		{Error{Fault: ManyImages}, Omission{Fault: Images}, true}, // there are no older ones
		{Error{Fault: Thoughts}, Omission{Fault: Thoughts}, false},
		{Error{Fault: BadTool, Name: "b"}, Omission{Fault: BadTool, Name: "b"}, true},
		{Error{Fault: BadTool, At: "1"}, Omission{Fault: BadTool, Name: "b"}, true},
		{Error{Fault: BadTool, At: "7", Name: "z"}, Omission{Fault: BadTool}, true},
		{Error{Fault: Parameter, Name: "x"}, Omission{Fault: Parameter, Name: "x"}, true},
	} {
		if got, ok := tt.e.Omission(req); got != tt.want || ok != tt.ok {
			t.Errorf("%+v: %+v %v, want %+v %v", tt.e, got, ok, tt.want, tt.ok)
		}
	}
}

func TestOmitParams(t *testing.T) {
	body := `{"model":"m","x":{"y":1},"tools":[{"name":"a","y":2,"function":{"y":3,"name":"f"}}],"z":"y"}`
	for name, want := range map[string]string{
		"y": `{"model":"m","x":{"y":1},"tools":[{"name":"a","function":{"name":"f"}}],"z":"y"}`,
		"x": `{"model":"m","tools":[{"name":"a","y":2,"function":{"y":3,"name":"f"}}],"z":"y"}`,
		"q": body,
	} {
		if got := string(omitParams([]byte(body), []string{name})); got != want {
			t.Errorf("without %s: %s, want %s", name, got, want)
		}
	}
}
