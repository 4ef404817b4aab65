package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/boughdev/bough/session"
)

// lease is what a lease file says of the owner.
type lease struct {
	PID  int    `json:"pid"`
	Addr string `json:"addr,omitempty"`
}

// Lease makes this process the owner of the session of that id or path. The
// lease is a locked file; the system lets go of the lock when the process ends,
// however it ends.
func (s Store) Lease(ctx context.Context, id, addr string) (func() error, error) {
	if s.Leases == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(s.Leases, 0o700); err != nil {
		return nil, fmt.Errorf("lease session: %w", err)
	}
	f, err := os.OpenFile(s.leaseFile(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lease session: %w", err)
	}
	ok, err := tryLock(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lease session: %w", err)
	}
	if !ok {
		defer f.Close()
		l, _ := readLease(f) // or an owner that has not said yet where it is
		return nil, &session.LeasedError{Addr: l.Addr, PID: l.PID}
	}
	b, err := json.Marshal(lease{os.Getpid(), addr})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(b, 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lease session: %w", err)
	}
	return func() error {
		f.Truncate(0) // nobody owns it; the lock goes with the file
		return f.Close()
	}, nil
}

// Holder says which process runs the session of that id or path; nil: none does.
// It gets in nobody's way: the lock is tried only where a living process says that
// it has it.
func (s Store) Holder(id string) *session.LeasedError {
	if s.Leases == "" {
		return nil
	}
	f, err := os.Open(s.leaseFile(id))
	if err != nil {
		return nil
	}
	defer f.Close()
	l, err := readLease(f)
	if err != nil || !alive(l.PID) {
		return nil
	}
	if free, err := trySharedLock(f); err != nil || free {
		return nil
	}
	return &session.LeasedError{Addr: l.Addr, PID: l.PID}
}

// Holders looks at all leases once, and returns what does as Holder for many
// sessions of few folders.
func (s Store) Holders() func(path string) *session.LeasedError {
	held := map[string]bool{}
	if s.Leases != "" {
		files, _ := os.ReadDir(s.Leases) // without the folder there are none
		for _, f := range files {
			if info, err := f.Info(); err == nil && info.Size() > 0 {
				held[f.Name()] = true
			}
		}
	}
	dirs := map[string]string{} // as they really are
	return func(path string) *session.LeasedError {
		if len(held) == 0 {
			return nil
		}
		dir, name := filepath.Split(path)
		real, ok := dirs[dir]
		if !ok {
			real = dir
			if r, err := filepath.EvalSymlinks(dir); err == nil {
				real = r
			}
			dirs[dir] = real
		}
		if !held[leaseName(filepath.Join(real, name))] {
			return nil
		}
		return s.Holder(path)
	}
}

// leaseFile is the file of the lease of a session.
func (s Store) leaseFile(id string) string {
	path := id
	if IsPath(id) {
		if real, err := filepath.EvalSymlinks(id); err == nil {
			path = real
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
	}
	return filepath.Join(s.Leases, leaseName(path))
}

func leaseName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16]) + ".lease"
}

// readLease reads what an owner has written, and no more of what others have.
func readLease(f *os.File) (lease, error) {
	var l lease
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	if err == nil {
		err = json.Unmarshal(b, &l)
	}
	if err != nil {
		return lease{}, err
	}
	return l, nil
}
