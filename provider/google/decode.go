package google

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// decoder makes deltas of the events of one answer.
type decoder struct {
	info provider.Info
	out  []message.Delta

	blocks int           // how many there are
	open   *block        // a text or thinking that may go on
	calls  map[string]id // of the answer, by the id in the session
	last   []byte        // the event that had a finish reason, to know it again

	id, by  string
	usage   message.Usage
	stop    string // finish reason, "" before it comes
	why     string // what the provider says to that
	blocked bool   // the prompt was; stop says for what
}

type block struct {
	index     int
	typ       message.BlockType
	signature string
}

// id is whose an id is: the call with that name and arguments.
type id struct{ name, args string }

func (d *decoder) say(delta message.Delta) { d.out = append(d.out, delta) }

// Event reads one event. What is not known in it is passed over.
func (d *decoder) Event(ev provider.Event) ([]message.Delta, bool, error) {
	d.out = d.out[:0]
	data := rawjson.Trim(ev.Data)
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil, false, nil
	}
	if !rawjson.Valid(data) {
		return nil, false, provider.BadEvent(data)
	}
	if ev.Name == provider.Whole && rawjson.Kind(data) == '[' {
		// Who does not know alt=sse sends all events as a list.
		for e := range rawjson.Elements(data) {
			if err := d.chunk(e); err != nil {
				return d.out, false, err
			}
		}
		return d.out, false, nil
	}
	return d.out, false, d.chunk(data)
}

// chunk reads a piece of the answer.
func (d *decoder) chunk(v []byte) error {
	if rawjson.Truthy(rawjson.Get(v, "error")) {
		return provider.StreamError(v, "")
	}
	if bytes.Equal(v, d.last) { // sent twice: the first one counted all tokens
		return nil
	}
	d.about(v)
	for c := range rawjson.Elements(rawjson.Get(v, "candidates")) {
		if n, ok := rawjson.Number(rawjson.Get(c, "index")); ok && n != 0 {
			continue // only one was asked for
		}
		for p := range rawjson.Elements(rawjson.Get(rawjson.Get(c, "content"), "parts")) {
			d.part(p)
		}
		if s, _ := rawjson.GetString(c, "finishReason"); s != "" && s != "FINISH_REASON_UNSPECIFIED" {
			d.stop = s
			if w, _ := rawjson.GetString(c, "finishMessage"); w != "" {
				d.why = w
			}
			if rawjson.Get(rawjson.Get(v, "usageMetadata"), "candidatesTokenCount") != nil {
				d.last = append(d.last[:0], v...)
			}
		}
	}
	return nil
}

// about reads what an event says of the answer as a whole.
func (d *decoder) about(v []byte) {
	var news message.Delta
	if s, _ := rawjson.GetString(v, "responseId"); s != "" && s != d.id {
		d.id, news.ResponseID = s, s
	}
	if s, _ := rawjson.GetString(v, "modelVersion"); s != "" && s != d.by {
		d.by = s
		if s = strings.TrimPrefix(s, "models/"); s != strings.TrimPrefix(d.info.ID, "models/") {
			news.ResponseModel = s
		}
	}
	if u := rawjson.Get(v, "usageMetadata"); rawjson.Kind(u) == '{' {
		news.Usage = d.count(u)
	}
	feedback := rawjson.Get(v, "promptFeedback")
	if s, _ := rawjson.GetString(feedback, "blockReason"); s != "" && s != "BLOCK_REASON_UNSPECIFIED" {
		d.stop, d.blocked = s, true
		d.why, _ = rawjson.GetString(feedback, "blockReasonMessage")
	}
	if news.ResponseID != "" || news.ResponseModel != "" || news.Usage != nil {
		news.Kind = message.Info
		d.say(news)
	}
}

// count reads what the answer takes so far; each event may have a part of it.
func (d *decoder) count(v []byte) *message.Usage {
	num := func(key string) (int64, bool) {
		n, ok := rawjson.Number(rawjson.Get(v, key))
		if !ok || n < 0 || n > 1<<53 {
			return 0, false
		}
		return int64(n), true
	}
	u := d.usage
	prompt, ok := num("promptTokenCount")
	if !ok {
		prompt = u.Input + u.CacheRead
	}
	if n, ok := num("cachedContentTokenCount"); ok {
		u.CacheRead = n
	}
	tool, _ := num("toolUsePromptTokenCount")
	u.Input = max(0, prompt-u.CacheRead) + tool
	thought := int64(0)
	if u.Reasoning != nil {
		thought = *u.Reasoning
	}
	said := u.Output - thought
	if n, ok := num("candidatesTokenCount"); ok {
		said = n
	}
	if n, ok := num("thoughtsTokenCount"); ok {
		thought = n
	}
	u.Output, u.Reasoning = said+thought, &thought // the API counts thoughts apart
	d.info.Account(&u, nil)
	d.usage = u
	return &u
}

