package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Update replaces a file with what change makes of it. It follows links and
// keeps mode and owner. The new content is written beside the file, synced and
// put in its place. Only where that would lose something (a hard link, a foreign
// owner, a folder that cannot be written to) is the file itself written over.
func (l *Local) Update(ctx context.Context, path string, change func(old fs.File) ([]byte, error)) error {
	return update(ctx, path, nil, change)
}

// update is Update by way of a lender, if there is one.
func update(ctx context.Context, path string, lender Lender, change func(old fs.File) ([]byte, error)) error {
	real, err := realPath(path)
	if err != nil {
		return err
	}
	done, err := changes.change(ctx, real)
	if err != nil {
		return err
	}
	defer done()

	info, err := os.Stat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return create(ctx, path, real, lender, change)
	} else if err != nil {
		return err
	}
	if err := regular("update", path, info); err != nil {
		return err
	}
	old, err := os.OpenFile(real, os.O_RDWR|openFlags, 0) // may it be written to?
	if err != nil {
		return err
	}
	was, lent := fs.File(old), false
	if lender != nil {
		if was, lent = read(ctx, lender, old, path); !lent {
			was = old
			_, err = old.Seek(0, io.SeekStart)
		}
	}
	var data []byte
	if err == nil {
		data, err = change(was)
	}
	if e := old.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if lender != nil && (lent || info.Size() == 0) {
		if done, err := write(ctx, lender, path, data); done || err != nil {
			return err
		}
	}
	return replace(real, info, data)
}

// create makes a new file, which was named path and is to be at real.
func create(ctx context.Context, path, real string, lender Lender, change func(fs.File) ([]byte, error)) error {
	data, err := change(nil)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	dir := filepath.Dir(real)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if lender != nil {
		if done, err := write(ctx, lender, path, data); done || err != nil {
			return err
		}
	}
	temp, err := writeTemp(dir, data, 0o666, nil)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, real); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(dir)
}

// replace puts data into the place of the file at path, of which info tells.
func replace(path string, info fs.FileInfo, data []byte) error {
	dir := filepath.Dir(path)
	temp, err := writeTemp(dir, data, 0o600, info)
	if err != nil {
		if temp == "" { // there is no place beside it
			return overwrite(path, data)
		}
		os.Remove(temp)
		return err
	}
	if replaceable(temp, info) {
		// A file that is mounted on its own, for one, cannot be renamed over.
		if err := os.Rename(temp, path); err == nil {
			return syncDir(dir)
		}
	}
	if err := overwrite(path, data); err != nil {
		return fmt.Errorf("%w; the new content is in %s", err, temp)
	}
	return os.Remove(temp)
}

// writeTemp writes a new file into dir that has the mode of like, if that is
// given. The name is "" if the file could not be created.
func writeTemp(dir string, data []byte, mode fs.FileMode, like fs.FileInfo) (name string, err error) {
	name = filepath.Join(dir, ".bough-"+rand.Text()[:16]+".tmp")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && like != nil {
		err = f.Chmod(keptMode(like))
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return name, err
}

func overwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
