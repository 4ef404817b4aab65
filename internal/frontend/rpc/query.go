package rpc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func (w *window) stateNow() ([]byte, error) { return w.state(w.policy) }

// state is how the session stands. Writer's.
func (w *window) state(p protocol.Policy) ([]byte, error) {
	messages, err := w.counter.Messages(w.view.Tree, w.view.Leaf)
	if err != nil {
		return nil, err
	}
	v, o := &w.view, newObject()
	if v.Model != nil {
		if w.model.of != v.Model {
			info, err := rawjson.Encode(v.Model)
			if err != nil {
				return nil, err
			}
			w.model.of, w.model.json = v.Model, info
		}
		o.raw("model", w.model.json)
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

// lastText is the newest answer that says something or was complete.
func (w *window) lastText() ([]byte, error) {
	o := newObject()
	err := new(session.Projector).Newest(w.view.Tree, w.view.Leaf, func(it session.Item) bool {
		m := it.Message
		if m.Role != message.Assistant || !said(m) && m.StopReason != message.Stop {
			return true
		}
		if text := session.TrimSpace(m.Text("")); text != "" {
			o.str("text", text)
		}
		return false
	})
	return o.done(), err
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

// line is an entry as it stands in its file.
func line(e *session.Entry) ([]byte, error) {
	raw, err := e.Raw()
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", e.ID, err)
	}
	if e.Damage != nil && !rawjson.Valid(raw) {
		return e.Place(), nil
	}
	return raw, nil
}

func (w *window) leaf(o *object) *object { return o.place("leafId", w.view.Leaf) }

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
