package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// forkNamed begins a session as a copy of the one of a path or id.
func (r *runner) forkNamed(ctx context.Context, start control.Start, word string) (control.Start, error) {
	if filestore.IsPath(word) {
		return r.forkFrom(ctx, start, r.env.abs(word))
	}
	head, err := r.lookup(ctx, word)
	if err != nil {
		return start, err
	}
	return r.forkFrom(ctx, start, head.Path)
}

// forkFrom begins a session of this folder as a copy of a whole file, all branches
// included; it stands where the file stands (docs/spec/session.md 9.3). Files of
// old versions are copied as what they migrate to, damaged ones as far as they can
// be read.
func (r *runner) forkFrom(ctx context.Context, start control.Start, path string) (control.Start, error) {
	h := session.Header{ID: r.args.sessionID, CWD: r.env.Dir, ParentSession: path}
	if h.ID != "" {
		taken, err := r.here(ctx, h.ID)
		if err != nil {
			return start, err
		}
		if taken != "" {
			return start, fmt.Errorf("--session-id %s: this folder has a session of that id, and the copy needs one of its own", h.ID)
		}
	}
	lines, err := r.linesOf(ctx, path)
	if errors.Is(err, session.ErrNotFound) {
		return start, fmt.Errorf("--fork: there is no file %s", path)
	}
	if err != nil {
		return start, err
	}
	start.Store = r.store
	start = r.begin(start, h)
	copied, err := r.store.Create(ctx, start.New, lines...)
	if err != nil {
		return start, err
	}
	start.Open, start.Dir = start.File, r.env.Dir
	return start, copied.Close()
}

// linesOf returns the entries of a session file, in which --at must be one; of a
// damaged file those that can be read.
func (r *runner) linesOf(ctx context.Context, path string) ([][]byte, error) {
	s, err := session.Open(ctx, r.store, path)
	if err != nil {
		return nil, headerless(path, err)
	}
	defer s.Close()
	tree := s.Tree()
	if at := r.args.at; at != "" && !tree.Has(session.ID(at)) && tree.Labelled(at) == "" {
		return nil, fmt.Errorf("--at: the session has no entry and no label %q. bough tree %s --json lists them", at, path)
	}
	var lines [][]byte
	for line, err := range tree.Whole() {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
