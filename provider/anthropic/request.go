package anthropic

import (
	"cmp"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// defaultLimit is the output limit of a model that is not known; there must be one.
const defaultLimit = 8192

// thinking is how much a request asks the model to think.
type thinking struct {
	limit  int64  // of the whole answer
	off    bool   // say that it must not think
	budget int64  // tokens, for models that take a number
	effort string // for models that choose the amount themselves
}

func (m *model) thinking(req provider.Request) thinking {
	info := m.ep.Info
	t := thinking{limit: req.MaxTokens}
	if t.limit <= 0 || info.MaxTokens > 0 && t.limit > info.MaxTokens {
		t.limit = cmp.Or(info.MaxTokens, defaultLimit)
	}
	if !info.Reasoning {
		return t
	}
	level := info.Clamp(cmp.Or(req.Thinking, "off"))
	word, offered := info.ThinkingWord(level)
	switch {
	case !offered:
	case level == "off":
		t.off = true
	case info.Flag("forceAdaptiveThinking", false):
		if t.effort = word; word == "minimal" {
			t.effort = "low"
		}
	default:
		t.budget = info.ThinkingBudget(level, t.limit)
		if t.budget < 1024 { // the least that the API takes
			t.budget, t.off = 0, true
		}
	}
	return t
}

func (t thinking) write(b *provider.Body) {
	switch {
	case t.off:
		b.Set("thinking", []byte(`{"type":"disabled"}`))
	case t.effort != "":
		b.Set("thinking", []byte(`{"type":"adaptive","display":"summarized"}`))
		b.Key("output_config").Open('{')
		b.Str("effort", t.effort)
		b.Close('}')
	case t.budget > 0:
		b.Key("thinking").Open('{')
		b.Str("type", "enabled")
		b.Int("budget_tokens", t.budget)
		b.Str("display", "summarized")
		b.Close('}')
	}
}

// body writes a request. The messages come last, so that requests with a common
// beginning of the conversation begin alike.
func (m *model) body(req provider.Request, t thinking) []byte {
	info := m.ep.Info
	c := m.grown.Begin(req)
	defer c.End()

	var b provider.Body
	b.Open('{')
	b.Str("model", info.ID)
	b.Int("max_tokens", t.limit)
	b.Bool("stream", true)
	t.write(&b)
	m.tools(&b, c.Tools, !req.NoCache)
	if strings.TrimSpace(c.Prompt) != "" {
		b.Key("system").Open('[')
		b.Open('{')
		b.Str("type", "text")
		b.Str("text", c.Prompt)
		if !req.NoCache {
			b.Set("cache_control", m.ep.CacheMark())
		}
		b.Close('}')
		b.Close(']')
	}
	b.Key("messages").Open('[')
	before := b.Len()
	e, rest := c.Write(&b, encoder{emptySignature: info.Flag("allowEmptySignature", false)}, encode)
	e.shift = before
	encode(&e, &b, rest)
	e.finish()
	if !req.NoCache {
		e.markCache(m.ep.CacheMark())
	}
	b.Close(']')
	b.Close('}')
	return b.Bytes()
}

func (m *model) tools(b *provider.Body, tools []message.ToolSpec, cache bool) {
	if len(tools) == 0 {
		return
	}
	eager := m.ep.Info.Flag("supportsEagerToolInputStreaming", true)
	cache = cache && m.ep.Info.Flag("supportsCacheControlOnTools", true)
	b.Key("tools").Open('[')
	for i, t := range tools {
		b.Open('{')
		b.Str("name", t.Name)
		if t.Description != "" {
			b.Str("description", t.Description)
		}
		if eager {
			b.Bool("eager_input_streaming", true)
		}
		b.Set("input_schema", provider.Schema(t))
		if cache && i == len(tools)-1 {
			b.Set("cache_control", m.ep.CacheMark())
		}
		b.Close('}')
	}
	b.Close(']')
}
