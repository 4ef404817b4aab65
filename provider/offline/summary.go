package offline

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// isSummaryRequest reports whether a request asks to sum up a conversation
// (docs/spec/session.md 7.6).
func isSummaryRequest(system message.Message, question string) bool {
	if strings.Contains(question, "<conversation>") {
		return true
	}
	if len(system.ToolsAdded) > 0 {
		return false
	}
	p := strings.ToLower(system.Prompt())
	return strings.Contains(p, "summar") || strings.Contains(p, "总结") || strings.Contains(p, "摘要") ||
		strings.HasPrefix(strings.TrimSpace(question), "# Conversation")
}

// What an empty section holds.
const (
	noneEn = "(none)"
	noneZh = "（无）"
)

// talk is a conversation as a summary request quotes it.
type talk struct {
	asked    []string // the first line of what the user said
	answered string   // the last answer
	files    []string // from tool calls
	failed   []string // results that look like errors
}

// summarize sums a conversation up by extracting: no sentence in it is new.
func summarize(question string) string {
	conversation, before := question, ""
	if _, rest, ok := strings.Cut(question, "<conversation>"); ok {
		conversation, _, _ = strings.Cut(rest, "</conversation>")
	} else if _, rest, ok := strings.Cut(question, "# Conversation"); ok {
		conversation, _, _ = strings.Cut(rest, "\n# Instructions")
	}
	if _, rest, ok := strings.Cut(question, "<previous-summary>"); ok {
		before, _, _ = strings.Cut(rest, "</previous-summary>")
	}
	t := listen(conversation)
	l := languageOf(strings.Join(t.asked, " "))
	none := l.say(noneEn, noneZh)

	goal := section(before, "Goal")
	if len(goal) == 0 && len(t.asked) > 0 {
		goal = t.asked[:1]
	}
	done := section(before, "Done")
	for _, a := range t.asked {
		if line := "- [x] " + a; !slices.Contains(done, line) {
			done = append(done, line)
		}
	}
	if n := len(done) - 40; n > 0 {
		done = done[n:]
	}
	context := section(before, "Critical Context")
	for _, f := range t.files {
		if line := "- " + f; !slices.Contains(context, line) {
			context = append(context, line)
		}
	}
	if t.answered != "" {
		context = append(context, l.say("- Last answer: %s", "- 最后的回答：%s", t.answered))
	}
	var b strings.Builder
	write := func(heading string, lines ...string) {
		if len(lines) == 0 {
			lines = []string{none}
		}
		b.WriteString(heading + "\n" + strings.Join(lines, "\n") + "\n\n")
	}
	write("## Goal", goal...)
	write("## Constraints & Preferences")
	b.WriteString("## Progress\n")
	write("### Done", done...)
	write("### In Progress")
	write("### Blocked", append(section(before, "Blocked"), t.failed...)...)
	write("## Key Decisions")
	write("## Next Steps")
	write("## Critical Context", context...)
	return strings.TrimSpace(b.String())
}

// section returns the lines that an earlier summary has below a heading.
func section(summary, name string) []string {
	var lines []string
	in := false
	for line := range strings.Lines(summary) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			in = strings.TrimSpace(strings.TrimLeft(line, "#")) == name
			continue
		}
		if in && line != "" && line != noneEn && line != noneZh {
			lines = append(lines, line)
		}
	}
	return lines
}

// listen picks from a conversation what a summary is made of.
func listen(s string) talk {
	var t talk
	for _, item := range items(s) {
		switch item.who {
		case "User":
			if line := firstLine(item.text); line != "" {
				t.asked = append(t.asked, line)
			}
		case "Assistant":
			if line := firstLine(item.text); line != "" {
				t.answered = line
			}
		case "Assistant tool calls":
			for _, f := range pathsIn(item.text) {
				if !slices.Contains(t.files, f) {
					t.files = append(t.files, f)
				}
			}
		case "Tool result":
			if line := firstLine(item.text); strings.HasPrefix(strings.ToLower(line), "error") && len(t.failed) < 10 {
				t.failed = append(t.failed, "- "+line)
			}
		}
	}
	return t
}

type item struct{ who, text string }

// items cuts a conversation at its "[User]: " marks.
func items(s string) []item {
	var out []item
	for line := range strings.Lines(s) {
		if rest, ok := strings.CutPrefix(line, "["); ok {
			who, text, ok := strings.Cut(rest, "]: ")
			if ok && slices.Contains([]string{"User", "Assistant", "Assistant tool calls", "Tool result"}, who) {
				out = append(out, item{who, text})
				continue
			}
		}
		if n := len(out); n > 0 && len(out[n-1].text) < 4000 {
			out[n-1].text += line
		}
	}
	return out
}

// pathsIn returns the paths in a line of tool calls: name(path="…", …).
func pathsIn(s string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(s, "path=")
		if !ok {
			return out
		}
		s = rest
		n, ok := rawjson.Prefix([]byte(s))
		if !ok {
			continue
		}
		if p, ok := rawjson.String([]byte(s[:n])); ok && p != "" {
			out = append(out, p)
		}
		s = s[n:]
	}
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	s, _, _ = strings.Cut(s, "\n")
	if cut := head(s, 160); len(cut) < len(s) {
		s = cut + "…"
	}
	return strings.TrimSpace(s)
}
