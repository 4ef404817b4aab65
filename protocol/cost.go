package protocol

import "github.com/boughdev/bough/session"

// What it costs, and what the model sees.
type (
	// GetStats counts messages, tokens and cost over all branches.
	GetStats struct{}

	// Stats is what GetStats found.
	Stats struct {
		session.Stats
		Context  *ContextUse      // nil without a model whose window is known
		Branch   session.Tally    // the path to the leaf
		Rebilled session.Rebilled // on the path
		Shares   []session.Share  // by model, the dearest first
		Unpriced int              // calls that took tokens and tell no price
	}

	// ContextUse is how full the model's window is at the leaf (docs/spec/session.md
	// 11.2).
	ContextUse struct {
		Tokens int64
		Known  bool // else Tokens is 0: nothing has been asked since a compaction
		Window int64
	}

	// ContextChanged comes when that is another than it was; nil: it is not known of
	// this model.
	ContextChanged struct{ Use *ContextUse }

	// GetCost adds up what model calls took. Others asks for the family of forks and
	// for today too, for which other sessions must be read; NextOnly for Next alone.
	GetCost struct{ Others, NextOnly bool }

	// Cost is what GetCost found.
	Cost struct {
		Turn     session.Tally // since the last message of the user on the path
		Branch   session.Tally // the path to the leaf
		Session  session.Tally // all branches
		Rebilled session.Rebilled
		Family   *session.Tally // the session and its forks and clones, each call counted once; nil: not asked for
		Members  int            // sessions of the family
		Today    *session.Tally // all sessions since midnight, each call counted once
		Next     *Forecast      // nil without a model
		Budget   []BudgetLine   // those that are set
	}

	// Forecast is what the next request will come to, without what is said until then.
	Forecast struct {
		Tokens int64 // of the prompt
		Cached int64 // of those, what the provider should have in its cache
		Output int64 // as the last answers had on average

		Prompt, Answer float64 // US dollars
		PriceUnknown   bool    // then both are 0
		Cold           bool    // the cache has ended since the last answer, so Cached is 0
	}

	// BudgetLine is a budget and what of it is spent.
	BudgetLine struct {
		Of           string // "run", "session", "day"
		Limit, Spent float64
	}

	// EditContext makes the model see other words in place of those of a message, from
	// the leaf on. The message stays in the session, other branches see it as it was,
	// and Unhide brings it back. Images and tool calls of the message stay.
	EditContext struct {
		Entry session.ID `json:"entryId,required"`
		Text  string     `json:"text,required"`
	}
)

// Percent is the share of the window; false if it is not known.
func (u *ContextUse) Percent() (float64, bool) {
	if u == nil || !u.Known || u.Window <= 0 {
		return 0, false
	}
	return 100 * float64(u.Tokens) / float64(u.Window), true
}

// Total is the price of the request with its answer.
func (f Forecast) Total() float64 { return f.Prompt + f.Answer }

func (GetStats) Name() string    { return "get_session_stats" }
func (GetCost) Name() string     { return "get_cost" }
func (EditContext) Name() string { return "edit_entry" }

func (GetStats) answers(Stats)     {}
func (GetCost) answers(Cost)       {}
func (EditContext) answers(Hidden) {}

func (ContextChanged) event() {}
