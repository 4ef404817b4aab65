// Package filestore keeps sessions in files, where pi keeps them:
//
//	ROOT/--home-ana-shop--/2026-03-01T09-00-00-000Z_0195….jsonl
//
// One folder for each project, one file for each session, one line for each
// entry. A file only grows; the one exception is a file of an old version, which
// is replaced, once, by its migrated form when it is first appended to, with the
// old one kept beside it.
package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/session"
)

// Policy says when what was written is forced to the disk. Whatever it is, a
// crash of the program loses nothing that was appended.
type Policy string

const (
	SyncTurn   Policy = "turn"   // soon after a user's message and the end of a turn, without waiting
	SyncAlways Policy = "always" // before an append returns
	SyncOff    Policy = "off"    // when the system pleases
)

// Store is a folder of sessions.
type Store struct {
	// Root is the sessions root, in which each project has a folder.
	Root string
	// Flat, if set, is a folder that holds the sessions of all projects itself;
	// Root is not used then.
	Flat string
	// Path, if set, is the file that Create makes for the session PathID; "" is
	// any. There may be an empty file in its place.
	Path, PathID string
	// Leases is the folder for the leases of live sessions; "" means none are
	// taken.
	Leases string
	// Cache is the folder for what can be made again: the indexes of large files.
	// "" means that none is kept.
	Cache string
	Sync  Policy // "" is SyncTurn

	// Live salvages what can be understood of damaged files, by [session.Salvage],
	// and opens for reading also those that have entries but no header where it
	// belongs. Without it a file is read as pi reads it (docs/spec/README.md 15).
	// Undamaged files are the same in both readings.
	Live bool
}

var _ session.Store = Store{}

// Dir returns the folder of the sessions of a project.
func (s Store) Dir(cwd string) string {
	if s.Flat != "" {
		return s.Flat
	}
	return filepath.Join(s.Root, ProjectDir(cwd))
}

// FileName returns the name of the file of a new session.
func FileName(h session.Header) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(h.Timestamp) + "_" + h.ID + ".jsonl"
}

// FilePath returns the path that Create will give the session of that header.
func (s Store) FilePath(h session.Header) string {
	if s.Path != "" && (s.PathID == "" || s.PathID == h.ID) {
		return s.Path
	}
	return filepath.Join(s.Dir(h.CWD), FileName(h))
}

// Create writes a new file: under another name first, so that it is there whole
// or not at all.
func (s Store) Create(ctx context.Context, h session.Header, entries ...[]byte) (session.Log, error) {
	path := s.FilePath(h)
	data := append(h.Line(), '\n')
	for _, e := range entries {
		data = append(append(data, e...), '\n')
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	if err := writeNew(path, data, s.Sync == SyncAlways); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create session file %s: %w", path, session.ErrExists)
		}
		return nil, fmt.Errorf("create session file: %w", err)
	}
	l, err := s.openFile(path)
	if err != nil {
		return nil, err
	}
	l.sync.dir = filepath.Dir(path)
	l.sync.want(true)
	return l, nil
}

// writeNew makes a file that must not exist, whole or not at all.
func writeNew(path string, data []byte, sync bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already, or of no use
	if _, err = f.Write(data); err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err = os.Link(f.Name(), path); err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fill(path, f.Name())
	}
	// A file system without hard links: make the file itself.
	g, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = g.Write(data)
	if cerr := g.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path) // ours, and not whole
	}
	return err
}

// fill puts a file in the place of an empty one, or returns [fs.ErrExist] if that
// is not empty.
func fill(path, from string) error {
	path = target(path)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fs.ErrExist
	}
	defer f.Close()
	if err := lockFile(f); err != nil {
		return err
	}
	defer unlockFile(f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(now, info) || !info.Mode().IsRegular() || info.Size() > 0 {
		return fs.ErrExist // filled by somebody else
	}
	if err := os.Chmod(from, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(from, path)
}

// openFile opens a session file, with its sidecar.
func (s Store) openFile(path string) (*log, error) {
	l, err := openLog(path, s.Sync, s.Live)
	if err == nil {
		l.side = newSidecar(s.Cache, path)
	}
	return l, err
}

// logOf is for returning both as an interface.
func logOf(l *log, err error) (session.Log, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// IsPath reports whether a user's word for a session is a path rather than an id.
func IsPath(word string) bool {
	return strings.ContainsAny(word, `/\`) || strings.HasSuffix(word, ".jsonl")
}
