package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// maxText is how long a text may become by repetition, in bytes.
const maxText = 1 << 28

// Signature is the proof of a thinking block where an API demands one and the
// script gives none.
const Signature = "ZmFrZS1zaWduYXR1cmU="

// Reply is what a model is going to say to one request.
type Reply struct {
	API     API
	N       int    // number of the request
	Rule    string // name of the rule it came from
	Model   string // the model that says it answered
	Blocks  []Block
	Usage   Usage
	Stop    string   // "stop", "toolUse", "length", or the provider's own word
	Failure *Failure // instead of all that; nil: none
	Wire    Wire

	script     *Script
	chunk      int           // 0: not given
	delay      time.Duration // -1: not given
	firstDelay time.Duration
	endDelay   time.Duration
	actions    []action
}

// BlockType tells what a block of a reply is.
type BlockType string

const (
	Text     BlockType = "text"
	Thinking BlockType = "thinking"
	ToolCall BlockType = "toolCall"
)

// Block is one part of a reply.
type Block struct {
	Type      BlockType
	Text      string // of a tool call: its arguments, JSON unless the script says otherwise
	Signature string // "" if the script gives none
	ID, Name  string // of a tool call
	Call      int    // its number among the tool calls, from 0
}

// Usage is what a reply took, in tokens.
type Usage struct{ Input, Output, CacheRead, CacheWrite, Reasoning int64 }

// Wire asks for odd but legal event streams.
type Wire struct {
	CRLF       bool
	SplitBytes int // bytes in a write; 0: whole events
	Comments   bool
}

// replySpec is a reply as the script gives it.
type replySpec struct {
	blocks   []blockSpec
	usage    []byte // an object, or nil
	stop     *string
	model    *string
	failure  *failureSpec
	wire     Wire
	chunk    int
	delay    *float64 // milliseconds
	first    float64
	end      float64
	actions  []action
	repeated int // what text is repeated by; -1: not
}

type blockSpec struct {
	Block
	id     *string
	repeat bool
}

// readReply reads a reply that is laid over defaults. Either may be nil.
func readReply(defaults, reply []byte) (*replySpec, error) {
	v := spread(defaults, reply)
	var r reader
	p := &replySpec{
		stop: r.optional(v, "stop"), model: r.optional(v, "model"),
		first: r.amount(v, "firstDelayMs"), end: r.amount(v, "endDelayMs"), repeated: -1,
	}
	if has(v, "chunk") {
		p.chunk = int(max(1, min(r.amount(v, "chunk"), maxText)))
	}
	if has(v, "delayMs") {
		d := r.amount(v, "delayMs")
		p.delay = &d
	}
	if has(v, "repeat") {
		p.repeated = int(min(r.amount(v, "repeat"), maxText))
	}
	if has(v, "usage") {
		if p.usage = rawjson.Get(v, "usage"); rawjson.Kind(p.usage) != '{' {
			r.fail("usage", "an object")
		}
		readUsage(&r, p.usage, Usage{})
	}
	if r.err != nil {
		return nil, r.err
	}
	var err error
	if p.failure, err = readFailure(rawjson.Get(v, "error")); err != nil {
		return nil, err
	}
	if p.actions, err = readActions(rawjson.Get(v, "at")); err != nil {
		return nil, err
	}
	if p.wire, err = readWire(rawjson.Get(v, "wire")); err != nil {
		return nil, err
	}
	p.blocks, err = readBlocks(v)
	return p, err
}

func has(v []byte, key string) bool { return !rawjson.IsNull(rawjson.Get(v, key)) }

func readUsage(r *reader, v []byte, u Usage) Usage {
	for _, f := range []struct {
		key string
		to  *int64
	}{{"input", &u.Input}, {"output", &u.Output}, {"cacheRead", &u.CacheRead}, {"cacheWrite", &u.CacheWrite}, {"reasoning", &u.Reasoning}} {
		if rawjson.Get(v, f.key) != nil {
			*f.to = r.whole(v, f.key)
		}
	}
	return u
}

func readWire(v []byte) (Wire, error) {
	if rawjson.IsNull(v) {
		return Wire{}, nil
	}
	if rawjson.Kind(v) != '{' {
		return Wire{}, errors.New("wire must be an object")
	}
	var r reader
	w := Wire{CRLF: rawjson.Truthy(rawjson.Get(v, "crlf")), Comments: rawjson.Truthy(rawjson.Get(v, "comments"))}
	w.SplitBytes = int(min(r.whole(v, "splitBytes"), maxText))
	return w, r.err
}

