package protocol

import "encoding/json"

// Questions, for which what goes on waits.
type (
	// Asked is a question to the people at the front ends. The first answer counts;
	// an abort takes it back.
	Asked struct {
		ID      string
		Text    string
		Choices []Choice
		About   *AskedCall // the tool call that waits; nil: it is about something else
	}

	// Choice is one of the answers to a question.
	Choice struct {
		ID, Text string
		Kind     ChoiceKind // of a question about a tool call; else ""
		Words    bool       // people may say more, in Answer.Text
	}

	// AskedCall is a tool call that waits for an answer. It lies between the
	// ToolStarted and the ToolEnded of that call.
	AskedCall struct {
		CallID, Tool string
		Args         json.RawMessage
		Kind         CallKind
		Files        []string // that it reads or changes, as full paths
		Command      string   // of a shell, that it would run
		Diff         string   // what it would change in a file, a line each with its sign; "" if that is not known
		Reason       string   // why people are asked: "it changes a file"
		Rule         string   // what AllowAlways allows for this session: "bash(go test*)"; "" without that choice
	}

	// Answered says that a question needs no answer any more. Choice is "" if it was
	// taken back.
	Answered struct {
		ID, Choice string
		Text       string // what was said with it
		By         string // the front end that answered, see Open.Who; ""
	}

	// Answer answers a question with the id of one of its choices.
	Answer struct {
		Question string `json:"question,required"`
		Choice   string `json:"choice,required"`
		Text     string // more words, for whoever asks to be allowed; ""
	}
)

// ChoiceKind is what a choice means for a tool call. The words are those of the
// Agent Client Protocol.
type ChoiceKind string

const (
	AllowOnce    ChoiceKind = "allow_once"
	AllowAlways  ChoiceKind = "allow_always" // for this session, what AskedCall.Rule says
	RejectOnce   ChoiceKind = "reject_once"
	RejectAlways ChoiceKind = "reject_always"
)

// CallKind is what a tool call does, as far as bough knows.
type CallKind string

const (
	Reads   CallKind = "read"
	Changes CallKind = "edit"
	Runs    CallKind = "execute"
	Reaches CallKind = "other" // a tool of somebody else: it may do anything
)

func (Answer) Name() string { return "answer" }
func (Answer) answers(None) {}

func (Asked) event()    {}
func (Answered) event() {}
