package chat

import (
	"crypto/rand"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// decoder makes deltas of the chunks of one answer.
type decoder struct {
	info provider.Info
	set  settings
	out  []message.Delta

	blocks   []message.BlockType // in order
	text     int                 // index of the block, -1 before it begins
	think    int
	field    string   // in which the thinking comes
	details  [][]byte // reasoning_details
	calls    []*call
	id       string
	by       string // the model that answers
	usage    *message.Usage
	finish   string // finish_reason
	finished bool   // the server said that this is all
}

type call struct {
	block     int // -1 before its name is known
	index     string
	id, name  string
	waiting   string // arguments that came before the name
	signature string
}

func newDecoder(info provider.Info, set settings) *decoder {
	return &decoder{info: info, set: set, text: -1, think: -1}
}

func (d *decoder) say(delta message.Delta) { d.out = append(d.out, delta) }

// Event reads one chunk, or the whole answer of a server that does not stream.
func (d *decoder) Event(ev provider.Event) ([]message.Delta, bool, error) {
	d.out = d.out[:0]
	data := rawjson.Trim(ev.Data)
	if string(data) == "[DONE]" {
		d.finished = true
		return nil, true, nil
	}
	if len(data) == 0 {
		return nil, false, nil
	}
	if !rawjson.Valid(data) {
		return nil, false, provider.BadEvent(data)
	}
	d.about(data)
	for choice := range rawjson.Elements(rawjson.Get(data, "choices")) {
		if n, ok := rawjson.Number(rawjson.Get(choice, "index")); !ok || n == 0 {
			d.choice(choice)
		}
	}
	if err := rawjson.Get(data, "error"); rawjson.Truthy(err) {
		return d.out, false, provider.StreamError(data, "")
	}
	d.finished = d.finished || ev.Name == provider.Whole
	return d.out, false, nil
}

// about reads what a chunk says of the answer as a whole.
func (d *decoder) about(chunk []byte) {
	var news message.Delta
	if id, ok := rawjson.GetString(chunk, "id"); ok && id != "" && d.id == "" {
		d.id, news.ResponseID = id, id
	}
	if by, ok := rawjson.GetString(chunk, "model"); ok && by != "" && by != d.by {
		d.by = by
		if by != d.info.ID {
			news.ResponseModel = by
		}
	}
	if u := rawjson.Get(chunk, "usage"); rawjson.Kind(u) == '{' {
		news.Usage = d.count(u)
	} else if u := rawjson.Get(rawjson.Get(chunk, "x_groq"), "usage"); rawjson.Kind(u) == '{' {
		news.Usage = d.count(u)
	}
	if news.ResponseID != "" || news.ResponseModel != "" || news.Usage != nil {
		news.Kind = message.Info
		d.say(news)
	}
}

func (d *decoder) choice(c []byte) {
	if u := rawjson.Get(c, "usage"); rawjson.Kind(u) == '{' && d.usage == nil { // Moonshot
		d.say(message.Delta{Kind: message.Info, Usage: d.count(u)})
	}
	delta := rawjson.Get(c, "delta")
	if rawjson.Kind(delta) != '{' && len(d.blocks) == 0 {
		delta = rawjson.Get(c, "message")
	}
	d.reasoning(delta)
	d.content(rawjson.Get(delta, "content"))
	if refusal, _ := rawjson.GetString(delta, "refusal"); refusal != "" {
		d.words(refusal)
	}
	for t := range rawjson.Elements(rawjson.Get(delta, "tool_calls")) {
		d.toolCall(t)
	}
	if f, _ := rawjson.GetString(c, "finish_reason"); f != "" {
		d.finish = f
	}
}

// content reads a text, or, from Mistral, a list of parts.
func (d *decoder) content(v []byte) {
	if s, ok := rawjson.String(v); ok {
		d.words(s)
		return
	}
	for part := range rawjson.Elements(v) {
		if s, ok := rawjson.GetString(part, "text"); ok {
			d.words(s)
		}
		for t := range rawjson.Elements(rawjson.Get(part, "thinking")) {
			if s, _ := rawjson.GetString(t, "text"); s != "" {
				d.thought(s)
			}
		}
	}
}

// open begins a block and returns its index.
func (d *decoder) open(t message.BlockType, delta message.Delta) int {
	delta.Index = len(d.blocks)
	d.blocks = append(d.blocks, t)
	d.say(delta)
	return delta.Index
}

func (d *decoder) words(s string) {
	if s == "" {
		return
	}
	if d.text < 0 {
		d.text = d.open(message.TextBlock, message.Delta{Kind: message.TextStart})
	}
	d.say(message.Delta{Kind: message.TextDelta, Index: d.text, Text: s})
}

func (d *decoder) thought(s string) {
	if d.think < 0 {
		d.think = d.open(message.ThinkingBlock, message.Delta{Kind: message.ThinkingStart})
	}
	if s != "" {
		d.say(message.Delta{Kind: message.ThinkingDelta, Index: d.think, Text: s})
	}
}

// reasoning reads the chain of thought. Some servers send it twice, in two
// fields; the first that has something is kept to.
func (d *decoder) reasoning(delta []byte) {
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_text"} {
		if d.field != "" && field != d.field {
			continue
		}
		if s, _ := rawjson.GetString(delta, field); s != "" {
			d.field = field
			d.thought(s)
			break
		}
	}
	for detail := range rawjson.Elements(rawjson.Get(delta, "reasoning_details")) {
		if rawjson.Kind(detail) != '{' {
			continue
		}
		d.detail(detail)
		if d.field == "" { // it may come in the details alone
			s, _ := rawjson.GetString(detail, "text")
			if s == "" {
				s, _ = rawjson.GetString(detail, "summary")
			}
			d.thought(s)
		}
	}
}

