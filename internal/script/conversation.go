package script

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// API names a model API as the conditions of a script do.
type API string

const (
	Chat      API = "chat"      // OpenAI Chat Completions
	Responses API = "responses" // OpenAI Responses
	Anthropic API = "anthropic" // Anthropic Messages
	Google    API = "google"    // Google generateContent
	Bedrock   API = "bedrock"   // Amazon Bedrock Converse
	Mistral   API = "mistral"   // Mistral's own form of Chat Completions
)

// Role tells whose an item of a conversation is.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Conversation is what a model was asked, whatever API it came by.
type Conversation struct {
	API    API
	Model  string
	Stream bool
	System string // system texts, joined by blank lines
	Items  []Item
	Tools  []Tool
}

// Item is one message; each tool result is one of its own.
type Item struct {
	Role  Role
	Text  string // its text parts, joined by line ends
	Calls []Call // of an assistant

	// Of a tool.
	CallID  string
	IsError bool
}

// Call is a tool call.
type Call struct {
	ID, Name string
	Args     []byte // JSON, in some APIs a string of JSON; nil if there are none
}

// Tool is an offered tool.
type Tool struct {
	Name   string
	Schema []byte // JSON Schema of the arguments, or nil
}

// Request is a conversation with what rules ask about it.
type Request struct {
	Conversation
	N int // number of the request, from 1

	user, firstUser, any string
	userTurns, turn      int
	summary              bool
	trailing             []result // tool results at the very end
}

// result is a tool result with the name of its tool, "" if unknown.
type result struct {
	text, tool string
	isError    bool
}

var (
	summarySystem = lazily(`/summar/i`)
	summaryUser   = lazily(`/<conversation>|^# Conversation\b|structured summary|context checkpoint/im`)
)

// Take counts a request.
func (s *Script) Take(c Conversation) *Request {
	s.mu.Lock()
	s.requests++
	n := s.requests
	s.mu.Unlock()
	return describe(c, n)
}

func describe(c Conversation, n int) *Request {
	q := &Request{Conversation: c, N: n}
	names := map[string]string{}
	texts := make([]string, len(c.Items))
	for i, it := range c.Items {
		texts[i] = it.Text
		switch it.Role {
		case User:
			if q.userTurns == 0 {
				q.firstUser = it.Text
			}
			q.user = it.Text
			q.userTurns++
			q.turn = 0
		case Assistant:
			q.turn++
		}
		for _, call := range it.Calls {
			names[call.ID] = call.Name
		}
	}
	q.any = strings.Join(texts, "\n")
	first := len(c.Items)
	for first > 0 && c.Items[first-1].Role == ToolRole {
		first--
	}
	for _, it := range c.Items[first:] {
		q.trailing = append(q.trailing, result{it.Text, names[it.CallID], it.IsError})
	}
	q.summary = len(c.Tools) == 0 && (summarySystem().MatchString(c.System) || summaryUser().MatchString(q.user))
	return q
}

// Any returns all texts of the conversation.
func (q *Request) Any() string { return q.any }

// last returns the last tool result, if the conversation ends in one.
func (q *Request) last() result {
	if len(q.trailing) == 0 {
		return result{}
	}
	return q.trailing[len(q.trailing)-1]
}

func (q *Request) lastRole() Role {
	if len(q.Items) == 0 {
		return ""
	}
	return q.Items[len(q.Items)-1].Role
}

func (q *Request) offers(tool string) bool {
	for _, t := range q.Tools {
		if t.Name == tool {
			return true
		}
	}
	return false
}

// argument returns the first of the names that the tool has a parameter for, or
// the first at all.
func (q *Request) argument(tool string, names ...string) string {
	for _, t := range q.Tools {
		if t.Name != tool {
			continue
		}
		props := rawjson.Get(t.Schema, "properties")
		for _, name := range names {
			if rawjson.Get(props, name) != nil {
				return name
			}
		}
		break
	}
	return names[0]
}

// units returns the length of all texts in UTF-16 units.
func (q *Request) units() int {
	n := 0
	for _, it := range q.Items {
		n += rawjson.UTF16Len(it.Text)
	}
	return n
}
