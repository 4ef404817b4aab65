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
	for _, name := range []string{"ask.py", "turn.py", "turn.sh", "sidebyside/main.go"} {
		text, err := os.ReadFile("../../examples/rpc/" + name)
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for _, block := range regexp.MustCompile("(?s)```\\w+\n(.*?)```").FindAllSubmatch(page, -1) {
			shown = shown || strings.HasSuffix(string(text), string(block[1]))
		}
		if !shown {
			t.Errorf("docs/rpc.md does not show examples/rpc/%s as it is", name)
		}
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
	// The example waits two seconds for its answer, which a busy machine may not make:
	// here it waits as long as it takes.
	const patient = `bough() { command bough "$@" | tee told; }
sleep() { n=0; until grep -q agent_settled told || [ $((n+=1)) -gt 600 ]; do command sleep 0.1; done; }
: > told
`
	shells := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1)
	for i, want := range []string{"hello", "sessionId"} {
		t.Run("shell", func(t *testing.T) {
			if out := run(t, "jq", "sh", "-c", patient+string(shells[i][1])); !strings.Contains(out, want) {
				t.Errorf("it said %q", out)
			}
		})
	}
	// Those that go on in a session that is there: its answer is on a branch of its own.
	example := func(name string) string {
		path, err := filepath.Abs("../../examples/rpc/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	sideBySide := filepath.Join(t.TempDir(), "sidebyside")
	if out, err := exec.Command("go", "build", "-o", sideBySide, example("sidebyside/main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tt := range []struct {
		needs  string
		argv   []string
		asked  []string
		leaves int
	}{
		{"python3", []string{"python3", example("turn.py")}, []string{"Try it the other way"}, 2},
		{"jq", []string{"sh", example("turn.sh")}, []string{"Try it the other way"}, 2},
		{sideBySide, []string{sideBySide}, []string{"The first way", "The second way"}, 3},
	} {
		t.Run(filepath.Base(tt.argv[0]), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(file, []byte(twoQuestions), 0o600); err != nil {
				t.Fatal(err)
			}
			argv := append(append(tt.argv, file, "aaaa0001"), tt.asked...)
			out := run(t, tt.needs, argv[0], append(argv[1:], "--model", "offline/demo")...)
			list := run(t, tt.needs, "bough", "tree", "--json", file)
			for _, asked := range tt.asked {
				if !strings.Contains(out, asked) || !strings.Contains(list, asked) {
					t.Errorf("%q is missing: it said %q; the tree is\n%s", asked, out, list)
				}
			}
			if n := strings.Count(list, `"role":"assistant"`); n != tt.leaves {
				t.Errorf("%d answers in the file, want %d\n%s", n, tt.leaves, list)
			}
		})
	}
}

// twoQuestions is a session whose first question has an answer.
const twoQuestions = `{"type":"session","version":3,"id":"11111111-2222-7333-8444-555555555555","timestamp":"2023-11-14T22:13:20.000Z","cwd":"/"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2023-11-14T22:13:21.000Z","message":{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2023-11-14T22:13:22.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}],"api":"offline","provider":"offline","model":"demo","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":2}}
`
