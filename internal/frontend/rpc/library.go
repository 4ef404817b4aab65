package rpc

import (
	"cmp"
	"context"
	"time"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// titled is how many characters of a first message a list shows.
const titled = 500

func listSessions(ctx context.Context, w *window, c call) (reply, error) {
	l, err := protocol.Call(ctx, w.c, protocol.ListSessions{All: c.text("scope") == "all", CWD: c.text("cwd"), Query: c.text("query"),
		Limit: c.count("limit"), Cursor: c.text("cursor")})
	return func() ([]byte, error) {
		views := map[string]string{}
		for _, v := range w.s.all() {
			if v.view.File != "" && views[v.view.File] == "" {
				views[v.view.File] = v.name
			}
		}
		list := make([][]byte, len(l.Sessions))
		for i, x := range l.Sessions {
			o := summary(x.Summary).optional("view", views[x.Path]).flag("live", x.Live)
			if x.Process != 0 {
				o.num("process", float64(x.Process))
			}
			list[i] = o.optional("address", x.Address).done()
		}
		return newObject().list("sessions", list).optional("nextCursor", l.Next).done(), nil
	}, err
}

// summary writes a row of a list (docs/spec/rpc.md 14.5).
func summary(s session.Summary) *object {
	o := newObject().str("path", s.Path).str("id", s.ID).str("cwd", s.CWD).optional("name", s.Name).optional("parentSessionPath", s.ParentSession)
	o.time("created", s.Created).time("modified", s.Modified).num("messageCount", float64(s.Messages))
	o.str("firstMessage", cmp.Or(shortened(s.FirstMessage), "(no messages)")).num("leaves", float64(s.Leaves)).num("size", float64(s.Size)).optional("model", s.Model)
	if s.Cost > 0 {
		o.num("cost", s.Cost)
	}
	return o
}

func shortened(s string) string {
	n := 0
	for i := range s {
		if n++; n > titled {
			return s[:i]
		}
	}
	return s
}

// time leaves out times that are not known.
func (o *object) time(key string, t time.Time) *object {
	if t.IsZero() {
		return o
	}
	return o.str(key, string(session.AppendTime(nil, t)))
}

func searchSessions(ctx context.Context, w *window, c call) (reply, error) {
	f, err := protocol.Call(ctx, w.c, protocol.SearchSessions{Query: c.text("query"), All: c.text("scope") == "all", CWD: c.text("cwd"), Limit: c.count("limit")})
	list := make([][]byte, len(f.Hits))
	for i, h := range f.Hits {
		list[i] = newObject().raw("session", summary(h.Session).done()).str("entryId", string(h.Entry)).optional("role", h.Role).time("timestamp", h.Time).str("text", h.Text).done()
	}
	return done(newObject().list("hits", list)), err
}

func renameSession(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.RenameSession{Session: c.text("session"), To: c.text("name")})
	return nil, err
}

func trashSession(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.TrashSession{Session: c.text("session")})
	return nil, err
}

func restoreSession(ctx context.Context, w *window, c call) (reply, error) {
	path, err := protocol.Call(ctx, w.c, protocol.RestoreSession{Session: c.text("session")})
	return done(newObject().str("path", path)), err
}

func checkSession(ctx context.Context, w *window, c call) (reply, error) {
	r, err := protocol.Call(ctx, w.c, protocol.CheckSession{Session: c.text("session")})
	o := newObject().str("text", r.Text)
	return done(o.json("report", string(r.JSON))), err
}
