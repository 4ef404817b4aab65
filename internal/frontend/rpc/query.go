package rpc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// context is what the model would see. Writer's.
func (w *window) context() ([]session.Item, error) {
	p, err := w.paths.Context(w.view.Tree, w.view.Leaf)
	return p.Items, err
}

func getState(ctx context.Context, w *window, _ call) (reply, error) {
	p, err := protocol.Call(ctx, w.c, protocol.GetPolicy{})
	return func() ([]byte, error) { return w.state(p) }, err
}

// state is how the session stands. Writer's.
func (w *window) state(p protocol.Policy) ([]byte, error) {
	messages, err := w.counter.Messages(w.view.Tree, w.view.Leaf)
	if err != nil {
		return nil, err
	}
	v, o := &w.view, newObject()
	if v.Model != nil {
		info, err := encode(v.Model)
		if err != nil {
			return nil, err
		}
		o.raw("model", info)
	}
	o.str("thinkingLevel", v.Thinking).flag("isStreaming", v.Running).flag("isCompacting", w.compacting)
	o.str("steeringMode", w.mode("steeringMode", p.AllSteering)).str("followUpMode", w.mode("followUpMode", p.AllFollowUp))
	if v.File != "" {
		o.str("sessionFile", v.File)
	}
	o.str("sessionId", v.Header.ID)
	if name := v.Tree.Name(); name != "" {
		o.str("sessionName", name)
	}
	waiting := len(v.Queue.Steering) + len(v.Queue.FollowUp)
	return o.flag("autoCompactionEnabled", p.AutoCompaction).num("messageCount", float64(messages)).
		num("pendingMessageCount", float64(waiting)).done(), nil
}

// mode is the word for a mode of the queues.
func (w *window) mode(key string, all bool) string {
	if all {
		return "all"
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if odd := w.words[key]; odd != "" {
		return odd
	}
	return "one-at-a-time"
}

func (w *window) messages() ([]byte, error) {
	items, err := w.context()
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(items))
	for i, it := range items {
		list[i] = it.Message.JSON()
	}
	return newObject().raw("messages", rawjson.Array(list)).done(), nil
}

// lastText is the newest answer that says something or was complete.
func (w *window) lastText() ([]byte, error) {
	items, err := w.context()
	if err != nil {
		return nil, err
	}
	o := newObject()
	for _, it := range slices.Backward(items) {
		m := it.Message
		if m.Role != message.Assistant || !said(m) && m.StopReason != message.Stop {
			continue
		}
		if text := session.TrimSpace(m.Text("")); text != "" {
			o.str("text", text)
		}
		break
	}
	return o.done(), nil
}

func said(m message.Message) bool { return session.TrimSpace(m.Text("")) != "" }

func (w *window) forkMessages() ([]byte, error) {
	var list [][]byte
	for e := range w.view.Tree.All() {
		if e.Role != message.User {
			continue
		}
		body, err := e.Body()
		if err != nil {
			continue // a line that is damaged
		}
		if m, ok := body.(session.Message); ok {
			if text := m.Message.Text(""); text != "" {
				list = append(list, newObject().str("entryId", string(e.ID)).str("text", text).done())
			}
		}
	}
	return newObject().raw("messages", rawjson.Array(list)).done(), nil
}

func getEntries(_ context.Context, w *window, c call) (reply, error) {
	_, behind := c.fields["since"]
	behind = behind && !rawjson.IsNull(c.fields["since"])
	since := session.ID(c.text("since"))
	return func() ([]byte, error) { return w.entries(since, behind) }, nil
}

// entries are those of the session in the order of its file, or what stands behind
// one of them. Writer's.
func (w *window) entries(since session.ID, behind bool) ([]byte, error) {
	if behind && !w.view.Tree.Has(since) {
		return nil, fmt.Errorf("Entry not found: %s", since)
	}
	var list [][]byte
	for e := range w.view.Tree.All() {
		if behind {
			behind = e.ID != since
			continue
		}
		raw, err := line(e)
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	return w.leaf(newObject().raw("entries", rawjson.Array(list))).done(), nil
}

// line is an entry as it stands in its file.
func line(e *session.Entry) ([]byte, error) {
	raw, err := e.Raw()
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", e.ID, err)
	}
	if e.Damage != nil && !rawjson.Valid(raw) {
		o := newObject().str("type", string(e.Type)).str("id", string(e.ID))
		if e.Parent == "" {
			return o.raw("parentId", []byte("null")).done(), nil
		}
		return o.str("parentId", string(e.Parent)).done(), nil
	}
	return raw, nil
}

func (w *window) leaf(o *object) *object { return o.place("leafId", w.view.Leaf) }

