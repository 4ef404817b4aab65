package protocol

import (
	"encoding/json"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// None is the answer of commands without a result.
type None struct{}

// Disposition says what became of a prompt.
type Disposition string

const (
	Started Disposition = "started" // a run has begun with it
	Queued  Disposition = "queued"  // it waits for the run that is going on
	Handled Disposition = "handled" // there was nothing to ask a model
)

// Behavior says what to do with a prompt while a run goes on.
type Behavior string

const (
	Refuse     Behavior = ""         // fail with code busy
	AsSteering Behavior = "steer"    // deliver it after the current turn
	AsFollowUp Behavior = "followUp" // deliver it when the run would end
)

// Prompting.
type (
	// Prompt says something to the model at the leaf and starts a run.
	Prompt struct {
		Text     string          `json:"message,required"`
		Images   []message.Block `json:"images,images"`
		WhenBusy Behavior        `json:"streamingBehavior,words=steer|followUp"`
		Kept     bool            // refuse it if the session cannot be saved just now
	}

	// Retry asks the model again from the leaf without a new message, or from Entry
	// if that is set, where the leaf goes first.
	Retry struct {
		Entry *session.ID `json:"entryId"`
		Exact bool        // the place may lie between a tool call and its results
	}

	// Steer queues a message for after the current turn, or for the next run.
	Steer struct {
		Text   string          `json:"message,required"`
		Images []message.Block `json:"images,images"`
	}

	// FollowUp queues a message for when the run would end, or for the next run.
	FollowUp struct {
		Text   string          `json:"message,required"`
		Images []message.Block `json:"images,images"`
	}

	// Abort ends what is going on, waits until it has ended and keeps what was
	// said up to then. The queues stay.
	Abort struct{}

	// ClearQueue takes back all queued messages.
	ClearQueue struct{}

	// DropQueued takes one of them back.
	DropQueued struct {
		ID session.ID `json:"entryId,required"`
	}

	// EditQueued gives one of them another text.
	EditQueued struct {
		ID   session.ID `json:"entryId,required"`
		Text string     `json:"message,required"`
	}

	// SendQueue starts a run with what waits.
	SendQueue struct{}

	// GetQueue asks what waits.
	GetQueue struct{}

	// Queue is what waits to be delivered, in the order of delivery.
	Queue struct {
		Steering, FollowUp []string // the texts
		Items              []Waiting
	}

	// Waiting is one message that waits.
	Waiting struct {
		ID       session.ID // of the entry that it will be
		Text     string
		Images   int
		FollowUp bool   // it waits for the end of the run
		By       string // the front end that it comes from, see Open.Who; ""
	}
)

// Moving.
type (
	// Navigate moves the leaf.
	Navigate struct {
		Target session.ID `json:"entryId,required"` // "": before the first entry
		// At stands right behind the target whatever it is. Without it, choosing
		// a message of the user stands before it and gives its text back.
		At bool `json:"position,words=auto|at"`
		// Strict refuses a place between a tool call and its results, Exact takes
		// it; else the leaf goes on to the last result of that turn.
		Strict, Exact bool

		// Summarize sums up what is left behind and puts that at the new place.
		// Nothing moves before the summary is there, nor if it fails or is
		// aborted. Instructions are something to look at above all or, with
		// ReplaceInstructions, all that the summariser is told.
		Summarize           bool
		Instructions        string `json:"customInstructions"`
		ReplaceInstructions bool   `json:"replaceInstructions"`

		Label   string // of the summary or, without one, of the target
		Persist bool   // write down at once where the leaf stands
	}

	// Navigated says where the leaf came to stand.
	Navigated struct {
		Old     session.ID      `json:"oldLeafId"`
		Leaf    session.ID      `json:"leafId"`
		Aborted bool            // while summing up: nothing has moved
		Summary session.ID      `json:"summaryEntryId"` // the entry of the summary, "" without one
		Moved   bool            `json:"movedOn"`        // the place was between a call and its results
		Text    string          `json:"editorText"`     // of the chosen message of the user, for the editor
		Images  []message.Block `json:"editorImages"`   // its images
	}

	// SetLabel labels an entry; an empty text takes the label away.
	SetLabel struct {
		Entry session.ID `json:"entryId,required"`
		Text  string     `json:"label"`
	}
)

// What the model sees.
type (
	// Hide takes a message out of what the model sees at the leaf and after it. The
	// message stays in the session, and other branches see it.
	Hide struct {
		Entry session.ID `json:"entryId,required"`
	}

	// Unhide makes the model see a message again as it was, "" the one that was
	// hidden last.
	Unhide struct {
		Entry session.ID `json:"entryId"`
	}

	// GetEntry asks for all of an entry, also one that the model does not see.
	GetEntry struct {
		Entry session.ID `json:"entryId,required"`
	}

	// EntryInfo is an entry of the session.
	EntryInfo struct {
		Entry  session.ID      `json:"entryId"`
		Line   json.RawMessage // as it stands in the file
		OnPath bool            // it is on the way to the leaf
		Seen   bool            // and the model sees it, if with other words
	}

	// Hidden says which message the model sees otherwise now, and by which entry.
	Hidden struct {
		Entry session.ID `json:"entryId"`
		Edit  session.ID `json:"editId"`
	}
)

// Sessions.
type (
	// SetName names the session; an empty name is refused.
	SetName struct {
		Text string `json:"name,required"`
	}

	// MakeTitle has the session named by its model, of all that was said and done,
	// and returns the name.
	MakeTitle struct{}

	// NewSession goes over to a new session in the same folder.
	NewSession struct {
		Label  string
		Parent string `json:"parentSession"` // the file of the session that it comes from, not looked at; ""
	}

	// SwitchSession goes over to the session of that id or file.
	SwitchSession struct {
		Session string `json:"sessionPath,required"`
		CWD     string // the folder to work in; "": its own
	}

	// Fork goes over to a new session with the path to the parent of a message of
	// the user, and gives the message back.
	Fork struct {
		Entry session.ID `json:"entryId,required"`
	}

	// Clone goes over to a new session with the path to an entry, "" for the leaf.
	Clone struct {
		Entry session.ID `json:"entryId"`
	}

	// Forked is what a fork took up again.
	Forked struct {
		Text   string
		Images []message.Block
	}
)

// Settings of the session.
type (
	// SetModel asks another model from the next turn on.
	SetModel struct {
		Provider string `json:"provider,required"`
		ID       string `json:"modelId,required"`
	}

	// SetThinking sets how much the model is to think; a level the model lacks
	// becomes the nearest one it has.
	SetThinking struct {
		Level string `json:"level,required"`
	}

	// GetModels lists the models that can be asked.
	GetModels struct{}

	// Models is what GetModels found, in the order of the configuration.
	Models struct {
		Models []provider.Info
		Scope  []provider.Info // those that are cycled through; none: all
	}

	// GetState asks for the state as Watch gives it.
	GetState struct{}
)

// What the session works with.
type (
	// GetCommands lists what a prompt may begin with besides bough's own commands.
	GetCommands struct{}

	// Commands is what GetCommands found: templates, then skills.
	Commands struct{ Commands []CommandInfo }

	// CommandInfo is a template, or a skill, whose Command is "skill:NAME".
	CommandInfo struct {
		Command     string // without the slash
		Description string
		ArgHint     string // "", or what it wants behind its name
		Kind        string // "prompt" or "skill"
		Scope       string // where it is from: "user", "project", "temporary" (the command line)
		Path        string

		// Of Scope: how it was found ("auto", "local", or the package that it is of),
		// whether it is of a package ("package", else "top-level"), and the folder
		// that relative patterns start at, or "".
		Source, Origin, Base string
	}

	// GetTools lists the tools, those that are off included.
	GetTools struct{}

	// SetTools turns tools on and off from the next turn on, by their names.
	SetTools struct{ On, Off []string }

	// Tools is what there is of tools, in the order in which they are declared.
	Tools struct{ Tools []ToolInfo }

	// ToolInfo is one tool.
	ToolInfo struct {
		ToolName    string `json:"name"`
		Description string
		From        string // the MCP server that it is of; "" if it is built in
		On          bool
	}

	// GetServers lists the MCP servers.
	GetServers struct{}

	// Servers is what there is of MCP servers, in the order of the configuration.
	Servers struct{ Servers []ServerInfo }

	// ServerInfo is one MCP server.
	ServerInfo struct {
		Server  string   `json:"name"`
		Scope   string   // whose file it stands in: "user", "project"
		Target  string   // its command or address, as written
		State   string   // "connecting", "connected", "failed", …
		Problem string   // why it is not connected, or ""
		Log     string   // the file with what it prints beside its answers, or ""
		Tools   []string // as models know them
	}

	// Reconnect connects to an MCP server anew.
	Reconnect struct {
		Server string `json:"server,required"`
	}

	// GetSystemPrompt asks what the next request will say before the
	// conversation.
	GetSystemPrompt struct{}

	// SystemPrompt is its sections in order, and the tools that are declared.
	SystemPrompt struct {
		Sections []Section
		Tools    []message.ToolSpec
	}

	// Section is a part of the system prompt.
	Section struct {
		Title   string
		Text    string   // with its tags
		Sources []string // the files that it was made of
	}

	// Reload reads settings, keys, context files, skills, templates and MCP
	// servers anew. It is refused while a run goes on.
	Reload struct{}

	// Reloaded says what is different now, a line each.
	Reloaded struct{ Changes []string }
)

// Commands of the user.
type (
	// Bash runs a command in the session's folder and records it.
	Bash struct {
		ID                 any    // repeated in BashOutput
		Command            string `json:"command,required"`
		ExcludeFromContext bool
	}

	// BashResult is what a command came to.
	BashResult struct {
		Output         string
		ExitCode       *int // nil if it was cancelled
		Cancelled      bool
		Truncated      bool
		FullOutputPath string
	}

	// AbortBash cancels all commands of the user.
	AbortBash struct{}
)

func (Prompt) Name() string          { return "prompt" }
func (Retry) Name() string           { return "run_turn" }
func (Steer) Name() string           { return "steer" }
func (FollowUp) Name() string        { return "follow_up" }
func (Abort) Name() string           { return "abort" }
func (ClearQueue) Name() string      { return "clear_queue" }
func (DropQueued) Name() string      { return "drop_queued" }
func (EditQueued) Name() string      { return "edit_queued" }
func (SendQueue) Name() string       { return "send_queue" }
func (GetQueue) Name() string        { return "get_queue" }
func (Navigate) Name() string        { return "navigate" }
func (SetLabel) Name() string        { return "set_label" }
func (Hide) Name() string            { return "hide_entry" }
func (Unhide) Name() string          { return "unhide_entry" }
func (GetEntry) Name() string        { return "get_entry" }
func (SetName) Name() string         { return "set_session_name" }
func (MakeTitle) Name() string       { return "make_title" }
func (NewSession) Name() string      { return "new_session" }
func (SwitchSession) Name() string   { return "switch_session" }
func (Fork) Name() string            { return "fork" }
func (Clone) Name() string           { return "clone" }
func (SetModel) Name() string        { return "set_model" }
func (SetThinking) Name() string     { return "set_thinking_level" }
func (GetModels) Name() string       { return "get_available_models" }
func (GetState) Name() string        { return "get_state" }
func (GetCommands) Name() string     { return "get_commands" }
func (GetTools) Name() string        { return "get_tools" }
func (SetTools) Name() string        { return "set_tools" }
func (GetServers) Name() string      { return "get_mcp_servers" }
func (Reconnect) Name() string       { return "reconnect_mcp_server" }
func (GetSystemPrompt) Name() string { return "get_system_prompt" }
func (Reload) Name() string          { return "reload" }
func (Bash) Name() string            { return "bash" }
func (AbortBash) Name() string       { return "abort_bash" }

func (Prompt) answers(Disposition)           {}
func (Retry) answers(Disposition)            {}
func (Steer) answers(Disposition)            {}
func (FollowUp) answers(Disposition)         {}
func (Abort) answers(None)                   {}
func (ClearQueue) answers(Queue)             {}
func (DropQueued) answers(Queue)             {}
func (EditQueued) answers(Queue)             {}
func (SendQueue) answers(Disposition)        {}
func (GetQueue) answers(Queue)               {}
func (Navigate) answers(Navigated)           {}
func (SetLabel) answers(session.ID)          {}
func (Hide) answers(Hidden)                  {}
func (Unhide) answers(Hidden)                {}
func (GetEntry) answers(EntryInfo)           {}
func (SetName) answers(None)                 {}
func (MakeTitle) answers(string)             {}
func (NewSession) answers(None)              {}
func (SwitchSession) answers(None)           {}
func (Fork) answers(Forked)                  {}
func (Clone) answers(None)                   {}
func (SetModel) answers(provider.Info)       {}
func (SetThinking) answers(string)           {}
func (GetModels) answers(Models)             {}
func (GetState) answers(State)               {}
func (GetCommands) answers(Commands)         {}
func (GetTools) answers(Tools)               {}
func (SetTools) answers(Tools)               {}
func (GetServers) answers(Servers)           {}
func (Reconnect) answers(None)               {}
func (GetSystemPrompt) answers(SystemPrompt) {}
func (Reload) answers(Reloaded)              {}
func (Bash) answers(BashResult)              {}
func (AbortBash) answers(None)               {}
