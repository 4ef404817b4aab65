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
	request, pasted := material(words)
	steps := parse(request)
	if steps == nil && looksAgain(request) {
		steps = c.lookAgain()
	}
	switch {
	case len(steps) > c.rounds:
		a = k.begin(l, steps[c.rounds])
	case len(c.results) > 0:
		a.text = l.report(request, c.results)
	case len(attached) > 0:
		a.text = l.tellAttached(request, attached)
	case pasted != "":
		a.text = l.tellPasted(request, pasted)
	default:
		a.text = l.help(words)
	}
	if c.first && len(a.calls) == 0 {
		a.text = strings.TrimRight(a.text, "\n") + "\n\n" + l.say(introEn, introZh)
	}
	a.text = rawjson.ToValid(a.text)
	return a
}

// conversation is what an answer hangs on.
type conversation struct {
	question string   // the last thing the user said
	before   []string // what the user said earlier, oldest first
	results  []result // of the calls behind it, in order
	rounds   int      // answers behind it whose calls have results
	first    bool     // it is the first question, or the first to this model
}

// result is a call and what it came to.
type result struct {
	call message.Block
	text string
	err  bool
	done bool // there is a result
}

func read(msgs []message.Message) conversation {
	var c conversation
	at := -1
	answered, others, summed := false, false, false // by this model; by another one
	for i, m := range msgs {
		switch m.Role {
		case message.Assistant:
			if m.Provider != Provider {
				others = true
			} else if len(m.ToolCalls()) == 0 {
				answered = true
			}
		case message.User:
			t := m.Text("\n")
			if isSummary(t) {
				summed = true
			}
			if at < 0 || !isSummary(t) {
				if at >= 0 {
					c.before = append(c.before, c.question)
				}
				at, c.question = i, t
			}
		}
	}
	if isSummary(c.question) {
		c.question = ""
	}
	c.first = !answered && !summed && (len(c.before) == 0 || others)
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
		if m.Role == message.Assistant && hasResults(m, c.results) {
			c.rounds++
		}
	}
	return c
}

func hasResults(m message.Message, results []result) bool {
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
