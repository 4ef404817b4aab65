package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The examples of docs/rpc.md work as they stand there.
func TestRPCExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/rpc.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../examples/rpc/ask.py")
	if err != nil {
		t.Fatal(err)
	}
	python := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	if python == nil || !strings.HasSuffix(string(script), string(python[1])) {
		t.Error("docs/rpc.md and examples/rpc/ask.py differ")
	}
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "BOUGH_OFFLINE=1")
	run := func(t *testing.T, needs, name string, args ...string) string {
		t.Helper()
		if _, err := exec.LookPath(needs); err != nil {
			t.Skip(needs + " is not here")
		}
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	t.Run("python", func(t *testing.T) {
		path, err := filepath.Abs("../../examples/rpc/ask.py")
		if err != nil {
			t.Fatal(err)
		}
		if out := run(t, "python3", "python3", path, "hello", "--no-session", "--model", "offline/demo"); !strings.Contains(out, "hello") {
			t.Errorf("it said %q", out)
		}
	})
	shells := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1)
	for i, want := range []string{"hello", "sessionId"} {
		t.Run("shell", func(t *testing.T) {
			if out := run(t, "jq", "sh", "-c", string(shells[i][1])); !strings.Contains(out, want) {
				t.Errorf("it said %q", out)
			}
		})
	}
}
