// Package message has the words of a conversation: messages, their content
// blocks, usage, tool declarations and tool outputs, in the JSON of pi's session
// files.
//
// A [Message] is decoded for reading and keeps the JSON it was read from. What
// is written again is that JSON, to the byte: unknown fields, unknown blocks and
// fields of an unexpected type lose nothing on the way through this package.
// A changed message is a patched copy ([Message.WithContent]).
//
// The roles are those of pi's session format (docs/spec/session.md 3.3):
//
//	system             prompt sections and tool declarations, or changes of them
//	user, assistant    the two speakers
//	toolResult         what a tool call came to
//	bashExecution      a command the user ran with "!"
//	custom             words of an extension; the model hears them as the user's
//	branchSummary      what another branch came to (derived from an entry)
//	compactionSummary  what was compacted (derived from an entry)
//
// Texts are UTF-8, but may hold half surrogate pairs in the form UTF-8 would
// give them, since session files do; they are written again as escapes.
package message

import (
	"errors"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// Value is the text of one JSON value. It must not be changed.
type Value = []byte

// Role tells who speaks. Readers must bear roles that are not listed here.
type Role string

const (
	System            Role = "system"
	User              Role = "user"
	Assistant         Role = "assistant"
	ToolResult        Role = "toolResult"
	Bash              Role = "bashExecution"
	Custom            Role = "custom"
	BranchSummary     Role = "branchSummary"
	CompactionSummary Role = "compactionSummary"
)

// StopReason tells how an answer ended.
type StopReason string

const (
	Pending  StopReason = "pending" // still streaming; never stored
	Stop     StopReason = "stop"
	Length   StopReason = "length" // cut by the output limit
	ToolUse  StopReason = "toolUse"
	Failed   StopReason = "error"
	Aborted  StopReason = "aborted"
	Deferred StopReason = "deferred"
)

// A Message is one message. Which fields count hangs on the role; the zero value
// of the others is not written.
type Message struct {
	Role      Role
	Content   []Block // a plain text is one text block, and IsText is set
	IsText    bool    // content is a plain string
	Timestamp int64   // Unix milliseconds; 0 if absent or no number

	// Of assistant messages.
	API, Provider, Model  string
	Usage                 *Usage // of tool results too: nested model work
	StopReason            StopReason
	ErrorMessage          string
	ResponseID            string
	ResponseModel         string // the model that really answered, if it is another one
	RawStopReason         string // the provider's word
	ThinkingLevel         string // as asked for
	ProviderThinkingLevel string
	DurationMs            *int64 // of tool results too; nil if it did not run

	// Of tool results.
	ToolCallID, ToolName string
	IsError              bool
	Details              Value // a tool's own; of custom messages too

	// Of system messages.
	Sections     []Section
	ToolsAdded   []ToolSpec
	ToolsRemoved []string

	// Of bash executions.
	Command, Output    string
	ExitCode           *int // nil if the command was cancelled
	Cancelled          bool
	Truncated          bool
	FullOutputPath     string
	ExcludeFromContext bool

	// Of custom messages.
	CustomType string
	Display    bool

	// Of summaries.
	Summary      string
	FromID       string
	TokensBefore int64

	raw Value
}

// Section is one named part of the system prompt; a nil Text removes it.
type Section struct {
	Name string
	Text *string
}

// ToolSpec declares a tool to a model.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  Value // JSON Schema of the arguments, an object

	// Prompt is one line for the tool list of the system prompt, Rules are
	// lines for its rules. They are not part of the declaration.
	Prompt string
	Rules  []string

	raw Value
}

// ErrNoMessage is returned by [Decode] for a value that is no message.
var ErrNoMessage = errors.New("not a message: no object with a role")

// Decode reads a message. Fields that have another type than expected count as
// absent; the JSON is kept all the same. raw must be valid and is not copied.
func Decode(raw Value) (Message, error) {
	role, ok := rawjson.GetString(raw, "role")
	if !ok {
		return Message{}, ErrNoMessage
	}
	m := Message{Role: Role(role), raw: raw}
	for key, v := range rawjson.Members(raw) {
		m.setField(key, v)
	}
	return m, nil
}

