package protocol

import "github.com/boughdev/bough/session"

// Going back, and bringing along.
type (
	// Back moves the leaf to where it stood before the last move; Forward undoes
	// that. Places are known as long as the session is live, to all its clients.
	Back    struct{}
	Forward struct{}

	// Take puts something of another branch onto this one, as messages that the
	// model hears. What it cost is not counted again.
	Take struct {
		What Taking
		// Entries are what to take; of an answer or a summary one, the place on
		// the other branch.
		Entries []session.ID `json:"entryIds"`
		// To, if set, takes all from the one entry of Entries to it that speaks.
		To session.ID `json:"toEntryId"`
		// Instructions are for a summary, as in Navigate.
		Instructions string `json:"customInstructions"`
	}

	// Taken says what came of it.
	Taken struct {
		Old     session.ID   `json:"oldLeafId"`
		Leaf    session.ID   `json:"leafId"`
		Aborted bool         // while summing up: nothing was taken
		From    []session.ID `json:"fromIds"`  // the entries that were taken
		Entries []session.ID `json:"entryIds"` // the new ones, in order
	}
)

// Taking is what Take takes.
type Taking string

const (
	TakeAnswer  Taking = "answer"  // the answer at the place, or the next one behind it
	TakeSummary Taking = "summary" // of the branch up to the place, made by the model
	TakeEntries Taking = "entries" // messages, as they are
)

// How the summary of a branch goes on.
type (
	BranchSummaryStarted struct{ Target session.ID }
	BranchSummaryEnded   struct {
		Target  session.ID
		Entry   session.ID // "" if there is none
		Aborted bool
		Error   string
	}
)

func (Back) Name() string    { return "go_back" }
func (Forward) Name() string { return "go_forward" }
func (Take) Name() string    { return "take_entries" }

func (Back) answers(Navigated)    {}
func (Forward) answers(Navigated) {}
func (Take) answers(Taken)        {}

func (BranchSummaryStarted) event() {}
func (BranchSummaryEnded) event()   {}

// moveRecord writes the events of moves.
func moveRecord(ev Event) *record {
	switch e := ev.(type) {
	case BranchSummaryStarted:
		return newRecord("branch_summary_start").place("targetId", e.Target)
	case BranchSummaryEnded:
		r := newRecord("branch_summary_end").place("targetId", e.Target)
		if e.Entry != "" {
			r.str("entryId", string(e.Entry))
		}
		r.bool("aborted", e.Aborted)
		if e.Error != "" {
			r.str("errorMessage", e.Error)
		}
		return r
	case LeafMoved:
		return newRecord("leaf_changed").place("leafId", e.New).place("oldLeafId", e.Old).str("reason", "navigate")
	}
	return nil
}

// place writes the id of an entry, null for the place before the first.
func (r *record) place(key string, id session.ID) *record {
	if id == "" {
		return r.raw(key, []byte("null"))
	}
	return r.str(key, string(id))
}
