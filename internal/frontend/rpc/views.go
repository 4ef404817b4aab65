package rpc

import (
	"context"
	"sync"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// openView opens a session as a further view.
func openView(ctx context.Context, at *window, c call) (reply, error) {
	s := at.s
	if s.o.Door == nil {
		return nil, protocol.Fail(protocol.BadRequest, "no further views can be opened here: this bough serves one session")
	}
	o := protocol.Open{Session: c.text("sessionPath"), Create: c.flag("create"), CWD: c.text("cwd"), Entry: c.place("entryId"), Exact: c.flag("exact"),
		Who: "rpc", Name: c.text("name")}
	for _, name := range []string{"sessionPath", "sessionId"} {
		if s, given := rawjson.String(c.fields[name]); given && s == "" { // of a script that found no session
			return nil, protocol.Fail(protocol.BadRequest, "the field %q of open_view is empty; it is left out for a new session", name)
		}
	}
	if id := c.text("sessionId"); id != "" {
		if o.Session != "" {
			return nil, protocol.Fail(protocol.BadRequest, "open_view takes sessionPath or sessionId, not both")
		}
		o.Session = id
	}
	if o.Session == "" && o.Entry != nil && *o.Entry != "" {
		return nil, protocol.Fail(protocol.UnknownEntry, "Entry not found: %s. A new session has none; name the session with sessionPath or sessionId.", *o.Entry)
	}
	o.Own = o.Session != "" && !c.flag("join")
	client, release, err := s.o.Door.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	w := s.add(client, sync.OnceFunc(release))
	if s.over.Load() {
		w.release()
	}
	select {
	case <-w.ready:
	case <-w.ended:
		return nil, protocol.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	attach := c.flag("attach")
	if attach {
		s.mu.Lock()
		if !w.closing {
			s.attached = w
		}
		s.mu.Unlock()
	}
	// It is told of behind its own beginning.
	s.respond(ctx, w, success(c, func() ([]byte, error) {
		s.mu.Lock()
		if attach {
			s.plain = s.attached
		}
		first := w.first
		s.mu.Unlock()
		out := newObject().str("view", w.name).optional("sessionFile", first.File).str("sessionId", first.Header.ID)
		return out.place("leafId", first.leaf).flag("isNew", first.Fresh && !w.spoken()).done(), nil
	}, nil))
	return nil, errAnswered
}

// spoken reports whether something was said in the session, as in a new one that is
// joined. Writer's.
func (w *window) spoken() bool {
	for e := range w.view.Tree.Log() {
		if e.Type == session.TypeMessage {
			return true
		}
	}
	return false
}

// attachView makes a view the one that commands without a view mean.
func attachView(ctx context.Context, at *window, c call) (reply, error) {
	s := at.s
	w, err := s.view(c.text("view"))
	if err != nil {
		return nil, err
	}
	p, err := protocol.Call(ctx, w.c, protocol.GetPolicy{})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if w.closing {
		s.mu.Unlock()
		return nil, unknownView(w.name)
	}
	s.attached = w
	s.mu.Unlock()
	s.respond(ctx, w, success(c, func() ([]byte, error) {
		s.mu.Lock()
		s.plain = s.attached
		s.mu.Unlock()
		return w.state(p)
	}, nil))
	return nil, errAnswered
}

// closeView gives a view up.
func closeView(ctx context.Context, at *window, c call) (reply, error) {
	s := at.s
	w, err := s.view(c.text("view"))
	if err != nil {
		return nil, err
	}
	st, err := protocol.Call(ctx, w.c, protocol.GetState{})
	if err != nil {
		return nil, err
	}
	busy := st.Running || st.Compacting
	if busy && !c.flag("abort") {
		return nil, protocol.Fail(protocol.Busy, "The view %s works. Wait for it, or close it with abort.", w.name)
	}
	s.mu.Lock()
	attached, closing := w == s.attached, w.closing
	w.closing = !attached
	s.mu.Unlock()
	switch {
	case attached:
		return nil, protocol.Fail(protocol.BadRequest, "The attached view cannot be closed. Attach another one first.")
	case closing:
		return nil, unknownView(w.name)
	}
	if busy {
		if _, err := protocol.Call(ctx, w.c, protocol.Abort{}); err != nil {
			return nil, err
		}
	}
	w.release()
	select {
	case <-w.ended:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, nil
}

// listViews lists the views.
func listViews(_ context.Context, at *window, _ call) (reply, error) {
	s := at.s
	return func() ([]byte, error) {
		var list [][]byte
		for _, w := range s.all() {
			if w.view.Tree == nil {
				continue // it is being opened
			}
			v := &w.view
			o := newObject().str("view", w.name).optional("sessionFile", v.File).str("sessionId", v.Header.ID).optional("sessionName", v.Tree.Name())
			o.str("cwd", v.Header.CWD).place("leafId", v.Leaf).flag("isStreaming", v.Running).flag("isCompacting", w.compacting)
			o.num("pendingMessageCount", float64(len(v.Queue.Steering)+len(v.Queue.FollowUp)))
			list = append(list, o.flag("attached", w == s.plain).flag("subscribed", w.level != none).done())
		}
		return newObject().list("views", list).done(), nil
	}, nil
}

// chosen are the views that a command means, and whether it means all, later ones
// included.
func (s *server) chosen(c call) (views []*window, every bool, err error) {
	names := c.texts("views")
	if len(names) == 1 && names[0] == "*" {
		return s.all(), true, nil
	}
	for _, name := range names {
		w, err := s.view(name)
		if err != nil {
			return nil, false, err
		}
		views = append(views, w)
	}
	if len(views) == 0 {
		return nil, false, protocol.Fail(protocol.BadRequest, `the field "views" of %s names no view; it is a list of names, or "*"`, c.name)
	}
	return views, false, nil
}

// subscribe has views told of from now on, with their names.
func subscribe(ctx context.Context, at *window, c call) (reply, error) {
	s := at.s
	views, every, err := s.chosen(c)
	if err != nil {
		return nil, err
	}
	l, snapshot := pis, c.flag("snapshot")
	if c.text("level") == "full" {
		l = full
	}
	policies := map[*window]protocol.Policy{}
	for _, w := range views {
		// What has no policy is being closed.
		policies[w], _ = protocol.Call(ctx, w.c, protocol.GetPolicy{})
	}
	s.respond(ctx, at, answer{size: overhead + len(c.id), make: func() []byte {
		if every {
			s.every, views = l, s.all()
		}
		var list [][]byte
		for _, w := range views {
			if w.view.Tree == nil {
				continue
			}
			w.subscribe(l)
			o := newObject().str("view", w.name).str("sessionId", w.view.Header.ID).place("leafId", w.view.Leaf)
			last := session.ID("")
			if e := w.view.Tree.Last(); e != nil {
				last = e.ID
			}
			list = append(list, o.place("lastEntryId", last).num("seq", float64(w.seq)).flag("isStreaming", w.view.Running).done())
		}
		b := success(c, done(newObject().list("views", list)), nil).make()
		for _, w := range views {
			if snapshot && w.view.Tree != nil {
				b = append(append(b, '\n'), w.mark(w.snapshot(policies[w]))...)
			}
		}
		return b
	}})
	return nil, errAnswered
}

// unsubscribe takes that back.
func unsubscribe(_ context.Context, at *window, c call) (reply, error) {
	s := at.s
	views, every, err := s.chosen(c)
	if err != nil {
		return nil, err
	}
	return func() ([]byte, error) {
		if every {
			s.every, views = none, s.all()
		}
		for _, w := range views {
			w.subscribe(none)
		}
		return nil, nil
	}, nil
}

// snapshot is all that a client must know to join in. Writer's.
func (w *window) snapshot(p protocol.Policy) []byte {
	o := newObject().str("type", "view_snapshot").place("leafId", w.view.Leaf)
	if st, err := w.state(p); err == nil {
		o.raw("state", st)
	}
	if w.view.Answer != nil {
		o.raw("message", w.view.Answer.JSON())
	}
	calls := make([][]byte, len(w.view.Tools))
	for i, t := range w.view.Tools {
		call := newObject().str("id", t.CallID).str("name", t.Tool).json("args", string(t.Args))
		if t.Output.Content != nil {
			call.raw("partialResult", output(t.Output))
		}
		calls[i] = call.done()
	}
	o.list("toolCalls", calls)
	asked := make([][]byte, len(w.view.Open))
	for i, q := range w.view.Open {
		asked[i] = question(newObject(), q).done()
	}
	return o.list("questions", asked).done()
}
