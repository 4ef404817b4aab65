package protocol

import (
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Summing up what is old.
type (
	// Compact sums up the older part of the conversation at the leaf. A run is
	// ended first and not taken up again; what was queued meanwhile is said after
	// it. Instructions tell the summariser what to look at.
	Compact struct {
		Instructions string `json:"customInstructions"`
	}

	// Compacted says what a compaction has done.
	Compacted struct {
		Entry        session.ID `json:"entryId"` // "" if it was enough to shorten messages
		Summary      string
		FirstKept    session.ID `json:"firstKeptEntryId"`
		TokensBefore int64
		TokensAfter  int64          `json:"estimatedTokensAfter"` // estimated
		Usage        *message.Usage // of all requests
		Details      message.Value  // {"readFiles":[…],"modifiedFiles":[…]}
		Messages     int            // that were summed up
		Shortened    []session.ID   // messages of which the model sees the two ends only
	}

	// EditSummary says the summary of a compaction anew. It becomes a compaction
	// of a branch beside the old one, where the conversation then stands.
	EditSummary struct {
		Entry session.ID `json:"entryId,required"`
		Text  string     `json:"text,required"`
	}
)

func (Compact) Name() string     { return "compact" }
func (EditSummary) Name() string { return "edit_summary" }

func (Compact) answers(Compacted)      {}
func (EditSummary) answers(session.ID) {}

// Reason is why a compaction is made.
type Reason string

const (
	Manual       Reason = "manual"
	OverLimit    Reason = "threshold" // more than the window without its reserve
	OverflowedBy Reason = "overflow"  // a request was too long
)

// How a compaction and other summaries go on. An end may come without a start: a
// second overflow in a row is not met with a second compaction.
type (
	CompactionStarted struct{ Reason Reason }
	CompactionEnded   struct {
		Reason    Reason
		Result    *Compacted // nil if nothing was compacted
		Aborted   bool
		WillRetry bool // the request that was too long is made again
		Error     string
	}

	// SummaryRetryScheduled says that the request for a summary failed and is
	// made again after a while.
	SummaryRetryScheduled struct {
		Attempt, Max int
		Delay        time.Duration `json:"delayMs"`
		Error        string
	}
	SummaryRetryStarted struct {
		Source string // "compaction" or "branchSummary"
		Reason Reason // of a compaction
	}
	SummaryRetryEnded struct{} // once, after the last attempt
)

func (CompactionStarted) event()     {}
func (CompactionEnded) event()       {}
func (SummaryRetryScheduled) event() {}
func (SummaryRetryStarted) event()   {}
func (SummaryRetryEnded) event()     {}

// JSON is the result as pi's RPC has it (docs/spec/rpc.md 4).
func (c Compacted) JSON() []byte {
	r := &record{b: rawjson.AppendString([]byte(`{"summary":`), c.Summary)}
	r.str("firstKeptEntryId", string(c.FirstKept)).num("tokensBefore", c.TokensBefore).num("estimatedTokensAfter", c.TokensAfter)
	if c.Usage != nil {
		r.raw("usage", c.Usage.JSON())
	}
	if c.Details != nil {
		r.raw("details", c.Details)
	}
	return r.done()
}

// summaryRecord writes the events of summaries.
func summaryRecord(ev Event) *record {
	switch e := ev.(type) {
	case CompactionStarted:
		return newRecord("compaction_start").str("reason", string(e.Reason))
	case CompactionEnded:
		r := newRecord("compaction_end").str("reason", string(e.Reason))
		if e.Result != nil {
			r.raw("result", e.Result.JSON())
		}
		r.bool("aborted", e.Aborted).bool("willRetry", e.WillRetry)
		if e.Error != "" {
			r.str("errorMessage", e.Error)
		}
		return r
	case SummaryRetryScheduled:
		return newRecord("summarization_retry_scheduled").num("attempt", int64(e.Attempt)).num("maxAttempts", int64(e.Max)).
			num("delayMs", e.Delay.Milliseconds()).str("errorMessage", e.Error)
	case SummaryRetryStarted:
		r := newRecord("summarization_retry_attempt_start").str("source", e.Source)
		if e.Reason != "" {
			r.str("reason", string(e.Reason))
		}
		return r
	case SummaryRetryEnded:
		return newRecord("summarization_retry_finished")
	}
	return nil
}
