// Package golden compares what a test draws with a file beside it.
//
// The files lie in the testdata folder of the package under test. With the flag
// -update they are written anew instead; read the difference before you commit
// it. The flag is defined here alone, so name the packages that use it:
//
//	go test ./internal/render -update
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether files are to be written anew, for tests whose golden
// texts are parts of files.
func Updating() bool { return *update }

// Equal fails the test if got is not what the file testdata/name holds.
func Equal(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s does not exist; -update writes it. It would hold:\n%s", path, got)
	} else if err != nil {
		t.Fatal(err)
	}
	if d := Diff(string(want), got); d != "" {
		t.Errorf("%s differs (- wanted, + got):\n%s", path, d)
	}
}

// Diff returns the lines in which two texts differ, with the equal ones around
// them, or "" if there are none. It is made for short texts.
func Diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	// common[i][k] is how many lines a[i:] and b[k:] have in common, in order.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				common[i][k] = common[i+1][k+1] + 1
			} else {
				common[i][k] = max(common[i+1][k], common[i][k+1])
			}
		}
	}
	var out strings.Builder
	line := func(mark, s string) { out.WriteString(mark + s + "\n") }
	i, k := 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			line("  ", a[i])
			i, k = i+1, k+1
		case k == len(b) || i < len(a) && common[i+1][k] >= common[i][k+1]:
			line("- ", a[i])
			i++
		default:
			line("+ ", b[k])
			k++
		}
	}
	return out.String()
}
