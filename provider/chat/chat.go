// Package chat speaks OpenAI Chat Completions, and what the many servers speak
// that imitate it.
//
//	POST BASE/chat/completions        {"model":…,"stream":true,…,"messages":[…]}
//
//	data: {"id":…,"choices":[{"delta":{"content":"I will"}}]}
//	data: {"id":…,"choices":[{"delta":{"tool_calls":[{"index":0,"id":…,"function":{"name":"read","arguments":""}}]}}]}
//	data: {"id":…,"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}}]}
//	data: {"id":…,"choices":[{"delta":{},"finish_reason":"tool_calls"}]}
//	data: {"id":…,"choices":[],"usage":{"prompt_tokens":…,"completion_tokens":…}}
//	data: [DONE]
//
// There is one text and one chain of thought in an answer, and pieces of both and
// of the calls may come in any order; so no block ends before the stream does.
//
// What of an answer must come back is kept in the session like this:
//
//	reasoning_content, reasoning, reasoning_text   thinkingSignature is that name
//	reasoning_details                              thinkingSignature is the array
//	extra_content.google.thought_signature         thoughtSignature of the call
//	parts of type "thinking" (Mistral)             nothing: the text alone goes back
//
// Where servers differ they are told apart by the switches of pi's models.json
// (see settings), whose defaults go by provider and address.
package chat

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

type model struct {
	ep    provider.Endpoint
	set   settings
	grown provider.Growing[encoder]
}

// New returns the model at an endpoint whose API is "openai-completions" or
// "mistral-conversations".
func New(ep provider.Endpoint) provider.Model {
	if ep.Info.BaseURL == "" && ep.Info.API == "mistral-conversations" {
		ep.Info.BaseURL = "https://api.mistral.ai"
	}
	if ep.Info.BaseURL == "" {
		ep.Info.BaseURL = "https://api.openai.com/v1"
	}
	m := &model{ep: ep, set: settingsOf(ep.Info)}
	m.grown.Target, m.grown.InPlace = ep.Info, m.set.systemInPlace
	m.grown.Options.CallID = m.callID
	return m
}

func (m *model) Info() provider.Info { return m.ep.Info }

func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	path := "/chat/completions"
	if base, _, _ := strings.Cut(m.ep.Info.BaseURL, "?"); m.set.mistral && !strings.HasSuffix(strings.TrimRight(base, "/"), "/v1") {
		path = "/v1" + path
	}
	return m.ep.Stream(ctx, provider.Call{Path: path, Header: m.header(req), Body: provider.WithSampling(m.body(req), m.ep.Info, req.Thinking), Omit: req.OmitParams}, newDecoder(m.ep.Info, m.set))
}

// header has what routes the requests of a session to the same warm cache.
func (m *model) header(req provider.Request) http.Header {
	h := http.Header{}
	if req.SessionID == "" || !m.set.affinity {
		return h
	}
	switch m.set.affinityFormat {
	case "openrouter":
		h.Set("x-session-id", req.SessionID)
		return h
	case "mistral":
		h.Set("x-affinity", req.SessionID)
		return h
	case "openai":
		h.Set("session_id", req.SessionID)
	}
	h.Set("x-client-request-id", req.SessionID)
	h.Set("x-session-affinity", req.SessionID)
	return h
}
