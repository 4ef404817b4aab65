package fakellm

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// anthropicEncoder speaks Anthropic Messages.
type anthropicEncoder struct{ *script.Reply }

// message is the answer as a whole.
func (e *anthropicEncoder) message(content raw, stop any, output int64) raw {
	return obj("id", fmt.Sprintf("msg_fake_%d", e.N), "type", "message", "role", "assistant", "model", e.Model, "content", content,
		"stop_reason", stop, "stop_sequence", nil, "usage", e.tokens(output))
}

func (e *anthropicEncoder) tokens(output int64) raw {
	return obj("input_tokens", e.Usage.Input, "cache_creation_input_tokens", e.Usage.CacheWrite,
		"cache_read_input_tokens", e.Usage.CacheRead, "output_tokens", output)
}

func (e *anthropicEncoder) stop() string {
	switch e.Stop {
	case "stop":
		return "end_turn"
	case "toolUse":
		return "tool_use"
	case "length":
		return "max_tokens"
	}
	return e.Stop
}

func signature(b script.Block) string {
	if b.Signature != "" {
		return b.Signature
	}
	return script.Signature
}

func named(name string, more ...any) event {
	return event{name, obj(append([]any{"type", name}, more...)...)}
}

func (e *anthropicEncoder) start() []event {
	return []event{named("message_start", "message", e.message(arr[raw](), nil, 1)), named("ping")}
}

func (e *anthropicEncoder) open(i int) []event {
	b := e.Blocks[i]
	block := obj("type", "tool_use", "id", b.ID, "name", b.Name, "input", obj())
	switch b.Type {
	case script.Text:
		block = obj("type", "text", "text", "")
	case script.Thinking:
		block = obj("type", "thinking", "thinking", "", "signature", "")
	}
	return []event{named("content_block_start", "index", i, "content_block", block)}
}

func (e *anthropicEncoder) piece(i int, text string) []event {
	d := obj("type", "input_json_delta", "partial_json", text)
	switch e.Blocks[i].Type {
	case script.Text:
		d = obj("type", "text_delta", "text", text)
	case script.Thinking:
		d = obj("type", "thinking_delta", "thinking", text)
	}
	return []event{named("content_block_delta", "index", i, "delta", d)}
}

func (e *anthropicEncoder) close(i int) []event {
	stop := named("content_block_stop", "index", i)
	if b := e.Blocks[i]; b.Type == script.Thinking {
		return []event{named("content_block_delta", "index", i, "delta", obj("type", "signature_delta", "signature", signature(b))), stop}
	}
	return []event{stop}
}

func (e *anthropicEncoder) finish() []event {
	return []event{
		named("message_delta", "delta", obj("stop_reason", e.stop(), "stop_sequence", nil), "usage", e.tokens(e.Usage.Output)),
		named("message_stop"),
	}
}

func (e *anthropicEncoder) fail(f *script.Failure) []event {
	return []event{named("error", "error", obj("type", f.Type, "message", f.Message))}
}

func (e *anthropicEncoder) whole() raw {
	blocks := make([]raw, len(e.Blocks))
	for i, b := range e.Blocks {
		switch b.Type {
		case script.Text:
			blocks[i] = obj("type", "text", "text", b.Text)
		case script.Thinking:
			blocks[i] = obj("type", "thinking", "thinking", b.Text, "signature", signature(b))
		default:
			input := obj()
			if args := []byte(b.Text); rawjson.Valid(args) && !rawjson.IsNull(args) {
				input = rawjson.AppendStringify(nil, args)
			}
			blocks[i] = obj("type", "tool_use", "id", b.ID, "name", b.Name, "input", input)
		}
	}
	return e.message(arr(blocks...), e.stop(), e.Usage.Output)
}
