package session

import (
	"bytes"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
)

func TestParseTime(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        int64 // Unix milliseconds
		ok          bool
	}{
		{"milliseconds and Z", `"2026-03-01T09:00:00.123Z"`, 1772355600123, true},
		{"no fraction", `"2026-03-01T09:00:00Z"`, 1772355600000, true},
		{"an offset", `"2026-03-01T18:00:00.5+09:00"`, 1772355600500, true},
		{"a day", `"2026-03-01"`, 1772323200000, true},
		{"no seconds", `"2026-03-01T09:00Z"`, 1772355600000, true},
		{"a fraction cut to milliseconds", `"2026-03-01T09:00:00.1239Z"`, 1772355600123, true},
		{"a day that the month does not have", `"2026-02-29"`, 1772323200000, true},
		{"the end of a day", `"2026-02-28T24:00:00Z"`, 1772323200000, true},
		{"the first moment of our calendar", `"0001-01-01T00:00:00Z"`, -62135596800000, true},
		{"a moment behind the end of a day", `"2026-02-28T24:00:00.001Z"`, 0, false},
		{"a comma", `"2026-03-01T09:00:00,123Z"`, 0, false},
		{"no zone", `"2026-03-01T09:00:00"`, 0, false},
		{"an offset of more than a day", `"2026-03-01T09:00:00+24:00"`, 0, false},
		{"more behind it", `"2026-03-01T09:00:00Z "`, 0, false},
		{"a month too many", `"2026-13-01"`, 0, false},
		{"a number", `1772355600123.9`, 1772355600123, true},
		{"null", `null`, 0, true},
		{"nothing", ``, 0, false},
		{"nonsense", `"yesterday"`, 0, false},
		{"a number beyond all time", `1e300`, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseTime([]byte(tt.value))
			if ok != tt.ok || ok && got.UnixMilli() != tt.want {
				t.Errorf("time %v, %t; want %d, %t", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestNewEntry(t *testing.T) {
	at := time.UnixMilli(1772355600123)
	sys := message.Message{Role: message.System, Content: []message.Block{message.Text("p")}, IsText: true}
	for _, tt := range []struct {
		name   string
		parent ID
		body   Body
		want   string
	}{
		{"a root", "", ThinkingChange{"low"}, `{"type":"thinking_level_change","id":"n","parentId":null,"timestamp":"2026-03-01T09:00:00.123Z","thinkingLevel":"low"}`},
		{"line separators as escapes", "p", Info{"a\u2028b"}, `{"type":"session_info","id":"n","parentId":"p","timestamp":"2026-03-01T09:00:00.123Z","name":"a\u2028b"}`},
		{"a label that clears", "p", Label{Target: "x"}, `{"type":"label","id":"n","parentId":"p","timestamp":"2026-03-01T09:00:00.123Z","targetId":"x"}`},
		{"a compaction that keeps nothing, with its own time in the system message", "p", Compaction{Summary: "s", TokensBefore: 5, System: &sys},
			`{"type":"compaction","id":"n","parentId":"p","timestamp":"2026-03-01T09:00:00.123Z","summary":"s","firstKeptEntryId":"n","tokensBefore":5,"systemMessage":{"role":"system","content":"p","timestamp":1772355600123}}`},
		{"fields of any type as they stand", "p", Other{"hologram", message.Value(`{"a":1.50,"b":null}`)}, `{"type":"hologram","id":"n","parentId":"p","timestamp":"2026-03-01T09:00:00.123Z","a":1.50,"b":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewEntry("n", tt.parent, at, tt.body).Raw()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("line %s, want %s", got, tt.want)
			}
		})
	}
}

// A line that decodes is kept to the byte, says what it says without a panic,
// and fits into a tree.
func FuzzDecode(f *testing.F) {
	for _, l := range []string{
		userLine("a", "", "x"),
		`{"type":"custom","id":"2","parentId":"1","customType":"x","data":[2.50,"\ud800"]}`,
		`{"type":"compaction","id":"k","parentId":"k","summary":5,"firstKeptEntryId":"k","systemMessage":{"role":"system","content":null}}`,
		`{"type":"context_edit","id":"e","targetId":"a","replacement":{"content":[7]},"timestamp":8.64e15}`,
		`{"type":"label","id":"l","targetId":"l","label":"l"} `,
		`{"type":"message","id":"m","message":{"role":"assistant","content":[null,{"type":"toolCall"}],"usage":{"input":1e400}}}`,
	} {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := Decode(line, Line{}, Bytes(line))
		if err != nil {
			return
		}
		if raw, _ := e.Raw(); !bytes.Equal(raw, line) {
			t.Fatalf("raw %q, want %q", raw, line)
		}
		if _, err := e.Body(); err != nil {
			t.Fatalf("body: %v", err)
		}
		tr := NewTree()
		tr.Add(e)
		if _, err := Project(tr.Path(e.ID)); err != nil {
			t.Fatalf("project: %v", err)
		}
		if _, err := tr.Destination(e.ID); err != nil {
			t.Fatalf("destination: %v", err)
		}
		c, err := tr.CopyBranch(e.ID)
		if err != nil {
			t.Fatalf("copy: %v", err)
		}
		lines, err := c.Lines()
		if err != nil {
			t.Fatalf("copy: %v", err)
		}
		for _, l := range lines {
			if _, err := Decode(l, Line{}, Bytes(l)); err != nil {
				t.Fatalf("copied line %q: %v", l, err)
			}
		}
		if _, err := tr.Stats(); err != nil {
			t.Fatalf("stats: %v", err)
		}
	})
}
