package script

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func parsed(t testing.TB, text string) *Script {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func says(texts ...string) Conversation {
	c := Conversation{API: Chat, Model: "fake-1", Stream: true}
	for _, s := range texts {
		c.Items = append(c.Items, Item{Role: User, Text: s})
	}
	return c
}

// answer asks once and returns the rule and the blocks in short.
func answer(s *Script, c Conversation) string {
	r := s.Reply(s.Take(c))
	if r.Failure != nil {
		return fmt.Sprintf("%s: %d %s", r.Rule, r.Failure.Status, r.Failure.Message)
	}
	parts := []string{}
	for _, b := range r.Blocks {
		if b.Type == ToolCall {
			parts = append(parts, b.Name+b.Text)
		} else {
			parts = append(parts, b.Text)
		}
	}
	return r.Rule + ": " + strings.Join(parts, " | ")
}

func TestParseTellsWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, "it is not JSON"},
		{`5`, "it must be an array"},
		{`{"rules":{}}`, "rules must be an array"},
		{`{"otherwise":"maybe"}`, "otherwise must be"},
		{`{"defaults":[]}`, "defaults must be an object"},
		{`{"defaults":{"chunk":"x"}}`, "defaults: chunk must be a number"},
		{`{"models":[1]}`, "models must be names"},
		{`[5]`, "rule 0 must be an object"},
		{`[{"name":"x"}]`, "x: no reply"},
		{`[{"reply":[]}]`, "rule 0: no reply"},
		{`[{"reply":["x"]}]`, "a reply must be an object"},
		{`[{"when":{"moon":"full"},"reply":{}}]`, `unknown condition "moon"`},
		{`[{"when":{"user":"("},"reply":{}}]`, `user: expression "("`},
		{`[{"when":{"user":"(?=x)"},"reply":{}}]`, "look-ahead is not supported"},
		{`[{"when":{"api":"telex"},"reply":{}}]`, "api must be"},
		{`[{"when":{"turn":"1"},"reply":{}}]`, "turn must be"},
		{`[{"when":{"summary":1},"reply":{}}]`, "summary must be true or false"},
		{`[{"when":{"tools":"read"},"reply":{}}]`, "tools must be an array"},
		{`[{"times":-1,"reply":{}}]`, "times must be"},
		{`[{"reply":{"error":"sunspots"}}]`, `unknown error kind "sunspots"`},
		{`[{"reply":{"text":["x"]}}]`, "text must be a string"},
		{`[{"reply":{"toolCalls":[{}]}}]`, "a tool call has no name"},
		{`[{"reply":{"content":[{"type":"smell"}]}}]`, `unknown content type "smell"`},
		{`[{"reply":{"usage":{"input":1.5}}}]`, "input must be a whole number"},
		{`[{"reply":{"at":[{"chunk":1,"do":"dance"}]}}]`, `unknown action "dance"`},
		{`[{"reply":{"at":[{"do":"reset"}]}}]`, "chunk must be"},
		{`[{"reply":{"wire":true}}]`, "wire must be"},
	} {
		if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestConditions(t *testing.T) {
	call := Item{Role: Assistant, Text: "calling", Calls: []Call{{ID: "c1", Name: "read"}}}
	result := Item{Role: ToolRole, CallID: "c1", Text: "some text", IsError: true}
	tool := says("first", "second")
	tool.Items = append(tool.Items, call, result)
	tool.System = "You help.\n\nBriefly."
	tool.Tools = []Tool{{Name: "read"}, {Name: "bash"}}
	summary := says("<conversation>x</conversation>")
	for _, tt := range []struct {
		when string
		c    Conversation
		want bool
	}{
		{`{}`, tool, true},
		{`null`, tool, true},
		{`{"api":"chat"}`, tool, true},
		{`{"api":"anthropic"}`, tool, false},
		{`{"model":"^fake"}`, tool, true},
		{`{"system":"/^briefly/im"}`, tool, true},
		{`{"user":"^second$"}`, tool, true},
		{`{"user":"first"}`, tool, false},
		{`{"firstUser":"first"}`, tool, true},
		{`{"any":"first\\nsecond\\ncalling\\nsome"}`, tool, true},
		{`{"toolResult":"some"}`, tool, true},
		{`{"toolResult":""}`, says("x"), false},
		{`{"toolName":"^read$"}`, tool, true},
		{`{"toolName":""}`, says("x"), false},
		{`{"toolError":true}`, tool, true},
		{`{"toolError":false}`, says("x"), true},
		{`{"lastRole":"tool"}`, tool, true},
		{`{"lastRole":"user"}`, Conversation{}, false},
		{`{"turn":1,"userTurns":2,"request":1,"messages":4}`, tool, true},
		{`{"turn":{"min":1}}`, tool, true},
		{`{"turn":{"max":0}}`, tool, false},
		{`{"messages":{"min":2,"max":4}}`, tool, true},
		{`{"tools":["bash","read"]}`, tool, true},
		{`{"tools":["write"]}`, tool, false},
		{`{"noTools":true}`, says("x"), true},
		{`{"noTools":false}`, tool, true},
		{`{"summary":true}`, summary, true},
		{`{"summary":true}`, tool, false},
		{`{"stream":false}`, tool, false},
	} {
		s := parsed(t, `{"otherwise":"error","rules":[{"when":`+tt.when+`,"reply":{"text":"yes"}}]}`)
		if got := answer(s, tt.c) == "rule 0: yes"; got != tt.want {
			t.Errorf("%s holds: %v, want %v", tt.when, got, tt.want)
		}
	}
}

func TestRulesAreUsedUp(t *testing.T) {
	s := parsed(t, `{"otherwise":"error","rules":[{"name":"twice","times":2,"reply":[{"text":"a"},{"text":"b"}]},
		{"name":"rest","when":{"request":{"max":5}},"reply":[{"text":"c"},{"text":"d"}]}]}`)
	for round := range 2 {
		for i, want := range []string{"twice: a", "twice: b", "rest: c", "rest: d", "rest: d", "unmatched: 400 fake-llm: no rule matches this request"} {
			if got := answer(s, says("x")); got != want {
				t.Errorf("round %d, request %d: %q, want %q", round, i, got, want)
			}
		}
		s.Reset()
	}
	s.Replace(parsed(t, `[{"name":"new","reply":{"text":"{{n}}"}}]`))
	answer(s, says("x"))
	if got := answer(s, says("x")); got != "new: 2" || s.Requests() != 2 {
		t.Errorf("after Replace: %q, %d requests", got, s.Requests())
	}
	if got := answer(s.Copy(), says("x")); got != "new: 1" {
		t.Errorf("a copy is not fresh: %q", got)
	}
}

func TestTemplates(t *testing.T) {
	s := parsed(t, `[{"when":{"user":"^(\\w+)( x)? (.*)$","toolResult":"(\\d+)"},"reply":{"text":"{{1}}{{2}}{{3}} {{t1}} {{0}} {{9}} {{what}} {{toolName}} {{model}} {{n}}",
		"toolCalls":[{"name":"a","args":{"{{1}}":["{{user}}",{"b":"{{toolResult}}"},1.50]}}]}},
		{"when":{"user":"^fail (.*)"},"reply":{"error":"{{1}}"}}]`)
	c := says(`say "hi"`)
	c.Items = append(c.Items, Item{Role: Assistant, Calls: []Call{{ID: "1", Name: "tool"}}}, Item{Role: ToolRole, CallID: "1", Text: "n 42"})
	want := `rule 0: say{{2}}"hi" 42 say "hi" {{9}} {{what}} tool fake-1 1 | a{"{{1}}":["say \"hi\"",{"b":"n 42"},1.5]}`
	if got := answer(s, c); got != want {
		t.Errorf("filled in:\n%s\nwant\n%s", got, want)
	}
	if got, want := answer(s, says("fail auth")), "rule 1: 401 Incorrect API key provided."; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if got, want := answer(s, says("fail me")), `script-error: 400 fake-llm script error: unknown error kind "me"`; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestPlan(t *testing.T) {
	s := parsed(t, `{"defaults":{"usage":{"input":5},"stop":"length","model":"m"},"rules":[
		{"when":{"user":"calls"},"reply":{"toolCalls":[{"name":"é","args":{"b":1,"2":2,"1":1}},{"name":"b","id":"own","rawArgs":"{"},{"name":"c"}],"stop":null}},
		{"when":{"user":"content"},"reply":{"content":[{"type":"text","text":"a"},{"type":"toolCall","name":"x"},{"type":"thinking","thinking":"b","signature":"s"}],"usage":{"output":9}}},
		{"when":{"user":"repeat"},"reply":{"text":"ab","repeat":3}},
		{"when":{"user":"nothing"},"reply":{}}]}`)
	for _, tt := range []struct {
		user  string
		usage Usage
		stop  string
		want  []Block
	}{
		{"calls", Usage{Input: 5, Output: 7}, "toolUse", []Block{
			{Type: ToolCall, Text: `{"1":1,"2":2,"b":1}`, ID: "call_fake_1_0", Name: "é"},
			{Type: ToolCall, Text: `{`, ID: "own", Name: "b", Call: 1},
			{Type: ToolCall, Text: `{}`, ID: "call_fake_1_2", Name: "c", Call: 2}}},
		{"content", Usage{Input: 12, Output: 9}, "length", []Block{
			{Type: Text, Text: "a"}, {Type: ToolCall, Text: "{}", ID: "call_fake_1_0", Name: "x"}, {Type: Thinking, Text: "b", Signature: "s"}}},
		{"repeat", Usage{Input: 5, Output: 2}, "length", []Block{{Type: Text, Text: "ababab"}}},
		{"nothing", Usage{Input: 5, Output: 1}, "length", nil},
	} {
		s.Reset()
		r := s.Reply(s.Take(says(tt.user)))
		if r.Usage != tt.usage {
			t.Errorf("%s: usage %+v, want %+v", tt.user, r.Usage, tt.usage)
		}
		if r.Stop != tt.stop || r.Model != "m" || !reflect.DeepEqual(r.Blocks, tt.want) {
			t.Errorf("%s: stop %q, model %q, blocks %+v, want %+v", tt.user, r.Stop, r.Model, r.Blocks, tt.want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	tools := []Tool{{Name: "read", Schema: []byte(`{"properties":{"filePath":{}}}`)}, {Name: "bash"}, {Name: "write"}, {Name: "ls"}}
	results := Conversation{Items: []Item{{Role: User, Text: "go"}, {Role: Assistant, Calls: []Call{{ID: "1", Name: "read"}, {ID: "2", Name: "bash"}}},
		{Role: ToolRole, CallID: "1", Text: "one\ntwo\n\n"}, {Role: ToolRole, CallID: "3", Text: ""}}}
	for _, tt := range []struct {
		c    Conversation
		want string
	}{
		{Conversation{Items: results.Items[:3]}, "builtin:tool-answer: Done. read said: one (2 lines)"},
		{results, "builtin:tool-answer: Done.\n- read said: one (2 lines)\n- tool said:  (1 line)"},
		{says("Read a.txt and b.txt, c"), `builtin:read: Reading a.txt, b.txt, c. | read{"filePath":"a.txt"} | read{"filePath":"b.txt"} | read{"filePath":"c"}`},
		{says("run ls -l\nx"), `builtin:bash: bash{"command":"ls -l\nx"}`},
		{says("write a.txt: hi\nthere"), `builtin:write: write{"path":"a.txt","content":"hi\nthere"}`},
		{says("ls"), `builtin:ls: ls{"path":"."}`},
		{says("think: why"), "builtin:think: Considering: why | Answer: why"},
		{says("fail Auth"), "builtin:fail: 401 Incorrect API key provided."},
		{says("fail often"), "builtin:echo: Echo: fail often"},
		{says("long 3"), "builtin:long: word0 word1 word2"},
		{says("\u00a0 hi \n"), "builtin:echo: Echo: hi"},
	} {
		tt.c.Tools = tools
		if got := answer(Empty(), tt.c); got != tt.want {
			t.Errorf("%q\nwant %q", got, tt.want)
		}
	}
	if got := answer(Empty(), says("<conversation>\n[User]: build it\n</conversation>")); !strings.HasPrefix(got, "builtin:summary: ## Goal\nbuild it\n\n## Constraints") {
		t.Errorf("summary %q", got)
	}
	if got := answer(Empty(), says("# Conversation\nthe original request")); !strings.HasPrefix(got, "builtin:turn-summary: ## Original Request\nContinue the conversation\n") {
		t.Errorf("turn summary %q", got)
	}
}

func TestSteps(t *testing.T) {
	for _, tt := range []struct{ reply, want string }{
		{`{"text":"abcd","chunk":2}`, "start open:0 ab cd close:0 end"},
		{`{"text":"a","thinking":"b"}`, "start open:0 b close:0 open:1 a close:1 end"},
		{`{"text":""}`, "start open:0  close:0 end"},
		{`{}`, "start end"},
		{`{"text":"abcdef","at":[{"chunk":1,"do":"malformed","data":"x"},{"chunk":1,"do":"malformed"}]}`, `start open:0 abc ?x ?{"broken": def close:0 end`},
		{`{"text":"abcdef","at":[{"chunk":1,"do":"reset"}]}`, "start open:0 abc reset"},
		{`{"text":"abcdef","at":[{"chunk":"end","do":"end"}]}`, "start open:0 abc def close:0 early"},
		{`{"text":"abc","thinking":"def","at":[{"chunk":1,"do":"error","kind":"server","message":"m"}]}`, "start open:0 def close:0 open:1 !m"},
		{`{"error":"reset"}`, "reset"},
		{`{"error":"server"}`, "refused"},
	} {
		s := parsed(t, `[{"reply":`+tt.reply+`}]`)
		var got []string
		for st := range s.Reply(s.Take(says("x"))).Steps(t.Context(), Pace{Chunk: 3}) {
			got = append(got, short(st))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.reply, strings.Join(got, " "), tt.want)
		}
	}
}

func short(s Step) string {
	switch s.Kind {
	case Refused:
		return "refused"
	case Started:
		return "start"
	case Opened:
		return fmt.Sprint("open:", s.Block)
	case Piece:
		return s.Text
	case Closed:
		return fmt.Sprint("close:", s.Block)
	case Finished:
		return "end"
	case Malformed:
		return "?" + s.Text
	case BrokenOff:
		return "!" + s.Failure.Message
	case EndedEarly:
		return "early"
	}
	return "reset"
}

func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parsed(t, `[{"reply":{"text":"abcdef","chunk":2,"delayMs":10,"firstDelayMs":100,"endDelayMs":1000,
			"at":[{"chunk":1,"do":"pause","ms":5000},{"chunk":2,"do":"hold","name":"x","maxMs":20000}]}}]`)
		start := time.Now()
		var at []time.Duration
		for range s.Reply(s.Take(says("x"))).Steps(t.Context(), Pace{Delay: time.Hour}) {
			at = append(at, time.Since(start)/time.Millisecond)
		}
		if want := []time.Duration{100, 100, 110, 5120, 25130, 25130, 26130}; !reflect.DeepEqual(at, want) {
			t.Errorf("steps at %d ms, want %d", at, want)
		}
	})
}

func TestReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Empty()
		s.Release("a") // kept for the first that comes
		if !s.wait(t.Context(), "a", 1, time.Minute) {
			t.Error("an early release is lost")
		}
		done := make(chan int, 3)
		for n := range 3 {
			go func() {
				s.wait(t.Context(), "a", n, time.Hour)
				done <- n
			}()
			synctest.Wait()
		}
		s.Release("b")
		s.Release("a")
		if n := <-done; n != 0 {
			t.Errorf("released %d first", n)
		}
		if h := s.Holds(); len(h) != 2 || h[0].Request != 1 {
			t.Errorf("holds %+v", h)
		}
		s.Reset()
		<-done
		<-done
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.AwaitHold(ctx, "a"); err == nil {
			t.Error("AwaitHold found a hold after Reset")
		}
	})
}

