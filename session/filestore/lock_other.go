//go:build !unix

package filestore

import "os"

// lockFile does nothing here: appends are single writes at the end of the file,
// which do not mix.
func lockFile(*os.File) error { return nil }

func unlockFile(*os.File) {}

func tryLock(*os.File) (bool, error) { return true, nil }

func isReadOnly(error) bool { return false }
