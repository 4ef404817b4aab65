package control

import (
	"context"
	"errors"
	"time"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// promptText starts a run with a message, or queues it. Owner's.
func (s *Session) promptText(c protocol.Prompt) (protocol.Disposition, error) {
	text, err := s.expand(c.Text)
	if err != nil {
		return "", err
	}
	c.Text = text
	if s.op != nil && s.op.summing && (!s.op.compacts || c.WhenBusy == protocol.Refuse) {
		return "", s.atRest()
	}
	if s.op != nil {
		switch c.WhenBusy {
		case protocol.AsSteering:
			return s.enqueue(&s.steering, queued{text: c.Text, images: c.Images})
		case protocol.AsFollowUp:
			return s.enqueue(&s.followUp, queued{text: c.Text, images: c.Images})
		}
		return "", protocol.Fail(protocol.Busy, "A run is going on. Say whether the message is to steer it or to follow it, or stop it first.")
	}
	first := queued{text: c.Text, images: c.Images}
	if c.Kept {
		if err := s.saves(first); err != nil {
			return "", err
		}
	}
	return s.start(first)
}

// start begins a run, with messages or without. Owner's.
func (s *Session) start(first ...queued) (protocol.Disposition, error) {
	if s.model == nil {
		return "", errNoModel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	op := &operation{cancel: cancel, done: make(chan struct{}), by: s.author()}
	if op.by == "" && len(first) > 0 {
		op.by = first[0].by
	}
	s.op = op
	s.spent.beginRun()
	s.emit(protocol.RunStarted{By: op.by})
	r := &run{s: s, first: first}
	go r.run(ctx, op)
	return protocol.Started, nil
}

// run takes turns until nobody has anything to say any more. A message that was
// queued when there was no next step, but before the owner knew that the run is
// over, is still part of it.
func (r *run) run(ctx context.Context, op *operation) {
	s := r.s
	for again := true; again; {
		err := agent.Run(ctx, r)
		if again = false; err == nil {
			r.afterwards(ctx)
		}
		if derr := s.do(context.WithoutCancel(ctx), func() {
			if again = r.goesOn(ctx, err); again {
				return
			}
			r.end(ctx, err)
			s.op = nil
			op.cancel()
			s.recordHeld()
			s.emit(protocol.RunEnded{Aborted: errors.Is(context.Cause(ctx), context.Canceled) && r.aborted, Failure: r.failure, Kind: r.kind, Advice: r.advice})
			close(op.done)
			s.titleAfter(r)
		}); derr != nil {
			return // the session is closed
		}
	}
}

// goesOn reports whether a run that came to its end by itself has more to do,
// and takes that out of the queue. Owner's.
func (r *run) goesOn(ctx context.Context, err error) bool {
	if err != nil || ctx.Err() != nil || r.failure != "" || len(r.s.steering)+len(r.s.followUp) == 0 {
		return false
	}
	r.endLoop(false)
	r.first = r.s.takeNext()
	return true
}

// expand returns what a text stands for. Owner's.
func (s *Session) expand(text string) (string, error) {
	out, err := s.setup.Expand(text)
	if err != nil {
		return "", &protocol.Error{Code: protocol.BadRequest, Text: err.Error(), Err: err}
	}
	return out, nil
}

// later queues a message as it was typed. Owner's.
func (s *Session) later(q *[]queued, text string, images []message.Block) (protocol.Disposition, error) {
	text, err := s.expand(text)
	if err != nil {
		return "", err
	}
	return s.enqueue(q, queued{text: text, images: images})
}

// run is one run of an agent in a session: the agent's host.
type run struct {
	s    *Session
	turn turns // of the calls that want to ask people

	// What follows is the owner's.
	first   []queued // what it begins with
	turns   int
	retries int               // of the answer that is being tried for
	said    []message.Message // of this loop
	inLoop  bool
	aborted bool
	failure string
	advice  string // about the failure
	kind    provider.Kind
	sent    provider.Request  // the last
	from    []*session.Entry  // the entries of its messages
	due     []string          // calls without a recorded result
	early   []message.Message // results before their turn
	trying  []omitted         // for the answer that is being tried for
	told    map[string]bool   // tools of which people know that nobody can be asked about them

	recovered bool // from an overflow, since somebody spoke or the model answered
}

var _ agent.Host = (*run)(nil)

// Record keeps a message, also after ctx has ended.
func (r *run) Record(ctx context.Context, m message.Message) error {
	var err error
	derr := r.s.do(context.WithoutCancel(ctx), func() {
		if m.Role == message.ToolResult && r.s.opts.InOrder {
			for _, m := range r.inOrder(m) {
				if _, err = r.record(m); err != nil {
					return
				}
			}
			return
		}
		if m.Role == message.Assistant {
			r.expect(m)
		}
		_, err = r.record(m)
		if err == nil && m.Role == message.Assistant && m.StopReason != message.Failed && m.StopReason != message.Aborted {
			r.answered(m)
		}
	})
	if derr != nil {
		return derr
	}
	return err
}

// answered is called when a complete answer has come. Owner's.
func (r *run) answered(m message.Message) {
	if r.s.missed(m); m.StopReason != message.Length {
		r.recovered = false
	}
	if r.retries > 0 {
		r.s.emit(protocol.RetryEnded{Success: true, Attempt: r.retries})
		r.retries = 0
	}
	r.remember()
}

// record is the owner's part.
func (r *run) record(m message.Message) (*session.Entry, error) {
	r.said = append(r.said, m)
	return r.s.append(session.Message{Message: m})
}

// Emit shows something that is not kept.
func (r *run) Emit(ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.ToolStarted:
		r.turn.join(e.CallID)
	case protocol.ToolEnded:
		r.turn.end(e.CallID)
	}
	r.s.post(func() { r.s.emit(ev) })
}

func (r *run) beginLoop() {
	r.inLoop, r.said = true, nil
	r.s.emit(protocol.LoopStarted{})
	r.s.emit(protocol.TurnStarted{})
}

func (r *run) endLoop(willRetry bool) {
	if !r.inLoop {
		return
	}
	r.inLoop = false
	r.s.emit(protocol.LoopEnded{Messages: byCalls(r.said), WillRetry: willRetry})
}

// end closes what is open. Owner's.
func (r *run) end(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.failure = err.Error()
		r.s.note("error", "%v", err)
	}
	if ctx.Err() != nil {
		r.aborted = true
	}
	r.s.putBack()
	r.endLoop(false)
}

// say records what a person said. Owner's.
func (r *run) say(q queued) error {
	m := userMessage(q)
	r.said = append(r.said, m)
	r.recovered = false
	by := q.by
	if by == "" {
		by = r.s.author()
	}
	var err error
	r.s.inName(by, func() { _, err = r.s.appendAs(q.id, session.Message{Message: m}) })
	r.s.wasSaid()
	return err
}

// userMessage makes the message of what a person said.
func userMessage(q queued) message.Message {
	return message.Message{Role: message.User, Content: append([]message.Block{message.Text(q.text)}, q.images...), Timestamp: time.Now().UnixMilli()}
}
