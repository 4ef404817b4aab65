package mcp

import (
	"os/exec"
	"strconv"
	"syscall"
)

// detach gives a server a process group of its own and no window.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// terminate ends a process and what it started: nothing can be told to end by
// itself that has no window.
func terminate(pid int) { kill(pid) }

func kill(pid int) {
	cmd := exec.Command("taskkill", "/F", "/T", "/PID", strconv.Itoa(pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	_ = cmd.Run() // an error means that nobody is left
}

func groupAlive(int) bool { return false }
