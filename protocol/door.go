package protocol

import (
	"context"

	"github.com/boughdev/bough/session"
)

// A Door opens sessions, for front ends that stand at several of them.
type Door interface {
	// Open returns a client that stands at a session. Who is done with it calls the
	// function; what runs there ends with its last client.
	Open(ctx context.Context, o Open) (Client, func(), error)
}

// Open says which session, and how.
type Open struct {
	// Session is the path or the id of a session, or what an id begins with. "" is a
	// new one.
	Session string

	// Create begins a session where no file is yet. Without it that is NotFound.
	Create bool

	// CWD is the folder of a new session, or where one that exists is to work; "":
	// its own.
	CWD string

	// Entry is where to stand, "" before the first entry; nil: where the
	// conversation stood last. A place between a tool call and its results becomes
	// that behind the last result, unless Exact is set.
	Entry *session.ID `json:"entryId"`
	Exact bool

	// Own wants a leaf, queues and runs of its own, also where the session is open
	// already. Otherwise who opens it joins.
	Own bool

	// Who is what others are told of what this front end does: "rpc", "web".
	Who string

	Name string // of a new session
}
