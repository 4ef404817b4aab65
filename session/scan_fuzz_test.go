package session

import (
	"bytes"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
)

// FuzzScan checks that what the front of a line tells is what the line says, and
// that a scan in parts finds what one of the whole does.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"type":"message","id":"5d0f2a11","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"x"}}`), 3)
	f.Add([]byte(`{"type":"message","id":"a","parentId":"5d0f2a11","timestamp":"2026-03-01T09:00:00.123Z","message":{"role":"assistant","content":[]}}`+"\n\n{}\n"), 9)
	f.Add([]byte(`{"type":"custom","customType":"bough.leaf","id":"a","parentId":"b","timestamp":"x"}`+"\r\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var whole Scan
		whole.Lines(data, 0)
		for _, r := range whole.Records {
			line := bytes.Trim(data[r.off:r.off+int64(r.size)], "\n")
			if !rawjson.Valid(line) || repeats(line) {
				continue // what only reading it whole can tell
			}
			e, err := Decode(line, Line{Seq(r.off) + Seq(r.size), int(r.size)}, nil)
			if err != nil {
				t.Fatalf("%q is taken for an entry: %v", line, err)
			}
			want := e.record()
			got := r
			got.flags &^= again | orphaned
			want.size = got.size
			if got != want {
				t.Fatalf("%q: %+v, want %+v", line, got, want)
			}
		}
		// In two parts, cut behind a line.
		if i := bytes.IndexByte(data[min(max(cut, 0), len(data)):], '\n'); i >= 0 {
			at := min(max(cut, 0), len(data)) + i + 1
			var parts Scan
			parts.Lines(data[:at], 0)
			parts.Lines(data[at:], int64(at))
			if len(parts.Records) != len(whole.Records) || parts.Junk != whole.Junk {
				t.Fatalf("in parts %d records, whole %d", len(parts.Records), len(whole.Records))
			}
		}
		x := NewIndex()
		x.Append(&whole)
		tr := NewTreeOf(x, file(data))
		tr.Leaf()
		for e := range tr.All() {
			tr.Path(e.ID)
		}
	})
}

// repeats reports whether an object has a key twice, or its message has.
func repeats(obj []byte) bool {
	seen := map[string]bool{}
	for k := range rawjson.Members(obj) {
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	seen = map[string]bool{}
	for k := range rawjson.Members(rawjson.Get(obj, "message")) {
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	return false
}
