package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv/app"}` + "\n"

// apply runs operations on a file and returns the lines that were added, without
// what differs from run to run.
func apply(t *testing.T, file, ops string) (added []string, result string) {
	t.Helper()
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Apply(&out, file, []byte(ops)); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(after, before) {
		t.Fatalf("the file was not only appended to:\n%s", after)
	}
	for _, line := range strings.SplitAfter(string(after[len(before):]), "\n") {
		if line == "" {
			continue
		}
		raw := []byte(strings.TrimSuffix(line, "\n"))
		for _, key := range []string{"id", "parentId", "timestamp"} {
			raw = rawjson.Delete(raw, key)
		}
		added = append(added, string(raw))
	}
	return added, out.String()
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	question = `{"type":"message","id":"q","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"ports?","timestamp":1}}` + "\n"
	answer   = `{"type":"message","id":"a","parentId":"q","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"80"}],"timestamp":2}}` + "\n"
)

func TestApplyWrites(t *testing.T) {
	for _, tt := range []struct {
		name, ops string
		want      string
	}{
		{"a message as it is given", `[{"op":"message","message":{"role":"user","content":"<a>","extra":[2.50,"\ud800"],"timestamp":3}}]`,
			`{"type":"message","message":{"role":"user","content":"<a>","extra":[2.5,"\ud800"],"timestamp":3}}`},
		{"a model", `[{"op":"model","provider":"p","modelId":"m"}]`, `{"type":"model_change","provider":"p","modelId":"m"}`},
		{"a thinking level", `[{"op":"thinking","level":"high"}]`, `{"type":"thinking_level_change","thinkingLevel":"high"}`},
		{"a usage to the last field", `[{"op":"usage","kind":"k","provider":"p","model":"m","usage":{"input":1,"x":2}}]`,
			`{"type":"usage","kind":"k","provider":"p","model":"m","usage":{"input":1,"x":2}}`},
		{"data of an extension", `[{"op":"custom","customType":"x","data":null}]`, `{"type":"custom","customType":"x","data":null}`},
		{"no data where none is given", `[{"op":"custom","customType":"x"}]`, `{"type":"custom","customType":"x"}`},
		{"a message of an extension", `[{"op":"customMessage","customType":"x","content":"c","display":false}]`,
			`{"type":"custom_message","customType":"x","content":"c","display":false}`},
		{"an omission", `[{"op":"contextEdit","target":"q","replacement":null}]`, `{"type":"context_edit","targetId":"q","replacement":null}`},
		{"a text for an answer as a block", `[{"op":"contextEdit","target":"@-1","replacement":{"content":"new"}}]`,
			`{"type":"context_edit","targetId":"a","replacement":{"content":[{"type":"text","text":"new"}]}}`},
		{"a text for a question as a text", `[{"op":"contextEdit","target":"@1","replacement":{"content":"new"}}]`,
			`{"type":"context_edit","targetId":"q","replacement":{"content":"new"}}`},
		{"a label", `[{"op":"label","target":"q","label":"here"}]`, `{"type":"label","targetId":"q","label":"here"}`},
		{"the end of a label", `[{"op":"label","target":"q","label":null}]`, `{"type":"label","targetId":"q"}`},
		{"a name on one line", `[{"op":"name","name":" one\r\n\ntwo\u2028 "}]`, `{"type":"session_info","name":"one two"}`},
		{"a compaction", `[{"op":"compaction","summary":"s","firstKept":"a","tokensBefore":7,"details":{"b":1}}]`,
			`{"type":"compaction","summary":"s","firstKeptEntryId":"a","tokensBefore":7,"details":{"b":1}}`},
		{"the summary of a branch", `[{"op":"branchSummary","to":"q","summary":"s"}]`, `{"type":"branch_summary","fromId":"a","summary":"s"}`},
		{"the summary of a branch from nowhere", `[{"op":"reset"},{"op":"branchSummary","to":null,"summary":"s"}]`,
			`{"type":"branch_summary","fromId":"root","summary":"s"}`},
		{"nothing for a move", `[{"op":"branch","to":"q"}]`, ``},
		{"nothing for a label on nothing", `[{"op":"label","target":"nowhere","label":"x","fails":true}]`, ``},
		{"nothing for a move to nothing", `[{"op":"branch","to":"nowhere","fails":true}]`, ``},
		{"nothing for an edit off the path", `[{"op":"branch","to":"q"},{"op":"contextEdit","target":"a","replacement":null,"fails":true}]`, ``},
		{"nothing for an edit without content", `[{"op":"contextEdit","target":"q","replacement":{"content":5},"fails":true}]`, ``},
		{"nothing for an edit that says nothing", `[{"op":"contextEdit","target":"q","fails":true}]`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			added, _ := apply(t, write(t, header+question+answer), tt.ops)
			if got := strings.Join(added, "\n"); got != tt.want {
				t.Errorf("added\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, tt := range []struct{ name, ops string }{
		{"what is no list", `{"op":"reset"}`},
		{"an operation that it does not know", `[{"op":"dance"}]`},
		{"a name that was not given", `[{"op":"branch","to":"$x"}]`},
		{"a number beyond the end", `[{"op":"branch","to":"@3"}]`},
		{"success where failure is asked for", `[{"op":"branch","to":"q","fails":true}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, header+question+answer)
			if err := Apply(&bytes.Buffer{}, file, []byte(tt.ops)); err == nil {
				t.Error("no error")
			}
			if got := string(read(t, file)); got != header+question+answer {
				t.Errorf("the file has changed:\n%s", got)
			}
		})
	}
}

func TestApplyChainsEntriesAndNamesThem(t *testing.T) {
	file := write(t, header+strings.TrimSuffix(question, "\n")) // no line end
	var out bytes.Buffer
	err := Apply(&out, file, []byte(`[
		{"op":"message","as":"a","message":{"role":"assistant","content":[]}},
		{"op":"label","target":"$a","label":"x","as":"l"},
		{"op":"branch","to":"q"},
		{"op":"message","as":"b","message":{"role":"assistant","content":[]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, entries, err := session.Load(read(t, file))
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d entries, %v, want 4", len(entries), err)
	}
	a, l, b := entries[1], entries[2], entries[3]
	if a.Parent != "q" || l.Parent != a.ID || b.Parent != "q" {
		t.Errorf("parents are %s, %s, %s; want q, %s, q", a.Parent, l.Parent, b.Parent, a.ID)
	}
	want := `{"file":"s.jsonl","ids":{"a":"` + string(a.ID) + `","b":"` + string(b.ID) + `","l":"` + string(l.ID) + `"},"leafId":"` + string(b.ID) + `"}` + "\n"
	if out.String() != want {
		t.Errorf("printed %s, want %s", out.String(), want)
	}
}

func TestApplyCompactionReplaysSystemMessages(t *testing.T) {
	system := `{"type":"message","id":"s","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"system","content":"be brief","timestamp":1}}` + "\n"
	file := write(t, header+system)
	var out bytes.Buffer
	if err := Apply(&out, file, []byte(`[{"op":"compaction","summary":"s","firstKept":null,"tokensBefore":7,"as":"k"}]`)); err != nil {
		t.Fatal(err)
	}
	_, entries, err := session.Load(read(t, file))
	if err != nil {
		t.Fatal(err)
	}
	k := entries[len(entries)-1]
	body, err := k.Body()
	if err != nil {
		t.Fatal(err)
	}
	c := body.(session.Compaction)
	if c.FirstKept != k.ID {
		t.Errorf("keeps from %q, want the entry itself, %s", c.FirstKept, k.ID)
	}
	if c.System == nil || c.System.Text("") != "be brief" || c.System.Timestamp != k.Time.UnixMilli() {
		t.Errorf("system message %+v, want one of the time of the entry, %d", c.System, k.Time.UnixMilli())
	}
}

func TestApplyKeepsANewSessionBackUntilSomebodySpeaks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.jsonl")
	var out bytes.Buffer
	if err := Apply(&out, file, []byte(`[{"op":"model","provider":"p","modelId":"m"},{"op":"name","name":"n"}]`)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file without a message: %v", err)
	}
	if err := Apply(&out, file, []byte(`[{"op":"model","provider":"p","modelId":"m"},{"op":"message","message":{"role":"user","content":"hi"}}]`)); err != nil {
		t.Fatal(err)
	}
	h, entries, err := session.Load(read(t, file))
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries, %v, want 2", len(entries), err)
	}
	if cwd, _ := os.Getwd(); h.CWD != cwd || h.Version != session.Version {
		t.Errorf("header %s, want version %d and folder %s", h.Line(), session.Version, cwd)
	}
}

func TestApplyMakesASessionOfAnEmptyFile(t *testing.T) {
	file := write(t, "")
	if err := Apply(&bytes.Buffer{}, file, []byte(`[{"op":"message","message":{"role":"user","content":"hi"}}]`)); err != nil {
		t.Fatal(err)
	}
	if _, entries, err := session.Load(read(t, file)); err != nil || len(entries) != 1 {
		t.Errorf("%d entries, %v, want 1", len(entries), err)
	}
}

func TestApplyForksIntoTheSameFolder(t *testing.T) {
	file := write(t, header+question+answer)
	ops := `[{"op":"label","target":"q","label":"x"},{"op":"fork","leaf":"a"},{"op":"message","message":{"role":"user","content":"more"}}]`
	var out bytes.Buffer
	if err := Apply(&out, file, []byte(ops)); err != nil {
		t.Fatal(err)
	}
	name, _ := rawjson.GetString(out.Bytes(), "file")
	h, entries, err := session.Load(read(t, filepath.Join(filepath.Dir(file), name)))
	if err != nil {
		t.Fatal(err)
	}
	if h.ParentSession != file || h.CWD != "/srv/app" {
		t.Errorf("header %s", h.Line())
	}
	var types []session.Type
	for _, e := range entries {
		types = append(types, e.Type)
	}
	if len(entries) != 4 || entries[2].Type != session.TypeLabel || entries[3].Parent != entries[2].ID || entries[3].Role != message.User {
		t.Errorf("entries %v, want the path, the label and the new message", types)
	}
	if lines := strings.Count(string(read(t, file)), "\n"); lines != 4 {
		t.Errorf("the old session has %d lines, want 4", lines)
	}
}

func TestApplyForkOfSettingsHasNoFileYet(t *testing.T) {
	file := write(t, header+`{"type":"model_change","id":"m","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","provider":"p","modelId":"m"}`+"\n")
	var out bytes.Buffer
	if err := Apply(&out, file, []byte(`[{"op":"fork","leaf":"m"}]`)); err != nil {
		t.Fatal(err)
	}
	name, _ := rawjson.GetString(out.Bytes(), "file")
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), name)); name == "s.jsonl" || !os.IsNotExist(err) {
		t.Errorf("file %s: %v, want a new one that does not exist yet", name, err)
	}
}
