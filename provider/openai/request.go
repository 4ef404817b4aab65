package openai

import (
	"cmp"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// reasoning is how much a request asks the model to think.
type reasoning struct {
	effort string // "" says nothing
	on     bool
}

func (m *model) reasoning(req provider.Request) reasoning {
	info := m.ep.Info
	if !info.Reasoning {
		return reasoning{}
	}
	level := info.Clamp(cmp.Or(req.Thinking, "off"))
	word, offered := info.ThinkingWord(level)
	switch {
	case !offered:
		return reasoning{}
	case level == "off" && word == "off":
		return reasoning{effort: "none"}
	}
	return reasoning{effort: word, on: level != "off"}
}

// body writes a request. The input comes last, so that requests with a common
// beginning of the conversation begin alike.
func (m *model) body(req provider.Request, r reasoning) []byte {
	info := m.ep.Info
	c := m.grown.Begin(req)
	defer c.End()
	limit := req.MaxTokens
	if limit <= 0 || info.MaxTokens > 0 && limit > info.MaxTokens {
		limit = info.MaxTokens
	}

	var b provider.Body
	b.Open('{')
	b.Str("model", m.ep.ModelName())
	b.Bool("stream", true)
	b.Bool("store", false)
	if req.SessionID != "" && !req.NoCache && info.Word("promptCacheKeyMode", "auto") != "disabled" {
		b.Str("prompt_cache_key", provider.SafeID(req.SessionID, 64))
	}
	if !req.NoCache {
		m.ep.KeepCache(&b, true)
	}
	if limit > 0 && info.Flag("supportsMaxOutputTokens", true) {
		b.Int("max_output_tokens", limit)
	}
	if r.effort != "" {
		b.Key("reasoning").Open('{')
		b.Str("effort", r.effort)
		if r.on {
			b.Str("summary", "auto")
		}
		b.Close('}')
	}
	if r.on {
		b.Set("include", []byte(`["reasoning.encrypted_content"]`))
	}
	if len(c.Tools) > 0 {
		strict := ownServer(info) || info.Flag("supportsStrictMode", false)
		b.Key("tools").Open('[')
		for _, t := range c.Tools {
			b.Open('{')
			b.Str("type", "function")
			b.Str("name", t.Name)
			b.Str("description", t.Description)
			b.Set("parameters", provider.Schema(t))
			if strict {
				b.Bool("strict", false) // the default would change the schema
			}
			b.Close('}')
		}
		b.Close(']')
	}
	b.Key("input").Open('[')
	e := encoder{b: &b, info: info, system: "system", needsSecret: ownServer(info)}
	if info.Reasoning && info.Flag("supportsDeveloperRole", true) {
		e.system = "developer"
	}
	e.words(c.Prompt)
	e, rest := c.Write(&b, e, encode)
	e.noted = map[string]bool{} // the next request writes the rest anew
	encode(&e, &b, rest)
	b.Close(']')
	b.Close('}')
	return b.Bytes()
}

// callID fits the ids of calls. Those of the model itself keep the id of their
// item; of others only that of the call is of use.
func (m *model) callID(id string, from message.Message) string {
	call, item, two := strings.Cut(id, "|")
	if !two {
		return provider.SafeID(id, 64)
	}
	if m.ep.Info.Same(from) && call != "" {
		return provider.SafeID(call, 64) + "|" + item
	}
	return strings.TrimRight(provider.SafeID(call, 64), "_")
}
