package doctor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv/app","mark":[1.50]}`

const usage = `"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}}`

// entry is a line as pi writes it; at is its second.
func entry(id, parent string, at int, typ, fields string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-03-01T09:00:%02d.000Z",%s}`, typ, id, p, at, fields)
}

func user(id, parent string, at int) string {
	return entry(id, parent, at, "message", `"message":{"role":"user","content":[{"type":"text","text":"says `+id+`"}],"timestamp":1}`)
}

func answer(id, parent string, at int, calls ...string) string {
	content := `{"type":"text","text":"answers ` + id + `"}`
	for _, c := range calls {
		content += `,{"type":"toolCall","id":"` + c + `","name":"read","arguments":{}}`
	}
	return entry(id, parent, at, "message", `"message":{"role":"assistant","content":[`+content+`],"api":"x","provider":"p","model":"m",`+usage+`,"stopReason":"stop","timestamp":1}`)
}

func result(id, parent string, at int, call string) string {
	return entry(id, parent, at, "message", `"message":{"role":"toolResult","toolCallId":"`+call+`","toolName":"read","content":[],"isError":false,"timestamp":1}`)
}

func write(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2026-03-01T09-00-00-000Z_s.jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func check(t testing.TB, path string) *Report {
	t.Helper()
	r, err := Check(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// kinds lists what was found, as "torn@3".
func kinds(r *Report) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s@%d", f.Kind, f.Line))
	}
	return strings.Join(out, " ")
}

func TestWhatIsFound(t *testing.T) {
	a, b, c := user("a", "", 1), answer("b", "a", 2), user("c", "b", 3)
	torn := func(line string) string { return line[:len(line)-30] }
	lines := func(l ...string) string { return strings.Join(l, "\n") + "\n" }
	for _, tt := range []struct {
		name, data string
		want       string
		verdict    string
		pi         string // entries and messages, or what it does
	}{
		{"a file in which nothing is wrong", lines(head, a, b, c), "", "fine", "3 3"},
		{"an empty file", "", "empty@0", "fine", "0 0"},
		{"a torn line", lines(head, a, torn(b), c), "torn@3", "damaged", "2 1"},
		{"a torn last line", lines(head, a, b) + torn(c), "torn@4 no-final-newline@4", "damaged", "2 2"},
		{"a glued line", lines(head, a, torn(b)+c), "torn@3 glued@3", "damaged", "1 1"},
		{"zeros at the end", lines(head, a, b) + "\x00\x00", "zeros@4 no-final-newline@4", "damaged", "2 2"},
		{"a byte order mark", "\uFEFF" + lines(head, a), "byte-order-mark@1", "troubled", "refuses"},
		{"UTF-16", "\xff\xfe{\x00\"\x00", "no-session@0 utf-16@1 torn@1 no-final-newline@1", "no session", "refuses"},
		{"line ends of Windows", strings.ReplaceAll(lines(head, a), "\n", "\r\n"), "crlf@0", "fine", "1 1"},
		{"no last line end", head + "\n" + a, "no-final-newline@2", "fine", "1 1"},
		{"bytes that are not UTF-8", lines(head, strings.Replace(a, "says", "s\xe4\xff", 1)), "invalid-utf-8@2", "damaged", "1 1"},
		{"a value that is no object", lines(head, "42", a), "not-an-object@2", "fine", "1 1"},
		{"an entry without id", lines(head, a, strings.Replace(b, `"id":"b",`, "", 1)), "no-id@3", "damaged", "1 0"},
		{"an old version", lines(strings.Replace(head, `"version":3,`, "", 1), strings.Replace(a, `"id":"a","parentId":null,`, "", 1)), "old-version@1", "fine", "1 1"},
		{"a damaged line of an old version", lines(strings.Replace(head, `"version":3,`, "", 1), `{"type":"mess`, strings.Replace(a, `"id":"a","parentId":null,`, "", 1)), "old-version@1 torn@2", "damaged", "1 1"},
		{"a version that is not known", lines(strings.Replace(head, `:3`, ":4", 1), a), "new-version@1", "troubled", "1 1"},
		{"no header", lines(a, b), "header-missing@1", "damaged", "refuses"},
		{"a torn header", lines(head[:50], a), "header-damaged@1", "damaged", "refuses"},
		{"a header behind an entry", lines(a, head, b), "header-late@2", "damaged", "refuses"},
		{"a header behind nothing that counts", lines("garbage", "null", head, a), "torn@1 not-an-object@2", "damaged", "1 1"},
		{"a header without an id", lines(strings.Replace(head, `"id":"s",`, "", 1), a), "header-without-id@1", "damaged", "refuses"},
		{"two headers", lines(head, a, head), "second-header@3", "fine", "1 1"},
		{"words", "hello\n", "no-session@0 torn@1", "no session", "refuses"},
		{"the same line twice", lines(head, a, b, b), "repeated-line@3", "fine", "3 2"},
		{"one id twice", lines(head, a, b, user("b", "a", 9)), "duplicate-id@3", "damaged", "3 2"},
		{"a parent that is nowhere", lines(head, a, b, user("c", "x", 3)), "unknown-parent@4", "damaged", "3 1"},
		{"its own parent", lines(head, a, user("b", "b", 2)), "own-parent@3", "damaged", "hangs"},
		{"a circle", lines(head, user("a", "b", 1), user("b", "a", 2)), "parent-cycle@2", "damaged", "hangs"},
		{"a child before its parent", lines(head, a, c, b), "parent-after-child@3", "fine", "3 2"},
		{"a time that goes backwards", lines(head, a, answer("b", "a", 0)), "time-backwards@3", "fine", "2 2"},
		{"a compaction that keeps from elsewhere", lines(head, a, b, user("x", "a", 3), entry("k", "b", 4, "compaction", `"summary":"s","firstKeptEntryId":"x","tokensBefore":1`)),
			"boundary-not-on-path@5", "fine", "4 1"},
		{"a compaction that keeps from a result", lines(head, a, answer("b", "a", 2, "c1"), result("r", "b", 3, "c1"), entry("k", "r", 4, "compaction", `"summary":"s","firstKeptEntryId":"r","tokensBefore":1`)),
			"boundary-is-tool-result@5", "fine", "4 2"},
		{"an edit of another branch", lines(head, a, b, user("x", "a", 3), entry("e", "b", 4, "context_edit", `"targetId":"x","replacement":null`)), "edit-of-other-branch@5", "fine", "4 2"},
		{"a call without a result", lines(head, a, answer("b", "a", 2, "c1"), user("c", "b", 3)), "call-without-result@3", "fine", "3 3"},
		{"a result without a call", lines(head, a, result("r", "a", 2, "c1")), "result-without-call@3", "fine", "2 2"},
		{"a result twice", lines(head, a, answer("b", "a", 2, "c1"), result("r", "b", 3, "c1"), result("q", "r", 4, "c1")), "result-twice@5", "fine", "4 4"},
		{"results on two branches", lines(head, a, answer("b", "a", 2, "c1", "c2"), result("r", "b", 3, "c1"), result("q", "r", 4, "c2"), result("s", "b", 5, "c1")), "", "fine", "5 3"},
		{"the id of a call twice", lines(head, a, answer("b", "a", 2, "c1"), result("r", "b", 3, "c1"), answer("d", "r", 4, "c1")), "call-id-twice@5", "fine", "4 4"},
		{"an answer that failed and its call", lines(head, a, strings.Replace(answer("b", "a", 2, "c1"), `"stopReason":"stop"`, `"stopReason":"error"`, 1), user("c", "b", 3)), "", "fine", "3 3"},
		{"a message entry without a message", lines(head, a, entry("b", "a", 2, "message", `"x":1`)), "no-message@3", "troubled", "fails"},
		{"a message without content", lines(head, entry("a", "", 1, "message", `"message":{"role":"user","content":null}`)), "no-content@2", "fine", "1 1"},
		{"an answer that is a text", lines(head, entry("a", "", 1, "message", `"message":{"role":"assistant","content":"x",`+usage+`}`)), "content-is-text@2", "troubled", "1 1"},
		{"an answer without usage", lines(head, entry("a", "", 1, "message", `"message":{"role":"assistant","content":[]}`)), "no-usage@2", "troubled", "1 1"},
		{"a usage without cost", lines(head, entry("a", "", 1, "message", `"message":{"role":"assistant","content":[],"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0}}`)), "usage-incomplete@2", "troubled", "1 1"},
		{"a name that is a number", lines(head, a, entry("n", "a", 2, "session_info", `"name":7`)), "name-not-text@3", "troubled", "2 1"},
		{"a time that is none", lines(head, strings.Replace(a, "2026-03-01T", "yesterday ", 1)), "time-unreadable@2", "fine", "1 1"},
		{"types and roles of tomorrow", lines(head, entry("a", "", 1, "hologram", `"x":1`), entry("b", "a", 2, "message", `"message":{"role":"ghost"}`)), "unknown-type@2 unknown-role@3", "fine", "2 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.data)
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			r := check(t, path)
			if got := kinds(r); got != tt.want {
				t.Errorf("found %s, want %s", got, tt.want)
			}
			if r.Verdict() != tt.verdict || r.Fine() != (tt.verdict == "fine") {
				t.Errorf("verdict %s, want %s", r.Verdict(), tt.verdict)
			}
			pi := fmt.Sprintf("%d %d", r.Pi.Entries, r.Pi.Messages)
			switch {
			case !r.Pi.Opens:
				pi = "refuses"
			case r.Pi.Hangs:
				pi = "hangs"
			case r.Pi.Fails:
				pi = "fails"
			}
			if pi != tt.pi {
				t.Errorf("pi: %s, want %s", pi, tt.pi)
			}
			for _, f := range r.Findings {
				if f.Line > 0 && (f.Offset < 0 || f.Offset+f.Size > r.Size) {
					t.Errorf("nowhere: %+v", f)
				}
				if f.Level == "" || f.Text == "" {
					t.Errorf("without words: %+v", f)
				}
			}
			if !rawjson.Valid(r.JSON()) {
				t.Errorf("no JSON: %s", r.JSON())
			}
			after, err := os.Stat(path)
			if data, _ := os.ReadFile(path); err != nil || string(data) != tt.data || !after.ModTime().Equal(before.ModTime()) {
				t.Error("the file was changed")
			}
			repairs(t, r, tt.data)
		})
	}
}

