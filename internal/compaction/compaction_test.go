package compaction

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// path makes a path of entries that are written in short: a kind, an id and, for
// messages, the size in tokens. Kinds: S system, U user, A assistant, R result,
// C custom message, - bookkeeping. Anything that begins with { is a line without
// id, parent and time.
func path(t testing.TB, words ...string) (*session.Tree, []*session.Entry) {
	t.Helper()
	tree := session.NewTree()
	parent := "null"
	for i, w := range words {
		var line, id string
		if strings.HasPrefix(w, "{") {
			line, id = w, fmt.Sprintf("e%d", i)
		} else {
			var kind string
			var size int
			fields := strings.Split(w, ":")
			kind, id = fields[0], fields[1]
			if len(fields) > 2 {
				fmt.Sscan(fields[2], &size)
			}
			text := strings.Repeat("x", 4*size)
			switch kind {
			case "S", "U":
				line = fmt.Sprintf(`{"type":"message","message":{"role":"%s","content":"%s"}}`, map[string]string{"S": "system", "U": "user"}[kind], text)
			case "A", "R":
				line = fmt.Sprintf(`{"type":"message","message":{"role":"%s","content":[{"type":"text","text":"%s"}]}}`, map[string]string{"A": "assistant", "R": "toolResult"}[kind], text)
			case "C":
				line = fmt.Sprintf(`{"type":"custom_message","customType":"x","content":"%s"}`, text)
			case "-":
				line = `{"type":"custom","customType":"x"}`
			}
		}
		raw := rawjson.Set([]byte(line), "id", rawjson.Quote(id))
		raw = rawjson.Set(raw, "parentId", []byte(parent))
		e, err := session.Decode(raw, session.Line{}, nil)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		tree.Add(e)
		parent = string(rawjson.Quote(id))
	}
	return tree, tree.Path(tree.Last().ID)
}

func measure(t testing.TB, entries []*session.Entry) *Context {
	t.Helper()
	p, err := session.Project(entries)
	if err != nil {
		t.Fatal(err)
	}
	return Measure(entries, p, nil)
}

func plan(t testing.TB, entries []*session.Entry, o Options) *Plan {
	t.Helper()
	p, err := measure(t, entries).Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// show tells of a plan: the first kept entry, "split" if so, and how many
// messages are summed up.
func (p *Plan) show() string {
	if p == nil {
		return "nothing"
	}
	split := ""
	if p.Split {
		split = " split"
	}
	return fmt.Sprintf("%s%s %d/%d", p.FirstKept, split, len(p.History), len(p.Prefix))
}

// The worked example of docs/spec/session.md 7.4.
func TestCutsOfTheWorkedExample(t *testing.T) {
	call := func(id, name, file string, size int) string {
		args := `{"path":"` + file + `"}`
		pad := strings.Repeat("x", 4*size-len(name)-len(args))
		return fmt.Sprintf(`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"%s"},{"type":"toolCall","id":"c","name":"%s","arguments":%s}]}}`, pad, name, args)
	}
	_, entries := path(t, "U:e0:100", call("e1", "read", "a", 20), "R:e2:100", "R:e3:100", "A:e4:100", "U:e5:100", call("e6", "edit", "a", 20), "R:e7:500", "A:e8:10")
	for _, tt := range []struct {
		name string
		keep int64
		want string
	}{
		{"the last answer is enough", 5, "e8 split 5/3"},
		{"just enough", 10, "e8 split 5/3"},
		{"reached at a result, so the next cut point", 400, "e8 split 5/3"},
		{"reached at a question", 600, "e5 5/0"},
		{"reached at an answer whose turn began at the start", 700, "e4 split 0/4"},
		{"never reached", 10000, "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plan(t, entries, Options{KeepRecent: tt.keep}).show(); got != tt.want {
				t.Errorf("keep %d: %s, want %s", tt.keep, got, tt.want)
			}
		})
	}
}

