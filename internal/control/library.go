package control

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/protocol"
)

// Library has the sessions that there are, open or not. dir is the folder of the
// session that asks.
type Library interface {
	// Find returns the path of the session that a word means: a path, an id, or what
	// an id begins with.
	Find(ctx context.Context, dir, word string) (path string, err error)

	List(ctx context.Context, dir string, c protocol.ListSessions) (protocol.Sessions, error)
	Search(ctx context.Context, dir string, c protocol.SearchSessions) (protocol.Found, error)

	// Of the session in a file. Nobody in this process works with it.
	Rename(ctx context.Context, path, to string) error
	Trash(ctx context.Context, path string) error

	Restore(ctx context.Context, dir, word string) (path string, err error)
	Check(ctx context.Context, path string) (protocol.Checkup, error)
}

// library carries out the commands about all sessions.
func (c *Conn) library(ctx context.Context, s asked, cmd protocol.Request) (any, error) {
	lib := s.opts.Library
	if lib == nil {
		return nil, protocol.Fail(protocol.BadRequest, "There are no sessions here besides this one.")
	}
	find := func(word string) (string, error) {
		if word == "" {
			return "", protocol.Fail(protocol.BadRequest, "Say which session: its path, or its id.")
		}
		return lib.Find(ctx, s.dir, word)
	}
	switch x := cmd.(type) {
	case protocol.ListSessions:
		list, err := lib.List(ctx, s.dir, x)
		for i := range list.Sessions {
			for _, live := range c.hub.at(list.Sessions[i].Path) {
				list.Sessions[i].Live = true
				list.Sessions[i].Running = list.Sessions[i].Running || live.works(ctx)
			}
		}
		return list, err
	case protocol.SearchSessions:
		return lib.Search(ctx, s.dir, x)
	case protocol.RenameSession:
		path, err := find(x.Session)
		if err != nil {
			return nil, err
		}
		return protocol.None{}, c.rename(ctx, lib, path, x.To)
	case protocol.TrashSession:
		path, err := find(x.Session)
		if err != nil {
			return nil, err
		}
		if len(c.hub.at(path)) > 0 {
			return nil, protocol.Fail(protocol.Busy, "That session is open here. Leave it first.")
		}
		return protocol.None{}, lib.Trash(ctx, path)
	case protocol.RestoreSession:
		if x.Session == "" {
			return nil, protocol.Fail(protocol.BadRequest, "Say which session: its path, or its id.")
		}
		return lib.Restore(ctx, s.dir, x.Session)
	case protocol.CheckSession:
		var path string
		var err error
		if x.Session != "" {
			path, err = find(x.Session)
		} else {
			err = s.do(ctx, func() { path = s.savedAt() })
		}
		switch {
		case err != nil:
			return nil, err
		case path == "":
			return nil, protocol.Fail(protocol.NotFound, "This session is in no file, so there is none to look at.")
		}
		return lib.Check(ctx, path)
	}
	return nil, protocol.Fail(protocol.UnknownCommand, "Unknown command: %s", cmd.Name())
}

// rename names a session: by its owner, if it is live here.
func (c *Conn) rename(ctx context.Context, lib Library, path, to string) error {
	for _, live := range c.hub.at(path) {
		var err error
		if derr := (asked{live, c.start.Who}).do(ctx, func() { err = live.setName(to) }); derr == nil {
			return err
		}
	}
	return lib.Rename(ctx, path, to)
}

// at returns the sessions of a file that are live here, the main view first.
func (h *Hub) at(path string) []*Session {
	if path == "" {
		return nil
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var live []*Session
	for key, s := range h.sessions {
		if of, _, own := strings.Cut(key, "\x00"); of != path {
			continue
		} else if own {
			live = append(live, s)
		} else {
			live = append([]*Session{s}, live...)
		}
	}
	return live
}
