package fakellm

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// responsesEncoder speaks OpenAI Responses.
type responsesEncoder struct {
	*script.Reply
	encrypted bool // encrypted reasoning was asked for
	seq       int  // number of the next event
}

func newResponses(r *script.Reply, body []byte) *responsesEncoder {
	e := &responsesEncoder{Reply: r}
	for v := range rawjson.Elements(at(body, "include")) {
		e.encrypted = e.encrypted || str(v) == "reasoning.encrypted_content"
	}
	return e
}

func (e *responsesEncoder) event(typ string, more ...any) event {
	data := obj(append([]any{"type", typ, "sequence_number", e.seq}, more...)...)
	e.seq++
	return event{typ, data}
}

// on is an event about item i.
func (e *responsesEncoder) on(i int, typ string, more ...any) event {
	return e.event(typ, append([]any{"output_index", i, "item_id", e.itemID(i)}, more...)...)
}

func (e *responsesEncoder) itemID(i int) string {
	prefix := map[script.BlockType]string{script.Text: "msg", script.Thinking: "rs", script.ToolCall: "fc"}[e.Blocks[i].Type]
	return fmt.Sprintf("%s_fake_%d_%d", prefix, e.N, i)
}

// item is item i, as it is when it begins or when it is done.
func (e *responsesEncoder) item(i int, done bool) raw {
	b := e.Blocks[i]
	status, text := "in_progress", ""
	var content, summary []raw
	if done {
		status, text = "completed", b.Text
		content = []raw{obj("type", "output_text", "text", b.Text, "annotations", arr[raw](), "logprobs", arr[raw]())}
		summary = []raw{summaryPart(b.Text)}
	}
	switch b.Type {
	case script.Thinking:
		o := []any{"id", e.itemID(i), "type", "reasoning", "summary", arr(summary...)}
		if done && e.encrypted {
			o = append(o, "encrypted_content", "ZmFrZQ==")
		}
		return obj(o...)
	case script.Text:
		return obj("id", e.itemID(i), "type", "message", "status", status, "role", "assistant", "content", arr(content...))
	}
	return obj("id", e.itemID(i), "type", "function_call", "status", status, "call_id", b.ID, "name", b.Name, "arguments", text)
}

func summaryPart(text string) raw { return obj("type", "summary_text", "text", text) }

func textPart(text string) raw {
	return obj("type", "output_text", "text", text, "annotations", arr[raw]())
}

// response is the response as a whole; the arguments are what changes in it.
func (e *responsesEncoder) response(status string, failure, incomplete any, output raw, usage any) raw {
	return obj("id", fmt.Sprintf("resp_fake_%d", e.N), "object", "response", "created_at", created, "status", status,
		"error", failure, "incomplete_details", incomplete, "model", e.Model, "output", output, "parallel_tool_calls", true,
		"store", false, "tool_choice", "auto", "tools", arr[raw](), "usage", usage)
}

func (e *responsesEncoder) status() string {
	switch e.Stop {
	case "length", "max_output_tokens", "content_filter":
		return "incomplete"
	case "failed":
		return "failed"
	}
	return "completed"
}

func (e *responsesEncoder) whole() raw {
	var failure, incomplete any
	switch e.status() {
	case "incomplete":
		reason := e.Stop
		if reason == "length" {
			reason = "max_output_tokens"
		}
		incomplete = obj("reason", reason)
	case "failed":
		failure = obj("code", "server_error", "message", "The fake response failed.")
	}
	items := make([]raw, len(e.Blocks))
	for i := range items {
		items[i] = e.item(i, true)
	}
	u := e.Usage
	input := u.Input + u.CacheRead + u.CacheWrite
	return e.response(e.status(), failure, incomplete, arr(items...), obj("input_tokens", input, "input_tokens_details", cached(u),
		"output_tokens", u.Output, "output_tokens_details", obj("reasoning_tokens", u.Reasoning), "total_tokens", input+u.Output))
}

func (e *responsesEncoder) start() []event {
	r := e.response("in_progress", nil, nil, arr[raw](), nil)
	return []event{e.event("response.created", "response", r), e.event("response.in_progress", "response", r)}
}

func (e *responsesEncoder) open(i int) []event {
	added := e.event("response.output_item.added", "output_index", i, "item", e.item(i, false))
	switch e.Blocks[i].Type {
	case script.Thinking:
		return []event{added, e.on(i, "response.reasoning_summary_part.added", "summary_index", 0, "part", summaryPart(""))}
	case script.Text:
		return []event{added, e.on(i, "response.content_part.added", "content_index", 0, "part", textPart(""))}
	}
	return []event{added}
}

func (e *responsesEncoder) piece(i int, text string) []event {
	switch e.Blocks[i].Type {
	case script.Thinking:
		return []event{e.on(i, "response.reasoning_summary_text.delta", "summary_index", 0, "delta", text)}
	case script.Text:
		return []event{e.on(i, "response.output_text.delta", "content_index", 0, "delta", text, "logprobs", arr[raw]())}
	}
	return []event{e.on(i, "response.function_call_arguments.delta", "delta", text)}
}

func (e *responsesEncoder) close(i int) []event {
	var events []event
	switch b := e.Blocks[i]; b.Type {
	case script.Thinking:
		events = []event{
			e.on(i, "response.reasoning_summary_text.done", "summary_index", 0, "text", b.Text),
			e.on(i, "response.reasoning_summary_part.done", "summary_index", 0, "part", summaryPart(b.Text)),
		}
	case script.Text:
		events = []event{
			e.on(i, "response.output_text.done", "content_index", 0, "text", b.Text, "logprobs", arr[raw]()),
			e.on(i, "response.content_part.done", "content_index", 0, "part", textPart(b.Text)),
		}
	default:
		events = []event{e.on(i, "response.function_call_arguments.done", "name", b.Name, "arguments", b.Text)}
	}
	return append(events, e.event("response.output_item.done", "output_index", i, "item", e.item(i, true)))
}

func (e *responsesEncoder) finish() []event {
	return []event{e.event("response."+e.status(), "response", e.whole())}
}

func (e *responsesEncoder) fail(f *script.Failure) []event {
	code := f.Code
	if code == "" {
		code = f.Type
	}
	return []event{e.event("error", "code", code, "message", f.Message, "param", nil)}
}