func TestTexts(t *testing.T) {
	half := "\xed\xa0\xbd" // first half of a pair
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 2, "ab"}, {"abc", 5, "abc"}, {"é€x", 2, "é€"}, {"a😀b", 2, "a" + half}, {"a😀b", 3, "a😀"}, {half + "x", 1, half}, {"", 0, ""}, {"a", 0, ""}} {
		if got := cutUnits(tt.s, tt.n); got != tt.want {
			t.Errorf("cutUnits(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
	if got := pieces("a😀"+half+"é", 2); !reflect.DeepEqual(got, []string{"a😀", half + "é"}) {
		t.Errorf("pieces %q", got)
	}
}

func TestCompile(t *testing.T) {
	for _, tt := range []struct{ expr, text, want string }{ // want "-": no match
		{`^a.c$`, "abc", "abc"},
		{`^a.c$`, "a\rc", "-"},
		{`/^a.c$/s`, "a\nc", "a\nc"},
		{`/^B/im`, "a\nb", "b"},
		{`a[^]c`, "a\nc", "a\nc"},
		{`a[]c`, "ac", "-"},
		{`[\s]x\S`, "\u00a0xy", "\u00a0xy"},
		{`\s`, "\ufeff", "\ufeff"},
		{`[^\S\n]+`, "a \t\nb", " \t"},
		{`[\w-.]+`, "a-.b", "a-.b"},
		{`[[:alpha:]]+`, ":]", ":]"},
		{`[a-c[]+`, "b[", "b["},
		{`x{2}y{1,}z{,3}`, "xxyyz{,3}", "xxyyz{,3}"},
		{`{x}`, "{x}", "{x}"},
		{`\{\}\/\-\_\a\e`, "{}/-_ae", "{}/-_ae"},
		{`\u0041\x42\u{3}`, "ABuuu", "ABuuu"},
		{`/\u{1F600}/u`, "😀", "😀"},
		{`\ud83d\ude00`, "😀", "😀"},
		{`/\p{Lu}+/u`, "aBC", "BC"},
		{`\p{1}`, "p", "p"},
		{`(?<year>\d+)-(?:x)`, "12-x", "12-x"},
		{`/b/y`, "ab", "-"},
		{`/b/g`, "ab", "b"},
		{`\bfoo\b`, "a foo b", "foo"},
		{`[\b]`, "\b", "\b"},
		{`\cJ\0`, "\n\x00", "\n\x00"},
		{`\c!`, `\c!`, `\c!`},
		{`a|b|`, "b", "b"},
		{`/a/b`, "", "error"},
		{`(?!x)`, "", "error"},
		{`(?<=x)`, "", "error"},
		{`(a)\1`, "", "error"},
		{`(?<n>a)\k<n>`, "", "error"},
		{`[b-a]`, "", "error"},
		{`[a`, "", "error"},
		{`\`, "", "error"},
		{`[\`, "", "error"},
		{`\ud83d`, "", "error"},
		{`\01`, "", "error"},
		{`x{1001}`, "", "error"},
		{`(?i:x)`, "", "error"},
	} {
		got := "-"
		re, err := Compile(tt.expr)
		if err != nil {
			got = "error"
		} else if m := re.FindStringIndex(tt.text); m != nil {
			got = tt.text[m[0]:m[1]]
		}
		if got != tt.want {
			t.Errorf("%q in %q: %q, want %q (%v)", tt.expr, tt.text, got, tt.want, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"models":["a",{"id":"b"}],"otherwise":"error","rules":[]}`))
	f.Add([]byte(`[{"when":{"user":"/^(\\w+)[^\\S]?\\ud83d\\ude00/im"},"reply":[{"text":"{{1}}{{t1}}","chunk":"2"},{"content":[{"type":"toolCall","name":"x","args":[1,{"2":null}]}]}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil || strings.Contains(string(data), "epeat") {
			return
		}
		c := says("hello 😀 there", "fail auth")
		c.Items = append(c.Items, Item{Role: Assistant, Calls: []Call{{ID: "1", Name: "read"}}}, Item{Role: ToolRole, CallID: "1", Text: "some text"})
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for range 3 {
				for range s.Reply(s.Take(c)).Steps(ctx, Pace{}) {
				}
			}
		})
	})
}
