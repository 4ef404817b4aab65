package protocol

import "github.com/boughdev/bough/provider"

// For clients that need to know where in the stream of events they are, and for
// those that let people step through what there is.
type (
	// Sync puts Synced behind all that has happened so far, in the events of the
	// client that asks.
	Sync struct{ ID string }

	// GetPolicy asks how queues, retries and compactions are handled now.
	GetPolicy struct{}

	// Policy is what GetPolicy found.
	Policy struct {
		AllSteering, AllFollowUp bool // deliver all at once, not one message each time
		AutoCompaction           bool
		AutoRetry                bool
	}

	// CycleModel goes over to the next model: of those that the start was
	// restricted to, or of all.
	CycleModel struct{}

	// Cycled is what CycleModel came to. Model is nil if there is no other one.
	Cycled struct {
		Model    *provider.Info
		Thinking string
		Scoped   bool // the start was restricted to some models
	}

	// CycleThinking goes over to the next thinking level of the model. It is
	// answered with the level, or with "" if the model has none.
	CycleThinking struct{}

	// AbortRetry ends the wait for the next try and with it the run, but no request
	// that has been made.
	AbortRetry struct{}
)

type (
	// Synced is where Sync was carried out.
	Synced struct {
		ID     string
		Policy Policy // as it is there
	}

	// RunStarted says that a prompt was taken and a run begins with it. Until
	// LoopStarted the conversation may be compacted.
	RunStarted struct{ By string } // the front end that asked for it; ""
)

// RawID is the id of a command as a client gave it, in JSON.
type RawID string

func (Sync) Name() string          { return "sync" }
func (GetPolicy) Name() string     { return "get_policy" }
func (CycleModel) Name() string    { return "cycle_model" }
func (CycleThinking) Name() string { return "cycle_thinking_level" }
func (AbortRetry) Name() string    { return "abort_retry" }

func (Sync) answers(None)            {}
func (GetPolicy) answers(Policy)     {}
func (CycleModel) answers(Cycled)    {}
func (CycleThinking) answers(string) {}
func (AbortRetry) answers(None)      {}

func (Synced) event()     {}
func (RunStarted) event() {}
