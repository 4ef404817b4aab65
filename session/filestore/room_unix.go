//go:build linux || darwin

package filestore

import "golang.org/x/sys/unix"

// room reports why a file of that size could not grow by n bytes, or nil.
func room(path string, size, n int64) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && limit.Cur < 1<<62 && uint64(size+n) > uint64(limit.Cur) {
		return unix.EFBIG
	}
	return free(path, n)
}

// roomIn reports why a file of n bytes could not be made in a folder, or nil.
func roomIn(dir string, n int64) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return err
	}
	return room(dir, 0, n)
}

// free reports that the disk is full. What a file system does not say of itself is
// found out by writing.
func free(path string, n int64) error {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) == nil && st.Blocks > 0 && uint64(st.Bavail)*uint64(st.Bsize) < uint64(n) {
		return unix.ENOSPC
	}
	return nil
}
