// Package pifile reads and changes the small JSON files that bough shares with
// pi: settings.json, models.json, auth.json, trust.json.
//
// Two programs may want to change such a file at once. Who changes it first makes
// the directory FILE.lock, beside the file's name even if that is a link, and
// sets its time again and again while it works; a lock whose time has stood still
// for a while is left over and is taken. The file is replaced in one step, so a
// reader needs no lock.
package pifile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Update changes a file under its lock. change gets what is in it, nil if there
// is no file, and returns what is to be in it; if that is the same, or change
// fails, nothing is written. perm is the mode of a new file. The folder is made
// if it is missing, for the user alone.
func Update(ctx context.Context, path string, perm fs.FileMode, o LockOptions, change func(old []byte) ([]byte, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	l, err := Lock(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	old, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		old = nil
	} else if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if old != nil && bytes.Equal(data, old) {
		return nil
	}
	if err := l.Held(); err != nil {
		return err
	}
	return Write(path, data, perm)
}

// Write replaces a file in one step: a crash leaves the old or the new one. The
// mode of a file that is there stays; of a link the target is replaced.
func Write(path string, data []byte, perm fs.FileMode) (err error) {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	if fi, err := os.Stat(target); err == nil {
		perm = fi.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is the one to tell
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), target); err != nil {
		return err
	}
	return syncDir(filepath.Dir(target))
}

// resolve follows links to a file that need not be there.
func resolve(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("too many links at %s", path)
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
