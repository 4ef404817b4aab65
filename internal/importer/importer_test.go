package importer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

func fileOf(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// made is the tree of the session that a headerless tree becomes.
func made(t testing.TB, data string) *session.Tree {
	t.Helper()
	tree, err := Recognize(fileOf(t, data))
	if err != nil {
		t.Fatal(err)
	}
	h, lines := tree.Session(tree.SessionID(), "/srv", time.UnixMilli(0))
	s, err := session.New(nil, h, lines...)
	if err != nil {
		t.Fatal(err)
	}
	return s.Tree()
}

// shape draws the messages of a tree.
func shape(tr *session.Tree) string {
	var b []string
	base := -1
	tr.Walk(tr.Leaf(), func(s session.Step) bool {
		if base < 0 && (s.Entry.Type == session.TypeMessage || s.Entry.Custom == ImportType && s.Depth > 0) {
			base = s.Depth
		}
		if base >= 0 {
			b = append(b, strings.Repeat(".", s.Depth-base)+string(s.Entry.ID))
		}
		return true
	})
	return strings.Join(b, " ")
}

func TestShapesOfHeaderlessTrees(t *testing.T) {
	user := func(fields string) string { return `{` + fields + `"message":{"role":"user","content":"x"}}` }
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"ids and parents", []string{user(`"id":"a","parentId":null,`), user(`"id":"b","parentId":"a",`), user(`"id":"c","parentId":"a",`)}, "a .b .c"},
		{"numbers", []string{user(`"id":1,"parentId":null,`), user(`"id":2,"parentId":1,`), user(`"id":3,"parentId":1,`)}, "1 .2 .3"},
		{"numbers, no parent is 0", []string{user(`"id":1,"parentId":0,`), user(`"id":2,"parentId":1,`), user(`"id":3,"parentId":0,`)}, "1 .2 3"},
		{"numbers from 0", []string{user(`"id":0,"parentId":null,`), user(`"id":1,"parentId":0,`)}, "0 .1"},
		{"other names", []string{user(`"id":"a","parent_id":null,`), user(`"id":"b","parent_id":"a",`), user(`"id":"c","parent":"a",`)}, "a .b .c"},
		{"a root without a parent", []string{user(`"id":"a",`), user(`"id":"b","parentId":"a",`)}, "a .b"},
		{"ids but no parents", []string{user(`"id":"a",`), user(`"id":"b",`), user(`"id":"c",`)}, "a .b ..c"},
		{"several roots", []string{user(`"id":"a","parentId":null,`), user(`"id":"b","parentId":null,`)}, "a b"},
		{"a parent that is not there", []string{user(`"id":"a","parentId":null,`), user(`"id":"b","parentId":"x",`)}, "a .b"},
		{"a parent behind its child", []string{user(`"id":"b","parentId":"a",`), user(`"id":"a","parentId":null,`)}, "a .b"},
		{"a circle", []string{user(`"id":"a","parentId":"b",`), user(`"id":"b","parentId":"a",`)}, "a .b"},
		{"its own parent", []string{user(`"id":"a","parentId":"a",`), user(`"id":"b","parentId":"a",`)}, "a .b"},
		{"a line that is no message", []string{user(`"id":"a","parentId":null,`), `{"id":"n","parentId":"a","note":1}`, user(`"id":"b","parentId":"n",`)}, "a .n ..b"},
		{"messages without a line around them", []string{`{"id":"a","parentId":null,"role":"user","content":"x"}`, `{"id":"b","parentId":"a","role":"assistant","content":"y"}`}, "a .b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shape(made(t, strings.Join(tt.lines, "\n")+"\n")); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("no ids at all", func(t *testing.T) {
		data := strings.Repeat(user("")+"\n", 3)
		a, b := shape(made(t, data)), shape(made(t, data))
		if a != b || strings.Count(a, ".") != 3 {
			t.Errorf("%s, and again %s", a, b)
		}
	})
	t.Run("one id twice", func(t *testing.T) {
		got := shape(made(t, strings.Join([]string{user(`"id":"a","parentId":null,`), user(`"id":"b","parentId":"a",`), user(`"id":"a","parentId":"b",`), user(`"id":"c","parentId":"a",`)}, "\n")))
		if !strings.HasPrefix(got, "a .b ..") || !strings.HasSuffix(got, " ...c") {
			t.Errorf("got %s", got)
		}
	})
}