func (d *decoder) part(p []byte) {
	sign, _ := rawjson.GetString(p, "thoughtSignature")
	if c := rawjson.Get(p, "functionCall"); rawjson.Kind(c) == '{' {
		if sign == "" {
			sign, _ = rawjson.GetString(c, "thoughtSignature") // some gateways put it there
		}
		d.call(c, sign)
		return
	}
	text, ok := rawjson.GetString(p, "text")
	if !ok && sign == "" || text == "" && sign == "" || !ok && hasAny(p, "inlineData", "executableCode", "codeExecutionResult", "fileData") {
		return
	}
	typ, start, more := message.TextBlock, message.TextStart, message.TextDelta
	if rawjson.Bool(rawjson.Get(p, "thought")) {
		typ, start, more = message.ThinkingBlock, message.ThinkingStart, message.ThinkingDelta
	}
	if d.open == nil || d.open.typ != typ {
		d.close()
		d.open = &block{index: d.blocks, typ: typ}
		d.blocks++
		d.say(message.Delta{Kind: start, Index: d.open.index})
	}
	if sign != "" {
		d.open.signature = sign
	}
	if text != "" {
		d.say(message.Delta{Kind: more, Index: d.open.index, Text: text})
	}
}

// close ends the text or thinking that may go on.
func (d *decoder) close() {
	b := d.open
	if b == nil {
		return
	}
	d.open = nil
	end := message.TextEnd
	if b.typ == message.ThinkingBlock {
		end = message.ThinkingEnd
	}
	d.say(message.Delta{Kind: end, Index: b.index, Block: &message.Block{Type: b.typ, Signature: b.signature}})
}

// call reads a call, which comes whole.
func (d *decoder) call(v []byte, sign string) {
	name, _ := rawjson.GetString(v, "name")
	if name == "" {
		name = "unknown"
	}
	args := "{}"
	if a := rawjson.Get(v, "args"); !rawjson.IsNull(a) {
		args = string(rawjson.Trim(a))
	}
	as := id{name, args}
	own, _ := rawjson.GetString(v, "id")
	if own != "" && d.calls[own] == as {
		return // sent twice
	}
	if _, taken := d.calls[own]; own == "" || taken {
		own = d.invent(as)
	}
	if d.calls == nil {
		d.calls = map[string]id{}
	}
	d.calls[own] = as
	d.close()
	i := d.blocks
	d.blocks++
	d.say(message.Delta{Kind: message.ToolCallStart, Index: i, ID: own, Name: name})
	d.say(message.Delta{Kind: message.ToolCallDelta, Index: i, Text: args})
	d.say(message.Delta{Kind: message.ToolCallEnd, Index: i, Block: &message.Block{Type: message.ToolCallBlock, Signature: sign}})
}

// invent makes an id that hangs on nothing but the answer.
func (d *decoder) invent(as id) string {
	for n := len(d.calls); ; n++ {
		own := "call_" + provider.ShortHash(strings.Join([]string{d.id, strconv.Itoa(n), as.name, as.args}, "\x00"))
		if _, taken := d.calls[own]; !taken {
			return own
		}
	}
}

// End says why the answer ends.
func (d *decoder) End(bool) ([]message.Delta, error) {
	d.out = d.out[:0]
	if d.stop == "" {
		return nil, provider.EndedEarly()
	}
	d.close()
	last := message.Delta{Kind: message.Info, RawStopReason: d.stop}
	switch {
	case d.blocked:
		last.StopReason, last.ErrorMessage = message.Failed, d.because("the provider refuses the request: "+d.stop)
	case d.stop == "MAX_TOKENS":
		last.StopReason = message.Length
	case d.stop == "MALFORMED_FUNCTION_CALL", d.stop == "MALFORMED_RESPONSE", d.stop == "UNEXPECTED_TOOL_CALL":
		// The model has slipped; asked again it mostly does not.
		d.say(last)
		return d.out, &provider.Error{Kind: provider.Transient, Message: d.because("the model's answer cannot be used: " + d.stop)}
	case d.stop != "STOP":
		last.StopReason, last.ErrorMessage = message.Failed, d.because("the provider ended the answer: "+d.stop)
	case len(d.calls) > 0:
		last.StopReason = message.ToolUse
	default:
		last.StopReason = message.Stop
	}
	d.say(last)
	return d.out, nil
}

// because adds what the provider says to a sentence.
func (d *decoder) because(s string) string {
	if d.why != "" {
		s += " (" + d.why + ")"
	}
	return s
}
