//go:build unix

package builtin

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/boughdev/bough/tool"
)

// All names of a file are one file, also before it is there.
func TestCallsNameTheirFile(t *testing.T) {
	b := newBench(t, map[string]string{"f": "", "g": "", "sub/x": ""})
	for link, to := range map[string]string{"link": "f", "dir": "sub", "hollow": "new"} {
		if err := os.Symlink(to, b.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(b.path("g"), b.path("hard")); err != nil {
		t.Fatal(err)
	}
	file := func(name, args string) (string, bool) {
		f, ok := b.tool(name).(tool.OnFile)
		if !ok {
			t.Fatalf("%s is on no file", name)
		}
		return f.File(json.RawMessage(args))
	}
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"a name and its path", "f", b.path("f"), true},
		{"a mention", "f", "@f", true},
		{"dots", "f", "sub/../f", true},
		{"a link", "f", "link", true},
		{"a folder behind a link", "sub/x", "dir/x", true},
		{"a file to come, behind a link", "dir/y", "sub/y", true},
		{"a link to what is to come", "hollow", "new", true},
		{"a hard link", "g", "hard", true},
		{"two files", "f", "g", false},
		{"two files to come", "new", "newer", false},
	} {
		x, changes := file("edit", `{"path":"`+tt.a+`"}`)
		y, reads := file("read", `{"path":"`+tt.b+`"}`)
		if x == "" || y == "" || (x == y) != tt.same || !changes || reads {
			t.Errorf("%s: %q %v, %q %v", tt.name, x, changes, y, reads)
		}
	}
	for _, bad := range []string{`{}`, `[]`, `{"path":"a\u0000"}`, `{"path":"file://far/x"}`} {
		if got, _ := file("write", bad); got != "" {
			t.Errorf("%s is on %q", bad, got)
		}
	}
}
