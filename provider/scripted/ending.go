package scripted

import (
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
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

func broken(msg string) error { return &provider.Error{Kind: provider.Transient, Message: msg} }

// failed says a failure as a provider does: with the status of its HTTP answer,
// or without one if the failure came in the middle of an answer.
func failed(f *script.Failure, inBand bool) error {
	e := &provider.Error{Kind: kindOf(f, inBand), Message: f.Message, RetryAfter: retryAfter(f)}
	if !inBand {
		e.Status = f.Status
		if f.Body != nil {
			e.Message = string(f.Body)
		}
	}
	return e
}

func kindOf(f *script.Failure, inBand bool) provider.Kind {
	says := func(word string) bool {
		return f.Type == word || f.Code == word || strings.Contains(f.Message, word) || strings.Contains(string(f.Body), word)
	}
	switch {
	case says("context_length_exceeded"), says("prompt is too long"), says("request_too_large"), f.Status == 413:
		return provider.Overflow
	case f.Status == 401, f.Status == 403, says("authentication_error"), says("permission_error"), says("invalid_api_key"):
		return provider.Auth
	case says("insufficient_quota"):
		return provider.Rejected
	case inBand && (f.Type == "invalid_request_error" || f.Type == "not_found_error"):
		return provider.Rejected
	case f.Status == 408, f.Status == 409, f.Status == 429, f.Status >= 500:
		return provider.Transient
	}
	return provider.Rejected
}

// retryAfter reads the header of that name, in seconds.
func retryAfter(f *script.Failure) time.Duration {
	for _, h := range f.Headers {
		if strings.EqualFold(h[0], "retry-after") {
			if s, err := strconv.ParseFloat(h[1], 64); err == nil && s > 0 && s < 1e6 {
				return time.Duration(s * float64(time.Second))
			}
		}
	}
	return 0
}
