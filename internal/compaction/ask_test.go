package compaction

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// replies is a model that gives one reply after the other and keeps what it is
// asked.
type replies struct {
	list  []reply
	asked []provider.Request
}

type reply struct {
	text  string
	calls bool
	stop  message.StopReason
	err   error
}

func (r *replies) Info() provider.Info { return provider.Info{ID: "m", ContextWindow: 1000} }

func (r *replies) Stream(_ context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	r.asked = append(r.asked, req)
	now := r.list[0]
	r.list = r.list[1:]
	return func(yield func(message.Delta, error) bool) {
		if now.text != "" && !(yield(message.Delta{Kind: message.TextStart}, nil) && yield(message.Delta{Kind: message.TextDelta, Text: now.text}, nil)) {
			return
		}
		if call := message.ToolCall("c", "read", nil); now.calls && !(yield(message.Delta{Kind: message.ToolCallStart, Index: 1, ID: "c", Name: "read"}, nil) &&
			yield(message.Delta{Kind: message.ToolCallEnd, Index: 1, Block: &call}, nil)) {
			return
		}
		if now.err != nil {
			yield(message.Delta{Kind: message.Info, Usage: &message.Usage{Input: 1}}, nil)
			yield(message.Delta{}, now.err)
			return
		}
		yield(message.Delta{Kind: message.Info, Usage: &message.Usage{Input: 10, Output: 2}, StopReason: now.stop}, nil)
	}
}

func TestAsk(t *testing.T) {
	busy := &provider.Error{Kind: provider.Transient, Message: "busy"}
	for _, tt := range []struct {
		name    string
		replies []reply
		tries   int // after the first
		want    string
		err     string
		input   int64
	}{
		{"a summary", []reply{{text: " It went well.\n", stop: message.Stop}}, 0, "It went well.", "", 10},
		{"cut off", []reply{{text: "It", stop: message.Length}}, 0, "", "cut off", 10},
		{"a tool call", []reply{{text: "It", calls: true, stop: message.ToolUse}}, 0, "", "called a tool", 10},
		{"nothing", []reply{{stop: message.Stop}}, 0, "", "no summary", 10},
		{"failed", []reply{{text: "It", stop: message.Failed}}, 0, "", "ask for the summary", 10},
		{"without an end", []reply{{text: "It"}}, 0, "", "without saying why", 10},
		{"busy", []reply{{err: busy}}, 0, "", "busy", 1},
		{"busy, then well", []reply{{text: "ha", err: busy}, {err: busy}, {text: "Fine.", stop: message.Stop}}, 2, "Fine.", "", 12},
		{"busy for too long", []reply{{err: busy}, {err: busy}}, 1, "", "busy", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &replies{list: tt.replies}
			a := Asker{Model: m, Thinking: "low", Again: func(_ context.Context, try int, err error) bool { return try <= tt.tries }}
			got, used, err := a.Ask(t.Context(), "<conversation>")
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q, %v", got, err)
			}
			if used == nil || used.Input != tt.input {
				t.Errorf("usage %+v", used)
			}
			req := m.asked[0]
			fold, ok := message.FoldSystem(req.Messages)
			if !ok || !strings.Contains(fold.Prompt(), "sum up") || len(fold.ToolsAdded) > 0 || req.Thinking != "low" || !req.NoCache || req.SessionID == "" || req.MaxTokens != 0 {
				t.Errorf("request %+v", req)
			}
		})
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := Asker{Model: &replies{list: []reply{{err: errors.New("off")}}}, Again: func(context.Context, int, error) bool { cancel(); return true }}
	a.Model.(*replies).list = append(a.Model.(*replies).list, reply{text: "late", stop: message.Stop})
	if text, _, err := a.Ask(ctx, "x"); text != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", text, err)
	}
}
