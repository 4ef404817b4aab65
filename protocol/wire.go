package protocol

import (
	"encoding/json"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Wire writes events as pi's RPC and JSON mode have them (docs/spec/rpc.md 6):
// the same records in the same order, nothing of ours among them. It is for one
// stream of events; the zero value is ready.
type Wire struct {
	// Ours adds the events of moves and summaries that pi does not have, and tells
	// of every entry that is new, for those who asked for them (docs/spec/rpc.md 14.6).
	Ours bool

	streaming bool // an answer has a message_start and no message_end yet
}

// record is one record being written.
type record struct{ b []byte }

func newRecord(typ string) *record {
	r := &record{b: append(make([]byte, 0, 256), `{"type":`...)}
	r.b = rawjson.AppendString(r.b, typ)
	return r
}

func (r *record) raw(key string, v []byte) *record {
	r.b = append(r.b, ',')
	r.b = rawjson.AppendString(r.b, key)
	r.b = append(r.b, ':')
	r.b = append(r.b, v...)
	return r
}

func (r *record) str(key, s string) *record { return r.raw(key, rawjson.Quote(s)) }

func (r *record) num(key string, n int64) *record {
	return r.raw(key, rawjson.AppendNumber(nil, float64(n)))
}

func (r *record) bool(key string, v bool) *record {
	if v {
		return r.raw(key, []byte("true"))
	}
	return r.raw(key, []byte("false"))
}

func (r *record) texts(key string, list []string) *record {
	elems := make([][]byte, len(list))
	for i, s := range list {
		elems[i] = rawjson.Quote(s)
	}
	return r.raw(key, rawjson.Array(elems))
}

func (r *record) done() []byte { return append(r.b, '}') }

// Records returns the records of an event, without line ends; none for events
// that pi does not know.
func (w *Wire) Records(ev Event) [][]byte {
	one := func(r *record) [][]byte { return [][]byte{r.done()} }
	switch e := ev.(type) {
	case LoopStarted:
		return one(newRecord("agent_start"))
	case TurnStarted:
		return one(newRecord("turn_start"))
	case Appended:
		var out [][]byte
		if !e.Foreign {
			out = w.appended(e.Entry)
		}
		if w.Ours {
			out = append(out, entryRecord(e))
		}
		return out
	case AnswerStarted:
		w.streaming = true
		return one(newRecord("message_start").raw("message", e.Message.JSON()))
	case Delta:
		return one(newRecord("message_update").raw("usage", e.Usage.JSON()).raw("assistantMessageEvent", delta(e.Delta)))
	case ToolStarted:
		return one(newRecord("tool_execution_start").str("toolCallId", e.CallID).str("toolName", e.Tool).raw("args", e.Args))
	case ToolProgress:
		return one(newRecord("tool_execution_update").str("toolCallId", e.CallID).str("toolName", e.Tool).raw("args", e.Args).
			raw("partialResult", output(e.Output)))
	case ToolEnded:
		r := newRecord("tool_execution_end").str("toolCallId", e.CallID).str("toolName", e.Tool).
			raw("result", output(e.Output)).bool("isError", e.Output.IsError)
		if e.DurationMs != nil {
			r.num("durationMs", *e.DurationMs)
		}
		return one(r)
	case TurnEnded:
		var out [][]byte
		for _, m := range e.Results {
			out = append(out, whole(m)...)
		}
		return append(out, newRecord("turn_end").raw("message", e.Answer.JSON()).raw("toolResults", messages(e.Results)).done())
	case LoopEnded:
		return one(newRecord("agent_end").raw("messages", messages(e.Messages)).bool("willRetry", e.WillRetry))
	case RunEnded:
		return one(newRecord("agent_settled").bool("aborted", e.Aborted))
	case QueueChanged:
		return one(newRecord("queue_update").texts("steering", e.Steering).texts("followUp", e.FollowUp))
	case RetryStarted:
		return one(newRecord("auto_retry_start").num("attempt", int64(e.Attempt)).num("maxAttempts", int64(e.Max)).
			num("delayMs", e.Delay.Milliseconds()).str("errorMessage", e.Error))
	case RetryEnded:
		r := newRecord("auto_retry_end").bool("success", e.Success).num("attempt", int64(e.Attempt))
		if e.FinalError != "" {
			r.str("finalError", e.FinalError)
		}
		return one(r)
	case NameChanged:
		return one(newRecord("session_info_changed").str("name", e.Text))
	case ThinkingChanged:
		return one(newRecord("thinking_level_changed").str("level", e.Level))
	case BashOutput:
		r := newRecord("bash_execution_update")
		if raw, ok := e.ID.(RawID); ok {
			r.raw("id", []byte(raw))
		} else if e.ID != nil {
			if id, err := json.Marshal(e.ID); err == nil {
				r.raw("id", id)
			}
		}
		return one(r.str("delta", e.Delta))
	case BranchSummaryStarted, BranchSummaryEnded, LeafMoved:
		if w.Ours {
			return one(moveRecord(e))
		}
	case CompactionStarted, CompactionEnded, SummaryRetryScheduled, SummaryRetryStarted, SummaryRetryEnded:
		return one(summaryRecord(e))
	}
	return nil
}

// appended writes what pi tells of a new entry. Tool results come with the end
// of their turn, in the order of the calls.
func (w *Wire) appended(e *session.Entry) [][]byte {
	body, err := e.Body()
	if err != nil {
		return nil // of a line that was just written
	}
	switch b := body.(type) {
	case session.Message:
		switch b.Message.Role {
		case message.ToolResult, message.Bash:
			return nil
		case message.Assistant:
			started := w.streaming
			w.streaming = false
			if started {
				return [][]byte{newRecord("message_end").raw("message", b.Message.JSON()).done()}
			}
		}
		return whole(b.Message)
	case session.CustomMessage:
		p, err := session.Project([]*session.Entry{e})
		if err != nil || len(p.Items) == 0 {
			return nil
		}
		return whole(p.Items[0].Message)
	case session.ContextEdit, session.Usage, session.Custom:
		if w.Ours || e.IsLeafMarker() {
			return nil
		}
		raw, err := e.Raw()
		if err != nil {
			return nil
		}
		return [][]byte{newRecord("entry_appended").raw("entry", raw).done()}
	}
	return nil
}

// entryRecord says that an entry is new, and by whom. Of one that cannot be read its
// place is told.
func entryRecord(e Appended) []byte {
	line, err := e.Entry.Raw()
	if err == nil {
		line, err = oneLine(line)
	}
	if err != nil {
		line = e.Entry.Place()
	}
	r := newRecord("entry_appended").raw("entry", line)
	if e.By != "" {
		r.str("by", e.By)
	}
	return r.done()
}

func whole(m message.Message) [][]byte {
	return [][]byte{newRecord("message_start").raw("message", m.JSON()).done(), newRecord("message_end").raw("message", m.JSON()).done()}
}

func messages(ms []message.Message) []byte {
	elems := make([][]byte, len(ms))
	for i, m := range ms {
		elems[i] = m.JSON()
	}
	return rawjson.Array(elems)
}

func delta(d message.Delta) []byte {
	r := newRecord(string(d.Kind)).num("contentIndex", int64(d.Index))
	switch d.Kind {
	case message.TextDelta, message.ThinkingDelta, message.ToolCallDelta:
		r.str("delta", d.Text)
	case message.ToolCallStart:
		r.str("id", d.ID).str("toolName", d.Name)
	case message.TextEnd, message.ThinkingEnd:
		if d.Block != nil {
			r.str("content", d.Block.Text)
		}
	case message.ToolCallEnd:
		if d.Block != nil {
			r.raw("toolCall", d.Block.JSON())
		}
	}
	return r.done()
}

func output(o message.Output) []byte {
	b := append([]byte(`{"content":`), message.EncodeContent(o.Content)...)
	if len(o.Details) > 0 {
		b = append(append(b, `,"details":`...), o.Details...)
	}
	if o.IsError {
		b = append(b, `,"isError":true`...)
	}
	if o.Usage != nil {
		b = append(append(b, `,"usage":`...), o.Usage.JSON()...)
	}
	return append(b, '}')
}
