package control

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// saving is why the session cannot be saved, as it was last told. Owner's.
type saving struct {
	unsavable string // "": it can be
	waits     int    // entries
}

// saves refuses what would be said and could not be kept (docs/spec/frontends.md D-E).
// Owner's.
func (s *Session) saves(q queued) error {
	n := 2*len(q.text) + 512
	for _, b := range q.images {
		n += len(b.Data)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 5*time.Second)
	defer cancel()
	err := s.live.Room(ctx, n)
	s.tell(err)
	s.canSave(err)
	if err == nil {
		return nil
	}
	return &protocol.Error{Code: protocol.IO, Text: "Nothing was sent, since the session cannot be saved: " + unsavable(err), Err: err}
}

// canSave keeps and tells why the session cannot be saved. Owner's.
func (s *Session) canSave(err error) {
	why := unsavable(err)
	if n := s.live.Unsaved(); why != s.unsavable || n != s.waits {
		s.unsavable, s.waits = why, n
		s.emit(protocol.SavingChanged{Entries: n, Why: why})
	}
}

// unsavable says why a session cannot be saved and what can be done about it, in a
// sentence or two; "" for nil.
func unsavable(err error) string {
	if err == nil {
		return ""
	}
	if u, ok := errors.AsType[*session.UnsavedError](err); ok {
		err = u.Err
	}
	text := strings.TrimRight(err.Error(), ".")
	if _, advice, ok := strings.Cut(text, "; "); ok && advice != "" {
		return text + "."
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return text + ". Make room on that disk, then go on."
	case errors.Is(err, syscall.EFBIG):
		return text + ". Files may not grow any more here (ulimit -f)."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return text + ". Make that place writable, then go on."
	}
	return text + "."
}

// mayBeSaved looks again whether a session can be saved that could not. Owner's.
func (s *Session) mayBeSaved() {
	if s.unsavable != "" {
		s.canSave(s.live.Room(s.ctx, 1))
	}
}
