package workspace_test

import (
	"testing"

	"github.com/boughdev/bough/internal/workspace"
)

func TestPathOfWindows(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a relative name", `a\b`, `C:\w\a\b`},
		{"with forward slashes", "a/b", `C:\w\a\b`},
		{"an absolute name", `D:\x\..\y`, `D:\y`},
		{"an absolute name with forward slashes", "D:/x/y", `D:\x\y`},
		{"a share", `\\host\share\x`, `\\host\share\x`},
		{"below home", `~\a`, `C:\Users\u\a`},
		{"below home with a forward slash", "~/a", `C:\Users\u\a`},
		{"a mention", "@src/main.go", `C:\w\src\main.go`},
		{"a file URL", "file:///C:/tmp/a%20b.txt", `C:\tmp\a b.txt`},
	} {
		if got, err := workspace.Path(`C:\w`, `C:\Users\u`, tt.in); err != nil || got != tt.want {
			t.Errorf("%s: Path(%q) = %q, %v; want %q", tt.name, tt.in, got, err, tt.want)
		}
	}
}
