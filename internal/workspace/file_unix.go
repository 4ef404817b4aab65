//go:build unix

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from waiting if the file has become a pipe meanwhile.
const openFlags = syscall.O_NONBLOCK

// keptMode is what a copy of a file takes over of its mode.
func keptMode(info fs.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// replaceable gives temp the owner of the file it is to replace and reports
// whether nothing is lost by that.
func replaceable(temp string, old fs.FileInfo) bool {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok || was.Nlink > 1 {
		return false
	}
	info, err := os.Lstat(temp)
	if err != nil {
		return false
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	if is.Uid == was.Uid && is.Gid == was.Gid {
		return true
	}
	if os.Chown(temp, int(was.Uid), int(was.Gid)) != nil {
		return false
	}
	return os.Chmod(temp, keptMode(old)) == nil // chown takes set-user bits away
}

// linkedID names a file that has several names, or returns "".
func linkedID(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 && info.Mode().IsRegular() {
		return fmt.Sprint(s.Dev, ":", s.Ino)
	}
	return ""
}

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // a folder that can be written but not read; the rename is done
	}
	defer d.Close()
	_ = d.Sync() // some file systems cannot, and the rename is done
	return nil
}
