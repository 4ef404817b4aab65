package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// door opens further sessions of a hub, with the model that the command line names.
// Nobody is asked anything.
func (r *runner) door(hub *control.Hub, models *models) protocol.Door {
	return control.Door{Hub: hub, Find: way{r: r, hub: hub, models: models}.find}
}

// behind completes the start of a session that a front end opens.
func (r *runner) behind(ctx context.Context, start control.Start, o protocol.Open) (control.Start, error) {
	if o.CWD != "" {
		start.Dir = r.env.abs(o.CWD)
		if !dirExists(start.Dir) {
			return start, protocol.Fail(protocol.BadRequest, "There is no folder %s to work in.", start.Dir)
		}
	}
	if o.Session == "" {
		return r.begin(start, session.Header{CWD: start.Dir}), nil
	}
	path, err := r.find(ctx, start.Dir, o.Session)
	switch missing := protocol.CodeOf(err) == protocol.NotFound || protocol.CodeOf(err) == protocol.UnknownSession; {
	case missing && o.Create:
		return r.create(start, o.Session)
	case err != nil:
		return start, err
	}
	l, err := r.store.Open(ctx, path)
	if err != nil {
		return start, &protocol.Error{Code: protocol.CodeOf(inCodes(err)), Text: headerless(path, err).Error(), Err: err}
	}
	cwd := l.Header().CWD
	if err := l.Close(); err != nil {
		return start, err
	}
	switch {
	case o.CWD != "" || cwd == "":
	case !dirExists(cwd):
		return start, protocol.Fail(protocol.BadRequest, "The folder of this session, %s, is not there any more. Say in which folder it is to work (cwd).", cwd)
	default:
		start.Dir = cwd
	}
	start.Store, start.Open = r.beside(path), path
	return start, nil
}

// create completes the start of a new session that lies in a file, or that has an
// id.
func (r *runner) create(start control.Start, word string) (control.Start, error) {
	if !r.isPath(word) {
		if err := session.CheckSessionID(word); err != nil {
			return start, &protocol.Error{Code: protocol.BadRequest, Text: err.Error(), Err: err}
		}
		return r.begin(start, session.Header{ID: word, CWD: start.Dir}), nil
	}
	path := r.env.abs(word)
	start.New, start.File = session.Header{CWD: start.Dir}.Complete(), path
	store := r.beside(path)
	store.Path, store.PathID = path, start.New.ID
	start.Store = store
	return start, nil
}

func (r *runner) isPath(word string) bool {
	return filestore.IsPath(word) || fileExists(r.env.abs(word))
}

// find returns the path of the session that a word means, for somebody who works in
// dir: a path, an id, or the beginning or end of one. Nobody is asked which.
func (r *runner) find(ctx context.Context, dir, word string) (string, error) {
	if r.isPath(word) {
		path := r.env.abs(word)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
			return "", protocol.Fail(protocol.NotFound, "There is no session file %s.", path)
		case err != nil:
			return "", &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		case !info.Mode().IsRegular():
			return "", protocol.Fail(protocol.BadRequest, "%s is no session file.", path)
		}
		return path, nil
	}
	found, err := r.store.Find(ctx, dir, word)
	switch {
	case err != nil:
		return "", &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	case len(found) == 0:
		return "", protocol.Fail(protocol.UnknownSession, "No session has the id %q.", oneLine(word, 80))
	case len(found) == 1:
		return found[0].Path, nil
	}
	var b strings.Builder
	for _, h := range found {
		fmt.Fprintf(&b, "\n  %s  %s", h.Header.ID, render.OneLine(filepath.Clean(h.Path)))
	}
	return "", protocol.Fail(protocol.BadRequest, "%q may be several sessions; give the path of one:%s", oneLine(word, 80), b.String())
}
