package control

import (
	"context"
	"fmt"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// FilePather is a store that knows where a new session will lie.
type FilePather interface{ FilePath(session.Header) string }

// locate says where the session of start will lie, once its header is known.
func locate(start *Start) {
	start.New = start.New.Complete()
	if p, ok := start.Store.(FilePather); ok {
		start.File = p.FilePath(start.New)
	}
}

func (c *Conn) newSession(ctx context.Context, cmd protocol.NewSession) error {
	start := c.begin()
	start.Label, start.New.ParentSession = cmd.Label, cmd.Parent
	locate(&start)
	return c.goTo(ctx, start)
}

func (c *Conn) switchSession(ctx context.Context, cmd protocol.SwitchSession) error {
	start := c.begin()
	start.Open, start.Dir = cmd.Session, cmd.CWD
	if find := c.session().opts.FindSession; find != nil {
		var err error
		if start, err = find(ctx, start, cmd.Session); err != nil {
			return err
		}
	}
	return c.goTo(ctx, start)
}

// fork goes over to a copy of the path to the parent of a message of the user.
func (c *Conn) fork(ctx context.Context, cmd protocol.Fork) (protocol.Forked, error) {
	s := c.session()
	var (
		dest session.Destination
		err  error
	)
	derr := s.do(ctx, func() {
		e := s.live.Tree().Get(cmd.Entry)
		if e == nil || e.Role != message.User {
			err = protocol.Fail(protocol.UnknownEntry, "Invalid entry ID for forking")
			return
		}
		dest, err = s.live.Tree().Destination(cmd.Entry)
	})
	if derr != nil {
		return protocol.Forked{}, derr
	}
	if err != nil {
		return protocol.Forked{}, err
	}
	return protocol.Forked{Text: dest.Text, Images: dest.Images}, c.copyTo(ctx, s, dest.Leaf)
}

// clone goes over to a copy of the path to an entry or the leaf.
func (c *Conn) clone(ctx context.Context, cmd protocol.Clone) error {
	s := c.session()
	leaf := cmd.Entry
	unsaved, known := false, true
	if err := s.do(ctx, func() {
		if unsaved = s.store != nil && s.live.Log() == nil; leaf == "" {
			leaf = s.branch.Leaf()
		} else {
			known = s.live.Tree().Has(leaf)
		}
	}); err != nil {
		return err
	}
	if !known {
		return protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", cmd.Entry)
	}
	if leaf == "" || unsaved {
		return protocol.Fail(protocol.NotRunnable, "There is nothing to clone yet: the session is empty.")
	}
	return c.copyTo(ctx, s, leaf)
}

// copyTo makes a session of the path to leaf and goes over to it. A copy in which
// nobody has spoken yet is written with its first message.
func (c *Conn) copyTo(ctx context.Context, s *Session, leaf session.ID) error {
	start := c.begin()
	var (
		lines  [][]byte
		spoken bool
		err    error
	)
	derr := s.do(ctx, func() {
		start.New.ParentSession = s.path()
		if leaf == "" {
			return
		}
		var copied session.BranchCopy
		if copied, err = s.live.Tree().CopyBranch(leaf); err != nil {
			return
		}
		spoken = copied.Spoken()
		lines, err = copied.Lines()
	})
	if derr != nil {
		return derr
	}
	if err != nil {
		return &protocol.Error{Code: protocol.IO, Text: fmt.Sprintf("copy the branch: %v", err), Err: err}
	}
	locate(&start)
	if !spoken || start.Store == nil {
		start.copied = lines
		return c.goTo(ctx, start)
	}
	log, err := start.Store.Create(ctx, start.New, lines...)
	if err != nil {
		return &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	log.Close() // it is opened again in a moment
	start.Open = start.New.ID
	if start.File != "" {
		start.Open = start.File
	}
	return c.goTo(ctx, start)
}
