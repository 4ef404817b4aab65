//go:build unix

package workspace

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// detach gives a command a session of its own: it has no terminal to ask things
// on, and all that it starts can be ended with it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate tells a process group to end, also what of it is stopped.
func terminate(pid int) {
	// Errors mean that nobody is left, here and below.
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	_ = syscall.Kill(-pid, syscall.SIGCONT)
}

func kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// groupAlive reports whether a process of the group still runs. The dead whom
// nobody has buried, as happens in containers, do not count.
func groupAlive(pid int) bool {
	if syscall.Kill(-pid, 0) != nil {
		return false
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true
	}
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// pid (name) state parent group …; the name may hold anything.
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(f) > 2 && f[2] == strconv.Itoa(pid) && f[0] != "Z" && f[0] != "X" {
			return true
		}
	}
	return false
}

func exitCode(s *os.ProcessState) (code, signal int) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal()), int(w.Signal())
	}
	return s.ExitCode(), 0
}