func TestCuts(t *testing.T) {
	omit := func(target string) string {
		return `{"type":"context_edit","targetId":"` + target + `","replacement":null}`
	}
	replace := func(target string) string {
		return `{"type":"context_edit","targetId":"` + target + `","replacement":{"content":"xxxx"}}`
	}
	for _, tt := range []struct {
		name  string
		keep  int64
		sound bool
		words []string
		want  string
	}{
		{"a giant first prompt stays", 20000, false, []string{"U:u:30000", "A:a:1"}, "nothing"},
		{"a giant result keeps its call", 20000, false, []string{"U:u:1", "A:a:1", "R:r:30000"}, "a split 0/1"},
		{"a giant question is kept", 20000, false, []string{"U:u:1", "A:a:1", "U:v:30000"}, "v 2/0"},
		{"with nothing to keep the last message stays", 0, false, []string{"U:u:1", "A:a:1"}, "a split 0/1"},
		{"system messages count, but are not summed up", 10, false, []string{"S:s:5", "U:u:1", "A:a:5", "U:v:10"}, "v 2/0"},
		{"a custom message begins a turn", 5, false, []string{"U:u:5", "A:a:5", "C:c:5"}, "c 2/0"},
		{"the cut moves before bookkeeping and splits the turn before, as in pi", 5, false, []string{"U:u:5", "A:a:5", "-:m", "U:v:5"}, "m split 0/2"},
		{"a sound cut moves, but splits nothing", 5, true, []string{"U:u:5", "A:a:5", "-:m", "U:v:5"}, "m 2/0"},
		{"a sound cut within a turn splits it", 5, true, []string{"U:u:5", "A:a:5", "-:m", "A:b:5"}, "m split 0/2"},
		{"a failed attempt that was taken away lets the question go", 5, false, []string{"U:u:5", "A:a:5", "U:v:9", "A:b:1", omit("b")}, "b split 2/1"},
		{"a sound cut lets it go only if it is too long itself", 10, true, []string{"U:u:5", "A:a:5", "S:s:9", "U:v:2", "A:b:1", omit("b")}, "v 2/0"},
		{"and then it does", 5, true, []string{"U:u:5", "A:a:5", "U:v:9", "A:b:1", omit("b")}, "b split 2/1"},
		{"but not if an edit changes the question", 1, false, []string{"U:u:5", "A:a:5", "U:v:9", "A:b:1", omit("b"), replace("v")}, "v 2/0"},
		{"nor if something else follows", 1, false, []string{"U:u:5", "A:a:5", "A:b:1", omit("b"), "U:v:9"}, "b split 0/2"},
		{"a compaction just made", 1, false, []string{"U:u:5", "A:a:5", `{"type":"compaction","summary":"s","firstKeptEntryId":"a"}`}, "nothing"},
		{"no messages at all", 1, false, []string{"-:a", "-:b"}, "nothing"},
		{"no entries", 1, false, nil, "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var entries []*session.Entry
			if tt.words != nil {
				_, entries = path(t, tt.words...)
			}
			if got := plan(t, entries, Options{KeepRecent: tt.keep, Sound: tt.sound}).show(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestCompactingAgain(t *testing.T) {
	for _, tt := range []struct {
		name, hook string
		read       string
	}{
		{"carries the files of the summary before", `false`, "[old.go x.go]"},
		{"but not those of an extension", `true`, "[x.go]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, entries := path(t, "U:u:5", "A:a:5",
				`{"type":"compaction","summary":"so far","firstKeptEntryId":"a","fromHook":`+tt.hook+`,"details":{"readFiles":["old.go"],"modifiedFiles":["m.go",7]}}`,
				`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"path":"x.go"}},{"type":"toolCall","id":"d","name":"bash","arguments":{"path":"no"}}]}}`,
				`{"type":"message","message":{"role":"toolResult","content":[],"nestedCalls":{"calls":[{"name":"write","arguments":{"path":"w.go"}}],"complete":true}}}`,
				"U:v:9")
			p := plan(t, entries, Options{KeepRecent: 5})
			if p == nil || p.Previous == nil || *p.Previous != "so far" {
				t.Fatalf("plan %+v, want one that goes on from the summary", p)
			}
			if got := p.show(); got != "v 3/0" {
				t.Errorf("%s, want all that was kept and came after: v 3/0", got)
			}
			if got := fmt.Sprint(p.Files.Read); got != tt.read {
				t.Errorf("read %s, want %s", got, tt.read)
			}
			if got := fmt.Sprint(p.Files.Written); got != "[w.go]" {
				t.Errorf("written %s, want [w.go]", got)
			}
		})
	}
}

func TestFilesThatWereChangedAreNotListedAsRead(t *testing.T) {
	read, modified := Files{Read: []string{"a", "b", "c"}, Edited: []string{"b", "d"}, Written: []string{"c", "d"}}.Lists()
	if fmt.Sprint(read, modified) != "[a] [b c d]" {
		t.Errorf("read %v, modified %v", read, modified)
	}
}

func TestTokens(t *testing.T) {
	answer := func(usage, stop string) string {
		return `{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"xxxx"}],"stopReason":"` + stop + `","usage":` + usage + `}}`
	}
	edit := `{"type":"context_edit","targetId":"u","replacement":{"content":"xxxxxxxx"}}`
	for _, tt := range []struct {
		name  string
		words []string
		want  int64
	}{
		{"nothing told: estimates", []string{"S:s:3", "U:u:4"}, 7},
		{"what was told, and estimates of the rest", []string{"U:u:4", answer(`{"totalTokens":100}`, "stop"), "U:v:5"}, 105},
		{"without a total, the sum of the parts", []string{answer(`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":0}`, "stop")}, 10},
		{"incomplete parts tell nothing", []string{answer(`{"input":1,"output":2}`, "stop")}, 1},
		{"an answer that broke off tells nothing", []string{answer(`{"totalTokens":50}`, "stop"), answer(`{"totalTokens":100}`, "aborted")}, 51},
		{"an edit voids what was told", []string{"U:u:4", answer(`{"totalTokens":100}`, "stop"), edit}, 3},
		{"so does a compaction", []string{"U:u:4", answer(`{"totalTokens":100}`, "stop"), `{"type":"compaction","summary":"xxxx","firstKeptEntryId":"e1"}`}, 2},
		{"system messages count as they are folded", []string{`{"type":"message","message":{"role":"system","content":"","sections":{"a":"xxxxxxxx"},"timestamp":1}}`,
			`{"type":"message","message":{"role":"system","content":"","sections":{"a":"xxxx"},"timestamp":1}}`}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "nothing told: estimates" {
				tt.words[0] = `{"type":"message","message":{"role":"system","content":"xxxxxxxxxxxx","timestamp":1}}`
			}
			_, entries := path(t, tt.words...)
			if got := measure(t, entries).Tokens; got != tt.want {
				t.Errorf("%d tokens, want %d", got, tt.want)
			}
		})
	}
}

// What a plan sums up and what it keeps is the context, nothing twice and
// nothing lost, and no result is kept without its call.
func TestPlansCoverTheContext(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		var words []string
		for i := range 3 + r.IntN(20) {
			kind := []string{"U", "A", "A", "R", "R", "C", "-", "S"}[r.IntN(8)]
			words = append(words, fmt.Sprintf("%s:i%d:%d", kind, i, r.IntN(20)))
		}
		_, entries := path(t, words...)
		c := measure(t, entries)
		for _, sound := range []bool{false, true} {
			o := Options{KeepRecent: int64(r.IntN(100)), Sound: sound}
			p, err := c.Plan(o)
			if err != nil {
				t.Fatal(err)
			}
			if p == nil {
				continue
			}
			summed := append(append([]session.Item(nil), p.History...), p.Prefix...)
			for i, e := range entries {
				if e.ID == p.FirstKept {
					for _, it := range c.items(i) {
						if it.Message.Role == message.ToolResult {
							t.Fatalf("seed %d: %v: keeps from a result", seed, o)
						}
					}
					break
				}
				for _, it := range c.items(i) {
					if it.Message.Role == message.System {
						continue
					}
					if len(summed) == 0 || summed[0].Entry != it.Entry {
						t.Fatalf("seed %d: %v: %s is neither summed up nor kept", seed, o, it.Entry.ID)
					}
					summed = summed[1:]
				}
			}
			if len(summed) > 0 {
				t.Fatalf("seed %d: %v: %s is summed up and kept", seed, o, summed[0].Entry.ID)
			}
		}
	}
}
