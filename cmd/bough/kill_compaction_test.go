package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A process that is killed while it compacts leaves the session as it was, and the
// next one compacts it.
func TestKilledWhileItCompacts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("agent/settings.json", `{"compaction":{"keepRecentTokens":10}}`)
	const talk = `{"when":{},"reply":{"text":"An answer about chairs, of some length."}}`
	stuck := write("stuck.json", `{"rules":[{"when":{"user":"<conversation>"},"reply":{"text":"the summary that never comes","at":[{"chunk":1,"do":"hold","name":"h"}]}},`+talk+`]}`)
	well := write("well.json", `{"rules":[{"when":{"user":"<conversation>"},"reply":{"text":"a summary"}},`+talk+`]}`)
	file := filepath.Join(dir, "s.jsonl")
	bough := func(ctx context.Context, script, lines string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "bough", "--repl", "--model", "scripted/one", "--session", file)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(lines)
		cmd.Env = append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
			"BOUGH_OFFLINE=1", "BOUGH_SCRIPT="+script)
		return cmd
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	cmd := bough(ctx, stuck, "one\ntwo\nthree\n/compact\n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := false
	for scanner := bufio.NewScanner(out); !begun && scanner.Scan(); {
		begun = strings.Contains(scanner.Text(), "summing up")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if !begun {
		t.Fatal("no compaction has begun")
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(contents(t, file)); n != 7 || bytes.Contains(before, []byte(`"type":"compaction"`)) {
		t.Errorf("%d messages, want 7 and no compaction:\n%s", n, before)
	}
	shown, err := bough(ctx, well, "/compact\nfour\n").CombinedOutput()
	if err != nil || !strings.Contains(string(shown), "(compacted: ") {
		t.Fatalf("%v\n%s", err, shown)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(after, before) || bytes.Count(after, []byte(`"type":"compaction"`)) != 1 || len(contents(t, file)) < 9 {
		t.Errorf("%v; the file went on with\n%s", err, after[len(before):])
	}
}
