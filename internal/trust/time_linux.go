package trust

import (
	"io/fs"
	"syscall"
)

// changeTime is when anything about a file changed last, in nanoseconds. Unlike
// the time of the last write nobody can set it.
func changeTime(fi fs.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}
