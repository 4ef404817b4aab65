package filestore_test

import (
	"os"
	"testing"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// Who has the tree of a session reads it after the session was left, as long as the
// file is the same.
func TestReadAfterClose(t *testing.T) {
	store := filestore.Store{Root: t.TempDir()}
	h := session.Header{CWD: "/p"}.Complete()
	log, err := store.Create(t.Context(), h, []byte(`{"type":"session_info","id":"a","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","name":"n"}`))
	if err != nil {
		t.Fatal(err)
	}
	s := session.NewTree()
	for e, err := range log.Entries(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		s.Add(e)
	}
	log.Close()
	e := s.Get("a")
	if line, err := e.Raw(); err != nil || len(line) == 0 {
		t.Fatalf("%q, %v", line, err)
	}
	path := store.FilePath(h)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path + ".old")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := e.Raw(); err == nil {
		t.Errorf("read from another file: %q", line)
	}
}
