package main

import "golang.org/x/sys/unix"

// flush forgets what was typed and not read: the second line of a pasted key
// would else be a command of the shell, and in its history.
func flush(fd int) {
	_ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) // at worst it stays
}
