// Package provider is the contract between an agent and a model, and what the
// model APIs share: repair of a conversation before it is sent, event streams,
// errors by kind.
//
// A [Model] is one model of one provider, ready to be asked. The packages below
// this one speak one API each:
//
//	anthropic   Anthropic Messages
//	openai      OpenAI Responses, Azure's too
//	chat        OpenAI Chat Completions and all that imitate it, Mistral's own form
//	google      Google's generateContent, of the Gemini API and of Vertex AI
//	bedrock     Converse of Amazon Bedrock
//	offline     a small rule-based stand-in without key and network
//	scripted    a model for tests that follows a script
package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/boughdev/bough/message"
)

// Model is a model that can be asked. It may be used by several goroutines.
type Model interface {
	Info() Info

	// Stream asks the model and yields its answer step by step. It ends after
	// the step that gives the answer's StopReason, or with an error: ctx's, or
	// an *Error. What came before an error stands.
	Stream(ctx context.Context, req Request) iter.Seq2[message.Delta, error]
}

// Info says what a model is and can. The JSON is pi's Model (docs/spec/rpc.md 4).
type Info struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	API      string `json:"api"` // "anthropic-messages", "openai-responses", "openai-completions", …
	Provider string `json:"provider"`
	BaseURL  string `json:"baseUrl"`

	Reasoning     bool     `json:"reasoning"`
	Input         []string `json:"input"` // "text", "image"
	Cost          Price    `json:"cost"`
	ContextWindow int64    `json:"contextWindow"` // tokens; 0 if unknown
	MaxTokens     int64    `json:"maxTokens"`     // of one answer

	// ThinkingLevels maps our levels to the provider's words. A level that is
	// mapped to nil is not offered. Without an entry the level's own name is used.
	ThinkingLevels map[string]*string `json:"thinkingLevelMap,omitempty"`

	// Compat has switches for servers that differ from the API they imitate;
	// the keys are those of pi's models.json.
	Compat map[string]any `json:"compat,omitempty"`

	// Sampling are parameters for each request, SamplingByLevel more of them by
	// thinking level; only the OpenAI-like APIs have them.
	Sampling        map[string]any            `json:"samplingParams,omitempty"`
	SamplingByLevel map[string]map[string]any `json:"samplingParamsByThinkingLevel,omitempty"`

	Limits *Limits        `json:"inputLimits,omitempty"`
	Cache  *CacheLifetime `json:"promptCache,omitempty"`

	PriceUnknown bool `json:"-"`

	// Budgets are tokens to think with, by level, where people want others than
	// the usual.
	Budgets map[string]int64 `json:"-"`
}

// TakesImages reports whether the model has image input.
func (i Info) TakesImages() bool {
	for _, in := range i.Input {
		if in == "image" {
			return true
		}
	}
	return false
}

// Price is in US dollars for a million tokens. A tier, the highest that fits,
// takes the place of the rest for a large request.
type Price struct {
	Input      float64     `json:"input"`
	Output     float64     `json:"output"`
	CacheRead  float64     `json:"cacheRead"`
	CacheWrite float64     `json:"cacheWrite"`
	Tiers      []PriceTier `json:"tiers,omitempty"`
}

// Charge fills in u.Cost.
func (p Price) Charge(u *message.Usage) {
	p = p.of(u.Input + u.CacheRead + u.CacheWrite)
	c := &u.Cost
	c.Input = p.Input / 1e6 * float64(u.Input)
	c.Output = p.Output / 1e6 * float64(u.Output)
	c.CacheRead = p.CacheRead / 1e6 * float64(u.CacheRead)
	c.CacheWrite = p.CacheWrite / 1e6 * float64(u.CacheWrite)
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
}

// Levels are the thinking levels, least first.
var Levels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// Request is what a model is asked. Messages are those of [message.ForModel] in
// order; system messages, tool declarations included, stand among them. The
// caller need not repair anything: every codec begins with [Prepare]. A list that
// was asked with must not be changed, but may be appended to.
type Request struct {
	Messages  []message.Message
	Thinking  string // one of Levels, "" is "off"
	MaxTokens int64  // of the answer; 0: the model's own limit

	// SessionID is the same for all requests of a session, for providers that
	// route by it to a warm cache. NoCache asks for no cache writes.
	SessionID string
	NoCache   bool

	// OmitParams names parameters that a server refuses: members of the body, or
	// of a declared tool, that are not to be sent.
	OmitParams []string
}

// Kind tells what to do about an error.
type Kind string

const (
	Transient Kind = "transient" // the same request may succeed later
	Overflow  Kind = "overflow"  // the conversation is too long for the model
	Auth      Kind = "auth"      // no key, a wrong one, or no right
	Rejected  Kind = "failed"    // the request will not succeed as it is
)

// Error is what a provider fails with.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, or 0
	Message    string        // for people; never holds a key
	RetryAfter time.Duration // what the provider asked for, or 0
	Err        error         // the cause, or nil
	Advice     string        // what the user may do about it, in sentences; or ""

	// What in the request is refused, if the server says it; see [Error.Omission].
	Fault Fault
	At    string // its place in the body, "messages.3.content.1", or ""
	Name  string // of a tool or a parameter, or ""
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%d: %s", e.Status, e.Message)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of a provider's error, or "" for any other.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
