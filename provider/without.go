package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// An Omission is something that a request is sent without.
type Omission struct {
	Fault Fault
	Name  string // of a tool or a parameter, or ""
}

// String says what it is, for people.
func (o Omission) String() string {
	switch {
	case o.Fault == BadTool && o.Name != "":
		return "the tool " + o.Name
	case o.Fault == BadTool:
		return "the schemas of the tools"
	case o.Fault == Parameter:
		return "the parameter " + o.Name
	case o.Fault == Calls:
		return "tool calls of the past (they are sent as text)"
	}
	return string(o.Fault)
}

// Omission says what a request that was refused with e is to be tried without. It
// returns false if e names nothing, or nothing that is in the request.
func (e *Error) Omission(req Request) (Omission, bool) {
	o := Omission{Fault: e.Fault, Name: e.Name}
	switch e.Fault {
	case "":
		return o, false
	case BadTool:
		o.Name = e.tool(req)
	case ManyImages:
		if lone := lastUser(req.Messages); !hasBlock(req.Messages[:lone], isImageBlock) {
			o.Fault = Images
		}
	}
	return o, !same(req, req.Without(o, len(req.Messages)))
}

// tool returns the name of the tool that e is about, "" if that cannot be told.
func (e *Error) tool(req Request) string {
	_, tools, _ := FoldSystem(req.Messages, false)
	for _, t := range tools {
		if t.Name == e.Name {
			return t.Name
		}
	}
	if n, err := strconv.Atoi(e.At); err == nil && n >= 0 && n < len(tools) && len(tools) > 1 {
		return tools[n].Name
	}
	return ""
}

// same reports whether leaving something out has changed nothing.
func same(a, b Request) bool {
	if a.Thinking != b.Thinking && (a.Thinking != "" || b.Thinking != "off") || a.NoCache != b.NoCache || len(a.OmitParams) != len(b.OmitParams) || len(a.Messages) != len(b.Messages) {
		return false
	}
	for i := range a.Messages {
		if string(a.Messages[i].JSON()) != string(b.Messages[i].JSON()) {
			return false
		}
	}
	return true
}

// Texts in the places of what [Request.Without] leaves out.
const (
	ImageRefused = "[an image was left out: the server refused it]"
	emptyText    = "(empty)"
	goOn         = "Go on."
)

// Without returns the request without what o names. Where that is content, only
// the first upto messages are changed, so that what is said later stays whole
// and the requests of later turns begin alike. The messages themselves are not
// changed.
func (r Request) Without(o Omission, upto int) Request {
	upto = min(max(upto, 0), len(r.Messages))
	for 0 < upto && upto < len(r.Messages) && r.Messages[upto].Role == message.ToolResult {
		upto++ // calls and results go together
	}
	switch o.Fault {
	case Images:
		r.edit(upto, withoutAnyImages)
	case ManyImages:
		r.edit(min(upto, lastUser(r.Messages)), withoutAnyImages)
	case Thoughts:
		if loop := lastUser(r.Messages); loop < upto && hasThoughts(r.Messages[loop:upto]) {
			r.Thinking = "off" // in the middle of a turn they would be missed
		}
		r.edit(upto, withoutThoughts)
	case ThinkingMode:
		r.edit(len(r.Messages), withoutThoughts)
		r.Thinking = "off"
	case Calls:
		r.edit(upto, callsAsText)
	case Texts:
		r.edit(upto, wholeTexts)
	case Roles:
		r.Messages = joined(r.Messages, upto)
	case Prefill:
		if n := len(r.Messages); n > 0 && ends(r.Messages) {
			r.Messages = append(slices.Clip(r.Messages), message.Message{Role: message.User, Content: []message.Block{message.Text(goOn)}, Timestamp: r.Messages[n-1].Timestamp})
		}
	case CacheMarks:
		r.NoCache = true
	case BadTool:
		r.edit(len(r.Messages), func(m message.Message) (message.Message, bool) { return withoutTool(m, o.Name) })
	case AllTools:
		r.edit(len(r.Messages), withoutTools)
		r.edit(len(r.Messages), callsAsText)
	case Parameter:
		if !slices.Contains(r.OmitParams, o.Name) {
			r.OmitParams = append(slices.Clip(r.OmitParams), o.Name)
		}
	}
	return r
}

// edit changes the first upto messages.
func (r *Request) edit(upto int, f func(message.Message) (message.Message, bool)) {
	var msgs []message.Message
	for i := range r.Messages[:upto] {
		m, changed := f(r.Messages[i])
		if !changed {
			continue
		}
		if msgs == nil {
			msgs = slices.Clone(r.Messages)
		}
		msgs[i] = m
	}
	if msgs != nil {
		r.Messages = msgs
	}
}

