package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session/filestore"
)

// lookup finds the session that a user's word means: the one whose id it is here,
// begins or ends here, and then likewise in other folders. If it may be several
// of one kind, a person at a terminal chooses, and for others that is an error
// (docs/spec/session.md 10.3).
func (r *runner) lookup(ctx context.Context, word string) (filestore.Head, error) {
	found, err := r.store.Find(ctx, r.env.Dir, word)
	switch {
	case err != nil:
		return filestore.Head{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return r.oneOf(ctx, found, word)
	}
	if fileExists(r.env.abs(word)) {
		return filestore.Head{}, fmt.Errorf("no session has the id %q. If you mean the file, say .%c%s", oneLine(word, 80), filepath.Separator, word)
	}
	return filestore.Head{}, fmt.Errorf("no session has the id %q. bough sessions list --all shows what there is", oneLine(word, 80))
}

// oneOf decides between several sessions that a word may mean.
func (r *runner) oneOf(ctx context.Context, heads []filestore.Head, word string) (filestore.Head, error) {
	same := !slices.ContainsFunc(heads, func(h filestore.Head) bool { return h.Header.ID != heads[0].Header.ID })
	rows := make([]string, len(heads))
	for i, h := range heads {
		what := h.Header.ID
		if same {
			what = h.Path
		}
		rows[i] = render.OneLine(fmt.Sprintf("%s  %s  %s", what, h.Info.ModTime().Format(time.DateTime), h.Header.CWD))
	}
	if r.asks {
		i, ok := r.askWhich(ctx, rows)
		if !ok {
			return filestore.Head{}, errCancelled
		}
		return heads[i], nil
	}
	text := fmt.Sprintf("%q is the beginning or end of several session ids; give more of it:", oneLine(word, 80))
	if same {
		text = fmt.Sprintf("several session files have the id %q; give the path of one:", oneLine(word, 80))
	}
	return filestore.Head{}, errors.New(text + "\n  " + strings.Join(rows, "\n  "))
}

// here returns the path of the session of exactly that id in this folder, "" if
// there is none. Of several, as programs make that begin one at the same time, it
// is the one that was written to last.
func (r *runner) here(ctx context.Context, id string) (path string, err error) {
	found, err := r.store.WithID(ctx, id)
	for _, h := range found {
		if sameDir(h.Header.CWD, r.env.Dir) {
			return h.Path, err
		}
	}
	return "", err
}

// sameDir reports whether the folder of a session is dir.
func sameDir(cwd, dir string) bool { return cwd != "" && filepath.Clean(cwd) == dir }

// dirExists reports whether a session's folder can be worked in.
func dirExists(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
