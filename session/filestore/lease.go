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
	path := id
	if IsPath(id) {
		if real, err := filepath.EvalSymlinks(id); err == nil {
			path = real
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
	}
	if err := os.MkdirAll(s.Leases, 0o700); err != nil {
		return nil, fmt.Errorf("lease session: %w", err)
	}
	sum := sha256.Sum256([]byte(path))
	f, err := os.OpenFile(filepath.Join(s.Leases, hex.EncodeToString(sum[:16])+".lease"), os.O_RDWR|os.O_CREATE, 0o600)
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
		var l lease
		if b, err := io.ReadAll(f); err == nil {
			json.Unmarshal(b, &l) // an owner that has not said yet where it is
		}
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
