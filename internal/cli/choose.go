package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/session/memstore"
)

// choose finds the session to stand at: what the options name, or a new one.
func (r *runner) choose(ctx context.Context) (control.Start, error) {
	a := r.args
	start := control.Start{Store: r.store, Dir: r.env.Dir, Label: a.name, AtWord: a.at, Thinking: a.thinking}
	if a.noSession {
		return r.inMemory(ctx, start)
	}
	switch {
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
		return r.forkFile(ctx, start, a.fork)
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

// inMemory keeps nothing on disk. A session that is named is read, not touched.
func (r *runner) inMemory(ctx context.Context, start control.Start) (control.Start, error) {
	start.Store = nil
	start.New = session.Header{CWD: r.env.Dir}
	word := r.args.session
	if r.args.cont {
		if recent, err := r.store.Recent(ctx, r.env.Dir); err == nil && len(recent) > 0 {
			word = recent[0].Path
		}
	}
	if word == "" {
		return start, nil
	}
	named, err := r.openNamed(ctx, start, word)
	if err != nil || named.Open == "" {
		return start, err // nothing is there yet
	}
	mem := &memstore.Store{}
	if err := copyInto(ctx, mem, r.store, named.Open); err != nil {
		return start, err
	}
	for sum, err := range mem.List(ctx) {
		if err != nil {
			return start, err
		}
		named.Open = sum.ID
	}
	named.Store = mem
	return named, nil
}

func copyInto(ctx context.Context, to session.Store, from session.Store, id string) error {
	l, err := from.Open(ctx, id)
	if err != nil {
		return err
	}
	defer l.Close()
	var lines [][]byte
	for e, err := range l.Entries(ctx, 0) {
		if err != nil {
			return err
		}
		line, err := e.Raw()
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	copied, err := to.Create(ctx, l.Header(), lines...)
	if err != nil {
		return err
	}
	return copied.Close()
}

// openNamed opens the session of a path or id. A path where nothing is yet is
// where a new session will lie.
func (r *runner) openNamed(ctx context.Context, start control.Start, word string) (control.Start, error) {
	if filestore.IsPath(word) {
		path := r.env.abs(word)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			start.New, start.File = session.Header{CWD: r.env.Dir}.Complete(), path
			store := r.beside(path)
			store.Path, store.PathID = path, start.New.ID
			start.Store = store
			return start, nil
		}
		if err != nil {
			return start, err
		}
		start.Store = r.beside(path)
		return r.inItsFolder(ctx, start, path)
	}
	heads, err := r.lookup(ctx, word)
	if err != nil {
		return start, err
	}
	if heads[0].Header.CWD != r.env.Dir {
		return start, fmt.Errorf("session %s belongs to %s. Go there, or copy it here with: bough --fork %s", heads[0].Header.ID, heads[0].Header.CWD, word)
	}
	return r.inItsFolder(ctx, start, heads[0].Path)
}

// beside is the store of a session that was named by its path: what is begun
// there later lies beside it, unless its place is one of the usual ones.
func (r *runner) beside(path string) filestore.Store {
	store := r.store
	dir := filepath.Dir(path)
	if r.args.sessionDir == "" && filepath.Dir(dir) != filepath.Clean(store.Root) {
		store.Flat = dir
	}
	return store
}

// inItsFolder opens a session file in the folder that its header names.
func (r *runner) inItsFolder(ctx context.Context, start control.Start, path string) (control.Start, error) {
	l, err := r.store.Open(ctx, path)
	if err != nil {
		return start, err
	}
	defer l.Close()
	if cwd := l.Header().CWD; cwd != "" {
		if !dirExists(cwd) {
			return start, fmt.Errorf("the folder of this session, %s, is not there any more. Copy the session here with: bough --fork %s", cwd, path)
		}
		start.Dir = cwd
	}
	start.Open = path
	return start, nil
}

// lookup finds sessions by id: exactly or as a prefix here, then exactly or as a
// prefix anywhere. Several of one kind are an error that names them.
func (r *runner) lookup(ctx context.Context, word string) ([]filestore.Head, error) {
	var found [4][]filestore.Head
	for h, err := range r.store.Heads(ctx) {
		if err != nil {
			return nil, err
		}
		at := -1
		switch here := h.Header.CWD == r.env.Dir; {
		case h.Header.ID == word && here:
			at = 0
		case strings.HasPrefix(h.Header.ID, word) && here:
			at = 1
		case h.Header.ID == word:
			at = 2
		case strings.HasPrefix(h.Header.ID, word), len(word) >= 4 && strings.HasSuffix(h.Header.ID, word):
			at = 3
		}
		if len(word) >= 4 && strings.HasSuffix(h.Header.ID, word) && h.Header.CWD == r.env.Dir && at != 0 {
			at = 1
		}
		if at >= 0 {
			found[at] = append(found[at], h)
		}
	}
	for _, heads := range found {
		switch {
		case len(heads) == 1:
			return heads, nil
		case len(heads) > 1:
			slices.SortFunc(heads, func(a, b filestore.Head) int { return b.Info.ModTime().Compare(a.Info.ModTime()) })
			var b strings.Builder
			fmt.Fprintf(&b, "%q is the beginning or end of several session ids; give more of it, or a path:", render.OneLine(word))
			for _, h := range heads {
				fmt.Fprintf(&b, "\n  %s  %s  %s", render.OneLine(h.Header.ID), h.Info.ModTime().Format(time.DateTime), render.OneLine(h.Path))
			}
			return nil, errors.New(b.String())
		}
	}
	return nil, fmt.Errorf("no session has the id %q. bough sessions list --all shows what there is", word)
}

// forkFile begins a session as a copy of a whole file, all branches included.
func (r *runner) forkFile(ctx context.Context, start control.Start, word string) (control.Start, error) {
	path := ""
	if filestore.IsPath(word) {
		path = r.env.abs(word)
	} else {
		heads, err := r.lookup(ctx, word)
		if err != nil {
			return start, err
		}
		path = heads[0].Path
	}
	l, err := r.store.Open(ctx, path)
	if err != nil {
		return start, err
	}
	defer l.Close()
	var lines [][]byte
	tree := session.NewTree()
	for e, err := range l.Entries(ctx, 0) {
		if err != nil {
			return start, err
		}
		line, err := e.Raw()
		if err != nil {
			return start, err
		}
		lines = append(lines, line)
		tree.Add(e)
	}
	if at := r.args.at; at != "" && !tree.Has(session.ID(at)) && tree.Labelled(at) == "" {
		return start, fmt.Errorf("the session has no entry and no label %q, so it was not copied", at)
	}
	h := session.Header{ID: r.args.sessionID, CWD: r.env.Dir, ParentSession: path}
	if h.ID != "" {
		if err := session.CheckSessionID(h.ID); err != nil {
			return start, err
		}
		if heads, err := r.lookup(ctx, h.ID); err == nil && heads[0].Header.ID == h.ID {
			return start, fmt.Errorf("session id %s is taken; choose another", h.ID)
		}
	}
	start = r.begin(start, h)
	copied, err := r.store.Create(ctx, start.New, lines...)
	if err != nil {
		return start, err
	}
	if err := copied.Close(); err != nil {
		return start, err
	}
	start.Open, start.Dir = start.File, r.env.Dir
	return start, nil
}

// exactly opens the session of an id in this folder, or begins it.
func (r *runner) exactly(ctx context.Context, start control.Start, id string) (control.Start, error) {
	if err := session.CheckSessionID(id); err != nil {
		return start, err
	}
	var last time.Time
	for h, err := range r.store.Heads(ctx) {
		if err != nil {
			return start, err
		}
		// Programs that began it at the same time made one each.
		if h.Header.ID == id && h.Header.CWD == r.env.Dir && (start.Open == "" || h.Info.ModTime().After(last)) {
			start.Open, last = h.Path, h.Info.ModTime()
		}
	}
	if start.Open != "" {
		return start, nil
	}
	r.say("There is no session %s in this folder yet; this is a new one of that id.", id)
	return r.begin(start, session.Header{ID: id, CWD: r.env.Dir}), nil
}

// pick lets a person choose among the sessions of this folder.
func (r *runner) pick(ctx context.Context, start control.Start) (control.Start, error) {
	recent, err := r.store.Recent(ctx, r.env.Dir)
	if err != nil {
		return start, err
	}
	if len(recent) == 0 {
		r.say("There is no session of this folder yet; this is a new one.")
		return r.begin(start, session.Header{CWD: r.env.Dir}), nil
	}
	if !r.env.StdinTerminal {
		return start, usage{fmt.Errorf("--resume asks which session to open, which needs a terminal; use --session ID or -c")}
	}
	recent = recent[:min(len(recent), 20)]
	for i, s := range recent {
		fmt.Fprintf(r.env.Stderr, "%3d  %-8s %4d messages  %s\n", i+1, age(time.Since(s.Touched)), s.Messages, title(s))
	}
	fmt.Fprintf(r.env.Stderr, "number of the session to open (empty: none): ")
	n := 0
	asked := make(chan int, 1)
	go func() {
		var n int
		if _, err := fmt.Fscanln(r.env.Stdin, &n); err != nil {
			n = 0
		}
		asked <- n
	}()
	select {
	case n = <-asked:
	case <-ctx.Done():
		return start, ctx.Err()
	}
	if n < 1 || n > len(recent) {
		r.say("No session was chosen.")
		return start, errCancelled
	}
	start.Open = recent[n-1].Path
	return start, nil
}

// errCancelled ends the program with code 0: the user chose nothing.
var errCancelled = errors.New("cancelled")

func title(s session.Summary) string {
	switch {
	case s.Name != "":
		return oneLine(s.Name, 60)
	case s.FirstMessage != "":
		return oneLine(s.FirstMessage, 60)
	}
	return "(no messages)"
}

// age says how long ago something was.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%dw", int(d.Hours()/24/7))
	case d < 365*24*time.Hour:
		return fmt.Sprintf("%dmo", int(d.Hours()/24/30))
	}
	return fmt.Sprintf("%dy", int(d.Hours()/24/365))
}
