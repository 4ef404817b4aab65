package protocol

import (
	"encoding/json"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// Event is something that happened, or how things stand.
type Event interface{ event() }

// How things stand.
type (
	// Opened begins a session: everything known before is void, unless the
	// caller has the session's entries already.
	Opened struct {
		Header session.Header
		File   string // the session's file, also before it exists; "" if kept in memory

		// Tree has all entries, and is the watcher's own to grow. It is nil if
		// Watch was told that the caller has entries; those that it lacks follow.
		Tree *session.Tree

		// Fresh means that the session has just been started, not reopened.
		Fresh bool
	}

	// State is how the session stands after the entries that came before.
	State struct {
		Leaf    session.ID `json:"leafId"`
		Running bool       // a run goes on, retry waits included
		// Compacting means that a compaction goes on, within a run or by itself.
		Compacting bool
		Model      *provider.Info
		Thinking   string
		Queue      Queue
		Answer     *message.Message // being streamed, as far as it has come
		Tools      []ToolStarted    // running
		Unsaved    int              // entries that could not be written yet
		Unsavable  string           // why nothing can be, and what can be done about it; ""
		MaxTurns   int
		Context    *ContextUse
		Open       []Asked // questions
	}
)

// What was added.
type (
	// Appended is a new entry of the log. All other events that concern it come
	// before. Foreign means that the leaf has not moved to it: another process added
	// it, or a command put it elsewhere.
	Appended struct {
		Entry   *session.Entry
		Foreign bool
		By      string // the front end that asked for it, see Open.Who; ""
	}

	// LeafMoved says that the conversation stands elsewhere; appending moves the
	// leaf too, but is not told by this event.
	LeafMoved struct {
		Old session.ID `json:"oldLeafId"`
		New session.ID `json:"leafId"`
		By  string     // the front end that asked for it; ""
	}
)

// A run, from a prompt to rest. It is made of one or more loops; a retry begins
// a new one. A loop is made of turns.
type (
	LoopStarted struct{}
	LoopEnded   struct {
		Messages  []message.Message // of this loop
		WillRetry bool
	}
	RunEnded struct {
		Aborted bool
		Failure string // why the last answer failed, or ""
		Kind    provider.Kind
		Advice  string // what the user may do about it, or ""
	}
	TurnStarted struct{}
	TurnEnded   struct {
		Answer  message.Message
		Results []message.Message // in the order of the calls
	}

	// AnswerStarted begins an answer that is being streamed. It ends with the
	// Appended of its entry. An answer that fails before it streams has none.
	AnswerStarted struct{ Message message.Message }

	// Delta is one step of it, and the usage known so far.
	Delta struct {
		message.Delta `json:"delta"`
		Usage         message.Usage
	}
)

// Tools. The results follow as Appended entries, each as soon as its call is
// over; TurnEnded has them in the order of the calls.
type (
	ToolStarted struct {
		CallID, Tool string
		Args         json.RawMessage
	}
	// ToolProgress shows the output so far; it replaces the one before.
	ToolProgress struct {
		CallID, Tool string
		Args         json.RawMessage
		Output       message.Output
	}
	ToolEnded struct {
		CallID, Tool string
		Output       message.Output
		DurationMs   *int64 // nil if the tool did not run
	}
)

// Other things.
type (
	// SavingChanged says that the session cannot be saved, or can be again. Why says
	// what can be done about it; "" if it can be saved.
	SavingChanged struct {
		Entries int // that wait to be written
		Why     string
	}

	QueueChanged    struct{ Queue }
	NameChanged     struct{ Text string }
	ModelChanged    struct{ Model provider.Info }
	ThinkingChanged struct{ Level string }
	// BashStarted says that a command of the user runs and that AbortBash finds it.
	BashStarted struct {
		ID      any
		Command string
	}
	BashOutput struct {
		ID    any
		Delta string
	}
	RetryStarted struct {
		Attempt, Max int
		Delay        time.Duration `json:"delayMs"`
		Error        string
	}
	RetryEnded struct {
		Success    bool
		Attempt    int
		FinalError string
	}

	// Notice is something a person should know. Warnings that last, such as a
	// full disk, are repeated only when they change.
	Notice struct {
		Level string // "info", "warning", "error"
		Text  string
		Entry session.ID // that is the likely cause of what went wrong, or ""
	}
)

func (Opened) event()          {}
func (State) event()           {}
func (Appended) event()        {}
func (LeafMoved) event()       {}
func (LoopStarted) event()     {}
func (LoopEnded) event()       {}
func (RunEnded) event()        {}
func (TurnStarted) event()     {}
func (TurnEnded) event()       {}
func (AnswerStarted) event()   {}
func (Delta) event()           {}
func (ToolStarted) event()     {}
func (ToolProgress) event()    {}
func (ToolEnded) event()       {}
func (SavingChanged) event()   {}
func (QueueChanged) event()    {}
func (NameChanged) event()     {}
func (ModelChanged) event()    {}
func (ThinkingChanged) event() {}
func (BashStarted) event()     {}
func (BashOutput) event()      {}
func (RetryStarted) event()    {}
func (RetryEnded) event()      {}
func (Notice) event()          {}
