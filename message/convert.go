package message

import (
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// Sentences before a summary that the model sees. Only the tags and line breaks
// around the summary are pi's (docs/spec/session.md 6.5).
const (
	CompactionIntro    = "Earlier parts of this conversation were compacted into the following summary:"
	BranchSummaryIntro = "The conversation came back here from another branch. This is a summary of that branch:"
)

// ForModel turns a message into one of the four roles that a provider knows. It
// returns false for what no model hears.
func ForModel(m Message) (Message, bool) {
	switch m.Role {
	case System, User, Assistant, ToolResult:
		return m, true
	case Bash:
		if m.ExcludeFromContext {
			return Message{}, false
		}
		return m.asUser([]Block{Text(bashText(m))}), true
	case Custom:
		u := m.asUser(m.Content)
		if v := m.Field("content"); m.Content == nil && v != nil {
			u = u.WithField("content", v)
		} else if m.Content == nil {
			u.raw = rawjson.Delete(u.raw, "content") // what is missing is mended before it is sent
		}
		return u, true
	case BranchSummary:
		return m.asUser([]Block{Text(BranchSummaryIntro + "\n\n<summary>\n" + m.Summary + "</summary>")}), true
	case CompactionSummary:
		return m.asUser([]Block{Text(CompactionIntro + "\n\n<summary>\n" + m.Summary + "\n</summary>")}), true
	}
	return Message{}, false
}

// asUser makes a user message of blocks with the time of m.
func (m Message) asUser(blocks []Block) Message {
	o := newObject()
	o.str("role", string(User))
	o.raw("content", EncodeContent(blocks))
	if ts := m.Field("timestamp"); ts != nil {
		o.raw("timestamp", ts)
	}
	return Message{Role: User, Content: blocks, Timestamp: m.Timestamp, raw: o.done()}
}

func bashText(m Message) string {
	var b strings.Builder
	b.WriteString("Ran `" + m.Command + "`\n")
	if m.Output == "" {
		b.WriteString("(no output)")
	} else {
		b.WriteString("```\n" + m.Output + "\n```")
	}
	switch {
	case m.Cancelled:
		b.WriteString("\n\n(command cancelled)")
	case m.ExitCode != nil && *m.ExitCode != 0:
		b.WriteString("\n\nCommand exited with code " + strconv.Itoa(*m.ExitCode))
	}
	if m.Truncated && m.FullOutputPath != "" {
		b.WriteString("\n\n[Output truncated. Full output: " + m.FullOutputPath + "]")
	}
	return b.String()
}

// Estimate returns how many tokens a message takes at a guess: its UTF-16 units
// divided by four, 4800 units for an image (docs/spec/session.md 7.2). It is
// pi's rule, since the places where both cut must agree.
func Estimate(m Message) int64 {
	units := 0
	switch m.Role {
	case User, Custom, ToolResult:
		for _, b := range m.Content {
			switch {
			case b.Type == TextBlock:
				units += rawjson.UTF16Len(b.Text)
			case b.Type == ImageBlock:
				units += 4800
			}
		}
	case Assistant:
		if m.IsText {
			break // not what an answer is: pi counts nothing
		}
		for _, b := range m.Content {
			switch b.Type {
			case TextBlock, ThinkingBlock:
				units += rawjson.UTF16Len(b.Text)
			case ToolCallBlock:
				args := b.Arguments // whatever they are: pi counts them as they stand
				if rawjson.Kind(args) == 0 {
					args = b.Args()
				}
				units += rawjson.UTF16Len(b.Name) + stringifiedLen(args)
			}
		}
	case Bash:
		units = rawjson.UTF16Len(m.Command) + rawjson.UTF16Len(m.Output)
	case BranchSummary, CompactionSummary:
		units = rawjson.UTF16Len(m.Summary)
	case System:
		for _, b := range m.Content {
			if b.Type == TextBlock {
				units += rawjson.UTF16Len(b.Text)
			}
		}
		for _, s := range m.Sections {
			if s.Text != nil {
				units += rawjson.UTF16Len(*s.Text)
			}
		}
		if tools := m.Field("toolsAdded"); !rawjson.IsNull(tools) {
			units += stringifiedLen(tools)
		}
	}
	return int64((units + 3) / 4)
}

func stringifiedLen(v Value) int {
	return rawjson.UTF16Len(string(rawjson.AppendStringify(nil, v)))
}
