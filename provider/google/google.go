// Package google speaks Google's generateContent, which the Gemini API
// ("google-generative-ai") and Vertex AI ("google-vertex") have in common.
//
//	POST BASE/models/ID:streamGenerateContent?alt=sse    {"systemInstruction":…,"tools":…,"contents":[…]}
//
//	data: {"candidates":[{"content":{"role":"model","parts":[
//	          {"text":…,"thought":true},
//	          {"text":…,"thoughtSignature":…},
//	          {"functionCall":{"name":…,"args":{…}},"thoughtSignature":…}]},
//	        "finishReason":"STOP"}],
//	       "usageMetadata":{…},"modelVersion":…,"responseId":…}
//
// The last event is the one behind which the server closes. What of an answer
// must come back is kept in the session like this:
//
//	thought part    thinkingSignature is its thoughtSignature
//	text part       textSignature is its thoughtSignature
//	functionCall    thoughtSignature of the call; the id, if none came, is invented
//
// A signature belongs to the part it came with, be its text empty or not. The
// calls of one answer are answered by one content that has their responses and
// nothing else, in the order of the calls.
package google

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// keyHeader takes an API key; bearer tokens go where they always go.
const keyHeader = "X-Goog-Api-Key"

type model struct {
	ep     provider.Endpoint
	traits traits
	grown  provider.Growing[encoder]
}

// New returns the model at an endpoint whose API is "google-generative-ai".
func New(ep provider.Endpoint) provider.Model {
	if ep.Info.BaseURL == "" {
		ep.Info.BaseURL = "https://generativelanguage.googleapis.com/v1beta"
	}
	return newModel(ep)
}

func newModel(ep provider.Endpoint) *model {
	m := &model{ep: ep, traits: traitsOf(ep.Info)}
	m.grown.Target, m.grown.Options = ep.Info, m.traits.prepare()
	return m
}

func (m *model) Info() provider.Info { return m.ep.Info }

func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	kind, name, found := strings.Cut(m.ep.Info.ID, "/")
	if !found { // else it is models/ID or tunedModels/ID
		kind, name = "models", kind
	}
	return m.stream(ctx, m.ep, "/"+url.PathEscape(kind)+"/"+url.PathEscape(name), req)
}

// stream asks the model that has a path at an endpoint.
func (m *model) stream(ctx context.Context, ep provider.Endpoint, path string, req provider.Request) iter.Seq2[message.Delta, error] {
	c := provider.Call{Path: path + ":streamGenerateContent", Query: "alt=sse", KeyHeader: keyHeader, Body: m.body(req), Omit: req.OmitParams}
	return ep.Stream(ctx, c, &decoder{info: m.ep.Info})
}
