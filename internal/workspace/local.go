package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Local is a workspace on this machine.
type Local struct {
	dir, home string

	mu     sync.Mutex
	drains map[*os.File]struct{} // guarded by mu; outputs of what commands left behind
	closed bool                  // guarded by mu
}

var _ Workspace = (*Local)(nil)

// changes is shared by all local workspaces, as the files are.
var changes order

// NewLocal returns the workspace of a folder.
func NewLocal(dir string) *Local {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // else the current folder is gone, and so is dir
	}
	home, _ := os.UserHomeDir() // without one, ~ is a name like others
	return &Local{dir: dir, home: home}
}

// Dir returns the folder.
func (l *Local) Dir() string { return l.dir }

// Resolve is [Path] for this machine. If only the name as it was written exists,
// with its @ or its unusual blanks, it is that.
func (l *Local) Resolve(name string) (string, error) {
	path, err := Path(l.dir, l.home, name)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(name, "@") || plainBlanks(name) != name {
		if raw := join(l.dir, name); raw != path && !exists(path) && exists(raw) {
			return raw, nil
		}
	}
	return path, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Stat tells of a file or folder.
func (l *Local) Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// Open opens a regular file, after a change of it that is under way.
func (l *Local) Open(ctx context.Context, path string) (fs.File, error) {
	if err := changes.settled(ctx, path); err != nil {
		return nil, err
	}
	// A device may do something when it is opened and a pipe may wait, so the
	// kind is looked at before, and once more at what was opened.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular("open", path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular("open", path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if info.Size() == 0 {
		return closedWith(ctx, f), nil
	}
	return f, nil
}

// made is a file that is made when it is read, which may take for ever. The end
// of a context closes it.
type made struct {
	*os.File
	ctx  context.Context // of who reads it
	stop func() bool
}

func closedWith(ctx context.Context, f *os.File) *made {
	return &made{f, ctx, context.AfterFunc(ctx, func() { f.Close() })}
}

func (m *made) Read(b []byte) (int, error) {
	n, err := m.File.Read(b)
	if err != nil && m.ctx.Err() != nil {
		err = m.ctx.Err()
	}
	return n, err
}

func (m *made) Close() error {
	if !m.stop() {
		return nil // it is closed already
	}
	return m.File.Close()
}

func regular(op, path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: op, Path: path, Err: ErrFolder}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: op, Path: path, Err: ErrSpecial}
	}
	return nil
}

// ReadDir lists a folder.
func (l *Local) ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}

// Close gives up the outputs of processes that commands have left running; the
// next that such a process writes to them fails. Files may be used on.
func (l *Local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for f := range l.drains {
		f.Close()
	}
	clear(l.drains)
	return nil
}
