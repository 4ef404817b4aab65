// Package openai speaks OpenAI Responses, at OpenAI, on Azure and elsewhere.
//
//	POST BASE/responses        {"model":…,"stream":true,"store":false,…,"input":[…]}
//
//	event: response.created                        {"response":{"id":…,"model":…}}
//	event: response.output_item.added              {"output_index":0,"item":{"type":"reasoning","id":"rs_…"}}
//	event: response.reasoning_summary_text.delta   {"output_index":0,"summary_index":0,"delta":…}
//	event: response.output_item.done               {"output_index":0,"item":{…whole…}}
//	event: response.output_text.delta              {"output_index":1,"delta":…}
//	event: response.function_call_arguments.delta  {"output_index":2,"delta":…}
//	event: response.completed                      {"response":{…,"output":[…],"usage":{…}}}
//
// Nothing is stored on the other side; what of an answer must come back is kept
// in the session like this:
//
//	reasoning       thinkingSignature is the whole item, as text
//	message         textSignature is {"v":1,"id":…,"phase":…}, in old files the id
//	function_call   the id of the call is CALL_ID|ITEM_ID
package openai

import (
	"context"
	"iter"
	"net/http"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

type model struct {
	ep    provider.Endpoint
	grown provider.Growing[encoder]
}

// azure is the API of Azure OpenAI. It has a header of its own for the key, and
// names deployments where others name models.
const azure = "azure-openai-responses"

// ownServer reports whether it is OpenAI's own server that answers, which is
// stricter than those of its imitators.
func ownServer(i provider.Info) bool { return i.At("api.openai.com") || i.API == azure }

// New returns the model at an endpoint whose API is "openai-responses" or
// "azure-openai-responses".
func New(ep provider.Endpoint) provider.Model {
	if ep.Info.BaseURL == "" {
		ep.Info.BaseURL = "https://api.openai.com/v1"
	}
	m := &model{ep: ep}
	m.grown.Target, m.grown.InPlace = ep.Info, ep.Info.Flag("supportsMidConvoSystemMessages", false)
	m.grown.Options.CallID = m.callID
	return m
}

func (m *model) Info() provider.Info { return m.ep.Info }

func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	r := m.reasoning(req)
	c := provider.Call{Path: "/responses", Header: m.header(req), Body: provider.WithSampling(m.body(req, r), m.ep.Info, req.Thinking), Omit: req.OmitParams}
	if m.ep.Info.API == azure {
		c.KeyHeader = "Api-Key"
	}
	return m.ep.Stream(ctx, c, &decoder{info: m.ep.Info, encrypted: r.on})
}

// header has what routes the requests of a session to the same warm cache.
func (m *model) header(req provider.Request) http.Header {
	h := http.Header{}
	if req.SessionID == "" || m.ep.Info.API == azure {
		return h
	}
	format := "openai"
	if m.ep.Info.At("openrouter", "openrouter.ai") {
		format = "openrouter"
	}
	switch m.ep.Info.Word("sessionAffinityFormat", format) {
	case "openrouter":
		h.Set("X-Session-Id", req.SessionID)
	case "openai-nosession":
		h.Set("X-Client-Request-Id", req.SessionID)
	default:
		h.Set("Session-Id", req.SessionID)
		h.Set("X-Client-Request-Id", req.SessionID)
	}
	return h
}
