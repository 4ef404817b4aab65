package chat

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/provider"
)

// thinking says how much a reasoning model is to think, in the words of its
// server ("thinkingFormat").
func (m *model) thinking(b *provider.Body, req provider.Request, limit int64) {
	info := m.ep.Info
	level := info.Clamp(cmp.Or(req.Thinking, "off"))
	word, offered := info.ThinkingWord(level)
	_, mapped := info.ThinkingLevels[level]
	on := level != "off"
	if !offered {
		return
	}
	effort := func() {
		if on && m.set.effort {
			b.Str("reasoning_effort", word)
		}
	}
	if !on && !mapped {
		word = "none"
	}
	switch m.set.thinking {
	case "openrouter":
		b.Key("reasoning").Open('{')
		b.Str("effort", word)
		b.Close('}')
	case "ant-ling":
		if on && mapped {
			b.Key("reasoning").Open('{')
			b.Str("effort", word)
			b.Close('}')
		}
	case "together":
		b.Key("reasoning").Open('{')
		b.Bool("enabled", on)
		b.Close('}')
		effort()
	case "deepseek", "zai":
		b.Key("thinking").Open('{')
		if on {
			b.Str("type", "enabled")
		} else {
			b.Str("type", "disabled")
		}
		if on && m.set.thinking == "zai" {
			b.Bool("clear_thinking", false)
		}
		b.Close('}')
		effort()
	case "qwen":
		b.Bool("enable_thinking", on)
		effort()
	case "qwen-chat-template":
		b.Key("chat_template_kwargs").Open('{')
		b.Bool("enable_thinking", on)
		b.Bool("preserve_thinking", true)
		b.Close('}')
	case "chat-template":
		m.template(b, "chat_template_kwargs", "chatTemplateKwargs", on, word, m.ep.Info.ThinkingBudget(level, limit))
	case "baseten":
		m.template(b, "chat_template_args", "chatTemplateArgs", on, word, m.ep.Info.ThinkingBudget(level, limit))
		effort()
	case "string-thinking":
		b.Str("thinking", word)
	default: // "openai"
		if (on || mapped) && m.set.effort {
			b.Str("reasoning_effort", word)
		}
	}
	if budget := m.ep.Info.ThinkingBudget(level, limit); budget > 0 && m.set.budgetField != "" {
		b.Int(m.set.budgetField, budget)
	}
}

// template writes the arguments of a chat template, in which {"$var":…} stands
// for what is asked for.
func (m *model) template(b *provider.Body, key, setting string, on bool, word string, budget int64) {
	args, _ := m.ep.Info.Compat[setting].(map[string]any)
	if len(args) == 0 {
		return
	}
	b.Key(key).Open('{')
	for _, k := range slices.Sorted(maps.Keys(args)) {
		v := args[k]
		name := ""
		if o, ok := v.(map[string]any); ok {
			name, _ = o["$var"].(string)
		}
		switch {
		case name == "thinking.enabled":
			b.Bool(k, on)
		case name == "thinking.effort":
			if on {
				b.Str(k, word)
			}
		case name == "thinking.budget":
			if on {
				b.Int(k, budget)
			}
		default:
			b.Key(k)
			writeAny(b, v)
		}
	}
	b.Close('}')
}

// writeAny writes a value of a configuration, with the keys in order.
func writeAny(b *provider.Body, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.Open('{')
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.Key(k)
			writeAny(b, v[k])
		}
		b.Close('}')
	case []any:
		b.Open('[')
		for _, e := range v {
			writeAny(b, e)
		}
		b.Close(']')
	case string:
		b.String(v)
	case float64:
		b.Raw(rawjson.AppendNumber(nil, v))
	case json.Number:
		b.Raw([]byte(v))
	case json.RawMessage:
		b.Raw(v)
	case bool:
		if v {
			b.Raw([]byte("true"))
		} else {
			b.Raw([]byte("false"))
		}
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			raw = []byte("null") // not JSON, so not from a configuration
		}
		b.Raw(raw)
	}
}
