//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A signal ends a run in good order: what was said is in the file, what ran has
// ended, half an answer is not printed, and the exit code tells which it was.
func TestSignals(t *testing.T) {
	for _, mode := range []string{"--print", "--mode=json"} {
		for s, want := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			t.Run(fmt.Sprintf("%s %v", mode, s), func(t *testing.T) {
				t.Parallel()
				cmd := command(t, "bough", mode, "--model", "scripted/one", "--session", "s.jsonl", "pipe")
				pipe := filepath.Join(cmd.Dir, "pipe")
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
				var out strings.Builder
				cmd.Stdout = &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				f, err := os.Open(pipe) // once the command of the model opens it too
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				in := bufio.NewReader(f)
				if line, err := in.ReadString('\n'); err != nil || line != "begun\n" {
					t.Fatalf("%q, %v", line, err)
				}
				cmd.Process.Signal(s)
				if code := ends(t, cmd); code != want {
					t.Errorf("exit code %d, want %d", code, want)
				}
				if _, err := in.ReadByte(); err == nil {
					t.Error("the command of the model goes on")
				}
				data, err := os.ReadFile(filepath.Join(cmd.Dir, "s.jsonl"))
				if err != nil || !strings.Contains(string(data), "I wait.") || !strings.Contains(string(data), `"role":"toolResult"`) {
					t.Errorf("what was said is not in the file (%v):\n%s", err, data)
				}
				if mode == "--print" && out.Len() > 0 || strings.Contains(out.String(), "agent_settled") {
					t.Errorf("printed %s", &out)
				}
			})
		}
	}
}
