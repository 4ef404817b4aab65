package protocol

import (
	"time"

	"github.com/boughdev/bough/session"
)

// The sessions that there are.
type (
	// ListSessions lists sessions, those last used first.
	ListSessions struct {
		All    bool   `json:"scope,words=cwd|all"` // of all folders
		CWD    string // of this folder; "": that of the session
		Query  string // words that name, first message, id or path must all have
		Limit  int    // 0: 100
		Cursor string // from where, as Next said; ""
	}

	// Sessions is what ListSessions found.
	Sessions struct {
		Sessions []SessionInfo
		Next     string // where the rest begins; "" if that is all
	}

	// SessionInfo is one session.
	SessionInfo struct {
		session.Summary
		Live    bool   // some bough works with it
		Running bool   // something goes on in it, as far as the bough that is asked knows
		Process int    // which; 0 if it is not known
		Address string // where it answers; "" if nowhere
	}

	// SearchSessions searches what was said in sessions.
	SearchSessions struct {
		Query string `json:"query,required"`      // as `bough sessions search` takes it
		All   bool   `json:"scope,words=cwd|all"` // in all folders
		CWD   string // in this one; "": that of the session
		Limit int    // hits; 0: 50
	}

	// Found is what SearchSessions found, the best first.
	Found struct{ Hits []Hit }

	// Hit is an entry that fits.
	Hit struct {
		Session session.Summary
		Entry   session.ID `json:"entryId"`
		Role    string
		Time    time.Time `json:"timestamp"`
		Text    string    // around what fits
	}

	// RenameSession names a session, also one that is not open.
	RenameSession struct {
		Session string `json:"session,required"`
		To      string `json:"name,required"`
	}

	// TrashSession puts a session that nobody works with aside.
	TrashSession struct {
		Session string `json:"session,required"`
	}

	// RestoreSession takes one back. It is answered with the path.
	RestoreSession struct {
		Session string `json:"session,required"`
	}

	// CheckSession says what is wrong with a session file, "" the session's own.
	CheckSession struct{ Session string }

	// Checkup is what CheckSession found, as `bough doctor --json` has it.
	Checkup struct {
		Text string // for people
		JSON []byte `json:"report"` // one object
	}
)

func (ListSessions) Name() string   { return "list_sessions" }
func (SearchSessions) Name() string { return "search_sessions" }
func (RenameSession) Name() string  { return "rename_session" }
func (TrashSession) Name() string   { return "trash_session" }
func (RestoreSession) Name() string { return "restore_session" }
func (CheckSession) Name() string   { return "check_session" }

func (ListSessions) answers(Sessions) {}
func (SearchSessions) answers(Found)  {}
func (RenameSession) answers(None)    {}
func (TrashSession) answers(None)     {}
func (RestoreSession) answers(string) {}
func (CheckSession) answers(Checkup)  {}
