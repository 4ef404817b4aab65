package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// order lets changes of the same file happen one after the other, in the order
// they were asked for. The zero value is ready.
type order struct {
	mu   sync.Mutex
	busy map[string]*turn // guarded by mu; by real path
}

type turn struct {
	held  chan struct{} // has one element while a change runs
	users int           // guarded by order.mu; who holds it or waits
}

// change waits until no other change of a real path runs and then keeps others
// waiting until done is called.
func (o *order) change(ctx context.Context, real string) (done func(), err error) {
	key := orderKey(real)
	o.mu.Lock()
	if o.busy == nil {
		o.busy = map[string]*turn{}
	}
	t := o.busy[key]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		o.busy[key] = t
	}
	t.users++
	o.mu.Unlock()

	leave := func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(o.busy, key)
		}
	}
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// settled waits for a change of path that is under way.
func (o *order) settled(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.mu.Lock()
	idle := len(o.busy) == 0
	o.mu.Unlock()
	if idle {
		return nil
	}
	real, err := realPath(path)
	if err != nil {
		return err
	}
	o.mu.Lock()
	_, running := o.busy[orderKey(real)]
	o.mu.Unlock()
	if !running {
		return nil
	}
	done, err := o.change(ctx, real)
	if err != nil {
		return err
	}
	done()
	return nil
}

// orderKey is the same for paths that may be the same file. Where names usually
// differ by more than case, it takes a few different files for one, which only
// makes them wait.
func orderKey(real string) string {
	if info, err := os.Lstat(real); err == nil {
		if id := linkedID(info); id != "" {
			return id
		}
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(real)
	}
	return real
}

// Same returns the same word for all paths that lead to one file.
func (l *Local) Same(path string) string {
	real, err := realPath(path)
	if err != nil {
		return path
	}
	return orderKey(real)
}

// realPath follows all links in a path whose last parts need not exist.
func realPath(path string) (string, error) {
	for range 40 {
		real, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return real, err
		}
		dir := filepath.Dir(path)
		if dir == path {
			return path, nil
		}
		if dir, err = realPath(dir); err != nil {
			return "", err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return filepath.Join(dir, filepath.Base(path)), nil
		}
		path = join(dir, target) // a link to nothing
	}
	return "", &fs.PathError{Op: "resolve", Path: path, Err: errors.New("too many links")}
}
