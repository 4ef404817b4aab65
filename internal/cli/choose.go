package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/session/memstore"
)

// choose finds the session to stand at: what the options name, or a new one
// (docs/spec/frontends.md A3, docs/spec/session.md 10.3).
func (r *runner) choose(ctx context.Context) (control.Start, error) {
	a := r.args
	start := control.Start{Store: r.store, Dir: r.env.Dir, Label: a.name, AtWord: a.at}
	start, err := r.wanted(ctx, start)
	if err == nil && a.noSession {
		start, err = r.inMemory(ctx, start)
	}
	return start, err
}

func (r *runner) wanted(ctx context.Context, start control.Start) (control.Start, error) {
	a := r.args
	switch {
	case a.attach && !a.cont && !a.resume && a.sessionID == "":
		return r.attachable(ctx, start)
	case a.cont:
		recent, err := r.store.Recent(ctx, r.env.Dir)
		if err != nil {
			return start, err
		}
		if len(recent) > 0 {
			start.Open = recent[0].Path
			return start, nil
		}
		r.say("There is no session of this folder yet; this is a new one.")
	case a.resume:
		return r.pick(ctx, start)
	case a.session != "":
		return r.openNamed(ctx, start, a.session)
	case a.fork != "":
		return r.forkNamed(ctx, start, a.fork)
	case a.sessionID != "":
		return r.exactly(ctx, start, a.sessionID)
	}
	return r.begin(start, session.Header{CWD: r.env.Dir}), nil
}

// begin completes the start of a new session.
func (r *runner) begin(start control.Start, h session.Header) control.Start {
	start.New = h.Complete()
	start.File = r.store.FilePath(start.New)
	return start
}

// inMemory makes of a start one that keeps nothing on disk. A session that exists
// is read, not touched.
func (r *runner) inMemory(ctx context.Context, start control.Start) (control.Start, error) {
	start.File = ""
	if start.Open == "" {
		start.Store = nil
		return start, nil
	}
	from, err := session.Open(ctx, start.Store, start.Open)
	if err != nil {
		return start, err
	}
	defer from.Close()
	var lines [][]byte
	for line, err := range from.Tree().Whole() {
		if err != nil {
			return start, err
		}
		lines = append(lines, line)
	}
	mem := &memstore.Store{}
	to, err := mem.Create(ctx, from.Header(), lines...)
	if err != nil {
		return start, err
	}
	start.Store, start.Open = mem, to.Header().ID
	return start, to.Close()
}

// openNamed opens the session of a path or id. A path where nothing is yet is
// where a new session will lie.
func (r *runner) openNamed(ctx context.Context, start control.Start, word string) (control.Start, error) {
	if !filestore.IsPath(word) {
		head, err := r.lookup(ctx, word)
		if err != nil {
			return start, err
		}
		if cwd := head.Header.CWD; cwd != "" && !sameDir(cwd, r.env.Dir) {
			return r.elsewhere(ctx, start, head)
		}
		return r.inItsFolder(ctx, start, head.Path)
	}
	path := r.env.abs(word)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
		start.New, start.File = session.Header{CWD: r.env.Dir}.Complete(), path
		store := r.beside(path)
		store.Path, store.PathID = path, start.New.ID
		start.Store = store
		return start, nil
	case err != nil:
		return start, fmt.Errorf("open session: %w", err)
	case info.IsDir():
		return start, fmt.Errorf("open session: %s is a folder. --session-dir %s looks for sessions in it", path, word)
	case !info.Mode().IsRegular():
		return start, fmt.Errorf("open session: %s is no session file", path)
	}
	start.Store = r.beside(path)
	return r.inItsFolder(ctx, start, path)
}

// beside is the store of a session that was named by its path: what is begun
// there later lies beside it, unless its place is one of the usual ones.
func (r *runner) beside(path string) filestore.Store {
	store := r.store
	if dir := filepath.Dir(path); store.Flat == "" && filepath.Dir(dir) != filepath.Clean(store.Root) {
		store.Flat = dir
	}
	return store
}

// inItsFolder opens a session file in the folder that its header names.
func (r *runner) inItsFolder(ctx context.Context, start control.Start, path string) (control.Start, error) {
	l, err := r.store.Open(ctx, path)
	if err != nil {
		return start, headerless(path, err)
	}
	cwd := l.Header().CWD
	if err := l.Close(); err != nil {
		return start, err
	}
	if cwd != "" && !dirExists(cwd) {
		return r.folderGone(ctx, start, path, cwd)
	}
	if cwd != "" {
		start.Dir = cwd
	}
	start.Open = path
	return start, nil
}

// elsewhere decides what becomes of a session of another folder.
func (r *runner) elsewhere(ctx context.Context, start control.Start, head filestore.Head) (control.Start, error) {
	id, cwd := head.Header.ID, head.Header.CWD
	if !r.asks {
		return start, fmt.Errorf("session %s belongs to %s. Go there, or copy it here with: bough --fork %s", id, cwd, id)
	}
	switch r.askLetter(ctx, fmt.Sprintf("Session %s belongs to %s", id, cwd), "(f)ork it here", "(o)pen it there", "(c)ancel") {
	case 'f':
		return r.forkFrom(ctx, start, head.Path)
	case 'o':
		return r.inItsFolder(ctx, start, head.Path)
	}
	return start, errCancelled
}

// folderGone decides what becomes of a session whose folder is not there any more
// (docs/spec/session.md 9.6).
func (r *runner) folderGone(ctx context.Context, start control.Start, path, cwd string) (control.Start, error) {
	if !r.asks {
		return start, fmt.Errorf("the folder of this session, %s, is not there any more. Copy the session here with: bough --fork %s", cwd, path)
	}
	switch r.askLetter(ctx, fmt.Sprintf("The folder of this session, %s, is not there any more", cwd), "(f)ork it here", "(o)pen it here all the same", "(c)ancel") {
	case 'f':
		return r.forkFrom(ctx, start, path)
	case 'o':
		start.Open, start.Dir = path, r.env.Dir
		return start, nil
	}
	return start, errCancelled
}

// exactly opens the session of an id in this folder, or begins it.
func (r *runner) exactly(ctx context.Context, start control.Start, id string) (control.Start, error) {
	path, err := r.here(ctx, id)
	if err != nil {
		return start, err
	}
	if path != "" {
		start.Open = path
		return start, nil
	}
	r.say("There is no session %s in this folder yet; this is a new one of that id.", id)
	return r.begin(start, session.Header{ID: id, CWD: r.env.Dir}), nil
}

// pick lets a person choose among the sessions of this folder.
func (r *runner) pick(ctx context.Context, start control.Start) (control.Start, error) {
	if r.screens { // the list opens over a session that is not there before somebody speaks
		return r.begin(start, session.Header{CWD: r.env.Dir}), nil
	}
	recent, err := r.store.Recent(ctx, r.env.Dir)
	if err != nil {
		return start, err
	}
	if len(recent) == 0 {
		r.say("There is no session of this folder yet; this is a new one.")
		return r.begin(start, session.Header{CWD: r.env.Dir}), nil
	}
	recent = recent[:min(len(recent), 20)]
	rows := make([]string, len(recent))
	for i, s := range recent {
		rows[i] = fmt.Sprintf("%-4s %s  %s", render.Age(time.Since(s.Touched)), render.Messages(s.Said), title(s))
	}
	i, ok := r.askWhich(ctx, rows)
	if !ok {
		return start, errCancelled
	}
	start.Open = recent[i].Path
	return start, nil
}
