package fakellm

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// chatEncoder speaks OpenAI Chat Completions.
type chatEncoder struct {
	*script.Reply
	id    string
	usage bool // asked for in the stream
}

func newChat(r *script.Reply, body []byte) *chatEncoder {
	return &chatEncoder{r, fmt.Sprintf("chatcmpl-fake-%d", r.N), rawjson.Truthy(at(body, "stream_options", "include_usage"))}
}

// chunk is one event; more are the members behind those that all chunks have.
func (e *chatEncoder) chunk(more ...any) event {
	base := []any{"id", e.id, "object", "chat.completion.chunk", "created", created, "model", e.Model, "system_fingerprint", "fp_fake"}
	return event{"", obj(append(base, more...)...)}
}

func (e *chatEncoder) delta(d raw, finish any) event {
	return e.chunk("choices", arr(obj("index", 0, "delta", d, "logprobs", nil, "finish_reason", finish)))
}

func (e *chatEncoder) start() []event {
	return []event{e.delta(obj("role", "assistant", "content", ""), nil)}
}

func (e *chatEncoder) open(i int) []event {
	b := e.Blocks[i]
	if b.Type != script.ToolCall {
		return nil
	}
	call := obj("index", b.Call, "id", b.ID, "type", "function", "function", obj("name", b.Name, "arguments", ""))
	return []event{e.delta(obj("tool_calls", arr(call)), nil)}
}

func (e *chatEncoder) piece(i int, text string) []event {
	d := obj("content", text)
	switch b := e.Blocks[i]; b.Type {
	case script.Thinking:
		d = obj("reasoning_content", text)
		if e.API == script.Mistral {
			d = obj("content", arr(obj("type", "thinking", "thinking", arr(obj("type", "text", "text", text)))))
		}
	case script.ToolCall:
		d = obj("tool_calls", arr(obj("index", b.Call, "function", obj("arguments", text))))
	}
	return []event{e.delta(d, nil)}
}

func (e *chatEncoder) close(int) []event { return nil }

func (e *chatEncoder) finish() []event {
	if e.API == script.Mistral { // without being asked
		choice := obj("index", 0, "delta", obj("content", ""), "finish_reason", e.stop())
		return []event{e.chunk("choices", arr(choice), "usage", e.tokens()), {"", raw("[DONE]")}}
	}
	events := []event{e.delta(obj(), e.stop())}
	if e.usage {
		events = append(events, e.chunk("choices", arr[raw](), "usage", e.tokens()))
	}
	return append(events, event{"", raw("[DONE]")})
}

func (e *chatEncoder) stop() string {
	if e.Stop == "toolUse" {
		return "tool_calls"
	}
	return e.Stop
}

func (e *chatEncoder) tokens() raw {
	u := e.Usage
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return obj("prompt_tokens", prompt, "completion_tokens", u.Output, "total_tokens", prompt+u.Output,
		"prompt_tokens_details", cached(u), "completion_tokens_details", obj("reasoning_tokens", u.Reasoning))
}

// cached is how both APIs of OpenAI tell what came from and went to the cache.
func cached(u script.Usage) raw {
	details := []any{"cached_tokens", u.CacheRead}
	if u.CacheWrite != 0 {
		details = append(details, "cache_write_tokens", u.CacheWrite)
	}
	return obj(details...)
}

func (e *chatEncoder) fail(f *script.Failure) []event {
	return []event{{"", f.JSON(script.Chat, e.N)}}
}

func (e *chatEncoder) whole() raw {
	said, _ := ofType(e.Reply, script.Text)
	msg := []any{"role", "assistant", "content", orNull(said)}
	if thought, any := ofType(e.Reply, script.Thinking); any {
		msg = append(msg, "reasoning_content", thought)
	}
	var calls []raw
	for _, b := range e.Blocks {
		if b.Type == script.ToolCall {
			calls = append(calls, obj("id", b.ID, "type", "function", "function", obj("name", b.Name, "arguments", b.Text)))
		}
	}
	if len(calls) > 0 {
		msg = append(msg, "tool_calls", arr(calls...))
	}
	choice := obj("index", 0, "message", obj(append(msg, "refusal", nil)...), "logprobs", nil, "finish_reason", e.stop())
	return obj("id", e.id, "object", "chat.completion", "created", created, "model", e.Model, "system_fingerprint", "fp_fake",
		"choices", arr(choice), "usage", e.tokens())
}
