package anthropic

import (
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
	why    string // what the provider says to that
	done   bool
}

type block struct {
	index     int
	typ       message.BlockType
	signature string
	redacted  bool
	input     []byte // of a call, as it stood at its beginning
	began     bool   // arguments have come
	ended     bool
}

func (d *decoder) say(delta message.Delta) { d.out = append(d.out, delta) }

// Event reads one event. Those that are not known are passed over.
func (d *decoder) Event(ev provider.Event) ([]message.Delta, bool, error) {
	d.out = d.out[:0]
	data := rawjson.Trim(ev.Data)
	if len(data) == 0 {
		return nil, false, nil
	}
	if !rawjson.Valid(data) {
		return nil, false, provider.BadEvent(data)
	}
	if ev.Name == provider.Whole {
		return nil, false, provider.NotStreamed()
	}
	typ, ok := rawjson.GetString(data, "type")
	if !ok {
		typ = ev.Name
	}
	switch typ {
	case "message_start":
		d.begin(rawjson.Get(data, "message"))
	case "content_block_start":
		d.open(index(data), rawjson.Get(data, "content_block"))
	case "content_block_delta":
		if b := d.at[index(data)]; b != nil && !b.ended {
			d.delta(b, rawjson.Get(data, "delta"))
		}
	case "content_block_stop":
		if b := d.at[index(data)]; b != nil {
			d.close(b)
		}
	case "message_delta":
		delta := rawjson.Get(data, "delta")
		if s, _ := rawjson.GetString(delta, "stop_reason"); s != "" {
			d.stop = s
		}
		d.why, _ = rawjson.GetString(rawjson.Get(delta, "stop_details"), "explanation")
		d.count(rawjson.Get(data, "usage"), message.Delta{})
	case "message_stop":
		d.done = true
		return d.out, true, nil
	case "error":
		return d.out, false, provider.StreamError(data, string(rawjson.AppendStringify(nil, data)))
	}
	return d.out, false, nil
}

func index(data []byte) int {
	n, ok := rawjson.Number(rawjson.Get(data, "index"))
	if !ok || n < 0 || n > 1<<20 {
		return -1
	}
	return int(n)
}

func (d *decoder) begin(msg []byte) {
	var news message.Delta
	news.ResponseID, _ = rawjson.GetString(msg, "id")
	if by, _ := rawjson.GetString(msg, "model"); by != d.info.ID {
		news.ResponseModel = by
	}
	d.count(rawjson.Get(msg, "usage"), news)
}

// count reads what the answer takes so far, and tells it with other news.
func (d *decoder) count(v []byte, news message.Delta) {
	set := func(dst *int64, obj []byte, key string) {
		if n, ok := rawjson.Number(rawjson.Get(obj, key)); ok && n >= 0 && n <= 1<<53 {
			*dst = int64(n)
		}
	}
	if rawjson.Kind(v) == '{' {
		u := d.usage
		set(&u.Input, v, "input_tokens")
		set(&u.Output, v, "output_tokens")
		set(&u.CacheRead, v, "cache_read_input_tokens")
		set(&u.CacheWrite, v, "cache_creation_input_tokens")
		set(&u.CacheWrite1h, rawjson.Get(v, "cache_creation"), "ephemeral_1h_input_tokens")
		if t := rawjson.Get(rawjson.Get(v, "output_tokens_details"), "thinking_tokens"); rawjson.Kind(t) == '0' {
			n := int64(0)
			set(&n, rawjson.Get(v, "output_tokens_details"), "thinking_tokens")
			u.Reasoning = &n
		}
		d.info.Account(&u, nil)
		d.usage = u
		news.Usage = &u
	}
	if news.Usage != nil || news.ResponseID != "" || news.ResponseModel != "" {
		news.Kind = message.Info
		d.say(news)
	}
}

