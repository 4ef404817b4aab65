package google

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// thinking is how much a request asks the model to think.
type thinking struct {
	set    bool   // say something at all
	show   bool   // ask for the thoughts
	level  string // for models that have levels
	budget int64  // tokens, for the others
}

func (m *model) thinking(req provider.Request, limit int64) thinking {
	info := m.ep.Info
	if !info.Reasoning {
		return thinking{}
	}
	asked := cmp.Or(req.Thinking, "off")
	level := info.Clamp(asked)
	word, offered := info.ThinkingWord(level)
	if !offered {
		return thinking{}
	}
	t := thinking{set: true, show: asked != "off"}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		t.budget = n
		return t
	}
	switch {
	case !m.traits.levels:
		t.budget = m.traits.budget(level, limit, info.Budgets[level])
		t.show = t.show && t.budget != 0
	case level != "off":
		t.level = strings.ToUpper(word)
	default: // the least that all have
		t.level = "LOW"
	}
	return t
}

// dynamic is the budget of a model that decides by itself.
const dynamic = -1

// budget returns how many tokens a model of the second generation may think at a
// level; each kind has a least and a most. own, if it is not 0, is what people
// want. What is left of the limit must do for the answer. A model that is not
// known decides by itself.
func (t traits) budget(level string, limit, own int64) int64 {
	if !t.known && own == 0 && level != "off" {
		return dynamic
	}
	least, most := int64(0), int64(24576)
	switch {
	case t.pro:
		least, most = 128, 32768
	case t.lite:
		least = 512
	}
	var budget int64
	switch level {
	case "off":
		if t.pro {
			return least
		}
		return 0
	case "minimal":
		budget = max(128, least)
	case "low":
		budget = 2048
	case "medium":
		budget = 8192
	default:
		budget = most
	}
	if own > 0 {
		budget = min(max(own, least), most)
	}
	if limit > 0 {
		budget = min(budget, limit-1024)
	}
	if budget < max(least, 1) {
		if t.pro {
			return least
		}
		return 0
	}
	return budget
}

func (t thinking) write(b *provider.Body) {
	if !t.set {
		return
	}
	b.Key("thinkingConfig").Open('{')
	if t.show {
		b.Bool("includeThoughts", true)
	}
	if t.level != "" {
		b.Str("thinkingLevel", t.level)
	} else {
		b.Int("thinkingBudget", t.budget)
	}
	b.Close('}')
}

// body writes a request. The contents come last, so that requests with a common
// beginning of the conversation begin alike.
func (m *model) body(req provider.Request) []byte {
	info := m.ep.Info
	grown, traits := &m.grown, m.traits.without(req.OmitParams)
	if traits != m.traits { // what was written before is of no use
		grown = &provider.Growing[encoder]{Target: info, Options: traits.prepare()}
	}
	c := grown.Begin(req)
	defer c.End()
	limit := req.MaxTokens
	if limit <= 0 || info.MaxTokens > 0 && limit > info.MaxTokens {
		limit = info.MaxTokens
	}
	t := m.thinking(req, limit)

	var b provider.Body
	b.Open('{')
	if !blank(c.Prompt) {
		b.Key("systemInstruction").Open('{')
		b.Key("parts").Open('[')
		b.Open('{')
		b.Str("text", c.Prompt)
		b.Close('}')
		b.Close(']')
		b.Close('}')
	}
	writeTools(&b, c.Tools, slices.Contains(req.OmitParams, jsonSchema))
	if limit > 0 || t.set {
		b.Key("generationConfig").Open('{')
		if limit > 0 {
			b.Int("maxOutputTokens", limit)
		}
		t.write(&b)
		b.Close('}')
	}
	b.Key("contents").Open('[')
	e, rest := c.Write(&b, encoder{traits: traits}, encode)
	encode(&e, &b, rest)
	e.finish()
	b.Close(']')
	b.Close('}')
	return b.Bytes()
}

func writeTools(b *provider.Body, tools []message.ToolSpec, old bool) {
	if len(tools) == 0 {
		return
	}
	b.Key("tools").Open('[')
	b.Open('{')
	b.Key("functionDeclarations").Open('[')
	for _, t := range tools {
		b.Open('{')
		b.Str("name", t.Name)
		b.Str("description", cmp.Or(t.Description, t.Name)) // there must be one
		writeParameters(b, provider.Schema(t), old)
		b.Close('}')
	}
	b.Close(']')
	b.Close('}')
	b.Close(']')
}