// detail adds a piece of reasoning_details, to the last one if it goes on with
// it. The pieces must come back joined, and else as they are.
func (d *decoder) detail(v []byte) {
	if n := len(d.details); n > 0 {
		last := d.details[n-1]
		for _, field := range []string{"text", "summary"} {
			have, ok1 := rawjson.GetString(last, field)
			more, ok2 := rawjson.GetString(v, field)
			if !ok1 || !ok2 || !sameMember(last, v, "type") || !sameMember(last, v, "index") {
				continue
			}
			for key, val := range rawjson.Members(v) {
				switch {
				case key == field:
					last = rawjson.Set(last, field, rawjson.Quote(have+more))
				case !rawjson.IsNull(val):
					last = rawjson.Set(last, key, val)
				}
			}
			d.details[n-1] = last
			return
		}
	}
	d.details = append(d.details, append([]byte(nil), v...))
}

func sameMember(a, b []byte, key string) bool {
	return string(rawjson.Get(a, key)) == string(rawjson.Get(b, key))
}

func (d *decoder) toolCall(v []byte) {
	c := d.callOf(v)
	fn := rawjson.Get(v, "function")
	if id, _ := rawjson.GetString(v, "id"); id != "" && c.id == "" {
		c.id = id
	}
	if name, _ := rawjson.GetString(fn, "name"); name != "" && c.name == "" {
		c.name = name
	}
	if s, _ := rawjson.GetString(rawjson.Get(rawjson.Get(v, "extra_content"), "google"), "thought_signature"); s != "" {
		c.signature = s
	}
	args := rawjson.Get(fn, "arguments")
	text, isText := rawjson.String(args)
	if rawjson.Kind(args) == '{' {
		text, isText = string(args), true
	}
	if c.block < 0 {
		if c.waiting += text; c.name == "" {
			return
		}
		d.begin(c)
		if isText {
			d.say(message.Delta{Kind: message.ToolCallDelta, Index: c.block, Text: c.waiting})
		}
		return
	}
	if isText {
		d.say(message.Delta{Kind: message.ToolCallDelta, Index: c.block, Text: text})
	}
}

func (d *decoder) begin(c *call) {
	if c.id == "" {
		c.id = "call_" + rand.Text()
	}
	c.block = d.open(message.ToolCallBlock, message.Delta{Kind: message.ToolCallStart, ID: c.id, Name: c.name})
}

// callOf returns the call that a piece belongs to. By the book that is told by
// the index; there are servers that give none, or the same to all, with other
// ids.
func (d *decoder) callOf(v []byte) *call {
	index := ""
	if i := rawjson.Get(v, "index"); rawjson.Kind(i) == '0' {
		index = string(i)
	}
	id, _ := rawjson.GetString(v, "id")
	name, _ := rawjson.GetString(rawjson.Get(v, "function"), "name")
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := d.calls[i]
		switch other := id != "" && c.id != "" && id != c.id && name != ""; {
		case other:
		case index != "" && index == c.index, index == "" && id != "" && id == c.id:
			return c
		case index == "" && id == "" && name == "":
			return c
		}
	}
	c := &call{block: -1, index: index}
	d.calls = append(d.calls, c)
	return c
}

// End says what can be said only now: the ends of the blocks, and why the answer
// ends.
func (d *decoder) End(cut bool) ([]message.Delta, error) {
	d.out = d.out[:0]
	if d.finish == "" && !d.finished && (cut || d.set.finishReason) {
		return nil, provider.EndedEarly()
	}
	for _, c := range d.calls {
		if c.block < 0 && (c.waiting != "" || c.id != "") {
			d.begin(c)
			d.say(message.Delta{Kind: message.ToolCallDelta, Index: c.block, Text: c.waiting})
		}
	}
	reason, why, err := stop(d.finish, len(d.calls) > 0)
	if err != nil {
		return nil, err
	}
	for i, t := range d.blocks {
		d.close(i, t)
	}
	d.say(message.Delta{Kind: message.Info, StopReason: reason, RawStopReason: d.finish, ErrorMessage: why})
	return d.out, nil
}

// Aborted ends what was being said, as pi does for this API.
func (d *decoder) Aborted() []message.Delta {
	d.out = d.out[:0]
	for i, t := range d.blocks {
		if t != message.ToolCallBlock {
			d.close(i, t)
		}
	}
	return d.out
}

func (d *decoder) close(i int, t message.BlockType) {
	end := message.Delta{Index: i, Block: &message.Block{Type: t}}
	switch t {
	case message.TextBlock:
		end.Kind = message.TextEnd
	case message.ThinkingBlock:
		end.Kind = message.ThinkingEnd
		end.Block.Signature = d.field
		if len(d.details) > 0 {
			end.Block.Signature = string(rawjson.Array(d.details))
		}
	default:
		end.Kind = message.ToolCallEnd
		for _, c := range d.calls {
			if c.block == i {
				end.Block.Signature = c.signature
			}
		}
	}
	d.say(end)
}

// stop says a finish_reason in our words. The text is why an answer ends badly.
func stop(finish string, calls bool) (message.StopReason, string, error) {
	switch f := strings.ToLower(finish); f {
	case "", "stop", "end", "eos", "eos_token", "stop_sequence", "tool_calls", "tool_call", "function_call", "tool_use", "end_turn":
		if calls {
			return message.ToolUse, "", nil
		}
		return message.Stop, "", nil
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return message.Length, "", nil
	case "error", "network_error", "abort", "insufficient_system_resource":
		return "", "", &provider.Error{Kind: provider.Transient, Message: "the server broke off its answer: " + finish}
	}
	return message.Failed, "the provider ended the answer: " + finish, nil
}
