//go:build !linux

package filestore

import "os"

func fdatasync(f *os.File) error { return f.Sync() }