// hasThoughts reports whether there is thinking that the APIs want to see again
// before its turn is over.
func hasThoughts(msgs []message.Message) bool {
	return slices.ContainsFunc(msgs, func(m message.Message) bool {
		return !strings.Contains(m.API, "responses") && slices.ContainsFunc(m.Content, func(b message.Block) bool { return b.Type == message.ThinkingBlock })
	})
}

// lastUser is the place of the last message of the user, or 0.
func lastUser(msgs []message.Message) int {
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Role == message.User {
			return i
		}
	}
	return 0
}

// ends reports whether the last that would be sent is an answer: behind it there
// are no words.
func ends(msgs []message.Message) bool {
	for i := len(msgs) - 1; i >= 0; i-- {
		switch m := msgs[i]; {
		case m.Role == message.Assistant && m.StopReason != message.Failed && m.StopReason != message.Aborted:
			return true
		case m.Role == message.ToolResult:
			return false
		case m.Role == message.User && (hasBlock(msgs[i:i+1], isImageBlock) || !blank(m.Text(""))):
			return false
		}
	}
	return true
}

func isImageBlock(b message.Block) bool { return b.Type == message.ImageBlock }

func hasBlock(msgs []message.Message, is func(message.Block) bool) bool {
	return slices.ContainsFunc(msgs, func(m message.Message) bool { return slices.ContainsFunc(m.Content, is) })
}

func withoutAnyImages(m message.Message) (message.Message, bool) {
	if !slices.ContainsFunc(m.Content, isImageBlock) {
		return m, false
	}
	return withoutImages(m, ImageRefused, ImageRefused), true
}

// withoutThoughts takes out thinking, and all that refers to it.
func withoutThoughts(m message.Message) (message.Message, bool) {
	changed := false
	switch m.Role {
	case message.ToolResult:
		if call, _, two := strings.Cut(m.ToolCallID, "|"); two && call != "" {
			return m.WithField("toolCallId", rawjson.Quote(call)), true
		}
		return m, false
	case message.Assistant:
	default:
		return m, false
	}
	var blocks []message.Block
	for _, b := range m.Content {
		switch b.Type {
		case message.ThinkingBlock:
			changed = true
			continue
		case message.TextBlock:
			if b.Signature != "" {
				b, changed = b.With("textSignature", nil), true
			}
		case message.ToolCallBlock:
			if b.Signature != "" {
				b, changed = b.With("thoughtSignature", nil), true
			}
			if call, _, two := strings.Cut(b.ID, "|"); two && call != "" {
				b, changed = b.With("id", rawjson.Quote(call)), true
			}
		}
		blocks = append(blocks, b)
	}
	if !changed {
		return m, false
	}
	return m.WithContent(blocks), true
}

// callsAsText makes words of tool calls and of their results.
func callsAsText(m message.Message) (message.Message, bool) {
	switch m.Role {
	case message.ToolResult:
		blocks := []message.Block{message.Text("Result of " + SafeName(m.ToolName) + ":")}
		if m.IsError {
			blocks[0] = message.Text("Error of " + SafeName(m.ToolName) + ":")
		}
		return message.Message{Role: message.User, Content: append(blocks, m.Content...), Timestamp: m.Timestamp}, true
	case message.Assistant:
		if len(m.ToolCalls()) == 0 {
			return m, false
		}
		blocks := slices.Clone(m.Content)
		for i, b := range blocks {
			if b.Type == message.ToolCallBlock {
				blocks[i] = message.Text("(I called " + SafeName(b.Name) + " with " + string(CleanJSON(b.Args())) + ")")
			}
		}
		return m.WithContent(blocks), true
	}
	return m, false
}

// wholeTexts leaves out blank texts and what is no text in them; no message is
// left without words.
func wholeTexts(m message.Message) (message.Message, bool) {
	if m.Role == message.System {
		return m, false
	}
	var (
		blocks  []message.Block
		changed bool
	)
	for _, b := range m.Content {
		if b.Type == message.TextBlock {
			clean := strings.Map(printable, rawjson.ToValid(b.Text))
			if changed = changed || clean != b.Text || blank(clean); blank(clean) {
				continue
			}
			if clean != b.Text {
				b = message.Text(clean)
			}
		}
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		blocks, changed = []message.Block{message.Text(emptyText)}, true
	}
	if !changed {
		return m, false
	}
	return m.WithContent(blocks), true
}

func printable(c rune) rune {
	switch {
	case c == '\n', c == '\t':
		return c
	case c < ' ', 0x7f <= c && c < 0xa0, c == '\uFFFD', c == '\uFEFF', c&0xFFFE == 0xFFFE:
		return -1
	}
	return c
}

