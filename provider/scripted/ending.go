package scripted

import (
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
)

// block returns a whole block. Arguments that are no object are left to
// [message.Builder], which says what is wrong with them.
func block(api script.API, b script.Block) *message.Block {
	var out message.Block
	switch b.Type {
	case script.Text:
		out = message.Text(b.Text)
		out.Signature = b.Signature
	case script.Thinking:
		out = message.Thinking(b.Text, b.Signature)
		if b.Signature == "" && api == script.Anthropic {
			out.Signature = script.Signature
		}
	default:
		out = message.ToolCall(b.ID, b.Name, nil)
		if args := []byte(b.Text); rawjson.Kind(args) == '{' && rawjson.Valid(args) {
			out.Arguments = rawjson.Trim(args)
		}
	}
	return &out
}

// ending is the last delta of an answer.
func (m *model) ending(r *script.Reply) message.Delta {
	u := &message.Usage{Input: r.Usage.Input, Output: r.Usage.Output, CacheRead: r.Usage.CacheRead, CacheWrite: r.Usage.CacheWrite}
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	if n := r.Usage.Reasoning; n > 0 {
		u.Reasoning = &n
	}
	m.info.Cost.Charge(u)
	d := message.Delta{Kind: message.Info, Usage: u, ResponseID: "scripted-" + strconv.Itoa(r.N), RawStopReason: r.Stop}
	if r.Model != m.info.ID {
		d.ResponseModel = r.Model
	}
	switch r.Stop {
	case "stop", "end_turn", "stop_sequence", "completed":
		d.StopReason = message.Stop
	case "toolUse", "tool_calls", "tool_use":
		d.StopReason = message.ToolUse
	case "length", "max_tokens", "max_output_tokens":
		d.StopReason = message.Length
	default:
		d.StopReason = message.Failed
		d.ErrorMessage = "the scripted model stopped: " + r.Stop
	}
	return d
}
