// Package importer makes sessions of what other programs wrote:
//
//   - session files from elsewhere, which are copied into the store;
//   - headerless trees, as small programs write them: a line for each message, no
//     header, roles and contents as in OpenAI's chat API.
//
// A headerless tree:
//
//	{"id":1,"parentId":null,"message":{"role":"user","content":"list ports"}}
//	{"id":2,"parentId":1,"message":{"role":"assistant","content":"80, 443"}}
//	{"id":3,"parentId":1,"message":{"role":"assistant","content":"Which host?"}}
//
// What is imported is only read. A second import of the same is none.
package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// Options say how something is imported.
type Options struct {
	Dir   string // the folder that a session gets which has none, or whose folder is not there
	Again bool   // import what has been imported already, as another session
	Now   time.Time
}

// A Result is what became of an import.
type Result struct {
	Path, ID string
	Entries  int
	Branches int
	Left     int    // lines that were not understood
	Bad      int    // damaged lines, of a session file
	Already  bool   // it was there before; nothing was written
	Was      string // the id of the session file, if the copy has another
	Tree     bool   // it was a headerless tree
}

// ErrUnknown is returned for a file that is nothing that can be imported.
var ErrUnknown = errors.New("it is neither a session file nor a headerless tree of messages")

// Import takes a file into the store.
func Import(ctx context.Context, store filestore.Store, path string, o Options) (Result, error) {
	h, err := filestore.ReadHeader(path)
	if err == nil {
		return copySession(ctx, store, path, h, o)
	}
	if !errors.Is(err, session.ErrNotSession) {
		return Result{}, err
	}
	if _, err := filestore.SalvageHeader(path); err == nil {
		return Result{}, fmt.Errorf("import %s: its header cannot be read. bough doctor --repair %s makes a whole session of it", path, path)
	}
	t, err := Recognize(path)
	if err != nil {
		return Result{}, err
	}
	return t.into(ctx, store, o)
}

// into makes a session of a headerless tree.
func (t *Tree) into(ctx context.Context, store filestore.Store, o Options) (Result, error) {
	r := Result{Entries: t.Entries, Branches: t.Branches, Left: t.Left, Tree: true, ID: t.SessionID()}
	if !o.Again {
		found, err := store.WithID(ctx, r.ID)
		if err != nil {
			return r, err
		}
		if len(found) > 0 {
			r.Path, r.Already = found[0].Path, true
			return r, nil
		}
	} else {
		r.ID = session.NewSessionID()
	}
	h, lines := t.Session(r.ID, o.Dir, o.Now)
	log, err := store.Create(ctx, h, lines...)
	if err != nil {
		return r, fmt.Errorf("import %s: %w", t.Path, err)
	}
	r.Path = store.FilePath(h)
	return r, log.Close()
}

// SessionID returns the id of the session that is made of the tree: the same each
// time, as long as the file is the same.
func (t *Tree) SessionID() string {
	return uuid.NewSHA1(uuid.NameSpaceOID, append([]byte("bough.import:"), t.sum[:]...)).String()
}

// copySession copies a session file into the store.
func copySession(ctx context.Context, store filestore.Store, path string, h session.Header, o Options) (Result, error) {
	r := Result{ID: h.ID}
	live := store
	live.Live = true
	s, err := session.Open(ctx, live, path)
	if err != nil {
		return r, fmt.Errorf("import: %w", err)
	}
	for e := range s.Tree().All() {
		if e.Lost() {
			continue
		}
		if r.Entries++; len(s.Tree().Children(e.ID)) == 0 {
			r.Branches++
		}
	}
	r.Bad = s.Tree().BadLines()
	if err := s.Close(); err != nil {
		return r, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return r, fmt.Errorf("import: %w", err)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	found, err := store.WithID(ctx, h.ID)
	if err != nil {
		return r, err
	}
	for _, f := range found {
		if !o.Again && holds(f.Path, path, data) {
			r.Path, r.Already = f.Path, true
			return r, nil
		}
	}
	if len(found) > 0 {
		r.Was, r.ID = h.ID, session.NewSessionID()
		data = withID(data, r.ID, path)
	}
	dir := h.CWD
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		dir = o.Dir
	}
	r.Path, err = write(store.Dir(dir), filepath.Base(path), data)
	if err != nil {
		return r, fmt.Errorf("import %s: %w", path, err)
	}
	return r, nil
}

// holds reports whether a session of the store is the one that is to be imported,
// or what became of it.
func holds(have, path string, data []byte) bool {
	a, aerr := os.Stat(have)
	b, berr := os.Stat(path)
	if aerr == nil && berr == nil && os.SameFile(a, b) {
		return true
	}
	if aerr != nil || a.Size() < int64(len(data)) {
		return false
	}
	there, err := os.ReadFile(have)
	return err == nil && bytes.HasPrefix(there, data)
}

// withID returns a session file with another id in its header, which says where it
// comes from unless it says that of another.
func withID(data []byte, id, path string) []byte {
	h, at, err := session.FindHeader(data)
	if err != nil {
		return data // it has one: it was opened
	}
	line := setString(h.Line(), "id", id)
	if h.ParentSession == "" {
		line = setString(line, "parentSession", path)
	}
	start := int(at.Seq) - at.Size
	out := append([]byte(nil), data[:start]...)
	out = append(append(out, line...), '\n')
	return append(out, data[at.Seq:]...)
}

// write makes a file of that name in a folder, or of one like it that is not taken.
func write(dir, name string, data []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	base := strings.TrimSuffix(name, ".jsonl")
	for n := 0; ; n++ {
		path := filepath.Join(dir, base+".jsonl")
		if n > 0 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", base, n))
		}
		err := filestore.WriteNew(path, func(w io.Writer) error { _, err := w.Write(data); return err })
		if !errors.Is(err, fs.ErrExist) || n == 10000 {
			return path, err
		}
	}
}

// sum is what a file is known by.
func sum(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }
