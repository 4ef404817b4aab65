package message

import (
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
)

// object writes a JSON object member by member.
type object struct{ b []byte }

func newObject() *object { return &object{b: append(make([]byte, 0, 256), '{')} }

func (o *object) key(k string) {
	if len(o.b) > 1 {
		o.b = append(o.b, ',')
	}
	o.b = rawjson.AppendString(o.b, k)
	o.b = append(o.b, ':')
}

func (o *object) raw(k string, v Value) { o.key(k); o.b = append(o.b, v...) }
func (o *object) str(k, s string)       { o.key(k); o.b = rawjson.AppendString(o.b, s) }
func (o *object) num(k string, n int64) { o.key(k); o.b = strconv.AppendInt(o.b, n, 10) }
func (o *object) bool(k string, v bool) { o.key(k); o.b = strconv.AppendBool(o.b, v) }
func (o *object) float(k string, f float64) {
	o.key(k)
	o.b = rawjson.AppendNumber(o.b, f)
}

func (o *object) optional(k, s string) {
	if s != "" {
		o.str(k, s)
	}
}

func (o *object) optionalNum(k string, n *int64) {
	if n != nil {
		o.num(k, *n)
	}
}

func (o *object) flag(k string, v bool) {
	if v {
		o.bool(k, true)
	}
}

func (o *object) done() Value { return append(o.b, '}') }

func (o *object) content(m Message) {
	if m.IsText && len(m.Content) == 1 {
		o.str("content", m.Content[0].Text)
		return
	}
	if m.Role == System && len(m.Content) == 0 {
		o.str("content", "")
		return
	}
	o.raw("content", EncodeContent(m.Content))
}

func (m Message) encode() Value {
	o := newObject()
	o.str("role", string(m.Role))
	switch m.Role {
	case System:
		o.content(m)
		if len(m.Sections) > 0 {
			o.raw("sections", encodeSections(m.Sections))
		}
		o.num("timestamp", m.Timestamp)
		if len(m.ToolsAdded) > 0 {
			elems := make([][]byte, len(m.ToolsAdded))
			for i, t := range m.ToolsAdded {
				elems[i] = t.JSON()
			}
			o.raw("toolsAdded", rawjson.Array(elems))
		}
		if len(m.ToolsRemoved) > 0 {
			elems := make([][]byte, len(m.ToolsRemoved))
			for i, name := range m.ToolsRemoved {
				r := newObject()
				r.str("name", name)
				elems[i] = r.done()
			}
			o.raw("toolsRemoved", rawjson.Array(elems))
		}
	case Assistant:
		o.content(m)
		o.str("api", m.API)
		o.str("provider", m.Provider)
		o.str("model", m.Model)
		u := m.Usage
		if u == nil {
			u = &Usage{} // pi cannot go on without it: docs/spec/session.md 3.4
		}
		o.raw("usage", u.JSON())
		o.str("stopReason", string(m.StopReason))
		o.num("timestamp", m.Timestamp)
		o.optional("errorMessage", m.ErrorMessage)
		o.optional("responseId", m.ResponseID)
		o.optional("responseModel", m.ResponseModel)
		o.optional("rawStopReason", m.RawStopReason)
		o.optionalNum("durationMs", m.DurationMs)
		o.optional("thinkingLevel", m.ThinkingLevel)
		o.optional("providerThinkingLevel", m.ProviderThinkingLevel)
	case ToolResult:
		o.str("toolCallId", m.ToolCallID)
		o.str("toolName", m.ToolName)
		o.raw("content", EncodeContent(m.Content))
		if len(m.Details) > 0 {
			o.raw("details", m.Details)
		}
		o.bool("isError", m.IsError)
		if m.Usage != nil {
			o.raw("usage", m.Usage.JSON())
		}
		o.optionalNum("durationMs", m.DurationMs)
		o.num("timestamp", m.Timestamp)
	case Bash:
		o.str("command", m.Command)
		o.str("output", m.Output)
		if m.ExitCode != nil {
			o.num("exitCode", int64(*m.ExitCode))
		}
		o.bool("cancelled", m.Cancelled)
		o.bool("truncated", m.Truncated)
		o.optional("fullOutputPath", m.FullOutputPath)
		o.num("timestamp", m.Timestamp)
		o.flag("excludeFromContext", m.ExcludeFromContext)
	case Custom:
		o.str("customType", m.CustomType)
		o.content(m)
		o.bool("display", m.Display)
		if len(m.Details) > 0 {
			o.raw("details", m.Details)
		}
		o.num("timestamp", m.Timestamp)
	case BranchSummary:
		o.str("summary", m.Summary)
		o.str("fromId", m.FromID)
		o.num("timestamp", m.Timestamp)
	case CompactionSummary:
		o.str("summary", m.Summary)
		o.num("tokensBefore", m.TokensBefore)
		o.num("timestamp", m.Timestamp)
	default: // user, and whatever comes
		o.content(m)
		o.num("timestamp", m.Timestamp)
	}
	return o.done()
}

func encodeSections(sections []Section) Value {
	o := newObject()
	for _, s := range sections {
		if s.Text == nil {
			o.raw(s.Name, Value("null"))
		} else {
			o.str(s.Name, *s.Text)
		}
	}
	return o.done()
}

// JSON returns the declaration as JSON.
func (t ToolSpec) JSON() Value {
	if t.raw != nil {
		return t.raw
	}
	o := newObject()
	o.str("name", t.Name)
	o.str("description", t.Description)
	if len(t.Parameters) > 0 {
		o.raw("parameters", t.Parameters)
	} else {
		o.raw("parameters", Value(`{"type":"object","properties":{}}`))
	}
	return o.done()
}
