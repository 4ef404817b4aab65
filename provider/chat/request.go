package chat

import (
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// body writes a request. The messages come last, so that requests with a common
// beginning of the conversation begin alike.
func (m *model) body(req provider.Request) []byte {
	info := m.ep.Info
	c := m.grown.Begin(req)
	defer c.End()
	limit := req.MaxTokens
	if limit <= 0 || info.MaxTokens > 0 && limit > info.MaxTokens {
		limit = info.MaxTokens
	}
	if half := info.ContextWindow / 2; m.set.mistral && half > 0 && limit > half {
		limit = half // what could run over the window is refused
	}

	var b provider.Body
	b.Open('{')
	b.Str("model", m.ep.ModelName())
	b.Bool("stream", true)
	if m.set.usage {
		b.Set("stream_options", []byte(`{"include_usage":true}`))
	}
	if m.set.store {
		b.Bool("store", false)
	}
	if limit > 0 {
		b.Int(m.set.maxTokens, limit)
	}
	if info.Reasoning {
		m.thinking(&b, req, limit)
	}
	if m.set.cacheKey && req.SessionID != "" && !req.NoCache {
		b.Str("prompt_cache_key", provider.SafeID(req.SessionID, 64))
	}
	if !req.NoCache && !m.set.cacheControl {
		m.ep.KeepCache(&b, info.At("api.openai.com"))
	}
	m.extras(&b)
	m.tools(&b, c.Tools, c.Messages, req)
	b.Key("messages").Open('[')
	e := encoder{b: &b, set: m.set, system: "system", mark: -1, last: -1, cache: m.ep.CacheMark()}
	if info.Reasoning && m.set.developer {
		e.system = "developer"
	}
	mark := -1
	if m.set.cacheControl && !req.NoCache {
		mark = lastWithText(c.Messages)
	}
	e.prompt(c.Prompt, mark >= 0)
	last := -1
	if m.set.mistral {
		last = lastSent(c.Messages)
	}
	rest := c.Messages
	// The mark, and what comes last, may not be in what is settled.
	if n := c.Settled(); (mark < 0 || mark >= n) && (last < 0 || last >= n) {
		e, rest = c.Write(&b, e, encode)
		mark -= n
		last -= n
		e.ids = e.ids.clone()
	}
	e.mark, e.last = mark, last
	encode(&e, &b, rest)
	b.Close(']')
	b.Close('}')
	return b.Bytes()
}

// extras writes the routing wishes that a model is configured with.
func (m *model) extras(b *provider.Body) {
	compat := m.ep.Info.Compat
	if v, ok := compat["openRouterRouting"].(map[string]any); ok && len(v) > 0 {
		b.Key("provider")
		writeAny(b, v)
	}
	if v, ok := compat["vercelGatewayRouting"].(map[string]any); ok && len(v) > 0 {
		b.Key("providerOptions").Open('{')
		b.Key("gateway")
		writeAny(b, v)
		b.Close('}')
	}
	if v, ok := compat["vllmPriority"]; ok {
		b.Key("priority")
		writeAny(b, v)
	}
}

func (m *model) tools(b *provider.Body, tools []message.ToolSpec, msgs []message.Message, req provider.Request) {
	if len(tools) == 0 {
		if m.set.alwaysTools && slices.ContainsFunc(msgs, func(m message.Message) bool { return m.Role == message.ToolResult }) {
			b.Set("tools", []byte(`[]`))
		}
		return
	}
	b.Key("tools").Open('[')
	for i, t := range tools {
		b.Open('{')
		b.Str("type", "function")
		b.Key("function").Open('{')
		b.Str("name", t.Name)
		b.Str("description", t.Description)
		b.Set("parameters", provider.Schema(t))
		b.Close('}')
		if m.set.cacheControl && !req.NoCache && i == len(tools)-1 {
			b.Set("cache_control", m.ep.CacheMark())
		}
		b.Close('}')
	}
	b.Close(']')
	if m.set.toolStream {
		b.Bool("tool_stream", true)
	}
}

// callID fits the ids of calls: the two parts of a Responses id become one of 40
// characters, the longest that OpenAI takes; what a server made itself it takes
// back.
func (m *model) callID(id string, from message.Message) string {
	if m.set.mistral {
		return id // see shortIDs
	}
	if m.ep.Info.Same(from) && rawjson.UTF16Len(id) <= 64 {
		return id
	}
	return callID(id, m.ep.Info.Provider == "openai")
}
