//go:build !linux && !darwin

package trust

import "io/fs"

// changeTime is 0: there is no time here that nobody can set.
func changeTime(fs.FileInfo) int64 { return 0 }
