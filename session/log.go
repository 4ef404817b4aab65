package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Log is one session's lines. It is safe for several goroutines, and several
// processes may have the same log open.
type Log interface {
	// Header returns the first line.
	Header() Header

	// Append adds one entry behind after, the place up to which the caller has
	// read, and returns where it is once it is as durable as this log makes it.
	// line is JSON without a line end. If another entry stands behind after
	// nothing is added and the error is ErrConflict: read on, retry. If the log is
	// no longer the one that was opened it is ErrReplaced: open it again.
	Append(ctx context.Context, after Seq, line []byte) (Line, error)

	// Entries yields the entries behind after up to the end as it is now. Lines
	// that are no entries are passed over. An error is the last pair; ErrReplaced
	// is one.
	Entries(ctx context.Context, after Seq) iter.Seq2[*Entry, error]

	// Tail is Entries and goes on with what is added, by whatever process, until
	// ctx ends.
	Tail(ctx context.Context, after Seq) iter.Seq2[*Entry, error]

	// Read returns the bytes of a line without its line end.
	Read(Line) ([]byte, error)

	Close() error
}

// Store is a place of many logs.
type Store interface {
	// Create makes a log of a header and entries, all or nothing. A log of that
	// id must not exist: ErrExists.
	Create(ctx context.Context, h Header, entries ...[]byte) (Log, error)

	// Open returns the log of that id: ErrNotFound, ErrNotSession.
	Open(ctx context.Context, id string) (Log, error)

	// List yields what there is, in no order. A log that cannot be read is left
	// out; an error that concerns all is the last pair.
	List(ctx context.Context) iter.Seq2[Summary, error]

	// Lease makes this process the owner of a session until release is called
	// or the process ends. addr is where others reach the owner. If there is one
	// the error is a *LeasedError. It is a courtesy: a log can be appended to
	// without it.
	Lease(ctx context.Context, id, addr string) (release func() error, err error)
}

var (
	ErrConflict = errors.New("somebody else has appended to the session")
	ErrNotFound = errors.New("no such session")
	ErrExists   = errors.New("a session of that id exists")
	ErrReplaced = errors.New("the session was replaced or cut by another program")
)

// LeasedError says who owns a session.
type LeasedError struct {
	Addr string // where the owner is reached; "" if it is not
	PID  int
}

func (e *LeasedError) Error() string {
	return fmt.Sprintf("the session is open in process %d", e.PID)
}
