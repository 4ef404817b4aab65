//go:build unix

package filestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who runs a session is told by the lock alone; what the file says may be stale,
// foreign or nonsense.
func TestHolder(t *testing.T) {
	s := Store{Leases: t.TempDir()}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if h := s.Holder(path); h != nil {
		t.Errorf("nobody has asked for it, and process %d holds it", h.PID)
	}
	release, err := s.Lease(t.Context(), path, "127.0.0.1:4711")
	if err != nil {
		t.Fatal(err)
	}
	if h := s.Holder(path); h == nil || h.PID != os.Getpid() || h.Addr != "127.0.0.1:4711" {
		t.Errorf("the holder is %+v", h)
	}
	of := s.Holders()
	if h := of(path); h == nil || h.PID != os.Getpid() {
		t.Errorf("of all sessions the holder is %+v", h)
	}
	if h := of(filepath.Join(filepath.Dir(path), "t.jsonl")); h != nil {
		t.Errorf("process %d holds a session that there is not", h.PID)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if h := s.Holder(path); h != nil {
		t.Errorf("it was let go of, and process %d holds it", h.PID)
	}
	for _, content := range []string{
		`{"pid":` + "1" + `,"addr":"127.0.0.1:1"}`, // alive, but without the lock
		`{"pid":-1,"addr":"127.0.0.1:1"}`,
		`{"pid":0}`,
		`{"pid":"one"}`,
		`null`, `[]`, `{`, "\x00\xff",
		`{"pid":1,"addr":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		if err := os.WriteFile(s.leaseFile(path), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if h := s.Holder(path); h != nil {
			t.Errorf("%.40q: the holder is %+v", content, h)
		}
		release, err := s.Lease(t.Context(), path, "")
		if err != nil {
			t.Errorf("%.40q: %v", content, err)
			continue
		}
		if h := s.Holder(path); h == nil || h.PID != os.Getpid() || h.Addr != "" {
			t.Errorf("after %.40q the holder is %+v", content, h)
		}
		release()
	}
}
