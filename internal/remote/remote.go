// Package remote is the session service over HTTP, both ends of it: a handler in
// front of a [protocol.Door], and a door that goes there.
//
//	POST   /api/v1/open              {"session":"ID"} → {"client":…,"sessionId":…,"file":…}
//	POST   /api/v1/do?client=…       a command of protocol → its answer; or ?session=ID, without a client,
//	                                 or neither for a command about the sessions there are
//	GET    /api/v1/events?client=…   the events, as server-sent events; or ?session=ID
//	DELETE /api/v1/clients/…         leaves
//	GET    /api/v1/health            {"ok":true,"version":…}; needs no token
//
// A stream of events begins as protocol.Client.Watch does, and says each event as
// JSON of package protocol:
//
//	id: 4711                         Seq of the last entry told of, for Last-Event-ID
//	data: {"type":"appended","entry":{"seq":4711,"size":230,"line":{…}},"foreign":false}
//
// The entries of the tree of Opened follow it as Appended. An event that is long
// comes in pieces, all but the last with "event: part". "event: gone" ends a stream
// that will not go on. With ?form=rpc the data are the records of docs/spec/rpc.md.
//
// The two ends of this package know more of a stream, so that nothing is lost when
// a connection breaks, events that are no entries included: its name (?stream=…),
// the number of the event that comes next (Bough-Event in the answer, Bough-Resume
// in the request), and the session whose entries are known (Bough-Session).
package remote

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/boughdev/bough/protocol"
)

// ErrGone says that nobody serves the session there any more: the process has
// ended, or gone over to something else. Who wants to go on finds out who has the
// session now.
var ErrGone = errors.New("the process that runs this session does not answer any more")

// Codes of errors that only come up on the way.
const (
	Unauthorized  protocol.Code = "unauthorized"
	Forbidden     protocol.Code = "forbidden"
	TooLarge      protocol.Code = "too_large"
	UnknownClient protocol.Code = "unknown_client"
	Closed        protocol.Code = "closed"
)

const (
	prefix = "/api/v1"

	headerEvent   = "Bough-Event"
	headerResume  = "Bough-Resume"
	headerSession = "Bough-Session"
	headerKey     = "Idempotency-Key"

	pingEvery   = 15 * time.Second
	silentAfter = 40 * time.Second // then a stream is dead
	leaveAfter  = time.Minute      // without a stream and a command
	writeWithin = time.Minute

	partSize = 4 << 20 // of an event that comes in pieces
)

func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // does not fail
	return hex.EncodeToString(b[:])
}
