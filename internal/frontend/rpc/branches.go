package rpc

import (
	"context"
	"slices"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// previewed is how many characters of a text a preview shows.
const previewed = 200

// at is the entry that a command names, or where the view stands. Writer's.
func (w *window) at(id *session.ID) (session.ID, error) {
	if id == nil {
		return w.view.Leaf, nil
	}
	if *id != "" && !w.view.Tree.Has(*id) {
		return "", notFound(*id)
	}
	return *id, nil
}

func notFound(id session.ID) error {
	return protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", id)
}

func getPath(_ context.Context, w *window, c call) (reply, error) {
	id, from := c.place("entryId"), session.ID(c.text("from"))
	return func() ([]byte, error) {
		at, err := w.at(id)
		if err != nil {
			return nil, err
		}
		path := w.view.Tree.Path(at)
		if from != "" {
			i := slices.IndexFunc(path, func(e *session.Entry) bool { return e.ID == from })
			if i < 0 {
				return nil, protocol.Fail(protocol.UnknownEntry, "Entry %s is not on the way to %s", from, at)
			}
			path = path[i+1:]
		}
		list := make([][]byte, len(path))
		for i, e := range path {
			if list[i], err = line(e); err != nil {
				return nil, err
			}
		}
		return w.leaf(newObject().list("entries", list)).done(), nil
	}, nil
}

func getContext(_ context.Context, w *window, c call) (reply, error) {
	id := c.place("entryId")
	return func() ([]byte, error) {
		at, err := w.at(id)
		if err != nil {
			return nil, err
		}
		paths := w.paths
		if at != w.view.Leaf {
			paths = new(session.Projector) // which does not keep what is seen once
		}
		p, err := paths.Context(w.view.Tree, at)
		if err != nil {
			return nil, err
		}
		list := make([][]byte, len(p.Items))
		for i, it := range p.Items {
			list[i] = it.Message.JSON()
		}
		o := newObject().list("messages", list)
		if p.Model.ModelID != "" {
			o.raw("model", newObject().str("provider", p.Model.Provider).str("modelId", p.Model.ModelID).done())
		}
		o.str("thinkingLevel", p.Thinking)
		if at == w.view.Leaf && w.view.Context != nil {
			o.raw("contextUsage", contextUse(w.view.Context))
		}
		return o.done(), nil
	}, nil
}

func getEntry(ctx context.Context, w *window, c call) (reply, error) {
	id := session.ID(c.text("entryId"))
	info, err := protocol.Call(ctx, w.c, protocol.GetEntry{Entry: id})
	return func() ([]byte, error) {
		t := w.view.Tree
		e := t.Get(id)
		if e == nil {
			return nil, notFound(id)
		}
		raw, err := line(e)
		if err != nil {
			return nil, err
		}
		var children []string
		for _, below := range t.Children(id) {
			children = append(children, string(below.ID))
		}
		o := newObject().str("entryId", string(id)).raw("entry", raw).raw("line", raw).flag("onPath", info.OnPath).flag("seen", info.Seen).optional("label", t.Label(id))
		return o.texts("childIds", children).num("depth", float64(depth(t, id))).done(), nil
	}, err
}

// depth is how many entries there are on the way to one, itself included.
func depth(t *session.Tree, id session.ID) int {
	if w, ok := t.Way(id); ok {
		return w.Len()
	}
	return len(t.Path(id))
}

func getLeaves(_ context.Context, w *window, c call) (reply, error) {
	limit := c.count("limit")
	return func() ([]byte, error) {
		tips := w.view.Tree.Tips()
		if limit > 0 && len(tips) > limit {
			tips = tips[:limit]
		}
		list := make([][]byte, len(tips))
		for i, tip := range tips {
			list[i] = tipJSON(w.view.Tree, tip)
		}
		return newObject().list("leaves", list).done(), nil
	}, nil
}

func tipJSON(t *session.Tree, tip session.Tip) []byte {
	id := tip.Entry.ID
	o := newObject().str("leafId", string(id)).place("forkEntryId", tip.Fork).num("depth", float64(tip.Depth)).num("messages", float64(tip.Messages))
	if !tip.Last.Time.IsZero() {
		o.str("modified", string(session.AppendTime(nil, tip.Last.Time)))
	}
	return o.optional("label", t.Label(id)).str("preview", preview(t, tip.Entry)).done()
}

// preview is how the last text of user or model begins, at an entry or above it.
func preview(t *session.Tree, e *session.Entry) string {
	for n := t.Size(); e != nil && n > 0; e, n = t.Parent(e.ID), n-1 {
		if e.Role != message.User && e.Role != message.Assistant {
			continue
		}
		body, err := e.Body()
		if err != nil {
			continue // a line that is damaged
		}
		m, ok := body.(session.Message)
		if !ok {
			continue
		}
		if text := session.TrimSpace(m.Message.Text("\n")); text != "" {
			n := 0
			for i := range text {
				if n++; n > previewed {
					return text[:i]
				}
			}
			return text
		}
	}
	return ""
}

// getPolicy tells how queues, retries and compactions are handled.
func getPolicy(ctx context.Context, w *window, _ call) (reply, error) {
	p, err := protocol.Call(ctx, w.c, protocol.GetPolicy{})
	return func() ([]byte, error) {
		return newObject().str("steeringMode", w.mode("steeringMode", p.AllSteering)).str("followUpMode", w.mode("followUpMode", p.AllFollowUp)).
			flag("autoCompactionEnabled", p.AutoCompaction).flag("autoRetryEnabled", p.AutoRetry).done(), nil
	}, err
}

// output is the output of a tool, as far as it has come.
func output(o message.Output) []byte {
	out := newObject().raw("content", message.EncodeContent(o.Content))
	if len(o.Details) > 0 {
		out.raw("details", o.Details)
	}
	return out.done()
}
