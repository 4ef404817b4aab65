package fakellm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

var (
	goodToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	goodCallID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	nineLetters  = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
)

// findings collects what a real server would refuse.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// violations tells what a real server would refuse about a request.
func violations(c script.Conversation, body []byte) []string {
	f := findings{}
	if c.Model == "" {
		f.add("model is missing")
	}
	list := "messages"
	switch c.API {
	case script.Responses:
		list = "input"
	case script.Google:
		list = "contents"
	}
	switch v := at(body, list); {
	case v == nil:
		f.add("%s is missing", list)
	case rawjson.Kind(v) == '[' && len(c.Items) == 0:
		f.add("the conversation is empty")
	}
	switch c.API {
	case script.Anthropic:
		f.anthropic(body)
	case script.Chat:
		f.chat(body)
	case script.Google:
		f.google(body)
	case script.Bedrock:
		f.bedrock(body)
	case script.Mistral:
		f.mistral(body)
	}
	f.tools(c.Tools)
	f.calls(c)
	return f
}

func emptyContent(v []byte) bool {
	return rawjson.IsNull(v) || rawjson.Kind(v) == '"' && str(v) == ""
}

func (f *findings) anthropic(body []byte) {
	limit, hasLimit := rawjson.Number(at(body, "max_tokens"))
	if !(limit > 0) {
		f.add("max_tokens is required")
	}
	messages := elements(at(body, "messages"))
	if len(messages) > 0 && str(at(messages[0], "role")) != "user" {
		f.add("first message must have role user")
	}
	for i, m := range messages {
		content := at(m, "content")
		if emptyContent(content) || rawjson.Kind(content) == '[' && length(content) == 0 {
			f.add("messages.%d: content is empty", i)
			continue
		}
		other, late := false, false
		for b := range rawjson.Elements(content) {
			typ := str(at(b, "type"))
			if t, ok := rawjson.String(at(b, "text")); typ == "text" && ok && t == "" {
				f.add("messages.%d: empty text block", i)
			}
			other = other || typ != "tool_result"
			late = late || other && typ == "tool_result"
		}
		if late {
			f.add("messages.%d: tool_result blocks must come first", i)
		}
	}
	if budget, ok := rawjson.Number(at(body, "thinking", "budget_tokens")); ok && (budget < 1024 || hasLimit && budget >= limit) {
		f.add("thinking.budget_tokens must be >= 1024 and < max_tokens")
	}
}

func (f *findings) chat(body []byte) {
	i := 0
	for m := range rawjson.Elements(at(body, "messages")) {
		if str(at(m, "role")) == "assistant" && emptyContent(at(m, "content")) && length(at(m, "tool_calls")) == 0 {
			f.add("messages.%d: assistant message has neither content nor tool_calls", i)
		}
		i++
	}
}

// mistral checks the order of roles, on which Mistral insists.
func (f *findings) mistral(body []byte) {
	before, prefix := "system", false
	for _, m := range elements(at(body, "messages")) {
		role := str(at(m, "role"))
		if before == "tool" && (role == "user" || role == "system") || before == "system" && role != "system" && role != "user" || before == "user" && role == "tool" {
			f.add("unexpected role '%s' after role '%s'", role, before)
		}
		if at(m, "reasoning_content") != nil {
			f.add("reasoning_content: extra inputs are not permitted")
		}
		before, prefix = role, rawjson.Bool(at(m, "prefix"))
	}
	if before == "assistant" && !prefix {
		f.add("expected last role user or tool, or assistant with prefix")
	}
}

func (f *findings) tools(tools []script.Tool) {
	seen := map[string]bool{}
	for _, t := range tools {
		if seen[t.Name] {
			f.add("duplicate tool %s", t.Name)
		}
		seen[t.Name] = true
		if !goodToolName.MatchString(t.Name) {
			f.add("bad tool name %s", t.Name)
		}
		if t.Schema != nil && str(at(t.Schema, "type")) != "object" {
			f.add("tool %s: schema must have type object", t.Name)
		}
	}
}

// calls checks that each tool call is answered once, and at once.
func (f *findings) calls(c script.Conversation) {
	var open []string // ids of calls without a result
	unanswered := func() {
		if len(open) == 0 {
			return
		}
		ids := make([]string, len(open))
		for i, id := range open {
			if id != noID {
				ids[i] = id
			}
		}
		f.add("tool call(s) without a result: %s", strings.Join(ids, ", "))
	}
	for _, it := range c.Items {
		if it.Role == script.ToolRole {
			if i := slices.Index(open, it.CallID); i >= 0 {
				open = append(open[:i:i], open[i+1:]...)
			} else {
				f.add("tool result %s answers no open tool call", it.CallID)
			}
			continue
		}
		unanswered()
		open = nil
		for _, call := range it.Calls {
			if slices.Index(open, call.ID) < 0 {
				open = append(open, call.ID)
			}
			if (c.API == script.Anthropic || c.API == script.Bedrock) && !goodCallID.MatchString(call.ID) {
				f.add("bad tool_use id %s", call.ID)
			}
			if c.API == script.Mistral && !nineLetters.MatchString(call.ID) {
				f.add("bad tool call id %s: it must have nine letters and digits", call.ID)
			}
			if args, ok := rawjson.String(call.Args); ok && args != "" && !rawjson.Valid([]byte(args)) {
				f.add("tool call %s: arguments are not JSON", call.ID)
			}
		}
	}
	unanswered()
}
