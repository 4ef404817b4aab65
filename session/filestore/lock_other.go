//go:build !unix

package filestore

import "os"

// lockFile does nothing here: appends are single writes at the end of the file,
// which do not mix.
func lockFile(*os.File) error { return nil }

func unlockFile(*os.File) {}

func tryLock(*os.File) (bool, error) { return true, nil }

func trySharedLock(*os.File) (bool, error) { return true, nil }

func alive(int) bool { return false }

func isReadOnly(error) bool { return false }