func (m *Message) setField(key string, v Value) {
	switch key {
	case "content":
		m.Content, m.IsText = decodeContent(v)
	case "timestamp":
		m.Timestamp = integer(v)
	case "api":
		m.API = text(v)
	case "provider":
		m.Provider = text(v)
	case "model":
		m.Model = text(v)
	case "usage":
		m.Usage = DecodeUsage(v)
	case "stopReason":
		m.StopReason = StopReason(text(v))
	case "errorMessage":
		m.ErrorMessage = text(v)
	case "responseId":
		m.ResponseID = text(v)
	case "responseModel":
		m.ResponseModel = text(v)
	case "rawStopReason":
		m.RawStopReason = text(v)
	case "thinkingLevel":
		m.ThinkingLevel = text(v)
	case "providerThinkingLevel":
		m.ProviderThinkingLevel = text(v)
	case "durationMs":
		if rawjson.Kind(v) == '0' {
			n := integer(v)
			m.DurationMs = &n
		}
	case "toolCallId":
		m.ToolCallID = text(v)
	case "toolName":
		m.ToolName = text(v)
	case "isError":
		m.IsError = rawjson.Bool(v)
	case "details":
		m.Details = v
	case "sections":
		m.Sections = decodeSections(v)
	case "toolsAdded":
		m.ToolsAdded = nil
		for t := range rawjson.Elements(v) {
			if spec, ok := decodeTool(t); ok {
				m.ToolsAdded = append(m.ToolsAdded, spec)
			}
		}
	case "toolsRemoved":
		m.ToolsRemoved = nil
		for t := range rawjson.Elements(v) {
			if name, ok := rawjson.GetString(t, "name"); ok {
				m.ToolsRemoved = append(m.ToolsRemoved, name)
			}
		}
	case "command":
		m.Command = text(v)
	case "output":
		m.Output = text(v)
	case "exitCode":
		if rawjson.Kind(v) == '0' {
			n := int(integer(v))
			m.ExitCode = &n
		}
	case "cancelled":
		m.Cancelled = rawjson.Truthy(v)
	case "truncated":
		m.Truncated = rawjson.Truthy(v)
	case "fullOutputPath":
		m.FullOutputPath = text(v)
	case "excludeFromContext":
		m.ExcludeFromContext = rawjson.Truthy(v)
	case "customType":
		m.CustomType = text(v)
	case "display":
		m.Display = rawjson.Truthy(v)
	case "summary":
		m.Summary = text(v)
	case "fromId":
		m.FromID = text(v)
	case "tokensBefore":
		m.TokensBefore = integer(v)
	}
}

func text(v Value) string { s, _ := rawjson.String(v); return s }

func integer(v Value) int64 {
	f, ok := rawjson.Number(v)
	if !ok || f > 1<<53 || f < -(1<<53) {
		return 0
	}
	return int64(f)
}

// decodeSections keeps the order of the sections; of a repeated name the last
// text counts, in the place of the first.
func decodeSections(v Value) []Section {
	var out []Section
	for name, t := range rawjson.Members(v) {
		s := Section{Name: name}
		if str, ok := rawjson.String(t); ok {
			s.Text = &str
		}
		if i := slices.IndexFunc(out, func(o Section) bool { return o.Name == name }); i >= 0 {
			out[i] = s
		} else {
			out = append(out, s)
		}
	}
	return out
}

func decodeTool(v Value) (ToolSpec, bool) {
	name, ok := rawjson.GetString(v, "name")
	if !ok {
		return ToolSpec{}, false
	}
	d, _ := rawjson.GetString(v, "description")
	return ToolSpec{Name: name, Description: d, Parameters: rawjson.Get(v, "parameters"), raw: v}, true
}

// JSON returns the message as JSON: what it was read from, else its fields in
// pi's order.
func (m Message) JSON() Value {
	if m.raw != nil {
		return m.raw
	}
	return m.encode()
}

// MarshalJSON is [Message.JSON].
func (m Message) MarshalJSON() ([]byte, error) { return m.JSON(), nil }

// UnmarshalJSON is [Decode] on a copy of b.
func (m *Message) UnmarshalJSON(b []byte) (err error) {
	*m, err = Decode(slices.Clone(b))
	return err
}

// Field returns the value of one field of the message's JSON, or nil.
func (m Message) Field(key string) Value { return rawjson.Get(m.JSON(), key) }

// WithField returns the message with one field of its JSON set to v.
func (m Message) WithField(key string, v Value) Message {
	raw := rawjson.Set(m.JSON(), key, v)
	m.setField(key, v)
	m.raw = raw
	return m
}

// WithContent returns the message with other blocks; everything else, unknown
// fields included, stays.
func (m Message) WithContent(blocks []Block) Message {
	return m.WithField("content", EncodeContent(blocks))
}

// Text returns the texts of the message's text blocks joined by sep.
func (m Message) Text(sep string) string {
	var b strings.Builder
	n := 0
	for _, c := range m.Content {
		if c.Type != TextBlock || !c.hasText {
			continue
		}
		if n++; n > 1 {
			b.WriteString(sep)
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

// ToolCalls returns the tool calls of an answer.
func (m Message) ToolCalls() []Block {
	var calls []Block
	for _, b := range m.Content {
		if b.Type == ToolCallBlock {
			calls = append(calls, b)
		}
	}
	return calls
}

// HasContent reports whether the JSON has content that is neither absent nor null.
func (m Message) HasContent() bool { return !rawjson.IsNull(m.Field("content")) }