func (d *decoder) open(at int, v []byte) {
	if at < 0 || d.at[at] != nil {
		return
	}
	b := &block{index: len(d.blocks)}
	start := message.Delta{Index: b.index}
	typ, _ := rawjson.GetString(v, "type")
	text := ""
	switch typ {
	case "text":
		b.typ, start.Kind = message.TextBlock, message.TextStart
		text, _ = rawjson.GetString(v, "text")
	case "thinking":
		b.typ, start.Kind = message.ThinkingBlock, message.ThinkingStart
		text, _ = rawjson.GetString(v, "thinking")
		b.signature, _ = rawjson.GetString(v, "signature")
	case "redacted_thinking":
		b.typ, start.Kind = message.ThinkingBlock, message.ThinkingStart
		b.redacted, start.Redacted = true, true
		b.signature, _ = rawjson.GetString(v, "data")
		text = withheld
	case "tool_use":
		b.typ, start.Kind = message.ToolCallBlock, message.ToolCallStart
		start.ID, _ = rawjson.GetString(v, "id")
		start.Name, _ = rawjson.GetString(v, "name")
		b.input = append([]byte(nil), rawjson.Get(v, "input")...)
	default:
		return // of a tool that the provider runs itself, or of tomorrow
	}
	if d.at == nil {
		d.at = map[int]*block{}
	}
	d.at[at] = b
	d.blocks = append(d.blocks, b)
	d.say(start)
	if text != "" {
		d.piece(b, text)
	}
}

// piece adds to a block.
func (d *decoder) piece(b *block, text string) {
	kind := message.TextDelta
	switch b.typ {
	case message.ThinkingBlock:
		kind = message.ThinkingDelta
	case message.ToolCallBlock:
		kind = message.ToolCallDelta
		b.began = b.began || text != ""
	}
	d.say(message.Delta{Kind: kind, Index: b.index, Text: text})
}

func (d *decoder) delta(b *block, v []byte) {
	typ, _ := rawjson.GetString(v, "type")
	key := ""
	switch {
	case typ == "text_delta" && b.typ == message.TextBlock:
		key = "text"
	case typ == "thinking_delta" && b.typ == message.ThinkingBlock:
		key = "thinking"
	case typ == "input_json_delta" && b.typ == message.ToolCallBlock:
		key = "partial_json"
	case typ == "signature_delta" && b.typ == message.ThinkingBlock:
		s, _ := rawjson.GetString(v, "signature")
		b.signature += s
	}
	if s, ok := rawjson.GetString(v, key); ok && key != "" {
		d.piece(b, s)
	}
}

func (d *decoder) close(b *block) {
	if b.ended {
		return
	}
	b.ended = true
	end := message.Delta{Index: b.index, Block: &message.Block{Type: b.typ, Signature: b.signature, Redacted: b.redacted}}
	switch b.typ {
	case message.TextBlock:
		end.Kind = message.TextEnd
	case message.ThinkingBlock:
		end.Kind = message.ThinkingEnd
	default:
		end.Kind = message.ToolCallEnd
		if !b.began && rawjson.Kind(b.input) == '{' && len(rawjson.Trim(b.input)) > 2 {
			d.piece(b, string(b.input)) // all of it came at the beginning
		}
	}
	d.say(end)
}

// End says why the answer ends.
func (d *decoder) End(bool) ([]message.Delta, error) {
	d.out = d.out[:0]
	if !d.done && d.stop == "" {
		return nil, provider.EndedEarly()
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
	case "", "end_turn", "stop_sequence", "pause_turn", "tool_use":
		if calls {
			return message.ToolUse, ""
		}
		return message.Stop, ""
	case "max_tokens", "model_context_window_exceeded":
		return message.Length, ""
	case "refusal":
		why := "the model refused to answer"
		if d.why != "" {
			why += ": " + d.why
		}
		return message.Failed, why
	}
	return message.Failed, "the provider ended the answer: " + d.stop
}
