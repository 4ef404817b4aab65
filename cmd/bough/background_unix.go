//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// wakes names the process that a helper of ours is to wake up, see giveBack.
const wakes = "BOUGH_WAKES"

// leaveTerminal has this process go on without its terminal: nothing is read from it or
// written to it any more, its end is none for us, and the shell has its prompt back.
func leaveTerminal() error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGTSTP)
	tty, err := os.Open("/dev/tty")
	if err == nil {
		defer tty.Close()
	}
	null, nerr := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if nerr != nil {
		return nerr
	}
	defer null.Close()
	for fd := range 3 {
		if err := unix.Dup2(int(null.Fd()), fd); err != nil {
			return err
		}
	}
	if err == nil {
		giveBack(tty)
	}
	return nil
}

// giveBack gives the terminal back to the shell that waits for us. A shell goes on when
// what it has started ends or stops: so we stop, and a helper wakes us up as soon as
// the shell has its terminal.
func giveBack(tty *os.File) {
	group := unix.Getpgrp()
	front, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	session, serr := unix.Getsid(0)
	shell, perr := unix.Getpgid(unix.Getppid())
	if err != nil || serr != nil || perr != nil || front != group || session == unix.Getpid() || shell == group || group != unix.Getpid() || unix.Getppid() == 1 {
		return // no shell waits that could go on
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	helper := exec.Command(self)
	helper.Args = os.Args[:1]
	helper.Env = append(os.Environ(), wakes+"="+strconv.Itoa(os.Getpid()))
	helper.Stdin = tty
	if helper.Start() != nil {
		return
	}
	unix.Kill(unix.Getpid(), unix.SIGSTOP)
	helper.Wait() // how it ended is of no matter now
}

// wake is the helper: it wakes up the process that has started it once the terminal is
// somebody else's.
func wake() bool {
	pid, err := strconv.Atoi(os.Getenv(wakes))
	if err != nil || pid != os.Getppid() {
		return false
	}
	group := unix.Getpgrp()
	for range 500 {
		if front, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err != nil || front != group {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	unix.Kill(pid, unix.SIGCONT)
	return true
}
