// Package anthropic speaks Anthropic Messages.
//
//	POST BASE/v1/messages        {"model":…,"max_tokens":…,"stream":true,…,"messages":[…]}
//
//	event: message_start         {"message":{"id":…,"model":…,"usage":{…}}}
//	event: content_block_start   {"index":0,"content_block":{"type":"thinking"}}
//	event: content_block_delta   {"index":0,"delta":{"type":"thinking_delta","thinking":…}}
//	event: content_block_delta   {"index":0,"delta":{"type":"signature_delta","signature":…}}
//	event: content_block_stop    {"index":0}
//	event: message_delta         {"delta":{"stop_reason":"tool_use"},"usage":{…}}
//	event: message_stop
//
// What of an answer must come back is kept in the session like this:
//
//	thinking            thinkingSignature is its signature
//	redacted_thinking   a thinking block with redacted, thinkingSignature is its data
//
// User and assistant take turns strictly: what follows from one side is one
// message, and the results of tools come first in it. The API wants to be told
// how far to cache a request: behind the tools, the system prompt and the last
// two messages of the user, the first of which is where the last request ended.
package anthropic

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
	grown provider.Growing[encoder]
}

// New returns the model at an endpoint whose API is "anthropic-messages".
func New(ep provider.Endpoint) provider.Model {
	if ep.Info.BaseURL == "" {
		ep.Info.BaseURL = "https://api.anthropic.com"
	}
	m := &model{ep: ep}
	m.grown.Target, m.grown.InPlace = ep.Info, ep.Info.Flag("supportsMidConvoSystemMessages", false)
	m.grown.Options.CallID = provider.SafeCallID
	return m
}

func (m *model) Info() provider.Info { return m.ep.Info }

func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	path := "/v1/messages"
	if base, _, _ := strings.Cut(m.ep.Info.BaseURL, "?"); strings.HasSuffix(strings.TrimRight(base, "/"), "/v1") {
		path = "/messages"
	}
	t := m.thinking(req)
	c := provider.Call{Path: path, KeyHeader: "X-Api-Key", Header: m.header(req, t), Body: m.body(req, t), Omit: req.OmitParams}
	return m.ep.Stream(ctx, c, &decoder{info: m.ep.Info})
}

func (m *model) header(req provider.Request, t thinking) http.Header {
	h := http.Header{}
	h.Set("Anthropic-Version", "2023-06-01")
	var beta []string
	if t.budget > 0 {
		beta = append(beta, "interleaved-thinking-2025-05-14") // thinking between tool calls
	}
	if !m.ep.Info.Flag("supportsEagerToolInputStreaming", true) {
		beta = append(beta, "fine-grained-tool-streaming-2025-05-14")
	}
	if len(beta) > 0 {
		h.Set("Anthropic-Beta", strings.Join(beta, ","))
	}
	if req.SessionID != "" && !req.NoCache {
		openRouter := m.ep.Info.At("openrouter", "openrouter.ai")
		if m.ep.Info.Flag("sendSessionAffinityHeaders", openRouter) {
			if openRouter || m.ep.Info.Word("sessionAffinityFormat", "") == "openrouter" {
				h.Set("X-Session-Id", req.SessionID)
			} else {
				h.Set("X-Session-Affinity", req.SessionID)
			}
		}
	}
	return h
}
