// Package scripted is a model for tests and demos that says what a script tells
// it to, in process and without a network. The scripts are those of
// internal/script, the same that a fake server plays behind the real codecs.
//
//	s, err := scripted.Load("replies.json")
//	m := scripted.New(scripted.Info("one"), s)
//
// A reply that waits at a hold goes on with s.Release; s.AwaitHold tells when it
// is there. All waiting ends with the context.
package scripted

import (
	"context"
	"iter"
	"syscall"

	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Load reads the script in a file.
func Load(path string) (*script.Script, error) { return script.Load(path) }

// Info describes the model scripted/id, which can do everything and costs
// nothing.
func Info(id string) provider.Info {
	return provider.Info{
		ID: id, Name: "Scripted " + id, API: "scripted", Provider: "scripted",
		Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 200000, MaxTokens: 32000,
	}
}

type model struct {
	info   provider.Info
	script *script.Script
}

// New returns a model that follows a script. Models of the same script share its
// counters and holds, as the clients of one server do. The condition "api" goes
// by info.API; what is none of the three counts as "chat".
func New(info provider.Info, s *script.Script) provider.Model { return &model{info, s} }

func (m *model) Info() provider.Info { return m.info }

// Stream counts the request when it is ranged over, not before.
func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(message.Delta{}, err)
			return
		}
		reply := m.script.Reply(m.script.Take(m.conversation(req)))
		for step := range reply.Steps(ctx, script.Pace{}) {
			d, err := m.delta(reply, step)
			switch {
			case err != nil:
				yield(message.Delta{}, err)
				return
			case d.Kind != "" && !yield(d, nil), step.Kind == script.Finished:
				return
			}
		}
		yield(message.Delta{}, ctx.Err()) // nothing but ctx ends the steps without a last one
	}
}

// delta says a step in the words of a provider; one without a kind says nothing.
func (m *model) delta(r *script.Reply, step script.Step) (message.Delta, error) {
	switch step.Kind {
	case script.Opened:
		b := r.Blocks[step.Block]
		return message.Delta{Kind: kinds[b.Type].start, Index: step.Block, ID: b.ID, Name: b.Name}, nil
	case script.Piece:
		if step.Text == "" {
			return message.Delta{}, nil
		}
		return message.Delta{Kind: kinds[r.Blocks[step.Block].Type].delta, Index: step.Block, Text: step.Text}, nil
	case script.Closed:
		b := r.Blocks[step.Block]
		return message.Delta{Kind: kinds[b.Type].end, Index: step.Block, Block: block(r.API, b)}, nil
	case script.Finished:
		return m.ending(r), nil
	case script.Refused:
		return message.Delta{}, refused(r, step.Failure)
	case script.BrokenOff:
		return message.Delta{}, brokenOff(r, step.Failure)
	case script.Reset:
		return message.Delta{}, provider.NetworkError(syscall.ECONNRESET)
	case script.EndedEarly:
		return message.Delta{}, provider.EndedEarly()
	case script.Malformed:
		return message.Delta{}, provider.BadEvent([]byte(step.Text))
	}
	return message.Delta{}, nil
}

var kinds = map[script.BlockType]struct{ start, delta, end message.DeltaKind }{
	script.Text:     {message.TextStart, message.TextDelta, message.TextEnd},
	script.Thinking: {message.ThinkingStart, message.ThinkingDelta, message.ThinkingEnd},
	script.ToolCall: {message.ToolCallStart, message.ToolCallDelta, message.ToolCallEnd},
}
