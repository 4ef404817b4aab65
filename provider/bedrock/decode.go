package bedrock

import (
	"encoding/base64"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// withheld is shown in the place of thinking that the provider keeps to itself.
const withheld = "[The provider keeps this part of the thinking to itself.]"

// decoder makes deltas of the events of one answer.
type decoder struct {
	info provider.Info
	out  []message.Delta

	blocks []*block // by their index with us
	at     map[int]*block
	usage  message.Usage
	stop   string
}

type block struct {
	index     int
	typ       message.BlockType
	signature string
	secret    []byte // thinking that is kept back
	redacted  bool
	ended     bool
}

func (d *decoder) say(delta message.Delta) { d.out = append(d.out, delta) }

// Event reads one event. Those that are not known are passed over. The last one
// tells the usage, behind that of the stop reason; who listens on is told the end
// of the stream, which is at once.
func (d *decoder) Event(ev provider.Event) ([]message.Delta, bool, error) {
	d.out = d.out[:0]
	if ev.Name == head {
		d.say(message.Delta{Kind: message.Info, ResponseID: string(ev.Data)})
		return d.out, false, nil
	}
	data := rawjson.Trim(ev.Data)
	if len(data) == 0 {
		return nil, false, nil
	}
	if !rawjson.Valid(data) {
		return nil, false, provider.BadEvent(data)
	}
	switch ev.Name {
	case "contentBlockStart":
		if use := rawjson.Get(rawjson.Get(data, "start"), "toolUse"); rawjson.Kind(use) == '{' {
			d.call(index(data), use)
		}
	case "contentBlockDelta":
		d.delta(index(data), rawjson.Get(data, "delta"))
	case "contentBlockStop":
		if b := d.at[index(data)]; b != nil {
			d.close(b)
			delete(d.at, index(data))
		}
	case "messageStop":
		d.stop, _ = rawjson.GetString(data, "stopReason")
	case "metadata":
		d.count(data)
	}
	return d.out, false, nil
}

func index(data []byte) int {
	n, ok := rawjson.Number(rawjson.Get(data, "contentBlockIndex"))
	if !ok || n < 0 || n > 1<<20 {
		return -1
	}
	return int(n)
}

// open begins a block. A new one of another type may take the index over
// without an end of the first.
func (d *decoder) open(at int, typ message.BlockType, start message.Delta) *block {
	if b := d.at[at]; b != nil {
		if b.typ == typ {
			return b
		}
		d.close(b)
	}
	b := &block{index: len(d.blocks), typ: typ}
	if d.at == nil {
		d.at = map[int]*block{}
	}
	d.at[at] = b
	d.blocks = append(d.blocks, b)
	start.Index = b.index
	d.say(start)
	return b
}

func (d *decoder) call(at int, use []byte) {
	if b := d.at[at]; b != nil {
		d.close(b)
		delete(d.at, at)
	}
	start := message.Delta{Kind: message.ToolCallStart}
	start.ID, _ = rawjson.GetString(use, "toolUseId")
	start.Name, _ = rawjson.GetString(use, "name")
	d.open(at, message.ToolCallBlock, start)
}

// delta adds to a block; texts and thinking begin with their first piece.
func (d *decoder) delta(at int, v []byte) {
	if text, ok := rawjson.GetString(v, "text"); ok {
		b := d.open(at, message.TextBlock, message.Delta{Kind: message.TextStart})
		d.say(message.Delta{Kind: message.TextDelta, Index: b.index, Text: text})
		return
	}
	if use := rawjson.Get(v, "toolUse"); rawjson.Kind(use) == '{' {
		b := d.at[at]
		if b == nil || b.typ != message.ToolCallBlock {
			return
		}
		if input, ok := rawjson.GetString(use, "input"); ok {
			d.say(message.Delta{Kind: message.ToolCallDelta, Index: b.index, Text: input})
		}
		return
	}
	if r := rawjson.Get(v, "reasoningContent"); rawjson.Kind(r) == '{' {
		d.thinking(at, r)
	}
}

func (d *decoder) thinking(at int, r []byte) {
	text, hasText := rawjson.GetString(r, "text")
	signature, _ := rawjson.GetString(r, "signature")
	secret, isSecret := rawjson.GetString(r, "redactedContent")
	if !hasText && signature == "" && !isSecret {
		return
	}
	b := d.at[at]
	if b == nil || b.typ != message.ThinkingBlock {
		b = d.open(at, message.ThinkingBlock, message.Delta{Kind: message.ThinkingStart, Redacted: isSecret})
		if b.redacted = isSecret; isSecret {
			d.say(message.Delta{Kind: message.ThinkingDelta, Index: b.index, Text: withheld})
		}
	}
	if isSecret && b.redacted {
		raw, err := base64.StdEncoding.DecodeString(secret)
		if err != nil {
			raw = []byte(secret)
		}
		b.secret = append(b.secret, raw...) // it may come in pieces
		return
	}
	b.signature += signature
	if hasText && !b.redacted {
		d.say(message.Delta{Kind: message.ThinkingDelta, Index: b.index, Text: text})
	}
}

func (d *decoder) close(b *block) {
	if b.ended {
		return
	}
	b.ended = true
	if b.redacted {
		b.signature = base64.StdEncoding.EncodeToString(b.secret)
	}
	end := message.Delta{Index: b.index, Block: &message.Block{Type: b.typ, Signature: b.signature, Redacted: b.redacted}}
	switch b.typ {
	case message.TextBlock:
		end.Kind = message.TextEnd
	case message.ThinkingBlock:
		end.Kind = message.ThinkingEnd
	default:
		end.Kind = message.ToolCallEnd
	}
	d.say(end)
}

// count reads what the answer took, and which model a router has chosen.
func (d *decoder) count(data []byte) {
	v := rawjson.Get(data, "usage")
	num := func(obj []byte, key string) int64 {
		n, ok := rawjson.Number(rawjson.Get(obj, key))
		if !ok || n < 0 || n > 1<<53 {
			return 0
		}
		return int64(n)
	}
	news := message.Delta{Kind: message.Info}
	if rawjson.Kind(v) == '{' {
		u := message.Usage{Input: num(v, "inputTokens"), Output: num(v, "outputTokens"),
			CacheRead: num(v, "cacheReadInputTokens"), CacheWrite: num(v, "cacheWriteInputTokens")}
		for c := range rawjson.Elements(rawjson.Get(v, "cacheDetails")) {
			if ttl, _ := rawjson.GetString(c, "ttl"); ttl == "1h" {
				u.CacheWrite1h += num(c, "inputTokens")
			}
		}
		d.info.Account(&u, nil)
		d.usage = u
		news.Usage = &u
	}
	if by, _ := rawjson.GetString(rawjson.Get(rawjson.Get(data, "trace"), "promptRouter"), "invokedModelId"); by != d.info.ID {
		news.ResponseModel = by
	}
	if news.Usage != nil || news.ResponseModel != "" {
		d.say(news)
	}
}

// End says why the answer ends.
func (d *decoder) End(bool) ([]message.Delta, error) {
	d.out = d.out[:0]
	switch d.stop {
	case "":
		return nil, provider.EndedEarly()
	case "malformed_model_output", "malformed_tool_use":
		return nil, &provider.Error{Kind: provider.Transient, Message: "the model's answer could not be read by Bedrock: " + d.stop}
	}
	calls := false
	for _, b := range d.blocks {
		d.close(b)
		calls = calls || b.typ == message.ToolCallBlock
	}
	reason, why := d.reason(calls)
	d.say(message.Delta{Kind: message.Info, StopReason: reason, RawStopReason: d.stop, ErrorMessage: why})
	return d.out, nil
}

// reason says the stop reason in our words. The text is why an answer ends badly.
func (d *decoder) reason(calls bool) (message.StopReason, string) {
	switch d.stop {
	case "end_turn", "stop_sequence", "tool_use":
		if calls {
			return message.ToolUse, ""
		}
		return message.Stop, ""
	case "max_tokens", "model_context_window_exceeded":
		return message.Length, ""
	case "guardrail_intervened":
		return message.Failed, "a guardrail of the account stopped the answer: " + d.stop
	}
	return message.Failed, "the provider ended the answer: " + d.stop
}
