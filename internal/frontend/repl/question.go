package repl

import (
	"strings"

	"github.com/boughdev/bough/protocol"
)

// askedFor shows a question for which the answer waits.
func (r *repl) askedFor(q protocol.Asked) {
	r.say("%s", q.Text)
	for _, c := range q.Choices {
		r.say("  %s: %s", c.ID, c.Text)
	}
}

// choices are the answers to the question that waits, "" if there is none.
func (r *repl) choices() string {
	if len(r.view.Open) == 0 {
		return ""
	}
	var ids []string
	for _, c := range r.view.Open[0].Choices {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, "/")
}

// answers takes a line for the answer to the question that waits.
func (r *repl) answers(word string) {
	q := r.view.Open[0]
	word = strings.ToLower(strings.TrimSpace(word))
	for _, c := range q.Choices {
		if word == "" || !strings.HasPrefix(strings.ToLower(c.ID), word) {
			continue
		}
		if _, err := protocol.Call(r.ctx, r.c, protocol.Answer{Question: q.ID, Choice: c.ID}); err != nil {
			r.failed(err)
		}
		return
	}
	r.say("Say %s; ctrl+c stops.", strings.ReplaceAll(r.choices(), "/", " or "))
}
