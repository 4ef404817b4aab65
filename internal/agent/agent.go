// Package agent lets a model work with tools, turn by turn.
//
// It knows no session, no screen and no rules: what to ask, whether to go on and
// what to keep is its [Host]'s business.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/tool"
)

// Host is whom a run works for.
type Host interface {
	// Next says what to do after a turn, nil at first. A nil step ends the run.
	Next(ctx context.Context, last *Turn) (*Step, error)

	// Record keeps a message. It returns when it is kept, also after ctx has
	// ended.
	Record(ctx context.Context, m message.Message) error

	// Emit shows something that is not kept.
	Emit(protocol.Event)
}

// Step is what is asked in one turn.
type Step struct {
	Model   provider.Model
	Request provider.Request
	Tools   []tool.Tool

	// Around, if set, is called for each tool call and calls run.
	Around func(ctx context.Context, call message.Block, run func() (message.Output, error)) (message.Output, error)
}

// Turn is one answer and what its tool calls came to.
type Turn struct {
	Answer  message.Message
	Results []message.Message // in the order of the calls
	Err     error             // why the answer failed, or nil
}

// Run takes turns until the host has no further step. It returns the host's
// error, if any: what a model or a tool fails with is part of the conversation.
// When ctx ends the turn that goes on is recorded as far as it has come.
func Run(ctx context.Context, h Host) error {
	var last *Turn
	for {
		step, err := h.Next(ctx, last)
		if err != nil || step == nil {
			return err
		}
		if last, err = turn(ctx, h, step); err != nil {
			return err
		}
	}
}

func turn(ctx context.Context, h Host, step *Step) (*Turn, error) {
	t := &Turn{}
	t.Answer, t.Err = answer(ctx, h, step)
	if err := h.Record(ctx, t.Answer); err != nil {
		return nil, err
	}
	if calls := t.Answer.ToolCalls(); len(calls) > 0 && !failed(t.Answer) {
		var err error
		if t.Results, err = call(ctx, h, step, t.Answer, calls); err != nil {
			return nil, err
		}
	}
	h.Emit(protocol.TurnEnded{Answer: t.Answer, Results: t.Results})
	return t, nil
}

func failed(m message.Message) bool {
	return m.StopReason == message.Failed || m.StopReason == message.Aborted
}

// answer asks the model. What it says until it fails or ctx ends is kept.
func answer(ctx context.Context, h Host, step *Step) (message.Message, error) {
	info := step.Model.Info()
	start := time.Now()
	thinking := step.Request.Thinking
	if thinking == "" {
		thinking = "off"
	}
	b := message.NewBuilder(message.Message{API: info.API, Provider: info.Provider, Model: info.ID,
		ThinkingLevel: thinking, Timestamp: start.UnixMilli()})
	shown := false
	var failure error
	for d, err := range step.Model.Stream(ctx, step.Request) {
		if err != nil {
			failure = err
			break
		}
		d, ok := b.Add(d)
		if !ok {
			continue
		}
		if d.Kind == message.Info {
			continue
		}
		if !shown {
			shown = true
			m := b.Message()
			m.Content = []message.Block{}
			m.StopReason = message.Pending
			m.ResponseID, m.ResponseModel = "", ""
			h.Emit(protocol.AnswerStarted{Message: m})
		}
		h.Emit(protocol.Delta{Delta: d, Usage: *b.Usage()})
	}
	m := b.Message()
	took := time.Since(start).Milliseconds()
	m.DurationMs = &took
	switch {
	case ctx.Err() != nil && (failure != nil || m.StopReason == message.Pending):
		m.StopReason, m.ErrorMessage = message.Aborted, "The request was aborted."
		failure = ctx.Err()
	case failure != nil:
		m.StopReason, m.ErrorMessage = message.Failed, failure.Error()
	case m.StopReason == message.Pending:
		failure = &provider.Error{Kind: provider.Transient, Message: "the answer ended without saying why"}
		m.StopReason, m.ErrorMessage = message.Failed, failure.Error()
	case m.StopReason == message.Failed:
		failure = &provider.Error{Kind: provider.Rejected, Message: m.ErrorMessage}
	}
	if failed(m) {
		m.Content = finished(m.Content)
	}
	if m.StopReason == message.Stop && len(m.ToolCalls()) > 0 {
		m.StopReason = message.ToolUse // some servers say stop all the same
	}
	return m, failure
}

