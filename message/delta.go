package message

import (
	"iter"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// DeltaKind tells what a [Delta] adds to an answer.
type DeltaKind string

// The kinds have the names of pi's assistantMessageEvents (docs/spec/rpc.md 6);
// Info is ours and is not shown.
const (
	TextStart     DeltaKind = "text_start"
	TextDelta     DeltaKind = "text_delta"
	TextEnd       DeltaKind = "text_end"
	ThinkingStart DeltaKind = "thinking_start"
	ThinkingDelta DeltaKind = "thinking_delta"
	ThinkingEnd   DeltaKind = "thinking_end"
	ToolCallStart DeltaKind = "toolcall_start"
	ToolCallDelta DeltaKind = "toolcall_delta"
	ToolCallEnd   DeltaKind = "toolcall_end"
	Info          DeltaKind = "info"
)

// A Delta is one step of an answer that is being streamed. Each block has one
// start, whose Index is the next free one; blocks may interleave, and their ends
// may all come at the very end. Between start and end Text adds up to the block:
// its text, or the JSON text of a tool call's arguments.
type Delta struct {
	Kind  DeltaKind
	Index int // of the block in the answer's content

	Text      string // of a delta
	ID, Name  string // of a toolcall_start
	Namespace string
	Redacted  bool // of a thinking_start

	// Block is the whole block, of an end. A provider sets what cannot be known
	// from the deltas (signatures, final text); [Builder] fills in the rest.
	Block *Block

	// Of Info: what the provider told of the answer as a whole. Zero values
	// change nothing.
	Usage                 *Usage
	ResponseID            string
	ResponseModel         string
	StopReason            StopReason
	RawStopReason         string
	ErrorMessage          string // why the answer has an error stop, said in-band
	ProviderThinkingLevel string
}

// Deltas are the steps of an answer that is there as a whole. Blocks that no
// answer has, such as images, are left out.
func (m Message) Deltas() iter.Seq[Delta] {
	return func(yield func(Delta) bool) {
		at, stop := 0, m.StopReason
		if stop == "" {
			stop = Stop
			if len(m.ToolCalls()) > 0 {
				stop = ToolUse
			}
		}
		for _, b := range m.Content {
			kind, text := "", b.Text
			switch b.Type {
			case TextBlock:
				kind = "text"
			case ThinkingBlock:
				kind = "thinking"
			case ToolCallBlock:
				kind, text = "toolcall", string(b.Args())
			default:
				continue
			}
			for _, d := range []Delta{
				{Kind: DeltaKind(kind + "_start"), Index: at, ID: b.ID, Name: b.Name, Namespace: b.Namespace, Redacted: b.Redacted},
				{Kind: DeltaKind(kind + "_delta"), Index: at, Text: text},
				{Kind: DeltaKind(kind + "_end"), Index: at, Block: &b},
			} {
				if !yield(d) {
					return
				}
			}
			at++
		}
		yield(Delta{Kind: Info, Usage: m.Usage, ResponseID: m.ResponseID, ResponseModel: m.ResponseModel, StopReason: stop,
			RawStopReason: m.RawStopReason, ErrorMessage: m.ErrorMessage})
	}
}

// A Builder makes an answer of deltas. Message may be called at any time, so an
// answer that breaks off keeps what came before.
type Builder struct {
	msg    Message
	blocks []*building
}

// Resume returns a builder that goes on with an answer that has come as far as m.
func Resume(m Message) *Builder {
	b := NewBuilder(m)
	for _, block := range m.Content {
		n := &building{block: block}
		n.block.raw = nil
		if block.Type == ToolCallBlock {
			if args := string(block.Arguments); args != "{}" {
				n.text.WriteString(args)
			}
		} else {
			n.text.WriteString(block.Text)
		}
		b.blocks = append(b.blocks, n)
	}
	return b
}

type building struct {
	block Block
	text  strings.Builder
	done  bool
}

// NewBuilder returns a builder for an answer with the fields of base.
func NewBuilder(base Message) *Builder {
	base.Role = Assistant
	base.raw = nil
	if base.StopReason == "" {
		base.StopReason = Pending
	}
	if base.Usage == nil {
		base.Usage = &Usage{}
	}
	return &Builder{msg: base}
}

// Add takes one step and returns it with the end block filled in. A step for a
// block that was not started is passed over and returned with false.
func (b *Builder) Add(d Delta) (Delta, bool) {
	switch d.Kind {
	case Info:
		b.info(d)
		return d, true
	case TextStart, ThinkingStart, ToolCallStart:
		if d.Index != len(b.blocks) {
			return d, false
		}
		n := &building{block: Block{hasText: true, Redacted: d.Redacted}}
		switch d.Kind {
		case TextStart:
			n.block.Type = TextBlock
		case ThinkingStart:
			n.block.Type = ThinkingBlock
		default:
			n.block.Type, n.block.ID, n.block.Name, n.block.Namespace = ToolCallBlock, d.ID, d.Name, d.Namespace
		}
		b.blocks = append(b.blocks, n)
		return d, true
	}
	if d.Index < 0 || d.Index >= len(b.blocks) {
		return d, false
	}
	at := b.blocks[d.Index]
	switch d.Kind {
	case TextDelta, ThinkingDelta, ToolCallDelta:
		if at.done {
			return d, false
		}
		at.text.WriteString(d.Text)
	case TextEnd, ThinkingEnd, ToolCallEnd:
		whole := at.current()
		if d.Block != nil {
			whole = merge(whole, *d.Block)
		}
		at.block, at.done = whole, true
		d.Block = &whole
	}
	return d, true
}

func (b *Builder) info(d Delta) {
	if d.Usage != nil {
		b.msg.Usage = d.Usage
	}
	set := func(dst *string, s string) {
		if s != "" {
			*dst = s
		}
	}
	set(&b.msg.ResponseID, d.ResponseID)
	set(&b.msg.ResponseModel, d.ResponseModel)
	set(&b.msg.RawStopReason, d.RawStopReason)
	set(&b.msg.ErrorMessage, d.ErrorMessage)
	set(&b.msg.ProviderThinkingLevel, d.ProviderThinkingLevel)
	set((*string)(&b.msg.StopReason), string(d.StopReason))
}

// current returns the block as far as it has come.
func (n *building) current() Block {
	if n.done {
		return n.block
	}
	c := n.block
	if c.Type != ToolCallBlock {
		c.Text = n.text.String()
		return c
	}
	args := n.text.String()
	switch {
	case strings.TrimSpace(args) == "":
		c.Arguments = Value("{}")
	case rawjson.Kind([]byte(args)) == '{' && rawjson.Valid([]byte(args)):
		c.Arguments = rawjson.Trim([]byte(args))
	default:
		c.Arguments = Value("{}")
		c.ArgumentsError = "arguments are not a JSON object: " + cut(args, 200)
	}
	return c
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "..."
}

// merge lays what a provider says of a block over what the deltas gave.
func merge(have, say Block) Block {
	if say.Text != "" {
		have.Text = say.Text
	}
	if say.Signature != "" {
		have.Signature = say.Signature
	}
	if say.Redacted {
		have.Redacted = true
	}
	if say.ID != "" {
		have.ID = say.ID
	}
	if say.Name != "" {
		have.Name = say.Name
	}
	if say.Namespace != "" {
		have.Namespace = say.Namespace
	}
	if say.Arguments != nil {
		have.Arguments, have.ArgumentsError = say.Arguments, say.ArgumentsError
	}
	return have
}

// Message returns the answer as far as it has come.
func (b *Builder) Message() Message {
	m := b.msg
	m.Content = make([]Block, len(b.blocks))
	for i, n := range b.blocks {
		m.Content[i] = n.current()
	}
	return m
}

// Usage returns what is known so far of the answer's usage.
func (b *Builder) Usage() *Usage { return b.msg.Usage }
