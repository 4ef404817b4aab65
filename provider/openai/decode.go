package openai

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// decoder makes deltas of the events of one answer.
type decoder struct {
	info      provider.Info
	encrypted bool // encrypted reasoning was asked for
	out       []message.Delta

	items []*item        // by their index with us
	at    map[int]*item  // by output_index
	named map[string]int // output_index by the id of the item, for events without
	by    string
	id    string

	status string // of the whole answer, "" before its end
	reason string // why it is incomplete
}

type item struct {
	index int
	typ   message.BlockType
	id    string
	text  strings.Builder // said so far
	end   *message.Block  // known, but not said yet
	ended bool
}

func (d *decoder) say(delta message.Delta) { d.out = append(d.out, delta) }

// Event reads one event. Those that are not known are passed over.
func (d *decoder) Event(ev provider.Event) ([]message.Delta, bool, error) {
	d.out = d.out[:0]
	data := rawjson.Trim(ev.Data)
	if len(data) == 0 || string(data) == "[DONE]" {
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
	response := rawjson.Get(data, "response")
	switch typ {
	case "response.created", "response.in_progress", "response.queued":
		d.about(response)
	case "response.output_item.added":
		v := rawjson.Get(data, "item")
		if it := d.open(d.place(data, v), v); it != nil {
			if args, _ := rawjson.GetString(v, "arguments"); args != "" {
				d.piece(it, args)
			}
		}
	case "response.reasoning_summary_part.added":
		if it := d.item(data, message.ThinkingBlock); it != nil && it.text.Len() > 0 {
			d.piece(it, "\n\n")
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.delta(data, message.ThinkingBlock)
	case "response.output_text.delta", "response.refusal.delta":
		d.delta(data, message.TextBlock)
	case "response.function_call_arguments.delta":
		d.delta(data, message.ToolCallBlock)
	case "response.function_call_arguments.done":
		if it := d.item(data, message.ToolCallBlock); it != nil {
			args, _ := rawjson.GetString(data, "arguments")
			d.complete(it, args)
		}
	case "response.output_item.done":
		v := rawjson.Get(data, "item")
		at := d.place(data, v)
		it := d.at[at]
		if it == nil {
			it = d.open(at, v)
		}
		if it != nil {
			d.close(it, v)
		}
	case "response.completed", "response.done", "response.incomplete", "response.failed", "response.cancelled":
		return d.finish(typ, response)
	case "error":
		return d.out, false, provider.StreamError(data, "")
	}
	return d.out, false, nil
}

// about reads what an event says of the answer as a whole.
func (d *decoder) about(response []byte) {
	var news message.Delta
	if id, _ := rawjson.GetString(response, "id"); id != "" && id != d.id {
		d.id, news.ResponseID = id, id
	}
	if by, _ := rawjson.GetString(response, "model"); by != "" && by != d.by {
		d.by = by
		if by != d.info.ID {
			news.ResponseModel = by
		}
	}
	if u := rawjson.Get(response, "usage"); rawjson.Kind(u) == '{' {
		news.Usage = d.count(u)
	}
	if news.ResponseID != "" || news.ResponseModel != "" || news.Usage != nil {
		news.Kind = message.Info
		d.say(news)
	}
}

func (d *decoder) count(v []byte) *message.Usage {
	num := func(obj []byte, key string) int64 {
		n, ok := rawjson.Number(rawjson.Get(obj, key))
		if !ok || n < 0 || n > 1<<53 {
			return 0
		}
		return int64(n)
	}
	in := rawjson.Get(v, "input_tokens_details")
	thought := num(rawjson.Get(v, "output_tokens_details"), "reasoning_tokens")
	u := &message.Usage{Output: num(v, "output_tokens"), CacheRead: num(in, "cached_tokens"), CacheWrite: num(in, "cache_write_tokens"), Reasoning: &thought}
	u.Input = max(0, num(v, "input_tokens")-u.CacheRead-u.CacheWrite)
	d.info.Account(u, nil)
	return u
}

// place returns the output_index of an event, or what stands for it: some hosts
// tell an item by its id alone.
func (d *decoder) place(event, v []byte) int {
	id, _ := rawjson.GetString(v, "id")
	if id == "" {
		id, _ = rawjson.GetString(event, "item_id")
	}
	if n, ok := rawjson.Number(rawjson.Get(event, "output_index")); ok && n >= 0 && n < 1<<20 {
		return int(n)
	}
	if at, ok := d.named[id]; ok {
		return at
	}
	at := 1<<20 + len(d.named)
	if d.named == nil {
		d.named = map[string]int{}
	}
	d.named[id] = at
	return at
}

func (d *decoder) item(event []byte, typ message.BlockType) *item {
	if it := d.at[d.place(event, nil)]; it != nil && it.typ == typ && !it.ended && it.end == nil {
		return it
	}
	return nil
}

func (d *decoder) open(at int, v []byte) *item {
	if d.at[at] != nil {
		return nil
	}
	it := &item{index: len(d.items)}
	it.id, _ = rawjson.GetString(v, "id")
	start := message.Delta{Index: it.index}
	switch typ, _ := rawjson.GetString(v, "type"); typ {
	case "reasoning":
		it.typ, start.Kind = message.ThinkingBlock, message.ThinkingStart
	case "message":
		it.typ, start.Kind = message.TextBlock, message.TextStart
	case "function_call":
		it.typ, start.Kind = message.ToolCallBlock, message.ToolCallStart
		start.ID = callIDOf(v)
		start.Name, _ = rawjson.GetString(v, "name")
		start.Namespace, _ = rawjson.GetString(v, "namespace")
	default:
		return nil // of a tool that the provider runs itself, or of tomorrow
	}
	if d.at == nil {
		d.at = map[int]*item{}
	}
	d.at[at] = it
	d.items = append(d.items, it)
	d.say(start)
	return it
}

func callIDOf(v []byte) string {
	call, _ := rawjson.GetString(v, "call_id")
	if id, _ := rawjson.GetString(v, "id"); id != "" {
		return call + "|" + id
	}
	return call
}

func (d *decoder) delta(event []byte, typ message.BlockType) {
	if it := d.item(event, typ); it != nil {
		if s, ok := rawjson.GetString(event, "delta"); ok {
			d.piece(it, s)
		}
	}
}

func (d *decoder) piece(it *item, s string) {
	kind := message.TextDelta
	switch it.typ {
	case message.ThinkingBlock:
		kind = message.ThinkingDelta
	case message.ToolCallBlock:
		kind = message.ToolCallDelta
	}
	it.text.WriteString(s)
	d.say(message.Delta{Kind: kind, Index: it.index, Text: s})
}

// complete says what is missing of a text that is now whole.
func (d *decoder) complete(it *item, whole string) {
	if said := it.text.String(); len(whole) > len(said) && strings.HasPrefix(whole, said) {
		d.piece(it, whole[len(said):])
	}
}

// close reads an item that is whole.
func (d *decoder) close(it *item, v []byte) {
	if it.ended || it.end != nil {
		return
	}
	b := &message.Block{Type: it.typ}
	switch it.typ {
	case message.ThinkingBlock:
		b.Text = texts(rawjson.Get(v, "summary"), "\n\n")
		if b.Text == "" {
			b.Text = texts(rawjson.Get(v, "content"), "\n\n")
		}
		b.Signature = string(v)
	case message.TextBlock:
		b.Text = texts(rawjson.Get(v, "content"), "")
		b.Signature = textSignature(v)
	case message.ToolCallBlock:
		b.ID = callIDOf(v)
		b.Name, _ = rawjson.GetString(v, "name")
		b.Namespace, _ = rawjson.GetString(v, "namespace")
		args, _ := rawjson.GetString(v, "arguments")
		d.complete(it, args)
		if raw := rawjson.Trim([]byte(args)); rawjson.Kind(raw) == '{' && rawjson.Valid(raw) {
			b.Arguments = raw
		}
	}
	if it.typ != message.ToolCallBlock {
		d.complete(it, b.Text)
	}
	it.end = b
	// Some hosts send the encrypted content with the end of the answer only.
	if secret, _ := rawjson.GetString(v, "encrypted_content"); it.typ == message.ThinkingBlock && d.encrypted && secret == "" {
		return
	}
	d.sayEnd(it)
}

func (d *decoder) sayEnd(it *item) {
	if it.ended {
		return
	}
	it.ended = true
	if it.end == nil {
		it.end = &message.Block{Type: it.typ}
	}
	kind := message.TextEnd
	switch it.typ {
	case message.ThinkingBlock:
		kind = message.ThinkingEnd
	case message.ToolCallBlock:
		kind = message.ToolCallEnd
	}
	d.say(message.Delta{Kind: kind, Index: it.index, Block: it.end})
}

// texts joins the texts of a list of parts.
func texts(parts []byte, sep string) string {
	var all []string
	for p := range rawjson.Elements(parts) {
		s, ok := rawjson.GetString(p, "text")
		if !ok {
			s, ok = rawjson.GetString(p, "refusal")
		}
		if ok {
			all = append(all, s)
		}
	}
	return strings.Join(all, sep)
}

func textSignature(v []byte) string {
	id, _ := rawjson.GetString(v, "id")
	if id == "" {
		return ""
	}
	sig := append([]byte(`{"v":1,"id":`), rawjson.Quote(id)...)
	if phase, _ := rawjson.GetString(v, "phase"); phase != "" {
		sig = append(append(sig, `,"phase":`...), rawjson.Quote(phase)...)
	}
	return string(append(sig, '}'))
}

// finish reads the end of the answer.
func (d *decoder) finish(typ string, response []byte) ([]message.Delta, bool, error) {
	d.about(response)
	for v := range rawjson.Elements(rawjson.Get(response, "output")) {
		id, _ := rawjson.GetString(v, "id")
		for _, it := range d.items {
			secret, _ := rawjson.GetString(v, "encrypted_content")
			if it.typ == message.ThinkingBlock && it.end != nil && !it.ended && it.id == id && secret != "" {
				it.end.Signature = string(v)
			}
		}
	}
	d.status, _ = rawjson.GetString(response, "status")
	if d.status == "" {
		d.status = strings.TrimPrefix(typ, "response.")
	}
	d.reason, _ = rawjson.GetString(rawjson.Get(response, "incomplete_details"), "reason")
	if d.status == "failed" || d.status == "cancelled" {
		d.say(message.Delta{Kind: message.Info, RawStopReason: d.status})
		return d.out, false, failure(response, d.status)
	}
	return d.out, true, nil
}

// failure makes an error of an answer that failed.
func failure(response []byte, status string) error {
	e := rawjson.Get(response, "error")
	if rawjson.Kind(e) != '{' {
		return &provider.Error{Kind: provider.Transient, Message: "the provider ended the answer: " + status}
	}
	code, _ := rawjson.GetString(e, "code")
	text, _ := rawjson.GetString(e, "message")
	if code != "" && text != "" {
		text = code + ": " + text
	}
	return provider.StreamError(e, text)
}

// End says why the answer ends.
func (d *decoder) End(bool) ([]message.Delta, error) {
	d.out = d.out[:0]
	if d.status == "" {
		return nil, provider.EndedEarly()
	}
	calls := false
	for _, it := range d.items {
		d.sayEnd(it)
		calls = calls || it.typ == message.ToolCallBlock
	}
	last := message.Delta{Kind: message.Info, RawStopReason: d.status}
	switch {
	case d.status == "incomplete":
		last.RawStopReason = strings.TrimSuffix(d.status+"."+d.reason, ".")
		last.StopReason = message.Length
		if d.reason != "" && d.reason != "max_output_tokens" {
			last.StopReason = message.Failed
			last.ErrorMessage = "the provider ended the answer: " + d.reason
		}
	case calls:
		last.StopReason = message.ToolUse
	default:
		last.StopReason = message.Stop
	}
	d.say(last)
	return d.out, nil
}
