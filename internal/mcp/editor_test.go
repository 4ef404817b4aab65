package mcp

import (
	"strings"
	"testing"
)

// Servers of an editor are taken as they are, and take the place of those of the
// same name.
func TestBrought(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    Server
		want string // its name
		err  string
	}{
		{"a process", Server{Name: "files", Command: "x"}, "files", ""},
		{"a name with blanks", Server{Name: "my files: é", Command: "x"}, "my_files___", ""},
		{"no name", Server{Command: "x"}, "", "a server's name has"},
		{"an address", Server{Name: "a", URL: "https://example.com/mcp"}, "a", ""},
		{"an address that is none", Server{Name: "a", URL: "ftp:x"}, "a", "wants an address"},
		{"nothing to run", Server{Name: "a"}, "a", "needs a command"},
		{"one that is refused", Server{Name: "a", Err: "is reached by sse"}, "a", "is reached by sse"},
	} {
		got := Brought(tt.s)
		if got.Name != tt.want || got.Source != Editor || (got.Err == "") != (tt.err == "") || !strings.Contains(got.Err, tt.err) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	list := Beside([]Server{{Name: "my-files", Source: User}, {Name: "docs", Source: User}}, []Server{Brought(Server{Name: "my_files", Command: "x"})})
	if len(list) != 2 || list[0].Name != "docs" || list[1].Source != Editor {
		t.Errorf("together %+v", list)
	}
}
