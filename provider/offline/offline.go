// Package offline is a model that is none: a small set of rules that needs no
// key and no network and really calls the tools it is offered. With it anyone
// can try sessions, branches, compaction and every front end in seconds, and
// tests and demos run anywhere (docs/spec/README.md 9).
//
// It reads the files it is asked about, lists, searches, runs a command, writes
// and edits a file, and sums up by extracting, in English and Chinese. It keeps
// nothing between two requests: an answer is made of the messages of its request
// alone, and what it says of a file is quoted from a tool result behind the last
// question.
package offline

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Names of the model.
const (
	Provider = "offline"
	ID       = "demo"
	API      = "offline"
)

// Info is what the model says of itself. It costs nothing.
func Info() provider.Info {
	return provider.Info{ID: ID, Name: "Offline demo", API: API, Provider: Provider, Input: []string{"text"},
		ContextWindow: 128000, MaxTokens: 16384}
}

// Options say how the model behaves. The zero value answers at once.
type Options struct {
	Pace time.Duration // the pause before each step of an answer
}

// Model is the stand-in.
type Model struct{ opts Options }

var _ provider.Model = Model{}

// New returns the model.
func New(opts Options) Model { return Model{opts} }

// Info is [Info].
func (m Model) Info() provider.Info { return Info() }

// Stream answers a request.
func (m Model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		usage := message.Usage{Input: tokens(req.Messages)}
		if window := Info().ContextWindow; usage.Input > window {
			yield(message.Delta{}, &provider.Error{Kind: provider.Overflow,
				Message: fmt.Sprintf("the conversation has %d tokens, more than the %d that offline/demo reads", usage.Input, window)})
			return
		}
		a := answer(req.Messages)
		stop := message.Stop
		if len(a.calls) > 0 {
			stop = message.ToolUse
		} else if most := req.MaxTokens; most > 0 && int64(len(a.text))/4 >= most {
			a.text, stop = head(a.text, int(4*most)), message.Length
		}
		send := func(d message.Delta) bool {
			if err := pause(ctx, m.opts.Pace); err != nil {
				yield(message.Delta{}, err)
				return false
			}
			return yield(d, nil)
		}
		if !a.stream(send) {
			return
		}
		usage.Output = tokens([]message.Message{{Role: message.Assistant, Content: a.blocks()}})
		usage.TotalTokens = usage.Input + usage.Output
		free := true // so that sums know its price, which is nothing
		usage.Cost.FromProvider = &free
		send(message.Delta{Kind: message.Info, Usage: &usage, StopReason: stop, RawStopReason: string(stop)})
	}
}

func tokens(msgs []message.Message) (n int64) {
	for _, m := range msgs {
		n += message.Estimate(m)
	}
	return n
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reply is a whole answer: a text, which may be empty if there are calls, and
// then the calls.
type reply struct {
	text  string
	calls []message.Block
}

func (a reply) blocks() []message.Block {
	var blocks []message.Block
	if a.text != "" {
		blocks = append(blocks, message.Text(a.text))
	}
	return append(blocks, a.calls...)
}

// stream sends the answer in small steps until send says no.
func (a reply) stream(send func(message.Delta) bool) bool {
	for i, b := range a.blocks() {
		start, step, end := message.TextStart, message.TextDelta, message.TextEnd
		text := b.Text
		if b.Type == message.ToolCallBlock {
			start, step, end = message.ToolCallStart, message.ToolCallDelta, message.ToolCallEnd
			text = string(b.Arguments)
		}
		if !send(message.Delta{Kind: start, Index: i, ID: b.ID, Name: b.Name}) {
			return false
		}
		for text != "" {
			piece := head(text, 24)
			text = text[len(piece):]
			if !send(message.Delta{Kind: step, Index: i, Text: piece}) {
				return false
			}
		}
		if !send(message.Delta{Kind: end, Index: i}) {
			return false
		}
	}
	return true
}

// newID makes the id of a tool call. It must differ from all others of a
// session, whose branches a request does not show, so it is random.
func newID() string { return fmt.Sprintf("call_%016x", rand.Uint64()) }

// call makes a tool call with one member of its arguments after the other.
func call(name string, args ...member) message.Block {
	obj := []byte(`{}`)
	for _, m := range args {
		obj = rawjson.Set(obj, m.key, m.value)
	}
	return message.ToolCall(newID(), name, obj)
}

type member struct {
	key   string
	value message.Value
}

func text(key, value string) member { return member{key, rawjson.Quote(value)} }
