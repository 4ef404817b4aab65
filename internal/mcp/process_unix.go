//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// detach gives a server a session of its own: it has no terminal to ask things
// on, a ctrl+c is not for it, and all that it starts can be ended with it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Errors mean that nobody is left, here and below.
func terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }
func kill(pid int)      { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// groupAlive reports whether a process of the group is there.
func groupAlive(pid int) bool { return syscall.Kill(-pid, 0) == nil }
