package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/tool"
)

// Tools say what a call would do, and do nothing by that.
func TestEffects(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\ntwo\n", "sub/": "", "bin": "a\x00b"})
	if err := os.Symlink("sub", b.path("link")); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(b.path(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, tool, args, kind, file, preview string
	}{
		{"a file is read", "read", `{"path":"a.txt"}`, "reads", "a.txt", ""},
		{"a folder is searched", "grep", `{"pattern":"x","path":"link"}`, "reads", "sub", ""},
		{"the folder of the session", "ls", `{}`, "reads", ".", ""},
		{"a file is changed", "edit", `{"path":"a.txt","edits":[{"oldText":"two","newText":"2"}]}`, "changes", "a.txt", "-2 two"},
		{"text that is not there", "edit", `{"path":"a.txt","edits":[{"oldText":"six","newText":"6"}]}`, "changes", "a.txt", ""},
		{"a file that is not there", "edit", `{"path":"b.txt","edits":[{"oldText":"six","newText":"6"}]}`, "changes", "b.txt", ""},
		{"a new file", "write", `{"path":"link/x/new.txt","content":"new"}`, "changes", "sub/x/new.txt", "+1 new"},
		{"a file is replaced", "write", `{"path":"a.txt","content":"one\n2\n"}`, "changes", "a.txt", "+2 2"},
		{"by the same", "write", `{"path":"a.txt","content":"one\ntwo\n"}`, "changes", "a.txt", "(nothing would change)"},
		{"a file that is no text", "write", `{"path":"bin","content":"x"}`, "changes", "bin", ""},
		{"a folder", "write", `{"path":"sub","content":"x"}`, "changes", "sub", ""},
		{"a command", "bash", `{"command":"rm a.txt"}`, "runs", "", ""},
		{"arguments that are wrong", "write", `{"path":7,"content":[]}`, "reads", "", ""},
		{"a name that is none", "read", `{"path":"a\u0000b"}`, "reads", "", ""},
		{"nothing", "bash", `{}`, "reads", "", ""},
	} {
		e := b.tool(tt.tool).(tool.Known).Effect(t.Context(), []byte(tt.args))
		file, preview := "", ""
		if len(e.Files) > 0 {
			file = strings.TrimPrefix(strings.TrimPrefix(e.Files[0].Real, dir), "/")
			if file == "" {
				file = "."
			}
		}
		if e.Preview != nil {
			preview = e.Preview(t.Context())
		}
		if string(e.Kind) != tt.kind || file != tt.file || !strings.Contains(preview, tt.preview) || tt.preview == "" && preview != "" {
			t.Errorf("%s: %s %q %q", tt.name, e.Kind, file, preview)
		}
	}
	if got := b.get("a.txt"); got != "one\ntwo\n" {
		t.Errorf("the file is %q", got)
	}
}
