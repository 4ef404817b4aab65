package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Body is what an entry says, by its type: one of the types below, or [Other].
type Body interface{ entryType() Type }

type (
	// Message is one message of the conversation.
	Message struct{ Message message.Message }

	// ModelChange says which model is asked from here on.
	ModelChange struct{ Provider, ModelID string }

	// ThinkingChange says how much the model is to think from here on; Level is
	// one of provider.Levels.
	ThinkingChange struct{ Level string }

	// Usage is billed work that is no message, such as keeping a cache warm.
	Usage struct {
		Kind, Provider, Model string
		Usage                 *message.Usage
		Note                  string
	}

	// Compaction stands for what lies before FirstKept on its path. FirstKept is
	// the entry's own id if nothing is kept.
	Compaction struct {
		Summary      string
		FirstKept    ID // "" if absent: nothing is kept; written as the own id
		TokensBefore int64
		Details      message.Value // {"readFiles":[…],"modifiedFiles":[…]} unless an extension made it
		Usage        *message.Usage
		FromHook     bool             // made by an extension
		System       *message.Message // the system messages up to here, folded; it gets the entry's time
	}

	// BranchSummary says what another branch of the session came to.
	BranchSummary struct {
		From     ID // the leaf that was left; "root" if there was none
		Summary  string
		Details  message.Value
		Usage    *message.Usage
		FromHook bool
	}

	// Custom is data that no model sees. Ours have a CustomType of "bough.*".
	Custom struct {
		CustomType string
		Data       message.Value
	}

	// CustomMessage is a message that the model hears as the user's.
	CustomMessage struct {
		CustomType string
		Content    []message.Block
		IsText     bool // content is a plain string
		Display    bool
		Details    message.Value
	}

	// ContextEdit changes what another entry of the path adds to the context:
	// nothing (Omit), or its message with other content.
	ContextEdit struct {
		Target ID // "" for an edit that cannot be understood
		Omit   bool
		// Content replaces the target's: a JSON string or list.
		Content message.Value
	}

	// Label names an entry; an empty text takes the name away.
	Label struct {
		Target ID
		Text   string
	}

	// Info names the session; an empty name takes it away.
	Info struct{ Name string }

	// Other is an entry of a type that this package does not know. To be
	// written it may be of any type; its Fields, an object, are written as they
	// stand.
	Other struct {
		Type   Type
		Fields message.Value
	}
)

func (Message) entryType() Type        { return TypeMessage }
func (ModelChange) entryType() Type    { return TypeModel }
func (ThinkingChange) entryType() Type { return TypeThinking }
func (Usage) entryType() Type          { return TypeUsage }
func (Compaction) entryType() Type     { return TypeCompaction }
func (BranchSummary) entryType() Type  { return TypeBranchSummary }
func (Custom) entryType() Type         { return TypeCustom }
func (CustomMessage) entryType() Type  { return TypeCustomMessage }
func (ContextEdit) entryType() Type    { return TypeContextEdit }
func (Label) entryType() Type          { return TypeLabel }
func (Info) entryType() Type           { return TypeInfo }
func (o Other) entryType() Type        { return o.Type }

// Body decodes what the entry says. A field of an unexpected type counts as
// absent; an entry whose line is damaged, or too long to be read, says nothing.
// The error is one of reading the line.
func (e *Entry) Body() (Body, error) {
	line, _, err := e.legible()
	if err != nil {
		return nil, err
	}
	return decodeBody(e, line), nil
}

func decodeBody(e *Entry, line []byte) Body {
	get := func(key string) message.Value { return rawjson.Get(line, key) }
	str := func(key string) string { s, _ := rawjson.GetString(line, key); return s }
	switch e.Type {
	case TypeMessage:
		m, err := message.Decode(get("message"))
		if err != nil {
			return Message{} // a message entry without a message: in the tree, but silent
		}
		return Message{m}
	case TypeModel:
		return ModelChange{str("provider"), str("modelId")}
	case TypeThinking:
		return ThinkingChange{str("thinkingLevel")}
	case TypeUsage:
		return Usage{str("kind"), str("provider"), str("model"), message.DecodeUsage(get("usage")), str("note")}
	case TypeCompaction:
		c := Compaction{Summary: str("summary"), FirstKept: ID(str("firstKeptEntryId")), Details: get("details"),
			Usage: message.DecodeUsage(get("usage")), FromHook: rawjson.Truthy(get("fromHook"))}
		if f, ok := rawjson.Number(get("tokensBefore")); ok {
			c.TokensBefore = int64(f)
		}
		if sys := get("systemMessage"); rawjson.Kind(sys) == '{' {
			if m, err := message.Decode(sys); err == nil {
				c.System = &m
			}
		}
		return c
	case TypeBranchSummary:
		return BranchSummary{From: ID(str("fromId")), Summary: str("summary"), Details: get("details"),
			Usage: message.DecodeUsage(get("usage")), FromHook: rawjson.Truthy(get("fromHook"))}
	case TypeCustom:
		return Custom{e.Custom, get("data")}
	case TypeCustomMessage:
		content := get("content")
		return CustomMessage{CustomType: e.Custom, Content: message.DecodeContent(content), IsText: rawjson.Kind(content) == '"',
			Display: rawjson.Truthy(get("display")), Details: get("details")}
	case TypeContextEdit:
		return decodeEdit(line)
	case TypeLabel:
		return Label{ID(str("targetId")), str("label")}
	case TypeInfo:
		return Info{TrimSpace(str("name"))}
	}
	return Other{Type: e.Type}
}

