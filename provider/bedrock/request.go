package bedrock

import (
	"cmp"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// defaultLimit is the output limit of a model that is not known.
const defaultLimit = 8192

// limit returns how much the model may answer. Where the limit of a model is
// nearly its window, half of that must do: Bedrock refuses what could run over.
func (m *model) limit(req provider.Request) int64 {
	info := m.ep.Info
	limit := req.MaxTokens
	if limit <= 0 || info.MaxTokens > 0 && limit > info.MaxTokens {
		limit = cmp.Or(info.MaxTokens, defaultLimit)
	}
	if half := info.ContextWindow / 2; half > 0 && limit > half {
		limit = half
	}
	return limit
}

// body writes a request. The messages come last, so that requests with a common
// beginning of the conversation begin alike.
func (m *model) body(req provider.Request) []byte {
	c := m.grown.Begin(req)
	defer c.End()
	limit := m.limit(req)
	cache := m.family.cache && !req.NoCache

	var b provider.Body
	b.Open('{')
	b.Key("inferenceConfig").Open('{')
	b.Int("maxTokens", limit)
	b.Close('}')
	if m.ep.Info.Reasoning {
		m.thinking(&b, req, limit)
	}
	m.tools(&b, c.Tools, c.Messages, cache && m.family.claude)
	if !blank(c.Prompt) {
		b.Key("system").Open('[')
		b.Open('{')
		b.Str("text", c.Prompt)
		b.Close('}')
		if cache {
			b.Raw(cachePoint)
		}
		b.Close(']')
	}
	b.Key("messages").Open('[')
	before := b.Len()
	e, rest := c.Write(&b, encoder{family: m.family}, encode)
	e.shift = before
	encode(&e, &b, rest)
	e.finish()
	if cache {
		e.markCache()
	}
	b.Close(']')
	b.Close('}')
	return b.Bytes()
}

// cachePoint tells how far to cache a request.
var cachePoint = []byte(`{"cachePoint":{"type":"default"}}`)

// thinking says how much to think, in the words of the model behind the API.
func (m *model) thinking(b *provider.Body, req provider.Request, limit int64) {
	level := m.ep.Info.Clamp(cmp.Or(req.Thinking, "off"))
	word, offered := m.ep.Info.ThinkingWord(level)
	if !offered || level == "off" {
		return
	}
	budget := m.ep.Info.ThinkingBudget(level, limit)
	switch f := m.family; {
	case f.claude && !f.adaptive && budget < 1024: // the least that it takes
	case f.claude:
		b.Key("additionalModelRequestFields").Open('{')
		b.Key("thinking").Open('{')
		if f.adaptive {
			b.Str("type", "adaptive")
		} else {
			b.Str("type", "enabled")
			b.Int("budget_tokens", budget)
		}
		if !strings.HasPrefix(m.region, "us-gov-") {
			b.Str("display", "summarized")
		}
		if f.binding {
			// Thinking from before an edit or a branch is left out, not refused.
			b.Set("block_binding", []byte(`{"prefix_mismatch_behavior":"drop_block"}`))
		}
		b.Close('}')
		if f.adaptive {
			b.Key("output_config").Open('{')
			b.Str("effort", effort(word))
			b.Close('}')
		}
		switch {
		case f.binding:
			b.Set("anthropic_beta", []byte(`["thinking-binding-controls-2026-08-01"]`))
		case !f.adaptive:
			b.Set("anthropic_beta", []byte(`["interleaved-thinking-2025-05-14"]`)) // thinking between tool calls
		}
		b.Close('}')
	case f.effort == "reasoning_effort":
		b.Key("additionalModelRequestFields").Open('{')
		b.Str("reasoning_effort", effort(word))
		b.Close('}')
	case f.effort == "reasoning.effort":
		b.Key("additionalModelRequestFields").Open('{')
		b.Key("reasoning").Open('{')
		b.Str("effort", effort(word))
		b.Close('}')
		b.Close('}')
	}
}

func effort(word string) string {
	if word == "minimal" {
		return "low"
	}
	return word
}

// tools declares the tools. A conversation with calls in it must have some, so
// where none is offered those that were called are declared.
func (m *model) tools(b *provider.Body, tools []message.ToolSpec, msgs []message.Message, cache bool) {
	offered := len(tools) > 0
	if !offered {
		if tools = called(msgs); len(tools) == 0 {
			return
		}
	}
	b.Key("toolConfig").Open('{')
	b.Key("tools").Open('[')
	for _, t := range tools {
		b.Open('{')
		b.Key("toolSpec").Open('{')
		b.Str("name", t.Name)
		if !blank(t.Description) {
			b.Str("description", t.Description)
		}
		b.Key("inputSchema").Open('{')
		b.Set("json", provider.Schema(t))
		b.Close('}')
		b.Close('}')
		b.Close('}')
	}
	if cache && offered {
		b.Raw(cachePoint)
	}
	b.Close(']')
	b.Close('}')
}

// called returns the tools that the answers of a conversation call.
func called(msgs []message.Message) []message.ToolSpec {
	var tools []message.ToolSpec
	seen := map[string]bool{}
	for _, m := range msgs {
		if m.Role != message.Assistant {
			continue
		}
		for _, c := range m.ToolCalls() {
			if name := toolName(c.Name); !seen[name] {
				seen[name] = true
				tools = append(tools, message.ToolSpec{Name: name, Description: "Is not to be had any more."})
			}
		}
	}
	return tools
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// toolName fits the name of a tool that was called.
func toolName(name string) string { return provider.SafeID(provider.SafeName(name), 64) }
