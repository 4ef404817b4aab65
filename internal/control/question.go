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
	answer chan string // holds one
}

// ask asks the people at the front ends and waits for the first answer, "" if ctx has
// ended before. Not for the owner.
func (s *Session) ask(ctx context.Context, text string, choices ...protocol.Choice) (string, error) {
	q := &question{protocol.Asked{Text: text, Choices: choices}, make(chan string, 1)}
	if err := s.do(ctx, func() {
		s.asked++
		q.ID = "q" + strconv.Itoa(s.asked)
		s.questions = append(s.questions, q)
		s.emit(q.Asked)
	}); err != nil {
		if ctx.Err() != nil {
			err = nil
		}
		return "", err
	}
	select {
	case choice := <-q.answer:
		return choice, nil
	case <-ctx.Done():
	case <-s.ended:
		return "", protocol.ErrClosed
	}
	return "", s.do(context.WithoutCancel(ctx), func() { s.settleQuestion(q, "") })
}

// settleQuestion gives a question its answer, if it has none yet. Owner's.
func (s *Session) settleQuestion(q *question, choice string) {
	i := slices.Index(s.questions, q)
	if i < 0 {
		return
	}
	s.questions = slices.Delete(s.questions, i, i+1)
	q.answer <- choice
	s.emit(protocol.Answered{ID: q.ID, Choice: choice})
}

// answerTo takes an answer. Owner's.
func (s *Session) answerTo(c protocol.Answer) error {
	i := slices.IndexFunc(s.questions, func(q *question) bool { return q.ID == c.Question })
	if i < 0 {
		return protocol.Fail(protocol.NotFound, "That question needs no answer any more.")
	}
	q := s.questions[i]
	if !slices.ContainsFunc(q.Choices, func(x protocol.Choice) bool { return x.ID == c.Choice }) {
		return protocol.Fail(protocol.BadRequest, "%q is none of the answers.", c.Choice)
	}
	s.settleQuestion(q, c.Choice)
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