// decodeEdit reads an edit; one whose replacement is neither null nor an object
// with string or list content has no target (rule R5).
func decodeEdit(line []byte) ContextEdit {
	target, _ := rawjson.GetString(line, "targetId")
	r := rawjson.Get(line, "replacement")
	switch rawjson.Kind(r) {
	case 'n':
		return ContextEdit{Target: ID(target), Omit: true}
	case '{':
		if c := rawjson.Get(r, "content"); rawjson.Kind(c) == '"' || rawjson.Kind(c) == '[' {
			return ContextEdit{Target: ID(target), Content: c}
		}
	}
	return ContextEdit{}
}

// CleanName makes one line of a session's name.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return '\n'
		}
		return r
	}, name)
	for strings.Contains(name, "\n\n") {
		name = strings.ReplaceAll(name, "\n\n", "\n")
	}
	return TrimSpace(strings.ReplaceAll(name, "\n", " "))
}

// TrimSpace trims as ECMAScript does: white space, line ends and U+FEFF.
func TrimSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch r {
		case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
			return true
		}
		return r >= 0x2000 && r <= 0x200A
	})
}

// NewEntry makes an entry that is not yet in a log. Its JSON has pi's fields in pi's
// order; U+2028 and U+2029 are escaped.
func NewEntry(id, parent ID, t time.Time, body Body) *Entry {
	e := &Entry{ID: id, Parent: parent, Type: body.entryType(), Time: t.UTC().Truncate(time.Millisecond),
		src: Bytes(encodeEntry(id, parent, t, body))}
	switch b := body.(type) {
	case Message:
		e.Role = b.Message.Role
	case Custom:
		e.Custom = b.CustomType
	case CustomMessage:
		e.Custom = b.CustomType
	}
	return e
}

func encodeEntry(id, parent ID, t time.Time, body Body) []byte {
	b := append(make([]byte, 0, 512), `{"type":`...)
	b = rawjson.AppendString(b, string(body.entryType()))
	str := func(key, s string) {
		b = append(b, ',')
		b = rawjson.AppendString(b, key)
		b = append(b, ':')
		b = rawjson.AppendString(b, s)
	}
	raw := func(key string, v message.Value) {
		if len(v) == 0 {
			return
		}
		b = append(b, ',')
		b = rawjson.AppendString(b, key)
		b = append(b, ':')
		b = append(b, v...)
	}
	str("id", string(id))
	if parent == "" {
		raw("parentId", message.Value("null"))
	} else {
		str("parentId", string(parent))
	}
	str("timestamp", FormatTime(t))
	usage := func(u *message.Usage) {
		if u != nil {
			raw("usage", u.JSON())
		}
	}
	boolean := func(key string, v bool) {
		if v {
			raw(key, message.Value("true"))
		} else {
			raw(key, message.Value("false"))
		}
	}
	flag := func(key string, v bool) {
		if v {
			raw(key, message.Value("true"))
		}
	}
	switch x := body.(type) {
	case Message:
		raw("message", x.Message.JSON())
	case ModelChange:
		str("provider", x.Provider)
		str("modelId", x.ModelID)
	case ThinkingChange:
		str("thinkingLevel", x.Level)
	case Usage:
		str("kind", x.Kind)
		str("provider", x.Provider)
		str("model", x.Model)
		usage(x.Usage)
		if x.Note != "" {
			str("note", x.Note)
		}
	case Compaction:
		str("summary", x.Summary)
		str("firstKeptEntryId", string(cmp.Or(x.FirstKept, id)))
		raw("tokensBefore", rawjson.AppendNumber(nil, float64(x.TokensBefore)))
		raw("details", x.Details)
		usage(x.Usage)
		flag("fromHook", x.FromHook)
		if x.System != nil {
			ms := rawjson.AppendNumber(nil, float64(t.UnixMilli()))
			raw("systemMessage", x.System.WithField("timestamp", ms).JSON())
		}
	case BranchSummary:
		str("fromId", string(x.From))
		str("summary", x.Summary)
		raw("details", x.Details)
		usage(x.Usage)
		flag("fromHook", x.FromHook)
	case Custom:
		str("customType", x.CustomType)
		raw("data", x.Data)
	case CustomMessage:
		str("customType", x.CustomType)
		if x.IsText && len(x.Content) == 1 {
			str("content", x.Content[0].Text)
		} else {
			raw("content", message.EncodeContent(x.Content))
		}
		boolean("display", x.Display)
		raw("details", x.Details)
	case ContextEdit:
		str("targetId", string(x.Target))
		if x.Omit {
			raw("replacement", message.Value("null"))
		} else {
			raw("replacement", append(append([]byte(`{"content":`), x.Content...), '}'))
		}
	case Label:
		str("targetId", string(x.Target))
		if x.Text != "" {
			str("label", x.Text)
		}
	case Info:
		str("name", x.Name)
	case Other:
		for key, v := range rawjson.Members(x.Fields) {
			raw(key, v)
		}
	}
	b = append(b, '}')
	if bytes.IndexByte(b, '\n') >= 0 { // of a value that somebody has spread over lines
		var line bytes.Buffer
		if err := json.Compact(&line, b); err == nil {
			b = line.Bytes()
		}
	}
	return rawjson.EscapeSeparators(b)
}
