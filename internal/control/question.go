package control

import (
	"context"
	"slices"
	"strconv"

	"github.com/boughdev/bough/protocol"
)

// question is one that waits for its answer.
type question struct {
	protocol.Asked
	answer chan protocol.Answered // holds one

	// moot reports whether there is nothing to ask any more. The owner's; nil: it
	// stays a question.
	moot func() bool
}

// ask asks the people at the front ends and waits for the first answer, "" if ctx has
// ended before. Not for the owner.
func (s *Session) ask(ctx context.Context, text string, choices ...protocol.Choice) (string, error) {
	a, err := s.put(ctx, protocol.Asked{Text: text, Choices: choices}, nil)
	return a.Choice, err
}

// put asks a question, see ask.
func (s *Session) put(ctx context.Context, asked protocol.Asked, moot func() bool) (protocol.Answered, error) {
	q := &question{asked, make(chan protocol.Answered, 1), moot}
	if err := s.do(ctx, func() {
		s.asked++
		q.ID = "q" + strconv.Itoa(s.asked)
		s.questions = append(s.questions, q)
		s.emit(q.Asked)
	}); err != nil {
		if ctx.Err() != nil {
			err = nil
		}
		return protocol.Answered{}, err
	}
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
	case <-s.ended:
		return protocol.Answered{}, protocol.ErrClosed
	}
	return protocol.Answered{}, s.do(context.WithoutCancel(ctx), func() { s.settleQuestion(q, "", "") })
}

// settleQuestion gives a question its answer, if it has none yet. Owner's.
func (s *Session) settleQuestion(q *question, choice, text string) {
	i := slices.Index(s.questions, q)
	if i < 0 {
		return
	}
	s.questions = slices.Delete(s.questions, i, i+1)
	a := protocol.Answered{ID: q.ID, Choice: choice, Text: text}
	if choice != "" {
		a.By = s.author()
	}
	q.answer <- a
	s.emit(a)
}

// answerTo takes an answer. Owner's.
func (s *Session) answerTo(c protocol.Answer) error {
	i := slices.IndexFunc(s.questions, func(q *question) bool { return q.ID == c.Question })
	if i < 0 {
		return protocol.Fail(protocol.NotFound, "That question needs no answer any more.")
	}
	q := s.questions[i]
	n := slices.IndexFunc(q.Choices, func(x protocol.Choice) bool { return x.ID == c.Choice })
	switch {
	case n < 0:
		return protocol.Fail(protocol.BadRequest, "%q is none of the answers.", c.Choice)
	case c.Text != "" && !q.Choices[n].Words:
		return protocol.Fail(protocol.BadRequest, "The answer %q takes no more words.", c.Choice)
	}
	s.settleQuestion(q, c.Choice, c.Text)
	return nil
}

// open are the questions that wait. Owner's.
func (s *Session) open() []protocol.Asked {
	var out []protocol.Asked
	for _, q := range s.questions {
		out = append(out, q.Asked)
	}
	return out
}
