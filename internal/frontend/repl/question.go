package repl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// shownLines is how much of a change is shown in a question. Of a command all is: what
// is not shown cannot be weighed.
const shownLines = 200

// askedFor shows a question for which the answer waits.
func (r *repl) askedFor(q protocol.Asked) {
	r.lastAsked = q
	r.say("%s", q.Text)
	if q.About != nil {
		r.showCall(*q.About)
	}
	for i, c := range q.Choices {
		if r.out.speech {
			r.sayChoice(i, c)
			continue
		}
		more := ""
		if c.Words {
			more = "; other words do so too, and go to the model"
		}
		r.say("  %s: %s%s", c.ID, c.Text, more)
	}
}

// showCall shows what a call would do.
func (r *repl) showCall(c protocol.AskedCall) {
	text, sign, most := c.Diff, "", shownLines
	switch {
	case c.Command != "":
		text, sign, most = c.Command, "$ ", math.MaxInt
	case c.Kind == protocol.Changes && text == "":
		r.note("  (the change cannot be shown)")
	case text == "" && c.Kind == protocol.Reaches:
		text = string(c.Args)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	rest := len(lines) - most
	for i, l := range lines[:min(len(lines), most)] {
		if i > 0 && sign != "" {
			sign = "  "
		}
		r.out.line(none, "  "+sign+visible(l))
	}
	if rest > 0 {
		r.note("  (%s more)", render.Plural(rest, "line", "lines"))
	}
}

// visible shows characters that would not be seen, or would move others about.
func visible(s string) string {
	odd := func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if odd(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// asked is the question that waits for an answer, nil if there is none. One that was
// answered here is none, though that may not have been told yet.
func (r *repl) asked() *protocol.Asked {
	for i, q := range r.view.Open {
		if q.ID != r.replied {
			return &r.view.Open[i]
		}
	}
	return nil
}

// choices are the answers to the question that waits, "" if there is none.
func (r *repl) choices() string {
	q := r.asked()
	if q == nil {
		return ""
	}
	var ids []string
	for _, c := range q.Choices {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, "/")
}

// answers takes a line for the answer to the question that waits: one of the choices,
// which may be cut short, or words that go with one.
func (r *repl) answers(words string) {
	q := *r.asked()
	words = strings.TrimSpace(words)
	if number, rest, _ := strings.Cut(words, " "); r.out.speech {
		if n, err := strconv.Atoi(number); err == nil && (n < 1 || n > len(q.Choices)) {
			r.say("There is no answer %d. Type a number from 1 to %d; ctrl+c stops.", n, len(q.Choices))
			return
		} else if err == nil {
			words = strings.TrimSpace(q.Choices[n-1].ID + " " + rest)
		}
	}
	first, rest, _ := strings.Cut(words, " ")
	first = strings.ToLower(strings.TrimRight(first, ",.;:!"))
	var with *protocol.Choice // the choice that words go with
	for i, c := range q.Choices {
		if c.Words {
			with = &q.Choices[i]
		}
		if first == "" || !strings.HasPrefix(strings.ToLower(c.ID), first) {
			continue
		}
		if rest = strings.TrimSpace(rest); rest == "" || c.Words {
			r.reply(q, c.ID, rest)
			return
		}
		r.say("Say %s alone, to be sure; ctrl+c stops.", c.ID)
		return
	}
	if with != nil && words != "" {
		r.reply(q, with.ID, words)
		return
	}
	r.say("Say %s; ctrl+c stops.", strings.ReplaceAll(r.choices(), "/", " or "))
}

func (r *repl) reply(q protocol.Asked, choice, text string) {
	r.replied = q.ID
	if _, err := protocol.Call(r.ctx, r.c, protocol.Answer{Question: q.ID, Choice: choice, Text: text}); err != nil {
		r.failed(err)
	}
}

// refuse answers a question with no, since no more lines will come, or stops the
// run if it has no such answer.
func (r *repl) refuse(q protocol.Asked) {
	for _, c := range q.Choices {
		if c.Kind == protocol.RejectOnce || c.ID == "no" {
			r.reply(q, c.ID, "")
			return
		}
	}
	r.replied = q.ID
	r.stop()
}

// overtakenFor is how long a question that comes behind one which was answered
// elsewhere is taken for not seen yet: what is typed then is for the one before.
const overtakenFor = 2 * time.Second

// overtaken reports whether a line was typed for a question that somebody else has
// answered meanwhile. It is an answer to nothing else then, and no words for the model.
func (r *repl) overtaken(words string) bool {
	was := r.passed
	r.passed = passed{}
	if was.by == "" || r.asked() != nil && time.Since(was.at) > overtakenFor {
		return false
	}
	first := strings.ToLower(strings.TrimRight(strings.TrimSpace(words), ",.;:!"))
	for _, c := range was.choices {
		if first != "" && strings.HasPrefix(strings.ToLower(c.ID), first) {
			r.note("(not taken: that question has been answered %s; type it again if you mean something else)", was.by)
			return true
		}
	}
	return false
}

// passed is a question that was answered elsewhere, and how.
type passed struct {
	by      string // "": none was, or a line was typed since
	choices []protocol.Choice
	at      time.Time
}

// answeredBy tells that somebody else has answered.
func (r *repl) answeredBy(a protocol.Answered) {
	if a.ID == r.replied || a.Choice == "" {
		return
	}
	by := "elsewhere"
	if a.By != "" {
		by = "by " + byName(a.By)
	}
	if a.ID == r.lastAsked.ID {
		r.passed = passed{by, r.lastAsked.Choices, time.Now()}
	}
	said := ""
	if a.Text != "" {
		said = fmt.Sprintf(", %s", render.Quote(a.Text, r.o.Width-20))
	}
	r.note("(answered %s: %s%s)", by, a.Choice, said)
}