// repairs checks that a repaired session has nothing left to repair, and that the
// file is as it was.
func repairs(t *testing.T, r *Report, data string) {
	t.Helper()
	done, err := r.Repair(RepairOptions{Dir: "/here", Now: time.UnixMilli(1772400000000)})
	if !r.Session || r.Fine() {
		if err == nil {
			t.Errorf("it was repaired: %+v", done)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	now := check(t, done.Path)
	if !now.Fine() || now.Messages < r.Messages && r.Counts[NoMessage] == 0 || now.Entries != r.Entries+1 || done.Entries != r.Entries {
		text, _ := os.ReadFile(done.Path)
		t.Errorf("repaired, it has %s: %d messages (%d), %d entries (%d)\n%s", kinds(now), now.Messages, r.Messages, now.Entries, r.Entries, text)
	}
	if now.InPi() != "pi sees the same." {
		t.Errorf("repaired: %s", now.InPi())
	}
	if now.Header.ID != done.ID || now.Header.ParentSession != r.Path || now.Header.CWD == "" {
		t.Errorf("header %+v", now.Header)
	}
	if text, err := os.ReadFile(r.Path); err != nil || string(text) != data {
		t.Errorf("the old file was changed: %v", err)
	}
	if again, err := r.Repair(RepairOptions{Out: done.Path, Now: time.Now()}); err == nil {
		t.Errorf("it was written over: %+v", again)
	}
}

// A repaired session has the lines of the old one, to the byte where nothing is
// wrong with them.
func TestRepairKeepsBytes(t *testing.T) {
	a := strings.Replace(user("a", "", 1), `"timestamp":1}`, `"timestamp":1,"big":12345678901234567890,"half":"\ud83d"} `, 1)
	c := user("c", "b", 3)
	data := head + "\n" + a + "\n" + answer("b", "a", 2)[:150] + "\n" + c + "\n" + user("d", "c", 4) + "\n"
	r := check(t, write(t, data))
	out := filepath.Join(t.TempDir(), "out.jsonl")
	done, err := r.Repair(RepairOptions{Out: out, Now: time.UnixMilli(1772400000000)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	want := []string{a, strings.Replace(c, `"parentId":"b"`, `"parentId":"a"`, 1), user("d", "c", 4), ""}
	if len(lines) < 2 || !slices.Equal(lines[2:], want) {
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(lines[2:], "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(lines[0], `"mark":[1.50]`) || !strings.Contains(lines[0], `"parentSession":`) || !strings.Contains(lines[0], `"cwd":"/srv/app"`) {
		t.Errorf("header %s", lines[0])
	}
	if !strings.Contains(lines[1], `"customType":"bough.repair"`) || !strings.Contains(lines[1], `{"kind":"torn","line":3,`) {
		t.Errorf("account %s", lines[1])
	}
	if done.Lost != 1 || done.Moved != 0 || done.Changed != 0 || done.Entries != 3 {
		t.Errorf("%+v", done)
	}
	// It opens, and stands where the old one stood.
	s, err := session.Open(t.Context(), filestore.Store{Sync: filestore.SyncOff}, out)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Tree().Leaf() != "d" {
		t.Errorf("it stands at %s", s.Tree().Leaf())
	}
}

// The examination and the repair of any bytes end, and what is repaired is whole.
func TestAnyDamage(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 50
	}
	dir := t.TempDir()
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 5))
		lines := []string{head}
		for i := 1; i <= 12; i++ {
			id, parent := fmt.Sprintf("e%d", i), ""
			if i > 1 {
				parent = fmt.Sprintf("e%d", max(1, i-1-r.IntN(3)*r.IntN(2)))
			}
			switch r.IntN(5) {
			case 0:
				lines = append(lines, answer(id, parent, i, "c"+id))
			case 1:
				lines = append(lines, result(id, parent, i, "c"+parent))
			case 2:
				lines = append(lines, entry(id, parent, i, "compaction", `"summary":"s","firstKeptEntryId":"e`+fmt.Sprint(1+r.IntN(i))+`","tokensBefore":1`))
			default:
				lines = append(lines, user(id, parent, i))
			}
		}
		data := []byte(strings.Join(lines, "\n") + "\n")
		for range 1 + r.IntN(4) {
			at := r.IntN(len(data))
			to := min(len(data), at+r.IntN(200))
			switch r.IntN(5) {
			case 0:
				data = slices.Delete(data, at, to)
			case 1:
				data[at] ^= 1 << r.IntN(8)
			case 2:
				data = data[:max(1, at)]
			case 3:
				data = slices.Insert(data, at, data[at:to]...)
			case 4:
				clear(data[at:to])
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", seed))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		rep := check(t, path)
		done, err := rep.Repair(RepairOptions{Out: path + ".new", Dir: "/", Now: time.Now()})
		if err == nil {
			if now := check(t, done.Path); !now.Fine() {
				text, _ := os.ReadFile(done.Path)
				t.Fatalf("seed %d: repaired, it has %s\n%q\n%q", seed, kinds(now), data, text)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Fatalf("seed %d: the file was changed", seed)
		}
	}
}
