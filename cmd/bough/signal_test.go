//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const signalScript = `{"rules":[
 {"when":{"user":"^pipe","turn":0},"reply":{"text":"I wait.","toolCalls":[{"name":"bash","args":{"command":"exec >pipe; echo begun; sleep 60; echo over"}}]}},
 {"when":{"user":"^sleep","turn":0},"reply":{"text":"I wait.","toolCalls":[{"name":"bash","args":{"command":"echo begun; sleep 60"}}]}},
 {"when":{"user":"^slow"},"reply":{"text":"one two three four","chunk":4,"delayMs":100}},
 {"when":{},"reply":{"text":"Done."}}]}`

// command prepares a run of the program in a folder of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "script.json")
	if err := os.WriteFile(script, []byte(signalScript), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"BOUGH_OFFLINE=1", "BOUGH_SCRIPT="+script)
	return cmd
}

// ends waits for a program and returns its exit code.
func ends(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait() // the code says it
	if cmd.ProcessState.ExitCode() < 0 {
		t.Errorf("the program ended by %v", cmd.ProcessState)
	}
	return cmd.ProcessState.ExitCode()
}

// Events are there as they happen; and when their reader goes away, the run ends
// in good order.
func TestAReaderGoesAway(t *testing.T) {
	cmd := command(t, "bough", "--mode", "json", "--model", "scripted/one", "--session", "s.jsonl", "sleep")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && !strings.Contains(lines.Text(), "begun") {
	}
	out.Close()
	cmd.Process.Signal(syscall.SIGTERM)
	if code := ends(t, cmd); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
	data, err := os.ReadFile(filepath.Join(cmd.Dir, "s.jsonl"))
	if err != nil || !strings.Contains(string(data), `"toolResult"`) {
		t.Errorf("what the tool said is not in the file: %v", err)
	}
}

func TestThePagerOfAREPLEnds(t *testing.T) {
	cmd := command(t, "bough", "--repl", "--model", "scripted/one", "--session", "s.jsonl", "slow") // which has more to print when its reader is gone
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe() // stays open
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if code := ends(t, cmd); code != 141 {
		t.Errorf("exit code %d, want 141", code)
	}
	if data, err := os.ReadFile(filepath.Join(cmd.Dir, "s.jsonl")); err != nil || !strings.Contains(string(data), `"role":"assistant"`) {
		t.Errorf("what the model said is not in the file: %v", err)
	}
}

// A signal ends a program that waits for input.
func TestASignalWhileStandardInputIsRead(t *testing.T) {
	cmd := command(t, "bough", "-p", "--model", "scripted/one", "hello")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // until it reads, which nothing shows
	cmd.Process.Signal(syscall.SIGTERM)
	if code := ends(t, cmd); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
}

// Under nohup the end of the terminal is not the end of the run.
func TestNohup(t *testing.T) {
	cmd := command(t, "sh", "-c", `trap "" HUP; exec bough --mode json --model scripted/one slow`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGHUP)
	rest, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(rest), "four") {
		t.Errorf("the answer was cut: %v", err)
	}
	if code := ends(t, cmd); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