func TestMessagesOfHeaderlessTrees(t *testing.T) {
	const zero = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	const at = `"timestamp":1772355600000`
	for _, tt := range []struct {
		name, line string
		want       string
		fields     string // what is kept beside it
	}{
		{"a text of a user", `{"role":"user","content":"hi"}`, `{"role":"user","content":[{"type":"text","text":"hi"}],` + at + `}`, ""},
		{"parts", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"input_text","text":"b"},"c"]}`,
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}],` + at + `}`, ""},
		{"an image", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`,
			`{"role":"user","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],` + at + `}`, ""},
		{"an image that lies elsewhere", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]}`,
			`{"role":"user","content":[{"type":"text","text":"[image: https://x/y.png]"}],` + at + `}`,
			`{"message":{"content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]}}`},
		{"a part of tomorrow", `{"role":"user","content":[{"type":"smell","x":1}]}`, `{"role":"user","content":[{"type":"text","text":"[smell]"}],` + at + `}`,
			`{"message":{"content":[{"type":"smell","x":1}]}}`},
		{"no content", `{"role":"user","content":null}`, `{"role":"user","content":[],` + at + `}`, ""},
		{"instructions", `{"role":"developer","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `{"role":"system","content":"ab",` + at + `}`, ""},
		{"an answer", `{"role":"assistant","content":"hi"}`,
			`{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"openai-completions","provider":"unknown","model":"unknown",` + zero + `,"stopReason":"stop",` + at + `}`, ""},
		{"an answer with its model, thoughts and usage", `{"role":"assistant","content":"hi","reasoning_content":"hm","model":"m","provider":"p","finish_reason":"length","usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`,
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hi"}],"api":"openai-completions","provider":"p","model":"m","usage":{"input":6,"output":5,"cacheRead":4,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"length",` + at + `}`,
			`{"message":{"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}}`},
		{"a call", `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]}`,
			`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"ls","arguments":{"path":"."}}],"api":"openai-completions","provider":"unknown","model":"unknown",` + zero + `,"stopReason":"toolUse",` + at + `}`, ""},
		{"a call whose arguments are broken", `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{\"pa"}}]}`,
			`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"ls","arguments":{},"argumentsError":"the arguments were no JSON object"}],"api":"openai-completions","provider":"unknown","model":"unknown",` + zero + `,"stopReason":"toolUse",` + at + `}`,
			`{"message":{"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{\"pa"}}]}}`},
		{"a call of old", `{"role":"assistant","content":null,"function_call":{"name":"ls","arguments":""}}`,
			`{"role":"assistant","content":[{"type":"toolCall","id":"call_x","name":"ls","arguments":{}}],"api":"openai-completions","provider":"unknown","model":"unknown",` + zero + `,"stopReason":"toolUse",` + at + `}`, ""},
		{"a result", `{"role":"tool","tool_call_id":"c1","name":"ls","content":"a b"}`,
			`{"role":"toolResult","toolCallId":"c1","toolName":"ls","content":[{"type":"text","text":"a b"}],"isError":false,` + at + `}`, ""},
		{"fields that nobody knows", `{"role":"user","content":"hi","mood":[1.50,"\ud800"]}`, `{"role":"user","content":[{"type":"text","text":"hi"}],` + at + `}`, `{"message":{"mood":[1.50,"\ud800"]}}`},
		{"a half surrogate pair", `{"role":"user","content":"\ud83d"}`, `{"role":"user","content":[{"type":"text","text":"\ud83d"}],` + at + `}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := made(t, `{"id":"x","parentId":null,"message":`+tt.line+`}`+"\n")
			line, err := tr.Get("x").Raw()
			if err != nil {
				t.Fatal(err)
			}
			if got := string(rawjson.Get(line, "message")); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			account, err := tr.Roots()[0].Raw()
			if err != nil {
				t.Fatal(err)
			}
			if got := string(rawjson.Get(rawjson.Get(rawjson.Get(account, "data"), "fields"), "x")); got != tt.fields {
				t.Errorf("kept %s, want %s", got, tt.fields)
			}
		})
	}
}

func TestTimesAndToolNames(t *testing.T) {
	tr := made(t, strings.Join([]string{
		`{"id":"a","parentId":null,"timestamp":"2026-02-01T08:00:00Z","message":{"role":"user","content":"x"}}`,
		`{"id":"b","parentId":"a","created":1769932801,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]}}`,
		`{"id":"c","parentId":"b","message":{"role":"tool","tool_call_id":"c1","content":"y","timestamp":1769932802500}}`,
		`{"id":"d","parentId":"c","message":{"role":"user","content":"z"},"extra":{"a":1}}`,
	}, "\n"))
	for id, want := range map[session.ID]string{"a": "08:00:00.000", "b": "08:00:01.000", "c": "08:00:02.500", "d": "08:00:02.500"} {
		if got := tr.Get(id).Time.Format("15:04:05.000"); got != want {
			t.Errorf("%s has the time %s, want %s", id, got, want)
		}
	}
	body, err := tr.Get("c").Body()
	if m := body.(session.Message).Message; err != nil || m.ToolName != "ls" || m.Timestamp != 1769932802500 {
		t.Errorf("result %+v, %v", m, err)
	}
	p, err := session.Project(tr.Path("d"))
	if err != nil || len(p.Items) != 4 || p.Thinking != "off" {
		t.Errorf("context %d, %v", len(p.Items), err)
	}
}

func TestWhatIsNoHeaderlessTree(t *testing.T) {
	for name, data := range map[string]string{
		"words":           "hello\nworld\n",
		"nothing":         "",
		"other objects":   `{"id":1,"name":"x"}` + "\n" + `{"id":2,"name":"y"}` + "\n",
		"mostly others":   `{"a":1}` + "\n" + `{"b":1}` + "\n" + `{"message":{"role":"user","content":"x"}}` + "\n",
		"another program": `{"uuid":"1","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"x"}}` + "\n",
		"training data":   `{"messages":[{"role":"user","content":"x"}]}` + "\n",
	} {
		if _, err := Recognize(fileOf(t, data)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever tree a small program wrote, all its messages are in the session, each
// below the one it was below, and pi's rules hold.
func TestAnyHeaderlessTree(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		n := 1 + r.IntN(40)
		var lines []string
		parents := map[string]string{}
		for i := range n {
			parent := "null"
			if i > 0 && r.IntN(8) > 0 {
				parent = fmt.Sprint(r.IntN(i))
			}
			parents[fmt.Sprint(i)] = parent
			m := []string{`{"role":"user","content":"u"}`, `{"role":"assistant","content":"a"}`, `{"role":"assistant","content":[],"tool_calls":[{"id":"c","function":{"name":"x","arguments":"{}"}}]}`,
				`{"role":"tool","tool_call_id":"c","content":"r"}`, `{"role":"system","content":"s"}`, `{"role":"ghost","content":"g"}`}[r.IntN(6)]
			lines = append(lines, fmt.Sprintf(`{"id":%d,"parentId":%s,"message":%s}`, i, parent, m))
		}
		path := fileOf(t, strings.Join(lines, "\n"))
		store := filestore.Store{Flat: t.TempDir(), Sync: filestore.SyncOff}
		done, err := Import(t.Context(), store, path, Options{Dir: "/srv", Now: time.Now()})
		if err != nil || done.Entries != n || done.Left != 0 {
			t.Fatalf("seed %d: %+v, %v", seed, done, err)
		}
		s, err := session.Open(t.Context(), store, done.ID)
		if err != nil {
			t.Fatal(err)
		}
		tr := s.Tree()
		if tr.Damaged() || tr.Len() != n+2 {
			t.Fatalf("seed %d: %d entries", seed, tr.Len())
		}
		ends := 0
		for id, parent := range parents {
			e := tr.Get(session.ID(id))
			if e == nil || parent != "null" && string(e.Parent) != parent {
				t.Fatalf("seed %d: entry %s is %+v, want it below %s", seed, id, e, parent)
			}
			if len(tr.Children(e.ID)) == 0 {
				ends++
			}
			line, _ := e.Raw()
			if e.Role == message.Assistant && rawjson.Kind(rawjson.Get(rawjson.Get(line, "message"), "usage")) != '{' {
				t.Fatalf("seed %d: no usage: %s", seed, line)
			}
		}
		if ends != done.Branches {
			t.Fatalf("seed %d: %d branches, want %d", seed, done.Branches, ends)
		}
		s.Close()
		again, err := Import(t.Context(), store, path, Options{Dir: "/srv", Now: time.Now()})
		if err != nil || !again.Already || again.Path != done.Path {
			t.Fatalf("seed %d: imported again: %+v, %v", seed, again, err)
		}
	}
}

func TestImportOfASession(t *testing.T) {
	head := `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/nosuch","x":[1.50]}` + "\n"
	body := `{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"x"}}` + "\r\n" + "garbage\n"
	path := fileOf(t, "\uFEFF"+head+body)
	dir := t.TempDir()
	store := filestore.Store{Root: t.TempDir()}
	o := Options{Dir: dir, Now: time.Now()}
	done, err := Import(t.Context(), store, path, o)
	if err != nil || done.ID != "s" || done.Entries != 1 || done.Bad != 1 || filepath.Dir(done.Path) != store.Dir(dir) || filepath.Base(done.Path) != "small.jsonl" {
		t.Fatalf("%+v, %v", done, err)
	}
	if data, err := os.ReadFile(done.Path); err != nil || string(data) != head+body {
		t.Errorf("the copy is %q, %v", data, err)
	}
	for _, same := range []string{path, done.Path} {
		if again, err := Import(t.Context(), store, same, o); err != nil || !again.Already || again.Path != done.Path {
			t.Errorf("%s again: %+v, %v", same, again, err)
		}
	}
	o.Again = true
	other, err := Import(t.Context(), store, path, o)
	if err != nil || other.Was != "s" || other.ID == "s" || filepath.Base(other.Path) != "small-1.jsonl" {
		t.Fatalf("again: %+v, %v", other, err)
	}
	want := strings.Replace(strings.Replace(head, `"id":"s"`, `"id":"`+other.ID+`"`, 1), `]}`, `],"parentSession":"`+path+`"}`, 1) + body
	if data, err := os.ReadFile(other.Path); err != nil || string(data) != want {
		t.Errorf("the second copy is\n%s\nwant\n%s", data, want)
	}
	// Another session with the id.
	o.Again = false
	third, err := Import(t.Context(), store, fileOf(t, head+strings.Replace(body, `"x"`, `"y"`, 1)), o)
	if err != nil || third.Already || third.Was != "s" {
		t.Errorf("another of that id: %+v, %v", third, err)
	}
	if files, err := store.Files(); err != nil || len(files) != 3 {
		t.Errorf("the store has %v, %v", files, err)
	}
	// What cannot be imported leaves nothing.
	for _, data := range []string{"words\n", body, head[:60] + "\n" + body} {
		if r, err := Import(t.Context(), store, fileOf(t, data), o); err == nil {
			t.Errorf("%q is imported: %+v", data, r)
		}
	}
	entries, err := os.ReadDir(store.Dir(dir))
	if err != nil || len(entries) != 3 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func FuzzRecognize(f *testing.F) {
	f.Add([]byte(`{"id":1,"parentId":null,"message":{"role":"user","content":"x"}}` + "\n" + `{"id":2,"parentId":1,"message":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"x","arguments":"{"}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("long files are for others")
		}
		path := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := Recognize(path)
		if err != nil {
			return
		}
		h, lines := tree.Session("s", "/", time.UnixMilli(0))
		s, err := session.New(nil, h, lines...)
		if err != nil {
			t.Fatalf("%v\n%q", err, data)
		}
		if s.Tree().Damaged() || s.Tree().Len() < tree.Entries+2 {
			t.Fatalf("%d entries of %d\n%q", s.Tree().Len(), tree.Entries, data)
		}
	})
}