// finished leaves out blocks that hold nothing yet.
func finished(blocks []message.Block) []message.Block {
	return slices.DeleteFunc(blocks, func(b message.Block) bool {
		return b.Type == message.TextBlock && b.Text == "" || b.Type == message.ThinkingBlock && b.Text == "" && b.Signature == ""
	})
}

// call runs the tool calls of an answer, all at once unless one of the tools
// wants to be alone. Each result is recorded as soon as it is there.
func call(ctx context.Context, h Host, step *Step, answer message.Message, calls []message.Block) ([]message.Message, error) {
	results := make([]message.Message, len(calls))
	cutOff := answer.StopReason == message.Length
	if cutOff || slices.ContainsFunc(calls, func(c message.Block) bool { return alone(step, c.Name) }) {
		for i, c := range calls {
			h.Emit(protocol.ToolStarted{CallID: c.ID, Tool: c.Name, Args: json.RawMessage(c.Args())})
			results[i] = one(ctx, h, step, c, cutOff)
			if err := h.Record(ctx, results[i]); err != nil {
				return nil, err
			}
		}
		return results, nil
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		fail error // guarded by mu
	)
	order := fileOrder{alone: len(calls) == 1}
	// Those that cannot run end right after their start.
	for i, c := range calls {
		h.Emit(protocol.ToolStarted{CallID: c.ID, Tool: c.Name, Args: json.RawMessage(c.Args())})
		wait, done := order.next(find(step, c.Name), c)
		run := func() {
			defer done()
			wait()
			results[i] = one(ctx, h, step, c, false)
			if err := h.Record(ctx, results[i]); err != nil {
				mu.Lock()
				fail = err
				mu.Unlock()
			}
		}
		if len(calls) == 1 || find(step, c.Name) == nil || c.ArgumentsError != "" {
			run()
			continue
		}
		wg.Go(run)
	}
	wg.Wait()
	return results, fail
}

func find(step *Step, name string) tool.Tool {
	for _, t := range step.Tools {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

func alone(step *Step, name string) bool {
	s, ok := find(step, name).(tool.Sequential)
	return ok && s.Sequential()
}

// one runs one call and returns its result.
func one(ctx context.Context, h Host, step *Step, c message.Block, cutOff bool) message.Message {
	var out message.Output
	var took *int64
	t := find(step, c.Name)
	switch {
	case cutOff:
		out = message.ErrorOutput("The answer was cut off by the output limit, so this call was not run. Make it again, in smaller parts if need be.")
	case t == nil:
		out = message.ErrorOutput(fmt.Sprintf("There is no tool %q. Tools: %s.", c.Name, names(step.Tools)))
	case c.ArgumentsError != "":
		out = message.ErrorOutput(fmt.Sprintf("The call was not run: %s", c.ArgumentsError))
	case ctx.Err() != nil:
		out = message.ErrorOutput("Aborted before it was run.")
	default:
		out, took = run(ctx, h, step, t, c)
	}
	h.Emit(protocol.ToolEnded{CallID: c.ID, Tool: c.Name, Output: out, DurationMs: took})
	return out.Result(c, time.Now().UnixMilli(), took)
}

// run returns what a call came to, and how long the tool was at work; nil if it was
// not called.
func run(ctx context.Context, h Host, step *Step, t tool.Tool, c message.Block) (out message.Output, took *int64) {
	defer func() {
		if p := recover(); p != nil { // a tool must not take the session with it
			out = message.ErrorOutput(fmt.Sprintf("The tool %s crashed: %v", c.Name, p))
		}
	}()
	progress := func(o message.Output) {
		h.Emit(protocol.ToolProgress{CallID: c.ID, Tool: c.Name, Args: json.RawMessage(c.Args()), Output: o})
	}
	work := func() (message.Output, error) {
		start := time.Now()
		defer func() {
			ms := time.Since(start).Milliseconds()
			took = &ms
		}()
		return t.Run(ctx, json.RawMessage(c.Args()), progress)
	}
	var err error
	if step.Around != nil {
		out, err = step.Around(ctx, c, work)
	} else {
		out, err = work()
	}
	if err != nil {
		out.IsError = true
		text := err.Error()
		if errors.Is(err, context.Canceled) {
			text = "Aborted."
		}
		out.Content = append(out.Content, message.Text(text))
	}
	return out, took
}

func names(tools []tool.Tool) string {
	s := ""
	for i, t := range tools {
		if i > 0 {
			s += ", "
		}
		s += t.Spec().Name
	}
	if s == "" {
		return "none"
	}
	return s
}
