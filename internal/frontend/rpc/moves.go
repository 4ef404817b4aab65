package rpc

import (
	"context"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func navigate(ctx context.Context, w *window, c call) (reply, error) {
	n, err := protocol.Call(ctx, w.c, protocol.Navigate{Target: *c.place("entryId"), At: c.text("position") == "at", Exact: c.flag("exact"),
		Summarize: c.flag("summarize"), Instructions: c.text("customInstructions"), ReplaceInstructions: c.flag("replaceInstructions"),
		Label: c.text("label"), Persist: c.flag("persist")})
	return w.navigated(n), err
}

// navigated says where a move led.
func (w *window) navigated(n protocol.Navigated) reply {
	return func() ([]byte, error) {
		o := newObject().flag("cancelled", n.Aborted)
		if n.Aborted {
			o.flag("aborted", true)
		}
		o.place("oldLeafId", n.Old).place("leafId", n.Leaf)
		if n.Moved {
			o.flag("movedOn", true)
		}
		o.optional("editorText", n.Text)
		if len(n.Images) > 0 {
			o.raw("editorImages", message.EncodeContent(n.Images))
		}
		if e := w.view.Tree.Get(n.Summary); n.Summary != "" && e != nil {
			raw, err := line(e)
			if err != nil {
				return nil, err
			}
			o.raw("summaryEntry", raw)
		}
		return o.done(), nil
	}
}

// stepping goes along the places where the conversation stood.
func stepping(cmd protocol.Command[protocol.Navigated]) func(context.Context, *window, call) (reply, error) {
	return func(ctx context.Context, w *window, _ call) (reply, error) {
		n, err := protocol.Call(ctx, w.c, cmd)
		return w.navigated(n), err
	}
}

func appendMessage(ctx context.Context, w *window, c call) (reply, error) {
	m, err := spoken(c)
	if err != nil {
		return nil, err
	}
	a := protocol.Append{Parent: c.place("parentId"), Message: m, Stay: !rawjson.IsNull(c.fields["moveLeaf"]) && !c.flag("moveLeaf")}
	if c.text("role") == "custom" {
		a.Custom, a.Display = c.text("customType"), rawjson.IsNull(c.fields["display"]) || c.flag("display")
		if v := c.fields["details"]; !rawjson.IsNull(v) {
			a.Details = v
		}
	}
	added, err := protocol.Call(ctx, w.c, a)
	return done(newObject().str("entryId", string(added.Entry)).place("leafId", added.Leaf)), err
}

// spoken is the message that is to be appended.
func spoken(c call) (message.Message, error) {
	m := message.Message{Role: message.User, Timestamp: time.Now().UnixMilli()}
	if n, ok := rawjson.Number(c.fields["timestamp"]); ok {
		m.Timestamp = int64(n)
	}
	if s, ok := rawjson.String(c.fields["content"]); ok {
		m.Content = []message.Block{message.Text(s)}
	} else {
		m.Content = message.DecodeContent(c.fields["content"])
	}
	m.Content = append(m.Content, c.images()...)
	switch c.text("role") {
	case "custom":
		if c.text("customType") == "" {
			return m, protocol.Fail(protocol.BadRequest, "append_message of a custom message needs customType, the name of whoever it is of")
		}
	case "assistant":
		m.Role, m.API, m.Provider, m.Model = message.Assistant, c.text("api"), c.text("provider"), c.text("model")
		if m.API == "" || m.Provider == "" || m.Model == "" {
			return m, protocol.Fail(protocol.BadRequest, "append_message of an answer needs api, provider and model, which say whose it is")
		}
		if m.StopReason = message.StopReason(c.text("stopReason")); m.StopReason == "" {
			m.StopReason = message.Stop
		}
		m.Usage = &message.Usage{}
		if v := c.fields["usage"]; !rawjson.IsNull(v) {
			m.Usage = message.DecodeUsage(v)
		}
	}
	return m, nil
}

func runTurn(ctx context.Context, w *window, c call) (reply, bool, error) {
	d, err := protocol.Call(ctx, w.c, protocol.Retry{Entry: c.place("entryId"), Exact: c.flag("exact")})
	return func() ([]byte, error) {
		return newObject().str("disposition", string(d)).place("leafId", w.view.Leaf).done(), nil
	}, d == protocol.Started, err
}

func promptAt(ctx context.Context, w *window, c call) (reply, bool, error) {
	p, err := protocol.Call(ctx, w.c, protocol.PromptAt{Parent: *c.place("parentId"), Text: c.text("message"), Images: c.images(), Exact: c.flag("exact")})
	return done(newObject().str("disposition", string(p.Disposition)).optional("entryId", string(p.Entry))), p.Disposition == protocol.Started, err
}

func sendQueue(ctx context.Context, w *window, _ call) (reply, bool, error) {
	d, err := protocol.Call(ctx, w.c, protocol.SendQueue{})
	return disposition(d), d == protocol.Started, err
}

func setLabel(ctx context.Context, w *window, c call) (reply, error) {
	id, err := protocol.Call(ctx, w.c, protocol.SetLabel{Entry: session.ID(c.text("entryId")), Text: c.text("label")})
	return func() ([]byte, error) {
		return newObject().str("labelEntryId", string(id)).place("leafId", w.view.Leaf).done(), nil
	}, err
}

// hidden says which message the model sees otherwise now.
func hidden(h protocol.Hidden, err error) (reply, error) {
	return done(newObject().str("entryId", string(h.Entry)).str("editId", string(h.Edit))), err
}

func hide(ctx context.Context, w *window, c call) (reply, error) {
	return hidden(protocol.Call(ctx, w.c, protocol.Hide{Entry: session.ID(c.text("entryId"))}))
}

func unhide(ctx context.Context, w *window, c call) (reply, error) {
	return hidden(protocol.Call(ctx, w.c, protocol.Unhide{Entry: session.ID(c.text("entryId"))}))
}

func editEntry(ctx context.Context, w *window, c call) (reply, error) {
	return hidden(protocol.Call(ctx, w.c, protocol.EditContext{Entry: session.ID(c.text("entryId")), Text: c.text("text")}))
}

func takeEntries(ctx context.Context, w *window, c call) (reply, error) {
	t := protocol.Take{What: protocol.Taking(c.text("what")), To: session.ID(c.text("toEntryId")), Instructions: c.text("customInstructions")}
	for _, id := range c.texts("entryIds") {
		t.Entries = append(t.Entries, session.ID(id))
	}
	r, err := protocol.Call(ctx, w.c, t)
	o := newObject().flag("cancelled", r.Aborted)
	if r.Aborted {
		o.flag("aborted", true)
	}
	return done(o.place("oldLeafId", r.Old).place("leafId", r.Leaf).texts("fromIds", words(r.From)).texts("entryIds", words(r.Entries))), err
}

func words(ids []session.ID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = string(id)
	}
	return list
}

func editSummary(ctx context.Context, w *window, c call) (reply, error) {
	id, err := protocol.Call(ctx, w.c, protocol.EditSummary{Entry: session.ID(c.text("entryId")), Text: c.text("text")})
	return done(newObject().str("entryId", string(id))), err
}
