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
		for below := range t.All() {
			if p := t.Parent(below.ID); p != nil && p.ID == id {
				children = append(children, string(below.ID))
			}
		}
		o := newObject().str("entryId", string(id)).raw("entry", raw).raw("line", raw).flag("onPath", info.OnPath).flag("seen", info.Seen).optional("label", t.Label(id))
		return o.texts("childIds", children).num("depth", float64(len(t.Path(id)))).done(), nil
	}, err
}

func getLeaves(_ context.Context, w *window, c call) (reply, error) {
	limit := c.count("limit")
	return func() ([]byte, error) {
		leaves := leavesOf(w.view.Tree)
		if limit > 0 && len(leaves) > limit {
			leaves = leaves[:limit]
		}
		list := make([][]byte, len(leaves))
		for i, l := range leaves {
			list[i] = l.json(w.view.Tree)
		}
		return newObject().list("leaves", list).done(), nil
	}, nil
}

// leaf is the end of a branch: something was said there, and nothing below it.
type leaf struct {
	entry, last *session.Entry // last is the newest bookkeeping below it, or entry
	fork        session.ID     // the nearest entry above it below which there are several branches
}

// leavesOf returns the ends of the branches of a tree, the newest first.
func leavesOf(t *session.Tree) []leaf {
	var entries []*session.Entry
	at := map[session.ID]int{}
	for e := range t.All() {
		at[e.ID] = len(entries)
		entries = append(entries, e)
	}
	// up is the nearest entry above one that says something: -1 for none, and of
	// entries that nobody has come by yet -2. A parent may stand behind its child.
	up := make([]int, len(entries))
	for i := range up {
		up[i] = -2
	}
	var way []int
	for i := range entries {
		way = way[:0]
		k, found := i, -1
		for {
			if up[k] != -2 {
				found = up[k]
				break
			}
			up[k] = -1 // which ends cycles
			way = append(way, k)
			p := t.Parent(entries[k].ID)
			if p == nil {
				break
			}
			k = at[p.ID]
			if entries[k].Speaks() {
				found = k
				break
			}
		}
		for _, k := range way {
			up[k] = found
		}
	}
	branches := make([]int, len(entries)) // that go on below an entry
	for i, e := range entries {
		if e.Speaks() && up[i] >= 0 {
			branches[up[i]]++
		}
	}
	tails := map[int]*session.Entry{}
	for i, e := range entries {
		if !e.Speaks() && !e.IsLeafMarker() && up[i] >= 0 {
			tails[up[i]] = e
		}
	}
	var leaves []leaf
	for i, e := range entries {
		if !e.Speaks() || branches[i] > 0 {
			continue
		}
		l := leaf{entry: e, last: e}
		if tail := tails[i]; tail != nil {
			l.last = tail
		}
		for k, n := up[i], 0; k >= 0 && n < len(entries); k, n = up[k], n+1 {
			if branches[k] > 1 {
				l.fork = entries[k].ID
				break
			}
		}
		leaves = append(leaves, l)
	}
	slices.Reverse(leaves)
	slices.SortStableFunc(leaves, func(a, b leaf) int { return b.last.Time.Compare(a.last.Time) })
	return leaves
}

func (l leaf) json(t *session.Tree) []byte {
	path := t.Path(l.entry.ID)
	said := 0
	for _, e := range path {
		if e.Type == session.TypeMessage {
			said++
		}
	}
	o := newObject().str("leafId", string(l.entry.ID)).place("forkEntryId", l.fork).num("depth", float64(len(path))).num("messages", float64(said))
	if !l.last.Time.IsZero() {
		o.str("modified", string(session.AppendTime(nil, l.last.Time)))
	}
	return o.optional("label", t.Label(l.entry.ID)).str("preview", preview(path)).done()
}

// preview is how the last text of user or model on a path begins.
func preview(path []*session.Entry) string {
	for _, e := range slices.Backward(path) {
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
