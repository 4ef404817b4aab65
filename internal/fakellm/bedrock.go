package fakellm

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/url"
	"regexp"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// converse is the path of Amazon Bedrock, which names the model.
var converse = regexp.MustCompile(`/model/([^/]+)/converse(-stream)?$`)

// converseModel returns the model that a path of Bedrock names, and whether a
// stream is asked for.
func converseModel(path string) (id string, stream bool) {
	m := converse.FindStringSubmatch(path)
	if m == nil {
		return "", false
	}
	id, err := url.PathUnescape(m[1])
	if err != nil {
		id = m[1]
	}
	return id, m[2] != ""
}

// bedrockEncoder speaks Converse.
type bedrockEncoder struct {
	*script.Reply
	asked string // the model
}

func (e *bedrockEncoder) stop() string {
	switch e.Stop {
	case "stop":
		return "end_turn"
	case "toolUse":
		return "tool_use"
	case "length":
		return "max_tokens"
	case "content_filter":
		return "content_filtered"
	}
	return e.Stop
}

func (e *bedrockEncoder) start() []event {
	return []event{{"messageStart", obj("role", "assistant", "p", "abcdefgh")}}
}

func (e *bedrockEncoder) open(i int) []event {
	b := e.Blocks[i]
	if b.Type != script.ToolCall {
		return nil // it begins with its first piece
	}
	return []event{{"contentBlockStart", obj("contentBlockIndex", i, "start", obj("toolUse", obj("toolUseId", b.ID, "name", b.Name)), "p", "ab")}}
}

func (e *bedrockEncoder) delta(i int, delta raw) []event {
	return []event{{"contentBlockDelta", obj("contentBlockIndex", i, "delta", delta, "p", "abcdef")}}
}

func (e *bedrockEncoder) piece(i int, text string) []event {
	switch e.Blocks[i].Type {
	case script.Text:
		return e.delta(i, obj("text", text))
	case script.Thinking:
		return e.delta(i, obj("reasoningContent", obj("text", text)))
	}
	return e.delta(i, obj("toolUse", obj("input", text)))
}

func (e *bedrockEncoder) close(i int) []event {
	var events []event
	if b := e.Blocks[i]; b.Type == script.Thinking {
		events = e.delta(i, obj("reasoningContent", obj("signature", signature(b))))
	}
	return append(events, event{"contentBlockStop", obj("contentBlockIndex", i, "p", "a")})
}

func (e *bedrockEncoder) finish() []event {
	return []event{{"messageStop", obj("stopReason", e.stop(), "p", "abc")}, {"metadata", e.about()}}
}

// about is what comes last. A model other than the one that was asked is the
// choice of a router.
func (e *bedrockEncoder) about() raw {
	u := e.Usage
	about := []any{"usage", obj("inputTokens", u.Input, "outputTokens", u.Output, "totalTokens", u.Input+u.Output+u.CacheRead+u.CacheWrite,
		"cacheReadInputTokens", u.CacheRead, "cacheWriteInputTokens", u.CacheWrite), "metrics", obj("latencyMs", 1)}
	if e.Model != e.asked {
		about = append(about, "trace", obj("promptRouter", obj("invokedModelId", e.Model)))
	}
	return obj(about...)
}

func (e *bedrockEncoder) fail(f *script.Failure) []event {
	return []event{{"!" + f.Type, obj("message", f.Message)}}
}

func (e *bedrockEncoder) whole() raw {
	blocks := make([]raw, len(e.Blocks))
	for i, b := range e.Blocks {
		switch b.Type {
		case script.Text:
			blocks[i] = obj("text", b.Text)
		case script.Thinking:
			blocks[i] = obj("reasoningContent", obj("reasoningText", obj("text", b.Text, "signature", signature(b))))
		default:
			input := obj()
			if args := []byte(b.Text); rawjson.Valid(args) && !rawjson.IsNull(args) {
				input = rawjson.AppendStringify(nil, args)
			}
			blocks[i] = obj("toolUse", obj("toolUseId", b.ID, "name", b.Name, "input", input))
		}
	}
	answer := rawjson.Set(e.about(), "output", obj("message", obj("role", "assistant", "content", arr(blocks...))))
	return rawjson.Set(answer, "stopReason", rawjson.Quote(e.stop()))
}

// frame is an event in the binary form of AWS; one whose name begins with "!" is
// an exception.
func frame(name string, payload []byte) []byte {
	headers := []string{":event-type", name, ":content-type", "application/json", ":message-type", "event"}
	if exception, ok := strings.CutPrefix(name, "!"); ok {
		headers = []string{":exception-type", exception, ":content-type", "application/json", ":message-type", "exception"}
	}
	var h []byte
	for i := 0; i < len(headers); i += 2 {
		h = append(append(h, byte(len(headers[i]))), headers[i]...)
		h = binary.BigEndian.AppendUint16(append(h, 7), uint16(len(headers[i+1])))
		h = append(h, headers[i+1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func bedrockItems(body []byte) (system []string, items []script.Item) {
	for s := range rawjson.Elements(at(body, "system")) {
		if t, ok := rawjson.String(at(s, "text")); ok {
			system = append(system, t)
		}
	}
	for m := range rawjson.Elements(at(body, "messages")) {
		blocks := elements(at(m, "content"))
		if str(at(m, "role")) == "assistant" {
			it := script.Item{Role: script.Assistant, Text: joined(blocks)}
			for _, b := range blocks {
				if use := at(b, "toolUse"); use != nil {
					it.Calls = append(it.Calls, script.Call{ID: id(at(use, "toolUseId")), Name: str(at(use, "name")), Args: at(use, "input")})
				}
			}
			items = append(items, it)
			continue
		}
		var rest [][]byte
		for _, b := range blocks {
			r := at(b, "toolResult")
			if r == nil {
				if at(b, "cachePoint") == nil {
					rest = append(rest, b)
				}
				continue
			}
			items = append(items, script.Item{Role: script.ToolRole, Text: joined(elements(at(r, "content"))),
				CallID: id(at(r, "toolUseId")), IsError: str(at(r, "status")) == "error"})
		}
		if len(rest) > 0 {
			items = append(items, script.Item{Role: script.User, Text: joined(rest)})
		}
	}
	return system, items
}

// bedrock tells what Bedrock would refuse.
func (f *findings) bedrock(body []byte) {
	before := "assistant"
	calls := false
	for i, m := range elements(at(body, "messages")) {
		role := str(at(m, "role"))
		if role == before {
			f.add("messages.%d: roles must alternate", i)
		}
		before = role
		content := elements(at(m, "content"))
		if len(content) == 0 {
			f.add("messages.%d: content is empty", i)
		}
		for _, b := range content {
			if t, ok := rawjson.String(at(b, "text")); ok && strings.TrimSpace(t) == "" {
				f.add("messages.%d: the text is blank", i)
			}
			if data := at(b, "image", "source", "bytes"); data != nil {
				if _, err := base64.StdEncoding.DecodeString(str(data)); err != nil {
					f.add("messages.%d: the image is no base64", i)
				}
			}
			calls = calls || at(b, "toolUse") != nil || at(b, "toolResult") != nil
		}
	}
	if calls && length(at(body, "toolConfig", "tools")) == 0 {
		f.add("toolConfig must be defined when toolUse and toolResult blocks are used")
	}
}
