package message

import (
	"encoding/base64"

	"github.com/boughdev/bough/internal/rawjson"
)

// BlockType tells what a content block holds. Readers must bear others.
type BlockType string

const (
	TextBlock     BlockType = "text"
	ImageBlock    BlockType = "image"
	ThinkingBlock BlockType = "thinking"
	ToolCallBlock BlockType = "toolCall"
)

// A Block is one part of a message's content.
type Block struct {
	Type BlockType // "" for an element that is no object with a type

	Text string // of text and thinking

	// Signature is the provider's opaque proof of a block, which must come back
	// unchanged: textSignature, thinkingSignature or, of a tool call,
	// thoughtSignature.
	Signature string
	Redacted  bool // thinking that the provider keeps to itself

	Data, MimeType string // of an image: base64, and what it is

	// Of a tool call.
	ID, Name       string
	Arguments      Value // an object; nil if absent
	Namespace      string
	ArgumentsError string // why the model's arguments could not be read

	hasText bool
	raw     Value
}

// Text makes a text block.
func Text(s string) Block { return Block{Type: TextBlock, Text: s, hasText: true} }

// Image makes an image block of the bytes of an image file.
func Image(data []byte, mimeType string) Block {
	return Block{Type: ImageBlock, Data: base64.StdEncoding.EncodeToString(data), MimeType: mimeType}
}

// ToolCall makes a tool call block. args is a JSON object.
func ToolCall(id, name string, args Value) Block {
	return Block{Type: ToolCallBlock, ID: id, Name: name, Arguments: args}
}

// Thinking makes a thinking block.
func Thinking(s, signature string) Block {
	return Block{Type: ThinkingBlock, Text: s, Signature: signature, hasText: true}
}

func decodeContent(v Value) (blocks []Block, isText bool) {
	if s, ok := rawjson.String(v); ok {
		return []Block{Text(s)}, true
	}
	if rawjson.Kind(v) != '[' {
		return nil, false
	}
	blocks = []Block{}
	for e := range rawjson.Elements(v) {
		blocks = append(blocks, DecodeBlock(e))
	}
	return blocks, false
}

// DecodeContent reads the value of a content field: a plain text or a list.
func DecodeContent(v Value) []Block { blocks, _ := decodeContent(v); return blocks }

// DecodeBlock reads one content block; it keeps v.
func DecodeBlock(v Value) Block {
	b := Block{raw: v}
	if rawjson.Kind(v) != '{' {
		return b
	}
	b.Type = BlockType(text(rawjson.Get(v, "type")))
	for key, f := range rawjson.Members(v) {
		switch key {
		case "text":
			if b.Type == TextBlock {
				b.Text, b.hasText = rawjson.String(f)
			}
		case "thinking":
			if b.Type == ThinkingBlock {
				b.Text, b.hasText = rawjson.String(f)
			}
		case "textSignature":
			if b.Type == TextBlock {
				b.Signature = text(f)
			}
		case "thinkingSignature":
			if b.Type == ThinkingBlock {
				b.Signature = text(f)
			}
		case "thoughtSignature":
			if b.Type == ToolCallBlock {
				b.Signature = text(f)
			}
		case "redacted":
			b.Redacted = rawjson.Truthy(f)
		case "data":
			b.Data = text(f)
		case "mimeType":
			b.MimeType = text(f)
		case "id":
			b.ID = text(f)
		case "name":
			b.Name = text(f)
		case "namespace":
			b.Namespace = text(f)
		case "argumentsError":
			b.ArgumentsError = text(f)
		case "arguments":
			b.Arguments = f
		}
	}
	return b
}

// JSON returns the block as JSON: what it was read from, else its fields in
// pi's order.
func (b Block) JSON() Value {
	if b.raw != nil {
		return b.raw
	}
	o := newObject()
	o.str("type", string(b.Type))
	switch b.Type {
	case TextBlock:
		o.str("text", b.Text)
		o.optional("textSignature", b.Signature)
	case ThinkingBlock:
		o.str("thinking", b.Text)
		o.optional("thinkingSignature", b.Signature)
		o.flag("redacted", b.Redacted)
	case ImageBlock:
		o.str("data", b.Data)
		o.str("mimeType", b.MimeType)
	case ToolCallBlock:
		o.str("id", b.ID)
		o.str("name", b.Name)
		o.raw("arguments", b.Args())
		o.optional("thoughtSignature", b.Signature)
		o.optional("namespace", b.Namespace)
		o.optional("argumentsError", b.ArgumentsError)
	}
	return o.done()
}

// Args returns the arguments of a tool call, {} if there are none.
func (b Block) Args() Value {
	if rawjson.Kind(b.Arguments) != '{' {
		return Value("{}")
	}
	return b.Arguments
}

// HasText reports whether the block has the text that its type asks for.
func (b Block) HasText() bool { return b.hasText }

// With returns the block with one field of its JSON set to v, or without it
// when v is nil; everything else stays.
func (b Block) With(key string, v Value) Block {
	if v == nil {
		return DecodeBlock(rawjson.Delete(b.JSON(), key))
	}
	return DecodeBlock(rawjson.Set(b.JSON(), key, v))
}

// EncodeContent writes blocks as a list.
func EncodeContent(blocks []Block) Value {
	elems := make([][]byte, len(blocks))
	for i, b := range blocks {
		elems[i] = b.JSON()
	}
	return rawjson.Array(elems)
}