// readBlocks reads content, or else thinking, text and toolCalls.
func readBlocks(reply []byte) ([]blockSpec, error) {
	var out []blockSpec
	if content := rawjson.Get(reply, "content"); rawjson.Truthy(content) {
		if rawjson.Kind(content) != '[' {
			return nil, errors.New("content must be an array")
		}
		for v := range rawjson.Elements(content) {
			b, err := readBlock(v)
			if err != nil {
				return nil, err
			}
			out = append(out, b)
		}
		return out, nil
	}
	if v := rawjson.Get(reply, "thinking"); rawjson.Truthy(v) {
		s, ok := rawjson.String(v)
		if !ok {
			return nil, errors.New("thinking must be a string")
		}
		out = append(out, blockSpec{Block: Block{Type: Thinking, Text: s}})
	}
	if v := rawjson.Get(reply, "text"); v != nil {
		s, ok := rawjson.String(v)
		if !ok {
			return nil, errors.New("text must be a string")
		}
		out = append(out, blockSpec{Block: Block{Type: Text, Text: s}, repeat: true})
	}
	calls := rawjson.Get(reply, "toolCalls")
	if !rawjson.IsNull(calls) && rawjson.Kind(calls) != '[' {
		return nil, errors.New("toolCalls must be an array")
	}
	for v := range rawjson.Elements(calls) {
		b, err := readCall(v)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func readBlock(v []byte) (blockSpec, error) {
	var r reader
	b := blockSpec{Block: Block{Type: BlockType(r.text(v, "type"))}}
	switch b.Type {
	case ToolCall:
		return readCall(v)
	case Text, Thinking:
		s := r.optional(v, "text")
		if s == nil {
			s = r.optional(v, "thinking")
		}
		if s != nil {
			b.Text = *s
		}
		b.Signature = r.text(v, "signature")
		return b, r.err
	}
	return b, fmt.Errorf("unknown content type %q", b.Type)
}

func readCall(v []byte) (blockSpec, error) {
	var r reader
	b := blockSpec{Block: Block{Type: ToolCall}, id: r.optional(v, "id")}
	name := r.optional(v, "name")
	raw := r.optional(v, "rawArgs")
	switch args := rawjson.Get(v, "args"); {
	case r.err != nil:
		return b, r.err
	case name == nil:
		return b, errors.New("a tool call has no name")
	case raw != nil:
		b.Text = *raw
	case rawjson.IsNull(args):
		b.Text = "{}"
	default:
		b.Text = string(rawjson.AppendStringify(nil, args))
	}
	b.Name = *name
	return b, nil
}

// plan makes the reply to a request.
func (r *Reply) plan(q *Request, p *replySpec) error {
	r.API, r.N, r.Model, r.Wire = q.API, q.N, q.Model, p.wire
	r.chunk, r.actions, r.delay = p.chunk, p.actions, -1
	r.firstDelay, r.endDelay = millis(p.first), millis(p.end)
	if p.delay != nil {
		r.delay = millis(*p.delay)
	}
	if p.model != nil {
		r.Model = *p.model
	}
	if p.failure != nil {
		f, err := p.failure.resolve(q.API)
		if err != nil {
			return err
		}
		r.Failure = f
	}
	calls, units := 0, 0
	for _, spec := range p.blocks {
		b := spec.Block
		if b.Type == ToolCall {
			b.Call = calls
			calls++
			if spec.id != nil {
				b.ID = *spec.id
			} else {
				b.ID = r.callID(b.Call)
			}
		}
		if spec.repeat && p.repeated >= 0 {
			if len(b.Text)*p.repeated > maxText {
				return errors.New("the repeated text is too long")
			}
			b.Text = strings.Repeat(b.Text, p.repeated)
		}
		units += len16(b.Name) + len16(b.Text)
		r.Blocks = append(r.Blocks, b)
	}
	var read reader
	r.Usage = readUsage(&read, p.usage, Usage{Input: 10 + ceil4(q.units()), Output: max(1, ceil4(units))})
	switch {
	case p.stop != nil:
		r.Stop = *p.stop
	case calls > 0:
		r.Stop = "toolUse"
	default:
		r.Stop = "stop"
	}
	return read.err
}

func len16(s string) int { return rawjson.UTF16Len(s) }

func millis(ms float64) time.Duration {
	return time.Duration(min(ms, 1<<40) * float64(time.Millisecond))
}

func (r *Reply) callID(k int) string {
	prefix := "call"
	switch r.API {
	case Anthropic:
		prefix = "toolu"
	case Bedrock:
		prefix = "tooluse"
	case Mistral: // exactly nine letters and digits
		return fmt.Sprintf("f%04dc%03d", r.N%10000, k%1000)
	}
	return prefix + "_fake_" + strconv.Itoa(r.N) + "_" + strconv.Itoa(k)
}
