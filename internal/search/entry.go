package search

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Roles of what is found, as a person calls them: [Options.Role] is one of these.
const (
	User      = "user"
	Assistant = "assistant" // what a model wrote, thought or called
	Thinking  = "thinking"  // what it thought
	Call      = "call"      // a tool that it called
	Tool      = "tool"      // what a tool said
	Bash      = "bash"      // a command of the user
	Summary   = "summary"   // of what was compacted, or of a branch
	Custom    = "custom"    // a message of an extension
	Edit      = "edit"      // what another entry says to the model since it was edited
	System    = "system"    // found only if it is asked for
	Label     = "label"
	Name      = "name" // of the session
)

// Roles are all roles.
func Roles() []string {
	return []string{User, Assistant, Thinking, Call, Tool, Bash, Summary, Custom, Edit, System, Label, Name}
}

// A piece is one text of an entry.
type piece struct {
	role string
	tool string // of a call or a result
	call string // its id
	text string
}

// is reports whether a piece is of a role that was asked for; "" is all but system.
func (p piece) is(role string) bool {
	switch role {
	case "":
		return p.role != System
	case Assistant:
		return p.role == Assistant || p.role == Thinking || p.role == Call
	}
	return p.role == role
}

// pieces appends the texts of an entry. Images, and what no person reads, are left
// out.
func pieces(to []piece, e *session.Entry, line []byte) []piece {
	add := func(role string, texts ...string) {
		if t := join(texts); t != "" {
			to = append(to, piece{role: role, text: t})
		}
	}
	str := func(key string) string { s, _ := rawjson.GetString(line, key); return s }
	switch e.Type {
	case session.TypeMessage:
		return messagePieces(to, e.Role, rawjson.Get(line, "message"))
	case session.TypeCustomMessage:
		add(Custom, texts(rawjson.Get(line, "content"))...)
	case session.TypeCompaction, session.TypeBranchSummary:
		add(Summary, str("summary"))
	case session.TypeContextEdit:
		add(Edit, texts(rawjson.Get(rawjson.Get(line, "replacement"), "content"))...)
	case session.TypeLabel:
		add(Label, str("label"))
	case session.TypeInfo:
		add(Name, str("name"))
	}
	return to
}

func messagePieces(to []piece, role message.Role, m []byte) []piece {
	if role == "" {
		return to
	}
	p := piece{role: Custom}
	var content, sections []byte
	var words []string // besides the content
	for key, v := range rawjson.Members(m) {
		at := -1
		switch key {
		case "content":
			content = v
		case "sections":
			sections = v
		case "toolName":
			p.tool, _ = rawjson.String(v)
		case "toolCallId":
			p.call, _ = rawjson.String(v)
		case "command", "errorMessage":
			at = 0
		case "output", "summary":
			at = 1
		}
		if s, ok := rawjson.String(v); ok && at >= 0 {
			words = append(words, make([]string, max(0, at+1-len(words)))...)
			words[at] = s
		}
	}
	switch role {
	case message.Assistant:
		return answerPieces(to, content, words)
	case message.User:
		p.role, words = User, nil
	case message.ToolResult:
		p.role, words = Tool, nil
	case message.Bash:
		p.role = Bash
	case message.System:
		p.role, words = System, strs(nil, sections)
	case message.BranchSummary, message.CompactionSummary:
		p.role = Summary
	default:
		words = nil
	}
	if p.text = join(append(texts(content), words...)); p.text != "" {
		to = append(to, p)
	}
	return to
}

// answerPieces are those of a message of a model.
func answerPieces(to []piece, content []byte, words []string) []piece {
	add := func(p piece) {
		if p.text != "" {
			to = append(to, p)
		}
	}
	if rawjson.Kind(content) == '"' {
		add(piece{role: Assistant, text: join(texts(content))})
	}
	for b := range rawjson.Elements(content) {
		var typ, text, thinking string
		p := piece{role: Call}
		var args []byte
		for key, v := range rawjson.Members(b) {
			switch key {
			case "type":
				typ, _ = rawjson.String(v)
			case "text":
				text, _ = rawjson.String(v)
			case "thinking":
				thinking, _ = rawjson.String(v)
			case "name":
				p.tool, _ = rawjson.String(v)
			case "id":
				p.call, _ = rawjson.String(v)
			case "arguments":
				args = v
			}
		}
		switch message.BlockType(typ) {
		case message.TextBlock:
			add(piece{role: Assistant, text: text})
		case message.ThinkingBlock:
			add(piece{role: Thinking, text: thinking})
		case message.ToolCallBlock:
			p.text = join(append([]string{p.tool}, strs(nil, args)...))
			add(p)
		}
	}
	add(piece{role: Assistant, text: join(words)})
	return to
}

// texts returns the texts of a content, which is a string or a list of blocks.
func texts(content []byte) []string {
	if s, ok := rawjson.String(content); ok {
		return []string{s}
	}
	var out []string
	for b := range rawjson.Elements(content) {
		if typ, _ := rawjson.GetString(b, "type"); typ == string(message.TextBlock) {
			if s, ok := rawjson.GetString(b, "text"); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// strs appends all strings of a value that are no keys.
func strs(to []string, v []byte) []string {
	for todo := [][]byte{v}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		at := len(todo)
		switch rawjson.Kind(v) {
		case '"':
			s, _ := rawjson.String(v)
			to = append(to, s)
		case '{':
			for _, m := range rawjson.Members(v) {
				todo = append(todo, m)
			}
		case '[':
			for m := range rawjson.Elements(v) {
				todo = append(todo, m)
			}
		}
		slices.Reverse(todo[at:])
	}
	return to
}

func join(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n")
}