// joined makes one message of those that follow one another from one side. Later
// system messages go to the beginning, since they too stand between the sides.
func joined(msgs []message.Message, upto int) []message.Message {
	var out, rest []message.Message
	for i, m := range msgs {
		switch {
		case m.Role == message.System && (i < upto || len(rest) == 0):
			out = append(out, m)
		case m.Role == message.Assistant && (m.StopReason == message.Failed || m.StopReason == message.Aborted):
			// It is not sent anyway, and must not stand between others.
		default:
			rest = append(rest, m)
		}
	}
	begin := len(out)
	for _, m := range rest {
		n := len(out) - 1
		if n < begin || out[n].Role != m.Role || m.Role == message.ToolResult || m.Role == message.System || len(out[n].ToolCalls()) > 0 {
			out = append(out, m)
			continue
		}
		out[n] = out[n].WithContent(append(slices.Clip(out[n].Content), m.Content...))
	}
	return out
}

// withoutTool takes out the tool of that name. Without a name all tools stay,
// with no schema of their own: what it says is told in words.
func withoutTool(m message.Message, name string) (message.Message, bool) {
	return withTools(m, func(t message.ToolSpec) (message.ToolSpec, bool) {
		if name != "" {
			return t, t.Name != name
		}
		if v := rawjson.Trim(t.Parameters); len(v) > 0 && string(v) != anyObject {
			t.Description = strings.TrimSpace(t.Description + "\n\nIts arguments, as JSON Schema: " + string(v))
		}
		return message.ToolSpec{Name: t.Name, Description: t.Description, Parameters: message.Value(anyObject)}, true
	})
}

const anyObject = `{"type":"object"}`

func withoutTools(m message.Message) (message.Message, bool) {
	return withTools(m, func(t message.ToolSpec) (message.ToolSpec, bool) { return t, false })
}

// withTools changes the declarations of a system message.
func withTools(m message.Message, f func(message.ToolSpec) (message.ToolSpec, bool)) (message.Message, bool) {
	if m.Role != message.System || len(m.ToolsAdded) == 0 {
		return m, false
	}
	tools := make([]message.ToolSpec, 0, len(m.ToolsAdded))
	changed := false
	for _, t := range m.ToolsAdded {
		x, keep := f(t)
		changed = changed || !keep || x.Description != t.Description || string(x.Parameters) != string(t.Parameters)
		if keep {
			tools = append(tools, x)
		}
	}
	if !changed {
		return m, false
	}
	return message.Message{Role: message.System, Content: m.Content, IsText: m.IsText, Sections: m.Sections, ToolsAdded: tools,
		ToolsRemoved: m.ToolsRemoved, Timestamp: m.Timestamp}, true
}

// omitParams takes members out of a body, and of the tools in it.
func omitParams(body []byte, names []string) []byte {
	for _, name := range names {
		body = rawjson.Delete(body, name)
		tools := rawjson.Get(body, "tools")
		if rawjson.Kind(tools) != '[' {
			continue
		}
		var list [][]byte
		for t := range rawjson.Elements(tools) {
			t = rawjson.Delete(t, name)
			if fn := rawjson.Get(t, "function"); rawjson.Kind(fn) == '{' {
				t = rawjson.Set(t, "function", rawjson.Delete(fn, name))
			}
			list = append(list, t)
		}
		body = rawjson.Set(body, "tools", rawjson.Array(list))
	}
	return body
}

// Suspect returns the place of the message that a request was most likely refused
// for with e, or -1: the one that the server names, or the last with content of
// that kind, since what stood before was taken in earlier requests.
func (e *Error) Suspect(msgs []message.Message) int {
	var is func(message.Message) bool
	switch e.Fault {
	case Images, ManyImages:
		is = func(m message.Message) bool { return slices.ContainsFunc(m.Content, isImageBlock) }
	case Thoughts, ThinkingMode:
		is = func(m message.Message) bool {
			_, changed := withoutThoughts(m)
			return changed && m.Role == message.Assistant
		}
	case Calls:
		is = func(m message.Message) bool { return m.Role == message.ToolResult || len(m.ToolCalls()) > 0 }
	case Texts:
		is = func(m message.Message) bool { _, changed := wholeTexts(m); return changed }
	default:
		return -1
	}
	found := -1
	at := e.place()
	turn, side := -1, message.Role("")
	for i, m := range msgs {
		// Turns are counted as APIs number messages that want sides to alternate.
		s := m.Role
		if s == message.ToolResult {
			s = message.User
		}
		if s != message.System && s != side && m.StopReason != message.Failed && m.StopReason != message.Aborted {
			turn, side = turn+1, s
		}
		if !is(m) {
			continue
		}
		found = i
		if turn == at && at >= 0 && strings.HasPrefix(e.At, "messages.") {
			return i
		}
	}
	return found
}

// place is the number in e.At, or -1.
func (e *Error) place() int {
	digits := strings.FieldsFunc(e.At, func(c rune) bool { return c < '0' || c > '9' })
	if len(digits) == 0 {
		return -1
	}
	n, err := strconv.Atoi(digits[0])
	if err != nil {
		return -1
	}
	return n
}
