package pifile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// LockOptions say how long to wait for a lock. The zero value is for
// settings.json.
type LockOptions struct {
	Stale time.Duration // after which time without a sign a lock is left over; 0: pi's 10 s
	Wait  time.Duration // how long to wait at most; 0: 2 s
}

// ErrLocked is what a lock fails with that another program holds.
var ErrLocked = errors.New("another program is changing it")

// ErrLost is what is returned if somebody took a lock away while it was held.
var ErrLost = errors.New("the lock was taken away")

// FileLock is a lock that is held: the directory PATH.lock.
type FileLock struct {
	dir  string
	stop chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex
	mark time.Time // the time that we gave the directory; guarded by mu
	lost bool      // guarded by mu
}

// Lock locks a file, which need not be there; its folder must be.
func Lock(ctx context.Context, path string, o LockOptions) (*FileLock, error) {
	if o.Stale == 0 {
		o.Stale = 10 * time.Second
	}
	if o.Wait == 0 {
		o.Wait = 2 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Wait, ErrLocked)
	defer cancel()
	l := &FileLock{dir: path + ".lock", stop: make(chan struct{})}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := os.Mkdir(l.dir, 0o777)
		if err == nil {
			break
		} else if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if leftOver(l.dir, o.Stale) {
			// Who comes first takes it; the others find it new.
			if err := os.Remove(l.dir); err == nil || errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, fmt.Errorf("lock %s: %w", path, context.Cause(ctx))
		}
	}
	if err := l.touch(); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), os.Remove(l.dir))
	}
	l.done.Go(func() { l.refresh(o.Stale / 4) })
	return l, nil
}

func leftOver(dir string, stale time.Duration) bool {
	fi, err := os.Stat(dir)
	return err == nil && time.Since(fi.ModTime()) > stale
}

// refresh shows that the lock is held until it is not.
func (l *FileLock) refresh(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			if l.Held() != nil {
				return
			}
			if err := l.touch(); err != nil {
				l.lose()
				return
			}
		}
	}
}

func (l *FileLock) touch() error {
	now := time.Now()
	if err := os.Chtimes(l.dir, now, now); err != nil {
		return err
	}
	fi, err := os.Stat(l.dir)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark = fi.ModTime() // as the file system keeps it
	return nil
}

func (l *FileLock) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = true
}

// Held returns ErrLost if the lock is no longer ours.
func (l *FileLock) Held() error {
	fi, err := os.Stat(l.dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost || err != nil || !fi.ModTime().Equal(l.mark) {
		l.lost = true
		return fmt.Errorf("%s: %w", l.dir, ErrLost)
	}
	return nil
}

// Unlock gives the lock back. It may be called once.
func (l *FileLock) Unlock() error {
	close(l.stop)
	l.done.Wait()
	if err := l.Held(); err != nil {
		return err
	}
	return os.Remove(l.dir)
}