// tree is the session as a tree. A long conversation is nested as deep as it is
// long, so nothing here recurses. Writer's.
func (w *window) tree() ([]byte, error) {
	t := w.view.Tree
	roots, children := family(t)
	labels := map[session.ID]session.LabelState{}
	for _, l := range t.Labels() {
		labels[l.Target] = l
	}
	type level struct {
		nodes []*session.Entry // from the one that is written on
		begun bool             // that one is open
	}
	b := []byte(`{"tree":[`)
	for stack := []level{{nodes: roots}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.begun {
			b = append(b, ']')
			if l, ok := labels[top.nodes[0].ID]; ok {
				b = rawjson.AppendString(append(b, `,"label":`...), l.Text)
				if l.Time != nil {
					b = append(append(b, `,"labelTimestamp":`...), l.Time...)
				}
			}
			b = append(b, '}')
			top.nodes, top.begun = top.nodes[1:], false
			if len(top.nodes) > 0 {
				b = append(b, ',')
			}
		}
		if len(top.nodes) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		e := top.nodes[0]
		raw, err := line(e)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, `{"entry":`...), raw...), `,"children":[`...)
		top.begun = true
		stack = append(stack, level{nodes: children[e.ID]})
	}
	b = append(b, `],"leafId":`...)
	if w.view.Leaf == "" {
		return append(b, "null}"...), nil
	}
	return append(rawjson.AppendString(b, string(w.view.Leaf)), '}'), nil
}

// family says who is whose child, as pi has it: an entry whose parent is not there
// is a root, wherever it may have hung.
func family(t *session.Tree) (roots []*session.Entry, children map[session.ID][]*session.Entry) {
	children = map[session.ID][]*session.Entry{}
	for e := range t.All() {
		p := t.Parent(e.ID)
		if p == nil || e.Damage != nil && e.Damage.Kind&session.Moved != 0 {
			roots = append(roots, e)
		} else {
			children[p.ID] = append(children[p.ID], e)
		}
	}
	for _, list := range children {
		slices.SortStableFunc(list, func(a, b *session.Entry) int {
			if a.Time.IsZero() || b.Time.IsZero() {
				return 0
			}
			return a.Time.Compare(b.Time)
		})
	}
	return roots, children
}

func (w *window) levels() ([]byte, error) {
	levels := []string{"off"}
	if m := w.view.Model; m != nil && m.Reasoning {
		levels = m.Levels()
	}
	return newObject().texts("levels", levels).done(), nil
}

func getStats(ctx context.Context, w *window, _ call) (reply, error) {
	st, err := protocol.Call(ctx, w.c, protocol.GetStats{})
	return func() ([]byte, error) { return w.stats(st), nil }, err
}

// stats is what the session holds and took. Writer's.
func (w *window) stats(st protocol.Stats) []byte {
	o := newObject()
	if w.view.File != "" {
		o.str("sessionFile", w.view.File)
	}
	o.str("sessionId", w.view.Header.ID)
	for _, n := range []struct {
		key string
		n   int
	}{{"userMessages", st.User}, {"assistantMessages", st.Assistant}, {"toolCalls", st.ToolCalls}, {"toolResults", st.ToolResults}, {"totalMessages", st.Messages}} {
		o.num(n.key, float64(n.n))
	}
	o.raw("tokens", newObject().num("input", st.Input).num("output", st.Output).num("cacheRead", st.CacheRead).
		num("cacheWrite", st.CacheWrite).num("total", st.Tokens()).done()).num("cost", st.Cost)
	if st.Context != nil {
		o.raw("contextUsage", contextUse(st.Context))
	}
	return o.done()
}

// contextUse says how full the window of the model is.
func contextUse(u *protocol.ContextUse) []byte {
	o := newObject()
	percent, known := u.Percent()
	if !known {
		return o.raw("tokens", []byte("null")).num("contextWindow", float64(u.Window)).raw("percent", []byte("null")).done()
	}
	return o.num("tokens", float64(u.Tokens)).num("contextWindow", float64(u.Window)).num("percent", percent).done()
}

func getCommands(ctx context.Context, w *window, _ call) (reply, error) {
	r, err := protocol.Call(ctx, w.c, protocol.GetCommands{})
	var list [][]byte
	for _, c := range r.Commands {
		o := newObject().str("name", c.Command)
		if c.Description != "" {
			o.str("description", c.Description)
		}
		src := newObject().str("path", c.Path).str("source", c.Source).str("scope", c.Scope).str("origin", c.Origin)
		if c.Base != "" {
			src.str("baseDir", c.Base)
		}
		list = append(list, o.str("source", c.Kind).raw("sourceInfo", src.done()).done())
	}
	return done(newObject().raw("commands", rawjson.Array(list))), err
}

// exportHTML writes all branches. Its answer names the file as the client did.
func exportHTML(ctx context.Context, w *window, c call) (reply, error) {
	w.s.mu.Lock()
	file := w.file
	w.s.mu.Unlock()
	if file == "" {
		return nil, errors.New("the session is kept in memory only, and only session files are exported")
	}
	out := c.text("outputPath")
	e, err := protocol.Call(ctx, w.c, protocol.Export{Path: out, Page: true, Whole: true, Force: true})
	if out == "" {
		out = filepath.Base(e.Path)
	}
	return done(newObject().str("path", out)), err
}
