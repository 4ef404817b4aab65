package provider_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// conformance returns the folder of the session cases that are kept beside the
// module, or skips the test.
func conformance(t *testing.T) string {
	t.Helper()
	const cases = "conformance/session"
	if dir := os.Getenv("BOUGH_SHARED"); dir != "" {
		return filepath.Join(dir, cases)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if at := filepath.Join(dir, "shared", cases); exists(at) {
			return at
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no folder shared/" + cases + " above this one; BOUGH_SHARED can name where shared is")
		}
		dir = up
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func decode(t *testing.T, v string) message.Message {
	t.Helper()
	m, err := message.Decode([]byte(v))
	if err != nil {
		t.Fatalf("%v: %s", err, v)
	}
	return m
}

// The dump of each case has what goes to a provider before and after the repair.
func TestPrepareAsTheCasesSay(t *testing.T) {
	dir := conformance(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.expected.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	claude := provider.Info{ID: "claude-sonnet-4-5", API: "anthropic-messages", Provider: "anthropic", Input: []string{"text", "image"}}
	mini := provider.Info{ID: "gpt-4o-mini", API: "openai-completions", Provider: "openai", Input: []string{"text"}}
	compared := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var dump struct {
			Contexts map[string]struct{ LLM, Repaired, RepairedOther []string }
			Pool     map[string]json.RawMessage
		}
		if json.Unmarshal(raw, &dump) != nil || dump.Contexts == nil {
			continue // a list, or a file that does not open
		}
		name := strings.TrimSuffix(filepath.Base(file), ".expected.json")
		for leaf, c := range dump.Contexts {
			msgs := make([]message.Message, len(c.LLM))
			for i, h := range c.LLM {
				msgs[i] = decode(t, strings.ReplaceAll(string(dump.Pool[h]), "{{user_image_omitted}}", provider.PiUserImageOmitted))
			}
			for _, want := range []struct {
				target provider.Info
				callID func(string, message.Message) string
				hashes []string
			}{{claude, nil, c.Repaired}, {mini, provider.SafeCallID, c.RepairedOther}} {
				got := provider.Prepare(msgs, want.target, provider.PrepareOptions{Plain: true, CallID: want.callID})
				compared++
				if len(got) != len(want.hashes) {
					t.Errorf("%s at %s for %s: %d messages, want %d", name, leaf, want.target.ID, len(got), len(want.hashes))
					continue
				}
				for i, m := range got {
					g := tokens(rawjson.AppendCanonical(nil, m.JSON()))
					if w := rawjson.AppendCanonical(nil, dump.Pool[want.hashes[i]]); !bytes.Equal(g, w) {
						t.Errorf("%s at %s for %s: message %d is\n%s\nwant\n%s", name, leaf, want.target.ID, i, g, w)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d contexts compared", compared)
	}
}

// tokens puts the names of our wordings in their place.
func tokens(v []byte) []byte {
	for text, token := range map[string]string{
		provider.NoResult:           "{{no_result}}",
		provider.UserImageOmitted:   "{{user_image_omitted}}",
		provider.PiUserImageOmitted: "{{user_image_omitted}}",
		provider.ToolImageOmitted:   "{{tool_image_omitted}}",
	} {
		v = bytes.ReplaceAll(v, rawjson.Quote(text), rawjson.Quote(token))
	}
	return v
}

const (
	askedTwo = `{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"n":12345678901234567890}},{"type":"toolCall","id":"c2","name":"ls","arguments":{}}],"api":"a","provider":"p","model":"m","stopReason":"toolUse"}`
	hello    = `{"role":"user","content":"hello"}`
)

func result(id, text string) string {
	return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"read","content":[{"type":"text","text":"` + text + `"}],"isError":false}`
}

func TestPrepareLive(t *testing.T) {
	target := provider.Info{ID: "m", API: "a", Provider: "p", Input: []string{"text"}}
	none := func(id, name string) string {
		return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"` + name + `","content":[{"type":"text","text":"` + provider.NoResult + `"}],"isError":true,"timestamp":7}`
	}
	for _, tt := range []struct {
		name     string
		in, want []string
	}{
		{"nothing stays nothing", nil, nil},
		{"a whole conversation stays as it is", []string{hello, askedTwo, result("c2", "x"), result("c1", "y"), hello}, []string{hello, askedTwo, result("c2", "x"), result("c1", "y"), hello}},
		{"a result without a call is dropped", []string{hello, result("c1", "x"), hello}, []string{hello, hello}},
		{"the first of two results counts", []string{askedTwo, result("c1", "x"), result("c1", "y"), result("c2", "z")}, []string{askedTwo, result("c1", "x"), result("c2", "z")}},
		{"a result behind the user's next words is too late", []string{askedTwo, result("c1", "x"), hello, result("c2", "y")}, []string{askedTwo, result("c1", "x"), none("c2", "ls"), hello}},
		{"the results of a failed answer go with it", []string{
			hello, strings.Replace(askedTwo, "toolUse", "error", 1), result("c1", "x"), hello,
		}, []string{hello, hello}},
		{"a failed answer closes the calls before it", []string{askedTwo, result("c2", "x"), strings.Replace(askedTwo, "toolUse", "aborted", 1), result("c1", "x")},
			[]string{askedTwo, result("c2", "x"), none("c1", "read")}},
		{"ids that come again are told apart, with their results", []string{
			`{"role":"assistant","content":[{"type":"toolCall","id":"0","name":"read","arguments":{}},{"type":"toolCall","id":"0","name":"ls","arguments":{}}],"api":"a","provider":"p","model":"m"}`,
			result("0", "first"), result("0", "second"),
			`{"role":"assistant","content":[{"type":"toolCall","id":"0","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m"}`,
			result("0", "third"),
		}, []string{
			`{"role":"assistant","content":[{"type":"toolCall","id":"0","name":"read","arguments":{}},{"type":"toolCall","id":"call_40c7469f","name":"ls","arguments":{}}],"api":"a","provider":"p","model":"m"}`,
			result("0", "first"), result("call_40c7469f", "second"),
			`{"role":"assistant","content":[{"type":"toolCall","id":"call_dda31eb9","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m"}`,
			result("call_dda31eb9", "third"),
		}},
		{"an id that is missing is made", []string{
			`{"role":"assistant","content":[{"type":"toolCall","id":"","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m"}`, result("", "x"),
		}, []string{
			`{"role":"assistant","content":[{"type":"toolCall","id":"call_9d0fd452","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m"}`, result("call_9d0fd452", "x"),
		}},
		{"an id that had to be rewritten is that of the last call with it", []string{
			`{"role":"assistant","content":[{"type":"toolCall","id":"a|b","name":"read","arguments":{}}],"api":"z","provider":"p","model":"m"}`, result("a|b", "x"),
			`{"role":"assistant","content":[{"type":"toolCall","id":"a|b","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m"}`, result("a|b", "y"),
		}, []string{
			`{"role":"assistant","content":[{"type":"toolCall","id":"a_b","name":"read","arguments":{}}],"api":"z","provider":"p","model":"m"}`, result("a_b", "x"),
			`{"role":"assistant","content":[{"type":"toolCall","id":"call_759eb6bc","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m"}`, result("call_759eb6bc", "y"),
		}},
		{"what is no block stays", []string{`{"role":"user","content":[1,null,"x",{"type":"hologram"},{"type":"text"}]}`, `{"role":"oracle","content":[]}`},
			[]string{`{"role":"user","content":[1,null,"x",{"type":"hologram"},{"type":"text"}]}`, `{"role":"oracle","content":[]}`}},
		{"content of the wrong type stays", []string{`{"role":"user","content":5}`, `{"role":"assistant","content":{"a":1}}`}, []string{`{"role":"user","content":5}`, `{"role":"assistant","content":{"a":1}}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var msgs []message.Message
			for _, m := range tt.in {
				msgs = append(msgs, decode(t, m))
			}
			got := provider.Prepare(msgs, target, provider.PrepareOptions{CallID: provider.SafeCallID, Timestamp: 7})
			var have []string
			for _, m := range got {
				have = append(have, string(m.JSON()))
			}
			if strings.Join(have, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(tt.want, "\n"))
			}
			for i, m := range msgs {
				if string(m.JSON()) != tt.in[i] {
					t.Errorf("message %d was changed to %s", i, m.JSON())
				}
			}
		})
	}
}

func TestSafeID(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"toolu_01-A", "toolu_01-A"},
		{"a|b c", "a_b_c"},
		{"é😀.", "____"},
		{"\xed\xa0\xbd", "_"}, // half a pair
		{strings.Repeat("x", 70), strings.Repeat("x", 64)},
		{strings.Repeat("x", 63) + "😀", strings.Repeat("x", 63) + "_"},
		{"", ""},
	} {
		if got := provider.SafeID(tt.in, 64); got != tt.want {
			t.Errorf("SafeID(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	f.Add([]byte(`{"role":"assistant","content":[{"type":"toolCall","id":5,"arguments":"x"},{"type":"thinking","thinking":7,"redacted":1}],"stopReason":3}`), []byte(result("c1", "x")))
	f.Add([]byte(askedTwo), []byte(`{"role":"toolResult","content":null}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var msgs []message.Message
		for _, raw := range [][]byte{a, b, []byte(hello), a, b} {
			if m, err := message.Decode(raw); err == nil && rawjson.Valid(raw) {
				msgs = append(msgs, m)
			}
		}
		for _, plain := range []bool{true, false} {
			for _, m := range provider.Prepare(msgs, provider.Info{ID: "m", API: "a", Provider: "p"}, provider.PrepareOptions{Plain: plain, CallID: provider.SafeCallID}) {
				if !rawjson.Valid(m.JSON()) {
					t.Fatalf("not JSON: %s", m.JSON())
				}
			}
		}
	})
}
