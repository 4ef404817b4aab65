//go:build unix

package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Close leaves no process, neither of a server that takes no hint nor of what one
// has started.
func TestNothingIsLeft(t *testing.T) {
	h := newHome(t)
	h.env["PID_FILE"] = filepath.Join(h.o.TempDir, "pid")
	h.env["STARTED_FILE"] = filepath.Join(h.o.TempDir, "started")
	h.write(h.stdio("child", "child", ""), h.stdio("silent", "silent", ""))
	m := h.manager()
	m.Start()
	until(t, "both run", func() bool {
		return statusOf(t, m, "child").State == Connected && exists(h.env["STARTED_FILE"])
	})
	b, err := os.ReadFile(h.env["PID_FILE"])
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	until(t, "the child of a server is gone", func() bool { return !running(pid) })
	out, err := find(t, m, "mcp__child__echo").Run(t.Context(), json.RawMessage(`{}`), nil)
	if err != nil || !out.IsError {
		t.Errorf("a call after the end: %s, %v", textOf(out), err)
	}
	mine, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range mine {
		if env, err := os.ReadFile(p); err == nil && strings.Contains(string(env), h.o.TempDir) {
			stat, _ := os.ReadFile(filepath.Join(filepath.Dir(p), "stat"))
			if f := strings.Fields(string(stat)); len(f) > 2 && f[2] != "Z" && !strings.HasPrefix(p, fmt.Sprintf("/proc/%d/", os.Getpid())) {
				t.Errorf("a server is left: %s", stat)
			}
		}
	}
}

// running reports whether a process is there; one that nobody has waited for yet
// does not count.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
