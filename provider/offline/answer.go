package offline

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// answer makes the answer to a conversation.
func answer(msgs []message.Message) reply {
	system, _ := message.FoldSystem(msgs)
	c := read(msgs)
	if isSummaryRequest(system, c.question) {
		return reply{text: rawjson.ToValid(summarize(c.question))}
	}
	words, attached := withoutFiles(c.question)
	l := languageOf(words)
	k := kit(system.ToolsAdded)

	var a reply
	steps := parse(words)
	switch {
	case len(steps) > c.rounds:
		a = k.begin(l, steps[c.rounds])
	case len(c.results) > 0:
		a.text = l.report(words, c.results)
	case len(attached) > 0:
		a.text = l.quoteAll(attached)
	default:
		a.text = l.help(words)
	}
	if c.first {
		a.text = strings.TrimRight(l.say(introEn, introZh)+"\n\n"+a.text, "\n")
	}
	a.text = rawjson.ToValid(a.text)
	return a
}

// conversation is what an answer hangs on.
type conversation struct {
	question string   // the last thing the user said
	results  []result // of the calls behind it, in order
	rounds   int      // answers behind it whose calls have results
	first    bool     // this model has said nothing yet
}

// result is a call and what it came to.
type result struct {
	call message.Block
	text string
	err  bool
	done bool // there is a result
}

func read(msgs []message.Message) conversation {
	c := conversation{first: true}
	at := -1
	for i, m := range msgs {
		switch m.Role {
		case message.Assistant:
			if m.Provider == Provider {
				c.first = false
			}
		case message.User:
			if t := m.Text("\n"); at < 0 || !isSummary(t) {
				at, c.question = i, t
			}
		}
	}
	if isSummary(c.question) {
		c.question = ""
	}
	for _, m := range msgs[at+1:] {
		switch m.Role {
		case message.Assistant:
			for _, b := range m.ToolCalls() {
				c.results = append(c.results, result{call: b})
			}
		case message.ToolResult:
			for i := range c.results {
				if r := &c.results[i]; r.call.ID == m.ToolCallID && !r.done {
					r.text, r.err, r.done = content(m), m.IsError, true
					break
				}
			}
		}
	}
	for _, m := range msgs[at+1:] {
		if m.Role == message.Assistant && answered(m, c.results) {
			c.rounds++
		}
	}
	return c
}

func answered(m message.Message, results []result) bool {
	for _, b := range m.ToolCalls() {
		for _, r := range results {
			if r.done && r.call.ID == b.ID {
				return true
			}
		}
	}
	return false
}

// content is what a tool result says; images are named.
func content(m message.Message) string {
	var parts []string
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			parts = append(parts, b.Text)
		case message.ImageBlock:
			parts = append(parts, "["+b.MimeType+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// isSummary reports whether a user message is a summary that stands for earlier
// messages.
func isSummary(s string) bool {
	return strings.HasPrefix(s, message.CompactionIntro) || strings.HasPrefix(s, message.BranchSummaryIntro)
}

// file is a file that came with a prompt.
type file struct{ name, text string }

// withoutFiles takes the file elements out of a prompt (docs/spec/frontends.md
//
func withoutFiles(s string) (string, []file) {
	var words strings.Builder
	var files []file
	for {
		i := strings.Index(s, `<file name="`)
		if i < 0 {
			break
		}
		name, rest, ok := strings.Cut(s[i+len(`<file name="`):], `">`)
		body, after, closed := strings.Cut(rest, "</file>")
		if !ok || !closed || strings.Contains(name, "\n") {
			break
		}
		words.WriteString(s[:i])
		files = append(files, file{name, strings.Trim(body, "\n")})
		s = after
	}
	words.WriteString(s)
	return strings.TrimSpace(words.String()), files
}
